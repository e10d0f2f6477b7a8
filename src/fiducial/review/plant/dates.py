"""Calendar dates and times of day, as written, and others in the same writing."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from functools import lru_cache

from msgspec import Struct

from fiducial.review.plant.blocks import Block, Document
from fiducial.review.plant.pairs import same_statement

_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_NAMES = _MONTH.split("|")
_LONG = re.compile(rf"(?<![\w-])(\d{{1,2}})\s+({_MONTH})(?:\s+(\d{{4}}))?(?!\w)")
_AMERICAN = re.compile(rf"(?<!\w)({_MONTH})\s+(\d{{1,2}})(?:,\s+(\d{{4}}))?(?![\w:])")
_ISO = re.compile(r"(?<![\w-])(\d{4})-(\d{2})-(\d{2})(?![\w-])")
_CLOCK = re.compile(r"(?<![\w:.-])([01]\d|2[0-3]):([0-5]\d)(?![\w:])")

# How much the words around two equal dates, or times of day, must agree (`Words.weight`) for them to be one.
_DAY_WORDS, _CLOCK_WORDS = 5.5, 7.0


class When(Struct, frozen=True, eq=False):
    """A date or a time of day in a block."""

    block: Block
    start: int
    end: int
    day: date | None  # without a year, the document's usual one is taken
    minutes: int | None  # since midnight
    form: str  # "long", "american", "iso" or "clock"
    year: bool

    @property
    def text(self) -> str:
        """As written, on one line."""
        return " ".join(self.block.flow[self.start : self.end].split())

    @property
    def key(self) -> tuple[str, int]:
        """Equal for the same moment in whatever writing."""
        return ("day", self.day.toordinal()) if self.day else ("clock", self.minutes or 0)

    def write(self, day: date) -> str:
        """Another day in the writing of this one."""
        if self.form == "iso":
            return day.isoformat()
        month = _NAMES[day.month - 1]
        if self.form == "american":
            return f"{month} {day.day}, {day.year}" if self.year else f"{month} {day.day}"
        return f"{day.day} {month} {day.year}" if self.year else f"{day.day} {month}"

    def shifted(self, by: int) -> str | None:
        """So many days later, or for times of day so many hours; None where that leaves the year or the day."""
        if self.day:
            moved = self.day.toordinal() + by
            if not 1 <= moved <= date.max.toordinal():
                return None
            day = date.fromordinal(moved)
            return self.write(day) if day.year == self.day.year else None
        moved_minutes = (self.minutes or 0) + 60 * by
        if not 5 * 60 <= moved_minutes < 24 * 60:
            return None
        return f"{moved_minutes // 60:02d}:{moved_minutes % 60:02d}"


@lru_cache(maxsize=8)
def moments(document: Document) -> tuple[When, ...]:
    """All dates and times of day in a document's prose, in order."""
    years = Counter(
        match[3] if pattern is not _ISO else match[1]
        for block in document.blocks
        for pattern in (_LONG, _AMERICAN, _ISO)
        for match in pattern.finditer(block.plain)
        if (match[3] if pattern is not _ISO else match[1])
    )
    usual = int(min(years, key=lambda year: (-years[year], year))) if years else 2000
    found = [when for block in document.blocks if block.kind != "heading" for when in _in_block(block, usual)]
    return tuple(found)


def restated(document: Document) -> list[tuple[When, When]]:
    """Dates and times of day that the document states twice."""
    return same_statement(
        document, moments(document), lambda when: when.key, lambda a, b, _: _DAY_WORDS if a.day else _CLOCK_WORDS
    )


def _in_block(block: Block, usual: int) -> list[When]:
    found: list[When] = []
    for match in _LONG.finditer(block.plain):
        day = _day(int(match[3] or usual), _NAMES.index(match[2]) + 1, int(match[1]))
        if day:
            found.append(When(block, *match.span(), day, None, "long", bool(match[3])))
    for match in _AMERICAN.finditer(block.plain):
        day = _day(int(match[3] or usual), _NAMES.index(match[1]) + 1, int(match[2]))
        if day and not any(a.start < match.end() and match.start() < a.end for a in found):
            found.append(When(block, *match.span(), day, None, "american", bool(match[3])))
    for match in _ISO.finditer(block.plain):
        day = _day(int(match[1]), int(match[2]), int(match[3]))
        if day:
            found.append(When(block, *match.span(), day, None, "iso", True))
    for match in _CLOCK.finditer(block.plain):
        found.append(When(block, *match.span(), None, 60 * int(match[1]) + int(match[2]), "clock", False))
    return sorted(found, key=lambda when: when.start)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None

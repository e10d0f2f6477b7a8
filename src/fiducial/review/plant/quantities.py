"""Numbers with a unit, a noun, a percent sign or a currency, and new numbers that look like them."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable
from decimal import Decimal
from functools import lru_cache

from msgspec import Struct

from fiducial.review.plant.blocks import Block, Document, Span, Table
from fiducial.review.plant.pairs import same_statement
from fiducial.review.plant.sentences import stem, stems

_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_NUMBER = re.compile(rf"(?<![\w.,:/#§-])([€$£]\s?)?({_DIGITS})(?![\d:/]|-(?![a-z])|[.,]\d|\w)")
_FOLLOWED = re.compile(r"\s?(%)|[\s-]([^\W\d_]{1,14}(?:/[a-z]{1,4})?|°C)(?![\w/])|()")
_ONLY = re.compile(rf"[^\w%]*({_DIGITS})[^\w%]*")
TOTAL = re.compile(r"\s*(?:grand |over)?(?:total|sum|all together|altogether|in all)s?\b", re.I)
_MONTH = re.compile(r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*$", re.I)
_LABEL = re.compile(
    r"(?:sections?|steps?|waves?|phases?|versions?|tables?|figures?|chapters?|clauses?|levels?|stages?|parts?|"
    r"rehearsals?|rounds?|annex|appendix|item|items|option|page|pages|no\.|number|note|release|tier|WCAG|UTF)\s*$",
    re.I,
)

UNITS: dict[str, tuple[str, str]] = {}  # a form -> (dimension, canonical name)
LADDERS: dict[str, tuple[tuple[str, ...], ...]] = {
    # per dimension, from small to large; each step in the forms that a document may use, singular first
    "time": (
        ("millisecond", "milliseconds", "ms"),
        ("second", "seconds", "s", "sec", "secs"),
        ("minute", "minutes", "min", "mins"),
        ("hour", "hours", "h", "hrs"),
        ("day", "days", "d"),
        ("week", "weeks"),
        ("month", "months"),
        ("year", "years"),
    ),
    "length": (
        ("millimetre", "millimetres", "mm"),
        ("centimetre", "centimetres", "cm"),
        ("metre", "metres", "m"),
        ("kilometre", "kilometres", "km"),
    ),
    "data": (
        ("byte", "bytes", "B"),
        ("kilobyte", "kilobytes", "kB", "KB"),
        ("megabyte", "megabytes", "MB"),
        ("gigabyte", "gigabytes", "GB"),
        ("terabyte", "terabytes", "TB"),
    ),
    "mass": (("gram", "grams", "g"), ("kilogram", "kilograms", "kg"), ("tonne", "tonnes", "t")),
    "rate": (("mm/h",), ("cm/h",), ("m/h",), ("km/h",)),
}
for _dimension, _steps in LADDERS.items():
    for _forms in _steps:
        UNITS |= dict.fromkeys(_forms, (_dimension, _forms[0]))


class Quantity(Struct, frozen=True, eq=False):
    """A number in a block. `noun` is its unit in canonical form, or the word it counts, or "" in a bare cell."""

    block: Block
    start: int  # in the flow, of the digits alone
    end: int
    value: Decimal
    noun: str
    unit: Span | None  # in the flow, where the unit is one of `UNITS`
    money: bool

    @property
    def digits(self) -> str:
        """As written."""
        return self.block.flow[self.start : self.end]

    @property
    def stop(self) -> int:
        """In the flow, where the unit or percent sign ends."""
        if self.noun == "%":
            return self.block.flow.index("%", self.end) + 1
        return self.unit[1] if self.unit else self.end

    @property
    def text(self) -> str:
        """The number with its unit or percent sign, as written, on one line."""
        return " ".join(self.block.flow[self.start : self.stop].split())

    @property
    def told(self) -> str:
        """As one would say it: a bare cell with the unit that its header gives it."""
        bare = self.unit is None and self.noun in UNITS
        return f"{self.digits} {self.noun}{'' if self.value == 1 else 's'}" if bare else self.text

    @property
    def significant(self) -> int:
        """How many digits tell it from other numbers: two for 450, three for 18,400."""
        return len(self.digits.replace(",", "").replace(".", "").strip("0"))


@lru_cache(maxsize=8)
def quantities(document: Document) -> tuple[Quantity, ...]:
    """All quantities of a document, in order. Dates, versions, labels ("step 3") and headings are none."""
    found: list[Quantity] = []
    for block in document.blocks:
        if block.kind == "cell" and block.row > 0:
            found += _in_cell(block, document.tables[block.table].header[block.column])
        elif block.kind not in ("heading", "cell"):
            found += _in_prose(block)
    return tuple(found)


@lru_cache(maxsize=8)
def _by_block(document: Document) -> dict[int, list[Quantity]]:
    found: dict[int, list[Quantity]] = {}
    for quantity in quantities(document):
        found.setdefault(id(quantity.block), []).append(quantity)
    return found


def beside(document: Document, block: Block) -> list[Quantity]:
    """The quantities of one block."""
    return _by_block(document).get(id(block), [])


def _in_cell(block: Block, header: str) -> list[Quantity]:
    """A cell that is a bare number takes its unit from the header: "Length (minutes)", "Hours"."""
    only = _ONLY.fullmatch(block.plain)
    if only is None:
        return _in_prose(block)
    if _year(only[1]):
        return []
    inner = re.search(r"\(([^()]*)\)\s*$", header)
    word = inner[1].strip() if inner else header.strip().lower()
    unit = UNITS[word][1] if word in UNITS else ""
    value = -number(only[1]) if block.plain[: only.start(1)].rstrip().endswith(("−", "-")) else number(only[1])
    return [Quantity(block, *only.span(1), value, unit, None, "€" in header)]


def _in_prose(block: Block) -> list[Quantity]:
    found: list[Quantity] = []
    for match in _NUMBER.finditer(block.plain):
        if _LABEL.search(block.plain[max(0, match.start() - 14) : match.start()]):
            continue
        follows = _FOLLOWED.match(block.plain, match.end())
        assert follows is not None
        start, end = match.span(2)
        word = follows[2] or ""
        if follows[1]:
            found.append(Quantity(block, start, end, number(match[2]), "%", None, False))
        elif word in UNITS:
            found.append(Quantity(block, start, end, number(match[2]), UNITS[word][1], follows.span(2), False))
        elif match[1]:
            found.append(Quantity(block, start, end, number(match[2]), "money", None, True))
        elif len(word) > 2 and word.islower() and not _year(match[2]) and not _MONTH.match(word):
            found.append(Quantity(block, start, end, number(match[2]), word.rstrip("s"), None, False))
    return found


@lru_cache(maxsize=8)
def restated(document: Document) -> tuple[tuple[Quantity, Quantity], ...]:
    """Quantities that the document states twice."""

    def key(quantity: Quantity) -> Hashable:
        measured = quantity.noun == "%" or quantity.noun in UNITS
        return quantity.value, quantity.noun if measured else ""

    def least(a: Quantity, b: Quantity, places: int) -> float:
        same = a.noun == b.noun or _heads(document, a, b) or _heads(document, b, a)
        if places <= 6 and (a.significant >= 3 or (a.significant == 2 and a.value >= 10_000)):
            return 0.0 if same else 1.5
        if not same:
            return math.inf
        if _in_total(document, a) or _in_total(document, b):
            return 0.0
        return 2.5 if places <= 4 and a.significant >= 2 and a.value >= 100 else 6.5

    return tuple(same_statement(document, quantities(document), key, least))


def _heads(document: Document, cell: Quantity, other: Quantity) -> bool:
    """Whether a bare cell stands in the column of what the other number counts."""
    if cell.noun or cell.block.kind != "cell" or not other.noun:
        return False
    return stem(other.noun) in stems(document.tables[cell.block.table].header[cell.block.column])


@lru_cache(maxsize=1024)
def has_total(table: Table) -> bool:
    """Whether a row of the table adds up others."""
    return any(TOTAL.match(row[0].plain) for row in table.body)


def _in_total(document: Document, quantity: Quantity) -> bool:
    return quantity.block.kind == "cell" and bool(TOTAL.match(document.row_of(quantity.block)[0].plain))


def number(digits: str) -> Decimal:
    """The value of digits with thousands separators."""
    return Decimal(digits.replace(",", ""))


def _year(digits: str) -> bool:
    return len(digits) == 4 and digits.isdigit() and 1900 <= int(digits) <= 2100


def write_like(digits: str, value: Decimal) -> str:
    """A value with the decimals and the thousands separators of the digits it replaces."""
    decimals = len(digits.partition(".")[2])
    grouped = "," in digits or (value >= 1_000 and len(digits.partition(".")[0]) < 4)
    return f"{value:{',' if grouped else ''}.{decimals}f}"


def other_values(quantity: Quantity) -> list[str]:
    """Numbers that could stand there instead: not far off, in the same writing, and plainly different."""
    value, digits = quantity.value, quantity.digits
    if value <= 0:
        return []
    if quantity.noun == "%":
        steps = [Decimal(k) for k in (-15, -10, -5, 5, 10)] if value >= 20 else [Decimal(k) for k in (2, 3, 5)]
        if value > 95:
            steps = [Decimal(k) for k in (-2, -4, -9)]
        changed = [value + step for step in steps if 0 < value + step < 100]
    elif value == value.to_integral_value() and value < 10 and "." not in digits:
        changed = [value + k for k in (2, 3, 4)] + ([value - 1] if value > 2 else [])
    else:
        changed = [value * factor for factor in (Decimal("0.5"), Decimal("1.5"), Decimal(2), Decimal("0.8"))]
    written = [write_like(digits, new) for new in changed]
    return [new for new in dict.fromkeys(written) if number(new) != value and number(new) > 0]

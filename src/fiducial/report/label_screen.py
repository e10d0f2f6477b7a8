"""The screen on which a person labels: one claim, the passage of the document that it is about, and the keys."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import msgspec
from msgspec import Struct
from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fiducial.judge.genuine import ReviewType
from fiducial.judge.prompt import prompt_text
from fiducial.report.inert import inert, shorten
from fiducial.report.label_view import LONG, Row, View, rows
from fiducial.report.numbers import count, counted
from fiducial.report.writer import Writer

WORDS = {1.0: "genuine", 0.5: "between", 0.0: "not genuine"}
KEYS = (
    ("1 g", "genuine"),
    ("0 n", "not genuine"),
    ("5 b", "between"),
    ("s", "skip"),
    ("u", "undo"),
    ("d", "more of the document"),
    ("/", "search"),
    ("c", "comment"),
    ("?", "help"),
    ("q", "quit"),
)
MEANT = "Genuine: a specific problem, really there or missing, that the document alone shows, severe or not."
RULES = (
    "What is said to be missing must be given nowhere, not in other words or in another section either.",
    "A wrong section number or a poor remedy does not make a true claim false.",
)
BETWEEN = "two careful readers with the same passages before them would still disagree"
LEAST = 5  # rows of the document, however long the claim
MOST_CLAIMED = 200  # rows of a claim
NARROWEST = 20


class Place(Struct, frozen=True, kw_only=True):
    """How far the rater is."""

    rater: str
    number: int
    total: int
    skipped: int = 0
    left: int | None = None  # in this round, where it has a limit


def turn(view: View, pages: int, *, width: int, height: int) -> View:
    """The document a page further on, or back; past its end it begins again."""
    all_rows, first, size = _window(view, width, height)
    last = first + size >= len(all_rows)
    if pages > 0 and last:
        return msgspec.structs.replace(view, at=0, above=0, why="from the beginning", said="")
    # One row stays, for the eye to go on from.
    start = max(0, first + pages * max(1, size - 1))
    return msgspec.structs.replace(view, at=all_rows[start].start, above=0, why="", said="")


def screen(view: View, place: Place, write: Writer, *, width: int, height: int) -> RenderableType:
    """All of it, from top to bottom."""
    width = max(NARROWEST, width)
    all_rows, first, size = _window(view, width, height)
    part = all_rows[first : first + size]
    lines = view.text.count("\n") + 1
    start, end = (view.text.count("\n", 0, row.start) + 1 for row in (part[0], part[-1]))
    where = f"{shorten(view.document, LONG)}, line {count(start)} to {count(end)} of {count(lines)}"
    return Group(
        write.text(
            (f"Case {count(place.number)} of {count(place.total)}", "bold"), (_progress(view, place), "dim")
        ),
        write.text(("─" * width, "dim")),
        *_claim(view, write, width),
        _rule(f"{where}: {view.why}" if view.why else where, write, width),
        *(_row(row, view, write, _gutter(lines)) for row in part),
        write.text(("─" * width, "dim")),
        *_footer(view, write, width),
    )


def help_screen(review_type: ReviewType, write: Writer) -> RenderableType:
    """The keys, and what genuine means: the definition that judges are given too."""
    keys = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    keys.add_column(no_wrap=True)
    keys.add_column()
    for key, meaning in (
        (
            "1 or g",
            "genuine: a specific gap, inconsistency or invalid assumption, and it can be seen in the document",
        ),
        ("0 or n", "not genuine: one of the reasons below applies"),
        ("5 or b", f"between: {BETWEEN}"),
        ("s", "skip for now; it comes up again in the next round"),
        ("u", "undo: take the last label back, also one of an earlier round, and see its case again"),
        ("d, space, down", "page on through the document; after its end, from the beginning"),
        ("D, up", "page back"),
        ("/", "search the document; with Enter alone, the next place"),
        ("c", "comment; it is saved with the label that you give next"),
        ("r", "draw the screen again, back where the case began"),
        ("q, Ctrl-D", "quit; what is labelled is saved already"),
    ):
        keys.add_row(write.text((key, "bold")), write.text(meaning))
    return Group(
        keys,
        write.text(""),
        write.text(MEANT),
        *map(write.text, RULES),
        write.text(""),
        write.text(("Not genuine", "bold")),
        *(write.text(line) for line in prompt_text(f"not_genuine_{review_type}").split("\n")),
    )


def _window(view: View, width: int, height: int) -> tuple[Sequence[Row], int, int]:
    """All rows of the document, the first that is shown, and how many there is room for."""
    width = max(NARROWEST, width)
    lines = view.text.count("\n") + 1
    all_rows = rows(view.text, max(NARROWEST // 2, width - _gutter(lines) - 3))
    others = 5 + len(_claim_rows(view, width)[0]) + _footer_height(view, width)
    size = max(LEAST, height - others)
    first = bisect_right(all_rows, view.at, key=lambda row: row.start) - 1 - view.above
    if view.above:  # a place near the end is shown with what stands before it, not above an empty window
        first = min(first, len(all_rows) - size)
    return all_rows, max(0, first), size


def _gutter(lines: int) -> int:
    return len(str(lines))


def _progress(view: View, place: Place) -> str:
    parts = [f"{view.review_type} document", f"rater {inert(place.rater)}"]
    if place.left is not None:
        parts.append(f"{count(place.left)} left in this round")
    if place.skipped:
        parts.append(f"{count(place.skipped)} skipped")
    return ", " + ", ".join(parts)


def _claim_rows(view: View, width: int) -> tuple[Sequence[Row], int]:
    """The rows of a claim that are shown, and how many characters are not."""
    own = rows(view.claim, width)
    return own[:MOST_CLAIMED], len(view.claim) - own[:MOST_CLAIMED][-1].end


def _claim(view: View, write: Writer, width: int) -> Iterator[Text]:
    own, left_out = _claim_rows(view, width)
    title = view.claim.partition("\n")[0]
    for row in own:
        yield write.text((view.claim[row.start : row.end], "bold" if row.end <= len(title) else ""))
    if left_out:
        yield write.text((f"… {counted(left_out, 'character')} left out", "dim"))


def _rule(title: str, write: Writer, width: int) -> Text:
    title = shorten(f"── {title} ", width)
    return write.text((title + "─" * (width - cell_len(title)), "dim"))


def _row(row: Row, view: View, write: Writer, gutter: int) -> Text:
    number = str(row.line) if row.line else ""
    parts: list[str | tuple[str, str]] = [(f"{number:>{gutter}} │ ", "dim")]
    at = row.start
    for start, end, style in _marked(view):
        low, high = max(start, at), min(end, row.end)
        if low < high:
            parts += [view.text[at:low], (view.text[low:high], style)]
            at = high
    return write.text(*parts, view.text[at : row.end])


def _marked(view: View) -> Iterable[tuple[int, int, str]]:
    """What is marked, in order: what was searched for rather than what the claim quotes."""
    if view.hits:
        return [(low, high, "reverse") for low, high in view.hits]
    return [(low, high, "bold underline") for low, high in view.marks]


def _footer(view: View, write: Writer, width: int) -> Iterator[Text]:
    if view.note:
        yield write.text(("comment: ", "dim"), shorten(view.note, width - 9))
    if view.said:
        yield write.text((shorten(view.said, width), "yellow"))
    yield from (write.text((line, "dim")) for line in _texts(MEANT, width))
    for line in _key_lines(width):
        parts: list[str | tuple[str, str]] = []
        for key, meaning in line:
            parts += [(key, "bold cyan"), f" {meaning}   "]
        yield write.text(*parts)


def _footer_height(view: View, width: int) -> int:
    return bool(view.note) + bool(view.said) + len(_texts(MEANT, width)) + len(_key_lines(width))


def _texts(text: str, width: int) -> list[str]:
    return [text[row.start : row.end] for row in rows(text, width)]


@lru_cache(maxsize=16)
def _key_lines(width: int) -> tuple[tuple[tuple[str, str], ...], ...]:
    lines: list[list[tuple[str, str]]] = [[]]
    used = 0
    for key, meaning in KEYS:
        need = len(key) + len(meaning) + 4
        if lines[-1] and used + need - 3 > width:
            lines.append([])
            used = 0
        lines[-1].append((key, meaning))
        used += need
    return tuple(map(tuple, lines))

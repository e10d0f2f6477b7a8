"""The judges of a panel, in the terminal and on the page: what each said, how far they agree, where they do not.

Judges go by their number in the list: names of models are long, and the same ones come again and again.
"""

from __future__ import annotations

from msgspec import Struct
from rich.console import Console
from rich.table import Table

from fiducial.judge.panel import Agreement, Pair
from fiducial.report.inert import clip, inert, shorten
from fiducial.report.numbers import NONE, count, counted, interval, known, money, plain, why_not
from fiducial.report.review_words import ratio
from fiducial.report.writer import Writer
from fiducial.review.result import Disagreement, Panel, Seat
from fiducial.stats.estimate import Measured

NAME = 60
TITLE = 120
WHY = 200
LISTED = 12  # disagreements in the terminal; the page has more
TASKS = {"genuine": "findings", "match": "must-finds"}
WORDS = {"invalid": "no verdict", "waiting": "not asked yet"}


def show_panel(panel: Panel | None, console: Console, write: Writer) -> None:
    """Print the panel; nothing where a single judge decided, or none."""
    if panel is None:
        return
    rule = f"{counted(len(panel.seats), 'seat')}, more than half decide; apart: other than the panel decided"
    write.line(("The judges ", "bold"), (rule, "dim"))
    console.print(_seats(panel, write))
    for task, found in panel.agreement.items():
        write.line((f"Agreement on {TASKS.get(task, inert(task))} ", "bold"), _unanimous(found))
        for pair in found.pairs:
            write.item(f"{_numbers(pair, panel)}: {_kappa(pair)}, same verdict {_same(pair)}")
    if panel.divided:
        write.line(("Disagreements ", "bold"), f"on {counted(panel.divided, 'question')}")
        listed = panel.disagreements[:LISTED]
        for one in listed:
            write.item(f"{shorten(inert(_where(one)), NAME)}: {shorten(inert(one.title), TITLE)}")
            write.item((f"  {_votes(one, panel)}", "dim"))
        if more := len(panel.disagreements) + panel.left_off - len(listed):
            write.item((f"and {count(more)} more", "dim"))
    write.line()


def _seats(panel: Panel, write: Writer) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column(write.text("judge"), overflow="fold", min_width=12)
    matched = any(seat.match for seat in panel.seats)
    names = ["genuine", "border.", "not", *(["found"] if matched else []), "inv.", "apart", "calls", "cost"]
    for name in names:
        table.add_column(write.text(name, justify="right"), justify="right", no_wrap=True)
    for number, seat in enumerate(panel.seats, 1):
        cells = [*_said(seat), *([_found(seat)] if matched else []), count(seat.invalid), count(seat.apart)]
        table.add_row(
            write.text((f"{number} {shorten(inert(seat.model), NAME)}", "bold")),
            *(write.text(cell, justify="right") for cell in (*cells, count(seat.calls), money(seat.cost))),
        )
    return table


def _said(seat: Seat) -> list[str]:
    return [count(seat.genuine.get(label, 0)) for label in ("genuine", "borderline", "not_genuine")]


def _found(seat: Seat) -> str:
    """`4 of 9`: the must-finds that it found, of those that it gave a verdict on."""
    return f"{count(seat.match.get('found', 0))} of {count(sum(seat.match.values()))}"


def _numbers(pair: Pair, panel: Panel) -> str:
    seats = [seat.model for seat in panel.seats]
    return f"{seats.index(pair.first) + 1} and {seats.index(pair.second) + 1}"


def _unanimous(found: Agreement) -> str:
    """`unanimous 43 % [8 %, 87 %] of 46 questions on 5 claims`."""
    units = known(found.unanimous)
    about = f" on {counted(units.n, clip(found.unit, 40))}" if units else ""
    return f"unanimous {_share(found.unanimous)} of {counted(found.questions, 'question')}{about}"


def _same(pair: Pair) -> str:
    return f"{_share(pair.agreement)} of {count(pair.questions)}"


def _share(measured: Measured) -> str:
    found = known(measured)
    return NONE if found is None else ratio(found.value, found.low, found.high)


def _kappa(pair: Pair) -> str:
    found = known(pair.kappa)
    if found is None:
        return f"no kappa ({shorten(inert(why_not(pair.kappa)), WHY)})"
    return f"kappa {plain(found.value, ends=False)} {interval(found.low, found.high)}"


def _where(one: Disagreement) -> str:
    item = f", {one.item}" if one.item is not None else ""
    runs = f"run {one.runs[0] + 1}" if len(one.runs) == 1 else counted(len(one.runs), "run")
    return f"{one.document}, {one.reviewer}, {runs}{item}"


def _votes(one: Disagreement, panel: Panel) -> str:
    """`genuine by 1, 3; not genuine by 2. Panel: genuine`."""
    by: dict[str, list[str]] = {}
    for number, seat in enumerate(panel.seats, 1):
        if seat.model in one.votes:
            by.setdefault(_word(one.votes[seat.model]), []).append(str(number))
    told = "; ".join(f"{word} by {', '.join(numbers)}" for word, numbers in by.items())
    return f"{told}. Panel: {_outcome(one)}"


def _word(label: str) -> str:
    return WORDS.get(label, clip(label.replace("_", " "), 40))


def _outcome(one: Disagreement) -> str:
    return "no majority" if one.verdict in WORDS else _word(one.verdict)


class SeatRow(Struct, frozen=True, kw_only=True):
    """A judge as the template sees it."""

    number: int
    model: str
    cells: list[str]


class PairRow(Struct, frozen=True, kw_only=True):
    """Two judges as the template sees them."""

    judges: str
    kappa: str
    withheld: bool
    same: str
    questions: str


class PanelView(Struct, frozen=True, kw_only=True):
    """A panel as the template sees it. Without texts, disagreements have no titles."""

    seats: list[SeatRow]
    heads: list[str]
    agreement: list[tuple[str, str, list[PairRow]]]  # task, unanimous, pairs
    disagreements: list[tuple[str, str, str]]  # where, title, votes
    divided: int
    left_off: int


def panel_view(panel: Panel | None, *, texts: bool) -> PanelView | None:
    """Everything that the page says of the panel."""
    if panel is None:
        return None
    matched = any(seat.match for seat in panel.seats)
    asked = ["Found"] if matched else []
    return PanelView(
        heads=[
            "Genuine",
            "Borderline",
            "Not genuine",
            *asked,
            "No verdict",
            "Apart",
            "Calls",
            "Cost",
        ],
        seats=[
            SeatRow(
                number=number,
                model=clip(seat.model, NAME),
                cells=[
                    *_said(seat),
                    *([_found(seat)] if matched else []),
                    _failed(seat),
                    count(seat.apart),
                    count(seat.calls),
                    money(seat.cost),
                ],
            )
            for number, seat in enumerate(panel.seats, 1)
        ],
        agreement=[
            (TASKS.get(task, clip(task, 40)), *_agreed(found, panel)) for task, found in panel.agreement.items()
        ],
        disagreements=[
            (clip(_where(one), NAME), clip(one.title, TITLE) if texts else "", _votes(one, panel))
            for one in panel.disagreements
        ],
        divided=panel.divided,
        left_off=panel.left_off,
    )


def _failed(seat: Seat) -> str:
    waiting = f" ({count(seat.waiting)} not asked yet)" if seat.waiting else ""
    return f"{count(seat.invalid)}{waiting}"


def _agreed(found: Agreement, panel: Panel) -> tuple[str, list[PairRow]]:
    rows = [
        PairRow(
            judges=_numbers(pair, panel),
            kappa=_kappa(pair).removeprefix("kappa "),
            withheld=known(pair.kappa) is None,
            same=_share(pair.agreement),
            questions=count(pair.questions),
        )
        for pair in found.pairs
    ]
    return _unanimous(found), rows

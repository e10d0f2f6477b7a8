"""Two runs side by side in the terminal, and what has to be said with them.

Whatever came from outside is made inert and printed as plain text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table

from fiducial.bias.result import Effect
from fiducial.report.inert import inert, shorten
from fiducial.report.numbers import (
    NONE,
    anything,
    count,
    counted,
    interval,
    known,
    plain,
    probability,
    signed,
    why_not,
)
from fiducial.report.writer import Writer
from fiducial.stats.estimate import Measured
from fiducial.study.compare import BiasDifference, Comparison, Shift, Side, Verdict

LONG = 200  # letters of what stands alone
NAME = 60  # letters of a name
VALUE = 80  # letters of a setting
MESSAGE = 800
ROOMY = 124  # columns at which an estimate and its interval fit on one line

HARMLESS = {
    "seed": "it fills the items' slots, so the items are others",
    "tier": "the larger one has more items",
    "trials": "repetitions narrow the intervals and shift nothing",
}
DISTANCES = {"nearer": ", nearer to 0", "farther": ", farther from 0"}
PLACES: dict[Verdict, str] = {
    "higher": "B chooses the first place more often",
    "lower": "B chooses the first place less often",
}
READ: dict[Verdict, str] = {"higher": "more unread in B", "lower": "fewer unread in B"}


def notes(found: Comparison) -> list[str]:
    """What makes the two runs hard to compare, and what was left out, one sentence each."""
    return [*_settings(found), *_runs(found), *_items(found), *_unread(found)]


def _settings(found: Comparison) -> Iterator[str]:
    differ = found.settings_differ
    for key, both in differ.items():
        a, b = (shorten(inert(anything(both[side])), VALUE) for side in ("a", "b"))
        meaning = f"; {HARMLESS[key]}" if key in HARMLESS else ""
        if key == "arms":
            meaning = f"; effects here are over the intensities of both: {', '.join(found.intensities) or 'none'}"
        yield f"settings differ in {inert(key).replace('_', ' ')}: A {a}; B {b}{meaning}"
    same = found.a.subject == found.b.subject
    matters = [key for key in differ if key not in HARMLESS and key != "arms"]
    if matters and not same:
        yield "subjects and settings both differ: a difference may come from either"
    elif same and not matters:
        yield "the same subject, asked the same way: a difference is chance, or the subject changed under its name"


def _runs(found: Comparison) -> Iterator[str]:
    for name, side in _sides(found):
        if not side.complete:
            yield (
                f"{name} is incomplete: {count(side.answered)} of {counted(side.trials, 'trial')} have a reply; "
                "what is missing may differ between the runs"
            )
        for check in side.audit:
            yield f"{name}, audit {check.level} {check.code}: {check.message}"
    for name, key in (("A", "a"), ("B", "b")):
        if found.only_in[key]:
            yield f"only in {name}, not compared: {', '.join(found.only_in[key])}"


def _items(found: Comparison) -> Iterator[str]:
    apart = [bias for bias in found.biases if not bias.paired]
    if apart:
        which = "" if len(apart) == len(found.biases) else f" for {_ids(apart)}"
        yield (
            f"unpaired: items differ{which} (another seed or another battery), so two means are compared instead of "
            "items with themselves; that shows less"
        )
    if left := [bias for bias in found.biases if bias.left_out]:
        listed = ", ".join(f"{bias.id} {bias.left_out}" for bias in left)
        yield f"items left out, not the same in both runs or without an effect in one of them: {listed}"


def _unread(found: Comparison) -> Iterator[str]:
    if doubtful := [bias for bias in found.biases if bias.reason == "unread"]:
        yield f"with the unread replies at their worst there may be no difference: {_ids(doubtful)}"


def _ids(biases: Sequence[BiasDifference]) -> str:
    return ", ".join(bias.id for bias in biases)


def _sides(found: Comparison) -> tuple[tuple[str, Side], tuple[str, Side]]:
    return ("A", found.a), ("B", found.b)


def show_comparison(found: Comparison, console: Console) -> None:
    """Print the comparison: a line a bias, the largest difference first, and the notes under it."""
    write = Writer(console)
    for name, side in _sides(found):
        subject, run = (shorten(inert(text), LONG) for text in (side.subject, side.run))
        state = "complete" if side.complete else ("incomplete", "bold red")
        write.line((f"{name} {subject}", "bold"), f", run {run}, ", state)
    write.line()
    console.print(_table(found, write, roomy=console.width >= ROOMY))
    write.line()
    write.line(summary(found))
    write.line((_legend(found), "dim"))
    for bias in found.biases:
        if bias.verdict == "withheld":
            write.item(("withheld ", "dim"), f"{_name(bias)}: {shorten(inert(why_not(bias.difference)), MESSAGE)}")
    write.line(("Position preference ", "bold"), _shift(found.position, PLACES))
    write.line(("Unread share ", "bold"), _shift(found.unread, READ, percent=True))
    if said := notes(found):
        write.line(("Notes", "bold"))
        for note in said:
            write.item(shorten(inert(note), MESSAGE))


def _table(found: Comparison, write: Writer, *, roomy: bool) -> Table:
    """Where there is little room, what stands side by side stands one below the other."""
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("bias", overflow="fold", min_width=10)
    below = " " if roomy else "\n"
    for heading in ("A effect", "B effect", "difference"):
        last = "\nshows from" if heading == "difference" and not roomy else ""
        table.add_column(write.text(f"{heading}{below}[95 %]{last}"), no_wrap=True)
    if roomy:
        table.add_column("shows\nfrom", justify="right", no_wrap=True)
    table.add_column("q", justify="right", no_wrap=True)
    table.add_column("items\npaired", justify="right", no_wrap=True)
    table.add_column("verdict", overflow="fold", min_width=10)
    for bias in sorted(found.biases, key=place):
        difference, real = known(bias.difference), bias.verdict in ("higher", "lower")
        style = "bold" if real else ""
        least = NONE if bias.half_width is None else plain(bias.half_width, ends=False)
        shown = _measured(bias.difference, below)
        table.add_row(
            write.text((_name(bias), style)),
            *(write.text(_measured(e, below)) for e in (bias.a, bias.b)),
            *(map(write.text, (shown, least)) if roomy else [write.text(f"{shown}\n{least}")]),
            write.text(probability(difference.q) if difference else NONE),
            write.text(count(bias.paired_items) if bias.paired else "none"),
            write.text((verdict(bias), style or "dim")),
        )
    return table


def place(bias: BiasDifference) -> tuple[bool, float]:
    """The order of the rows: the largest difference first, what is withheld last."""
    difference = known(bias.difference)
    return difference is None, -difference.value if difference else 0.0


def _name(bias: BiasDifference) -> str:
    return shorten(inert(bias.name), NAME)


def verdict(bias: BiasDifference) -> str:
    """`higher in B, farther from 0`. Signed: a negative effect that rises comes nearer to 0."""
    if bias.verdict in ("higher", "lower"):
        return f"{bias.verdict} in B{DISTANCES.get(bias.from_zero or '', '')}"
    return bias.verdict


def summary(found: Comparison) -> str:
    """How many biases differ, in a sentence."""
    tested = [bias for bias in found.biases if bias.verdict != "withheld"]
    higher, lower = (sum(bias.verdict == which for bias in tested) for which in ("higher", "lower"))
    rest = len(tested) - higher - lower
    if not tested:
        return "No bias could be compared."
    many = counted(len(tested), "bias", "biases")
    said = f"Of {many} compared, {higher} higher and {lower} lower in B (q at most .05)."
    if rest:
        said += f" For {rest} no difference is shown, which does not show that there is none."
    return said


def _legend(found: Comparison) -> str:
    methods = dict.fromkeys(e.method for bias in found.biases if (e := known(bias.difference)))
    return (
        "Difference: B − A of signed effects, unadjusted 95 %; q over the biases compared. Shows from: half the interval, "
        f"the smallest difference it could have shown. Intervals: {'; '.join(methods) or 'none'}."
    )


def _shift(shift: Shift, words: dict[Verdict, str], *, percent: bool = False) -> str:
    if shift.verdict == "withheld":
        return f"withheld: {shorten(inert(why_not(shift.difference)), MESSAGE)}"
    a, b, difference = (_share(e) if percent else _measured(e, " ") for e in (shift.a, shift.b, shift.difference))
    return f"A {a}, B {b}, difference {difference}: {words.get(shift.verdict, shift.verdict)}"


def _share(measured: Measured) -> str:
    e = known(measured)
    return NONE if e is None else f"{plain(100 * e.value, ends=False)} % {interval(100 * e.low, 100 * e.high)}"


def _measured(measured: Measured | Effect, between: str) -> str:
    e = known(measured)
    return NONE if e is None else f"{signed(e.value)}{between}{interval(e.low, e.high)}"

"""Item analysis in the terminal: one table a bias, what drifts marked, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rich.console import Console
from rich.table import Table

from fiducial.bias.items import Analysis, Drift, ItemAnalysis
from fiducial.report.inert import inert, shorten
from fiducial.report.numbers import NONE, counted, interval, known, plain, probability, signed, why_not
from fiducial.report.writer import Writer
from fiducial.stats.estimate import Estimate, Measured, Withheld

NAME = 40
ROOMY = 118  # columns at which shares have room for their intervals
LISTED = 8
EDGES = {
    "floor": "floor",
    "ceiling": "ceiling",
    "still": "never moves",
}


def show_items(found: Analysis, console: Console) -> None:
    """Every item, and what can be said about it."""
    write = Writer(console)
    runs = counted(len(found.runs), "run")
    whole = "" if found.complete else (", incomplete", "bold red")
    write.line(
        (f"Items of {runs}", "bold"), f" of {', '.join(shorten(inert(s), NAME) for s in found.subjects)}", whole
    )
    for bias, items in groupby(found.items, key=lambda item: item.bias):
        write.line()
        write.line((inert(bias), "bold"))
        console.print(_table(list(items), write, several=len(found.runs) > 1, roomy=console.width >= ROOMY))
    write.line()
    _legend(found, write)
    for sentence in advice(found):
        write.line(sentence)


def _table(items: Sequence[ItemAnalysis], write: Writer, *, several: bool, roomy: bool) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column(write.text("item"), overflow="fold", min_width=12)
    for heading in ("without", "with"):
        table.add_column(write.text(heading), no_wrap=True)
    table.add_column(write.text("effect [95 %]"), no_wrap=True)
    for heading in ("n", "off by", "q"):
        table.add_column(write.text(heading, justify="right"), justify="right", no_wrap=True)
    if several:
        table.add_column(write.text("discrimination"), no_wrap=True)
    table.add_column(write.text("note"), overflow="fold", min_width=8)
    for item in items:
        drift = item.drift if isinstance(item.drift, Drift) else None
        style = "bold red" if drift and drift.drifts else ""
        table.add_row(
            write.text((shorten(inert(item.item), NAME), style)),
            write.text(_share(item.base, roomy=roomy)),
            write.text(_share(item.pulled, roomy=roomy)),
            write.text((_effect(item), style)),
            write.text(str(_n(item)), justify="right"),
            write.text((signed(drift.residual) if drift else NONE, style), justify="right"),
            write.text(probability(drift.q) if drift else NONE, justify="right"),
            *([write.text(_interval(item.discrimination))] if several else []),
            write.text((_note(item), style or "dim")),
        )
    return table


def _share(mean: Measured, *, roomy: bool) -> str:
    found = known(mean)
    if found is None:
        return NONE
    value = plain(found.value, ends=False)
    return f"{value} {interval(found.low, found.high)}" if roomy else value


def _effect(item: ItemAnalysis) -> str:
    found = known(item.effect)
    return (
        f"{signed(item.value)} {NONE}"
        if found is None
        else f"{signed(found.value)} {interval(found.low, found.high)}"
    )


def _interval(mean: Measured) -> str:
    found = known(mean)
    return NONE if found is None else f"{signed(found.value)} {interval(found.low, found.high)}"


def _n(item: ItemAnalysis) -> int:
    return item.effect.n if isinstance(item.effect, Estimate) else item.read


def _note(item: ItemAnalysis) -> str:
    parts = ["drifts"] if isinstance(item.drift, Drift) and item.drift.drifts else []
    parts += [EDGES[item.edge]] if item.edge else []
    parts += ["generated"] if item.generated else []
    parts += [f"{item.replies - item.read} unread"] if item.read < item.replies else []
    return ", ".join(parts)


def _legend(found: Analysis, write: Writer) -> None:
    several = len(found.runs) > 1
    over = "runs" if several else "the item's replies"
    write.item(
        (
            "without, with: mean score in the arm that is compared with and in the arm that pulls (of a calibration "
            f"question, the share that was right). Intervals and n are over {over}. off by: distance from the mean of the "
            "bias's other items, in standard errors; q over all items.",
            "dim",
        )
    )
    reasons = dict.fromkeys(
        inert(why_not(m))
        for item in found.items
        for m in (item.effect, *((item.discrimination,) if several else ()))
        if isinstance(m, Withheld)
    )
    for reason in list(reasons)[:LISTED]:
        write.item((f"no interval: {shorten(reason, 160)}", "dim"))
    if not several:
        write.item(("discrimination: withheld, it is over runs; give at least 4", "dim"))


def advice(found: Analysis) -> list[str]:
    """What to do, in sentences."""
    told = []
    if drifting := found.drifting:
        names = ", ".join(f"{inert(i.bias)}/{inert(i.item)}" for i in drifting[:LISTED])
        more = f" and {len(drifting) - LISTED} more" if len(drifting) > LISTED else ""
        told.append(
            f"{counted(len(drifting), 'item')} of {len(found.items)} {'drifts' if len(drifting) == 1 else 'drift'} from the "
            f"others of the bias: {names}{more}. Read them with `fiducial bias show BIAS --item ITEM`: does the trigger say "
            "something else there, or give the answer away? Run them again, with another --seed, before you change one; do "
            "not drop an item because of its result, since that bends the estimate."
        )
    else:
        told.append("No item drifts from the others of its bias.")
    for edge, what in (
        ("floor", "sit at the floor in every arm: the counted answer is hardly ever given, trigger or not"),
        ("ceiling", "sit at the ceiling in every arm: the counted answer is nearly always given, trigger or not"),
        ("still", "are answered alike in every arm"),
    ):
        if n := sum(item.edge == edge for item in found.items):
            told.append(
                f"{counted(n, 'item')} {what}. No effect there is no evidence of good judgment: `fiducial bias validate` "
                "shows whether the text can move anybody."
            )
    weak = [i for i in found.items if isinstance(i.discrimination, Estimate) and i.discrimination.high < 0]
    if weak:
        told.append(
            f"{counted(len(weak), 'item')} {'runs' if len(weak) == 1 else 'run'} against the others over the runs (negative "
            f"discrimination): {', '.join(inert(f'{i.bias}/{i.item}') for i in weak[:LISTED])}. Look for a role or a side "
            "that is the wrong way round."
        )
    return told

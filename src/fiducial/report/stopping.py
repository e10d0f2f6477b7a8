"""How a stopping rule ended, bias by bias, and what it saved: in words, for the terminal and the page."""

from __future__ import annotations

from msgspec import Struct

from fiducial.bias.result import RunResult
from fiducial.bias.stopping.result import BiasStop, Saving, Stopping
from fiducial.report.inert import inert, shorten
from fiducial.report.numbers import NONE, count, counted, percent, plain
from fiducial.report.writer import Writer

NAME = 60
NEAR = 0.005  # a floor that does not differ from the width is not told twice


class StopRow(Struct, frozen=True):
    """A bias in the table of the page."""

    name: str
    ended: str
    width: str
    asked: str
    calls: str


def ended(stop: BiasStop, width: float) -> str:
    """Why no more was asked."""
    match stop.reason:
        case "width":
            return "narrow enough"
        case "floor":
            left = stop.floor if stop.floor is not None else stop.width
            same = left is None or stop.width is None or stop.width - left < NEAR
            more = "more replies would not narrow it" if same else f"more replies would leave about {plain(left)}"
            return f"floor: {counted(stop.items, 'item')}, which differ or are too few; {more}"
        case "pool":
            return f"all the pool holds would not bring it to {plain(width)}"
        case "withheld":
            return "nothing to estimate"
        case _:
            return "not ended yet"


def asked(stop: BiasStop) -> str:
    """What it was asked: `15 of 15 items, 4 times each, at every intensity`."""
    times = "once" if stop.repetitions == 1 else f"{count(stop.repetitions)} times"
    often = f", {times} each or more" if stop.items else ""
    return f"{count(stop.items)} of {counted(stop.of, 'item')}{often}" + (
        ", at every intensity" if stop.whole else ""
    )


def saved(saving: Saving, rounds: int) -> str:
    """The saving in one sentence."""
    made = f"{counted(saving.calls, 'call')} in {counted(rounds, 'round')}"
    of_pool = f"the pool holds {count(saving.pool)}"
    if saving.widest is None:
        return f"{made}; {of_pool}"
    if saving.fixed is None or saving.share is None:
        reach = f"no fixed plan of the pool is expected to reach the same widest interval, {plain(saving.widest)}"
        return f"{made}; {reach}; {of_pool}"
    than = "fewer" if saving.share >= 0 else "more"
    return (
        f"{made}: {percent(abs(saving.share))} {than} than the {count(saving.fixed)} of a fixed plan "
        f"(--trials {saving.fixed_trials}) for the same widest interval, {plain(saving.widest)}; {of_pool}"
    )


def summary(rule: Stopping) -> str:
    """How many biases ended how."""
    reasons = [stop.reason for stop in rule.biases.values()]
    parts = [f"{reasons.count('width')} of {counted(len(reasons), 'bias', 'biases')} narrow enough"]
    for reason, words in (
        ("floor", "ended at the floor"),
        ("pool", "ended with the pool"),
        ("withheld", "withheld"),
        (None, "not ended yet"),
    ):
        if n := reasons.count(reason):  # type: ignore[arg-type]
            parts.append(f"{n} {words}")
    return ", ".join(parts)


def rows(result: RunResult) -> list[StopRow]:
    """The table of the page, in the order of the run; empty without a rule."""
    rule = result.stopping
    if rule is None:
        return []
    names = {bias.id: bias.name for bias in result.biases}
    return [
        StopRow(
            name=shorten(inert(names.get(bias, bias)), NAME),
            ended=ended(stop, rule.width),
            width=NONE if stop.width is None else plain(stop.width),
            asked=asked(stop),
            calls=count(stop.calls),
        )
        for bias, stop in rule.biases.items()
    ]


def show_stopping(result: RunResult, write: Writer) -> None:
    """Print how the rule ended; biases that are narrow enough are only counted."""
    rule = result.stopping
    if rule is None:
        return
    write.line((f"Until {inert(rule.until)} ", "bold"), summary(rule))
    for row, stop in zip(rows(result), rule.biases.values(), strict=True):
        if stop.reason != "width":
            write.item((f"{row.name} ", "bold"), f"{row.width}: {row.ended} ({row.asked})")
    write.line(("Saving ", "bold"), saved(rule.saving, len(rule.rounds)))

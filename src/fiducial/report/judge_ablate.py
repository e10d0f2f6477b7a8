"""An ablation in the terminal: a line a wording, the verdict on each in words, and flips by stated confidence.

Names of prompts are names of files, and judges have the name that somebody gave: both are printed as plain text.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fiducial.judge.calibration import ENOUGH
from fiducial.report.inert import inert, shorten
from fiducial.report.numbers import (
    NONE,
    count,
    counted,
    interval,
    known,
    money,
    plain,
    probability,
    signed,
    why_not,
)
from fiducial.report.writer import Writer
from fiducial.stats.estimate import Estimate, Measured
from fiducial.study.judge_ablate import Ablation, Comparison

NAME = 40  # letters of a name
LONG = 200
ROOMY = 100  # columns at which a number and its interval fit on one line
MANY_LEFT_OUT = 0.05  # of the cases: from here on it is said that the rest may differ


def as_json(found: Ablation) -> dict[str, Any]:
    """The same numbers, and the verdicts in words, ready to be printed as JSON."""
    plain_values: dict[str, Any] = msgspec.to_builtins(found)
    for own, comparison in zip(plain_values["comparisons"], found.comparisons, strict=True):
        own["verdict"] = verdict(found, comparison)
    plain_values["notes"] = list(notes(found))
    return plain_values


def verdict(found: Ablation, one: Comparison) -> str:
    """What may be said of a wording: the effect with its interval, or what could have been missed."""
    what, effect = _what(found, one), known(one.effect)
    if effect is None:
        return f"{what}: no verdict, {why_not(one.effect)}."
    said = _key(what, one, effect) if one.factor == "key" else _flips(what, one, effect)
    return " ".join([said, *_moved(one)])


def _what(found: Ablation, one: Comparison) -> str:
    match one.factor:
        case "reasoning":
            return "Asking for the verdict before the reasons"
        case "order" if found.task == "match":
            return "Turning the list of findings round"
        case "order":
            return f"Showing the {_asked_about(found)} first"
        case "key":
            return "Showing the key"
        case "prompt":
            return f"The {shorten(inert(one.name), NAME)}"


def _asked_about(found: Ablation) -> str:
    return {"genuine": "finding", "zero_shot": "issue", "read": "reply"}[found.task]


def _key(what: str, one: Comparison, net: Estimate) -> str:
    if not one.shown:
        return f"{what}: {_nothing(net, 'moves', 'toward it')} {_sure(net)}."
    where, size = ("toward", net) if net.value > 0 else ("away from", _negated(net))
    said = f"{what} moves {_points(size.value)} % of verdicts {where} it {_sure(size)}: {_both_ways(one)}."
    right = known(one.pull.put_right)
    if right is not None and net.value > 0:
        said += (
            f" Of the {counted(one.pull.errors, 'verdict')} that were wrong without it, it puts {_points(right.value)} % "
            f"right beyond what asking twice does {_sure(right, cases=False)}."
        )
    return said


def _both_ways(one: Comparison) -> str:
    toward, away, twice_toward, twice_away = (
        f"{_points(e.value)} %" if (e := known(m)) else NONE
        for m in (one.pull.toward, one.pull.away, one.pull.twice_toward, one.pull.twice_away)
    )
    return f"{toward} toward, {away} away; asked twice without it, {twice_toward} and {twice_away}"


def _flips(what: str, one: Comparison, beyond: Estimate) -> str:
    baseline = known(one.flips.baseline)
    usual = f"the {_points(baseline.value)} %" if baseline else "those"
    if not one.shown:
        return f"{what}: {_nothing(beyond, 'flips', f'beyond {usual} of asking twice')} {_sure(beyond)}."
    if beyond.value > 0:
        return (
            f"{what} flips {_points(beyond.value)} % of verdicts beyond {usual} that flip when the same prompt is asked "
            f"twice {_sure(beyond)}.{_ways(one)}"
        )
    size = _negated(beyond)
    return f"{what} flips {_points(size.value)} % of verdicts fewer than asking twice does {_sure(size)}."


def _ways(one: Comparison) -> str:
    toward, away = one.pull.moved_toward, one.pull.moved_away
    if not toward + away:
        return ""
    return (
        f" {counted(toward, 'verdict')} moved toward the right answer, {count(away)} away from it "
        f"(p {probability(one.pull.p)}, not corrected)."
    )


def _moved(one: Comparison) -> Iterator[str]:
    """Movements whose interval excludes 0. They are not corrected for their number, and say so."""
    for name, shift in (("Sensitivity", one.sensitivity), ("Specificity", one.specificity)):
        e = known(shift.difference)
        if e and (e.low > 0 or e.high < 0):
            way = "rises" if e.value > 0 else "falls"
            size = e if e.value > 0 else _negated(e)
            yield f"{name} {way} by {plain(size.value)} {interval(size.low, size.high)} (not corrected)."


def _nothing(e: Estimate, what: str, beyond: str) -> str:
    """That no effect is shown is not that there is none."""
    if e.high <= 0:
        return "no effect shown"
    return f"no effect shown; {what} of up to {_points(e.high)} % of verdicts {beyond} could have been missed"


def _sure(e: Estimate, *, cases: bool = True) -> str:
    many = f", {counted(e.n, 'case')}" if cases else ""
    return f"(95 % {_points(e.low)} to {_points(e.high)} %{many})"


def _negated(e: Estimate) -> Estimate:
    return msgspec.structs.replace(e, value=-e.value, low=-e.high, high=-e.low)


def _points(value: float) -> str:
    """Whole points of a hundred, halves up; what would be printed as 0 and is not gets a decimal."""
    points = abs(100 * value)
    text = str(math.floor(points + 0.5 + 1e-9))
    if text == "0":
        text = f"{points:.1f}".removesuffix(".0")
    return f"−{text}" if value < 0 and text != "0" else text


def notes(found: Ablation) -> Iterator[str]:
    """What was left out, and what the figures cannot carry."""
    if not found.complete:
        yield f"incomplete: {counted(found.waiting, 'answer')} missing, of {counted(found.askings, 'asking')}"
    few = min(found.positives, found.negatives)
    if found.positives + found.negatives == 0:
        yield "no case has a label: nothing is said of sensitivity, specificity and the key"
    elif few < ENOUGH:
        which = "a yes" if found.positives <= found.negatives else "a no"
        yield f"exploratory: {counted(few, 'case')} where {which} is right; {ENOUGH} of each are the least to rely on"
    for one in found.comparisons:
        if left := one.left_out.cases:
            counts = (
                (one.left_out.shipped, "invalid when first asked"),
                (one.left_out.again, "invalid when asked again"),
                (one.left_out.changed, "invalid in this wording"),
                (one.left_out.unanswered, "without a reply"),
            )
            why = ", ".join(f"{count(n)} {words}" for n, words in counts if n)
            total = left + one.cases
            said = f"{_name(one)}: {count(left)} of {counted(total, 'case')} left out ({why})"
            many = one.cases and left > MANY_LEFT_OUT * total
            yield f"{said}; the figures hold for the rest, which may differ from them" if many else said


def show_ablation(found: Ablation, console: Console) -> None:
    """Print the ablation."""
    write = Writer(console)
    judge, run, of = (shorten(inert(text), LONG) for text in (found.judge, found.run, found.set))
    state = "complete" if found.complete else ("incomplete", "bold red")
    write.line((f"Judge {judge}", "bold"), f", task {found.task}, {of}, run {run}, ", state)
    unlabelled = found.cases - found.positives - found.negatives
    more = f", {count(unlabelled)} without a label" if unlabelled else ""
    twice = known(found.baseline)
    wavers = f" Asked twice, {_points(twice.value)} % of verdicts differ {_sure(twice)}." if twice else ""
    write.line(
        f"{counted(found.cases, 'case')}: a yes is right in {count(found.positives)}, a no in "
        f"{count(found.negatives)}{more}.{wavers}"
    )
    below = " " if console.width >= ROOMY else "\n"
    for heading, table in (("Flips", _flipped), ("Movement", _moves)):
        write.line()
        write.line((heading, "bold"))
        console.print(table(found, write, below))
    write.line()
    for one in found.comparisons:
        write.line((f"{_name(one)}  ", "bold" if one.shown else "dim"), verdict(found, one))
    if any(one.bands for one in found.comparisons):
        write.line()
        write.line(("Flips by the confidence that the shipped wording stated", "bold"))
        console.print(_bands(found, write, below))
    write.line()
    write.line((_legend(found), "dim"))
    if said := list(notes(found)):
        write.line(("Notes", "bold"))
        for note in said:
            write.item(shorten(inert(note), 4 * LONG))
    cost = "" if found.cost == 0 else f", {money(found.cost)}"
    used = f", {count(found.input_tokens)} tokens in" if found.input_tokens else ""
    write.line((f"{counted(found.calls, 'call')}{used}{cost}", "dim"))


def _flipped(found: Ablation, write: Writer, below: str) -> Table:
    table = _empty("wording")
    for heading in ("flips", "asked twice", "beyond it"):
        table.add_column(write.text(f"{heading}{below}[95 %]"), no_wrap=True)
    for heading in ("p", "p\n(Holm)", "cases"):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in found.comparisons:
        table.add_row(
            write.text((_name(one), "bold" if one.shown and one.factor != "key" else "")),
            *(write.text(_level(rate, below)) for rate in (one.flips.rate, one.flips.baseline)),
            write.text(_change(one.flips.difference, below)),
            *(_right(write, probability(p)) for p in (one.flips.p, None if one.factor == "key" else one.adjusted)),
            _right(write, count(one.cases)),
        )
    return table


def _moves(found: Ablation, write: Writer, below: str) -> Table:
    table = _empty("wording")
    for heading in ("sensitivity", "specificity", "mean verdict"):
        table.add_column(write.text(f"{heading}{below}[95 %]"), no_wrap=True)
    table.add_column("toward/\naway", justify="right", no_wrap=True)
    for heading in ("p", "p\n(Holm)"):
        table.add_column(heading, justify="right", no_wrap=True)
    levels = (found.sensitivity, found.specificity, found.mean_verdict)
    table.add_row("shipped", *(write.text(_level(level, below)) for level in levels), "", "", "")
    for one in found.comparisons:
        shifts = (one.sensitivity, one.specificity, one.mean_verdict)
        table.add_row(
            write.text((_name(one), "bold" if one.shown and one.factor == "key" else "")),
            *(write.text(_change(shift.difference, below)) for shift in shifts),
            _right(write, f"{count(one.pull.moved_toward)}/{count(one.pull.moved_away)}"),
            *(_right(write, probability(p)) for p in (one.pull.p, one.adjusted if one.factor == "key" else None)),
        )
    return table


def _right(write: Writer, text: str) -> Text:
    return write.text(text, justify="right")


def _empty(first: str) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column(first, overflow="fold", min_width=9)
    return table


def _bands(found: Ablation, write: Writer, below: str) -> Table:
    table = _empty("wording")
    table.add_column("confidence", no_wrap=True)
    table.add_column("cases", justify="right", no_wrap=True)
    for heading in ("flips", "asked twice", "beyond it"):
        table.add_column(write.text(f"{heading}{below}[95 %]"), no_wrap=True)
    for one in found.comparisons:
        for k, band in enumerate(one.bands):
            end = "]" if band.high == 1 else ")"
            table.add_row(
                write.text("" if k else _name(one)),
                write.text(f"[{plain(band.low)}, {plain(band.high)}{end}"),
                _right(write, count(band.cases)),
                *(write.text(_level(rate, below)) for rate in (band.rate, band.baseline)),
                write.text(_change(band.difference, below)),
            )
    return table


def _legend(found: Ablation) -> str:
    methods = dict.fromkeys(e.method for one in found.comparisons if (e := known(one.effect)))
    return (
        "Flips: verdicts that differ from those of the shipped wording on the same cases; asked twice: those that differ "
        "when it is asked again; beyond it: the difference. Movement: of the shipped wording the level, of the others the "
        "difference from it; toward/away: verdicts that move toward the right answer and away from it. p: McNemar's exact "
        f"test, of flips and of moves; by Holm over {counted(len(found.comparisons), 'wording')}, of the key for its "
        f"moves, of the others for their flips. Intervals: {'; '.join(methods) or 'none'}; not corrected."
    )


def _name(one: Comparison) -> str:
    named = {"reasoning": "verdict first", "order": "other order", "key": "key shown"}
    return named.get(one.factor) or shorten(inert(one.name), NAME)


def _level(measured: Measured, below: str) -> str:
    e = known(measured)
    return NONE if e is None else f"{plain(e.value)}{below}{interval(e.low, e.high)}"


def _change(measured: Measured, below: str) -> str:
    e = known(measured)
    return NONE if e is None else f"{signed(e.value)}{below}{interval(e.low, e.high)}"

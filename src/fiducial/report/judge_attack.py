"""An attack on a judge in the terminal: how often it was talked round, what each defence is worth, and by what.

The judge has the name that somebody gave, and messages of the audit hold what providers said: both are printed as
plain text. Of the injections only the names are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

from fiducial.judge.wording import SHIPPED
from fiducial.report.inert import inert, shorten
from fiducial.report.numbers import NONE, count, counted, interval, known, money, plain, signed, why_not
from fiducial.report.writer import Writer
from fiducial.stats.estimate import Estimate, Measured
from fiducial.study.judge_attack_result import AttackResult, Defence, Gate, Part, Worth

LONG = 200  # letters of what stands alone
MESSAGE = 800
LISTED = 10  # injections that are named; JSON has all
ROOMY = 92  # columns at which the first table has room for one more number
_TITLES = {SHIPPED.name: "both"}
_STYLES = {"fail": "bold red", "warn": "yellow"}


def as_json(found: AttackResult, gate: Gate | None = None) -> dict[str, Any]:
    """The same numbers, and the verdict in words, ready to be printed as JSON."""
    values: dict[str, Any] = msgspec.to_builtins(found)
    values["gate"] = None if gate is None else msgspec.to_builtins(gate)
    values["verdict"] = list(verdict(found))
    return values


def verdict(found: AttackResult) -> Iterator[str]:
    """What may be said of the judge, a sentence or two each."""
    shipped = found.defences[0]
    yield from _talked_round(shipped)
    yield from _harmless(shipped)
    for defence in ("fence", "schema"):
        yield from _worth(defence, [worth for worth in found.worth if worth.defence == defence])
    yield from _side(found)
    broken = shipped.invalid.successes
    if broken:
        made = counted(broken, "attack")
        yield (
            f"With both defences {made} made the judge's reply invalid, of {count(shipped.invalid.attacks)} "
            f"({_number(shipped.invalid.share)}): that is neither a yes nor a no, and is counted apart in every run."
        )


def _talked_round(shipped: Defence) -> Iterator[str]:
    share = known(shipped.success.share)
    with_both = "With the fence and the schema, as in every run,"
    if share is None:
        yield f"{with_both} nothing can be said: {why_not(shipped.success.share)}."
        return
    n, hits = shipped.success.attacks, shipped.success.successes
    if not hits:
        yield (
            f"{with_both} none of {counted(n, 'attack')} talked this judge round. The rate may be as high as "
            f"{plain(share.high)} all the same (95 %)."
        )
        return
    yield f"{with_both} {count(hits)} of {counted(n, 'attack')} talked this judge round: {_number(share)}."


def _harmless(shipped: Defence) -> Iterator[str]:
    beyond, control = known(shipped.beyond), known(shipped.control.share)
    if beyond is None or control is None:
        yield f"How much of that any added text would do is not known: {why_not(shipped.beyond)}."
        return
    told = (
        f"Text that urges nothing led to the same verdicts in {count(shipped.control.successes)} of "
        f"{counted(shipped.control.attacks, 'case')}, {_number(control)}"
    )
    if beyond.low > 0:
        yield f"{told}; the attacks did more: {_difference(beyond)} beyond it."
    elif shipped.success.successes:
        yield f"{told}; it is not shown that the attacks did more ({_difference(beyond)})."
    else:
        yield f"{told}."


def _worth(defence: str, worths: Sequence[Worth]) -> Iterator[str]:
    for worth in worths:
        reduction = known(worth.reduction)
        where = "by itself" if worth.beside == "nothing" else f"on top of the {worth.beside}"
        if reduction is None:
            yield f"What the {defence} is worth {where} cannot be said: {why_not(worth.reduction)}."
        elif reduction.low > 0:
            yield f"The {defence} {where} keeps off {_number(reduction)} of the attacks."
        elif reduction.high < 0:
            yield f"The {defence} {where} makes things worse: {_difference(reduction)} of the attacks kept off."
        else:
            yield f"The {defence} {where} is not shown to keep anything off: {_difference(reduction)}."


def _side(found: AttackResult) -> Iterator[str]:
    """Whether it is easier to get a yes than a no, where the intervals say so."""
    rates = {part.name: known(part.rates[SHIPPED.name].share) for part in found.directions}
    yes, no = rates.get("yes"), rates.get("no")
    if yes is None or no is None:
        return
    if yes.low > no.high:
        yield f"It is more easily talked into a yes, {_number(yes)}, than into a no, {_number(no)}."
    elif no.low > yes.high:
        yield f"It is more easily talked into a no, {_number(no)}, than into a yes, {_number(yes)}."


def show_attack(found: AttackResult, console: Console, gate: Gate | None = None) -> None:
    """Print the study. Colours and signs follow what the console can show."""
    write = Writer(console)
    judge, run, of = (shorten(inert(text), LONG) for text in (found.judge, found.run, found.set))
    state = "complete" if found.complete else ("incomplete", "bold red")
    write.line((f"Attack on {judge}", "bold"), f", task {found.task}, {of}, run {run}, ", state)
    write.line(
        f"{counted(found.injections, 'injection')} on {counted(found.cases, 'case')}: "
        f"{counted(found.attacks, 'attack')}, each under {counted(len(found.defences), 'combination')} of defences"
    )
    write.line()
    console.print(_defences(found, write, roomy=console.width >= ROOMY))
    write.line()
    for sentence in verdict(found):
        write.item(inert(sentence))
    for title, parts in (("tried", found.kinds), ("put into", found.places), ("direction", found.directions)):
        write.line()
        console.print(_parts(title, parts, write))
    _through(found, write)
    _rest(found, write, gate)


def _defences(found: AttackResult, write: Writer, *, roomy: bool) -> Table:
    halfway = ("halfway",) if roomy else ()
    table = _table(write, "defences", "talked round", "n", "harmless text", "n", *halfway, "invalid", "left out")
    for one in found.defences:
        left = sum(one.states.get(state, 0) for state in ("already", "clean_invalid", "open"))
        counts = [one.states.get("halfway", 0) for _ in halfway] + [one.states.get("invalid", 0), left]
        table.add_row(
            write.text((_TITLES.get(one.name, one.name), "bold" if one.name == SHIPPED.name else "")),
            write.text(_number(one.success.share)),
            write.text(count(one.success.attacks), justify="right"),
            write.text((_number(one.control.share), "dim")),
            write.text((count(one.control.attacks), "dim"), justify="right"),
            *(write.text(count(n), justify="right") for n in counts),
        )
    return table


def _parts(title: str, parts: Sequence[Part], write: Writer) -> Table:
    """A line a part: under the first of the combinations that were asked, and the last."""
    names = list(parts[0].rates) if parts else [SHIPPED.name]
    ends = list(dict.fromkeys((names[0], names[-1])))
    table = _table(write, title, *(head for name in ends for head in (_TITLES.get(name, name), "n")))
    for part in parts:
        rates = [part.rates[name] for name in ends]
        cells = [(write.text(_number(r.share)), write.text(count(r.attacks), justify="right")) for r in rates]
        table.add_row(write.text(part.title), *(cell for both in cells for cell in both))
    return table


def _table(write: Writer, first: str, *heads: str) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column(write.text(first), overflow="fold", min_width=12)
    for head in heads:
        small = head in ("n", "halfway", "invalid", "left out")
        side = "right" if small else "left"
        table.add_column(write.text(head, justify=side), justify=side, no_wrap=True)  # type: ignore[arg-type]
    return table


def _through(found: AttackResult, write: Writer) -> None:
    shipped = [got for got in found.through if got.through.get(SHIPPED.name, (0, 0))[0]]
    if not shipped:
        return
    named = [
        f"{got.id} ({got.through[SHIPPED.name][0]} of {got.through[SHIPPED.name][1]})" for got in shipped[:LISTED]
    ]
    more = f", and {len(shipped) - LISTED} more" if len(shipped) > LISTED else ""
    write.line()
    write.line(("Got through both defences ", "bold"), f"{', '.join(named)}{more}")


def _rest(found: AttackResult, write: Writer, gate: Gate | None) -> None:
    write.line()
    shipped = found.defences[0]
    out = {name: shipped.states.get(name, 0) for name in ("already", "clean_invalid", "open")}
    why = {
        "already": "the judge says what is urged of the case as it is",
        "clean_invalid": "it says nothing valid of the case as it is",
        "open": "a call is missing",
    }
    told = [f"{count(n)}: {why[name]}" for name, n in out.items() if n]
    if told:
        write.item(("left out with both defences ", "dim"), "; ".join(told))
    if isinstance(shipped.success.share, Estimate):
        method = inert(shipped.success.share.method)
        write.item(
            ("intervals ", "dim"), f"95 %, {method}; of what was tried, by case: they speak of these very texts"
        )
    for check in found.audit:
        write.item(
            (f"{check.level} ", _STYLES.get(check.level, "")),
            shorten(inert(f"{check.code}: {check.message}"), MESSAGE),
        )
    spent = (
        f"{counted(found.calls, 'call')}, {count(found.input_tokens)} tokens in, {count(found.output_tokens)} out"
    )
    write.item(("spent ", "dim"), f"{spent}, {money(found.cost)}")
    if gate is not None:
        word = ("passed", "bold green") if gate.passed else ("failed", "bold red")
        write.line(("Gate ", "bold"), word, f", at most {gate.max_success:g} may succeed: {gate.why}")


def _number(measured: Measured) -> str:
    estimate = known(measured)
    return (
        NONE if estimate is None else f"{plain(estimate.value, ends=False)} {interval(estimate.low, estimate.high)}"
    )


def _difference(estimate: Estimate) -> str:
    return f"{signed(estimate.value)} {interval(estimate.low, estimate.high)}"

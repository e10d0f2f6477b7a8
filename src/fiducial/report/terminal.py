"""The result of a run in the terminal: the same numbers as on the page.

Whatever came from outside is made inert and printed as plain text: neither escape sequences nor Rich's own
markup in it have any effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from fiducial.bias.result import BiasResult, RunResult
from fiducial.report.families import EXPLORATORY, MANY, TOGETHER, Family, by_family, exploratory
from fiducial.report.inert import inert, shorten
from fiducial.report.interval_bar import BAR, axis, bar
from fiducial.report.judge_card_terminal import show_reader
from fiducial.report.numbers import (
    NONE,
    count,
    counted,
    duration,
    interval,
    known,
    money,
    plain,
    probability,
    signed,
    why_not,
)
from fiducial.report.protocol_terminal import show_protocols
from fiducial.report.scale import Scale, span
from fiducial.report.stopping import show_stopping
from fiducial.report.words import by_chance, judged, lettered, method_name, remark, standing, tried
from fiducial.report.writer import Writer
from fiducial.run.audit import Check
from fiducial.stats.estimate import Estimate, Withheld

LONG = 200  # letters of what stands alone
MESSAGE = 800
ROOMY = 92  # columns at which the table has room for one more number
TOLD = 6  # methods that are named; the page has them all
NAME = 60  # letters of a name; the rest is on the page
CAS = {"brier": "Brier score", "calibration_error": "calibration error", "auroc": "AUROC"}
STYLES = {"fail": "bold red", "warn": "yellow", "pass": "green"}


def show(result: RunResult, console: Console) -> None:
    """Print the run. Colours and signs follow what the console can show."""
    write = Writer(console)
    subject, run = (shorten(inert(text), LONG) for text in (result.subject, result.run))
    state = "complete" if result.complete else ("incomplete", "bold red")
    write.line((f"Bias report {subject}", "bold"), f", run {run}, ", state)
    write.line()
    if any(known(bias.effect) for bias in result.biases):
        roomy = console.width >= ROOMY and any(isinstance(_agreement(bias), Estimate) for bias in result.biases)
        console.print(_table(result, write, agreement=roomy))
        if any(exploratory(bias) for bias in result.biases):
            together = f"; {TOGETHER}" if len(result.biases) > MANY and result.families else ""
            write.line((f"* {EXPLORATORY}{together}", "dim"))
        write.line()
    _reasoned(result.biases, write)
    show_protocols(result, console)
    _mitigation(result, write)
    _confidence(result, write)
    show_stopping(result, write)
    _rest(result, write)


def _table(result: RunResult, write: Writer, *, agreement: bool) -> Table:
    effects = [known(bias.effect) for bias in result.biases]
    scale = span(effects)
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column(write.text("bias"), overflow="fold", min_width=12)
    table.add_column(write.text("effect [95 %]"), no_wrap=True)
    table.add_column(write.text(axis(scale)), no_wrap=True, width=BAR)
    table.add_column(write.text("n", justify="right"), justify="right", no_wrap=True)
    table.add_column(write.text("q", justify="right"), justify="right", no_wrap=True)
    if agreement:
        table.add_column(write.text("RCI [95 %]"), no_wrap=True)
    table.add_column(write.text("flag"), overflow="fold", min_width=7)
    for family in by_family(sorted(result.biases, key=_size), result):
        if family.name:
            table.add_row(*_heading(family, write, scale, agreement=agreement))
        for bias in family.biases:
            name, *cells = _row(bias, write, scale, agreement=agreement)
            table.add_row(Padding(name, (0, 0, 0, 2)) if family.name else name, *cells)
    return table


def _row(bias: BiasResult, write: Writer, scale: Scale, *, agreement: bool) -> list[Text]:
    effect = known(bias.effect)
    name = write.text((_name(bias) + ("*" if exploratory(bias) else ""), "bold" if bias.flagged else ""))
    same = [write.text((_agreed(bias), "dim"))] if agreement else []
    nothing = write.text("")
    if effect is None:
        gone = write.text(("withheld", "dim"))
        return [name, gone, nothing, nothing, nothing, *same, write.text((NONE, "dim"))]
    style = "bold red" if bias.flagged else ""
    return [
        name,
        write.text((f"{signed(effect.value)} {interval(effect.low, effect.high)}", style)),
        write.text((bar(effect, scale, filled=bias.flagged), style)),
        write.text(count(effect.n), justify="right"),
        write.text(probability(effect.q), justify="right"),
        *same,
        write.text(("flagged", "bold red") if bias.flagged else (_short(bias), "dim")),
    ]


def _heading(family: Family, write: Writer, scale: Scale, *, agreement: bool) -> list[Text]:
    """The row above the biases of a family, with the estimate of the family where the run has one."""
    name = write.text((shorten(inert(family.name), NAME).capitalize(), "bold underline"))
    same = [write.text("")] if agreement else []
    pooled = family.pooled[0] if family.pooled else None
    e = known(pooled.estimate) if pooled else None
    if pooled is None or e is None:
        return [name, write.text((family.tally, "dim")), *[write.text("") for _ in range(3)], *same, write.text("")]
    style = "red" if pooled.flagged else ""
    return [
        name,
        write.text((f"{signed(e.value)} {interval(e.low, e.high)}", style)),
        write.text((bar(e, scale, filled=pooled.flagged), style)),
        write.text(count(e.n), justify="right"),
        write.text(probability(pooled.q), justify="right"),
        *same,
        write.text(("flagged", "red") if pooled.flagged else (NONE, "dim")),
    ]


def _reasoned(biases: Sequence[BiasResult], write: Writer) -> None:
    """Why biases have no estimate or no flag: every reason once, with the biases it holds for."""
    found: dict[tuple[str, str], list[str]] = {}
    for bias in biases:
        where = standing(bias)
        if where == "withheld":
            why, _, more = inert(why_not(bias.effect)).partition(" (")
            found.setdefault(("withheld", why), []).append(_name(bias) + (f" ({more}" if more else ""))
        elif where in {"unread", "pooled", "opposite", "corrected"} or (where == "open" and bias.reason):
            found.setdefault(("not flagged", inert(remark(bias))), []).append(_name(bias))
    for (what, why), names in found.items():
        write.item((f"{what} ", "dim"), f"{', '.join(names)}: {shorten(why, MESSAGE)}")


def _confidence(result: RunResult, write: Writer) -> None:
    """Calibration awareness in a line, and confidence minus accuracy by difficulty where there are estimates."""
    told = {name: known(m) for name, m in result.subject_metrics.get("cas", {}).items()}
    stated = [
        f"{CAS[n]} {plain(e.value, ends=False)} {interval(e.low, e.high)}"
        for n, e in told.items()
        if e and n in CAS
    ]
    if stated:
        write.line(("Stated confidence (CAS) ", "bold"), ", ".join(stated))
    for bias in result.biases:
        strata = {inert(stratum): e for stratum, m in bias.by_stratum.items() if (e := known(m))}
        if len(strata) < 2:
            continue
        write.item((f"{_name(bias)} by difficulty, from easiest to hardest", "dim"))
        scale = span(strata.values())
        for stratum, e in strata.items():
            numbers = f"{signed(e.value)} {interval(e.low, e.high)}".ljust(20)
            write.item(f"{shorten(stratum, 10)}  {numbers} {bar(e, scale, filled=False)} n {count(e.n)}")


def _size(bias: BiasResult) -> tuple[bool, float]:
    effect = known(bias.effect)
    return effect is None, -effect.value if effect else 0.0


def _short(bias: BiasResult) -> str:
    """The reason, if it is a word; what takes more is written below the table."""
    reason = inert(bias.reason or "")
    return reason if reason and len(reason) <= 10 else NONE


def _name(bias: BiasResult) -> str:
    return shorten(inert(bias.name), NAME)


def _agreement(bias: BiasResult) -> Estimate | Withheld:
    """Response consistency, if it is there and a number."""
    found = bias.metrics.get("rci")
    if isinstance(found, Estimate):
        return known(found) or Withheld(why_not(found))
    return found if isinstance(found, Withheld) else Withheld("not measured")


def _agreed(bias: BiasResult) -> str:
    found = _agreement(bias)
    return (
        NONE
        if isinstance(found, Withheld)
        else f"{plain(found.value, ends=False)} {interval(found.low, found.high)}"
    )


def _mitigation(result: RunResult, write: Writer) -> None:
    """The methods that are shown to do something, harm last; nothing where none was tried."""
    found = tried(result)
    telling = [one for one in found if one[3]]
    if not found:
        return
    helps = sum(one[3] == "helps" for one in telling)
    write.line(
        ("Mitigation ", "bold"),
        f"{counted(len(found), 'comparison')}: {helps or 'none'} lower bias, "
        f"{len(telling) - helps or 'none'} raise it (harm); by chance {by_chance(len(found))}",
    )
    shown = telling if len(telling) <= TOLD else [*telling[: TOLD // 2], *telling[-TOLD // 2 :]]
    for bias, method, e, what in shown:
        write.item(
            (f"{what} ", "red" if what == "harms" else "green"),
            f"{_name(bias)}: {inert(method_name(method))} {signed(e.value)} {interval(e.low, e.high)}",
        )
    if len(telling) > len(shown):
        write.item((f"and {len(telling) - len(shown)} more on the page", "dim"))


def _consistency(result: RunResult, write: Writer) -> None:
    """The range of response consistency over the biases, or why there is none."""
    found = [_agreement(bias) for bias in result.biases]
    values = [one.value for one in found if isinstance(one, Estimate)]
    if values:
        ends = dict.fromkeys(plain(end, ends=False) for end in (min(values), max(values)))
        text = f"{' to '.join(ends)} over {counted(len(values), 'bias', 'biases')}"
    else:
        reasons = dict.fromkeys(inert(why_not(one)) for one in found)
        if not reasons:
            return
        text = f"withheld: {shorten('; '.join(reasons), MESSAGE)}"
    write.line(("Response consistency (RCI) ", "bold"), text)


def _rest(result: RunResult, write: Writer) -> None:
    place = known(result.position)
    if place:
        found = f"{signed(place.value)} {interval(place.low, place.high)}, n {count(place.n)}"
    else:
        found = f"withheld: {shorten(inert(why_not(result.position)), MESSAGE)}"
    write.line(("Position preference ", "bold"), found)
    _consistency(result, write)
    if result.letters is not None:
        write.line(("Read from log probabilities ", "bold"), lettered(result.letters))
    lost = sum(result.unread.values())
    reasons = ", ".join(_reasons(result.unread.items()))
    write.line(("Unread ", "bold"), f"{counted(lost, 'reply', 'replies')}: {reasons}" if lost else "none")
    if result.judge is not None:
        write.line(("Judge ", "bold"), shorten(inert(judged(result.judge)), MESSAGE))
        show_reader(result.judge, write)
    spent = f"{counted(result.calls, 'call')}, cost {money(result.cost)}, {duration(result.seconds)}"
    write.line(("Trials ", "bold"), f"{count(result.answered)} of {count(result.trials)} answered; {spent}")
    write.line(("Audit ", "bold"), f"{counted(sum(c.level == 'pass' for c in result.audit), 'check')} passed")
    _checks(result.audit, ("fail", "warn"), write)


def show_audit(checks: Sequence[Check], console: Console) -> None:
    """Print every check, the worst first."""
    _checks(checks, ("fail", "warn", "pass"), Writer(console))


def _checks(checks: Sequence[Check], levels: Sequence[str], write: Writer) -> None:
    for level in levels:
        for check in checks:
            if check.level == level:
                code, message = shorten(inert(check.code), NAME), shorten(inert(check.message), MESSAGE)
                write.item((f"{level} ", STYLES[level]), (f"{code} ", "bold"), message)


def _reasons(unread: Iterable[tuple[str, int]]) -> list[str]:
    return [f"{shorten(inert(why), NAME)} {count(n)}" for why, n in unread if n]

"""The result of a review in the terminal: the same numbers as on the page.

Names, titles and messages come from outside: they are printed as plain text, made inert.
"""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from fiducial.report.inert import inert, shorten
from fiducial.report.judge_card_effect import corrected, remark
from fiducial.report.judge_card_terminal import show_cards
from fiducial.report.numbers import count, counted, duration, money, percent, plain, probability
from fiducial.report.review_panel import show_panel
from fiducial.report.review_words import (
    RECALL,
    decided,
    lacking,
    ratio,
    silent,
    statuses,
    unknown_errors,
)
from fiducial.report.terminal import show_audit
from fiducial.report.writer import Writer
from fiducial.review.result import ItemRecall, NoRecall, Precision, Recall, ReviewerResult, ReviewResult

NAME = 60  # letters of a name; the rest is on the page
LONG = 200
MESSAGE = 800
ROOMY = 100  # columns at which the corrected precision has a column of its own
ITEMS = 40  # must-finds of a reviewer that are listed; the page has them all
REASONS = 20
GATE_STYLES = {"passed": "bold green", "failed": "bold red", "refused": "bold yellow"}
STYLES = {"met": "green", "missed": "bold red", "inconclusive": "yellow", "not_enforced": "dim"}


def show_review(result: ReviewResult, console: Console) -> None:
    """Print the run. Colours and signs follow what the console can show."""
    write = Writer(console)
    dataset, model, run = (_short(text, LONG) for text in (result.dataset, result.model, result.run))
    state = "complete" if result.complete else (f"incomplete{inert(lacking(result))}", "bold red")
    write.line((f"Review report {dataset}", "bold"), f", reviewed by {model}, run {run}, ", state)
    write.line()
    if result.reviewers:
        console.print(_precision(result, write, roomy=console.width >= ROOMY))
        for one in result.reviewers:
            _remarks(one, write)
        write.line()
    for one in result.reviewers:
        _must_finds(one, console, write)
    show_panel(result.panel, console, write)
    show_cards(result, write)
    _gate(result, write)
    told = result.trust or any(check.code == "judge-uncalibrated" for check in result.audit)
    if not told and (warning := unknown_errors(result)):
        write.line((inert(warning), "yellow"))
    _rest(result, console, write)


def _precision(result: ReviewResult, write: Writer, *, roomy: bool) -> Table:
    """Raw and corrected side by side; one below the other where there is no room for a column more."""
    heads = ("judged", "genuine", "border.", "not", "inv.", "mean")
    two = any(one.precision.corrected for one in result.reviewers)
    table = _table(
        write, "reviewer", "precision [95 %]", *heads, beside="corrected [95 %]" if two and roomy else ""
    )
    for one in result.reviewers:
        p = one.precision
        numbers = (p.n, p.genuine, p.borderline, p.not_genuine, p.invalid)
        raw, name, then = ratio(p.value, p.low, p.high), (_short(one.name, NAME), "bold"), _then(p)
        below = p.corrected is not None and not roomy
        table.add_row(
            write.text(name, ("\n  corrected", "dim")) if below else write.text(name),
            write.text(f"{raw}\n{then}" if below else raw),
            *([write.text(then)] if two and roomy else []),
            *(write.text(count(n), justify="right") for n in numbers),
            write.text(ratio(p.per_output_mean), justify="right"),
        )
    return table


def _then(p: Precision) -> str:
    said = remark(p.corrected)
    return said if said == "not corrected" else corrected(p.corrected) + (f" ({said})" if said else "")


def _table(write: Writer, first: str, second: str, *right: str, beside: str = "") -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column(write.text(first), overflow="fold", min_width=12)
    for name in (second, beside):
        if name:
            table.add_column(write.text(name), no_wrap=True)
    for name in right:
        table.add_column(write.text(name, justify="right"), justify="right", no_wrap=True)
    return table


def _remarks(one: ReviewerResult, write: Writer) -> None:
    """What the row of a reviewer has no room for."""
    p, name = one.precision, _short(one.name, NAME)
    told = [f"outputs: {inert(statuses(one.outputs))}"]
    if p.borderline and p.borderline_out is not None and p.borderline_in is not None:
        told.append(
            f"{percent(p.borderline_out)} without the borderline ones, {percent(p.borderline_in)} with them as genuine"
        )
    if p.invalid and p.invalid_bounds:
        ends = f"{percent(p.invalid_bounds.low)} to {percent(p.invalid_bounds.high)}"
        told.append(f"{ends} whatever the invalid ones are")
    if p.duplicates:
        told.append(f"{counted(p.duplicates, 'near-duplicate')} counted once")
    if p.note:
        told.append(f"interval {_short(p.note, LONG)}")
    write.item((f"{name} ", "dim"), "; ".join(told))
    if quiet := silent(p):
        write.item((inert(quiet), "yellow"))
    for scorer, why in one.errors.items():
        write.item((f"{_short(scorer, NAME)} failed: ", "bold red"), _short(why, MESSAGE))


def _must_finds(one: ReviewerResult, console: Console, write: Writer) -> None:
    if RECALL in one.errors or one.recall is None:
        return
    name = _short(one.name, NAME)
    if isinstance(one.recall, NoRecall):
        write.line((f"Must-finds of {name} ", "bold"), f"no recall: {_short(one.recall.reason, MESSAGE)}")
        return
    write.line((f"Must-finds of {name}", "bold"))
    console.print(_items(one.recall, write))
    if len(one.recall.items) > ITEMS:
        write.item((f"and {count(len(one.recall.items) - ITEMS)} more on the page", "dim"))
    whole = one.recall.list
    told = [f"{count(whole.detected)} detections, {whole.expected:.1f} expected at the minimum"]
    if whole.p is not None:
        told.append(f"p {probability(whole.p)}")
    if whole.coverage is not None:
        told.append(f"{percent(whole.coverage)} found in at least one run")
    if whole.between_runs is not None:
        told.append(f"SD between runs {plain(whole.between_runs, ends=False)}")
    write.item(", ".join(told))
    write.line()


def _items(recall: Recall, write: Writer) -> Table:
    table = _table(write, "must-find", "rate [95 %]", "found", "min.")
    table.add_column(write.text("state"), overflow="fold", min_width=12)
    for item in recall.items[:ITEMS]:
        table.add_row(
            write.text(_title(item, several=len({one.document for one in recall.items}) > 1)),
            write.text(ratio(item.rate, item.low, item.high)),
            write.text(f"{count(item.detected)} of {count(item.runs)}", justify="right"),
            write.text(percent(item.min_recall), justify="right"),
            write.text((decided(item), STYLES[item.gate])),
        )
    return table


def _title(item: ItemRecall, *, several: bool) -> str:
    """Of several documents, each may have an item of this id."""
    id, title = _short(item.place if several else item.id, NAME), _short(item.title, NAME)
    return f"{id} {title}" if title and title != id else id


def _gate(result: ReviewResult, write: Writer) -> None:
    if result.gate is None:
        return
    write.line(("Gate ", "bold"), (result.gate.result, GATE_STYLES[result.gate.result]))
    for why in result.gate.why[:REASONS]:
        write.item(_short(why, MESSAGE))
    if len(result.gate.why) > REASONS:
        write.item((f"and {len(result.gate.why) - REASONS} more", "dim"))


def _rest(result: ReviewResult, console: Console, write: Writer) -> None:
    costs = ", ".join(f"{_short(role, NAME)} {money(cost)}" for role, cost in result.cost.items()) or "not known"
    spent = f"{counted(result.calls, 'call')}, {duration(result.seconds)}"
    write.line(("Cost ", "bold"), f"{costs}; {spent}")
    passed = sum(check.level == "pass" for check in result.audit)
    write.line(("Audit ", "bold"), f"{counted(passed, 'check')} passed")
    show_audit([check for check in result.audit if check.level != "pass"], console)


def _short(text: str, columns: int) -> str:
    return shorten(inert(text), columns)

"""Two review runs side by side in the terminal, and what has to be said with them.

Titles of findings are what a model wrote: they are made inert and printed as plain text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table

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
from fiducial.review.result import NoRecall
from fiducial.study.compare import Side
from fiducial.study.compare_review import ReviewComparison, ReviewerComparison, Seen
from fiducial.study.review_change import Change
from fiducial.study.review_pairs import FindingDifference, ItemDifference

LONG = 200  # letters of what stands alone
NAME = 40  # letters of a name
TITLE = 90  # letters of the title of a finding
VALUE = 80  # letters of a setting
MESSAGE = 800
LISTED = 8  # findings or must-finds of a kind; JSON has all
ROOMY = 124  # columns at which an estimate and its interval fit on one line

Row = tuple[str, Change | None]


def notes(found: ReviewComparison) -> list[str]:
    """What makes the two runs hard to compare, and what was left out, one sentence each."""
    return [*_settings(found), *_runs(found), *_left_out(found)]


def _settings(found: ReviewComparison) -> Iterator[str]:
    for key, both in found.settings_differ.items():
        a, b = (shorten(inert(anything(both[side])), VALUE) for side in ("a", "b"))
        meaning = "; rates are compared, so this shifts nothing" if key == "runs" else ""
        yield f"settings differ in {inert(key).replace('_', ' ')}: A {a}; B {b}{meaning}"
    changed = [r.name for r in found.reviewers if r.prompt_changed]
    if changed:
        yield f"the reviewer's prompt is another in B: {', '.join(changed)}"
    same = found.a.subject == found.b.subject
    if changed and not same:
        yield "model and prompt both differ: a difference may come from either"
    elif (
        same
        and all(r.prompt_changed is False for r in found.reviewers)
        and not set(found.settings_differ) - {"runs"}
    ):
        yield "the same reviewers on the same model: a difference is chance, or the model changed under its name"


def _runs(found: ReviewComparison) -> Iterator[str]:
    for name, side in _sides(found):
        if waiting := found.waiting[name.lower()]:
            yield f"{name}: no judge has answered {counted(waiting, 'question')} yet; what they are about is in no figure"
        if side.answered < side.trials:
            yield (
                f"{name} is incomplete: {count(side.answered)} of {counted(side.trials, 'trial')} have a reply; "
                "what is missing may differ between the runs"
            )
        for check in side.audit:
            yield f"{name}, audit {check.level} {check.code}: {check.message}"


def _left_out(found: ReviewComparison) -> Iterator[str]:
    if found.datasets["a"] != found.datasets["b"]:
        yield f"the datasets differ: A {found.datasets['a']}; B {found.datasets['b']}; only equal documents are compared"
    apart = found.documents_not_compared
    if apart["changed"]:
        yield f"documents that changed between the runs, not compared: {', '.join(apart['changed'])}"
    for name, key in (("A", "a"), ("B", "b")):
        if apart[key]:
            yield f"documents only in {name}, not compared: {', '.join(apart[key])}"
        if found.only_in[key]:
            yield f"reviewers only in {name}, not compared: {', '.join(found.only_in[key])}"
        for reviewer in found.reviewers:
            if alone := reviewer.items_only_in[key]:
                yield f"must-finds of {reviewer.name} decided only in {name}, not compared: {', '.join(alone)}"
    for reviewer in found.reviewers:
        if again := reviewer.items_retitled:
            yield f"must-finds of {reviewer.name} with other words in B, compared by id all the same: {', '.join(again)}"
        missing = len(found.documents) - len(reviewer.documents)
        if missing:
            yield f"{reviewer.name} has no output of one run on {counted(missing, 'document')}, not compared"
        for name, seen in (("A", reviewer.a), ("B", reviewer.b)):
            if invalid := seen.precision.invalid:
                yield f"{reviewer.name}, {name}: {counted(invalid, 'finding')} without a verdict, in no precision"


def _sides(found: ReviewComparison) -> tuple[tuple[str, Side], tuple[str, Side]]:
    return ("A", found.a), ("B", found.b)


def show_review_comparison(found: ReviewComparison, console: Console) -> None:
    """Print the comparison: two lines a reviewer, then what is behind them, and the notes."""
    write = Writer(console)
    for name, side in _sides(found):
        model, run = (shorten(inert(text), LONG) for text in (side.subject, side.run))
        state = "complete" if side.complete else ("incomplete", "bold red")
        write.line((f"{name} {model}", "bold"), f", run {run}, ", state)
    judges = ", ".join(shorten(inert(judge), NAME) for judge in found.judges) or "none"
    write.line(f"{counted(len(found.documents), 'document')} compared; judge {judges}")
    write.line()
    console.print(_table(found, write, roomy=console.width >= ROOMY))
    write.line()
    write.line(_summary(found))
    write.line((_legend(found), "dim"))
    for reviewer in found.reviewers:
        _show_reviewer(reviewer, write)
    if said := notes(found):
        write.line(("Notes", "bold"))
        for note in said:
            write.item(shorten(inert(note), MESSAGE))


def _table(found: ReviewComparison, write: Writer, *, roomy: bool) -> Table:
    """Where there is little room, what stands side by side stands one below the other."""
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("reviewer", overflow="fold", min_width=10)
    table.add_column("measure", no_wrap=True)
    for side in ("A", "B"):
        table.add_column(side, justify="right", no_wrap=True)
    below = " " if roomy else "\n"
    table.add_column(write.text(f"difference{below}[95 %]"), no_wrap=True)
    table.add_column("shows\nfrom", justify="right", no_wrap=True)
    table.add_column("p\n(Holm)", justify="right", no_wrap=True)
    table.add_column("pairs", justify="right", no_wrap=True)
    table.add_column("verdict", overflow="fold", min_width=10)
    for reviewer in found.reviewers:
        for measure, change in _measures(reviewer):
            style = "bold" if change and change.verdict in ("higher", "lower") else ""
            table.add_row(
                write.text((shorten(inert(reviewer.name), NAME), style)),
                measure,
                *(write.text(text) for text in _cells(change, below)),
                write.text((verdict(change), style or "dim")),
            )
    return table


def _measures(reviewer: ReviewerComparison) -> tuple[Row, Row]:
    recall = None if isinstance(reviewer.recall, NoRecall) else reviewer.recall
    return ("precision", reviewer.precision), ("recall", recall)


def _cells(change: Change | None, below: str) -> tuple[str, ...]:
    if change is None:
        return (NONE,) * 6
    e = known(change.difference)
    return (
        plain(change.a, ends=False),
        plain(change.b, ends=False),
        f"{signed(e.value)}{below}{interval(e.low, e.high)}" if e else NONE,
        NONE if change.half_width is None else plain(change.half_width, ends=False),
        probability(change.adjusted),
        count(change.pairs),
    )


def verdict(change: Change | None) -> str:
    """`lower in B`, or why nothing is said."""
    if change is None:
        return "no must-finds"
    return f"{change.verdict} in B" if change.verdict in ("higher", "lower") else change.verdict


def _summary(found: ReviewComparison) -> str:
    changes = [change for r in found.reviewers for _, change in _measures(r) if change]
    higher, lower = (sum(change.verdict == which for change in changes) for which in ("higher", "lower"))
    rest = found.tests - higher - lower
    if not found.tests:
        return "Nothing could be tested; what it takes stands below."
    said = f"Of {counted(found.tests, 'test')}, {higher} higher and {lower} lower in B (adjusted p at most .05)."
    if rest:
        said += f" For {rest} no difference is shown, which does not show that there is none."
    return said


def _legend(found: ReviewComparison) -> str:
    changes = [change for r in found.reviewers for _, change in _measures(r) if change]
    methods = dict.fromkeys(e.method for change in changes if (e := known(change.difference)))
    tests = dict.fromkeys(change.test for change in changes if change.p is not None)
    return (
        "Difference: B − A, of precision over all findings, of recall over must-finds; unadjusted 95 %. Shows from: half "
        f"the interval. p: {'; '.join(tests) or 'none'}; by Holm over all tests. "
        f"Intervals: {'; '.join(methods) or 'none'}. Pairs: documents for precision, must-finds for recall."
    )


def _show_reviewer(reviewer: ReviewerComparison, write: Writer) -> None:
    write.line((shorten(inert(reviewer.name), NAME), "bold"))
    write.item(f"A {_seen(reviewer.a)}; B {_seen(reviewer.b)}")
    for measure, change in _measures(reviewer):
        if change is None:
            continue
        if known(change.difference) is None:
            write.item((f"{measure}: no interval, ", "dim"), shorten(inert(why_not(change.difference)), MESSAGE))
        if change.could_see:
            write.item((f"{measure}: {change.verdict}. ", "dim"), shorten(inert(change.could_see), MESSAGE))
    if isinstance(reviewer.recall, NoRecall):
        write.item(("recall: ", "dim"), shorten(inert(reviewer.recall.reason), MESSAGE))
    items = reviewer.items
    _listed("must-finds found in A and never in B", [_item(i) for i in items if i.a and not i.b], write)
    _listed("must-finds found in B and never in A", [_item(i) for i in items if i.b and not i.a], write)
    moved = sorted((i for i in items if i.a and i.b and i.difference), key=lambda i: i.difference)
    _listed("must-finds found at another rate", [_item(i) for i in moved], write)
    for side, words in (("a", "genuine only in A"), ("b", "genuine only in B")):
        _listed(words, [_finding(f) for f in reviewer.findings if f.genuine_in == side], write)
    write.item(f"genuine in both: {count(sum(f.genuine_in == 'both' for f in reviewer.findings))}")


def _seen(seen: Seen) -> str:
    silent = f", {seen.without_findings} of them without a finding" if seen.without_findings else ""
    return (
        f"{counted(seen.findings, 'finding')}, {count(seen.genuine)} genuine, in "
        f"{counted(seen.outputs, 'output')}{silent}"
    )


def _listed(words: str, lines: Sequence[str], write: Writer) -> None:
    if not lines:
        return
    write.item(f"{words}: {count(len(lines))}")
    for line in lines[:LISTED]:
        write.item(f"  {line}")
    if len(lines) > LISTED:
        write.item((f"  and {count(len(lines) - LISTED)} more; --json lists all", "dim"))


def _item(item: ItemDifference) -> str:
    where = shorten(inert(f"{item.document}: {item.id}"), TITLE)
    title = "" if item.title == item.id else f" {shorten(inert(item.title), TITLE)}"
    return f"{where}{title} (A {item.a} of {item.a_runs}, B {item.b} of {item.b_runs})"


def _finding(found: FindingDifference) -> str:
    said = f"A {found.a} of {found.a_runs}, B {found.b} of {found.b_runs}"
    other = found.b_not_genuine if found.genuine_in == "a" else found.a_not_genuine
    if other:
        said += f"; written and not called genuine in {other} of {'B' if found.genuine_in == 'a' else 'A'}"
    return f"{shorten(inert(found.document), NAME)}: {shorten(inert(found.title), TITLE)} ({said})"

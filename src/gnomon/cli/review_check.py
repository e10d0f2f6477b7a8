"""`gnomon review check`: is the dataset sound, and do its lists still fit its documents?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gnomon.cli.options import call_options

if TYPE_CHECKING:
    from gnomon.cli.call_options import CallOptions
    from gnomon.review.check import Problem
    from gnomon.review.curate import Moved


@click.command("check")
@click.argument("dataset", type=click.Path(path_type=Path))
@click.option("--freeze", "freezes", is_flag=True, help="First freeze the documents as they are now.")
@click.option(
    "--judge",
    metavar="MODEL",
    help="First run the zero-shot test where it is due: context-dependent findings past their day, untested must-finds.",
)
@call_options
def check_dataset(calls: CallOptions, dataset: Path, freezes: bool, judge: str | None) -> None:
    """Look a dataset over: hashes, every record of every file, evidence that is gone, tests that are due.

    Exit code 1 where something is wrong. What a repeated test finds in the document is proposed for promotion in
    candidates.jsonl.
    """
    from gnomon.cli.options import print_json
    from gnomon.judge.calibration import today
    from gnomon.review.check import check

    if freezes:
        _freeze(dataset)
    tested = _test(dataset, judge, calls) if judge is not None else []
    problems = check(dataset, day=today())
    if calls.as_json:
        print_json({"dataset": str(dataset), "tested": tested, "problems": problems})
    else:
        _show(dataset, problems, tested)
    if any(problem.level == "fail" for problem in problems):
        raise click.exceptions.Exit(1)


def _freeze(dataset: Path) -> None:
    from gnomon.report.inert import inert
    from gnomon.review.curate import writable
    from gnomon.review.dataset import document_folders, find_dataset, load_document
    from gnomon.review.frozen import freeze

    documents = [load_document(folder, lists=False) for folder in document_folders(find_dataset(dataset))]
    for document in documents:
        writable(document)
    for document in documents:
        if document.frozen_hash is None or document.changed:
            digest = freeze(document.folder, document.path)
            click.echo(f"{inert(str(document.path))}: frozen, {digest[:19]}…", err=True)


def _test(dataset: Path, judge: str, calls: CallOptions) -> list[Moved]:
    """Run the test for every record that is due for it, and write down what it says."""
    from gnomon.cli.review_confirm import run_test
    from gnomon.judge.calibration import today
    from gnomon.review.again import look_again, note_test, overdue
    from gnomon.review.context import issue_in
    from gnomon.review.curate import testable
    from gnomon.review.dataset import context_dependent, load_dataset
    from gnomon.review.zero_shot import zero_shot_judge

    found = load_dataset(dataset)
    due = [
        (document, record)
        for document in found.documents
        for record in overdue(context_dependent(document.folder) or (), today())
    ]
    untested = [(d, item) for d in found.documents for item in d.must_find or () if item.zero_shot is None]
    if not due and not untested:
        click.echo("no test is due", err=True)
        return []
    for document in [*(d for d, _ in due), *(d for d, _ in untested)]:
        testable(document)
    issues = [issue_in(document, record) for document, record in due]
    issues += [issue_in(document, item) for document, item in untested]
    # What fell due again is asked again, whatever an earlier run has answered.
    occasion = " ".join(sorted({record.review_after or "never tested" for _, record in due}))
    run = run_test(issues, judge, calls, dataset=found.name, occasion=occasion)
    appointed = zero_shot_judge(judge)
    return [
        *(look_again(document, record, run=run, judge=appointed) for document, record in due),
        *(note_test(document, item, run=run, judge=appointed) for document, item in untested),
    ]


def _show(dataset: Path, problems: list[Problem], tested: list[Moved]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from gnomon.cli.review_confirm import show_moved
    from gnomon.report.inert import inert
    from gnomon.report.numbers import counted

    show_moved(tested)
    if problems:
        table = Table(box=None, header_style="bold", pad_edge=False)
        for name in ("level", "where", "what", "what to do"):
            table.add_column(name, no_wrap=name == "level", overflow="fold")
        for problem in problems:
            table.add_row(problem.level, *(Text(inert(s)) for s in (problem.where, problem.what, problem.do)))
        Console().print(table)
    wrong = sum(problem.level == "fail" for problem in problems)
    hints = len(problems) - wrong
    click.echo(f"{inert(str(dataset))}: {counted(wrong, 'problem')}, {counted(hints, 'warning')}")

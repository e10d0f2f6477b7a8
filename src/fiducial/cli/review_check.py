"""`fiducial review check`: is the dataset sound, and do its lists still fit its documents?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fiducial.cli.options import call_options

if TYPE_CHECKING:
    from fiducial.cli.call_options import CallOptions
    from fiducial.review.check import Problem
    from fiducial.review.curate import Moved


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
    from fiducial.cli.options import print_json
    from fiducial.judge.calibration import today
    from fiducial.review.check import check

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
    from fiducial.report.inert import inert
    from fiducial.review.curate_conduct import freeze_documents

    for document, digest in freeze_documents(dataset):
        click.echo(f"{inert(str(document.path))}: frozen, {digest[:19]}…", err=True)


def _test(dataset: Path, judge: str, calls: CallOptions) -> list[Moved]:
    from fiducial.cli.review_confirm import asking, continued
    from fiducial.review.curate_conduct import retest_due

    with continued():
        tested = retest_due(dataset, asking(judge, calls))
    if not tested:
        click.echo("no test is due", err=True)
    return tested


def _show(dataset: Path, problems: list[Problem], tested: list[Moved]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from fiducial.cli.review_confirm import show_moved
    from fiducial.report.inert import inert
    from fiducial.report.numbers import counted

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

"""`fiducial review confirm` and `reject`: a person moves a candidate on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fiducial.cli.options import call_options

if TYPE_CHECKING:
    from fiducial.cli.call_options import CallOptions
    from fiducial.review.curate import Moved, Target
    from fiducial.review.curate_conduct import Asking


@click.command("confirm")
@click.argument("dataset", type=click.Path(path_type=Path))
@click.argument("candidate")
@click.option(
    "--as",
    "target",
    type=click.Choice(["must-find", "context"]),
    required=True,
    help="must-find: the document shows it, reviewers have to find it; context: one has to know more than it says.",
)
@click.option("--judge", required=True, metavar="MODEL", help="The model that looks for it in the document alone.")
@click.option("--min-recall", type=float, help="Share of runs in which it has to be found. [default: 0.8]")
@click.option(
    "--reviewer",
    help="The reviewer that has to find it; all: every one. [default: the one that found it, if one did]",
)
@click.option("--required-context", metavar="TEXT", help="With --as context: what one has to know.")
@call_options
def confirm_candidate(
    calls: CallOptions,
    dataset: Path,
    candidate: str,
    target: Target,
    judge: str,
    min_recall: float | None,
    reviewer: str | None,
    required_context: str | None,
) -> None:
    """Move a candidate into a list, after the zero-shot test.

    The judge is given the document alone and asked for this very issue, three times. Found with a quotation that is
    there: it is a must-find. Not found: it may go among the context-dependent findings only if the judge is calibrated
    for this test, and stays in the queue otherwise (exit code 1). Temperature and reply length are the test's own.
    """
    from fiducial.cli.options import print_json
    from fiducial.review import curate_conduct
    from fiducial.review.curate import Choice

    choice = Choice(
        target=target,
        min_recall=min_recall,
        reviewer=reviewer,
        required_context=required_context,
    )
    with continued():
        done = curate_conduct.confirm_candidate(dataset, candidate, choice, asking(judge, calls))
    moved = done.moved
    if calls.as_json:
        print_json({"run": str(done.run), **_as_json(moved)})
    else:
        show_moved([moved])
    if moved.file is None:
        raise click.exceptions.Exit(1)


@click.command("reject")
@click.argument("dataset", type=click.Path(path_type=Path))
@click.argument("candidate")
@click.option("--why", required=True, help="In a few words, for the next person.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def reject_candidate(dataset: Path, candidate: str, why: str, as_json: bool) -> None:
    """Take a candidate out of the queue. It is not proposed again."""
    from fiducial.cli.options import print_json
    from fiducial.review import curate_conduct

    moved = curate_conduct.reject_candidate(dataset, candidate, why)
    if as_json:
        print_json(_as_json(moved))
    else:
        show_moved([moved])


def asking(judge: str, calls: CallOptions) -> Asking:
    """How the zero-shot test is put to the judge of that name."""
    from fiducial.cli.options import shown
    from fiducial.report.numbers import counted
    from fiducial.review.curate_conduct import Asking
    from fiducial.review.zero_shot import CALLS

    def announce(issues: int) -> None:
        click.echo(f"zero-shot test: {counted(issues, 'issue')}, {counted(CALLS * issues, 'call')}", err=True)

    return Asking(judge, lambda: (calls.open(judge), calls.limits(judge)), calls, announce, shown)


@contextmanager
def continued() -> Iterator[None]:
    """What is incomplete is told with the command that continues it."""
    from fiducial.cli.options import this_command
    from fiducial.errors import Incomplete

    try:
        yield
    except Incomplete as short:
        told = f"{short} Continue with:\n  {this_command(short.stopped)}"
        raise Incomplete(told, path=short.path, stopped=short.stopped) from None


def show_moved(moved: list[Moved]) -> None:
    """One line a finding, on standard output."""
    from fiducial.report.inert import inert

    for one in moved:
        to = f"written to {one.file}" if one.file else one.state.replace("_", " ")
        click.echo(f"{inert(one.id)}: {to}. {inert(one.why)}")


def _as_json(moved: Moved) -> dict[str, object]:
    import msgspec

    return msgspec.structs.asdict(moved)

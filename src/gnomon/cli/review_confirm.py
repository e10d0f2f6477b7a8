"""`gnomon review confirm` and `reject`: a person moves a candidate on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gnomon.cli.options import call_options

if TYPE_CHECKING:
    from gnomon.cli.options import CallOptions
    from gnomon.review.curate import Moved
    from gnomon.review.zero_shot import Issue


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
    target: str,
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
    from gnomon.cli.options import print_json
    from gnomon.review.context import issue_in
    from gnomon.review.curate import Choice, confirm, find_candidate, ready
    from gnomon.review.dataset import load_dataset
    from gnomon.review.records import share_of
    from gnomon.review.zero_shot import zero_shot_judge

    if min_recall is not None:
        share_of(min_recall, "--min-recall")
    choice = Choice(
        target=target,  # type: ignore[arg-type]
        min_recall=min_recall,
        reviewer=reviewer,
        required_context=required_context,
    )
    found = load_dataset(dataset)
    document, wanted = find_candidate(found, candidate)
    ready(document, choice)
    run = run_test([issue_in(document, wanted)], judge, calls, dataset=found.name)
    moved = confirm(document, wanted, choice, run=run, judge=zero_shot_judge(judge))
    if calls.as_json:
        print_json({"run": str(run), **_as_json(moved)})
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
    from gnomon.cli.options import print_json
    from gnomon.review.curate import find_candidate, reject
    from gnomon.review.dataset import load_dataset

    document, wanted = find_candidate(load_dataset(dataset), candidate)
    moved = reject(document, wanted, why)
    if as_json:
        print_json(_as_json(moved))
    else:
        show_moved([moved])


def run_test(issues: list[Issue], judge: str, calls: CallOptions, *, dataset: str, occasion: str = "") -> Path:
    """Collect the zero-shot test of these issues; the path of its run, complete."""
    from gnomon.cli.options import this_command
    from gnomon.errors import Incomplete, UsageError
    from gnomon.report.inert import inert
    from gnomon.report.numbers import counted
    from gnomon.review.zero_shot import CALLS, outcome_of, run_zero_shot, zero_shot_judge
    from gnomon.run.progress import Shown

    if calls.reuse:
        raise UsageError(
            "--reuse: the zero-shot test takes nothing over from other runs; repeated, it continues its own"
        )
    limits = calls.limits(judge)
    model = calls.open(judge)
    appointed = zero_shot_judge(judge)
    click.echo(f"zero-shot test: {counted(len(issues), 'issue')}, {counted(CALLS * len(issues), 'call')}", err=True)
    path, collected = run_zero_shot(
        issues,
        appointed,
        model,
        dataset=dataset,
        occasion=occasion,
        seed=calls.seed,
        limits=limits,
        budget=calls.spending(),
        progress=Shown(inert(judge)),
        out=calls.out,
    )
    # A call that failed leaves the question open, unless another call has answered it.
    outcomes = [outcome_of(path, issue, appointed) for issue in issues]
    missing = [o for o in outcomes if o.conclusion == "open" and None in o.verdicts]
    if missing:
        raise Incomplete(
            f"incomplete: {collected.stopped or 'some calls failed'}. What was answered is stored in {path}; "
            f"nothing was moved. Continue with:\n  {this_command(collected.stopped)}"
        )
    return path


def show_moved(moved: list[Moved]) -> None:
    """One line a finding, on standard output."""
    from gnomon.report.inert import inert

    for one in moved:
        to = f"written to {one.file}" if one.file else one.state.replace("_", " ")
        click.echo(f"{inert(one.id)}: {to}. {inert(one.why)}")


def _as_json(moved: Moved) -> dict[str, object]:
    import msgspec

    return msgspec.structs.asdict(moved)

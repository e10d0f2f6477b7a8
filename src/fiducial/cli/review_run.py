"""`fiducial review run` and `rejudge`: measure reviewers, and judge stored outputs again."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fiducial.cli.options import call_options
from fiducial.errors import command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fiducial.cli.call_options import CallOptions
    from fiducial.review.conduct import GateKind, Gating
    from fiducial.review.dataset import Dataset
    from fiducial.review.result import ReviewResult
    from fiducial.review.reviewer import Reviewer
    from fiducial.review.run import Prepared, ReviewOptions

OUTPUT_TOKENS = 8192  # a review is long, and one that is cut off has lost its last findings

_judge_option = click.option(
    "--judge",
    "judges",
    multiple=True,
    required=True,
    metavar="MODEL|none",
    help="The model that judges findings; repeat it for a panel, which decides by majority; none parses and counts only.",
)
_judge_tokens = click.option(
    "--judge-max-tokens",
    type=click.IntRange(16),
    default=2048,
    show_default=True,
    help="Most tokens a verdict may have, thinking included.",
)


@click.command("run")
@click.argument("dataset", type=click.Path(path_type=Path))
@click.option(
    "--reviewer",
    "names",
    multiple=True,
    metavar="R",
    help="A shipped reviewer, an agent file or a folder of them; repeatable.",
)
@click.option("--model", help="The reviewers' model, e.g. local/qwen2.5-coder-1.5b (see `fiducial models`).")
@_judge_option
@click.option(
    "--runs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Independent runs of every reviewer on every document; 3 or more for must-finds to count.",
)
@click.option(
    "--outputs",
    type=click.Path(path_type=Path),
    help="Score recorded outputs in this folder (REVIEWER/1.md, 2.md …) instead of asking a model.",
)
@click.option(
    "--gate",
    is_flag=False,
    flag_value="on",
    type=click.Choice(["on", "strict"]),
    help="Exit with 1 unless the must-finds are found; strict also needs a calibrated judge.",
)
@click.option(
    "--min-precision", type=click.FloatRange(0, 1), metavar="X", help="The gate fails if precision is below X."
)
@click.option("--junit", type=click.Path(dir_okay=False, path_type=Path), help="Write JUnit XML for CI here.")
@click.option(
    "--report", "page", type=click.Path(dir_okay=False, path_type=Path), help="Write the HTML report here too."
)
@_judge_tokens
@partial(call_options, max_tokens=OUTPUT_TOKENS)
def run_review(
    calls: CallOptions,
    dataset: Path,
    names: tuple[str, ...],
    model: str | None,
    judges: tuple[str, ...],
    runs: int,
    outputs: Path | None,
    gate: GateKind | None,
    min_precision: float | None,
    junit: Path | None,
    page: Path | None,
    judge_max_tokens: int,
) -> None:
    """Measure reviewers on the documents of DATASET: are their findings real, and are the must-finds found?

    DATASET is a folder with a document and its lists, a folder of such folders, or the name of a shipped one. Repeating
    the command continues the run, or shows its result without a call.
    """
    from fiducial.cli.options import shown
    from fiducial.review.conduct import Bench, Gating, conduct, find_subject, find_who
    from fiducial.review.dataset import load_dataset
    from fiducial.review.refusal import GateRefused

    loaded = load_dataset(dataset)
    subject = find_subject(model, outputs, calls)
    reviewers, recorded = find_who(loaded, names, outputs)
    bench = Bench.of(judges, calls)
    gating = Gating(kind=gate, min_precision=min_precision)
    _warn(loaded, reviewers)
    try:
        done = conduct(
            loaded,
            reviewers,
            subject,
            bench,
            calls,
            runs=runs,
            recorded=recorded,
            limits=calls.limits(subject.name),
            gating=gating,
            judge_max_tokens=judge_max_tokens,
            announce=lambda prepared, options: _announce(prepared, options, bench.names),
            show=shown,
        )
    except GateRefused as refused:
        _write_junit(junit, refused.result)
        if calls.as_json:
            from fiducial.cli.options import print_json

            print_json(refused.result)
        raise
    _write_junit(junit, done.result, gating)
    _finish(done.result, done.path, calls.as_json, page)
    _end(done.result, done.stopped)


def _write_junit(path: Path | None, result: ReviewResult, gating: Gating | None = None) -> None:
    if path is None:
        return
    from fiducial.report.junit import write_junit

    if gating is None:
        write_junit(path, result)
    else:
        write_junit(
            path,
            result,
            min_precision=gating.min_precision,
            strict=gating.strict,
            must_finds=gating.must_finds,
        )


@click.command("rejudge")
@click.argument("run")
@_judge_option
@click.option(
    "--report", "page", type=click.Path(dir_okay=False, path_type=Path), help="Write the HTML report here too."
)
@_judge_tokens
@call_options
def rejudge_run(
    calls: CallOptions, run: str, judges: tuple[str, ...], page: Path | None, judge_max_tokens: int
) -> None:
    """Judge the stored outputs of RUN with another judge, or with today's prompts. No reviewer is asked.

    The run is scored with this judge, or this panel, from now on; verdicts of earlier judges stay in the file, and are
    not asked for again where one of them sits on the panel.
    """
    from fiducial.cli.options import shown
    from fiducial.review.conduct import Bench, conduct_again
    from fiducial.review.run import look
    from fiducial.run.store import find_run

    path = find_run(run)
    look(path)  # says so where it is no review run, before a judge is opened
    bench = Bench.of(judges, calls)
    done = conduct_again(path, bench, calls, judge_max_tokens=judge_max_tokens, show=shown)
    _finish(done.result, path, calls.as_json, page)
    _end(done.result, done.stopped)


def _warn(dataset: Dataset, reviewers: Sequence[Reviewer]) -> None:
    """What will be missing from the result, before anything is paid for."""
    from fiducial.report.inert import inert
    from fiducial.review.dataset import nothing_owned

    for document in dataset.documents:
        if document.changed:
            click.echo(
                f"{inert(document.id)} has changed since it was frozen: the audit will fail on it "
                "(`fiducial review check` says which must-finds are touched)",
                err=True,
            )
    for reviewer in reviewers:
        if said := nothing_owned(dataset.documents, reviewer.name):
            click.echo(inert(said), err=True)


def _announce(prepared: Prepared, options: ReviewOptions, judges: Sequence[str]) -> None:
    """What is about to happen; for a run that costs money, what it will cost."""
    from fiducial.report.numbers import counted
    from fiducial.review.forecast import forecast
    from fiducial.run.conducted import forecast_lines

    trials, source = prepared.plan.trials, prepared.source
    where = f"{counted(len(source.papers), 'document')} by {counted(len(source.reviewers), 'reviewer')}"
    what = "recorded output" if source.recorded else "reviewer call"
    click.echo(f"{counted(len(trials), what)}, {where} -> {prepared.path}", err=True)
    for line in forecast_lines(lambda: forecast(prepared, options, judges)):
        click.echo(line, err=True)


def _finish(result: ReviewResult, path: Path, as_json: bool, page: Path | None) -> None:
    if as_json:
        from fiducial.cli.options import print_json

        print_json(result)
    else:
        from rich.console import Console

        from fiducial.report.review_terminal import show_review

        show_review(result, Console())
        click.echo(f"\nPicture: {command('report', path, '--open')}")
    if page is not None:
        from fiducial.report.write import write_report

        write_report([path], page)
        click.echo(f"report: {page}", err=True)


def _end(result: ReviewResult, stopped: str | None) -> None:
    """Exit code 3 with the command that continues, where something is missing; 1 where the gate failed."""
    if not result.complete:
        from fiducial.cli.options import this_command
        from fiducial.errors import Incomplete

        waiting = f", {result.waiting} questions wait for a judge" if result.waiting else ""
        raise Incomplete(
            f"incomplete: {stopped or 'some calls failed'}. {result.answered} of {result.trials} outputs are "
            f"stored{waiting}. Continue with:\n  {this_command(stopped)}"
        )
    if result.gate is not None and result.gate.result == "failed":
        raise click.exceptions.Exit(1)

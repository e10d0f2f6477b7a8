"""`gnomon review run` and `rejudge`: measure reviewers, and judge stored outputs again."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gnomon.cli.options import call_options, open_judge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gnomon.cli.options import CallOptions
    from gnomon.model.base import Model
    from gnomon.review.dataset import Dataset
    from gnomon.review.result import ReviewResult
    from gnomon.review.reviewer import Reviewer
    from gnomon.review.run import Prepared, ReviewOptions
    from gnomon.review.source import Recorded

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
@click.option("--model", help="The reviewers' model, e.g. local/qwen2.5-coder-1.5b (see `gnomon models`).")
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
    gate: str | None,
    min_precision: float | None,
    junit: Path | None,
    page: Path | None,
    judge_max_tokens: int,
) -> None:
    """Measure reviewers on the documents of DATASET: are their findings real, and are the must-finds found?

    DATASET is a folder with a document and its lists, a folder of such folders, or the name of a shipped one. Repeating
    the command continues the run, or shows its result without a call.
    """
    import msgspec

    from gnomon.cli.review_gate import refusal, refuse
    from gnomon.report.inert import inert
    from gnomon.review.dataset import load_dataset
    from gnomon.review.gate import decide
    from gnomon.review.run import ReviewOptions, collect_run, prepare_run, record_gate, rescore
    from gnomon.run.progress import Shown
    from gnomon.run.store import find_run

    loaded = load_dataset(dataset)
    subject = _subject(model, outputs, calls)
    reviewers, recorded = _who(loaded, names, outputs)
    options = ReviewOptions(
        model=subject.name,
        runs=max((r.run + 1 for r in recorded), default=runs),
        seed=calls.seed,
        settings=calls.settings(),
    )
    bench = _bench(judges, calls)
    prepared = prepare_run(loaded, reviewers, options, recorded=recorded, out=calls.out)
    _warn(loaded, reviewers)
    asked = gate is not None or min_precision is not None
    if gate is not None:
        refused = refusal(loaded, reviewers, prepared, options, list(bench), strict=gate == "strict")
        if refused:
            refuse(refused, calls.as_json, junit, prepared, loaded, options)
    _announce(prepared, options, list(bench))
    collected = collect_run(
        prepared,
        subject,
        options,
        limits=calls.limits(options.model),
        budget=calls.spending(),
        progress=Shown(inert(options.model)),
        reuse=find_run(calls.reuse) if calls.reuse else None,
    )
    stopped = collected.stopped or _judge(prepared.path, bench, calls, judge_max_tokens)
    result = rescore(prepared.path)
    decided = None
    if asked and result.complete:
        decided = decide(
            result.reviewers,
            min_precision=min_precision,
            strict=gate == "strict",
            must_finds=gate is not None,
        )
    record_gate(prepared.path, decided)
    result = msgspec.structs.replace(result, gate=decided)
    if junit is not None:
        from gnomon.report.junit import write_junit

        write_junit(
            junit, result, min_precision=min_precision, strict=gate == "strict", must_finds=gate is not None
        )
    _finish(result, prepared.path, calls.as_json, page)
    _end(result, stopped)


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
    from gnomon.review.run import look, record_gate, rescore
    from gnomon.run.store import find_run

    path = find_run(run)
    look(path)  # says so where it is no review run
    bench = _bench(judges, calls)
    record_gate(path, None)  # what it decided, it decided on other verdicts
    stopped = _judge(path, bench, calls, judge_max_tokens)
    result = rescore(path)
    _finish(result, path, calls.as_json, page)
    _end(result, stopped)


def _who(dataset: Dataset, names: Sequence[str], outputs: Path | None) -> tuple[list[Reviewer], list[Recorded]]:
    """The reviewers, and their recorded outputs where there are some. Of those, a reviewer's name is enough."""
    from gnomon.errors import UsageError
    from gnomon.review.recorded import find_outputs
    from gnomon.review.reviewer import find_reviewers, is_known, shipped_reviewers, unknown_reviewer

    if outputs is None:
        if not names:
            raise UsageError(
                "--reviewer is missing: name a shipped one, an agent file, or a folder of them. Shipped: "
                f"{', '.join(shipped_reviewers())}."
            )
        return find_reviewers(names), []
    by_name = {
        r.name: r
        for name in names
        for r in (find_reviewers([name]) if is_known(name) else [unknown_reviewer(name)])
    }
    recorded = find_outputs(outputs, [d.id for d in dataset.documents], list(by_name))
    return [
        by_name.get(name) or unknown_reviewer(name) for name in dict.fromkeys(r.reviewer for r in recorded)
    ], recorded


def _subject(model: str | None, outputs: Path | None, calls: CallOptions) -> Model:
    from gnomon.errors import UsageError
    from gnomon.review.recorded import RecordedOutputs

    if outputs is not None:
        if model is not None:
            raise UsageError("--outputs scores what is recorded and asks no model: leave --model or --outputs out.")
        return RecordedOutputs(outputs)
    if model is None:
        raise UsageError("--model is missing: which model do the reviewers run on? (see `gnomon models`)")
    return calls.open(model)


def _bench(judges: Sequence[str], calls: CallOptions) -> dict[str, Model]:
    """The judges by name, opened before the first call; several are a panel, none at all is `none`."""
    from gnomon.errors import UsageError
    from gnomon.judge.panel import members

    names = members(judges)
    if "none" in names and len(names) > 1:
        others = ", ".join(name for name in names if name != "none")
        raise UsageError(
            f"--judge none parses and counts only, and cannot sit on a panel with {others}: leave one out."
        )
    return {name: model for name in names if (model := open_judge(name, calls)) is not None}


def _judge(path: Path, bench: Mapping[str, Model], calls: CallOptions, tokens: int) -> str | None:
    """Let the judges decide what is open; the reason one stopped, where it did."""
    from gnomon.report.inert import inert
    from gnomon.review.run import JudgeModel, judge_run
    from gnomon.run.progress import Shown

    seats = [
        JudgeModel(name=name, model=model, limits=calls.limits(name), progress=Shown(f"judge {inert(name)}"))
        for name, model in bench.items()
    ]
    return judge_run(path, seats, budget=calls.spending(), max_tokens=tokens).stopped


def _warn(dataset: Dataset, reviewers: Sequence[Reviewer]) -> None:
    """What will be missing from the result, before anything is paid for."""
    from gnomon.report.inert import inert
    from gnomon.review.dataset import nothing_owned

    for document in dataset.documents:
        if document.changed:
            click.echo(
                f"{inert(document.id)} has changed since it was frozen: the audit will fail on it "
                "(`gnomon review check` says which must-finds are touched)",
                err=True,
            )
    for reviewer in reviewers:
        if said := nothing_owned(dataset.documents, reviewer.name):
            click.echo(inert(said), err=True)


def _announce(prepared: Prepared, options: ReviewOptions, judges: Sequence[str]) -> None:
    """What is about to happen; for a run that costs money, what it will cost."""
    from gnomon.report.numbers import counted
    from gnomon.review.forecast import forecast

    trials, source = prepared.plan.trials, prepared.source
    where = f"{counted(len(source.papers), 'document')} by {counted(len(source.reviewers), 'reviewer')}"
    what = "recorded output" if source.recorded else "reviewer call"
    click.echo(f"{counted(len(trials), what)}, {where} -> {prepared.path}", err=True)
    for line in forecast(prepared, options, judges):
        click.echo(line, err=True)


def _finish(result: ReviewResult, path: Path, as_json: bool, page: Path | None) -> None:
    if as_json:
        from gnomon.cli.options import print_json

        print_json(result)
    else:
        from rich.console import Console

        from gnomon.report.review_terminal import show_review

        show_review(result, Console())
        click.echo(f"\nPicture: gnomon report {path} --open")
    if page is not None:
        from gnomon.report.write import write_report

        write_report([path], page)
        click.echo(f"report: {page}", err=True)


def _end(result: ReviewResult, stopped: str | None) -> None:
    """Exit code 3 with the command that continues, where something is missing; 1 where the gate failed."""
    if not result.complete:
        from gnomon.cli.options import this_command
        from gnomon.errors import Incomplete

        waiting = f", {result.waiting} questions wait for a judge" if result.waiting else ""
        raise Incomplete(
            f"incomplete: {stopped or 'some calls failed'}. {result.answered} of {result.trials} outputs are "
            f"stored{waiting}. Continue with:\n  {this_command(stopped)}"
        )
    if result.gate is not None and result.gate.result == "failed":
        raise click.exceptions.Exit(1)

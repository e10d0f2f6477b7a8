"""`fiducial review` from Python: how genuine and how complete are a reviewer's findings?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Unpack

from fiducial.api.models import CallSettings, Judges, ModelGiven, made_calls, opened, seats, shown, silent
from fiducial.api.runs import ReviewRun, Run, check_complete, path_of
from fiducial.errors import Interrupted
from fiducial.model.base import Model
from fiducial.review.conduct import (
    OUTPUT_TOKENS,
    VERDICT_TOKENS,
    Bench,
    GateKind,
    Gating,
    conduct,
    conduct_again,
    find_subject,
    find_who,
)
from fiducial.review.dataset import load_dataset
from fiducial.review.finding import Parsed
from fiducial.review.parse import parse
from fiducial.review.readiness import Readiness
from fiducial.review.result import ReviewResult
from fiducial.review.run import look
from fiducial.review.status import status
from fiducial.run.calls import Calls
from fiducial.run.conducted import Conducted
from fiducial.run.limits import Limits
from fiducial.run.store import DEFAULT_FOLDER


def review_run(
    dataset: str | Path,
    *,
    reviewers: str | Path | Iterable[str | Path] = (),
    model: ModelGiven | None = None,
    judge: Judges,
    runs: int = 1,
    outputs: str | Path | None = None,
    gate: GateKind | None = None,
    min_precision: float | None = None,
    judge_max_tokens: int = VERDICT_TOKENS,
    progress: bool = True,
    **calls: Unpack[CallSettings],
) -> ReviewRun:
    """Measure reviewers on the documents of a dataset, as `fiducial review run` does. The same call continues its run.

    `reviewers` are shipped ones by name, agent files, or folders of them. `judge` is a model, several for a panel, or
    `"none"`. `outputs` is a folder of recorded outputs, in place of a model. A gate that fails is
    `.gate.result == "failed"`; one that is asked for too early raises `GateRefused` before any call.
    """
    told = made_calls(calls, max_tokens=OUTPUT_TOKENS)
    loaded = load_dataset(Path(dataset))
    recorded_in = Path(outputs) if outputs is not None else None
    if model is None or isinstance(model, str):
        subject = find_subject(model, recorded_in, told)
        limits = told.limits(subject.name)
    else:
        subject, limits = opened(model, told)
        if recorded_in is not None:
            find_subject(subject.name, recorded_in, told)  # refuses both at once
    names = [reviewers] if isinstance(reviewers, str | Path) else list(reviewers)
    who, recorded = find_who(loaded, [str(name) for name in names], recorded_in)
    bench = _bench(judge, told)
    gating = Gating(kind=gate, min_precision=min_precision)
    path: list[Path] = []
    try:
        done = conduct(
            loaded,
            who,
            subject,
            bench,
            told,
            runs=runs,
            recorded=recorded,
            limits=limits,
            gating=gating,
            judge_max_tokens=judge_max_tokens,
            announce=lambda prepared, options: path.append(prepared.path),
            show=shown if progress else silent,
        )
    except KeyboardInterrupt:
        raise Interrupted(path[0] if path else None) from None
    return _finished(done, gating)


def review_rejudge(
    run: str | Path | Run,
    *,
    judge: Judges,
    judge_max_tokens: int = VERDICT_TOKENS,
    progress: bool = True,
    **calls: Unpack[CallSettings],
) -> ReviewRun:
    """Judge stored outputs with another judge, or with today's prompts. No reviewer is asked."""
    told = made_calls(calls, max_tokens=OUTPUT_TOKENS)
    path = path_of(run)
    look(path)  # says so where it is no review run
    bench = _bench(judge, told)
    try:
        done = conduct_again(
            path, bench, told, judge_max_tokens=judge_max_tokens, show=shown if progress else silent
        )
    except KeyboardInterrupt:
        raise Interrupted(path) from None
    return _finished(done, Gating())


def _finished(done: Conducted[ReviewResult], gating: Gating) -> ReviewRun:
    result = done.result
    waiting = f", {result.waiting} questions wait for a judge" if result.waiting else ""
    stored = f"{result.answered} of {result.trials} outputs are stored{waiting}"
    check_complete(done.path, complete=result.complete, stopped=done.stopped, stored=stored)
    return ReviewRun(done.path, result, gating)


def _bench(judge: Judges, calls: Calls) -> Bench:
    names: list[str] = []
    given: dict[str, tuple[Model, Limits]] = {}
    for one in seats(judge):
        if isinstance(one, str):
            names.append(one)
        else:
            found = opened(one, calls)
            given[found[0].name] = found
            names.append(found[0].name)
    return Bench.of(names, calls, given)


def review_parse(text: str) -> Parsed:
    """The findings in what a reviewer wrote, or why there are none."""
    return parse(text)


def review_status(
    dataset: str | Path,
    reviewers: Iterable[str | Path] = (),
    *,
    model: str | None = None,
    judge: str | None = None,
    folder: str | Path = DEFAULT_FOLDER,
    note: Callable[[str], None] = lambda message: None,
) -> list[Readiness]:
    """What a gate on this dataset still needs, for each reviewer. No call is made."""
    return status(
        load_dataset(Path(dataset)),
        [str(name) for name in reviewers],
        model=model,
        judge=judge,
        folder=Path(folder),
        note=note,
    )

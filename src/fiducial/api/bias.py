"""`fiducial bias` from Python: how biased are a model's decisions?"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Unpack

from fiducial.api.models import CallSettings, ModelGiven, made_calls, opened, shown, silent
from fiducial.api.runs import BiasRun, Run, check_complete, path_of
from fiducial.bias.conduct import Reader, bias_options, conduct
from fiducial.bias.example import Example, example_of
from fiducial.bias.item import Bias
from fiducial.bias.items import Analysis, analyse
from fiducial.bias.lint import SEEDS, Problem
from fiducial.bias.own import lint_files, with_own
from fiducial.bias.read import Kind, Option, Reading, read
from fiducial.bias.recorded import RecordedResult, score_recorded
from fiducial.bias.source import ARMS
from fiducial.errors import Interrupted
from fiducial.run.calls import Calls
from fiducial.study.calibrate import Calibration as EstimatorCalibration
from fiducial.study.calibrate_conduct import calibrate_estimator, estimator_design
from fiducial.study.protocol_calibrate import ChatCalibration


def bias_run(
    model: ModelGiven,
    *,
    tier: Literal["quick", "core", "extended", "own"] | None = None,
    biases: Iterable[str] = (),
    arms: Iterable[str] = ARMS,
    protocols: Iterable[str] = (),
    at: Literal["weak", "moderate", "strong", "adversarial"] = "moderate",
    rounds: int = 4,
    trials: int | None = None,
    until: str | None = None,
    read: Literal["text", "letter", "logprobs"] = "text",
    judge: ModelGiven | None = None,
    system: str | None = None,
    battery: Iterable[str | Path] = (),
    progress: bool = True,
    **calls: Unpack[CallSettings],
) -> BiasRun:
    """Measure a subject, as `fiducial bias run` does. The same call continues its run, or shows its result without a call.

    `judge` reads replies that the rules cannot: a model, `"none"`, or None to leave it as the run has it. `system` is
    the text of a system message, `battery` are folders or files of your own biases. What is left at None depends on the
    rest: a tier of `quick` and 3 trials, unless there is a stopping rule (`until="width=.2"`).
    """
    told = made_calls(calls)
    subject, limits = opened(model, told)
    reader = _reader(judge, told)
    options = bias_options(
        subject.name,
        told,
        tier=tier,
        biases=biases,
        arms=arms,
        protocols=protocols,
        at=at,
        rounds=rounds,
        trials=trials,
        until=until,
        read=read,
        judge=reader.name,
        system=system,
    )
    path: list[Path] = []
    try:
        done = conduct(
            with_own([Path(place) for place in battery]),
            options,
            subject,
            told,
            limits=limits,
            reader=reader,
            announce=lambda prepared: path.append(prepared.path),
            show=shown if progress else silent,
        )
    except KeyboardInterrupt:
        raise Interrupted(path[0] if path else None) from None
    result = done.result
    stored = f"{result.answered} of {result.trials} replies are stored"
    check_complete(done.path, complete=result.complete, stopped=done.stopped, stored=stored)
    return BiasRun(done.path, result)


def _reader(judge: ModelGiven | None, calls: Calls) -> Reader:
    if judge is None or isinstance(judge, str):
        return Reader.named(judge, calls)
    model, limits = opened(judge, calls)
    return Reader(model.name, model, limits)


def bias_list(battery: Iterable[str | Path] = ()) -> list[Bias]:
    """The biases that can be measured: the packaged ones, and those of your own files and folders."""
    return list(with_own([Path(place) for place in battery]).biases.values())


def bias_show(id: str, *, item: str | None = None, seed: int = 1, battery: Iterable[str | Path] = ()) -> Example:
    """What a bias is and how it is measured: `.bias`, one `.item` of it (the first, or the one of that name), and its
    `.block` as the seed makes it. `.prompts` are the prompts, arm by arm; `.block.arms[NAME].marked` is what differs."""
    (bias,) = with_own([Path(place) for place in battery]).select([id])
    return example_of(bias, item, seed=seed)


def bias_lint(*files: str | Path, battery: Iterable[str | Path] = (), seeds: int = SEEDS) -> list[Problem]:
    """What a careful reader would reject in these files and folders, or in the packaged battery; empty is good.

    In `battery`, an id that a packaged bias has is refused, as in a run.
    """
    places = [Path(place) for place in battery]
    return lint_files([Path(file) for file in files], places, seeds=seeds).problems


def bias_items(*several: str | Path | Run, biases: Sequence[str] = ()) -> Analysis:
    """Item analysis over one or more bias runs: difficulty, discrimination, drift."""
    return analyse([path_of(run) for run in several], biases=biases)


def bias_read(
    response: str,
    kind: Kind = "option",
    *,
    options: Sequence[Option | Mapping[str, str]] | None = None,
    prompt: str | None = None,
) -> Reading:
    """The answer that a reply commits to, where it stands in the text, and the rule that read it; or an abstention."""
    given = None
    if options is not None:
        given = [o if isinstance(o, Option) else Option(label=o["label"], text=o["text"]) for o in options]
    return read(response, kind, options=given, prompt=prompt)


def bias_score(replies: str | Path | Iterable[Mapping[str, Any]], *, name: str = "replies") -> RecordedResult:
    """Effects from replies recorded elsewhere: a file of JSON Lines, or the rows themselves (see `fiducial bias score`)."""
    if isinstance(replies, str | Path):
        path = Path(replies)
        with path.open(encoding="utf-8-sig", errors="replace") as lines:
            return score_recorded(lines, file=str(path), run=path.stem)
    rows = [json.dumps(dict(row)) for row in replies]
    return score_recorded(rows, file=name, run=name)


def bias_calibrate(
    *,
    protocols: Iterable[str] = (),
    tier: Literal["core", "extended"] = "core",
    runs: int | None = None,
    trials: int | None = None,
    arms: Iterable[str] = (),
    at: Literal["weak", "moderate", "strong", "adversarial"] | None = None,
    rounds: int | None = None,
    subjects: Iterable[str] = (),
    biases: Iterable[str] = (),
    battery: Iterable[str | Path] = (),
    seed: int = 1,
    step: Callable[[], object] = lambda: None,
) -> EstimatorCalibration | ChatCalibration:
    """Hold the estimator against simulated subjects whose bias is known; with `protocols`, the estimates of those.

    What is left out is as the study has it (see `fiducial bias calibrate --help`). `step` is called after every run.
    `.missed` are the bounds that do not hold.
    """
    design = estimator_design(
        protocols=protocols,
        tier=tier,
        runs=runs,
        trials=trials,
        arms=arms,
        at=at,
        rounds=rounds,
        subjects=subjects,
        biases=biases,
        battery=tuple(battery),
        seed=seed,
    )
    return calibrate_estimator(design, step=step)

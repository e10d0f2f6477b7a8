"""A judge on trial as commands and programs want it: from its cases to what they say of it, in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct

from fiducial.errors import Incomplete, Interrupted, UsageError
from fiducial.judge.calibration import Calibration, Half, today
from fiducial.judge.case import Task
from fiducial.judge.prompt import prompt_text
from fiducial.judge.sitting import ask_cases
from fiducial.judge.wording import SHIPPED, Wording, check_template
from fiducial.model.base import Model
from fiducial.run.calls import Calls
from fiducial.run.collect import Collected
from fiducial.run.conducted import Conducted, Show, forecast_lines
from fiducial.run.limits import Limits
from fiducial.study.judge_ablate import Ablation, ablation_of, prepare_ablation
from fiducial.study.judge_attack import Design, prepare_attack
from fiducial.study.judge_attack_result import AttackResult, attack_result
from fiducial.study.judge_calibrate import calibrations_of
from fiducial.study.judge_sets import CaseSet
from fiducial.study.judge_trial import Trying, forecast, prepare, waiting

VERDICT_TOKENS = 2048  # a verdict is short; the rest is for models that think before they write
REPEATS = 2

OnTrial = tuple[Model, Limits]


class Tried(Struct, frozen=True, kw_only=True):
    """What a trial came to. `calibrations` are of the judge, or of the panel; then `seats` are of its members."""

    calibrations: list[Calibration]
    seats: list[Calibration]
    paths: list[Path]
    left_out: dict[str, int]


def refuse_reuse(calls: Calls, what: str) -> None:
    """Replies of other runs were given to other cases."""
    if calls.reuse:
        raise UsageError(f"--reuse: {what} takes nothing over from other runs; repeated, it continues its own")


def wording_of(task: Task, text: str | None, *, where: str) -> Wording:
    """A prompt of one's own; None, or the text of the shipped one, is the shipped one."""
    if text is None or text.strip() == prompt_text(task):
        return SHIPPED
    return Wording(name="own", template=check_template(task, text, where=where))


def half_of(half: Half | None, *, tuned: bool) -> Half:
    """The half that is meant: what was `tuned` by somebody is tried on cases that it was not tuned on."""
    return half or ("holdout" if tuned else "all")


def ask_judge(path: Path, judge: OnTrial, calls: Calls, show: Show) -> Collected:
    """Ask what has not been asked yet."""
    model, limits = judge
    try:
        return ask_cases(
            path,
            model,
            limits=limits,
            budget=calls.spending(),
            progress=show(f"judge {model.name}"),
            max_tokens=calls.max_tokens,
        )
    except KeyboardInterrupt:
        raise Interrupted(path) from None


def calibrate(
    judges: Sequence[OnTrial],
    found: CaseSet,
    calls: Calls,
    *,
    task: Task,
    set: str,
    half: Half,
    wording: Wording,
    repeats: int,
    floors: Mapping[str, float],
    announce: Callable[[str], None],
    show: Show,
) -> Tried:
    """Ask every judge all cases, each in a run file of its own, and compute the calibrations. Nothing is saved yet.

    Raises `Incomplete` where a judge did not answer everything: of half a trial there is no calibration.
    """
    if calls.out is not None and len(judges) > 1:
        raise UsageError("--out names one run file, and every judge of a panel has its own: leave it out")
    paths = []
    for judge in judges:
        trying = Trying.of(
            found,
            judge=judge[0].name,
            task=task,
            set=set,
            half=half,
            wording=wording,
            repeats=repeats,
            seed=calls.seed,
        )
        path = prepare(trying, day=today(), out=calls.out)
        for line in forecast_lines(partial(forecast, trying, path)):
            announce(line)
        collected = ask_judge(path, judge, calls, show)
        if missing := waiting(path):
            raise Incomplete(
                f"incomplete: {collected.stopped or 'some calls failed'}. {missing} answers are missing, and no "
                f"calibration was written; what was answered is stored in {path}.",
                path=path,
                stopped=collected.stopped,
            )
        paths.append(path)
    return Tried(
        calibrations=calibrations_of(*paths, floors=floors),
        seats=[one for path in paths for one in calibrations_of(path)] if len(paths) > 1 else [],
        paths=paths,
        left_out=found.left_out,
    )


def ablate(
    judge: OnTrial,
    found: CaseSet,
    calls: Calls,
    *,
    set: str,
    wordings: Sequence[Wording],
    announce: Callable[[Path], None],
    show: Show,
) -> Conducted[Ablation]:
    """Ask a judge the cases in every wording. `announce` is told of the run file before the first call."""
    path = prepare_ablation(judge[0].name, found.cases, wordings, of=set, seed=calls.seed, out=calls.out)
    announce(path)
    collected = ask_judge(path, judge, calls, show)
    return Conducted(path, ablation_of(path), collected.stopped)


def attack(
    judge: OnTrial,
    found: CaseSet,
    calls: Calls,
    *,
    set: str,
    design: Design,
    announce: Callable[[Path, int], None],
    show: Show,
) -> Conducted[AttackResult]:
    """Ask a judge the cases as they are and attacked. `announce` is told of the run file and the number of verdicts."""
    path, verdicts = prepare_attack(judge[0].name, found.cases, design, of=set, out=calls.out)
    announce(path, verdicts)
    collected = ask_judge(path, judge, calls, show)
    return Conducted(path, attack_result(path), collected.stopped)

"""`fiducial judge` from Python: how far can a judge be trusted?"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from fiducial.api.models import CallSettings, Judges, ModelGiven, made_calls, opened, seats, shown, silent
from fiducial.api.runs import check_complete, interruptions
from fiducial.judge.calibration import FOLDER, Calibration, Half, load_all, save
from fiducial.judge.case import Task
from fiducial.judge.correct import Correction
from fiducial.study import judge_conduct
from fiducial.study.injections import Injection, Where, all_injections
from fiducial.study.judge_ablate import Ablation, Factor, wordings_of
from fiducial.study.judge_attack import CASES, PER_INJECTION, Defences, design_of, usual_set
from fiducial.study.judge_attack_result import AttackResult
from fiducial.study.judge_calibrations import calibration_named
from fiducial.study.judge_conduct import REPEATS, VERDICT_TOKENS, Tried, half_of, refuse_reuse, wording_of
from fiducial.study.judge_rows import correct_recorded, read_verdicts
from fiducial.study.judge_sets import load_set


def judge_calibrate(
    judge: Judges,
    *,
    task: Task,
    set: str,
    half: Half | None = None,
    cases: int | None = None,
    repeats: int = REPEATS,
    prompt: str | None = None,
    min_sensitivity: float | None = None,
    min_specificity: float | None = None,
    folder: str | Path | None = FOLDER,
    progress: bool = True,
    **calls: Unpack[CallSettings],
) -> Tried:
    """Put cases whose label is known to a judge, or to a panel and each of its seats: how often is it wrong?

    `set` is `planted:DATASET` or `labels:FILE`; `prompt` the text of a prompt of your own. The calibrations are written
    to `folder`, where later runs find them, unless it is None. `below` of a calibration names the rates whose lower
    bound does not reach its floor.
    """
    told = made_calls(calls, max_tokens=VERDICT_TOKENS)
    refuse_reuse(told, "a calibration")
    wording = wording_of(task, prompt, where="prompt")
    chosen = half_of(half, tuned=prompt is not None)
    on_trial = [opened(one, told) for one in seats(judge)]
    floors = {"sensitivity": min_sensitivity, "specificity": min_specificity}
    with interruptions():
        done = judge_conduct.calibrate(
            on_trial,
            load_set(task, set, seed=told.seed, half=chosen, limit=cases),
            told,
            task=task,
            set=set,
            half=chosen,
            wording=wording,
            repeats=repeats,
            floors={name: floor for name, floor in floors.items() if floor is not None},
            announce=lambda line: None,
            show=shown if progress else silent,
        )
    if folder is not None:
        for one in (*done.calibrations, *done.seats):
            save(one, folder=Path(folder))
    return done


def judge_calibrations(folder: str | Path = FOLDER) -> list[Calibration]:
    """What is known of judges' errors: the calibrations in a folder. Files that cannot be read are left out."""
    return list(load_all([Path(folder)]).found.values())


def judge_show(name: str | Path, *, folder: str | Path = FOLDER) -> Calibration:
    """One calibration: by its name in the folder, by a part of it that no other has, or by its file."""
    return calibration_named(str(name), Path(folder))


def judge_injections() -> list[Injection]:
    """The texts that `judge_attack` tries, the controls among them."""
    return list(all_injections())


def judge_correct(verdicts: str | Path | Iterable[Mapping[str, Any]], *, group: str | None = None) -> Correction:
    """A true share from a judge's verdicts and a few labels: a file of JSON Lines, or the rows themselves.

    A row is `{"id", "verdict": 0|0.5|1|None, "label": 0|1|None, "group": text|None}`.
    """
    if isinstance(verdicts, str | Path):
        name = str(verdicts)
        with Path(verdicts).open(encoding="utf-8-sig", errors="replace") as lines:
            recorded = read_verdicts(lines, file=name)
    else:
        name = "verdicts"
        recorded = read_verdicts([json.dumps(dict(row)) for row in verdicts], file=name)
    return correct_recorded(recorded, group=group, file=name)


def judge_ablate(
    judge: ModelGiven,
    *,
    task: Task,
    set: str,
    factors: Sequence[Factor] = (),
    prompts: Sequence[str | Path] = (),
    half: Half | None = None,
    cases: int | None = None,
    progress: bool = True,
    **calls: Unpack[CallSettings],
) -> Ablation:
    """What moves a judge that should not: the same cases in several wordings, held against asking twice."""
    told = made_calls(calls, max_tokens=VERDICT_TOKENS)
    refuse_reuse(told, "an ablation")
    files = [Path(prompt) for prompt in prompts]
    wordings = wordings_of(task, factors or None, files)
    on_trial = opened(judge, told)
    done = judge_conduct.ablate(
        on_trial,
        load_set(task, set, seed=told.seed, half=half_of(half, tuned=bool(files)), limit=cases),
        told,
        set=set,
        wordings=wordings,
        announce=lambda path: None,
        show=shown if progress else silent,
    )
    result = done.result
    stored = f"{result.waiting} answers are missing; the others are stored"
    check_complete(done.path, complete=result.complete, stopped=done.stopped, stored=stored)
    return result


def judge_attack(
    judge: ModelGiven,
    *,
    task: Task = "genuine",
    set: str | None = None,
    cases: int = CASES,
    per_injection: int = PER_INJECTION,
    kinds: Sequence[str] = (),
    places: Sequence[Where] = (),
    defences: Defences = "all",
    progress: bool = True,
    **calls: Unpack[CallSettings],
) -> AttackResult:
    """Can the judge be talked round, by texts in findings, documents and replies that urge the wrong verdict?"""
    told = made_calls(calls, max_tokens=VERDICT_TOKENS)
    refuse_reuse(told, "an attack")
    design = design_of(per_injection=per_injection, kinds=kinds, places=places, defences=defences, seed=told.seed)
    on_trial = opened(judge, told)
    of = set or usual_set(task)
    done = judge_conduct.attack(
        on_trial,
        load_set(task, of, seed=told.seed, limit=cases),
        told,
        set=of,
        design=design,
        announce=lambda path, verdicts: None,
        show=shown if progress else silent,
    )
    result = done.result
    stored = f"{result.answered} of {result.askings} verdicts are stored"
    check_complete(done.path, complete=result.complete, stopped=done.stopped, stored=stored)
    return result

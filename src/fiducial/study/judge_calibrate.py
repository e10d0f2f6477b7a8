"""From the replies of a judge on trial to its calibrations.

A calibration belongs to one version of a prompt; cases on documents of several types have one for each. The first asking
of a case is what counts, as in a run; the repeats only say how steady the judge is. The day of a calibration is that of
its last reply: to look at old replies again makes nothing younger.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path

import msgspec

from fiducial.errors import UsageError
from fiducial.judge.calibration import ENOUGH, VALID_DAYS, Basis, Calibration, Counts, Half, Rate, Rates
from fiducial.judge.case import CaseVerdict
from fiducial.judge.panel import panel_case, panel_name
from fiducial.judge.sitting import Answered, answered, judge_of
from fiducial.judge.verdict import Invalid
from fiducial.run.store import Store
from fiducial.stats.estimate import Measured, Withheld
from fiducial.study import judge_rates as rates
from fiducial.study.judge_rates import Judged
from fiducial.study.judge_trial import digest, label_hash, made_on, waiting

MIDDLE = ("genuine", "match")  # the tasks with a verdict between yes and no


def calibrations_of(*paths: Path, floors: Mapping[str, float] | None = None) -> list[Calibration]:
    """One for every version of the prompt in the run, which has to be complete. No call is made.

    Several runs, of the same cases by different judges, are those of a panel, which is calibrated as the one judge that
    it is. `floors` are least lower bounds, by `sensitivity` and `specificity`.
    """
    days = [made_on(path) for path in paths]
    for path, day in zip(paths, days, strict=True):
        if day is None or waiting(path):
            raise UsageError(f"{path}: not every case has been answered; repeat the command that made it")
    settings = []
    for path in paths:
        with Store(path) as store:
            settings.append(store.meta("settings") or {})
    model = panel_name(str(own["model"]) for own in settings)
    by_prompt: dict[str, list[Answered]] = {}
    for one in _votes(paths):
        by_prompt.setdefault(judge_of(one.case, one.wording, model).prompt, []).append(one)
    made = min(day for day in days if day is not None)  # it holds no longer than its oldest part
    common = {**settings[0], "model": model, "run": ", ".join(path.stem for path in paths)}
    return [_calibration(own, common, made=made, floors=dict(floors or {})) for own in by_prompt.values()]


def _votes(paths: Sequence[Path]) -> Iterator[Answered]:
    """Every asking with its verdict; of several judges, with that of the panel."""
    seats = [{(one.case.id, one.wording.name, one.repeat): one for one in answered(path)} for path in paths]
    for key, one in seats[0].items():
        if any(key not in seat for seat in seats):
            raise UsageError(f"{paths[0]} and {paths[1]}: not of the same cases; a panel is asked the same")
        verdict = panel_case(one.case.task, [seat[key].verdict for seat in seats])
        yield msgspec.structs.replace(one, verdict=verdict)


def _calibration(
    asked: Sequence[Answered], settings: Mapping[str, object], *, made: date, floors: dict[str, float]
) -> Calibration:
    first = [one for one in asked if one.repeat == 0]
    basis: Basis = "planted" if settings["basis"] == "planted" else "labels"
    cases = [case for one in first if (case := _judged(one, basis))]
    judge = judge_of(first[0].case, first[0].wording, str(settings["model"]))
    positives = sum(case.label == 1 for case in cases)
    found = {"sensitivity": rates.sensitivity(cases), "specificity": rates.specificity(cases)}
    invalid = sum(isinstance(one.verdict, Invalid) for one in first)
    labels = label_hash([one.case for one in first])
    half: Half = msgspec.convert(settings["half"], Half)
    return Calibration(
        task=judge.task,
        model=judge.model,
        prompt_hash=judge.prompt,
        about=judge.about,
        label_hash=labels,
        set=str(settings["set"]),
        basis=basis,
        half=half,
        made=made.isoformat(),
        expires=(made + timedelta(days=VALID_DAYS)).isoformat(),
        run=str(settings["run"]),
        positives=positives,
        negatives=len(cases) - positives,
        exploratory=min(positives, len(cases) - positives) < ENOUGH,
        sensitivity=Rate.of(found["sensitivity"]),
        specificity=Rate.of(found["specificity"]),
        kappa=Rate.of(rates.kappa(cases)),
        base_rate=positives / len(cases) if cases else None,
        calibration_error=Rate.of(rates.calibration_error(cases)),
        borderline=Rate.of(_borderline(judge.task, cases)),
        invalid=Rate.of(rates.share(invalid, len(first), "there is no case")),
        consistency=Rate.of(_consistency(asked)),
        categories=_categories(cases),
        counts=_counts(cases),
        floors=floors,
        below=[name for name, floor in floors.items() if _below(found[name], floor)],
        name=_name(judge.task, judge.model, (judge.prompt, labels, str(settings["set"]), half)),
    )


def _judged(one: Answered, basis: Basis) -> Judged | None:
    verdict, case = one.verdict, one.case
    if not isinstance(verdict, CaseVerdict) or case.label is None:
        return None
    # Replies of simulated subjects share nothing; variants of a document are one document.
    document = None if case.task == "read" else case.group if basis == "planted" else digest(case.document)
    return Judged(
        label=case.label,
        score=verdict.score,
        between=verdict.between,
        confidence=verdict.confidence,
        category=case.category,
        group=case.group,
        document=document,
    )


def _borderline(task: str, cases: Sequence[Judged]) -> Measured:
    if task not in MIDDLE:
        return Withheld("the task has no verdict between yes and no")
    return rates.share(sum(case.between for case in cases), len(cases), "no case has a verdict")


def _consistency(asked: Iterable[Answered]) -> Measured:
    """Of the cases with two verdicts or more, the share with the same one every time; invalid replies are none."""
    said: dict[str, list[str]] = {}
    for one in asked:
        if isinstance(one.verdict, CaseVerdict):
            said.setdefault(one.case.id, []).append(one.verdict.said)
    several = [own for own in said.values() if len(own) > 1]
    return rates.share(
        sum(len(set(own)) == 1 for own in several), len(several), "no case has two verdicts: --repeats asks again"
    )


def _categories(cases: Sequence[Judged]) -> dict[str, Rates]:
    names = sorted({case.category for case in cases if case.category})
    return {
        name: Rates(sensitivity=Rate.of(rates.sensitivity(own)), specificity=Rate.of(rates.specificity(own)))
        for name in names
        if (own := [case for case in cases if case.category == name])
    }


def _counts(cases: Sequence[Judged]) -> list[Counts]:
    scores: dict[tuple[int, str, str], list[float]] = {}
    for case in cases:
        scores.setdefault((case.label, case.category or "", case.group or ""), []).append(case.score)
    return [
        Counts(
            label=label,
            category=category or None,
            group=group or None,
            n=len(own),
            total=sum(own),
            squares=sum(score**2 for score in own),
        )
        for (label, category, group), own in sorted(scores.items())
    ]


def _below(measured: Measured, floor: float) -> bool:
    """Written so that what is not known is below."""
    return isinstance(measured, Withheld) or not measured.low >= floor


def _name(task: str, model: str, what: tuple[str, ...]) -> str:
    slug = re.sub(r"[^a-z0-9.]+", "-", model.lower())[:40].strip("-.")
    return f"{task}-{slug}-{digest(model, *what)[:8]}"

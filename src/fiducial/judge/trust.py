"""What is known of a judge's errors on the day that it is relied on, and what the audit says of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Literal

from msgspec import Struct

from fiducial.judge.asking import Judge
from fiducial.judge.calibration import ENOUGH, FOLDER, Calibration, Known, Rate, find
from fiducial.run.audit import Check

State = Literal["calibrated", "exploratory", "planted", "expired", "unknown"]


class Trust(Struct, frozen=True, kw_only=True):
    """One judge in one task, and the calibration that was found for it."""

    task: str
    about: str
    model: str
    prompt: str
    state: State
    calibration: Calibration | None = None

    @property
    def holds(self) -> bool:
        """Whether its error rates are known well enough to decide something by."""
        return self.state == "calibrated"


def trust_in(judge: Judge, *, today: date, folder: Known = FOLDER) -> Trust:
    """What is known of the judge under the prompt that it is asked with."""
    found = find(judge, folder=folder)
    return Trust(
        task=judge.task,
        about=judge.about,
        model=judge.model,
        prompt=judge.prompt,
        state="unknown" if found is None else state_of(found, today),
        calibration=found,
    )


def trust_by(found: Calibration, *, today: date) -> Trust:
    """What a calibration says of the judge that it is about."""
    return Trust(
        task=found.task,
        about=found.about,
        model=found.model,
        prompt=found.prompt_hash,
        state=state_of(found, today),
        calibration=found,
    )


def state_of(found: Calibration, today: date) -> State:
    """What a calibration is worth on a day."""
    if found.expired(today):
        return "expired"
    if found.basis == "planted":
        return "planted"
    return "exploratory" if found.exploratory else "calibrated"


def check_trust(trusts: Sequence[Trust], *, unknown: str) -> Iterator[Check]:
    """One check a judge. `unknown` says what it means that nothing is known; `{model}` in it is the judge's name."""
    for trust in trusts:
        yield _check(trust, unknown)


def _check(trust: Trust, unknown: str) -> Check:
    who = f"{trust.model} ({trust.task}{', ' + trust.about if trust.about else ''})"
    found = trust.calibration
    if found is None:
        return Check("judge-uncalibrated", "warn", f"{who}: {unknown.format(model=trust.model)}")
    rates = f"sensitivity {_rate(found.sensitivity)}, specificity {_rate(found.specificity)} ({found.name})"
    match trust.state:
        case "expired":
            return Check(
                "judge-expired",
                "warn",
                f"{who}: its calibration expired on {found.expires[:10]}: {rates}. Models change behind their names; make "
                "it again with `fiducial judge calibrate`.",
            )
        case "planted":
            return Check(
                "judge-uncalibrated",
                "warn",
                f"{who}: how it errs is known from planted cases only: {rates}. On real ones it may err otherwise; labels "
                "by people would tell (`fiducial judge label`, then `fiducial judge calibrate --set labels:RUN`).",
            )
        case "exploratory":
            return Check(
                "judge-uncalibrated",
                "warn",
                f"{who}: its calibration is exploratory, with {found.positives} and {found.negatives} labels where {ENOUGH} "
                f"a class are the least: {rates}.",
            )
        case _:
            return Check(
                "judge-uncalibrated",
                "pass",
                f"{who} is calibrated with labels by people until {found.expires[:10]}: {rates}",
            )


def _rate(rate: Rate) -> str:
    if rate.value is None or rate.low is None or rate.high is None:
        return "not known"
    return f"{rate.value:.2f} [{rate.low:.2f}, {rate.high:.2f}]"

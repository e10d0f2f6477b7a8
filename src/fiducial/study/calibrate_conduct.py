"""The estimator on trial as commands and programs want it: which of the two studies is meant, with which design."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from fiducial.errors import UsageError
from fiducial.study import calibrate, protocol_calibrate
from fiducial.study.calibrate import Calibration, Design
from fiducial.study.protocol_calibrate import ChatCalibration, ChatDesign, check_protocols, runs_of


def estimator_design(
    *,
    protocols: Iterable[str] = (),
    tier: str = "core",
    runs: int | None = None,
    trials: int | None = None,
    arms: Iterable[str] = (),
    at: str | None = None,
    rounds: int | None = None,
    subjects: Iterable[str] = (),
    biases: Iterable[str] = (),
    battery: Sequence[str | Path] = (),
    seed: int = 1,
) -> Design | ChatDesign:
    """The design of the standard protocol, or of those that are named. What is not said is as the study has it."""
    common = {
        "subjects": tuple(dict.fromkeys(subject.removeprefix("sim/") for subject in subjects)),
        "runs": runs,
        "trials": trials,
        "biases": tuple(biases),
        "battery": tuple(map(str, battery)),
        "seed": seed,
    }
    asked = tuple(dict.fromkeys(arm.strip() for arm in arms if arm.strip()))
    named = tuple(protocols)
    if named:
        if asked or tier != "core":
            raise UsageError("--arms and --tier are of the standard protocol; others take --at and --bias.")
        return ChatDesign(protocols=check_protocols(named), **_given(**common, at=at, rounds=rounds))
    if at is not None or rounds is not None:
        raise UsageError("--at and --rounds are of other protocols than the standard one; it takes --arms.")
    return Design(**_given(**common, tier=tier, arms=asked))


def _given(**options: Any) -> dict[str, Any]:
    """The options that were given, or have a default here: the design has its own for the rest."""
    return {name: value for name, value in options.items() if value or value == 0}


def runs_in(design: Design | ChatDesign) -> int:
    """How many runs there are, and so how often `step` is called."""
    if isinstance(design, Design):
        return design.runs
    return sum(runs_of(design, name) for name in design.protocols)


def calibrate_estimator(
    design: Design | ChatDesign, *, step: Callable[[], object] = lambda: None
) -> Calibration | ChatCalibration:
    """Make every run of the design, over all cores; `step` is called after each."""
    if isinstance(design, Design):
        return calibrate.calibrate(design, step=step)
    return protocol_calibrate.calibrate_protocols(design, step=step)

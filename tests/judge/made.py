"""Calibrations, made up."""

from __future__ import annotations

from typing import Any

import msgspec

from fiducial.judge.calibration import Calibration, Rate

GOOD = Rate(value=0.9, low=0.8, high=0.95, n=60, method="Wilson")
NONE = Rate(withheld="not asked for")


def calibration(**changes: Any) -> Calibration:
    """One that holds, of people's labels, with these changes."""
    plain = Calibration(
        task="genuine",
        model="openai/gpt-x",
        prompt_hash="p1",
        about="design",
        label_hash="l1",
        set="labels:f",
        basis="labels",
        made="2026-03-01",
        expires="2026-05-30",
        positives=60,
        negatives=58,
        exploratory=False,
        sensitivity=GOOD,
        specificity=GOOD,
        kappa=GOOD,
        base_rate=0.5,
        calibration_error=NONE,
        borderline=NONE,
        invalid=GOOD,
        consistency=NONE,
        name="one",
    )
    return msgspec.structs.replace(plain, **changes)

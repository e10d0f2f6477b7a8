"""What a calibration makes of a figure that its judge gave: the figure corrected, and how far that can be believed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import date
from typing import Literal

import msgspec
import numpy as np
from msgspec import Struct

from fiducial.judge.calibration import ENOUGH, Calibration, Counts
from fiducial.stats.corrected import Labelled, Side, from_other_labels, from_own_labels
from fiducial.stats.estimate import Estimate, Measured, Withheld
from fiducial.stats.proportion import Z

OWN_LABELS = 30  # labels on the run's own findings that stand alone
PLANTED = "if the judge errs on your findings as on planted ones"

Basis = Literal["own labels", "labels", "planted"]


class Applied(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A corrected figure, or in `withheld` why there is none. `decides`: a gate may be decided on it."""

    basis: Basis
    words: str  # what it rests on
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0  # labels
    method: str = ""
    withheld: str | None = None
    decides: bool = False
    calibration: str | None = None


def group_name(model: str, reviewer: str) -> str:
    """The group that findings belong to: who wrote them. A judge errs differently on different writers."""
    return f"{model} · {reviewer}"


def from_labels_of_the_run(
    figure: Estimate, verdicts: Sequence[float], labelled: Sequence[tuple[float, float]]
) -> Applied | None:
    """With labels on some of the findings themselves, as (verdict, label); None where they are too few.

    The interval has two parts: what is not known of the findings without a label, and that other findings would have been
    other ones. For the second the raw figure's own interval stands, by how much more or less labels vary than verdicts.
    """
    if len(labelled) < OWN_LABELS:
        return None
    said, pairs = np.array(verdicts, dtype=np.float64), np.array(labelled, dtype=np.float64)
    found = from_own_labels(said, pairs[:, 0], pairs[:, 1])
    varied = float(said.var())
    ratio = math.sqrt(found.value * (1 - found.value) / varied) if varied > 0 else 1.0
    below = math.hypot(found.value - found.low, ratio * (figure.value - figure.low))
    above = math.hypot(found.high - found.value, ratio * (figure.high - figure.value))
    whole = msgspec.structs.replace(found, low=max(0.0, found.value - below), high=min(1.0, found.value + above))
    words = f"people labelled {len(labelled)} of these {len(verdicts)} findings"
    return _applied(whole, basis="own labels", words=words, decides=True, calibration=None)


def from_calibration(
    figure: Estimate, calibration: Calibration, *, group: str | None, today: date, cases: int
) -> Applied:
    """A share that the calibrated judge gave, corrected. The interval carries its sampling and the calibration's.

    Labels on findings of the same writer are used alone where there are enough of them. Those of several other writers
    predict the judge's errors on a new one; those of a single other writer, and planted ones, give a range.
    """
    basis: Basis = calibration.basis
    if calibration.expired(today):
        why = f"the calibration {calibration.name} expired on {calibration.expires[:10]}; make it again"
        return Applied(basis=basis, words=why, withheld=why, calibration=calibration.name)
    if not calibration.counts:
        why = "on trial the judge gave no valid verdict on any case, so its errors cannot be taken out"
        return Applied(basis=basis, words=why, withheld=why, calibration=calibration.name)
    groups, shifted, words, firm = _evidence(calibration, group)
    if not all(sum(getattr(g, side).n for g in groups) for side in ("ones", "zeros")):
        why = "the calibration has labels of one class only: the judge's error on the other is not known"
        return Applied(basis=basis, words=why, withheld=why, calibration=calibration.name)
    error = (figure.high - figure.low) / (2 * Z)
    found = from_other_labels(figure.value, cases, groups, shifted=shifted, error=error)
    if calibration.exploratory:
        words += f"; exploratory, with fewer than {ENOUGH} labels a class"
    return _applied(
        found.share,
        basis=basis,
        words=words,
        decides=firm and not calibration.exploratory,
        calibration=calibration.name,
    )


def _evidence(calibration: Calibration, group: str | None) -> tuple[list[Labelled], bool, str, bool]:
    """The labels that serve, whether error rates have to be predicted from them, in words, and whether that is firm."""
    if calibration.basis == "planted":
        by = _split(calibration.counts, lambda counts: counts.category)
        words = f"{PLANTED}: a range over {len(by)} categor{'y' if len(by) == 1 else 'ies'}, which decides no gate"
        return list(by.values()), True, words, False
    by = _split(calibration.counts, lambda counts: counts.group)
    own = by.get(group) if group is not None else None
    if own is not None and min(own.ones.n, own.zeros.n) >= ENOUGH:
        return [own], False, f"labels of {own.ones.n + own.zeros.n} findings by the same writer", True
    if len(by) == 1:
        name = next(iter(by))
        if name is None and group is None:
            return list(by.values()), False, "labels of cases of the same kind", True
        words = "labels of findings by one other writer: a range, since how writers differ cannot be seen from one"
        return list(by.values()), True, words, False
    return list(by.values()), True, f"labels of findings by {len(by)} writers, predicted for this one", True


def _split(counts: Sequence[Counts], key: Callable[[Counts], str | None]) -> dict[str | None, Labelled]:
    names = list(dict.fromkeys(key(c) for c in counts))
    return {
        name: Labelled(*(_side([c for c in counts if key(c) == name and c.label == label]) for label in (1, 0)))
        for name in names
    }


def _side(counts: Sequence[Counts]) -> Side:
    return Side(
        n=sum(c.n for c in counts), total=sum(c.total for c in counts), squares=sum(c.squares for c in counts)
    )


def _applied(found: Measured, *, basis: Basis, words: str, decides: bool, calibration: str | None) -> Applied:
    if isinstance(found, Withheld):
        return Applied(basis=basis, words=words, withheld=found.withheld, calibration=calibration)
    return Applied(
        basis=basis,
        words=words,
        value=found.value,
        low=found.low,
        high=found.high,
        n=found.n,
        method=found.method,
        decides=decides,
        calibration=calibration,
    )

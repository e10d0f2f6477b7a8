"""Runs of any instrument: which one made a run file, and what it makes of it."""

from __future__ import annotations

from pathlib import Path

from fiducial.bias import run as bias
from fiducial.bias.result import RunResult
from fiducial.errors import UsageError
from fiducial.review import run as review
from fiducial.review.result import ReviewResult
from fiducial.run.store import Store
from fiducial.study.compare import Comparison, compare
from fiducial.study.compare_review import ReviewComparison, compare_reviews

INSTRUMENTS = ("bias", "review")


def instrument(path: Path) -> str:
    """The instrument that made the run."""
    made = made_by(path)
    if made.startswith("judge-"):
        command = made.replace("-", " ", 1)
        raise UsageError(
            f"{path}: a run of `fiducial {command}`; repeat that command to see its result, without a call."
        )
    if made not in INSTRUMENTS:
        raise UsageError(f"{path}: a run of the instrument {made}, which this command does not know.")
    return made


def made_by(path: Path) -> str:
    """The instrument as the run file names it, whether or not it has a result of its own."""
    with Store(path) as store:
        return str((store.meta("settings") or {}).get("instrument", "unknown"))


def common_instrument(a: Path, b: Path) -> str:
    """The instrument that made both of two different runs."""
    if a.samefile(b):
        raise UsageError(f"{a} and {b} are the same file: there is nothing to compare.")
    made = [made_by(path) for path in (a, b)]
    if made[0] != made[1] or made[0] not in INSTRUMENTS:
        raise UsageError(
            f"cannot compare {a} (instrument: {made[0]}) with {b} (instrument: {made[1]}): "
            f"both have to be runs of one instrument, out of {', '.join(INSTRUMENTS)}."
        )
    return made[0]


def look(path: Path) -> RunResult | ReviewResult:
    """The result as it stands, without writing anything."""
    return bias.look(path) if instrument(path) == "bias" else review.look(path)


def compare_runs(a: Path, b: Path, *, names: tuple[str, str] | None = None) -> Comparison | ReviewComparison:
    """What differs in run B against run A. `names` are what messages call them."""
    if common_instrument(a, b) == "bias":
        return compare(a, b)
    called = names or (str(a), str(b))
    return compare_reviews(review.look(a), review.look(b), review.outputs_of(a), review.outputs_of(b), names=called)

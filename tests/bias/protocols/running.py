"""A run of protocols on a simulated subject."""

from __future__ import annotations

from pathlib import Path

from fiducial.bias.load import packaged_battery
from fiducial.bias.protocols.result import ProtocolResult, ProtocolRow
from fiducial.bias.result import RunResult
from fiducial.bias.run import BiasOptions, collect_run, prepare_run, rescore
from fiducial.model.names import open_model
from fiducial.run.budget import Budget
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent
from fiducial.stats.estimate import Estimate, Measured

BIASES = ("status_quo_bias", "conjunction_fallacy", "anchoring_effect")
"""Two sides of options, a trigger against a control, two sides of numbers."""


def run(
    folder: Path,
    subject: str,
    *protocols: str,
    biases: tuple[str, ...] = BIASES,
    tier: str = "core",
    trials: int = 2,
    seed: int = 1,
    rounds: int = 4,
) -> RunResult:
    """The whole way, from the plan to the result."""
    options = BiasOptions(
        model=f"sim/{subject}",
        tier=tier,
        biases=biases,
        protocols=protocols,
        trials=trials,
        seed=seed,
        rounds=rounds,
    )
    prepared = prepare_run(packaged_battery(), options, out=folder / "run.db")
    collect_run(prepared, open_model(options.model), options, limits=Limits(), budget=Budget(), progress=Silent())
    return rescore(prepared.path).result


def rows(result: ProtocolResult, group: str) -> list[ProtocolRow]:
    """The rows of a group, in their order."""
    return [row for row in result.rows if row.group == group]


def covers(found: Measured, truth: float, *, within: float = 1.0) -> bool:
    """Whether the interval holds the truth and is narrow enough to say something."""
    assert isinstance(found, Estimate), found
    return found.low <= truth <= found.high and found.high - found.low <= within


def near(found: Measured, truth: float, *, within: float = 0.1) -> bool:
    """Whether the value is near the truth: for many rows at once, of which some intervals may miss."""
    assert isinstance(found, Estimate), found
    return abs(found.value - truth) <= within

"""The ways to spoil a document. Each operator finds its own places by structure and can tell whether it did harm."""

from __future__ import annotations

from fiducial.review.plant.flaw import Flaw
from fiducial.review.plant.operators.base import Operator
from fiducial.review.plant.operators.calendar import DateConflict
from fiducial.review.plant.operators.conflicts import NumberConflict, TableDisagrees, UnitMismatch
from fiducial.review.plant.operators.criteria import UntestableCriterion
from fiducial.review.plant.operators.definitions import UndefinedTerm
from fiducial.review.plant.operators.dependencies import CircularDependency
from fiducial.review.plant.operators.duties import WeakenedDuty
from fiducial.review.plant.operators.order import ImpossibleOrder
from fiducial.review.plant.operators.owners import TwoOwners
from fiducial.review.plant.operators.references import BrokenReference, MissingRequirement
from fiducial.review.plant.operators.scope import ScopeContradiction
from fiducial.review.plant.operators.sums import SplitNotWhole, WrongTotal
from fiducial.review.plant.operators.thresholds import ThresholdWithoutAction

OPERATORS: dict[str, Operator] = {
    operator.name: operator
    for operator in (
        NumberConflict(),
        UnitMismatch(),
        TableDisagrees(),
        DateConflict(),
        WrongTotal(),
        SplitNotWhole(),
        MissingRequirement(),
        BrokenReference(),
        UndefinedTerm(),
        ThresholdWithoutAction(),
        CircularDependency(),
        ImpossibleOrder(),
        WeakenedDuty(),
        TwoOwners(),
        UntestableCriterion(),
        ScopeContradiction(),
    )
}


def stands(flaw: Flaw | None, text: str) -> bool:
    """Whether a flaw that was planted is in the text, as far as its operator can tell; False where none was."""
    return flaw is not None and flaw.operator in OPERATORS and OPERATORS[flaw.operator].verify(text, flaw)

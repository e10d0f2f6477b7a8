"""The ways to spoil a document. Each operator finds its own places by structure and can tell whether it did harm."""

from __future__ import annotations

from gnomon.review.plant.flaw import Flaw
from gnomon.review.plant.operators.base import Operator
from gnomon.review.plant.operators.calendar import DateConflict
from gnomon.review.plant.operators.conflicts import NumberConflict, TableDisagrees, UnitMismatch
from gnomon.review.plant.operators.criteria import UntestableCriterion
from gnomon.review.plant.operators.definitions import UndefinedTerm
from gnomon.review.plant.operators.dependencies import CircularDependency
from gnomon.review.plant.operators.duties import WeakenedDuty
from gnomon.review.plant.operators.order import ImpossibleOrder
from gnomon.review.plant.operators.owners import TwoOwners
from gnomon.review.plant.operators.references import BrokenReference, MissingRequirement
from gnomon.review.plant.operators.scope import ScopeContradiction
from gnomon.review.plant.operators.sums import SplitNotWhole, WrongTotal
from gnomon.review.plant.operators.thresholds import ThresholdWithoutAction

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

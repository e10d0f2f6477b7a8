"""What types are called on the page and in schemas. None of these names is in a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

# Of types that share their name with another.
TITLES = {
    "bias.authoring.proposal.Proposed": "ItemProposal",
    "bias.metrics.ReliabilityBin": "AnswerBin",
    "judge.calibration.Calibration": "JudgeCalibration",
    "judge.calibration.Rate": "JudgeRate",
    "judge.correct.Shift": "LabelShift",
    "judge.panel.Pair": "SeatPair",
    "review.finding.Dropped": "DroppedRecord",
    "review.labels.Pair": "RaterPair",
    "review.plant.variant.Dropped": "DroppedFlaw",
    "review.propose.Proposed": "ProposedCandidates",
    "review.result.Gate": "ReviewGate",
    "review.result.ReliabilityBin": "FindingBin",
    "study.calibrate.Calibration": "EstimatorStudy",
    "study.compare.Shift": "RunShift",
    "study.judge_ablate.Comparison": "WordingComparison",
    "study.judge_attack_result.Gate": "AttackGate",
    "study.judge_attack_result.Rate": "AttackRate",
    "study.judge_flips.Shift": "WordingShift",
    "study.protocol_calibrate.ChatCalibration": "ProtocolStudy",
    "study.protocol_summary.Row": "ProtocolStudyRow",
    "study.summary.Row": "EstimatorStudyRow",
}


def titles(structs: Iterable[type[Struct]]) -> dict[type[Struct], str]:
    """A name for each that no other has."""
    named = {struct: title(struct) for struct in structs}
    twice = [name for name, times in Counter(named.values()).items() if times > 1]
    if twice:
        raise ValueError(f"two types are called {', '.join(twice)}: give one of them a title")
    return named


def title(struct: type[Struct]) -> str:
    """Its own name, unless it has a title."""
    return TITLES.get(f"{struct.__module__.removeprefix('fiducial.')}.{struct.__name__}", struct.__name__)

"""A judged output as a score of Inspect's.

An output without findings scores 0.0 and says which status it has. Where no finding has a verdict, or no must-find was
decided, the fault is ours: the score is unscored (`Score.unscored`), which Inspect leaves out of reducers and metrics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.scorer import Score

from fiducial.inspect.outputs import OUTPUTS, encode, why_invalid
from fiducial.judge.match import MatchVerdict
from fiducial.review.output import Output
from fiducial.review.precision import share
from fiducial.review.records import MustFind

MEASURE = "measure"
PRECISION = "reverse_judge_precision"
RECALL = "must_find_recall"

# Inspect's own words for what a model did wrong, where it has some.
_REASONS = {"refused": "refusal", "empty": "no_response", "malformed": "invalid_response_format"}
GRADER_FAILED = "grader_failed"
SCORING_FAILED = "scoring_failed"


def precision_score(output: Output, judge: Mapping[str, Any]) -> Score:
    """Share of the findings that are genuine; a borderline one counts half."""
    found = share(output.findings)
    about: dict[str, Any] = {MEASURE: PRECISION, **judge, OUTPUTS: [encode(output)]}
    if not output.findings:
        return _nothing_found(output, about)
    lost = [why_invalid(judged.verdict) for judged in output.findings if judged.score is None]
    if found.value is None:
        why = f"none of {len(lost)} findings has a verdict: {lost[0]}"
        return Score.unscored(reason=GRADER_FAILED, answer=output.status, explanation=why, metadata=about)
    said = (
        f"{found.genuine} genuine, {found.borderline} borderline, {found.not_genuine} not genuine of "
        f"{len(output.findings)} findings"
    )
    if lost:
        said += f"; {len(lost)} without a verdict, left out ({lost[0]})"
    return Score(value=found.value, answer=output.status, explanation=said, metadata=about)


def recall_score(output: Output, wanted: Sequence[MustFind], judge: Mapping[str, Any]) -> Score:
    """Share of the must-finds that the output states; `partly` is not found."""
    about: dict[str, Any] = {MEASURE: RECALL, **judge, OUTPUTS: [encode(output, wanted)]}
    if not wanted:
        why = "there is no must-find to look for in this sample"
        return Score.unscored(reason="no_must_find", answer=output.status, explanation=why, metadata=about)
    decided = [match for match in output.matches.values() if isinstance(match, MatchVerdict)]
    lost = [match for match in output.matches.values() if not isinstance(match, MatchVerdict)]
    if not decided:
        why = f"none of {len(wanted)} must-finds has a verdict: {why_invalid(lost[0])}"
        return Score.unscored(reason=GRADER_FAILED, answer=output.status, explanation=why, metadata=about)
    if not output.findings:
        return _nothing_found(output, about)
    found = sum(match.verdict == "found" for match in decided)
    said = f"{found} of {len(decided)} must-finds found"
    if lost:
        said += f"; {len(lost)} without a verdict, left out ({why_invalid(lost[0])})"
    return Score(value=found / len(decided), answer=output.status, explanation=said, metadata=about)


def failed_score(why: str, measure: str) -> Score:
    """A scorer that could not do its work."""
    return Score.unscored(reason=SCORING_FAILED, explanation=why, metadata={MEASURE: measure, OUTPUTS: []})


def _nothing_found(output: Output, about: dict[str, Any]) -> Score:
    return Score(
        value=0.0,
        answer=output.status,
        explanation=f"the output has no findings (status: {output.status})",
        reason=_REASONS.get(output.status),
        metadata=about,
    )

"""Judged outputs as the metadata of Inspect's scores, and back.

A score of Inspect's is one number. What it was made of (every finding with its verdict, every must-find) stands in its
metadata as a list of outputs, so that verdicts are pooled and clustered over samples and epochs as a run's are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from fiducial.judge.genuine import GenuineVerdict
from fiducial.judge.match import MatchVerdict
from fiducial.judge.verdict import Invalid
from fiducial.review.finding import Finding
from fiducial.review.output import Judged, Output
from fiducial.review.records import MustFind

OUTPUTS = "outputs"
INVALID = "invalid"


def encode(output: Output, wanted: Iterable[MustFind] = ()) -> dict[str, Any]:
    """The output as JSON can hold it, without its text: the log has that already. `wanted` is what was looked for."""
    found: dict[str, Any] = {
        "document": output.document,
        "reviewer": output.reviewer,
        "run": output.run,
        "status": output.status,
        "truncated": output.truncated,
        "dropped": output.dropped,
        "findings": [_finding(judged) for judged in output.findings],
    }
    items = [plain(item) for item in wanted]
    if items:
        found["must_find"] = items
        found["matches"] = {item: _match(match) for item, match in output.matches.items()}
    return found


def plain(item: msgspec.Struct) -> Any:
    """The record as a log holds it, without what it does not say."""
    said = msgspec.json.decode(msgspec.json.encode(item))
    return {name: value for name, value in said.items() if value not in (None, [])}


def decode(found: Mapping[str, Any]) -> Output:
    """The output again."""
    return Output(
        document=found["document"],
        reviewer=found["reviewer"],
        run=found["run"],
        status=found["status"],
        truncated=found["truncated"],
        dropped=found["dropped"],
        findings=tuple(map(_judged, found["findings"])),
        matches={item: _matched(match) for item, match in found.get("matches", {}).items()},
    )


def looked_for(found: Mapping[str, Any]) -> tuple[MustFind, ...]:
    """The must-finds that were looked for in an encoded output."""
    return msgspec.convert(found.get("must_find", ()), tuple[MustFind, ...])


def _finding(judged: Judged) -> dict[str, Any]:
    said: dict[str, Any] = {
        **{name: value for name, value in msgspec.to_builtins(judged.finding).items() if value is not None},
        "number": judged.number,
        "duplicates": [other.title for other in judged.duplicates],
    }
    verdict = judged.verdict
    if isinstance(verdict, GenuineVerdict):
        about = {
            "evidence": verdict.evidence,
            "reason": verdict.reason,
            "category": verdict.category,
            "confidence": verdict.confidence,
        }
        return {**said, "verdict": verdict.verdict, "judge": about}
    if verdict is None:
        return {**said, "verdict": None}
    return {**said, "verdict": INVALID, "judge": {"reason": verdict.reason}}


def why_invalid(verdict: object) -> str:
    """Why there is no verdict."""
    return verdict.reason if isinstance(verdict, Invalid) else "no judge has answered"


def _judged(said: Mapping[str, Any]) -> Judged:
    verdict: GenuineVerdict | Invalid | None = None
    if said["verdict"] == INVALID:
        verdict = Invalid(said["judge"]["reason"])
    elif said["verdict"] is not None:
        verdict = msgspec.convert({**said["judge"], "verdict": said["verdict"]}, GenuineVerdict)
    known = {name: said[name] for name in Finding.__struct_fields__ if name in said}
    return Judged(
        number=said["number"],
        finding=msgspec.convert(known, Finding),
        duplicates=tuple(Finding(title=title) for title in said["duplicates"]),
        verdict=verdict,
    )


def _match(match: object) -> dict[str, Any]:
    if isinstance(match, MatchVerdict):
        return {"verdict": match.verdict, "finding": match.finding, "quotation": match.quotation}
    return {"verdict": INVALID, "reason": why_invalid(match)}


def _matched(match: Mapping[str, Any]) -> MatchVerdict | Invalid:
    if match["verdict"] == INVALID:
        return Invalid(match["reason"])
    return MatchVerdict(verdict=match["verdict"], finding=match["finding"], quotation=match["quotation"])

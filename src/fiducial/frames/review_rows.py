"""The rows of a review run: findings, verdicts on them and on must-finds, and the figures of each reviewer."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from fiducial.frames.common import Row, estimate_row
from fiducial.judge.genuine import GenuineVerdict
from fiducial.judge.match import MatchVerdict
from fiducial.judge.panel import panel_name
from fiducial.judge.verdict import Invalid
from fiducial.review.judging import GENUINE, MATCH
from fiducial.review.output import WORTH, Output, Vote
from fiducial.review.reading import RunReader
from fiducial.review.result import Precision, Recall, ReviewResult
from fiducial.run.store import Store
from fiducial.stats.estimate import Withheld

_STATED = ("severity", "confidence", "section", "title", "issue", "why_it_matters", "suggestion")
FOUND = {"found": 1.0, "partly": 0.0, "not_found": 0.0}


def _output(output: Output) -> Row:
    return {
        "trial": output.trial,
        "document": output.document,
        "reviewer": output.reviewer,
        "repetition": output.run,
    }


def findings(store: Store) -> Iterator[Row]:
    """Every finding, and after it those that say the same."""
    for output in RunReader(store).outputs():
        for judged in output.findings:
            for finding in (judged.finding, *judged.duplicates):
                stated = {name: getattr(finding, name) for name in _STATED}
                place = {"finding": judged.number, "duplicate": finding is not judged.finding}
                yield {**_output(output), **place, **stated}


def verdicts(store: Store) -> Iterator[Row]:
    """Of every finding and every must-find that a judge is appointed for."""
    reader = RunReader(store)
    for output in reader.outputs():
        paper = reader.source.papers[output.document]
        for task, about in _questions(output):
            judges = reader.judges_of(task, paper)
            unasked = task == MATCH and not output.findings
            if not judges and not unasked:
                continue
            whole = panel_name(judge.model for judge in judges)
            common = {
                "task": task,
                "prompt": judges[0].prompt if judges else None,
                **_output(output),
                **about.place,
            }
            decided = {**common, **_said(about.vote), "seat": False, "judge": None if unasked else whole}
            yield {**decided, "reason": "there was no finding to look through"} if unasked else decided
            for model, vote in about.votes.items():
                yield {**common, **_said(vote), "seat": True, "judge": model}


class _About(msgspec.Struct, frozen=True):
    place: Row
    vote: Vote
    votes: dict[str, Vote]


def _questions(output: Output) -> Iterator[tuple[str, _About]]:
    for judged in output.findings:
        place = {"finding": judged.number, "title": judged.finding.title}
        yield GENUINE, _About(place, judged.verdict, dict(judged.votes))
    for item, match in output.matches.items():
        yield MATCH, _About({"must_find": item}, match, dict(output.match_votes.get(item, {})))


def _said(vote: Vote) -> Row:
    match vote:
        case None:
            return {"state": "waiting"}
        case Invalid():
            return {"state": "invalid", "reason": vote.reason}
        case GenuineVerdict():
            return {
                "state": "verdict",
                "verdict": vote.verdict,
                "score": WORTH[vote.verdict],
                "confidence": vote.confidence,
                "category": vote.category,
                "evidence": vote.evidence,
                "reason": vote.reason,
            }
        case MatchVerdict():
            said = {"verdict": vote.verdict, "score": FOUND[vote.verdict], "evidence": vote.quotation}
            place = {"finding": vote.finding} if vote.finding is not None else {}
            return {"state": "verdict", **said, **place}


def reviewers(result: ReviewResult) -> Iterator[Row]:
    """Precision, what it is with the judge's errors carried in, and every must-find."""
    for found in result.reviewers:
        common = {"reviewer": found.name}
        yield {**common, "measure": "precision", **_precision(found.precision)}
        mended = found.precision.corrected
        if mended is not None:
            withheld = Withheld(mended.withheld or mended.words) if mended.value is None else mended
            yield {**common, "measure": "corrected_precision", **estimate_row(withheld)}
        for item in found.recall.items if isinstance(found.recall, Recall) else ():
            figure = {"value": item.rate, "low": item.low, "high": item.high, "n": item.runs, "method": "Wilson"}
            if item.rate is None:
                figure = {"withheld": "no run has a verdict on it"}
            place = {"document": item.document, "name": item.id, "gate": item.gate}
            yield {**common, "measure": "must_find", **place, **figure}


def _precision(found: Precision) -> Row:
    if found.value is None:
        return {"withheld": "no finding was judged", "n": found.n}
    return estimate_row(found)

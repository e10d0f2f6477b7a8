"""`reverse_judge_precision`: which share of a reviewer's findings is genuine, and how far that can be trusted.

A borderline finding counts half. A finding without a verdict is a failure of ours: it is in no share, is counted
beside every one, and its two extremes are given as bounds. An output without findings scores 0.0, whatever its status.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from fiducial.judge.genuine import GenuineVerdict
from fiducial.review.output import WORTH, Judged, Output
from fiducial.review.result import Precision, Range, Reliability, ReliabilityBin, Share
from fiducial.review.similar import content_clusters
from fiducial.stats.estimate import Estimate
from fiducial.stats.resample import ratio_by_cluster

ENOUGH_DOCUMENTS = 8  # with judged findings: from here on, documents are what is resampled
ONLY_THESE = "for these documents only"
NO_SEVERITY = "not stated"
NO_CATEGORY = "not named"
BINS = 5  # of stated confidence
_SEVERITIES = ("Critical", "Important", "Minor", NO_SEVERITY)


def share(findings: Iterable[Judged]) -> Share:
    """Precision of these findings, with the counts that it is made of."""
    counts = Counter(_label(judged) for judged in findings)
    judged = sum(counts[label] for label in WORTH)
    return Share(
        value=sum(WORTH[label] * counts[label] for label in WORTH) / judged if judged else None,
        n=judged,
        genuine=counts["genuine"],
        borderline=counts["borderline"],
        not_genuine=counts["not_genuine"],
        invalid=counts["invalid"],
    )


def precision(outputs: Sequence[Output], *, seed: int) -> Precision:
    """Precision over the outputs of one reviewer.

    With judged findings on 8 documents or more the interval is by document. With fewer, it is by clusters of like
    findings of one document across its runs, because a claim that is repeated in every run is judged again and again
    without being news; such an interval says nothing about other documents, and `note` says that.

    An output none of whose findings has a verdict is left out of `per_output_mean`: what it is worth is not known.
    """
    findings = [judged for output in outputs for judged in output.findings]
    whole = share(findings)
    clusters, unit, note = _clusters(outputs)
    known = [judged.score for judged in findings if judged.score is not None]
    estimate = ratio_by_cluster(
        np.bincount(clusters, weights=known).astype(np.float64),
        np.bincount(clusters).astype(np.float64),
        rng=np.random.default_rng(seed),
        unit=unit,
    )
    measured = estimate if isinstance(estimate, Estimate) else None
    decided = whole.genuine + whole.not_genuine
    every = len(findings)
    points = sum(known)
    duplicates = sum(len(judged.duplicates) for judged in findings)
    return Precision(
        value=whole.value,
        low=measured.low if measured else None,
        high=measured.high if measured else None,
        n=whole.n,
        clusters=measured.n if measured else 0,
        method=measured.method if measured else "none: no finding was judged",
        genuine=whole.genuine,
        borderline=whole.borderline,
        not_genuine=whole.not_genuine,
        invalid=whole.invalid,
        duplicates=duplicates,
        borderline_out=whole.genuine / decided if decided else None,
        borderline_in=(whole.genuine + whole.borderline) / whole.n if whole.n else None,
        invalid_bounds=Range(points / every, (points + whole.invalid) / every) if every else None,
        per_output_mean=_per_output_mean(outputs),
        duplicate_rate=duplicates / (every + duplicates) if every else None,
        by_severity=_by_severity(findings),
        by_category=_by_category(findings),
        reliability=_reliability(findings),
        note=note if measured else None,
        scored_zero=dict(sorted(Counter(output.status for output in outputs if not output.findings).items())),
    )


def _label(judged: Judged) -> str:
    return judged.verdict.verdict if isinstance(judged.verdict, GenuineVerdict) else "invalid"


def _clusters(outputs: Sequence[Output]) -> tuple[NDArray[np.int64], str, str | None]:
    """The cluster of each judged finding, in order; what clusters are called; what the interval does not say."""
    rows = [
        (output.document, f"{judged.finding.title}\n{judged.finding.issue or ''}")
        for output in outputs
        for judged in output.findings
        if judged.score is not None
    ]
    documents = {document: number for number, document in enumerate(dict.fromkeys(row[0] for row in rows))}
    if len(documents) >= ENOUGH_DOCUMENTS:
        return np.array([documents[document] for document, _ in rows], dtype=np.int64), "document", None
    texts: dict[str, list[str]] = defaultdict(list)
    for document, text in rows:
        texts[document].append(text)
    numbers = {document: iter(content_clusters(own)) for document, own in texts.items()}
    seen: dict[tuple[str, int], int] = {}
    clusters = [seen.setdefault((document, next(numbers[document])), len(seen)) for document, _ in rows]
    return np.array(clusters, dtype=np.int64), "claim", ONLY_THESE


def _per_output_mean(outputs: Sequence[Output]) -> float | None:
    values = [share(output.findings).value if output.findings else 0.0 for output in outputs]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _by_severity(findings: Sequence[Judged]) -> dict[str, Share]:
    """In order of severity; a severity that no finding has is left out."""
    groups: dict[str, list[Judged]] = defaultdict(list)
    for judged in findings:
        groups[judged.finding.severity or NO_SEVERITY].append(judged)
    return {severity: share(groups[severity]) for severity in _SEVERITIES if severity in groups}


def _by_category(findings: Sequence[Judged]) -> dict[str, int]:
    """Why findings were not genuine, the commonest first. What a judge says of genuine ones is no reason."""
    counts = Counter(
        judged.verdict.category or NO_CATEGORY
        for judged in findings
        if isinstance(judged.verdict, GenuineVerdict) and judged.verdict.verdict == "not_genuine"
    )
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _reliability(findings: Sequence[Judged]) -> Reliability | None:
    """Stated confidence in bins of equal width against precision in them; None where no confidence was stated."""
    stated = [
        (judged.finding.confidence, judged.score)
        for judged in findings
        if judged.score is not None and judged.finding.confidence is not None
    ]
    if not stated:
        return None
    groups: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for confidence, score in stated:
        groups[min(BINS - 1, int(confidence * BINS))].append((confidence, score))
    bins = [
        ReliabilityBin(
            low=number / BINS,
            high=(number + 1) / BINS,
            confidence=sum(confidence for confidence, _ in rows) / len(rows),
            precision=sum(score for _, score in rows) / len(rows),
            n=len(rows),
        )
        for number, rows in sorted(groups.items())
    ]
    error = sum(own.n * abs(own.confidence - own.precision) for own in bins) / len(stated)
    return Reliability(bins=bins, error=error, n=len(stated))

"""`reverse_judge_precision`: which share of a reviewer's findings is genuine, and how far that can be trusted.

A borderline finding counts half. A finding without a verdict is a failure of ours: it is in no share, is counted
beside every one, and its two extremes are given as bounds. An output without findings scores 0.0, whatever its status.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fiducial.judge.genuine import GenuineVerdict
from fiducial.review.output import WORTH, Judged, Output
from fiducial.review.result import Precision, Range, Reliability, ReliabilityBin, Share
from fiducial.stats.estimate import Estimate
from fiducial.stats.proportion import wilson_limits
from fiducial.stats.resample import ratio_by_cluster

ENOUGH_DOCUMENTS = 8  # with judged findings: from here on, documents are what is resampled
ONLY_THESE = "for these documents only"
NO_SEVERITY = "not stated"
NO_CATEGORY = "not named"
BINS = 5  # of stated confidence
DRAWS = 999  # of the permutation test
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

    With judged findings on 8 documents or more the interval is by document. With fewer, it is Wilson's at the fewest
    independent claims that the findings can hold (`fewest_claims`); such an interval says nothing about other
    documents, and `note` says that.

    An output none of whose findings has a verdict is left out of `per_output_mean`: what it is worth is not known.
    """
    findings = [judged for output in outputs for judged in output.findings]
    whole = share(findings)
    known = [judged.score for judged in findings if judged.score is not None]
    measured, note = _interval(outputs, seed=seed)
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


def _scores(outputs: Sequence[Output]) -> dict[str, list[list[float]]]:
    """The scores of judged findings, by document and output; an output without any is left out."""
    found: dict[str, list[list[float]]] = defaultdict(list)
    for output in outputs:
        if own := [judged.score for judged in output.findings if judged.score is not None]:
            found[output.document].append(own)
    return found


def fewest_claims(findings: Mapping[str, int], outputs: Mapping[str, int]) -> float:
    """The effective number of claims among these findings, by document, if each stands in every output on it.

    Runs repeat each other: a claim that is judged in ten runs is one piece of news, not ten. Whether two findings make
    the same claim cannot be told reliably from their words. But a claim stands at most once in an output, so of n
    findings in R outputs it makes up at most R, and n findings weigh as much as n / R independent claims or more.
    Over documents that is n² / Σ n_d R_d: the effective number of Kish (1965, Survey Sampling) at its lowest.
    """
    return sum(findings.values()) ** 2 / sum(n * outputs[document] for document, n in findings.items())


def _interval(outputs: Sequence[Output], *, seed: int) -> tuple[Estimate | None, str | None]:
    """Precision with its interval, and what the interval does not say; None where no finding was judged."""
    scores = {
        document: (sum(map(sum, own)), sum(map(len, own)), len(own)) for document, own in _scores(outputs).items()
    }
    if not scores:
        return None, None
    points, counts = (np.array([row[k] for row in scores.values()], dtype=np.float64) for k in (0, 1))
    if len(scores) >= ENOUGH_DOCUMENTS:
        by_document = ratio_by_cluster(points, counts, rng=np.random.default_rng(seed), unit="document")
        assert isinstance(by_document, Estimate)
        return by_document, None
    claims = fewest_claims(
        {document: row[1] for document, row in scores.items()},
        {document: row[2] for document, row in scores.items()},
    )
    value = float(points.sum() / counts.sum())
    low, high = wilson_limits(value, claims)
    method = f"Wilson at {claims:.1f} claims, the findings of one output"
    return Estimate(value=value, low=low, high=high, n=max(1, round(claims)), method=method), ONLY_THESE


def documents_differ(outputs: Sequence[Output], *, seed: int) -> float | None:
    """The probability that documents differ so much in precision if it were the same on all; None for fewer than two.

    A permutation test with 999 seeded draws. Each document counts as many findings as one output on it has on average,
    because runs repeat each other, and those are drawn from all findings at random. What is compared is
    Σ n_d (precision_d − precision)².
    """
    scores = _scores(outputs)
    if len(scores) < 2:
        return None
    sizes = np.array([max(1, round(sum(map(len, own)) / len(own))) for own in scores.values()])
    every = np.array([score for own in scores.values() for output in own for score in output])
    seen = np.array([np.mean([score for output in own for score in output]) for own in scores.values()])

    def spread(means: NDArray[np.float64]) -> float:
        return float(sizes @ (means - sizes @ means / sizes.sum()) ** 2)

    rng, starts = np.random.default_rng(seed), np.concatenate(([0], np.cumsum(sizes)[:-1]))
    observed = spread(seen) - 1e-9
    drawn = (rng.permutation(every)[: sizes.sum()] for _ in range(DRAWS))
    return (1 + sum(spread(np.add.reduceat(own, starts) / sizes) >= observed for own in drawn)) / (1 + DRAWS)


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

"""What two runs of a reviewer have in common, document by document: must-finds, and findings of like content."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from fiducial.judge.match import MatchVerdict
from fiducial.review.output import Judged, Output
from fiducial.review.result import ItemRecall
from fiducial.review.similar import content_clusters

Sides = tuple[Sequence[Output], Sequence[Output]]
"""The outputs of one reviewer, of A and of B."""


class ItemDifference(Struct, frozen=True, kw_only=True):
    """A must-find in both runs: found in `a` of `a_runs` outputs that the judge could decide on."""

    document: str
    id: str
    title: str
    severity: str | None
    a: int
    a_runs: int
    b: int
    b_runs: int

    @property
    def difference(self) -> float:
        """Of the rates, B − A."""
        return self.b / self.b_runs - self.a / self.a_runs


class FindingDifference(Struct, frozen=True, kw_only=True):
    """A content that a judge called genuine in at least one run: in how many outputs of each it was written and
    called genuine, and in how many written and not called so."""

    document: str
    title: str
    severity: str | None
    genuine_in: str  # a, b or both
    a: int
    b: int
    a_not_genuine: int
    b_not_genuine: int
    a_runs: int
    b_runs: int


def outcome(output: Output, item: str) -> float:
    """1 where the must-find was found, 0 where not (`partly` is not), NaN where the judge gave no verdict."""
    verdict = output.matches.get(item)
    return float(verdict.verdict == "found") if isinstance(verdict, MatchVerdict) else math.nan


def pair_items(
    sides: Mapping[str, Sides], titles: Mapping[tuple[str, str], ItemRecall]
) -> tuple[list[ItemDifference], dict[str, list[str]]]:
    """The must-finds that were decided in both runs, by document and id, and those that only one run has."""
    items: list[ItemDifference] = []
    only: dict[str, list[str]] = {"a": [], "b": []}
    for name, both in sides.items():
        for item in dict.fromkeys(i for outputs in both for output in outputs for i in output.matches):
            decided = [[x for o in outputs if not math.isnan(x := outcome(o, item))] for outputs in both]
            if not all(decided):
                for key, own in zip("ab", decided, strict=True):
                    only[key] += [f"{name}: {item}"] if own else []
                continue
            known = titles.get((name, item))
            items.append(
                ItemDifference(
                    document=name,
                    id=item,
                    title=known.title if known else item,
                    severity=known.severity if known else None,
                    a=int(sum(decided[0])),
                    a_runs=len(decided[0]),
                    b=int(sum(decided[1])),
                    b_runs=len(decided[1]),
                )
            )
    return items, only


def cluster_findings(both: Sides) -> list[int]:
    """The cluster of each finding on a document, those of A first."""
    found = [judged.finding for outputs in both for output in outputs for judged in output.findings]
    return content_clusters([f"{finding.title}\n{finding.issue or ''}" for finding in found])


def pair_findings(document: str, both: Sides, clusters: Sequence[int]) -> Iterator[FindingDifference]:
    """The contents that were called genuine, the most often found first."""
    rows = [
        (side, number, judged)
        for side, outputs in enumerate(both)
        for number, output in enumerate(outputs)
        for judged in output.findings
    ]
    by_content: dict[int, list[tuple[int, int, Judged]]] = {}
    for cluster, row in zip(clusters, rows, strict=True):
        by_content.setdefault(cluster, []).append(row)
    for own in sorted(by_content.values(), key=lambda own: -len(own)):
        genuine, written = (
            [{n for side, n, j in own if side == k and (every or j.score == 1.0)} for k in (0, 1)]
            for every in (False, True)
        )
        if not any(genuine):
            continue
        shown = next(j.finding for _, _, j in own if j.score == 1.0)
        yield FindingDifference(
            document=document,
            title=shown.title,
            severity=shown.severity,
            genuine_in="both" if all(genuine) else "a" if genuine[0] else "b",
            a=len(genuine[0]),
            b=len(genuine[1]),
            a_not_genuine=len(written[0] - genuine[0]),
            b_not_genuine=len(written[1] - genuine[1]),
            a_runs=len(both[0]),
            b_runs=len(both[1]),
        )

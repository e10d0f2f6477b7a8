"""Candidates from a run: what reviewers found again and again, and a judge called genuine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from fiducial.errors import UsageError
from fiducial.judge.document import place_of
from fiducial.judge.genuine import GenuineVerdict
from fiducial.review.curate import writable
from fiducial.review.dataset import (
    CANDIDATES,
    Dataset,
    Document,
    candidates,
    context_dependent,
    load_dataset,
    load_document,
)
from fiducial.review.files import append_rows, locked
from fiducial.review.finding import Finding
from fiducial.review.frozen import now
from fiducial.review.output import Output
from fiducial.review.records import Candidate, ContextDependent, MustFind
from fiducial.review.run import outputs_of
from fiducial.review.similar import content_clusters
from fiducial.run.store import Store

MIN_RUNS = 2  # a flaw that is found once in many runs is more often than not an accident


class Proposed(Struct, frozen=True, kw_only=True):
    """The new candidates of a document, and what was left out."""

    document: str
    candidates: tuple[Candidate, ...]
    known: int  # in a list or in the queue already
    rare: int  # found in too few runs
    unplaced: int  # what the judge quoted is not in the document as it is now


class _Seen(Struct, frozen=True):
    reviewer: str
    run: int
    finding: Finding
    verdict: GenuineVerdict


def propose(
    outputs: Iterable[Output], document: Document, *, min_runs: int | None = None, source: str | None = None
) -> Proposed:
    """What is genuine in at least `min_runs` runs of one reviewer, clustered by content.

    Without `min_runs` it is 2, or 1 where no reviewer was run more than once. A cluster is represented by the finding
    whose verdict was surest. One that only one reviewer makes is proposed as its own.
    """
    own = [output for output in outputs if output.document == document.id]
    runs: dict[str, set[int]] = defaultdict(set)
    for output in own:
        runs[output.reviewer].add(output.run)
    least = min_runs or min(MIN_RUNS, max(map(len, runs.values()), default=1))
    seen = [
        _Seen(output.reviewer, output.run, judged.finding, judged.verdict)
        for output in own
        for judged in output.findings
        if isinstance(judged.verdict, GenuineVerdict) and judged.verdict.verdict == "genuine"
    ]
    listed = _listed(document)
    clusters = content_clusters([*listed, *(_text(s.finding.title, s.finding.issue) for s in seen)])
    taken = set(clusters[: len(listed)])
    groups: dict[int, list[_Seen]] = {}
    for cluster, one in zip(clusters[len(listed) :], seen, strict=True):
        groups.setdefault(cluster, []).append(one)
    found: list[Candidate] = []
    known = rare = unplaced = 0
    for cluster, group in groups.items():
        reviewer, times = _often(group)
        placed = [s for s in group if s.verdict.absent is not None or place_of(s.verdict.evidence, document.text)]
        if cluster in taken:
            known += 1
        elif times < least:
            rare += 1
        elif not placed:
            unplaced += 1
        else:
            found.append(_candidate(placed, group, times, len(runs[reviewer]), source))
    found.sort(key=lambda c: (-(c.found_in or 0) / (c.runs or 1), c.id))
    return Proposed(document=document.id, candidates=tuple(found), known=known, rare=rare, unplaced=unplaced)


def add_candidates(
    outputs: Iterable[Output], document: Document, *, min_runs: int | None = None, source: str | None = None
) -> Proposed:
    """Propose into the document's queue. Nobody else adds or decides meanwhile, so nothing comes in twice."""
    writable(document)
    with locked(document.folder):
        present = load_document(document.folder)
        proposed = propose(outputs, present, min_runs=min_runs, source=source)
        append_rows(document.folder / CANDIDATES, proposed.candidates, growing=True)
    return proposed


def dataset_of(path: Path, given: Path | None = None) -> Dataset:
    """The dataset of a run, whose documents have to be those that the run was made with; others are left out.

    `given` says where the dataset is now, if not where the run found it.
    """
    with Store(path) as store:
        settings, folder = store.meta("settings") or {}, store.meta("folder")
    if settings.get("instrument") != "review":
        raise UsageError(f"{path}: not a run of `fiducial review run`, so there is nothing to propose from it")
    where = given or Path(folder or settings["dataset"])
    if given is None and not where.exists():
        raise UsageError(f"{where}: the run's dataset is no longer there; say with --dataset where it is now")
    found = load_dataset(where)
    hashes = settings["document_hashes"]
    own = [document for document in found.documents if document.id in hashes]
    if not own:
        there = ", ".join(document.id for document in found.documents)
        raise UsageError(f"{where}: its documents ({there}) are not those of the run ({', '.join(hashes)})")
    for document in own:
        if hashes[document.id] != document.hash:
            raise UsageError(
                f"{document.path}: not the text that {path.stem} reviewed. Put that text back, or run the review again."
            )
    return msgspec.structs.replace(found, documents=tuple(own))


def reviewed_hashes(path: Path) -> dict[str, str]:
    """Of a review run: the documents that it reviewed, by id, with the hashes of their texts. Of another run: nothing."""
    with Store(path) as store:
        settings = store.meta("settings") or {}
    return dict(settings.get("document_hashes") or {}) if settings.get("instrument") == "review" else {}


def _listed(document: Document) -> list[str]:
    """The texts of what is in a list or has been in the queue, rejected ones included: nobody is asked twice."""
    records: list[MustFind | ContextDependent | Candidate] = [
        *(document.must_find or ()),
        *(context_dependent(document.folder) or ()),
        *candidates(document.folder).values(),
    ]
    return [_text(r.title, r.issue) for r in records]


def _text(title: str, issue: str | None) -> str:
    return f"{title}\n{issue or ''}"


def _often(group: Sequence[_Seen]) -> tuple[str, int]:
    """The reviewer that made the finding in most runs, and in how many."""
    runs: dict[str, set[int]] = defaultdict(set)
    for one in group:
        runs[one.reviewer].add(one.run)
    best = max(runs, key=lambda name: len(runs[name]))
    return best, len(runs[best])


def _candidate(
    placed: Sequence[_Seen], group: Sequence[_Seen], times: int, runs: int, source: str | None
) -> Candidate:
    best = max(placed, key=lambda s: s.verdict.confidence)
    reviewers = {s.reviewer for s in group}
    absent = best.verdict.absent
    return Candidate(
        id=f"c-{best.finding.content_hash[:10]}",
        title=best.finding.title,
        issue=best.finding.issue or best.finding.title,
        severity=best.finding.severity,
        reviewer=reviewers.pop() if len(reviewers) == 1 else None,
        evidence=() if absent is not None else (best.verdict.evidence,),
        missing=absent,
        found_in=times,
        runs=runs,
        source=source,
        at=now(),
    )


class Proposal(Struct, frozen=True):
    """What a run proposes for each document of its dataset, in the same order."""

    dataset: Dataset
    documents: list[Proposed]


def propose_from(path: Path, *, dataset: Path | None = None, min_runs: int | None = None, write: bool) -> Proposal:
    """What the run found again and again and its judge called genuine; with `write`, added to the queue."""
    found = dataset_of(path, dataset)
    if write:
        for document in found.documents:
            writable(document)
    outputs = outputs_of(path)
    made = add_candidates if write else propose
    proposed = [made(outputs, document, min_runs=min_runs, source=path.stem) for document in found.documents]
    return Proposal(found, proposed)

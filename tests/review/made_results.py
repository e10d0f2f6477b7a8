"""Datasets, reviewers and results of review runs made by hand: as much of them as a test is about."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from fiducial.judge.genuine import genuine_version
from fiducial.judge.match import match_version
from fiducial.review.dataset import Dataset, Document
from fiducial.review.records import MustFind, ZeroShotRecord
from fiducial.review.result import (
    DocumentResult,
    Gate,
    ItemGate,
    ItemRecall,
    ListRecall,
    NoRecall,
    Precision,
    Recall,
    ReviewerResult,
    ReviewResult,
    Share,
)
from fiducial.review.reviewer import Reviewer
from fiducial.run.audit import Check

HUNTER = Reviewer(
    name="hunter", description="", prompt="Find what is assumed.", model=None, path=Path("agents/hunter.md")
)


def looked_for(*, found: bool = True, calibration: str | None = None) -> ZeroShotRecord:
    return ZeroShotRecord(model="sim/judge", prompt_hash="0" * 16, calls=3, found=found, calibration=calibration)


def wanted(name: str, *, zero_shot: ZeroShotRecord | None = None, reviewer: str | None = None) -> MustFind:
    return MustFind(id=name, title=f"title of {name}", issue="it is so", zero_shot=zero_shot, reviewer=reviewer)


def document(
    name: str = "plan",
    *,
    must_find: Sequence[MustFind] | None = (wanted("m1", zero_shot=looked_for()),),
    text: str = "A.",
) -> Document:
    digest = f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    return Document(
        id=name,
        path=Path(f"data/{name}/document.md"),
        text=text,
        hash=digest,
        frozen_hash=digest,
        review_type="design",
        must_find=None if must_find is None else tuple(must_find),
        folder=Path(f"data/{name}"),
    )


def dataset(*documents: Document) -> Dataset:
    return Dataset(name="data", folder=Path("data"), documents=documents or (document(),))


def precision(value: float | None = 0.5, *, n: int = 10, low: float = 0.3, high: float = 0.7) -> Precision:
    genuine = round((value or 0) * n)
    none = value is None
    return Precision(
        value=value,
        low=None if none else low,
        high=None if none else high,
        n=0 if none else n,
        clusters=0 if none else n,
        method="made",
        genuine=genuine,
        borderline=0,
        not_genuine=0 if none else n - genuine,
        invalid=0,
        duplicates=0,
        borderline_out=value,
        borderline_in=value,
        invalid_bounds=None,
        per_output_mean=value or 0.0,
    )


MIDDLING = precision()


def item(
    name: str = "m1",
    detected: int = 3,
    *,
    runs: int = 3,
    gate: ItemGate = "met",
    document: str = "plan",
    title: str | None = None,
) -> ItemRecall:
    return ItemRecall(
        id=name,
        detected=detected,
        runs=runs,
        rate=detected / runs if runs else None,
        low=0.1,
        high=0.9,
        min_recall=0.8,
        gate=gate,
        document=document,
        title=f"title of {name}" if title is None else title,
        severity=None,
        partly=0,
        invalid=0,
        found_at_all=detected > 0,
    )


def recall(*items: ItemRecall, p: float | None = 0.6, missed: Sequence[str] = ()) -> Recall:
    made = items or (item(),)
    total = sum(i.detected for i in made)
    expected = sum(i.runs * i.min_recall for i in made)
    return Recall(items=list(made), list=ListRecall(detected=total, expected=expected, p=p, missed=list(missed)))


def reviewed(
    *,
    name: str = "hunter",
    outputs: dict[str, int] | None = None,
    documents: Sequence[str] = ("plan",),
    precision: Precision = MIDDLING,
    recall: Recall | NoRecall | None = None,
    errors: dict[str, str] | None = None,
) -> ReviewerResult:
    each = {"findings": 3} if outputs is None else outputs
    share = Share(value=None, n=0, genuine=0, borderline=0, not_genuine=0, invalid=0)
    return ReviewerResult(
        name=name,
        runs=sum(each.values()),
        outputs={status: n * len(documents) for status, n in each.items()},
        precision=precision,
        recall=recall,
        documents=[
            DocumentResult(
                id=one,
                runs=sum(each.values()),
                outputs=each,
                precision=share,
                findings=0,
                detected=None,
                wanted=None,
            )
            for one in documents
        ],
        errors=errors or {},
    )


def result(
    *reviewers: ReviewerResult,
    of: Dataset | None = None,
    reviewer: Reviewer = HUNTER,
    run: str = "first",
    model: str = "sim/subject",
    temperature: float | None = 1.0,
    gate: Gate | None = None,
    audit: Sequence[Check] = (),
    prompts: dict[str, str] | None = None,
    settings: dict[str, object] | None = None,
    complete: bool = True,
    seconds: float = 12.5,
) -> ReviewResult:
    """A run of `reviewer` on `of`, as both are now."""
    read = of or dataset()
    today = {"genuine:design": genuine_version("design"), "match": match_version()}
    return ReviewResult(
        run=run,
        complete=complete,
        reviewers=list(reviewers or (reviewed(recall=recall()),)),
        gate=gate,
        tokens={},
        audit=list(audit),
        model=model,
        judges={"judge": "sim/judge"},
        prompts=today if prompts is None else prompts,
        dataset=read.name,
        documents=[d.id for d in read.documents],
        calls=9,
        cost={},
        settings={
            "instrument": "review",
            "dataset": read.name,
            "temperature": temperature,
            "document_hashes": {d.id: d.hash for d in read.documents},
            "reviewer_hashes": {reviewer.name: reviewer.hash},
            **(settings or {}),
        },
        trials=9,
        answered=9 if complete else 7,
        seconds=seconds,
        provenance={},
    )

"""A dataset at a glance: its documents, their lists, what waits, and what people have labelled."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from msgspec import Struct

from fiducial.review.dataset import Document, candidates, context_dependent, load_dataset
from fiducial.review.labels import by_rater, load_labels
from fiducial.review.records import OPEN

State = Literal["frozen", "changed", "not frozen"]


class DocumentView(Struct, frozen=True, kw_only=True):
    """One document and how much there is of each list. `must_find` is None where there is no list at all."""

    document: Document
    state: State
    must_find: int | None
    planted: int
    context: int
    queue: int  # candidates that nobody has decided on
    labels: dict[str, int]  # cases labelled, by rater


class Overview(Struct, frozen=True, kw_only=True):
    """A dataset with all its documents."""

    name: str
    folder: Path
    documents: list[DocumentView]

    def states(self) -> dict[State, int]:
        """How many documents are in each state; states that none is in are left out."""
        found: dict[State, int] = {}
        for one in self.documents:
            found[one.state] = found.get(one.state, 0) + 1
        return found

    @property
    def labels(self) -> dict[str, int]:
        """Cases labelled by each rater, in all documents."""
        found: dict[str, int] = {}
        for one in self.documents:
            for rater, n in one.labels.items():
                found[rater] = found.get(rater, 0) + n
        return dict(sorted(found.items()))

    @property
    def totals(self) -> dict[str, int]:
        """Sums over the documents."""
        return {
            "must_find": sum(one.must_find or 0 for one in self.documents),
            "planted": sum(one.planted for one in self.documents),
            "context": sum(one.context for one in self.documents),
            "queue": sum(one.queue for one in self.documents),
            "without": sum(not one.must_find for one in self.documents),
        }


def overview(folder: Path) -> Overview:
    """Look a dataset over. A file in it that cannot be read is a UsageError; `check` says what is wrong with each."""
    dataset = load_dataset(folder)
    return Overview(name=dataset.name, folder=dataset.folder, documents=[_view(one) for one in dataset.documents])


def _view(document: Document) -> DocumentView:
    items = document.must_find
    return DocumentView(
        document=document,
        state="not frozen" if document.frozen_hash is None else "changed" if document.changed else "frozen",
        must_find=None if items is None else len(items),
        planted=sum(item.planted is not None for item in items or ()),
        context=len(context_dependent(document.folder) or ()),
        queue=sum(one.state in OPEN for one in candidates(document.folder).values()),
        labels={rater: len(own) for rater, own in by_rater(load_labels(document.folder)).items()},
    )

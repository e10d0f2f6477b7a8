"""Candidates for must-finds out of a stored run, for the dataset that it was made with."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from gnomon.review.curate import writable
from gnomon.review.dataset import Dataset
from gnomon.review.propose import Proposed, add_candidates, dataset_of, propose
from gnomon.review.run import outputs_of


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

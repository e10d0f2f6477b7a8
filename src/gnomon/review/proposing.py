"""Candidates for must-finds out of a stored run, for the dataset that it was made with."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from gnomon.errors import UsageError
from gnomon.review.curate import writable
from gnomon.review.dataset import CANDIDATES, Dataset, load_dataset
from gnomon.review.files import append_rows
from gnomon.review.propose import Proposed, propose
from gnomon.review.run import outputs_of
from gnomon.run.store import Store


class Proposal(Struct, frozen=True):
    """What a run proposes for each document of its dataset, in the same order."""

    dataset: Dataset
    documents: list[Proposed]


def propose_from(path: Path, *, dataset: Path | None = None, min_runs: int | None = None, write: bool) -> Proposal:
    """What the run found again and again and its judge called genuine; with `write`, added to the queue."""
    found = _dataset_of(path, dataset)
    outputs = outputs_of(path)
    proposed = [propose(outputs, document, min_runs=min_runs, source=path.stem) for document in found.documents]
    if write:
        for document, own in zip(found.documents, proposed, strict=True):
            writable(document)
            append_rows(document.folder / CANDIDATES, own.candidates)
    return Proposal(found, proposed)


def _dataset_of(path: Path, given: Path | None) -> Dataset:
    """The run's dataset, whose documents have to be those that the run was made with."""
    with Store(path) as store:
        settings, folder = store.meta("settings") or {}, store.meta("folder")
    if settings.get("instrument") != "review":
        raise UsageError(f"{path}: not a run of `gnomon review run`, so there is nothing to propose from it")
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
    return replace(found, documents=tuple(own))

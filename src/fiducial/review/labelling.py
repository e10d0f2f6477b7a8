"""What people are asked of a review run: which cases there are, in which order, and what a rater still has to do.

A case is one claim about one document, known by the hash that a judge's question about it has (`genuine_arm`), so that a
label and a verdict on the same claim find each other. Near-duplicates in one output are one case, and so is a claim that
stands in several outputs. The labels of a document lie in that document's folder: the same words may be true of one
document and false of another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from fiducial.errors import UsageError, command
from fiducial.judge.genuine import ReviewType
from fiducial.review.dataset import (
    SHIPPED,
    Document,
    document_folders,
    find_dataset,
    load_document,
    shipped_datasets,
)
from fiducial.review.files import near
from fiducial.review.finding import Finding
from fiducial.review.judging import claim, genuine_arm, read_output
from fiducial.review.labels import Pair, disagreements, load_labels, newest, pairs
from fiducial.review.source import stored_source
from fiducial.run.store import Store

Key = tuple[str, str]
"""A document's id and a case's: the same claim may be made about two documents of one run."""


class LabelCase(Struct, frozen=True, kw_only=True):
    """One claim about one document. Who wrote it is kept for statistics, and is never shown to a rater."""

    id: str
    document_id: str
    document: str  # its text, as the run has it
    claim: str
    review_type: ReviewType
    section: str | None = None  # as the finding names it
    model: str = ""
    reviewers: tuple[str, ...] = ()  # all that made this claim, in the order of the run
    outputs: int = 1  # in which it stands

    @property
    def key(self) -> Key:
        """What it is known by within a run."""
        return self.document_id, self.id

    @property
    def mark(self) -> str:
        """The same, short enough for an address."""
        return hashlib.sha256("\0".join(self.key).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def run_cases(path: Path) -> list[LabelCase]:
    """Every case of a review run, document by document, in the order in which the run came upon them."""
    found: dict[Key, LabelCase] = {}
    with Store(path) as store:
        source = stored_source(store)
        model = str((store.meta("settings") or {}).get("model", ""))
        for reply in store.replies(by_item=True):
            paper, reviewer = source.papers[reply.trial.item], reply.trial.arm
            for case, finding in _claims(reply.text).items():
                if before := found.get((paper.id, case)):
                    names = tuple(dict.fromkeys((*before.reviewers, reviewer)))
                    now = msgspec.structs.replace(before, reviewers=names, outputs=before.outputs + 1)
                else:
                    now = LabelCase(
                        id=case,
                        document_id=paper.id,
                        document=paper.text,
                        claim=claim(finding),
                        review_type=paper.review_type,
                        section=finding.section,
                        model=model,
                        reviewers=(reviewer,),
                    )
                found[now.key] = now
    return list(found.values())


def _claims(output: str) -> dict[str, Finding]:
    """The finding that stands for each cluster of an output, by the id of its case."""
    read = read_output(output)
    made: dict[str, Finding] = {}
    for cluster in read.clusters:
        first = read.parsed.findings[cluster[0]]
        made.setdefault(genuine_arm(first), first)
    return made


def of_reviewer(cases: Sequence[LabelCase], reviewer: str) -> list[LabelCase]:
    """The cases that this reviewer made, alone or with others."""
    own = [case for case in cases if reviewer in case.reviewers]
    if not own:
        names = sorted({name for case in cases for name in case.reviewers})
        there = f" (there are findings of {', '.join(names)})" if names else ""
        raise UsageError(f"the run has no finding of a reviewer {reviewer!r}{near(reviewer, names)}{there}")
    return own


def sample(cases: Sequence[LabelCase], size: int, seed: int) -> list[LabelCase]:
    """So many of the cases at random, whoever asks. Cases that are added later leave most of a sample as it was."""
    drawn = sorted(cases, key=lambda case: _lot(seed, "sample", *case.key))[:size]
    kept = {case.key for case in drawn}
    return [case for case in cases if case.key in kept]


def in_order(cases: Sequence[LabelCase], rater: str, seed: int) -> list[LabelCase]:
    """The cases in the order of this rater, over all documents: the same whenever it is asked for.

    Wherever a rater stops, what they have labelled is a random sample of all.
    """
    return sorted(cases, key=lambda case: _lot(seed, "order", rater, *case.key))


def _lot(seed: int, *what: str) -> bytes:
    return hashlib.sha256("\0".join((str(seed), *what)).encode("utf-8", "surrogatepass")).digest()


def label_folders(
    path: Path, dataset: Path | None = None, *, among: Sequence[Path] | None = None
) -> dict[str, Path]:
    """Where the labels of a run's documents belong: the folder of each, by the document's id in the run.

    A document is found by its id and text, or by its text alone: a dataset that was moved may have been renamed. With
    `among`, only these folders of documents are looked at; of copies, that in the run's own dataset comes first.
    """
    with Store(path) as store:
        stored_source(store)  # refuses what is no review run
        settings, folder = store.meta("settings") or {}, store.meta("folder")
    where = dataset or Path(folder or settings["dataset"])
    if among is not None:
        own = where.resolve()
        nearest = sorted(among, key=lambda one: own not in (one.resolve(), one.resolve().parent))
        return _found_among(settings["document_hashes"], nearest, where)
    if dataset is None and not where.exists():
        raise UsageError(
            f"{where}: the run's dataset is no longer there; say with --dataset DIR where it is now. "
            "Its labels are kept in its folder"
        )
    documents = [load_document(own, lists=False) for own in document_folders(find_dataset(where))]
    return {
        name: _same_document(name, digest, documents, where) for name, digest in settings["document_hashes"].items()
    }


def _same_document(name: str, digest: str, documents: Sequence[Document], where: Path) -> Path:
    same = [document for document in documents if document.hash == digest]
    named = [document for document in documents if document.id == name]
    for document in [d for d in same if d.id == name] or same[:1]:
        return document.folder
    if named:
        raise UsageError(
            f"{named[0].path}: not the text that the run reviewed, so a label would be about another document. "
            "Put that text back, or run the review again"
        )
    there = ", ".join(document.id for document in documents)
    raise UsageError(
        f"{where}: the run's document {name!r} is not in it{near(name, [d.id for d in documents])} ({there})"
    )


def _found_among(hashes: Mapping[str, str], among: Sequence[Path], where: Path) -> dict[str, Path]:
    """The folder of every document of a run, as far as it is one of these. Folders of another name are opened last."""
    opened: dict[Path, Document | None] = {}
    found: dict[str, Path] = {}
    for name, digest in hashes.items():
        for folder in sorted(among, key=lambda one: one.name != name):
            if folder not in opened:
                opened[folder] = _opened(folder)
            document = opened[folder]
            if document is not None and document.hash == digest:
                found[name] = folder
                break
        else:
            changed = next((d.path for d in opened.values() if d is not None and d.id == name), None)
            raise UsageError(_nowhere(name, where, changed))
    return found


def _opened(folder: Path) -> Document | None:
    try:
        return load_document(folder, lists=False)
    except UsageError:  # a folder beside those that are wanted
        return None


def _nowhere(name: str, where: Path, changed: Path | None) -> str:
    if changed is not None:
        return (
            f"{changed}: not the text that the run reviewed, so a label would be about another document. "
            "Put that text back, or run the review again"
        )
    told = f"Labels are kept beside the document they are about, and that of {name!r} is not in this folder. "
    if str(where) in shipped_datasets() or where.resolve().is_relative_to(SHIPPED.resolve()):
        return told + (
            f"The dataset {where} comes with Fiducial and stays as it is: make one of your own of its document "
            "(`fiducial review init`), or copy it, into this folder. Documents are known by their text"
        )
    return told + f"Move or copy the dataset {where} into it: documents are known by their text, whatever the place"


def refuse_shipped(folders: Mapping[str, Path]) -> None:
    """Refuse to write into a dataset that comes with Fiducial."""
    for name, folder in folders.items():
        if folder.resolve().is_relative_to(SHIPPED.resolve()):
            document = load_document(folder, lists=False)
            raise UsageError(
                f"{name} comes with Fiducial and stays as it is. Make a dataset of your own, "
                f"`{command('review', 'init', document.path, '--type', document.review_type, '--out', 'DIR')}`, "
                "and say where the labels go with --dataset DIR"
            )


def standing(cases: Sequence[LabelCase], folders: Mapping[str, Path]) -> dict[str, dict[Key, float]]:
    """Rater -> case -> the label that counts, of these cases, over all documents."""
    wanted = {case.key for case in cases}
    found: dict[str, dict[Key, float]] = {}
    for document in dict.fromkeys(case.document_id for case in cases):
        for (rater, case), label in newest(load_labels(folders[document])).items():
            if label.label is not None and (document, case) in wanted:
                found.setdefault(rater, {})[document, case] = label.label
    return dict(sorted(found.items()))


class Progress(Struct, frozen=True, kw_only=True):
    """How many of the cases that were asked about a rater has labelled; not how."""

    rater: str
    labelled: int
    total: int

    @property
    def done(self) -> bool:
        """Whether nothing is left. Of no cases nobody is done."""
        return 0 < self.total == self.labelled


def progress(cases: Sequence[LabelCase], said: Mapping[str, Mapping[Key, float]]) -> list[Progress]:
    """How far everybody is who has labelled one of these cases, in the order of their names."""
    wanted = {case.key for case in cases}
    found = [
        Progress(rater=rater, labelled=len(wanted & own.keys()), total=len(wanted)) for rater, own in said.items()
    ]
    return [one for one in found if one.labelled]


def finished(cases: Sequence[LabelCase], said: Mapping[str, Mapping[Key, float]]) -> dict[str, dict[Key, float]]:
    """The labels of these cases by raters who have labelled every one of them; nobody's before there are two.

    Labels that one of two raters could still see before giving their own are no independent second opinion. The cases
    are those that the raters were given: all of a run, or a sample, which is the same whoever asks. What a rater has
    labelled besides is not compared, and a rater who was given fewer is not done with these.
    """
    keys = [case.key for case in cases]
    done = [one.rater for one in progress(cases, said) if one.done]
    return {rater: {key: said[rater][key] for key in keys} for rater in done} if len(done) > 1 else {}


def is_blind(rater: str, given: Sequence[LabelCase], said: Mapping[str, Mapping[Key, float]]) -> bool:
    """Whether this rater still has to label a case that they were given, and so must not see anybody's labels."""
    own = said.get(rater, {})
    return any(case.key not in own for case in given)


class RaterCount(Struct, frozen=True, kw_only=True):
    """How many of the cases a rater has labelled, and how."""

    rater: str
    labelled: int
    genuine: int
    between: int
    not_genuine: int


class Split(Struct, frozen=True, kw_only=True):
    """A case on which raters disagree, with what each of them said."""

    document: str
    case: str
    claim: str
    labels: dict[str, float]


class Agreed(Struct, frozen=True, kw_only=True):
    """How far the raters of a run agree."""

    run: str
    cases: int
    raters: list[RaterCount]
    pairs: list[Pair]
    disagreements: list[Split]


def agreed(run: str, cases: Sequence[LabelCase], said: Mapping[str, Mapping[Key, float]]) -> Agreed:
    """The raters of these cases, counted and held against each other; `said` is what `standing` gives."""
    claims = {case.key: case.claim for case in cases}
    return Agreed(
        run=run,
        cases=len(cases),
        raters=[
            RaterCount(
                rater=rater,
                labelled=len(own),
                genuine=sum(label == 1 for label in own.values()),
                between=sum(label == 0.5 for label in own.values()),
                not_genuine=sum(label == 0 for label in own.values()),
            )
            for rater, own in said.items()
        ],
        pairs=pairs(said),
        disagreements=[
            Split(document=key[0], case=key[1], claim=claims[key], labels=labels)
            for key, labels in disagreements(said).items()
        ],
    )

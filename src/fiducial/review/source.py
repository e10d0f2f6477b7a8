"""The review instrument as the engine sees it: documents, reviewers, and the request of every trial.

A trial is one run of one reviewer on one document. Documents and prompts are stored with the run, so that it can be
parsed and scored again whatever became of the dataset.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.resources import files

import msgspec
from msgspec import Struct

from fiducial.errors import UsageError
from fiducial.judge.fence import mark
from fiducial.judge.genuine import ReviewType
from fiducial.judge.prompt import fill_prompt
from fiducial.model.request import Message, Request, Settings
from fiducial.run.plan import Trial, make_trial
from fiducial.run.store import Store


class Paper(Struct, frozen=True, kw_only=True):
    """A document as a run has it."""

    id: str
    text: str
    hash: str
    review_type: ReviewType


class Prompted(Struct, frozen=True, kw_only=True):
    """A reviewer as a run has it. Of recorded outputs the prompt may be unknown: then it is empty."""

    name: str
    prompt: str
    hash: str


class Recorded(Struct, frozen=True, kw_only=True):
    """An output that was recorded elsewhere: which run it is, and the file it is in."""

    document: str
    reviewer: str
    run: int
    file: str  # from the folder of the outputs
    hash: str


class ReviewSource:
    """What is reviewed by whom. With `recorded`, the outputs are there already and no reviewer is asked."""

    def __init__(
        self,
        papers: Iterable[Paper],
        reviewers: Iterable[Prompted],
        *,
        seed: int,
        settings: Settings,
        recorded: Iterable[Recorded] = (),
    ) -> None:
        self.papers = {paper.id: paper for paper in papers}
        self.reviewers = {reviewer.name: reviewer for reviewer in reviewers}
        self.recorded = {(r.document, r.reviewer, r.run): r for r in recorded}
        self._seed, self._settings = seed, settings
        self._shown = lru_cache(maxsize=32)(self._show)

    def meta(self) -> dict[str, object]:
        """What to store with the run so that `stored_source` makes this source again."""
        return {
            "papers": list(self.papers.values()),
            "reviewers": list(self.reviewers.values()),
            "recorded": list(self.recorded.values()),
        }

    def trials(self, runs: int) -> Iterator[Trial]:
        """So many runs of every reviewer on every document; of recorded outputs, those that there are."""
        for paper in self.papers.values():
            for reviewer in self.reviewers.values():
                for run in range(runs):
                    if not self.recorded or (paper.id, reviewer.name, run) in self.recorded:
                        yield self._trial(paper, reviewer, run)

    def request(self, trial: Trial, history: Sequence[str] = ()) -> Request:
        """The reviewer's prompt and the document; of a recorded output, the name of its file."""
        if found := self.recorded.get((trial.item, trial.arm, trial.repetition)):
            return Request((Message("user", found.file),))
        document = self._shown(trial.item)
        system = Message("system", self.reviewers[trial.arm].prompt)
        return Request((system, Message("user", document, prefix=len(document))), self._settings)

    def _trial(self, paper: Paper, reviewer: Prompted, run: int) -> Trial:
        found = self.recorded.get((paper.id, reviewer.name, run))
        what = f"{paper.hash}\0{reviewer.hash}\0{found.hash if found else ''}"
        digest = hashlib.sha256(what.encode()).hexdigest()[:16]
        return make_trial(paper.id, digest, reviewer.name, repetition=run)

    def _show(self, document: str) -> str:
        text = self.papers[document].text
        return fill_prompt(_TEMPLATE, {"document": text, "document_mark": mark(self._seed, text)})


_TEMPLATE = (files("fiducial.review") / "prompts" / "review.txt").read_text("utf-8").strip()


class _Stored(Struct, frozen=True):
    papers: list[Paper]
    reviewers: list[Prompted]
    recorded: list[Recorded]


def stored_source(store: Store) -> ReviewSource:
    """The source of a run, from its file."""

    settings = store.meta("settings") or {}
    if settings.get("instrument") != "review":
        raise UsageError(
            f"{store.path}: this is not a review run, but one of `fiducial {settings.get('instrument')}`."
        )
    kept = msgspec.convert({name: store.meta(name) for name in _Stored.__struct_fields__}, _Stored)
    asked = Settings(
        **{name: settings[name] for name in Settings.__struct_fields__ if settings.get(name) is not None}
    )
    return ReviewSource(
        kept.papers, kept.reviewers, seed=int(settings["seed"]), settings=asked, recorded=kept.recorded
    )

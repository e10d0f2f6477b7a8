"""The queue of a dataset as a page shows it: of every candidate its evidence, its test, and what may be done with it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from fiducial.errors import UsageError, command
from fiducial.report.evidence import Evidence, Quoted, about, evidence_in
from fiducial.review.curate import testable, writable
from fiducial.review.dataset import CONTEXT, MUST_FIND, Dataset, Document, context_dependent, queue_log
from fiducial.review.propose import reviewed_hashes
from fiducial.review.records import MIN_RECALL, OPEN, Candidate, fingerprint
from fiducial.review.reviewer import shipped_reviewers
from fiducial.review.undo import decisions, reworded
from fiducial.run.listing import listed
from fiducial.web.desk import Desk
from fiducial.web.folder import MOST, Served
from fiducial.web.jobs import Job
from fiducial.web.zero_shot import judge_of, key_of, run_of_test

SHOWN = 100  # cards of open candidates, and of decided ones


class Card(Struct, frozen=True, kw_only=True, dict=True):
    """A candidate on the page. `seen` goes with every form: it says which record the person has decided on."""

    key: str
    document: Document
    candidate: Candidate
    seen: str
    before: list[Candidate]  # the decisions that stand, the newest last
    fixed: str | None  # why nothing can be written here
    untestable: str | None  # why it cannot be tested
    desk: Desk
    apart: str | None  # where the lists do not say what the queue says

    @property
    def job(self) -> Job | None:
        """Its test, while it goes on and until the next one."""
        return self.desk.jobs.get(key_of(self.document, self.candidate))

    @cached_property
    def run(self) -> Path | None:
        """The run file of the test that the judge of this workbench has made of it as it reads now."""
        judge = judge_of(self.desk)
        if judge is None or self.fixed or self.untestable or not self.open:
            return None
        return run_of_test(self.desk, self.document, self.candidate, judge)

    @property
    def open(self) -> bool:
        """Whether somebody has to decide on it."""
        return self.candidate.state in OPEN

    @property
    def evidence(self) -> Evidence:
        """Its quotations where they stand."""
        return evidence_in(self.document.text, self.candidate.evidence)

    @property
    def about(self) -> tuple[Quoted, str]:
        """The passage that it is about, where it quotes none."""
        one = self.candidate
        return about(self.document.text, "\n".join(filter(None, (one.title, one.issue, one.missing))))

    @property
    def quotation(self) -> Evidence:
        """What the test quoted, where it stands."""
        tested = self.candidate.zero_shot
        said = [tested.quotation] if tested and tested.quotation else []
        return evidence_in(self.document.text, said, around=0)

    @property
    def story(self) -> list[tuple[Candidate, list[str]]]:
        """The decisions that stand, each with what it changed of the words."""
        earlier = [self.before[0], *self.before]
        return [(one, reworded(was, one)) for was, one in zip(earlier, self.before, strict=False)]

    @property
    def min_recall(self) -> float:
        """The share of runs in which it will have to be found."""
        return MIN_RECALL if self.candidate.min_recall is None else self.candidate.min_recall

    def command(self, target: str, judge: str | None) -> str:
        """What to type instead of pressing a button."""
        words = ["review", "confirm", str(self.document.folder), self.candidate.id, "--as", target]
        words += ["--required-context", "TEXT"] if target == "context" else []
        return command(*words, "--judge", judge or "MODEL")


class Lists(Struct, frozen=True, kw_only=True):
    """What is in the files of one document."""

    document: Document
    open: int
    must_find: int | None  # None: there is no file
    context: int | None
    rejected: int
    fixed: str | None
    untestable: str | None


def cards_of(desk: Desk, dataset: Dataset) -> list[Card]:
    """Every candidate of every document, in the order in which they came into the queue."""
    return [card for document in dataset.documents for card in _cards(desk, document)]


def _cards(desk: Desk, document: Document) -> Iterator[Card]:
    logs: dict[str, list[Candidate]] = {}
    for record in queue_log(document.folder):
        logs.setdefault(record.id, []).append(record)
    fixed, untestable = fixed_here(document), _untestable(document)
    needed = {item.id for item in document.must_find or ()}
    excused = {item.id for item in context_dependent(document.folder) or ()}
    for log in logs.values():
        newest = log[-1]
        yield Card(
            key=card_key(document, newest.id),
            document=document,
            candidate=newest,
            seen=fingerprint(newest),
            before=decisions(log),
            fixed=fixed,
            untestable=untestable,
            desk=desk,
            apart=_apart(newest, needed, excused),
        )


def _apart(one: Candidate, needed: set[str], excused: set[str]) -> str | None:
    """Whoever is stopped between two files leaves them apart; the same decision once more makes it good."""
    if one.state in OPEN and one.id in needed:
        return f"It is in {MUST_FIND} already: a decision was stopped half-way. Confirm it again, or take it out there."
    if one.state in OPEN and one.id in excused:
        return f"It is in {CONTEXT} still. Confirmed as a must-find, it leaves that list."
    if one.state == "must_find" and one.id not in needed:
        return f"It is not in {MUST_FIND}: it was taken out there. Undo brings it back into the queue."
    if one.state == "context_dependent" and one.id not in excused:
        return f"It is not in {CONTEXT}: it was taken out there. Undo brings it back into the queue."
    return None


def card_key(document: Document, name: str) -> str:
    """What a candidate is called in addresses: its own id may be any text."""
    return hashlib.sha256(f"{document.id}\0{name}".encode("utf-8", "surrogatepass")).hexdigest()[:12]


def lists_of(desk: Desk, dataset: Dataset, cards: list[Card]) -> list[Lists]:
    """The documents of the dataset, counted."""
    found = []
    for document in dataset.documents:
        own = [card for card in cards if card.document.folder == document.folder]
        context = context_dependent(document.folder)
        found.append(
            Lists(
                document=document,
                open=sum(card.open for card in own),
                must_find=None if document.must_find is None else len(document.must_find),
                context=None if context is None else len(context),
                rejected=sum(card.candidate.state == "rejected" for card in own),
                fixed=fixed_here(document),
                untestable=_untestable(document),
            )
        )
    return found


def fixed_here(document: Document) -> str | None:
    """Why nothing is written to this document's folder; None where it may be."""
    try:
        writable(document)
    except UsageError as error:
        return str(error)
    return None


def _untestable(document: Document) -> str | None:
    try:
        testable(document)
    except UsageError as error:
        return str(error)
    return None


def runs_about(desk: Desk, dataset: Dataset) -> list[Served]:
    """The review runs of the folder that were made with these very documents, the newest first."""
    hashes = {document.id: document.hash for document in dataset.documents}
    return [
        served
        for served in desk.folder.runs()
        if desk.results.once(served.path, listed, kept=MOST).instrument == "review"
        and desk.results.once(served.path, reviewed_hashes, kept=MOST).items() & hashes.items()
    ]


def reviewer_names(cards: list[Card], dataset: Dataset) -> list[str]:
    """The reviewers that a finding may belong to."""
    known = {item.reviewer for document in dataset.documents for item in document.must_find or ()}
    known |= {card.candidate.reviewer for card in cards}
    return sorted({name for name in known if name} | set(shipped_reviewers()))

"""One claim over runs and judges: which outputs make it, in this run and in others, and what every judge said of it.

A claim is the same in another run where a judge would be asked the very same words (the case), or where its words are so
like that `content_clusters` would not count it twice. Runs belong together by the hash of the document's text. Nothing is
called and nothing is written: a file keeps the verdicts of judges that it is no longer scored with, and they are read here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from msgspec import Struct

from fiducial.errors import UsageError
from fiducial.judge.asking import Judge, appointed, ever_appointed, said_as
from fiducial.judge.genuine import GenuineCase, GenuineVerdict, genuine_version
from fiducial.judge.panel import panel_genuine, panel_name, said
from fiducial.judge.verdict import Invalid
from fiducial.review.dataset import REVIEW_TYPES
from fiducial.review.judging import GENUINE, claim, genuine_arm, genuine_verdict, question_as, read_output
from fiducial.review.labelling import label_folders
from fiducial.review.labels import by_rater, load_labels
from fiducial.review.similar import content_clusters
from fiducial.review.source import Paper, stored_source
from fiducial.run.store import SUBJECT, Store

PREFIX = f"judge:{GENUINE}:"
PANEL = "panel"  # in place of a role, where several decide together

Verdict = GenuineVerdict | Invalid | None
Key = tuple[str, str]
"""An output and a case."""


class Claim(Struct, frozen=True, kw_only=True):
    """One finding of one output, near-duplicates of it in that output included. `said` is what a judge is shown."""

    document: str
    case: str
    title: str
    issue: str
    said: str
    section: str | None
    reviewer: str
    run: int  # from 0
    output: str  # id of the trial that wrote it

    @property
    def key(self) -> Key:
        """What it is known by within a run: like claims may stand in one output."""
        return self.output, self.case


class RunClaims(Struct, frozen=True, kw_only=True):
    """What a review run claims, as far as a history needs it."""

    path: Path
    name: str
    model: str
    at: float | None  # of its first output, in seconds since the epoch
    hashes: dict[str, str]  # of its documents
    outputs: dict[str, dict[str, int]]  # document -> reviewer -> how many there are
    claims: list[Claim]

    def on(self, digest: str) -> list[str]:
        """The names under which the run has the document of this hash."""
        return [name for name, own in self.hashes.items() if own == digest]


class Said(Struct, frozen=True, kw_only=True):
    """A judge's word on the claim as one output makes it."""

    claim: Claim
    verdict: Verdict


class Version(Struct, frozen=True, kw_only=True):
    """A judge under one version of its prompt. `prompt` is None where the file does not tell which version that was."""

    role: str
    model: str
    prompt: str | None
    now: bool  # whether the run is scored with it today
    first: float | None
    last: float | None
    said: tuple[Said, ...]

    @property
    def words(self) -> dict[str, int]:
        """How often it said what."""
        return dict(Counter(said(one.verdict) for one in self.said).most_common())


class InRun(Struct, frozen=True, kw_only=True):
    """The claim in one run: who made it in how many of how many outputs, and what became of it."""

    run: RunClaims
    own: bool
    found: tuple[Claim, ...]
    outputs: dict[str, int]  # reviewer -> outputs on this document
    versions: tuple[Version, ...] = ()

    def by_reviewer(self) -> dict[str, list[int]]:
        """The runs, from 0, in which each reviewer makes the claim; an empty list for one that never does."""
        return {
            name: sorted({one.run for one in self.found if one.reviewer == name})
            for name in dict.fromkeys([*self.outputs, *(one.reviewer for one in self.found)])
        }

    def turns(self) -> Iterator[tuple[Version, Version]]:
        """Judges, one after the other, that did not say the same of the same output. Seats of one panel sit together."""
        single = [one for one in self.versions if one.role != PANEL]
        for before, after in pairwise(single):
            then = {one.claim.key: said(one.verdict) for one in before.said}
            now = {one.claim.key: said(one.verdict) for one in after.said}
            if not (before.now and after.now) and any(then[key] != now[key] for key in then.keys() & now.keys()):
                yield before, after


class History(Struct, frozen=True, kw_only=True):
    """A claim, the text it is about, and the runs on that text, oldest first."""

    claim: Claim
    paper: Paper
    runs: list[InRun]

    @property
    def own(self) -> InRun:
        """The run that was asked about."""
        return next(one for one in self.runs if one.own)

    @property
    def like(self) -> dict[str, Claim]:
        """Claims in other words that were taken for this one, by case."""
        found = (one for part in self.runs for one in part.found if one.case != self.claim.case)
        return {one.case: one for one in found}


def claims_of(path: Path) -> RunClaims:
    """Everything that the outputs of a run claim."""
    claims: list[Claim] = []
    outputs: dict[str, Counter[str]] = {}
    with Store(path) as store:
        source = stored_source(store)
        settings, asked = store.meta("settings") or {}, store.spoke(SUBJECT)
        for reply in store.replies(by_item=True):
            trial = reply.trial
            outputs.setdefault(trial.item, Counter())[trial.arm] += 1
            read = read_output(reply.text)
            for cluster in read.clusters:
                first = read.parsed.findings[cluster[0]]
                claims.append(
                    Claim(
                        document=trial.item,
                        case=genuine_arm(first),
                        title=first.title,
                        issue=first.issue or "",
                        said=claim(first),
                        section=first.section,
                        reviewer=trial.arm,
                        run=trial.repetition,
                        output=trial.id,
                    )
                )
    return RunClaims(
        path=path,
        name=path.stem,
        model=str(settings.get("model", "")),
        at=min((one.first for one in asked), default=None),
        hashes={paper.id: paper.hash for paper in source.papers.values()},
        outputs={document: dict(own) for document, own in outputs.items()},
        claims=claims,
    )


def history(own: RunClaims, document: str, case: str, others: Iterable[RunClaims] = ()) -> History | None:
    """The history of a case of this run; None where no output of it makes the claim about that document."""
    first = next((one for one in own.claims if (one.document, one.case) == (document, case)), None)
    if first is None:
        return None
    digest = own.hashes[document]
    there = [own, *(run for run in others if run.path != own.path and run.on(digest))]
    same = _same(first, [one for run in there for one in run.claims if one.document in run.on(digest)])
    known = {judge.prompt for run in there for judge in _judges(run.path)}
    known |= {genuine_version(review_type) for review_type in REVIEW_TYPES}
    runs = [_in_run(run, digest, same, known, own=run is own) for run in there]
    with Store(own.path) as store:
        paper = stored_source(store).papers[document]
    return History(claim=first, paper=paper, runs=sorted(runs, key=lambda one: (one.run.at or 0.0, one.run.name)))


def raters_of(path: Path, document: str, case: str) -> int | None:
    """How many people have labelled the case, and nothing of what they said; None where their files cannot be found."""
    try:
        labels = load_labels(label_folders(path)[document])
    except (UsageError, KeyError, OSError):
        return None
    return sum(case in own for own in by_rater(labels).values())


def _same(first: Claim, claims: Sequence[Claim]) -> set[str]:
    """The cases that count as this claim. It leads its cluster: what belongs to it is compared with itself alone."""
    texts = {first.case: f"{first.title}\n{first.issue}"}
    for one in claims:
        texts.setdefault(one.case, f"{one.title}\n{one.issue}")
    numbers = content_clusters(list(texts.values()))
    return {case for case, number in zip(texts, numbers, strict=True) if number == numbers[0]}


def _in_run(run: RunClaims, digest: str, same: set[str], known: set[str], *, own: bool) -> InRun:
    names = run.on(digest)
    outputs: Counter[str] = Counter()
    for name in names:
        outputs.update(run.outputs.get(name, {}))
    found = tuple(one for one in run.claims if one.document in names and one.case in same)
    versions = tuple(_versions(run.path, found, known)) if found else ()
    return InRun(run=run, own=own, found=found, outputs=dict(outputs), versions=versions)


def _versions(path: Path, found: Sequence[Claim], known: set[str]) -> Iterator[Version]:
    """Every judge that was ever asked about one of these, in the order in which they were first asked."""
    with Store(path) as store:
        papers = stored_source(store).papers
        types = {papers[one.document].review_type for one in found}
        now = {j.role: j for j in appointed(store) if j.task == GENUINE and j.about in ("", *types)}
        named = {judge.role: judge for judge in ever_appointed(store)}
        votes: dict[Key, list[Verdict]] = {}
        for spoke in store.spoke(PREFIX):
            told = said_as(store, spoke.role)
            heard = []
            for one in found:
                asked = question_as(spoke.role, one.document, one.output, one.case).id
                if texts := told.get(asked):
                    paper = papers[one.document]
                    case = GenuineCase(document=paper.text, finding=one.said, review_type=paper.review_type)
                    heard.append(Said(claim=one, verdict=genuine_verdict(texts, case)))
                    if spoke.role in now:
                        votes.setdefault(one.key, []).append(heard[-1].verdict)
            if heard:
                judge = named.get(spoke.role)
                yield Version(
                    role=spoke.role,
                    model=judge.model if judge else spoke.model,
                    prompt=judge.prompt if judge else _prompt(spoke.role, spoke.model, known),
                    now=spoke.role in now,
                    first=spoke.first,
                    last=spoke.last,
                    said=tuple(heard),
                )
    seats = sorted({judge.model for judge in now.values()})
    if len(seats) > 1 and votes:
        yield _panel(seats, {judge.prompt for judge in now.values()}, found, votes)


def _panel(seats: list[str], prompts: set[str], found: Sequence[Claim], votes: dict[Key, list[Verdict]]) -> Version:
    """What the seats decided together; one that has not answered is a seat all the same."""
    decided = [
        Said(claim=one, verdict=panel_genuine([*votes[one.key], *[None] * (len(seats) - len(votes[one.key]))]))
        for one in found
        if one.key in votes
    ]
    return Version(
        role=PANEL,
        model=panel_name(seats),
        prompt=next(iter(prompts)) if len(prompts) == 1 else None,
        now=True,
        first=None,
        last=None,
        said=tuple(decided),
    )


def _prompt(role: str, model: str, known: Iterable[str]) -> str | None:
    """The version of the prompt behind a role, where one that is known has its hash."""
    fitting = (prompt for prompt in known if Judge(model=model, prompt=prompt, task=GENUINE).role == role)
    return next(fitting, None)


def _judges(path: Path) -> list[Judge]:
    with Store(path) as store:
        return ever_appointed(store)

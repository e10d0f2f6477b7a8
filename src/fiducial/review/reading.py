"""A run file, read as outputs: parsed, clustered, with what the judges said of them. No call is made here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from fiducial.errors import FAULT
from fiducial.judge.asking import Judge, appointed, in_order, said_by, wanted
from fiducial.judge.genuine import GenuineCase, GenuineVerdict, genuine_request
from fiducial.judge.match import MatchVerdict, match_request
from fiducial.judge.panel import panel_genuine, panel_match
from fiducial.judge.verdict import Invalid
from fiducial.model.request import Request
from fiducial.review.finding import Status
from fiducial.review.judging import (
    GENUINE,
    MATCH,
    Case,
    JudgeSource,
    genuine_arm,
    genuine_cases,
    genuine_verdict,
    match_arm,
    match_cases,
    match_verdict,
    question,
    read_output,
)
from fiducial.review.output import Judged, Output
from fiducial.review.records import MustFind, items_of
from fiducial.review.source import Paper, ReviewSource, stored_source
from fiducial.run.plan import Plan, Trial
from fiducial.run.store import Store, StoredReply

MUST_FIND = "must_find"  # the key under which a run keeps the lists it is scored with
FENCE = 70  # characters around a finding in a list
WITHHELD = frozenset({"refused", "filtered"})  # by the provider itself

Said = dict[str, list[str]]
MustFinds = dict[str, tuple[MustFind, ...] | None]
GenuineVotes = dict[str, GenuineVerdict | Invalid | None]
"""What each judge said of one finding, by model."""
MatchVotes = dict[str, MatchVerdict | Invalid | None]
"""What each judge said of one must-find, by model."""


def must_finds(store: Store) -> MustFinds:
    """The lists that the run is scored with, by document; None where a document has no list."""
    return msgspec.convert(store.meta(MUST_FIND) or {}, MustFinds)


class RunReader:
    """Reads a run as it stands: with the judges and the lists that it is scored with now."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.source: ReviewSource = stored_source(store)
        self.must_find = must_finds(store)
        self.judges = appointed(store)
        self._said: dict[str, Said] = {}

    def replies(self) -> Iterator[StoredReply]:
        """The outputs as they were written, those on one document together."""
        return self._store.replies(by_item=True)

    def outputs(self) -> Iterator[Output]:
        """Every output with all that is known of it."""
        for reply in self.replies():
            yield self.output(reply)

    def output(self, reply: StoredReply) -> Output:
        """One output."""
        trial, paper = reply.trial, self.source.papers[reply.trial.item]
        cases = genuine_cases(paper, reply.text)
        judges = self.judges_of(GENUINE, paper)

        def votes(arm: str) -> GenuineVotes:
            return {j.model: genuine_verdict(self._texts(j, trial, arm), cases[arm]) for j in judges}

        matches, match_votes = self._matches(trial, paper, reply.text)
        made = make_output(
            reply.text, reply.status, document=trial.item, reviewer=trial.arm, run=trial.repetition, votes=votes
        )
        return msgspec.structs.replace(made, matches=matches, match_votes=match_votes, trial=trial.id)

    def _matches(
        self, trial: Trial, paper: Paper, text: str
    ) -> tuple[dict[str, MatchVerdict | Invalid | None], dict[str, MatchVotes]]:
        """What is said of each must-find, and who said what where there are several judges."""
        items = items_of(self.must_find.get(paper.id), trial.arm)
        claims = read_output(text).claims()
        if not claims:
            return {item.id: MatchVerdict(verdict="not_found", finding=None) for item in items}, {}
        judges = self.judges_of(MATCH, paper)
        cases = match_cases(paper, text, items) if judges else {}
        votes: dict[str, MatchVotes] = {}
        for item in items:
            arm = match_arm(item, claims)
            votes[item.id] = {j.model: match_verdict(self._texts(j, trial, arm), cases[arm]) for j in judges}
        decided = {item: panel_match(list(own.values())) for item, own in votes.items()}
        return decided, votes if len(judges) > 1 else {}

    def judges_of(self, task: str, paper: Paper) -> list[Judge]:
        """The judges that are asked this of this document, seat by seat; none where none is appointed."""
        return [j for j in self.judges if j.task == task and j.about in ("", paper.review_type)]

    @property
    def seats(self) -> list[str]:
        """The models that judge, in the order of their seats."""
        return list(dict.fromkeys(judge.model for judge in self.judges))

    def _texts(self, judge: Judge, output: Trial, arm: str) -> list[str]:
        if judge.role not in self._said:
            self._said[judge.role] = said_by(self._store, judge)
        return self._said[judge.role].get(question(judge, output.item, output.id, arm).id, [])

    def cases(self, judge: Judge, paper: Paper, text: str, reviewer: str | None = None) -> dict[str, Case]:
        """What the judge is asked about an output, by the arms of its trials; of all reviewers where none is named."""
        if judge.task == GENUINE:
            return dict(genuine_cases(paper, text))
        listed = self.must_find.get(paper.id) or ()
        return dict(match_cases(paper, text, listed if reviewer is None else items_of(listed, reviewer)))

    def questions(self, judge: Judge) -> dict[Trial, Case]:
        """Everything that this judge is asked, those about one document together."""
        asked: dict[Trial, Case] = {}
        for reply in self.replies():
            paper = self.source.papers[reply.trial.item]
            if judge in self.judges_of(judge.task, paper):
                for arm, case in self.cases(judge, paper, reply.text, reply.trial.arm).items():
                    asked[question(judge, paper.id, reply.trial.id, arm)] = case
        return asked

    def due(self, judge: Judge, asked: Mapping[Trial, Case]) -> Plan:
        """The questions among these that are still open."""

        def settled(trial: Trial, texts: Sequence[str]) -> bool:
            case = asked[trial]
            if isinstance(case, GenuineCase):
                return isinstance(genuine_verdict(texts, case), GenuineVerdict)
            return isinstance(match_verdict(texts, case), MatchVerdict)

        return in_order(wanted(asked, said_by(self._store, judge), settled))

    def asking(
        self, judge: Judge, *, secret: str, max_tokens: int | None, labels: Mapping[tuple[str, str], float]
    ) -> JudgeSource:
        """The requests of this judge. `labels` are known truths, by document and arm, for simulated judges alone."""
        return JudgeSource(
            self.source.papers,
            lambda paper, text: self.cases(judge, paper, text),
            secret=secret,
            max_tokens=max_tokens,
            labels=labels,
        )


def make_output(
    text: str, status: str, *, document: str, reviewer: str, run: int, votes: Callable[[str], GenuineVotes]
) -> Output:
    """An output parsed and clustered, each finding with what the judges say of its arm. Must-finds are not looked for."""
    read = read_output(text)
    parsed = read.parsed
    judged = []
    for cluster in read.clusters:
        first, *others = (parsed.findings[k] for k in cluster)
        said = votes(genuine_arm(first))
        judged.append(
            Judged(
                number=cluster[0] + 1,
                finding=first,
                duplicates=tuple(others),
                verdict=panel_genuine(list(said.values())),
                votes=said if len(said) > 1 else {},
            )
        )
    return Output(
        document=document,
        reviewer=reviewer,
        run=run,
        status=_status(parsed.status, status),
        truncated=parsed.truncated or status == "truncated",
        dropped=parsed.dropped,
        findings=tuple(judged),
        meta=parsed.meta,
        text=text,
        fault=next((d.reason for d in parsed.dropped_reasons if d.reason.startswith(FAULT)), ""),
    )


def _status(parsed: Status, status: str) -> Status:
    """A reply that the provider withheld is a refusal, whatever is left of it; unless there are findings in it."""
    return "refused" if status in WITHHELD and parsed != "findings" else parsed


def prompt_sizes(asked: Iterable[Case]) -> list[int]:
    """The characters of every prompt that is sent first."""
    empty: dict[tuple[type, str], int] = {}
    sizes = []
    for case in asked:
        key = (type(case), case.document)
        if key not in empty:
            empty[key] = len(_empty_request(case).messages[0].text)
        sizes.append(empty[key] + _own_size(case))
    return sizes


def _empty_request(case: Case) -> Request:
    if isinstance(case, GenuineCase):
        return genuine_request(msgspec.structs.replace(case, finding=""), secret="")
    return match_request(msgspec.structs.replace(case, findings=(), item=""), secret="")


def _own_size(case: Case) -> int:
    """What a question adds to the document, its fences included."""
    if isinstance(case, GenuineCase):
        return len(case.finding)
    return len(case.item) + sum(len(said) + FENCE for said in case.findings)

"""What a panel's judges said of the same questions: each seat's share, how far they agree, and where they do not.

Questions about the same thing are not independent: the same claim is judged again in every run that makes it, the same
must-find is looked for in all of them. Agreement is therefore estimated over claims and must-finds, or over documents
where there are enough.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from fiducial.judge.genuine import GenuineVerdict
from fiducial.judge.match import MatchVerdict
from fiducial.judge.panel import Agreement, Side, agreement, majority, panel_name, said, side_of
from fiducial.judge.verdict import Invalid
from fiducial.review.judging import GENUINE, MATCH
from fiducial.review.output import Output, Vote
from fiducial.review.precision import ENOUGH_DOCUMENTS
from fiducial.review.records import MustFind
from fiducial.review.result import Disagreement, Panel, Seat
from fiducial.review.similar import content_clusters
from fiducial.run.store import Progressed

MOST = 50  # disagreements that are listed


class _Question(Struct, frozen=True, kw_only=True):
    task: str
    output: Output
    title: str
    text: str  # of a finding, for telling which make the same claim
    item: str | None
    votes: Mapping[str, Vote]
    verdict: Vote

    @property
    def sides(self) -> dict[str, Side | None]:
        """The side that each seat is on; None where it gave no verdict."""
        return {model: side_of(vote) for model, vote in self.votes.items()}

    @property
    def divided(self) -> bool:
        """Whether two seats are on different sides."""
        return len(set(self.sides.values()) - {None}) > 1


def panel_of(
    outputs: Sequence[Output],
    spent: Mapping[str, Sequence[Progressed]],
    must_find: Mapping[str, Sequence[MustFind] | None],
    *,
    seed: int,
) -> Panel | None:
    """The panel of a run; None with a single judge. `spent` has the calls of each seat, by model, in their order."""
    if len(spent) < 2:
        return None
    titles = {(document, item.id): item.title for document, items in must_find.items() for item in items or ()}
    asked = list(_questions(outputs, titles))
    divided = [question for question in asked if question.divided]
    divided.sort(key=lambda question: majority(list(question.sides.values())) is not None)
    listed = _disagreements(divided)
    return Panel(
        name=panel_name(spent),
        seats=[_seat(model, asked, own) for model, own in spent.items()],
        agreement={
            task: _agreement(list(spent), own, seed=seed)
            for task in (GENUINE, MATCH)
            if (own := [question for question in asked if question.task == task])
        },
        divided=len(divided),
        disagreements=listed[:MOST],
        left_off=max(0, len(listed) - MOST),
    )


def _questions(outputs: Sequence[Output], titles: Mapping[tuple[str, str], str]) -> Iterator[_Question]:
    for output in outputs:
        for judged in output.findings:
            finding = judged.finding
            yield _Question(
                task=GENUINE,
                output=output,
                title=finding.title,
                text=f"{finding.title}\n{finding.issue or ''}",
                item=None,
                votes=judged.votes,
                verdict=judged.verdict,
            )
        for item, votes in output.match_votes.items():
            yield _Question(
                task=MATCH,
                output=output,
                title=titles.get((output.document, item), item),
                text="",
                item=item,
                votes=votes,
                verdict=output.matches[item],
            )


def _seat(model: str, asked: Sequence[_Question], spent: Sequence[Progressed]) -> Seat:
    own = [(question, question.votes.get(model)) for question in asked]
    verdicts = [(question, side) for question, vote in own if (side := side_of(vote)) is not None]
    return Seat(
        model=model,
        asked=len(own),
        genuine=dict(Counter(vote.verdict for _, vote in own if isinstance(vote, GenuineVerdict))),
        match=dict(Counter(vote.verdict for _, vote in own if isinstance(vote, MatchVerdict))),
        invalid=sum(isinstance(vote, Invalid) for _, vote in own),
        waiting=sum(vote is None for _, vote in own),
        apart=sum(side != side_of(question.verdict) for question, side in verdicts),
        calls=sum(seen.calls for seen in spent),
        input_tokens=sum(seen.input_tokens for seen in spent),
        output_tokens=sum(seen.output_tokens for seen in spent),
        cost=None if any(seen.unpriced for seen in spent) else sum(seen.cost for seen in spent),
    )


def _agreement(seats: Sequence[str], asked: Sequence[_Question], *, seed: int) -> Agreement:
    rows = [[_row(question.votes.get(model)) for model in seats] for question in asked]
    units, unit = _units(asked)
    return agreement(seats, rows, units, unit=unit, seed=seed)


def _row(vote: Vote) -> str | Invalid | None:
    return vote if isinstance(vote, Invalid) else side_of(vote)


def _units(asked: Sequence[_Question]) -> tuple[list[Hashable], str]:
    """What each question is about, and what that is called: documents where there are enough, else claims in one."""
    documents = {question.output.document for question in asked}
    if len(documents) >= ENOUGH_DOCUMENTS:
        return [question.output.document for question in asked], "document"
    if asked[0].task == MATCH:
        return [(question.output.document, question.item) for question in asked], "must-find"
    texts: dict[str, list[str]] = defaultdict(list)
    for question in asked:
        texts[question.output.document].append(question.text)
    claims = {document: iter(content_clusters(own)) for document, own in texts.items()}
    return [(question.output.document, next(claims[question.output.document])) for question in asked], "claim"


def _disagreements(divided: Sequence[_Question]) -> list[Disagreement]:
    """One entry for questions that are the same, and were answered alike, in several runs."""
    found: dict[Hashable, Disagreement] = {}
    for question in divided:
        output, votes = question.output, {model: said(vote) for model, vote in question.votes.items()}
        one = Disagreement(
            task=question.task,
            document=output.document,
            reviewer=output.reviewer,
            runs=[],
            title=question.title,
            item=question.item,
            votes=votes,
            verdict=said(question.verdict),
        )
        same = (one.task, one.document, one.reviewer, one.title, one.item, tuple(votes.items()), one.verdict)
        found.setdefault(same, one).runs.append(output.run)
    return [replace(one, runs=sorted(one.runs)) for one in found.values()]

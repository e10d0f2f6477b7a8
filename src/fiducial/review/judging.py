"""What the judges of a review run are asked: of every finding, is it genuine; of every must-find, is it in the list.

A question is one trial. Its parent is the trial that wrote the output, its arm a hash of what is asked about: when the
parser or a list of must-finds changes, the questions that stay the same keep their verdicts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, TypeVar

import msgspec
from msgspec import Struct

from fiducial.judge import case as labelled
from fiducial.judge.asking import ATTEMPTS, Judge
from fiducial.judge.genuine import (
    GenuineCase,
    GenuineVerdict,
    ReviewType,
    genuine_request,
    genuine_version,
    parse_genuine,
)
from fiducial.judge.match import MatchCase, MatchVerdict, match_request, match_version, parse_match
from fiducial.judge.verdict import Invalid
from fiducial.model.request import CaseTruth, Request
from fiducial.review.dataset import MustFind
from fiducial.review.finding import Finding, Parsed
from fiducial.review.parse import faulty, parse
from fiducial.review.similar import near_duplicates
from fiducial.review.source import Paper
from fiducial.run.plan import Trial, make_trial

GENUINE: Literal["genuine"] = "genuine"
MATCH: Literal["match"] = "match"
NO_LABELS: Mapping[tuple[str, str], float] = MappingProxyType({})

T = TypeVar("T")


class Read(Struct, frozen=True):
    """An output as its questions see it: what was parsed, and the clusters of findings that say the same."""

    parsed: Parsed
    clusters: tuple[tuple[int, ...], ...]  # places in `parsed.findings`; the first of each stands for all

    def claims(self) -> tuple[str, ...]:
        """What is claimed, once a cluster."""
        return tuple(claim(self.parsed.findings[cluster[0]]) for cluster in self.clusters)


@lru_cache(maxsize=512)
def read_output(text: str) -> Read:
    """Parse an output and put near-duplicates together."""
    parsed = parse(text)
    try:
        return Read(parsed, tuple(tuple(cluster) for cluster in near_duplicates(parsed.findings)))
    except Exception as error:
        return Read(faulty(text, error), ())


def claim(finding: Finding) -> str:
    """What a judge is shown of a finding: neither its severity nor its author, and no remedy."""
    parts = [finding.title]
    if finding.section:
        parts.append(f"Section: {finding.section}")
    parts += [part for part in (finding.issue, finding.why_it_matters) if part]
    return "\n".join(parts)


def wanted_text(item: MustFind) -> str:
    """What a judge is shown of a must-find."""
    return item.title if item.issue in ("", item.title) else f"{item.title}\n{item.issue}"


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def genuine_judge(model: str, review_type: ReviewType) -> Judge:
    """The judge of genuineness in documents of a type, with the prompt of today."""
    return Judge(model=model, prompt=genuine_version(review_type), task=GENUINE, about=review_type)


def match_judge(model: str) -> Judge:
    """The judge that looks for must-finds among findings, with the prompt of today."""
    return Judge(model=model, prompt=match_version(), task=MATCH)


Case = GenuineCase | MatchCase
Cases = Callable[[Paper, str], Mapping[str, Case]]
"""What is asked about an output, by the arm of the trial that asks it."""


def question(judge: Judge, document: str, output: str, arm: str) -> Trial:
    """The trial that asks first; `output` is the id of the trial whose reply is judged."""
    return question_as(judge.role, document, output, arm)


def question_as(role: str, document: str, output: str, arm: str) -> Trial:
    """The same for the judge of a role, whoever that was."""
    return make_trial(document, role, arm, turn=1, parent=output)


def genuine_arm(finding: Finding) -> str:
    """The arm under which a finding is judged."""
    return _digest(claim(finding))


def genuine_cases(paper: Paper, text: str) -> dict[str, GenuineCase]:
    """One case a cluster of findings, in their order."""
    return {
        _digest(said): GenuineCase(document=paper.text, finding=said, review_type=paper.review_type)
        for said in read_output(text).claims()
    }


def match_arm(item: MustFind, claims: Sequence[str]) -> str:
    """The arm under which the item is looked for in a list of findings."""
    return _digest(wanted_text(item), *claims)


def match_cases(paper: Paper, text: str, items: Iterable[MustFind]) -> dict[str, MatchCase]:
    """One case a must-find, about the list of all findings; none where the output has no finding."""
    claims = read_output(text).claims()
    if not claims:
        return {}
    return {
        match_arm(item, claims): MatchCase(document=paper.text, findings=claims, item=wanted_text(item))
        for item in items
    }


class JudgeSource:
    """The judge's requests. What a trial asks is found again from the output that it follows."""

    def __init__(
        self,
        papers: Mapping[str, Paper],
        cases: Cases,
        *,
        secret: str,
        max_tokens: int | None = None,
        labels: Mapping[tuple[str, str], float] = NO_LABELS,
    ) -> None:
        self._secret, self._max_tokens, self._labels = secret, max_tokens, labels
        self._cases = lru_cache(maxsize=64)(lambda document, text: cases(papers[document], text))

    def request(self, trial: Trial, history: Sequence[str] = ()) -> Request:
        """The prompt of a verdict; of a second try, the whole chat."""
        case = self._cases(trial.item, history[0])[trial.arm]
        said = history[-1] if trial.repetition else None
        if isinstance(case, GenuineCase):
            request = genuine_request(case, secret=self._secret, said=said)
            label = self._labels.get((trial.item, trial.arm))
            if label is not None:
                request = msgspec.structs.replace(request, truth=_truth(case, trial, int(label)))
        else:
            request = match_request(case, secret=self._secret, said=said)
        return within(request, self._max_tokens)


def within(request: Request, max_tokens: int | None) -> Request:
    """The request with so many tokens for its verdict, where a number is given."""
    if max_tokens is None:
        return request
    settings = msgspec.structs.replace(request.settings, max_tokens=max_tokens)
    return msgspec.structs.replace(request, settings=settings)


def _truth(case: GenuineCase, trial: Trial, label: int) -> CaseTruth:
    known = labelled.Case(
        id=trial.arm,
        task=GENUINE,
        document=case.document,
        text=case.finding,
        label=label,
        review_type=case.review_type,
    )
    return labelled.truth_of(known)


def genuine_verdict(texts: Sequence[str], case: GenuineCase) -> GenuineVerdict | Invalid | None:
    """The first verdict among what the judge said; why there is none, when it was asked often enough; else None."""
    return _verdict([parse_genuine(text, case) for text in texts])


def match_verdict(texts: Sequence[str], case: MatchCase) -> MatchVerdict | Invalid | None:
    """As `genuine_verdict`."""
    return _verdict([parse_match(text, case) for text in texts])


def _verdict(tries: Sequence[T | Invalid]) -> T | Invalid | None:
    found = next((said for said in tries if not isinstance(said, Invalid)), None)
    return tries[-1] if found is None and len(tries) >= ATTEMPTS else found

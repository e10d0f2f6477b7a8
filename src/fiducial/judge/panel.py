"""Several judges as one: what a panel decides from the votes of its seats, and how far its members agree.

Every seat counts, one that gave no verdict too: two votes of five decide nothing. Where no side has a strict majority
of the seats, the panel says neither yes nor no: it is between where both sides were voted, and has no verdict otherwise.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from itertools import combinations
from statistics import fmean
from typing import Literal, TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from fiducial.errors import UsageError
from fiducial.judge.case import CaseVerdict, Task
from fiducial.judge.genuine import GenuineVerdict
from fiducial.judge.match import MatchVerdict
from fiducial.judge.verdict import Invalid
from fiducial.stats.estimate import Estimate, Measured, Withheld
from fiducial.stats.resample import ratio_by_cluster

JOINED = " + "
LEAST = 2  # questions, for an agreement beyond chance

Side = Literal["yes", "no", "between"]
SIDES: dict[str, Side] = {
    "genuine": "yes",
    "not_genuine": "no",
    "borderline": "between",
    "found": "yes",
    "not_found": "no",
    "partly": "no",  # counts as not found
}
"""The side that a verdict of `genuine` or `match` is on."""

T = TypeVar("T", bound=str)


def panel_name(models: Iterable[str]) -> str:
    """What the panel is called as a judge, whatever the order of its seats; of a single judge, its own name."""
    return JOINED.join(sorted(models))


def members(names: Iterable[str]) -> tuple[str, ...]:
    """The models on the seats, in the order given. A panel may also be given by its name, `A + B`."""
    seats: list[str] = []
    for name in names:
        parts = [part.strip() for part in name.split(JOINED)]
        seats += parts if len(parts) > 1 and all("/" in part for part in parts) else [name]
    refuse_twice(seats)
    return tuple(seats)


def refuse_twice(seats: Iterable[str]) -> None:
    """Raises UsageError where a model has two seats."""
    twice = [name for name, n in Counter(map(_plain, seats)).items() if n > 1]
    if twice:
        raise UsageError(
            f"--judge {twice[0]} was given twice: a model with two seats would outvote others by agreeing with itself. "
            "Every seat of a panel needs a model of its own."
        )


def _plain(name: str) -> str:
    """One provider goes by two names."""
    return name.strip().replace("grok/", "xai/", 1) if name.strip().startswith("grok/") else name.strip()


def majority(votes: Sequence[T | None]) -> T | None:
    """What more than half of all seats voted for, if anything. A vote of None is a seat without a verdict."""
    for vote, n in Counter(vote for vote in votes if vote is not None).most_common(1):
        return vote if 2 * n > len(votes) else None
    return None


def decide(votes: Sequence[Side | None]) -> Side | None:
    """The side of the majority; without one, `between` if both sides were voted, else None."""
    return majority(votes) or ("between" if "yes" in votes and "no" in votes else None)


def panel_genuine(votes: Sequence[GenuineVerdict | Invalid | None]) -> GenuineVerdict | Invalid | None:
    """The panel's verdict on a finding; None where no seat has been asked yet.

    Evidence, reason and category are those of the first seat that is behind the verdict, the confidence is the mean of
    all of them. Where the judges are divided, the evidence is that of the first who called it genuine, if none called it
    borderline, and the confidence the mean of all who voted.
    """
    if len(votes) == 1 or all(vote is None for vote in votes):
        return votes[0] if votes else None
    cast = [vote for vote in votes if isinstance(vote, GenuineVerdict)]
    outcome = decide([side_of(vote) for vote in votes])
    if outcome is None:
        return _undecided(votes)
    behind = [vote for vote in cast if side_of(vote) == outcome]
    if 2 * len(behind) > len(votes):
        return replace(behind[0], confidence=fmean(vote.confidence for vote in behind))
    first = (behind or [vote for vote in cast if vote.verdict == "genuine"])[0]
    return replace(
        first,
        verdict="borderline",
        reason=f"The judges are divided: {_tally(votes)}. One that says {_words(first.verdict)}: {first.reason}",
        category=None,
        confidence=fmean(vote.confidence for vote in cast),
    )


def panel_match(votes: Sequence[MatchVerdict | Invalid | None]) -> MatchVerdict | Invalid | None:
    """The panel's verdict on a must-find; None where no seat has been asked yet.

    `partly` is a vote for not found. Number and quotation are those of the first seat that is behind the verdict. One
    that was not found is called `partly` where half of those who did not find it say that; so is one on which the
    judges are divided, with the finding of the first who found it.
    """
    if len(votes) == 1 or all(vote is None for vote in votes):
        return votes[0] if votes else None
    cast = [vote for vote in votes if isinstance(vote, MatchVerdict)]
    outcome = decide([side_of(vote) for vote in votes])
    if outcome is None:
        return _undecided(votes)
    if outcome == "between":
        return replace(next(vote for vote in cast if vote.verdict == "found"), verdict="partly")
    behind = [vote for vote in cast if side_of(vote) == outcome]
    near = [vote for vote in behind if vote.verdict == "partly"]
    if near and 2 * len(near) >= len(behind):
        return near[0]
    return next(vote for vote in behind if vote.verdict != "partly")


def panel_case(task: Task, votes: Sequence[CaseVerdict | Invalid | None]) -> CaseVerdict | Invalid | None:
    """The panel's verdict on a case of a calibration, by the same rule: a panel is calibrated as the one judge that it is.

    A reading is the answer that a majority of the seats gave; without one there is none.
    """
    if len(votes) == 1 or all(vote is None for vote in votes):
        return votes[0] if votes else None
    cast = [vote for vote in votes if isinstance(vote, CaseVerdict)]
    if task == "read":
        answer = majority([vote.said if isinstance(vote, CaseVerdict) else None for vote in votes])
        return _undecided(votes) if answer is None else _behind([vote for vote in cast if vote.said == answer])
    by_score: dict[float, Side] = {1.0: "yes", 0.0: "no", 0.5: "between"}
    outcome = decide([by_score[vote.score] if isinstance(vote, CaseVerdict) else None for vote in votes])
    if outcome is None:
        return _undecided(votes)
    behind = [vote for vote in cast if by_score[vote.score] == outcome]
    if 2 * len(behind) > len(votes):
        near = [vote for vote in behind if vote.between]
        half = near and 2 * len(near) >= len(behind)
        return _behind(near if half else [vote for vote in behind if not vote.between])
    if task == "match":
        return CaseVerdict(score=0.0, said="partly", between=True)
    return CaseVerdict(score=0.5, said="borderline", between=True, confidence=_confidence(cast))


def _behind(votes: Sequence[CaseVerdict]) -> CaseVerdict:
    return replace(votes[0], confidence=_confidence(votes))


def _confidence(votes: Sequence[CaseVerdict]) -> float | None:
    stated = [vote.confidence for vote in votes if vote.confidence is not None]
    return fmean(stated) if stated else None


def said(vote: object) -> str:
    """A vote in a word: the verdict, `invalid`, or `waiting` where the seat has not been asked."""
    if isinstance(vote, GenuineVerdict | MatchVerdict):
        return vote.verdict
    if isinstance(vote, CaseVerdict):
        return vote.said
    return "waiting" if vote is None else "invalid"


def side_of(vote: object) -> Side | None:
    """The side that a vote on a finding or a must-find is on; None where there is no verdict."""
    return SIDES[vote.verdict] if isinstance(vote, GenuineVerdict | MatchVerdict) else None


def _undecided(votes: Sequence[object]) -> Invalid:
    why = next((vote.reason for vote in votes if isinstance(vote, Invalid)), None)
    reason = f"no majority of the {len(votes)} judges: {_tally(votes)}"
    return Invalid(f"{reason} ({why})" if why else reason)


def _tally(votes: Sequence[object]) -> str:
    """`2 genuine, 1 without a verdict`, in the order in which they were voted first."""
    return ", ".join(f"{n} {_words(label)}" for label, n in Counter(map(said, votes)).items())


def _words(label: str) -> str:
    known = {"invalid": "without a verdict", "waiting": "not asked yet"}
    return known.get(label, label.replace("_", " "))


class Pair(Struct, frozen=True, kw_only=True):
    """Two judges, on the questions that both gave a verdict on."""

    first: str
    second: str
    questions: int
    agreed: int
    agreement: Measured
    kappa: Measured


class Agreement(Struct, frozen=True, kw_only=True):
    """How far the seats of a panel agree in one task.

    `unanimous` is the share of the questions, put to every seat, that got the same verdict from all: one that a seat
    gave no verdict on is not among them.
    """

    questions: int
    alike: int
    unit: str  # what the intervals are over: questions about one of it are not independent
    unanimous: Measured
    pairs: list[Pair]


Row = Sequence[str | Invalid | None]
"""The verdicts of all seats on one question; None where a seat has not been asked yet."""


def agreement(
    seats: Sequence[str], rows: Sequence[Row], units: Sequence[Hashable], *, unit: str, seed: int
) -> Agreement:
    """Agreement over the questions. `units` says which `unit` each is about: those of one are not independent."""
    everywhere = [(row, about) for row, about in zip(rows, units, strict=True) if None not in row]
    same = [isinstance(row[0], str) and len(set(row)) == 1 for row, _ in everywhere]
    share = partial(_share, unit=unit, seed=seed)
    return Agreement(
        questions=len(everywhere),
        alike=sum(same),
        unit=unit,
        unanimous=share(same, [about for _, about in everywhere]),
        pairs=[
            _pair(seats[a], seats[b], [(row[a], row[b]) for row in rows], units, share)
            for a, b in combinations(range(len(seats)), 2)
        ],
    )


def _pair(
    first: str,
    second: str,
    votes: Sequence[tuple[object, object]],
    units: Sequence[Hashable],
    share: Callable[[Sequence[bool], Sequence[Hashable]], Measured],
) -> Pair:
    both = [
        (a, b, about)
        for (a, b), about in zip(votes, units, strict=True)
        if isinstance(a, str) and isinstance(b, str)
    ]
    same = [a == b for a, b, _ in both]
    raw = share(same, [about for *_, about in both])
    by_first, by_second = Counter(a for a, _, _ in both), Counter(b for _, b, _ in both)
    chance = sum(n * by_second[label] for label, n in by_first.items()) / max(1, len(both)) ** 2
    return Pair(
        first=first,
        second=second,
        questions=len(both),
        agreed=sum(same),
        agreement=raw,
        kappa=_kappa(raw, chance, len(both)),
    )


def _share(hits: Sequence[bool], units: Sequence[Hashable], *, unit: str, seed: int) -> Measured:
    if not hits:
        return Withheld("there is no question that all of them gave a verdict on")
    numbers: dict[Hashable, int] = {}
    places = np.array([numbers.setdefault(about, len(numbers)) for about in units])
    return ratio_by_cluster(
        np.bincount(places, weights=np.array(hits)).astype(np.float64),
        np.bincount(places).astype(np.float64),
        rng=np.random.default_rng(seed),
        unit=unit,
    )


def _kappa(raw: Measured, chance: float, questions: int) -> Measured:
    """Cohen's kappa: the agreement beyond what the two judges' own frequencies would give.

    Its interval is that of the agreement, with the agreement by chance held where it was seen (Cohen, 1960), so that
    questions about the same thing count as such and full agreement does not look certain.
    """
    if isinstance(raw, Withheld):
        return raw
    if questions < LEAST:
        return Withheld(f"{questions} question with a verdict of both; {LEAST} are the least")
    if math.isclose(chance, 1.0):
        return Withheld("both gave every question the same verdict: there is nothing to agree on beyond chance")
    value, low, high = (max(-1.0, (share - chance) / (1 - chance)) for share in (raw.value, raw.low, raw.high))
    return Estimate(value=value, low=low, high=high, n=raw.n, method=f"Cohen's kappa, {raw.method}")

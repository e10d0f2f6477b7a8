"""A judge put on trial: which cases it is asked, in which run file, and at what cost.

The same command finds its run again, and what is answered costs nothing. A calibration expires, though, because models
change behind their names: from then on the same command asks anew, into a file of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import count
from pathlib import Path

import msgspec
from msgspec import Struct

from fiducial.errors import UsageError
from fiducial.judge.calibration import VALID_DAYS, Basis, Half
from fiducial.judge.case import Case, Task
from fiducial.judge.sitting import Sitting, answered, prepare_cases
from fiducial.judge.wording import SHIPPED, Wording
from fiducial.model.prices import money_words
from fiducial.run.collect import CHARACTERS_A_TOKEN
from fiducial.run.store import Store
from fiducial.study.judge_sets import CaseSet

INSTRUMENT = "judge-calibrate"
REPEATED = 40  # cases that are asked several times
PROMPT, VERDICT = 900, 150  # tokens of a prompt without what it is about, and of a verdict


class Trying(Struct, frozen=True, kw_only=True):
    """What decides a run: who is tried, on which cases, and how they are put."""

    judge: str
    task: Task
    set: str  # as it was given
    basis: Basis
    cases: tuple[Case, ...]
    half: Half = "all"
    wording: Wording = SHIPPED
    repeats: int = 2
    seed: int = 1

    @classmethod
    def of(cls, found: CaseSet, **more: object) -> Trying:
        """With the cases of a set."""
        return cls(cases=found.cases, basis=found.basis, **more)  # type: ignore[arg-type]

    @property
    def repeated(self) -> tuple[str, ...]:
        """The cases that are asked several times: some of all, by the hash of their ids."""
        if self.repeats < 2:
            return ()
        ranked = sorted((digest(self.seed, "repeated", case.id), case.id) for case in self.cases)
        return tuple(sorted(name for _, name in ranked[:REPEATED]))

    @property
    def sittings(self) -> list[Sitting]:
        """Those that are asked once, and those that are asked several times."""
        again = self.repeated
        once = tuple(case.id for case in self.cases if case.id not in again)
        found = [Sitting(wording=self.wording, cases=once)] if once else []
        return found + ([Sitting(wording=self.wording, cases=again, repeats=self.repeats)] if again else [])

    @property
    def calls(self) -> int:
        """How many there are, second askings left aside."""
        return len(self.cases) + (self.repeats - 1) * len(self.repeated)


def prepare(trying: Trying, *, day: date, out: Path | None = None) -> Path:
    """The run file, made or found again. Where the replies in it have expired, the judge is asked anew, in a new file."""
    about: dict[str, object] = {
        "task": trying.task,
        "set": trying.set,
        "basis": trying.basis,
        "half": trying.half,
        "labels": label_hash(trying.cases),
        "repeats": trying.repeats,
    }
    for occasion in count():
        extra = {"occasion": occasion} if occasion else {}
        path = prepare_cases(
            INSTRUMENT,
            trying.judge,
            trying.cases,
            trying.sittings,
            seed=trying.seed,
            about={**about, **extra},
            out=out,
        )
        made = made_on(path)
        if made is None or made + timedelta(days=VALID_DAYS) >= day:
            break
        if out is not None:
            raise UsageError(
                f"{path}: its replies are of {made}, and a calibration holds for {VALID_DAYS} days. "
                "Name another --out to ask the judge anew"
            )
    return path


def made_on(path: Path) -> date | None:
    """The day of the last reply, in UTC; None where there is none."""
    with Store(path) as store:
        roles = [role for role in store.roles() if role.startswith("judge:")]
        last = max(
            (reply.started + reply.seconds for role in roles for reply in store.replies(role=role)), default=None
        )
    return None if last is None else datetime.fromtimestamp(last, UTC).date()


def forecast(trying: Trying, path: Path) -> Iterator[str]:
    """Lines for a person: how many calls, and what they cost where that is money."""
    labels = [case.label for case in trying.cases]
    repeated = f", {len(trying.repeated)} of them asked {trying.repeats} times" if trying.repeated else ""
    yield (
        f"{trying.calls:,} calls: {len(labels):,} cases ({labels.count(1)} labelled 1, {labels.count(0)} labelled 0)"
        f"{repeated} -> {path}"
    )
    again = set(trying.repeated)
    given = sum(
        (len(case.document) + len(case.text) + sum(map(len, case.findings))) // CHARACTERS_A_TOKEN + PROMPT
        for case in trying.cases
        for _ in range(trying.repeats if case.id in again else 1)
    )
    if words := money_words(trying.judge, given, trying.calls * VERDICT):
        yield words


def waiting(path: Path) -> int:
    """Askings that have no reply yet, or whose call failed, second askings included."""
    with Store(path) as store:
        seen = store.progressed()
    return max(seen.trials - seen.answered, sum(one.verdict is None for one in answered(path)))


def label_hash(cases: Iterable[Case]) -> str:
    """What a calibration is bound to: every case with its label."""
    rows = sorted((case.id, digest(case.document, case.text, *case.findings), case.label) for case in cases)
    return hashlib.sha256(msgspec.json.encode(rows)).hexdigest()[:16]


def digest(*what: object) -> str:
    """16 hex digits over what is given."""
    return hashlib.sha256("\0".join(map(str, what)).encode("utf-8", "surrogatepass")).hexdigest()[:16]

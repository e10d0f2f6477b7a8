"""Putting cases to a judge: many, in several wordings, several times each, in a run file that can be continued.

The file holds the cases as well as the replies, so everything that is made of them can be made again without a call.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from fiducial.errors import UsageError
from fiducial.judge.asking import Asking, Judge, appoint, ask, in_order, said_by, wanted
from fiducial.judge.case import Case, CaseVerdict, request_of, verdict_of, version
from fiducial.judge.document import MAX_TOKENS
from fiducial.judge.fence import secret_of
from fiducial.judge.verdict import Invalid
from fiducial.judge.wording import SHIPPED, Wording
from fiducial.model.base import Model
from fiducial.model.request import Request
from fiducial.run.budget import Budget
from fiducial.run.collect import Collected
from fiducial.run.limits import Limits
from fiducial.run.naming import run_path
from fiducial.run.plan import Plan, Trial, make_trial
from fiducial.run.progress import Progress
from fiducial.run.provenance import provenance
from fiducial.run.store import Store, prepare

ROOM = 4000  # tokens for the prompt, what is asked about, and the reply
SECOND_ASKING = 1000

_CASES, _DOCUMENTS, _SITTINGS = "cases", "documents", "sittings"


class Sitting(Struct, frozen=True, kw_only=True):
    """Cases put to one judge in one wording, `repeats` times each. `cases` are ids; without any, all are meant."""

    wording: Wording = SHIPPED
    repeats: int = 1
    cases: tuple[str, ...] = ()


class Answered(Struct, frozen=True, kw_only=True):
    """One asking of one case. `verdict` is None where there is no reply yet, or the call failed for good."""

    case: Case
    wording: Wording
    repeat: int
    verdict: CaseVerdict | Invalid | None


class _Asked(Struct, frozen=True):
    case: Case
    wording: Wording
    repeat: int
    judge: Judge

    def trial(self) -> Trial:
        content = msgspec.json.encode((self.case.document, self.case.text, self.case.findings))
        digest = hashlib.sha256(content).hexdigest()[:32]
        return make_trial(self.case.id, digest, self.judge.role, order=self.repeat)


def prepare_cases(
    instrument: str,
    model: str,
    cases: Sequence[Case],
    sittings: Sequence[Sitting],
    *,
    seed: int,
    about: dict[str, object] | None = None,
    out: Path | None = None,
) -> Path:
    """Create the run file, or find it again: the same cases, judge and sittings have the same one."""
    if len({case.id for case in cases}) != len(cases):
        raise UsageError("two cases have the same id")
    documents = {_hash(case.document): case.document for case in cases}
    kept = [msgspec.structs.replace(case, document=_hash(case.document)) for case in cases]
    settings: dict[str, object] = {"instrument": instrument, "model": model, "seed": seed, **(about or {})}
    plan = in_order([asked.trial() for asked in _all(cases, sittings, model)])
    path = out or run_path(instrument, model, settings=settings, plan=plan)
    meta: dict[str, object] = {
        "settings": settings,
        "provenance": provenance(),
        _CASES: kept,
        _DOCUMENTS: documents,
        _SITTINGS: list(sittings),
    }
    prepare(path, Plan((), ()), meta)
    _same(path, meta)
    return path


def _same(path: Path, meta: dict[str, object]) -> None:
    """Refuse a file that holds something else: its cases would be asked, and not the ones that were meant."""
    now = msgspec.json.decode(msgspec.json.encode({key: meta[key] for key in ("settings", _CASES, _SITTINGS)}))
    with Store(path) as store:
        then = {key: store.meta(key) or {} for key in now}
    if then == now:
        return
    settings = {*then["settings"], *now["settings"]}
    other = sorted(key for key in settings if then["settings"].get(key) != now["settings"].get(key))
    told = "; ".join(f"{k} was {then['settings'].get(k)!r}, is {now['settings'].get(k)!r}" for k in other)
    raise UsageError(
        f"{path}: holds another run ({told[:300] or 'its cases or wordings are others'}). Choose another --out."
    )


def ask_cases(
    path: Path,
    model: Model,
    *,
    limits: Limits,
    budget: Budget,
    progress: Progress,
    max_tokens: int = MAX_TOKENS,
) -> Collected:
    """Ask what has not been asked yet. Cases on one document come together, and share it."""
    with Store(path) as store:
        cases, sittings, seed = _stored(store)
    asked = _all(cases, sittings, model.name)
    judges = {one.judge.role: one.judge for one in asked}
    appoint(path, list(judges.values()))
    longest = max((len(case.document) + sum(map(len, case.findings)) + len(case.text) for case in cases), default=0)
    model.make_room(longest // 3 + ROOM + SECOND_ASKING + max_tokens)
    secret = secret_of(path)
    todo = []
    for judge in judges.values():
        own = {one.trial(): one for one in asked if one.judge == judge}
        source = _Source(own, secret=secret, max_tokens=max_tokens)
        todo.append(Asking(judge, source, lambda store, own=own, judge=judge: _due(store, judge, own)))  # type: ignore[misc]
    return ask(path, model, todo, seed=seed, limits=limits, budget=budget, progress=progress)


def answered(path: Path) -> Iterator[Answered]:
    """Every asking in the file's plan with what came of it."""
    with Store(path) as store:
        cases, sittings, _ = _stored(store)
        asked = _all(cases, sittings, str((store.meta("settings") or {})["model"]))
        said = {
            judge.role: said_by(store, judge) for judge in {one.judge.role: one.judge for one in asked}.values()
        }
    for one in asked:
        texts = said[one.judge.role].get(one.trial().id, ())
        yield Answered(case=one.case, wording=one.wording, repeat=one.repeat, verdict=_verdict(one, texts))


def stored_cases(path: Path) -> list[Case]:
    """The cases of the file."""
    with Store(path) as store:
        return _stored(store)[0]


class _Source:
    """The requests. The marks of the fences differ between repeats, so that no provider answers two from one call."""

    def __init__(self, own: dict[Trial, _Asked], *, secret: str, max_tokens: int) -> None:
        self._own = {(trial.item, trial.order): asked for trial, asked in own.items()}
        self._secret, self._max_tokens = secret, max_tokens

    def request(self, trial: Trial, history: Sequence[str] = ()) -> Request:
        """The prompt; of a second asking, the whole chat."""
        one = self._own[trial.item, trial.order]
        said = history[-1] if trial.repetition else None
        request = request_of(
            one.case, secret=f"{self._secret}{one.repeat}", said=said, wording=one.wording, repetition=one.repeat
        )
        settings = msgspec.structs.replace(request.settings, max_tokens=self._max_tokens)
        return msgspec.structs.replace(request, settings=settings)


def _stored(store: Store) -> tuple[list[Case], list[Sitting], int]:
    documents: dict[str, str] = store.meta(_DOCUMENTS) or {}
    kept = msgspec.convert(store.meta(_CASES) or [], list[Case])
    cases = [msgspec.structs.replace(case, document=documents[case.document]) for case in kept]
    return (
        cases,
        msgspec.convert(store.meta(_SITTINGS) or [], list[Sitting]),
        int((store.meta("settings") or {})["seed"]),
    )


def _all(cases: Sequence[Case], sittings: Sequence[Sitting], model: str) -> list[_Asked]:
    """Every asking: sitting by sitting, repeat by repeat, the cases of one document together."""
    found = []
    ordered = sorted(cases, key=lambda case: (case.task, case.review_type, _hash(case.document)))
    for sitting in sittings:
        for repeat in range(sitting.repeats):
            for case in ordered:
                if not sitting.cases or case.id in sitting.cases:
                    found.append(_Asked(case, sitting.wording, repeat, judge_of(case, sitting.wording, model)))
    return found


def judge_of(case: Case, wording: Wording, model: str) -> Judge:
    """The judge of the case: who, and with which prompt."""
    about = case.review_type if case.task == "genuine" else ""
    return Judge(model=model, prompt=version(case.task, case.review_type, wording), task=case.task, about=about)


def _due(store: Store, judge: Judge, own: dict[Trial, _Asked]) -> Plan:
    def settled(trial: Trial, texts: Sequence[str]) -> bool:
        return isinstance(_verdict(own[trial], texts), CaseVerdict)

    return in_order(wanted(own, said_by(store, judge), settled))


def _verdict(one: _Asked, texts: Sequence[str]) -> CaseVerdict | Invalid | None:
    found: CaseVerdict | Invalid | None = None
    for text in texts:
        found = verdict_of(one.case, text, one.wording)
        if isinstance(found, CaseVerdict):
            break
    return found


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]

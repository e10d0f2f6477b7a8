"""Can a judge be talked round? Cases whose right verdict is known, each with a text in it that urges the wrong one.

Every case is also asked as it is, and once with a text that urges nothing: what any added text does to a verdict is not
the attacker's doing. All of it is asked under every combination of the two defences, the fence and the schema, so that
the same attacks on the same cases show what each defence is worth.

Injections are spread over the cases, and cases over the injections, as evenly as it goes: labels (so that some urge a
yes and some a no) and places in turns.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from fiducial.errors import UsageError
from fiducial.judge.case import Case, Task, request_of
from fiducial.judge.fence import mark
from fiducial.judge.sitting import Sitting, prepare_cases, stored_cases
from fiducial.judge.wording import SHIPPED, Wording
from fiducial.model.sim.judge import ADDED
from fiducial.review.dataset import shipped_datasets
from fiducial.review.files import near
from fiducial.run.collect import CHARACTERS_A_TOKEN
from fiducial.run.store import Store
from fiducial.study.injections import KINDS, Injection, Where, all_injections, injected

INSTRUMENT = "judge-attack"
CASES = 60
PER_INJECTION = 2
VERDICT = 150  # tokens of a verdict, for want of knowing

WORDINGS = (
    SHIPPED,
    Wording(name="fence alone", schema=False),
    Wording(name="schema alone", fence=False),
    Wording(name="neither", fence=False, schema=False),
)
"""How a judge is asked: with both defences, as in every run, with one, with none."""

PLACES: dict[Task, tuple[Where, ...]] = {
    "genuine": ("finding", "document"),
    "match": ("finding", "document"),
    "zero_shot": ("finding", "document"),
    "read": ("reply",),
}
"""What an attacker may have written, by task. Must-finds, and the questions of a battery, are our own."""

_WHAT: dict[Task, str] = {"genuine": "finding", "match": "issue", "zero_shot": "issue", "read": "reply"}
_FIELD: dict[Task, str] = {"genuine": "verdict", "match": "verdict", "zero_shot": "found", "read": "answer"}
_CLAIMS: dict[Task, tuple[str, str]] = {
    "genuine": ("the finding is not genuine", "the finding is genuine"),
    "match": ("the issue is not among the findings", "the issue is among the findings"),
    "zero_shot": ("the issue cannot be seen in the document", "the issue can be seen in the document"),
}
_AT = "@"  # in the id of an attacked case, before the place
_LONGEST_QUOTATION = 200

Verdict = str | float | bool
Defences = Literal["all", "shipped"]


class Design(Struct, frozen=True, kw_only=True):
    """Which injections are tried, where, and on how many cases each. Without kinds or places, all."""

    per_injection: int = PER_INJECTION
    kinds: tuple[str, ...] = ()
    places: tuple[Where, ...] = ()
    wordings: tuple[Wording, ...] = WORDINGS
    seed: int = 1

    def injections(self, task: Task) -> list[tuple[Injection, tuple[Where, ...]]]:
        """The injections with the places that they can stand in, the controls among them."""
        wanted = [i for i in all_injections() if i.control or not self.kinds or i.kind in self.kinds]
        allowed = [place for place in PLACES[task] if not self.places or place in self.places]
        return [(i, own) for i in wanted if (own := tuple(place for place in allowed if place in i.where))]


class Attack(Struct, frozen=True, kw_only=True):
    """An attacked case, or one with a control in it: on which case, with which injection, where."""

    case: str
    base: str
    injection: str
    kind: str
    where: str


def attacked_cases(base: Sequence[Case], design: Design) -> list[Case]:
    """The cases as they are, those with an injection, and those with a control; only what is used."""
    usable = [case for case in base if urged(case) is not None]
    if not usable:
        raise UsageError("there is no case that could be attacked: labels are needed, and of a match findings")
    found = design.injections(usable[0].task)
    attacks = [one for one in found if not one[0].control]
    controls = [one for one in found if one[0].control]
    if not attacks:
        wanted = f"of the kinds {', '.join(design.kinds)}" if design.kinds else "of any kind"
        where = f" in a {' or '.join(design.places)}" if design.places else ""
        raise UsageError(f"no injection {wanted} can stand{where} in the task {usable[0].task}")
    made = {case.id: case for case in _attacked(usable, attacks, design)}
    bases = {name.rpartition(ADDED)[0] for name in made}
    used = [case for case in usable if case.id in bases]
    for k, case in enumerate(used):
        control, places = controls[k % len(controls)]
        one = attack(case, control, places[k // 2 % len(places)], seed=design.seed)
        made[one.id] = one
    return [*used, *made.values()]


def _attacked(
    cases: Sequence[Case], attacks: Sequence[tuple[Injection, tuple[Where, ...]]], design: Design
) -> Iterator[Case]:
    sides = [side for label in (1, 0) if (side := [case for case in cases if case.label == label])]
    queues = [cycle(side) for side in sides]
    turn = 0
    for j, (injection, places) in enumerate(attacks):
        for k in range(design.per_injection):
            case = next(queues[turn % len(queues)])
            turn += 1
            # labels go in turns; places so that each comes to stand in cases of both labels
            where = places[(j // 2 + k // 2 + k) % len(places)]
            yield attack(case, injection, where, seed=design.seed)


def attack(case: Case, injection: Injection, where: Where, *, seed: int) -> Case:
    """The case with the injection in it. Its label stays what it was; a control urges nothing."""
    value = urged(case)
    assert value is not None
    values = _values(case, value, where, seed=seed)
    changed: dict[str, object]
    if where == "document":
        changed = {"document": injected(injection, case.document, values)}
    elif case.task == "match":
        number = (case.finding or 1 + _rank(case.id) % len(case.findings)) - 1
        findings = list(case.findings)
        findings[number] = injected(injection, findings[number], values)
        changed = {"findings": tuple(findings)}
    else:
        changed = {"text": injected(injection, case.text, values)}
    name = f"{case.id}{ADDED}{injection.id}{_AT}{where}"
    return msgspec.structs.replace(case, id=name, urged=None if injection.control else value, **changed)


def attack_of(case: Case, kinds: dict[str, str]) -> Attack | None:
    """What was done to a case; None for one as it is. `kinds` are those of the run's injections, by id."""
    base, _, added = case.id.rpartition(ADDED)
    injection, _, where = added.rpartition(_AT)
    if not base or injection not in kinds:
        return None
    return Attack(case=case.id, base=base, injection=injection, kind=kinds[injection], where=where)


def urged(case: Case) -> Verdict | None:
    """The wrong verdict that an attack urges; None where the right one is not known, or there is no other."""
    if case.label is None:
        return None
    wrong = case.label == 0  # where the right verdict is a no, a yes is urged
    match case.task:
        case "genuine":
            return "genuine" if wrong else "not_genuine"
        case "match":
            if not case.findings:
                return None
            return "found" if wrong else "not_found"
        case "zero_shot":
            return wrong
        case "read" if case.options:
            others = [label for label in case.options if wrong or label != case.answer]
            return others[_rank(case.id) % len(others)] if others else None
        case "read":
            right = case.answer if isinstance(case.answer, int | float) else 0.0
            return float(2 * right + (10 if right >= 0 else -10))


def prepare_attack(
    model: str, cases: Sequence[Case], design: Design, *, of: str, out: Path | None = None
) -> tuple[Path, int]:
    """The run file, new or found again, and the number of verdicts that it asks for.

    A file that holds other cases or other wordings is refused.
    """
    every = attacked_cases(cases, design)
    sittings = [Sitting(wording=wording) for wording in design.wordings]
    task = every[0].task
    kinds = {injection.id: injection.kind for injection, _ in design.injections(task)}
    about: dict[str, object] = {"task": task, "set": of, "injections": kinds, "wordings": list(design.wordings)}
    path = prepare_cases(INSTRUMENT, model, every, sittings, seed=design.seed, about=about, out=out)
    return path, len(every) * len(sittings)


def tokens(path: Path) -> tuple[int, int]:
    """About how many tokens go in and come out."""
    with Store(path) as store:
        sittings = len(store.meta("sittings") or ())
    cases = stored_cases(path)
    given = sum(len(message.text) for case in cases for message in request_of(case, secret="").messages)
    return sittings * given // CHARACTERS_A_TOKEN, VERDICT * sittings * len(cases)


def design_of(
    *, per_injection: int, kinds: Sequence[str], places: Sequence[Where], defences: Defences, seed: int
) -> Design:
    """What is tried, as it was asked for. `all`: under every combination of the defences; `shipped`: with both alone."""
    return Design(
        per_injection=per_injection,
        kinds=check_kinds(kinds),
        places=tuple(dict.fromkeys(places)),
        wordings=WORDINGS if defences == "all" else WORDINGS[:1],
        seed=seed,
    )


def usual_set(task: Task) -> str:
    """The set that is taken unless another is named: what comes with Fiducial."""
    return "planted:quick" if task == "read" else f"planted:{','.join(shipped_datasets())}"


def check_kinds(kinds: Sequence[str]) -> tuple[str, ...]:
    """The kinds, or a UsageError with the nearest name."""
    for kind in kinds:
        if kind not in KINDS:
            hint = near(kind, tuple(KINDS))
            raise UsageError(
                f"--kind {kind}: there is no such kind of injection{hint} (there are: {', '.join(KINDS)})"
            )
    return tuple(dict.fromkeys(kinds))


def _values(case: Case, value: Verdict, where: Where, *, seed: int) -> dict[str, str]:
    other = case.text if where == "document" else case.document
    return {
        "verdict": _word(value),
        "right": _word(_right(case)),
        "field": _FIELD[case.task],
        "json": _reply(case, value),
        "claim": _CLAIMS[case.task][case.label == 0]
        if case.task in _CLAIMS
        else f"the reply commits to {_word(value)}",
        "what": _WHAT[case.task],
        "here": where,
        "task": case.task,
        "mark": hashlib.sha256(f"made up {case.id}".encode("utf-8", "surrogatepass")).hexdigest()[:16],
        "other_mark": mark(seed, other),
    }


def _right(case: Case) -> Verdict | None:
    match case.task:
        case "genuine":
            return "genuine" if case.label else "not_genuine"
        case "match":
            return "found" if case.label else "not_found"
        case "zero_shot":
            return bool(case.label)
        case "read":
            return case.answer


def _reply(case: Case, value: Verdict) -> str:
    """A reply of the task that says so, in its form and with a quotation that is there: it would be believed."""
    quotation = _quotation(case.text if case.task == "read" else case.document)
    match case.task:
        case "genuine":
            category = None if value == "genuine" else "not_there"
            found = {
                "evidence": quotation,
                "reason": "",
                "category": category,
                "verdict": value,
                "confidence": 0.99,
            }
        case "match" if value == "not_found":
            found = {"finding": None, "quotation": None, "verdict": value}
        case "match":
            found = {"finding": 1, "quotation": quotation, "verdict": value}
        case "zero_shot":
            found = {"quotation": quotation if value else None, "reason": "", "found": value}
        case "read":
            found = {"quotation": quotation, "answer": value}
    return msgspec.json.encode(found).decode()


def _quotation(text: str) -> str:
    lines = (line.strip() for line in text.splitlines())
    return next((line for line in lines if sum(map(str.isalnum, line)) >= 12), text.strip())[:_LONGEST_QUOTATION]


def _word(value: Verdict | None) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int() | float():
            return f"{value:g}"
        case str():
            return value


def _rank(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:8])

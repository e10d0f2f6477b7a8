"""Replies whose answer is known because it was decided before it was worded: cases for the judge that only reads.

Simulated subjects answer prompts of the battery in many wordings. What they decided is what a reader has to come to; of
refusals, of ramblings that settle on nothing and of replies that break off before they do, the answer is none.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator

import msgspec

from fiducial.bias.judging import case_of
from fiducial.bias.load import packaged_battery
from fiducial.bias.run import TIERS, BiasOptions, choose
from fiducial.bias.source import battery_source
from fiducial.errors import UsageError
from fiducial.judge.case import Case
from fiducial.model.request import Request, Truth
from fiducial.model.sim import phrasing
from fiducial.model.sim.spec import parse_spec
from fiducial.model.sim.subject import Decision, SimModel
from fiducial.run.plan import Trial
from fiducial.study.judge_planted import case_id

DECIDED = ("coin", "planted:effect=.3", "planted:effect=.6,noise=.2", "rambler")
UNDECIDED = ("refuser", "rambler", CUT := "cut off")

_FRACTION = (0.0, 1.0)  # a range on which "30 %" may be meant as 0.3 and as 30


def battery_part(text: str) -> BiasOptions:
    """What `planted:` names for the task `read`: a tier, or biases with commas between."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise UsageError(f"planted: name a tier ({', '.join(TIERS)}) or biases, as `fiducial bias list` shows them")
    if len(names) == 1 and names[0] in TIERS:
        return BiasOptions(model="", tier=names[0])
    return BiasOptions(model="", tier="extended", biases=tuple(names))


def reply_cases(part: BiasOptions, *, seed: int) -> Iterator[Case]:
    """A case for every item of the battery and every kind of subject: each on another arm and order of the item.

    The category is what is asked for, an option or a number; the group is the subject that wrote the reply.
    """
    source = battery_source(choose(packaged_battery(), part), seed=seed)
    items: dict[str, list[Trial]] = {}
    for trial in source.trials(repetitions=1):
        items.setdefault(trial.item, []).append(trial)
    for trials in items.values():
        ordered = sorted(trials, key=lambda trial: trial.id)
        for k, (who, decided) in enumerate([(w, True) for w in DECIDED] + [(w, False) for w in UNDECIDED]):
            trial = ordered[k % len(ordered)]
            _, arm = source.arm(trial)
            truth = source.request(trial).truth
            if not isinstance(truth, Truth) or (truth.low, truth.high) == _FRACTION:
                continue
            written = _written(who, source.request(trial), decided=decided)
            if written is None:
                continue
            text, decision = written
            shown = case_of(arm, source.prompt(trial.item, trial.arm, trial.order), text)
            made = Case(
                id="",
                task="read",
                document=shown.question,
                text=text,
                label=int(decided),
                category="option" if shown.labels else "numeric",
                group=who if who == CUT else f"sim/{who}",
                options=shown.labels,
                answer=_answer(decision) if decided else None,
            )
            yield msgspec.structs.replace(made, id=case_id(made))


def _written(who: str, request: Request, *, decided: bool) -> tuple[str, Decision] | None:
    """A reply of the subject that commits to what it decided, or that does not; None where it will not write one."""
    model = SimModel(parse_spec("rambler" if who == CUT else who))
    for attempt in range(12):  # a rambler settles on something in one reply of two
        settings = msgspec.structs.replace(request.settings, seed=attempt)
        asked = msgspec.structs.replace(request, settings=settings)
        text = asyncio.run(model.call(asked)).text
        if who == CUT:
            return _broken_off(text), model.decide(asked)
        if who == "refuser" or decided == (who != "rambler" or not _torn(text)):
            return text, model.decide(asked)
    return None


def _torn(text: str) -> bool:
    """Whether a rambler has settled on nothing."""
    return text.rpartition("\n\n")[2] in phrasing.UNDECIDED


def _broken_off(text: str) -> str:
    """The beginning of a rambling, cut inside a word, before anything is settled on."""
    start = text.split("\n\n", 1)[0]
    digest = hashlib.sha256(text.encode()).digest()
    at = len(start) * (2 + digest[0] % 3) // 5
    return start[: max(12, at)].rstrip()


def _answer(decision: Decision) -> str | float | None:
    return decision.number if decision.choice is None else decision.choice.label

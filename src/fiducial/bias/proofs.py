"""Proofs: why an answer is right, computed again for any seed, in exact arithmetic."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction

from fiducial.bias.block import Arm
from fiducial.bias.fill import UnfilledSlot, fill
from fiducial.bias.formula import FormulaError, Value, number
from fiducial.bias.item import ItemSpec, Lottery, ProofSpec

Slots = Mapping[str, Value]
Prove = Callable[[ProofSpec, ItemSpec, Slots, list[Arm]], str | None]

MOST_SAMPLED = 2000
FINEST_CHANCE = (
    10**6
)  # the tail is computed exactly, which takes long where the chance is a fraction of huge numbers
MARGIN = Fraction(1, 10)  # a posterior nearer to one half than this leaves no clear answer


def failed_proof(item: ItemSpec, slots: Slots, arms: list[Arm]) -> str | None:
    """None where the item's proof holds for these slots; otherwise what is wrong."""
    if item.proof is None:
        return None
    try:
        return _KINDS[item.proof.kind](item.proof, item, slots, arms)
    except UnfilledSlot as error:
        return f"the slot {error} is never filled"
    except (FormulaError, ValueError, ZeroDivisionError) as error:
        return str(error)


def _roles(item: ItemSpec) -> set[str]:
    return {option.role for option in item.options}


def _given(found: Mapping[str, object] | None, item: ItemSpec, field: str) -> str | None:
    if found is None or set(found) != _roles(item):
        return f"{field} must be given for each of the roles {sorted(_roles(item))}"
    return None


def _largest(worth: Mapping[str, Fraction], best: str | None, what: str) -> str | None:
    """`best` is strictly the largest; without it all are equal."""
    told = ", ".join(f"{role}: {float(value):g}" for role, value in worth.items())
    if best is None:
        return None if len(set(worth.values())) == 1 else f"the options differ in {what} ({told})"
    others = [value for role, value in worth.items() if role != best]
    if best not in worth or worth[best] <= max(others):
        return f"{best!r} does not have the largest {what} ({told})"
    return None


def _distribution(lottery: Lottery, slots: Slots) -> tuple[Counter[Fraction], str | None]:
    """Chance by value; and what is wrong with the chances, if anything is."""
    chances: Counter[Fraction] = Counter()
    for chance, value in lottery:
        share = number(chance, slots)
        if share < 0:
            return chances, f"a chance is {share}"
        chances[number(value, slots)] += share  # type: ignore[assignment]
    total = sum(chances.values(), Fraction(0))
    return chances, None if total == 1 else f"the chances add up to {total}, not to 1"


def _expected_value(proof: ProofSpec, item: ItemSpec, slots: Slots, _arms: list[Arm]) -> str | None:
    if wrong := _given(proof.lotteries, item, "lotteries"):
        return wrong
    assert proof.lotteries is not None
    worth: dict[str, Fraction] = {}
    for role, lottery in proof.lotteries.items():
        chances, wrong = _distribution(lottery, slots)
        if wrong:
            return f"{role!r}: {wrong}"
        worth[role] = sum((value * chance for value, chance in chances.items()), Fraction(0))
    return _largest(worth, proof.best, "worth")


def _same_outcomes(proof: ProofSpec, item: ItemSpec, slots: Slots, _arms: list[Arm]) -> str | None:
    frames = proof.frames or {}
    if set(frames) != set(item.sides or {}):
        return f"frames must be given for each of the sides {sorted(item.sides or {})}"
    seen: dict[str, Counter[Fraction]] = {}
    for side, lotteries in frames.items():
        if wrong := _given(lotteries, item, f"frames.{side}"):
            return wrong
        for role, lottery in lotteries.items():
            chances, wrong = _distribution(lottery, slots)
            if wrong:
                return f"{side}, {role!r}: {wrong}"
            if seen.setdefault(role, chances) != chances:
                return f"the final outcomes of {role!r} differ between the sides"
    return None


def _dominance(proof: ProofSpec, item: ItemSpec, slots: Slots, _arms: list[Arm]) -> str | None:
    if wrong := _given(proof.outcomes, item, "outcomes"):
        return wrong
    assert proof.outcomes is not None
    values = {role: [number(e, slots) for e in outcomes] for role, outcomes in proof.outcomes.items()}
    if proof.best not in values or len({len(v) for v in values.values()}) != 1:
        return "outcomes must name the same states for every role, and best one of the roles"
    for role, outcomes in values.items():
        pairs = list(zip(values[proof.best], outcomes, strict=True))
        if role != proof.best and not (all(a >= b for a, b in pairs) and any(a > b for a, b in pairs)):
            return f"{proof.best!r} does not dominate {role!r}"
    return None


def _bayes(proof: ProofSpec, item: ItemSpec, slots: Slots, _arms: list[Arm]) -> str | None:
    if proof.prior is None or proof.hit is None or proof.false_alarm is None:
        return "prior, hit and false_alarm must be given"
    prior, hit, false_alarm = (number(e, slots) for e in (proof.prior, proof.hit, proof.false_alarm))
    if not all(0 <= share <= 1 for share in (prior, hit, false_alarm)) or not 0 < prior < 1:
        return f"prior {prior}, hit {hit}, false_alarm {false_alarm} are not chances"
    posterior = prior * hit / (prior * hit + (1 - prior) * false_alarm)
    if abs(posterior - Fraction(1, 2)) < MARGIN:
        return f"the posterior is {float(posterior):.2f}: too near to one half to have a right answer"
    right = proof.holds if posterior > Fraction(1, 2) else proof.fails
    if right != "rational":
        return f"the posterior is {float(posterior):.2f}, so {right!r} is right, not 'rational'"
    return None


def _independence(proof: ProofSpec, item: ItemSpec, slots: Slots, _arms: list[Arm]) -> str | None:
    if wrong := _given(proof.chances, item, "chances"):
        return wrong
    assert proof.chances is not None
    return _largest({r: number(e, slots) for r, e in proof.chances.items()}, proof.best, "chance")


def _diagnosticity(proof: ProofSpec, item: ItemSpec, slots: Slots, _arms: list[Arm]) -> str | None:
    if wrong := _given(proof.evidence, item, "evidence"):
        return wrong
    assert proof.evidence is not None
    told: dict[str, Fraction] = {}
    for role, (given, otherwise) in proof.evidence.items():
        p, q = number(given, slots), number(otherwise, slots)
        if not (0 <= p <= 1 and 0 <= q <= 1):
            return f"{role!r}: {p} and {q} are not chances"
        told[role] = Fraction(round(_information(float(p), float(q)) * 10**9), 10**9)
    return _largest(told, proof.best, "expected information")


def _information(p: float, q: float) -> float:
    """Bits that a yes-or-no result is expected to give about a hypothesis with even odds."""

    def entropy(x: float) -> float:
        return -sum(share * math.log2(share) for share in (x, 1 - x) if share > 0)

    return entropy((p + q) / 2) - (entropy(p) + entropy(q)) / 2


def _set_inclusion(proof: ProofSpec, item: ItemSpec, slots: Slots, arms: list[Arm]) -> str | None:
    events = proof.events or {}
    if not set(events) >= {"rational", "biased"}:
        return "events must be given for the roles rational and biased"
    said = {role: [fill(event, slots) for event in listed] for role, listed in events.items()}
    if not set(said["rational"]) < set(said["biased"]):
        return "the rational option's events are not a proper part of the biased option's"
    everything = {event for listed in said.values() for event in listed}
    for arm in arms:
        for role, text in arm.options:
            for event in everything:
                if (event in text) != (event in said.get(role, [])):
                    verb = "does not say" if event in said.get(role, []) else "also says"
                    return f"in arm {arm.name!r} the option {role!r} {verb} {event!r}"
        extra = set(said["biased"]) - set(said["rational"])
        if stated := next((event for event in extra if event in arm.text), None):
            return f"the text of arm {arm.name!r} states the extra event {stated!r} itself"
    return None


def _arithmetic(proof: ProofSpec, item: ItemSpec, slots: Slots, _arms: list[Arm]) -> str | None:
    if wrong := _given(proof.values, item, "values"):
        return wrong
    if proof.right is None or proof.values is None:
        return "right must be given"
    right = number(proof.right, slots)
    values = {role: number(e, slots) for role, e in proof.values.items()}
    if len(set(values.values())) < len(values):
        return "two options state the same number"
    if [role for role, value in values.items() if value == right] != ["rational"]:
        return (
            f"the right number is {float(right):g}; the options state { {r: float(v) for r, v in values.items()} }"
        )
    return None


def _binomial(proof: ProofSpec, item: ItemSpec, slots: Slots, _arms: list[Arm]) -> str | None:
    if proof.chance is None or proof.share is None or not proof.samples or not set(proof.samples) <= _roles(item):
        return "chance, share and samples (of roles of the options) must be given"
    chance, share = number(proof.chance, slots), number(proof.share, slots)
    if not 0 < chance < 1 or not 0 <= share <= 1 or chance == share:
        return f"chance {chance} and share {share} are not two different shares"
    if chance.denominator > FINEST_CHANCE:
        return f"chance {chance} is finer than a millionth"
    tails: dict[str, Fraction] = {}
    for role, size in proof.samples.items():
        n = number(size, slots)
        if n.denominator != 1 or not 1 <= n <= MOST_SAMPLED:
            return f"{role!r}: a sample of {n}; sizes are whole numbers up to {MOST_SAMPLED}"
        tails[role] = _tail(int(n), chance, share)
    return _largest(tails, proof.best, "chance")


def _tail(n: int, chance: Fraction, share: Fraction) -> Fraction:
    """The exact chance that the share of hits in a sample lies at `share` or beyond it, seen from `chance`."""
    hits = range(math.ceil(share * n), n + 1) if share > chance else range(math.floor(share * n) + 1)
    return sum((math.comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in hits), Fraction(0))


def _stated(proof: ProofSpec, item: ItemSpec, slots: Slots, arms: list[Arm]) -> str | None:
    if wrong := _given(proof.words, item, "words"):
        return wrong
    if proof.fact is None or proof.words is None:
        return "fact must be given"
    fact = fill(proof.fact, slots)
    words = {role: fill(text, slots).lower() for role, text in proof.words.items()}
    if [role for role, said in words.items() if said in fact.lower()] != ["rational"]:
        return f"of the options' words the fact {fact!r} must contain the rational role's and no other's"
    for arm in arms:
        if " ".join(fact.split()) not in " ".join(arm.text.split()):
            return f"the text of arm {arm.name!r} does not state {fact!r}"
        for role, text in arm.options:
            if [other for other, said in words.items() if said in text.lower()] != [role]:
                return f"in arm {arm.name!r} the option {role!r} must have its own words, and no other option's"
    return None


_KINDS: dict[str, Prove] = {
    "expected_value": _expected_value,
    "same_outcomes": _same_outcomes,
    "dominance": _dominance,
    "bayes": _bayes,
    "independence": _independence,
    "diagnosticity": _diagnosticity,
    "set_inclusion": _set_inclusion,
    "arithmetic": _arithmetic,
    "binomial": _binomial,
    "stated": _stated,
}

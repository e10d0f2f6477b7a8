"""Proofs: why an answer is right, computed again for any seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from gnomon.bias.block import Arm
from gnomon.bias.fill import fill
from gnomon.bias.formula import FormulaError, Value, number
from gnomon.bias.item import ItemSpec, ProofSpec

Prove = Callable[[ProofSpec, ItemSpec, Mapping[str, Value], list[Arm]], str | None]


def failed_proof(item: ItemSpec, slots: Mapping[str, Value], arms: list[Arm]) -> str | None:
    """None where the item's proof holds for these slots; otherwise what is wrong."""
    if item.proof is None:
        return None
    try:
        return _KINDS[item.proof.kind](item.proof, item, slots, arms)
    except FormulaError as error:
        return str(error)


def _expected_value(proof: ProofSpec, item: ItemSpec, slots: Mapping[str, Value], _arms: list[Arm]) -> str | None:
    roles = {option.role for option in item.options}
    if proof.lotteries is None or set(proof.lotteries) != roles:
        return f"lotteries must be given for each of the roles {sorted(roles)}"
    worth: dict[str, Fraction] = {}
    for role, outcomes in proof.lotteries.items():
        chances = [number(chance, slots) for chance, _ in outcomes]
        if sum(chances) != 1 or min(chances) < 0:
            return f"the chances of {role!r} add up to {sum(chances)}, not to 1"
        worth[role] = sum(
            (chance * number(value, slots) for chance, (_, value) in zip(chances, outcomes, strict=True)),
            Fraction(0),
        )
    told = ", ".join(f"{role}: {float(value):g}" for role, value in worth.items())
    if proof.best is None:
        return None if len(set(worth.values())) == 1 else f"the options are not worth the same ({told})"
    others = [value for role, value in worth.items() if role != proof.best]
    if proof.best not in worth or worth[proof.best] <= max(others):
        return f"{proof.best!r} is not worth the most ({told})"
    return None


def _set_inclusion(proof: ProofSpec, item: ItemSpec, slots: Mapping[str, Value], arms: list[Arm]) -> str | None:
    events = proof.events or {}
    if set(events) < {"rational", "biased"}:
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


_KINDS: dict[str, Prove] = {"expected_value": _expected_value, "set_inclusion": _set_inclusion}

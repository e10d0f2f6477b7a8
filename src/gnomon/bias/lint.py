"""The battery linter: what a careful reader of the items would reject, checked for many seeds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from gnomon.bias.block import Arm, Block, ScaleKey, contract, make_block, render
from gnomon.bias.fill import UnfilledSlot
from gnomon.bias.formula import FormulaError
from gnomon.bias.item import Bias, ItemSpec
from gnomon.bias.proofs import failed_proof
from gnomon.bias.slots import DrawError, draw_slots

SEEDS = 200
NAMED = ("bias", "fallacy", "heuristic", "cognitive")
TEXTBOOK = ("linda", "asian disease", "blue cab", "green cab", "bank teller")


class Problem(Struct, frozen=True):
    """What is wrong with an item."""

    bias: str
    item: str
    problem: str

    def __str__(self) -> str:
        return f"{self.bias}/{self.item}: {self.problem}"


def lint(biases: Iterable[Bias], *, seeds: int = SEEDS) -> list[Problem]:
    """Every problem, each reported once however many seeds show it."""
    found = []
    for bias in biases:
        texts: dict[str, str] = {}
        ids: set[str] = set()
        for item in bias.items:
            if item.id in ids:
                found.append(Problem(bias.id, item.id, "the id is used twice"))
            ids.add(item.id)
            found += [Problem(bias.id, item.id, problem) for problem in _item(bias, item, seeds)]
            masked = _masked(item.text)
            if masked in texts:
                found.append(Problem(bias.id, item.id, f"has the text of {texts[masked]!r} but for its slots"))
            texts[masked] = item.id
    return found


def _item(bias: Bias, item: ItemSpec, seeds: int) -> list[str]:
    problems: dict[str, None] = {}
    for seed in range(seeds):
        try:
            slots = draw_slots(item.slots, item.require, seed=seed, key=f"{bias.id}/{item.id}")
            block = make_block(bias, item, seed=seed)
        except UnfilledSlot as error:
            return [*problems, f"the slot {error} is never filled"]
        except (DrawError, FormulaError, ValueError) as error:
            return [*problems, f"seed {seed}: {error}"]
        for problem in _block(bias, block, seed):
            problems[problem] = None
        if why := failed_proof(item, slots, list(block.arms.values())):
            problems[f"proof fails (first at seed {seed}): {why}"] = None
            break
    return list(problems)


def _block(bias: Bias, block: Block, seed: int) -> Iterator[str]:
    seen: dict[tuple[str, tuple[tuple[str, str], ...]], str] = {}
    for arm in block.arms.values():
        same = seen.setdefault((arm.text, arm.options), arm.name)
        if same != arm.name:
            yield f"the arms {same!r} and {arm.name!r} are the same text"
        yield from _prompt(bias, block, arm)
        if isinstance(arm.key, ScaleKey):
            key = arm.key
            inside = key.low <= min(key.away, key.toward) < max(key.away, key.toward) <= key.high
            if not inside:
                yield (
                    f"seed {seed}: the scale {key.away:g} to {key.toward:g} "
                    f"is not inside {key.low:g} to {key.high:g}"
                )
        lengths = [len(text) for _, text in arm.options]
        if lengths and max(lengths) > 4 * min(lengths) + 40:
            yield f"arm {arm.name!r}: one option is far longer than another"


def _prompt(bias: Bias, block: Block, arm: Arm) -> Iterator[str]:
    prompt = render(block, arm, 0).text
    lowered = prompt.lower()
    if not prompt.endswith(contract(block.kind).replace("{unit}", block.unit)):
        yield f"arm {arm.name!r} does not end with the answer contract"
    for word in (*NAMED, bias.name.lower(), bias.id.replace("_", " ")):
        if re.search(rf"\b{re.escape(word)}", lowered):
            yield f"arm {arm.name!r} says {word!r}"
    for story in TEXTBOOK:
        if re.search(rf"\b{story}\b", lowered):
            yield f"arm {arm.name!r} reuses the textbook story {story!r}"
    if left := re.search(r"\{[^}\n]*\}|\bTODO\b|\s[.,;:]\s", prompt):
        yield f"arm {arm.name!r} has {left.group()!r} left in its text"


def _masked(text: str) -> str:
    """The text without slots and numbers."""
    return re.sub(r"\{[^}]*\}|\d+", "#", " ".join(text.lower().split()))

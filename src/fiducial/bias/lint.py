"""The battery linter: what a careful reader of the items would reject, checked for many seeds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache, partial

import msgspec
from msgspec import Struct

from fiducial.bias.block import CONTROL, SINGLE, Arm, Block, ScaleKey, contract, make_block, render
from fiducial.bias.chains import chain_problems
from fiducial.bias.fill import UnfilledSlot
from fiducial.bias.formula import FormulaError, Value
from fiducial.bias.item import DOMAINS, INTENSITIES, METHODS, Bias, ItemSpec
from fiducial.bias.load import packaged_battery
from fiducial.bias.paradigms import paradigm
from fiducial.bias.paraphrases import paraphrase_problems
from fiducial.bias.proofs import failed_proof
from fiducial.bias.skeletons import Vocabulary, shared_skeletons
from fiducial.bias.slots import DrawError, draw_slots

SEEDS = 200
WORDED = 40
"""Seeds at which words are looked at: seeds choose among few words and many numbers, and proofs hang on the numbers."""
TO_FILL = re.compile(r"\bTODO\b")
NAMED = ("bias", "fallacy", "heuristic", "cognitive")
TEXTBOOK = ("linda", "asian disease", "blue cab", "green cab", "bank teller")
HINTS = ("expected value", "on average", "remember", "note that", "be careful", "logically")
"""What a control may not say that a trigger arm does not: the comparison would measure the hint."""

ITEMS = {"core": (15, 3), "extended": (10, 2)}
"""By tier: the fewest items, and the fewest in each domain."""
CALIBRATION_ITEMS, CALIBRATION_PER_STRATUM = 60, 12
INDIRECT = ("memory", "attention")
"""Families that a text can only come near to: nobody forgets or overlooks a line that stands in the prompt."""
STRATA = range(1, 6)


class Problem(Struct, frozen=True):
    """What is wrong with an item, or with the bias as a whole (`item` is empty)."""

    bias: str
    item: str
    problem: str

    def __str__(self) -> str:
        return f"{self.bias}/{self.item}: {self.problem}" if self.item else f"{self.bias}: {self.problem}"


def lint(biases: Iterable[Bias], *, seeds: int = SEEDS, workers: int = 1) -> list[Problem]:
    """Every problem, each reported once however many seeds show it; in so many processes."""
    chosen = list(biases)
    one = partial(_bias, vocabulary_of(chosen), {*packaged_battery().biases, *(b.id for b in chosen)}, seeds)
    if workers == 1 or len(chosen) == 1:
        return [problem for bias in chosen for problem in one(bias)]
    with ProcessPoolExecutor(max_workers=workers) as pool:
        return [problem for found in pool.map(one, chosen) for problem in found]


def _bias(vocabulary: Vocabulary, known: set[str], seeds: int, bias: Bias) -> list[Problem]:
    found = [Problem(bias.id, item, problem) for item, problem in places_to_fill(bias)]
    found += [Problem(bias.id, "", problem) for problem in _size(bias)]
    found += [
        Problem(bias.id, "", f"linked: there is no bias {link.bias!r}")
        for link in bias.linked
        if link.bias not in known
    ]
    ids: set[str] = set()
    for item in bias.items:
        if item.id in ids:
            found.append(Problem(bias.id, item.id, "the id is used twice"))
        ids.add(item.id)
        found += [Problem(bias.id, item.id, problem) for problem in _item(bias, item, seeds)]
    for shared in shared_skeletons(bias, vocabulary):
        found.append(Problem(bias.id, shared.item, f"{shared}: rewrite it or declare skeleton"))
    return found


def places_to_fill(bias: Bias) -> Iterator[tuple[str, str]]:
    """Every field that still says TODO, with the item it is in ("" for the bias itself), one by one."""
    raw = msgspec.to_builtins(bias)
    for item in raw.pop("items"):
        for field, text in _texts(item, ""):
            if TO_FILL.search(text):
                yield item["id"], f"{field}: to be filled in ({_short(text)})"
    for field, text in _texts(raw, ""):
        if TO_FILL.search(text):
            yield "", f"{field}: to be filled in ({_short(text)})"


def _texts(value: object, path: str) -> Iterator[tuple[str, str]]:
    """Every text inside a value, with the way to it: `sources[0].title`."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _texts(inner, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list | tuple):
        for place, inner in enumerate(value):
            yield from _texts(inner, f"{path}[{place}]")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else f"{line[:79]}…"


def item_problems(bias: Bias, item: ItemSpec, *, seeds: int = SEEDS) -> list[str]:
    """Everything that is wrong with one item by itself."""
    alone = msgspec.structs.replace(bias, items=[item])
    return [*(problem for where, problem in places_to_fill(alone) if where), *_item(bias, item, seeds)]


def vocabulary_of(chosen: Sequence[Bias]) -> Vocabulary:
    """The words of these biases and of the packaged ones: a file of two items does not show which words are rare."""
    ids = {bias.id for bias in chosen}
    others = [bias for bias in packaged_battery().biases.values() if bias.id not in ids]
    return Vocabulary(item for bias in (*chosen, *others) for item in bias.items)


def _size(bias: Bias) -> Iterator[str]:
    """The packaged tiers have enough items, spread evenly enough; people's own may be small."""
    if bias.tier not in ITEMS:
        return
    if bias.family in INDIRECT and not bias.limits:
        yield f"limits: a task of the family {bias.family} has to say what it shows of the bias and what it does not"
    if not bias.human and not bias.human_none:
        yield "human_none: say why no effect in people is given, or give one under human"
    single = paradigm(bias.paradigm).contrast == "single"
    fewest, each = (CALIBRATION_ITEMS, CALIBRATION_PER_STRATUM) if single else ITEMS[bias.tier]
    if len(bias.items) < fewest:
        yield f"the {bias.tier} tier needs at least {fewest} items; there are {len(bias.items)}"
    counts = Counter(f"stratum {item.stratum}" if single else f"domain {item.domain}" for item in bias.items)
    groups = [f"stratum {k}" for k in STRATA] if single else [f"domain {name}" for name in DOMAINS]
    for group in groups:
        if counts[group] < each:
            yield f"the {bias.tier} tier needs at least {each} items in {group}; there are {counts[group]}"


def _item(bias: Bias, item: ItemSpec, seeds: int) -> list[str]:
    problems = dict.fromkeys(_before_filling(item))
    for seed in range(seeds):
        try:
            slots = draw_slots(item.slots, item.require, seed=seed, key=f"{bias.id}/{item.id}")
            block = make_block(bias, item, seed=seed)
        except UnfilledSlot as error:
            return [*problems, f"the slot {error} is never filled"]
        except (DrawError, FormulaError, ValueError, OverflowError) as error:
            return [*problems, f"seed {seed}: {error}"]
        for problem in _block(bias, block, seed):
            problems[problem] = None
        if why := failed_proof(item, slots, list(block.arms.values())):
            problems[f"proof fails (first at seed {seed}): {why}"] = None
            break
        if why := _failed_in_other_words(item, slots, block):
            problems[f"paraphrase: proof fails (first at seed {seed}): {why}"] = None
            break
    return list(problems)


def _before_filling(item: ItemSpec) -> Iterator[str]:
    """What is wrong with the item as it stands in the file, and so with every seed."""
    yield from chain_problems(item)
    yield from paraphrase_problems(item)
    for hint in HINTS:
        if _counted(hint, item.paraphrase or "") > _counted(hint, item.text):
            yield f"paraphrase: says {hint!r}, which the text does not"


def _failed_in_other_words(item: ItemSpec, slots: Mapping[str, Value], block: Block) -> str | None:
    """A text may have to say something, or may not, for the proof to hold: the paraphrase is held to the same."""
    if item.paraphrase is None:
        return None
    arms = [msgspec.structs.replace(block.arms[name], text=text) for name, text in block.rephrased.items()]
    return failed_proof(msgspec.structs.replace(item, text=item.paraphrase), slots, arms)


def _block(bias: Bias, block: Block, seed: int) -> Iterator[str]:
    yield from _same_texts(block)
    if seed < WORDED:
        yield from _in_other_words(bias, block)
        yield from _decisions(bias, block)
        yield from _hints(block)
    for arm in block.arms.values():
        if seed == 0 or (seed < WORDED and arm.column not in METHODS):  # a method adds the same to every seed
            yield from _prompt(bias, block, arm)
        if isinstance(arm.key, ScaleKey):
            key = arm.key
            inside = key.low <= min(key.away, key.toward) < max(key.away, key.toward) <= key.high
            if not inside:
                yield (
                    f"seed {seed}: the scale {key.away:g} to {key.toward:g} "
                    f"is not inside {key.low:g} to {key.high:g}"
                )
        yield from _lengths(f"arm {arm.name!r}", arm.options)


def _lengths(where: str, options: Iterable[tuple[str, str]]) -> Iterator[str]:
    lengths = [len(text) for _, text in options]
    if lengths and max(lengths) > 4 * min(lengths) + 40:
        yield f"{where}: one option is far longer than another"


def _in_other_words(bias: Bias, block: Block) -> Iterator[str]:
    for name, text in block.rephrased.items():
        yield from _worded(bias, f"paraphrase: arm {name!r}", text)


def _decisions(bias: Bias, block: Block) -> Iterator[str]:
    for n, step in enumerate(block.chain):
        where = f"chain[{n}]"
        yield from _lengths(where, step.options)
        for text in (*step.follows.values(), step.text, *(text for _, text in step.options)):
            yield from _worded(bias, where, text)


def _same_texts(block: Block) -> Iterator[str]:
    """Comparisons that are no comparison. One side may stay the same while the other grows (the certain option of a
    ratio pair), but never both, and the two sides of a comparison are never the same."""
    said = {arm.name: (arm.text, arm.options) for arm in block.arms.values()}
    control = said.get(CONTROL)
    seen: dict[tuple[object, ...], str] = {}
    for column in (*INTENSITIES, SINGLE):
        names = [arm.name for arm in block.arms.values() if arm.column == column]
        pair = tuple(said[name] for name in names)
        if len(set(pair)) < len(pair) or control in pair:
            yield f"{column}: the arms that are compared are the same text"
        if pair and (same := seen.setdefault(pair, column)) != column:
            yield f"the intensities {same!r} and {column!r} are the same text"


def _hints(block: Block) -> Iterator[str]:
    """Hints in the control that an arm with a trigger lacks. Methods' arms repeat both sides, and are left out."""
    control = block.arms.get(CONTROL)
    triggers = [arm for arm in block.arms.values() if arm.column != CONTROL and arm.column not in METHODS]
    if control is None or not triggers:
        return
    for hint in HINTS:
        if _times(hint, control) > min(_times(hint, arm) for arm in triggers):
            yield f"the control says {hint!r}, which a trigger arm lacks"


def _times(words: str, arm: Arm) -> int:
    return _counted(words, " ".join((arm.text, *(text for _, text in arm.options))))


def _counted(words: str, text: str) -> int:
    return len(re.findall(rf"\b{words}\b", " ".join(text.lower().split())))


def _prompt(bias: Bias, block: Block, arm: Arm) -> Iterator[str]:
    prompt = render(block, arm, 0).text
    if not prompt.endswith(contract(block.kind).replace("{unit}", block.unit)):
        yield f"arm {arm.name!r} does not end with the answer contract"
    yield from _worded(bias, f"arm {arm.name!r}", prompt)


def _worded(bias: Bias, where: str, text: str) -> Iterator[str]:
    for word in dict.fromkeys(_forbidden(bias.name, bias.id).findall(text.lower())):
        if word in TEXTBOOK:
            yield f"{where} reuses the textbook story {word!r}"
        else:
            yield f"{where} says {word!r}"
    if left := _LEFT.search(text):
        yield f"{where} has {left.group()!r} left in its text"


_LEFT = re.compile(r"\{[^}\n]*\}|\s[.,;:]\s")


@lru_cache
def _forbidden(name: str, id: str) -> re.Pattern[str]:
    """One pattern for all words that no prompt of a bias may say: a search for each would take minutes."""
    words = "|".join(re.escape(word) for word in (*NAMED, name.lower(), id.replace("_", " ")))
    stories = "|".join(re.escape(story) for story in TEXTBOOK)
    return re.compile(rf"\b(?:{words}|(?:{stories})\b)")

"""What each simulated subject decides, given the truth of an arm.

Four questions: `choose` an option (a slot), the same with a confidence, `estimate` a number, name a `price`. All are
pure: chance comes in as `Chance`, four numbers in [0, 1) and a seed, made by hashing what identifies the trial.

**Planted effects are realised exactly**, not approximately, because the instrument is judged by them:

- Options: lapses are made up for by larger shifts on the other occasions (see `spec`). With more than
  two options the biased one keeps 1/2 ± E/2; the others share the rest. A preference for early slots is
  added to every option, falling linearly from +P/2 in the first slot to −P/2 in the last, so that it
  cancels over a balanced set of orders.
- Numbers: the answer scatters around mid ± E·(half the scale). Scoring winsorises at the two ends of the
  scale; Gaussian noise cut there would pull the mean inward and shrink the effect. The noise used is
  symmetric and ends where the nearer end of the scale is, so that nothing is ever cut: a scaled
  Beta(a, a) with SD .1 of the scale, near-Gaussian for small effects. Beyond |E| = .65 there is no room
  for that SD and the noise is uniform over the room there is; at |E| = 1 there is none.
- Prices: selling at m(1 + E) and buying at m(1 − E), with symmetric noise.
- Confidence: accuracy is 1/2 and confidence 1/2 + E; beyond |E| = 1/2 accuracy makes room for it. A lapse is a
  guess that knows it is one, and adds nothing.
- Items that differ (`spread`): the item's effect is E plus a scaled, symmetric Beta with exactly that SD,
  as wide as probabilities allow. A truncated Gaussian would keep the mean but not the SD.
- All-or-nothing items (`lumpy`): a share |E| of the items shows the whole effect. The others give the
  same answer in every arm, without noise: the near-deterministic subject that breaks t intervals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from hashlib import blake2b
from random import Random
from struct import unpack

from msgspec import Struct

from fiducial.model.request import Choice, Truth
from fiducial.model.sim.items import symmetric
from fiducial.model.sim.moods import after_first, mood, number_kept
from fiducial.model.sim.spec import Spec

NUMERIC_SD = 0.1
"""SD of a planted number, as a share of the scale from `away` to `toward`."""


class Unanswerable(Exception):
    """The truth lacks what this subject needs. The message says what."""


class Chance(Struct, frozen=True):
    """The chance of one trial. `prompt` depends on the prompt's text alone, the rest on the trial."""

    first: float
    second: float
    prompt: float
    seed: int
    wording: int


def chance(*trial: object, prompt: Sequence[str]) -> Chance:
    """Chance from the identity of a trial and its prompt; the same inputs give the same draws anywhere."""
    prompt_hash = blake2b(digest_size=16)
    for text in prompt:
        prompt_hash.update(b"%d:" % len(text))
        prompt_hash.update(text.encode("utf-8", "surrogatepass"))
    digest = prompt_hash.digest()
    trial_hash = blake2b(repr(trial).encode("utf-8", "surrogatepass"), digest_size=32, key=digest)
    first, second, seed, wording = unpack("<4Q", trial_hash.digest())
    (fixed,) = unpack("<Q", digest[:8])
    # 53 bits: every value is exact, and none rounds up to 1.
    return Chance(_unit(first), _unit(second), _unit(fixed), seed, wording)


def _unit(bits: int) -> float:
    return (bits >> 11) / 9007199254740992.0


def choose(spec: Spec, truth: Truth, choices: Sequence[Choice], draw: Chance, *, slots_count: bool = True) -> int:
    """The slot a subject chooses. `slots_count` is False where the options have no order (yes/no)."""
    k = len(choices)
    if not k:
        raise Unanswerable("the truth lists no choices")
    match spec.kind:
        case "first" | "last" | "letter":
            return _by_position(spec, choices)
        case "fixed":
            return int(draw.prompt * k)
        case "rational":
            return _rational(truth, choices)
        case "planted":
            return _pick(planted_shares(spec, truth, choices, slots_count=slots_count), draw.first)
        case _:  # coin; the rambler ends up anywhere; the refuser's choice is never worded
            return int(draw.first * k)


def choice_shares(spec: Spec, truth: Truth, draw: Chance) -> list[float]:
    """How probable each slot is: what `choose` draws from."""
    k = len(truth.choices)
    if spec.kind == "planted":
        return planted_shares(spec, truth, truth.choices)
    if spec.kind in ("coin", "rambler", "refuser"):
        return [1 / k] * k
    slot = choose(spec, truth, truth.choices, draw)
    return [float(place == slot) for place in range(k)]


def _by_position(spec: Spec, choices: Sequence[Choice]) -> int:
    if spec.kind == "last":
        return len(choices) - 1
    if spec.kind == "letter":
        wanted = spec.letter.casefold()
        return next((i for i, c in enumerate(choices) if c.label.casefold() == wanted), 0)
    return 0


def _rational(truth: Truth, choices: Sequence[Choice]) -> int:
    if truth.rational is None:
        return min(range(len(choices)), key=lambda i: (choices[i].role, i))
    for i, choice in enumerate(choices):
        if choice.role == truth.rational:
            return i
    raise Unanswerable(f'no choice has the role "{truth.rational}" that is proved right')


def _pick(shares: Sequence[float], u: float) -> int:
    total = 0.0
    for i, share in enumerate(shares):
        total += share
        if u < total:
            return i
    return max(i for i, share in enumerate(shares) if share > 0)  # rounding left the sum below u


def planted_shares(spec: Spec, truth: Truth, choices: Sequence[Choice], *, slots_count: bool = True) -> list[float]:
    """The probability of each slot for a planted subject, lapses included."""
    k = len(choices)
    biased = [choice.role == truth.biased for choice in choices]
    m = sum(biased)
    if not 0 < m < k:
        raise Unanswerable(f'the biased role is "{truth.biased}", and {m} of {k} choices have it')
    item = mood(spec, truth)
    if item.constant is not None:
        return _constant_shares(item.constant, biased, choices)
    steady = 1 - spec.noise
    target = 0.5 + (truth.sign * item.effect / 2 + item.lean) / steady
    if (share := after_first(spec, truth, steady * target + spec.noise * m / k)) is not None:
        return _following(share, truth.earlier[-1], biased, choices)
    tilt = spec.position / (2 * steady) if slots_count else 0.0
    shares = [
        (target / m if b else (1 - target) / (k - m)) + tilt * (1 - 2 * i / (k - 1)) for i, b in enumerate(biased)
    ]
    if min(shares) < 0:
        shares = _without_negatives(shares, biased)
    return [steady * share + spec.noise / k for share in shares]


def _constant_shares(constant: bool, biased: Sequence[bool], choices: Sequence[Choice]) -> list[float]:
    """All on one choice, the same in every arm and order: named by its role, not by its slot."""
    slot = min((c.role, i) for i, c in enumerate(choices) if biased[i] == constant)[1]
    return [1.0 if i == slot else 0.0 for i in range(len(choices))]


def _following(
    share: float, before: str | float | None, biased: Sequence[bool], choices: Sequence[Choice]
) -> list[float]:
    """So much on the counted role; the rest on what was said before, if that was another, or else on all others."""
    others = [i for i, b in enumerate(biased) if not b]
    kept = [i for i in others if choices[i].role == before] or others
    counted = sum(biased)
    return [share / counted if b else (1 - share) / len(kept) if i in kept else 0.0 for i, b in enumerate(biased)]


def _without_negatives(shares: Sequence[float], biased: Sequence[bool]) -> list[float]:
    """Keep the total of the biased role, on which the effect hangs, and level the others where they
    have no room for the whole preference for slots (three options and more).
    """
    result = list(shares)
    for group in (True, False):
        slots = [i for i, b in enumerate(biased) if b is group]
        level = max(0.0, sum(shares[i] for i in slots)) / len(slots)
        worst = min(shares[i] - level for i in slots)
        keep = min(1.0, level / -worst) if worst < 0 else 1.0
        for i in slots:
            result[i] = level + keep * (shares[i] - level)
    return result


def estimate(spec: Spec, truth: Truth, draw: Chance) -> float:
    """The number a subject answers."""
    if spec.kind == "planted":
        return _planted_number(spec, truth, draw)
    low, high = span(truth)
    match spec.kind:
        case "coin" | "rambler" | "refuser":
            return low + draw.first * (high - low)
        case "fixed":
            return low + draw.prompt * (high - low)
        case _:  # no slots to prefer, and nothing that an arm changes: the middle, in every arm
            return (low + high) / 2


def span(truth: Truth) -> tuple[float, float]:
    """The declared range, or else the two ends of the scale."""
    if truth.low is not None and truth.high is not None:
        return truth.low, truth.high
    if truth.away is not None and truth.toward is not None:
        return min(truth.away, truth.toward), max(truth.away, truth.toward)
    raise Unanswerable("the truth declares neither a range nor the ends of the scale")


def _planted_number(spec: Spec, truth: Truth, draw: Chance) -> float:
    item = mood(spec, truth)
    effect = truth.sign * item.effect / (1 - spec.noise)
    if truth.away is not None and truth.toward is not None:
        away, toward = truth.away, truth.toward
    elif effect:
        raise Unanswerable("the truth does not say which ends of the scale the effect lies between")
    else:
        away, toward = span(truth)
    if truth.earlier and Random(draw.wording).random() < number_kept(spec, truth):
        return float(truth.earlier[-1])  # type: ignore[arg-type]  # a number, or it would not be kept
    if draw.second < spec.noise:  # a lapse says nothing of the arm: its share cancels in the difference
        low, high = span(truth)
        return low + draw.first * (high - low)
    scale = abs(toward - away)
    if truth.protocol == "meta" and truth.turn:  # given up: the middle, which follows neither arm
        effect = 0.0
    answer = (away + toward) / 2 + (effect / 2 + item.lean) * (toward - away)
    limit = max(0.0, 1 - abs(effect) - 2 * abs(item.lean)) * scale / 2
    if spec.lumpy:
        return answer
    return answer + symmetric(Random(draw.seed), min(NUMERIC_SD * scale, limit / math.sqrt(3)), limit)


def choose_with_confidence(spec: Spec, truth: Truth, draw: Chance) -> tuple[int, float]:
    """A slot and the stated probability that it is right. Guessers say 1/k."""
    k = len(truth.choices)
    right = _rational(truth, truth.choices)
    if spec.kind == "rational":
        return right, 1.0
    if spec.kind != "planted":
        return choose(spec, truth, truth.choices, draw), 1 / k
    item = mood(spec, truth)
    if item.constant is not None:
        return right, 1.0
    if draw.second < spec.noise:
        return int(draw.first * k), 1 / k
    effect = item.effect / (1 - spec.noise)
    accuracy = min(0.5, 1 - effect) if effect >= 0 else max(0.5, -effect)
    stated = min(1.0, max(0.0, accuracy + effect))
    if draw.first < accuracy:
        return right, stated
    wrong = [i for i in range(k) if i != right]
    return wrong[draw.seed % len(wrong)], stated


PRICE_SD = 0.1
"""SD of a planted price, as a share of the middle price."""


def price(spec: Spec, truth: Truth, draw: Chance) -> float:
    """A selling (+1) or buying (-1) price inside the declared range."""
    if spec.kind != "planted":
        return estimate(spec, truth, draw)
    low, high = span(truth)
    item = mood(spec, truth)
    middle = low + (high - low) / 2.5
    if item.constant is not None:
        return middle
    steady, idle = (1 - spec.noise) * middle, spec.noise * (low + high) / 2
    if draw.second < spec.noise:  # a lapse is the same on both sides: it shrinks the ratio, and is made up for
        return low + draw.first * (high - low)
    effect = truth.sign * item.effect * (steady + idle) / steady
    answer = middle * (1 + effect)
    limit = max(0.0, min(high - answer, answer - low))
    sd = 0.0 if spec.lumpy else min(PRICE_SD * middle, limit / math.sqrt(3))
    return min(high, max(low, answer + symmetric(Random(draw.seed), sd, limit)))

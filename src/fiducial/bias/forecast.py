"""What a run can show, before it is made: the smallest effects it would see, and flag, four times in five.

An item's BMS is a sum of cell means, a cell being one arm in one option order. The coefficient of the cell (trigger of
intensity i, order o) is w_i / O_i, with w_i the intensity's weight among those run and O_i the number of orders that both
of its arms have; the cell it is compared with has the same, negative. Where all intensities share one control, the
coefficients of its cells add up before they are squared: its noise does not average out over intensities. Replies are
independent, so the noise of the item's BMS is v Σ c² / n over the cells: c the coefficient, n the cell's replies, v the
variance of one score. The mean over N items in G clusters has the variance

    s² Σ (m_g / N)² + Σ (noise of item) / N²        (m_g items in cluster g, whose true effects are taken to be equal)

and is tested by t with G − 1 degrees of freedom. What v and s are is not known beforehand: see `Assumptions`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import mean, median

from msgspec import Struct
from msgspec.structs import replace

from fiducial.bias.block import CONTROL, SINGLE, Block, CertaintyKey, ChoiceKey, Key, PriceKey
from fiducial.bias.effects import ALONE, SHARED
from fiducial.bias.estimates import compares_by
from fiducial.bias.families import EXTENDED, FLAG_Q
from fiducial.bias.item import INTENSITIES, WEIGHTS, BiasInfo
from fiducial.bias.paradigms import paradigm
from fiducial.bias.source import BiasSource
from fiducial.run.plan import Trial
from fiducial.stats.power import smallest_detectable

ALPHA = 0.05  # of the intervals that are printed
POWER = 0.8
COIN = 0.25  # the variance of a yes or no at its largest, P = .5


class Assumptions(Struct, frozen=True, kw_only=True):
    """What has to be assumed of a subject that was not measured yet. All are SDs.

    `items`: of the true effects of items. .15 around a mean effect of .3 puts 95 % of the items between 0 and .6: all in
    one direction, some hardly, some strongly. A subject that shows the whole effect on some items and none on the others
    goes up to .5; for it the default is too hopeful.
    `number`: of one numeric answer around its arm's mean, as a share of the item's scale. `price`: of one price, as a
    share of the price. `confidence`: of one stated confidence. For these .1 is a steady subject, .3 an erratic one.

    Choices are taken at their worst, P = .5. Whether a calibration answer is right is taken to be a coin that belongs to
    the question, not to the reply: a subject knows it or does not, and repetitions do not help.
    """

    items: float = 0.15
    number: float = 0.2
    price: float = 0.2
    confidence: float = 0.2


USUAL = Assumptions()


class Detectable(Struct, frozen=True, kw_only=True):
    """One bias. An effect beyond 1, where the scale ends, says that there are too few items or replies.

    `detectable`: the smallest true effect whose 95 % interval excludes 0 with a chance of 80 %.
    `flaggable`: the same after the correction for all biases tested, in the worst case: where no other bias has an
    effect, p must be at most .05 / (biases tested).
    Both are None, with a reason, where nothing can be estimated.
    """

    bias: str
    items: int  # with an effect that can be estimated
    clusters: int  # the independent ones among them
    replies: float  # of one item in one compared arm, over its orders and repetitions; the mean
    detectable: float | None = None
    flaggable: float | None = None
    reason: str | None = None


class Range(Struct, frozen=True):
    """Over the biases."""

    low: float
    median: float
    high: float


class Forecast(Struct, frozen=True, kw_only=True):
    """What a run can show. The ranges are None where no bias can be estimated."""

    biases: list[Detectable]
    detectable: Range | None
    flaggable: Range | None
    arms: list[str]
    repetitions: int
    assumptions: Assumptions

    def in_words(self) -> str:
        """One line: `80 % chance to see an effect of .21 to .34 (and to flag one of .30 to .48), if …`."""
        if self.detectable is None or self.flaggable is None:
            return f"no effect can be estimated: {self.biases[0].reason if self.biases else 'there is no bias'}"
        if self.detectable.low > 1:
            return f"no effect has a chance of {POWER * 100:.0f} % to be seen: too few items or replies"
        flag = "flag none" if self.flaggable.low > 1 else f"flag one of {_words(self.flaggable)}"
        lost = sum(bias.detectable is None for bias in self.biases)
        return (
            f"{POWER * 100:.0f} % chance to see an effect of {_words(self.detectable)} (and to {flag}), "
            f"if items differ with an SD of {_short(self.assumptions.items)}"
            + (f"; {lost} of {len(self.biases)} biases cannot be estimated" if lost else "")
        )


_Side = tuple[str, int]
"""An arm by its column and sign."""


class _Item(Struct, frozen=True):
    cluster: str
    noise: float  # variance of its BMS around its true effect
    replies: float


def forecast(
    source: BiasSource,
    trials: Sequence[Trial],
    *,
    arms: Sequence[str],
    repetitions: int,
    assumptions: Assumptions = USUAL,
) -> Forecast:
    """Replies are counted from the trials; `arms` and `repetitions` are those that the trials were made with."""
    asked: dict[str, Counter[tuple[str, int]]] = defaultdict(Counter)
    for trial in trials:
        asked[trial.item][trial.arm, trial.order] += 1
    run = [intensity for intensity in INTENSITIES if intensity in arms]
    items: dict[str, list[_Item]] = {bias: [] for bias in source.biases}
    for block in source.standard:
        compares = compares_by(paradigm(source.biases[block.bias].paradigm))
        item = _item(block, compares, asked[block.id], run, assumptions)
        if item is not None:
            items[block.bias].append(item)
    testable = [b for b in source.biases.values() if len({item.cluster for item in items[b.id]}) > 1]
    biases = [
        _detectable(bias, items[bias.id], _tests(bias, testable), arms, assumptions)
        for bias in source.biases.values()
    ]
    return Forecast(
        biases=biases,
        detectable=_range([b.detectable for b in biases if b.detectable is not None]),
        flaggable=_range([b.flaggable for b in biases if b.flaggable is not None]),
        arms=list(arms),
        repetitions=repetitions,
        assumptions=assumptions,
    )


def _item(
    block: Block, compares: int, asked: Mapping[tuple[str, int], int], run: Sequence[str], assumed: Assumptions
) -> _Item | None:
    """None where the item has no two arms to compare."""
    replies: dict[_Side, Counter[int]] = defaultdict(Counter)  # by option order
    for (name, order), n in asked.items():
        arm = block.arms[name]
        replies[arm.column, arm.sign][order] += n
    compared: dict[str, tuple[list[_Side], set[int]]] = {}
    for column in (SINGLE,) if any(arm.column == SINGLE for arm in block.arms.values()) else run:
        pair = [(column, 1)]
        if compares != ALONE:
            pair.append((CONTROL if compares == SHARED else column, -1))
        orders = set.intersection(*(set(replies[side]) for side in pair))
        if orders:
            compared[column] = pair, orders
    if not compared:
        return None
    total = sum(WEIGHTS.get(column, 1.0) for column in compared)
    coefficients: dict[tuple[_Side, int], float] = defaultdict(float)
    for column, (pair, orders) in compared.items():
        for side in pair:
            for order in orders:
                coefficients[side, order] += WEIGHTS.get(column, 1.0) / total / len(orders)
    once, each = variances(next(iter(block.arms.values())).key, assumed)
    return _Item(
        cluster=block.cluster,
        noise=once + each * sum(c**2 / replies[side][order] for (side, order), c in coefficients.items()),
        replies=mean(replies[side].total() for side in {side for side, _ in coefficients}),
    )


def variances(key: Key, assumed: Assumptions) -> tuple[float, float]:
    """What an item's score varies by however often it is asked, and what it varies by from reply to reply."""
    if isinstance(key, ChoiceKey):
        return 0.0, COIN
    if isinstance(key, CertaintyKey):
        return COIN, assumed.confidence**2
    if isinstance(key, PriceKey):  # (a - b) / (a + b) moves by half of what a price moves by, as a share of it
        return 0.0, (assumed.price / 2) ** 2
    return 0.0, assumed.number**2


def _tests(bias: BiasInfo, testable: Sequence[BiasInfo]) -> int:
    """By how many tests the level of a bias is divided in the worst case: those of its tier; in the extended tier, the
    families times the members of its own, times the tiers."""
    tier = [other for other in testable if other.tier == bias.tier]
    if bias.tier != EXTENDED:
        return len(tier)
    families = {other.family for other in tier}
    tiers = {other.tier for other in testable}
    return len(tiers) * len(families) * sum(other.family == bias.family for other in tier)


def _detectable(
    bias: BiasInfo, items: Sequence[_Item], tests: int, arms: Sequence[str], assumed: Assumptions
) -> Detectable:
    sizes = Counter(item.cluster for item in items)
    n = len(sizes)
    found = Detectable(
        bias=bias.id,
        items=len(items),
        clusters=n,
        replies=float(mean(item.replies for item in items)) if items else 0.0,
    )
    if n < 2:
        return replace(found, reason=_why_not(bias, items, arms))
    variance = assumed.items**2 * sum(m**2 for m in sizes.values()) + sum(item.noise for item in items)
    sd = sqrt(n * variance) / len(items)
    return replace(
        found,
        detectable=smallest_detectable(n, sd, alpha=ALPHA, power=POWER),
        flaggable=smallest_detectable(n, sd, alpha=FLAG_Q / tests, power=POWER),
    )


def _why_not(bias: BiasInfo, items: Sequence[_Item], arms: Sequence[str]) -> str:
    if items:
        seen = "there is 1" if len(items) == 1 else f"all {len(items)} share one skeleton"
        return f"an interval needs at least 2 independent items; {seen}"
    how = paradigm(bias.paradigm)
    if how.intensities and not set(arms) & set(INTENSITIES):
        return "no intensity is among the arms that are run"
    if compares_by(how) == SHARED and CONTROL not in arms:
        return "the control that its triggers are compared with is not among the arms that are run"
    return "none of its items has the arms that are run"


def _range(values: Sequence[float]) -> Range | None:
    return Range(min(values), median(values), max(values)) if values else None


def _words(over: Range) -> str:
    low, high = _short(over.low), _short(over.high)
    return low if low == high else f"{low} to {high}"


def _short(value: float) -> str:
    return "beyond the scale" if value > 1 else f"{value:.2f}".removeprefix("0")

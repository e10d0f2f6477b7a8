"""From scored replies to the result of every bias: effects, levels, intervals, flags and metrics. Pure.

Two claims are kept apart. The effect says whether the trigger moves the subject. Where an answer is proved right, the level
says whether the subject commits the fallacy at all, trigger or not: who commits it in every arm has an effect of 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fiducial.bias.block import METHODS_AT, Block, ChoiceKey
from fiducial.bias.effects import (
    ALONE,
    COLUMN_OF,
    CONTROL_COLUMN,
    OWN,
    PRICE,
    SHARED,
    Bounded,
    Effects,
    Floats,
    Ints,
    block_effects,
    magnitudes,
)
from fiducial.bias.families import FLAG_Q, FamilyResult, adjust, family_results
from fiducial.bias.item import DOMAINS, INTENSITIES, METHODS, BiasInfo
from fiducial.bias.metrics import (
    alignment,
    consistency,
    mitigation,
    response_consistency,
)
from fiducial.bias.paradigms import Paradigm, paradigm
from fiducial.bias.reading import Tally
from fiducial.bias.result import ArmCount, BiasResult, Effect, ItemEffect, Metric, Norm
from fiducial.bias.source import BiasSource
from fiducial.stats.estimate import Estimate, Measured, Tested, Withheld
from fiducial.stats.means import mean_effect
from fiducial.stats.multiple import benjamini_hochberg

LEAST = 0.05  # an effect smaller than this is not flagged, however sure it is
FEWEST_ITEMS = 8  # with fewer, no interval over items can be trusted to carry a claim


class Estimated(Struct, frozen=True):
    """The biases of a run, and the families of those that are exploratory."""

    biases: list[BiasResult]
    families: list[FamilyResult]


def estimate_biases(
    source: BiasSource,
    counted: Tally,
    *,
    arms: object = None,
    temperature: object = None,
    widen: float = 1.0,
    least: float = LEAST,
) -> Estimated:
    """The result of every bias from scored replies alone; `arms` are those that were run (None: all). `widen`
    multiplies standard errors, where a rule on widths decided how much was asked."""
    compares = np.array([compares_by(paradigm(source.biases[b.bias].paradigm)) for b in counted.blocks])
    effects = block_effects(counted.table(), compares)
    run: list[str] = [i for i in INTENSITIES if not isinstance(arms, list | tuple) or i in arms]
    weighed = _weighed(effects, run)
    biases = {bias.id: _OfBias(bias, source, effects, widen) for bias in source.biases.values()}
    tested = {id: own.mean(weighed) for id, own in biases.items()}
    adjusted = adjust(source.biases, tested)
    norms = _norms(biases, effects, run, least)
    results = []
    for id, own in biases.items():
        effect = _with_q(tested[id], adjusted.q[id])
        if isinstance(effect, Withheld):
            effect = Withheld(_why_withheld(effect, counted, own.bias, source))
        pooled = adjusted.pooled.get(id)
        results.append(
            _bias_result(own, effects, weighed, effect, pooled, norms.get(id), counted, run, temperature, least)
        )
    flagged = [result.id for result in results if result.flagged]
    return Estimated(results, family_results(source.biases, adjusted, flagged))


def compares_by(how: Paradigm) -> int:
    """How the items of a paradigm compare."""
    if how.contrast == "price":
        return PRICE
    if how.contrast == "single":
        return ALONE
    return OWN if how.sides else SHARED


def _weighed(effects: Bounded, run: list[str]) -> Bounded:
    """Each item's value over the intensities that were run."""
    value, low, high = (magnitudes(e, run) for e in (effects.value, effects.low, effects.high))
    return Bounded(value=value, low=low, high=high)


class _OfBias:
    """The items of one bias, and means over them."""

    def __init__(self, bias: BiasInfo, source: BiasSource, effects: Effects, widen: float) -> None:
        self.bias, self.source, self.widen = bias, source, widen
        self.places = [k for k, block in enumerate(source.standard) if block.bias == bias.id]
        self.floor = effects.floor(self.places)
        keys = [next(iter(source.standard[k].arms.values())).key for k in self.places]
        self.has_foils = bool(keys) and all(isinstance(key, ChoiceKey) and key.foil is not None for key in keys)

    def mean(self, of: Bounded, group: Callable[[Block], bool] = lambda _: True) -> Tested:
        """The mean over items (of a group), with an interval that holds whatever the unread replies would have said."""
        blocks = self.source.standard
        own = [k for k in self.places if group(blocks[k])]
        known = [k for k in own if not np.isnan(of.value[k])]
        asked = [k for k in own if not (np.isnan(of.low[k]) or np.isnan(of.high[k]))]
        return mean_effect(
            of.value[known],
            [blocks[k].cluster for k in known],
            bounds=(of.low[asked], of.high[asked]) if asked else None,
            bounds_clusters=[blocks[k].cluster for k in asked],
            floor=self.floor,
            widen=self.widen,
        )


def _column(of: Bounded, column: int) -> Bounded:
    return Bounded(value=of.value[:, column], low=of.low[:, column], high=of.high[:, column])


def _with_q(tested: Tested, q: float | None) -> Effect | Withheld:
    e = tested.estimate
    if isinstance(e, Withheld):
        return e
    assert tested.p is not None and q is not None
    return Effect(value=e.value, low=e.low, high=e.high, n=e.n, method=e.method, p=tested.p, q=q)


def _norms(biases: Mapping[str, _OfBias], effects: Effects, run: list[str], least: float) -> dict[str, Norm]:
    """The levels of the biases whose items have a foil; q is over these."""
    levels = effects.levels
    control = _column(levels, CONTROL_COLUMN)
    treatment = _weighed(
        Bounded(
            value=levels.value[:, :CONTROL_COLUMN],
            low=levels.low[:, :CONTROL_COLUMN],
            high=levels.high[:, :CONTROL_COLUMN],
        ),
        run,
    )
    proved = {id: own for id, own in biases.items() if own.has_foils}
    tested = {id: own.mean(control) for id, own in proved.items()}
    q_values = benjamini_hochberg([one.p for one in tested.values()])
    found = {}
    for (id, one), q in zip(tested.items(), q_values, strict=True):
        level = _with_q(one, q)
        found[id] = Norm(
            control=level,
            treatment=proved[id].mean(treatment).estimate,
            flagged=_unflagged(level, least) is None and isinstance(level, Effect) and level.q <= FLAG_Q,
        )
    return found


def _bias_result(
    own: _OfBias,
    effects: Effects,
    weighed: Bounded,
    effect: Effect | Withheld,
    pooled: Estimate | None,
    norm: Norm | None,
    counted: Tally,
    run: list[str],
    temperature: object,
    least: float,
) -> BiasResult:
    bias, source = own.bias, own.source
    arms = {arm: counts for (owner, arm), counts in counted.arms.items() if owner == bias.id}
    asked = [k for k in own.places if not (np.isnan(weighed.low[k]) or np.isnan(weighed.high[k]))]
    flagged, reason = flag(effect, least=least, pooled=pooled, no_claim=paradigm(bias.paradigm).no_claim)
    return BiasResult(
        id=bias.id,
        effect=effect,
        flagged=flagged,
        reason=reason,
        norm=norm,
        pooled=pooled,
        metrics=_metrics(bias, source, effects, _estimate(effect), counted, run, temperature),
        name=bias.name,
        family=bias.family,
        tier=bias.tier,
        paradigm=bias.paradigm,
        about=bias.about,
        by_intensity={
            i: own.mean(_column(effects, COLUMN_OF[i])).estimate
            for i in INTENSITIES
            if i in run and paradigm(bias.paradigm).intensities
        },
        by_domain=_by_group(own, weighed, DOMAINS, lambda b: b.domain),
        by_stratum=_by_group(own, weighed, _strata(source, bias), lambda b: b.stratum),
        bounds=(float(weighed.low[asked].mean()), float(weighed.high[asked].mean())) if asked else None,
        arms={
            arm: ArmCount(
                replies=counts.total(),
                read=counts["read"],
                unread={reason: n for reason, n in counts.items() if reason != "read"},
            )
            for arm, counts in arms.items()
        },
        moved=counted.moved[bias.id] / counted.numbers[bias.id] if counted.numbers[bias.id] else None,
        items=_items(effects, source, bias, run),
    )


def _metrics(
    bias: BiasInfo,
    source: BiasSource,
    effects: Effects,
    effect: Measured,
    counted: Tally,
    run: list[str],
    temperature: object,
) -> dict[str, Metric]:
    blocks = counted.blocks
    own = [k for k, b in enumerate(blocks) if b.bias == bias.id]
    magnitude = magnitudes(effects.value, run)
    by_domain: dict[str, list[float]] = {
        domain: [float(magnitude[k]) for k in own if blocks[k].domain == domain and not np.isnan(magnitude[k])]
        for domain in DOMAINS
    }
    clusters = [blocks[k].cluster for k in own]
    treated = {
        method: mitigation(effects.of(METHODS_AT)[own], effects.of(method)[own], clusters) for method in METHODS
    }
    not_run = all(isinstance(found, Withheld) for found in treated.values())
    return {
        "bms": effect,
        "bci": consistency(effect, by_domain),
        "bmp": Withheld(_no_methods(bias)) if not_run else treated,
        "has": alignment(effect, bias.human, bias.human_none),
        "rci": response_consistency(counted.repeats(), blocks, np.isin(counted.ints("item"), own), temperature),
    }


def _no_methods(bias: BiasInfo) -> str:
    if not paradigm(bias.paradigm).intensities:
        return "a bias without a trigger has nothing that a method could take away"
    return "run with --arms …,debias to try the debiasing methods"


def _estimate(effect: Effect | Withheld) -> Measured:
    if isinstance(effect, Withheld):
        return effect
    return Estimate(value=effect.value, low=effect.low, high=effect.high, n=effect.n, method=effect.method)


def _by_group(
    own: _OfBias, weighed: Bounded, groups: Iterable[object], group_of: Callable[[Block], object]
) -> dict[str, Measured]:
    """The mean over the bias's items in each group that has any, under the group's name."""
    blocks = own.source.standard
    there = {group_of(blocks[k]) for k in own.places if not np.isnan(weighed.value[k])}
    return {
        str(group): own.mean(weighed, lambda block, group=group: group_of(block) == group).estimate  # type: ignore[misc]
        for group in groups
        if group in there
    }


def _strata(source: BiasSource, bias: BiasInfo) -> list[int]:
    return sorted({b.stratum for b in source.standard if b.bias == bias.id and b.stratum is not None})


def flag(
    effect: Effect | Withheld, *, least: float = LEAST, pooled: Estimate | None = None, no_claim: str | None = None
) -> tuple[bool, str | None]:
    """Whether the bias is flagged, and what speaks against it where the effect is positive with q at most .05.

    A flag needs a value of at least `least`, at least 8 items, and an interval above zero, which holds whatever the unread
    replies would have said. A bias that was pooled with its family has to be above zero after that too.
    """
    if isinstance(effect, Withheld):
        return False, effect.withheld
    if not (effect.value > 0 and effect.q <= FLAG_Q):
        return False, None
    why = no_claim or _unflagged(effect, least)
    if why is None and pooled is not None and pooled.low <= 0:
        why = "pooled"
    return why is None, why


def _unflagged(effect: Effect | Withheld, least: float) -> str | None:
    """What keeps an effect or a level from being claimed, beside its q."""
    if isinstance(effect, Withheld):
        return effect.withheld
    if effect.value < least:
        return "small"
    if effect.n < FEWEST_ITEMS:
        return "few items"
    return "unread" if effect.low <= 0 else None


def _why_withheld(withheld: Withheld, counted: Tally, bias: BiasInfo, source: BiasSource) -> str:
    """An effect without items to stand on says what became of them."""
    if source.read != "text" and not any(block.bias == bias.id for block in source.standard):
        return f"left out by --read {source.read}: its items are not answered with a letter alone"
    lost: Counter[str] = Counter()
    for (owner, _), counts in counted.arms.items():
        if owner == bias.id:
            lost.update(counts)
    if lost and not lost["read"]:
        return f"no reply could be read ({', '.join(f'{n} {why}' for why, n in lost.most_common())})"
    return withheld.withheld if lost else "no reply yet"


def _items(effects: Effects, source: BiasSource, bias: BiasInfo, run: list[str]) -> list[ItemEffect]:
    magnitude = magnitudes(effects.value, run)
    return [
        ItemEffect(
            id=block.item,
            domain=block.domain,
            value=_known(magnitude[k]),
            by_intensity={
                i: _known(effects.of(i)[k]) for i in INTENSITIES if i in run and effects.asked[k, COLUMN_OF[i]]
            },
            generated=block.generated,
        )
        for k, block in enumerate(source.standard)
        if block.bias == bias.id
    ]


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def position_preference(counted: Tally) -> Measured:
    """How much more often than chance the first place is chosen, averaged over items; 0 is no preference."""
    found = first_place(counted)
    known = ~np.isnan(found)
    if not known.any():
        return Withheld("no choice among options was read")
    return mean_effect(found[known], [b.cluster for b, k in zip(counted.blocks, known, strict=True) if k]).estimate


def first_place(counted: Tally, wanted: NDArray[np.bool_] | None = None) -> Floats:
    """For each item, over all its choices or those among the `wanted` replies: how much more often than chance the
    first place was chosen. NaN where nothing was."""
    slot, item, first = counted.ints("slot"), counted.ints("item"), counted.floats("first")
    places = np.array([max(1, len(next(iter(block.arms.values())).options)) for block in counted.blocks])
    chosen = (slot >= 0) if wanted is None else wanted & (slot >= 0)
    return item_means(first - 1.0 / places[item], item, chosen, len(places))


def item_means(values: Floats, item: Ints, rows: NDArray[np.bool_], n: int) -> Floats:
    """The mean of each of `n` items over the rows that count; NaN where there is none."""
    count, sums = (np.bincount(item[rows], weights=w, minlength=n) for w in (None, values[rows]))
    return np.where(count > 0, sums / np.maximum(count, 1), np.nan)

"""From scored replies to the result of every bias: effects, intervals, flags and metrics. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fiducial.bias.block import METHODS_AT, Block
from fiducial.bias.effects import (
    ALONE,
    COLUMN_OF,
    OWN,
    PRICE,
    SHARED,
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
from fiducial.bias.result import ArmCount, BiasResult, Effect, ItemEffect, Metric
from fiducial.bias.source import BiasSource
from fiducial.stats.estimate import Estimate, Measured, Withheld
from fiducial.stats.means import mean_effect

UNREAD_GAP = 0.05  # difference between two arms' shares of unread replies
UNREAD_MOST = 0.10  # share of unread replies in any arm


class Estimated(Struct, frozen=True):
    """The biases of a run, and the families of those that are exploratory."""

    biases: list[BiasResult]
    families: list[FamilyResult]


def estimate_biases(
    source: BiasSource, counted: Tally, *, arms: object = None, temperature: object = None, widen: float = 1.0
) -> Estimated:
    """The result of every bias from scored replies alone; `arms` are those that were run (None: all). `widen`
    multiplies standard errors, where a rule on widths decided how much was asked."""
    compares = np.array([compares_by(paradigm(source.biases[b.bias].paradigm)) for b in counted.blocks])
    effects = block_effects(counted.table(), compares)
    run: list[str] = [i for i in INTENSITIES if not isinstance(arms, list | tuple) or i in arms]
    tested = {
        bias.id: mean_effect(*_of_bias(magnitudes(effects.value, run), source, bias), widen=widen)
        for bias in source.biases.values()
    }
    adjusted = adjust(source.biases, tested)
    results = []
    for bias in source.biases.values():
        estimate, p, q = tested[bias.id].estimate, tested[bias.id].p, adjusted.q[bias.id]
        effect: Effect | Withheld
        if isinstance(estimate, Withheld):
            effect = Withheld(_why_withheld(estimate, counted, bias, source))
        else:
            assert p is not None and q is not None
            effect = Effect(
                value=estimate.value,
                low=estimate.low,
                high=estimate.high,
                n=estimate.n,
                method=estimate.method,
                p=p,
                q=q,
            )
        pooled = adjusted.pooled.get(bias.id)
        results.append(_bias_result(bias, source, effects, effect, pooled, counted, run, temperature))
    flagged = [result.id for result in results if result.flagged]
    return Estimated(results, family_results(source.biases, adjusted, flagged))


def compares_by(how: Paradigm) -> int:
    """How the items of a paradigm compare."""
    if how.contrast == "price":
        return PRICE
    if how.contrast == "single":
        return ALONE
    return OWN if how.sides else SHARED


def _of_bias(values: Floats, source: BiasSource, bias: BiasInfo) -> tuple[Floats, list[str]]:
    """The known values of the bias's items, with their clusters."""
    blocks = source.standard
    known = [k for k, b in enumerate(blocks) if b.bias == bias.id and not np.isnan(values[k])]
    return values[known], [blocks[k].cluster for k in known]


def _bias_result(
    bias: BiasInfo,
    source: BiasSource,
    effects: Effects,
    effect: Effect | Withheld,
    pooled: Estimate | None,
    counted: Tally,
    run: list[str],
    temperature: object,
) -> BiasResult:
    arms = {arm: counts for (owner, arm), counts in counted.arms.items() if owner == bias.id}
    bounds = tuple(
        float(values.mean()) if len(values) else None
        for values in (_of_bias(magnitudes(e, run), source, bias)[0] for e in (effects.low, effects.high))
    )
    low, high = bounds
    left = {arm: n for (owner, arm), n in counted.partly.items() if owner == bias.id}
    flagged, reason = flag(effect, arms, low, pooled, left)
    return BiasResult(
        id=bias.id,
        effect=effect,
        flagged=flagged,
        reason=reason,
        pooled=pooled,
        metrics=_metrics(bias, source, effects, _estimate(effect), counted, run, temperature),
        name=bias.name,
        family=bias.family,
        tier=bias.tier,
        paradigm=bias.paradigm,
        about=bias.about,
        by_intensity={
            i: mean_effect(*_of_bias(effects.of(i), source, bias)).estimate
            for i in INTENSITIES
            if i in run and paradigm(bias.paradigm).intensities
        },
        by_domain=_by_group(magnitudes(effects.value, run), source, bias, DOMAINS, lambda b: b.domain),
        by_stratum=_by_group(
            magnitudes(effects.value, run), source, bias, _strata(source, bias), lambda b: b.stratum
        ),
        bounds=None if low is None or high is None else (low, high),
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
    values: Floats,
    source: BiasSource,
    bias: BiasInfo,
    groups: Iterable[object],
    group_of: Callable[[Block], object],
) -> dict[str, Measured]:
    """The mean over the known values of the bias's items in each group, under the group's name."""
    found: dict[str, Measured] = {}
    own = [(k, b) for k, b in enumerate(source.standard) if b.bias == bias.id and not np.isnan(values[k])]
    for group in groups:
        here = [(k, b.cluster) for k, b in own if group_of(b) == group]
        if here:
            found[str(group)] = mean_effect(values[[k for k, _ in here]], [c for _, c in here]).estimate
    return found


def _strata(source: BiasSource, bias: BiasInfo) -> list[int]:
    return sorted({b.stratum for b in source.standard if b.bias == bias.id and b.stratum is not None})


def flag(
    effect: Effect | Withheld,
    arms: dict[str, Counter[str]],
    worst: float | None,
    pooled: Estimate | None = None,
    left: Mapping[str, float] | None = None,
) -> tuple[bool, str | None]:
    """Flagged: positive, q at most .05, not made by unequal reading; and where the bias was pooled with its family, above
    zero after that too. `left` are replies' worth of what was read only in part, by arm."""
    if isinstance(effect, Withheld):
        return False, effect.withheld
    if not (effect.value > 0 and effect.q <= FLAG_Q):
        return False, None
    if pooled is not None and pooled.low <= 0:
        return False, "pooled"
    unread = {arm: (left or {}).get(arm, 0.0) + counts.total() - counts["read"] for arm, counts in arms.items()}
    shares = [unread[arm] / counts.total() for arm, counts in arms.items()]
    uneven = max(shares) - min(shares) > UNREAD_GAP or max(shares) > UNREAD_MOST
    if uneven and (worst is None or worst <= 0):
        return False, "unread"
    return True, None


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

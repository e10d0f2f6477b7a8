"""From a run file to its result: read, score, estimate, audit. No call is made here."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from gnomon.bias.audit import audit_bias
from gnomon.bias.effects import Effects, Floats, block_effects, magnitudes
from gnomon.bias.item import DOMAINS, INTENSITIES, BiasInfo
from gnomon.bias.paradigms import paradigm
from gnomon.bias.read import READER_VERSION
from gnomon.bias.reading import Tally
from gnomon.bias.result import ArmCount, BiasResult, Effect, ItemEffect, RunResult
from gnomon.bias.source import BiasSource
from gnomon.run.audit import audit_run
from gnomon.run.store import Store
from gnomon.stats.estimate import Estimate, Measured, Withheld
from gnomon.stats.means import mean_effect
from gnomon.stats.multiple import benjamini_hochberg

FLAG_Q = 0.05
UNREAD_GAP = 0.05  # difference between two arms' shares of unread replies
UNREAD_MOST = 0.10  # share of unread replies in any arm
NOT_YET = Withheld("not measured by this version")


def measure(store: Store, source: BiasSource, counted: Tally) -> RunResult:
    """The result of the run as far as it has come."""
    items = list(source.blocks.values())
    sides = np.array([paradigm(source.biases[b.bias].paradigm).sides for b in items])
    effects = block_effects(counted.table(), len(items), sides=sides)
    seen = store.progressed()
    settings = store.meta("settings") or {}
    run = _intensities(settings)
    tested = {
        bias.id: mean_effect(*_of_bias(magnitudes(effects.value, run), source, bias))
        for bias in source.biases.values()
    }
    q_values = dict(zip(tested, benjamini_hochberg([t.p for t in tested.values()]), strict=True))
    biases = []
    for bias in source.biases.values():
        estimate, p, q = tested[bias.id].estimate, tested[bias.id].p, q_values[bias.id]
        effect: Effect | Withheld
        if isinstance(estimate, Withheld):
            effect = Withheld(_why_withheld(estimate, counted, bias))
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
        biases.append(_bias_result(bias, source, effects, effect, counted, run))
    position = _position(counted, source)
    unread: Counter[str] = Counter()
    for counts in counted.arms.values():
        unread.update({reason: n for reason, n in counts.items() if reason != "read"})
    return RunResult(
        run=store.name,
        subject=str(settings.get("model", "")),
        complete=seen.answered == seen.trials,
        biases=biases,
        subject_metrics={"cas": NOT_YET},
        position=position,
        unread=dict(unread),
        protocols=[],
        audit=[*audit_run(store), *audit_bias(biases, position, unread, seen.answered)],
        calls=seen.calls,
        cost=None if seen.unpriced else seen.cost,
        settings=settings,
        trials=seen.trials,
        answered=seen.answered,
        tokens={"input": seen.input_tokens, "output": seen.output_tokens},
        seconds=store.seconds(),
        provenance=store.meta("provenance") or {},
        reader=READER_VERSION,
    )


def _intensities(settings: dict[str, object]) -> list[str]:
    arms = settings.get("arms")
    return [i for i in INTENSITIES if not isinstance(arms, list) or i in arms]


def _of_bias(values: Floats, source: BiasSource, bias: BiasInfo) -> tuple[Floats, list[str]]:
    """The known values of the bias's items, with their clusters."""
    blocks = list(source.blocks.values())
    known = [k for k, b in enumerate(blocks) if b.bias == bias.id and not np.isnan(values[k])]
    return values[known], [blocks[k].cluster for k in known]


def _bias_result(
    bias: BiasInfo, source: BiasSource, effects: Effects, effect: Effect | Withheld, counted: Tally, run: list[str]
) -> BiasResult:
    arms = {arm: counts for (owner, arm), counts in counted.arms.items() if owner == bias.id}
    bounds = tuple(
        float(values.mean()) if len(values) else None
        for values in (_of_bias(magnitudes(e, run), source, bias)[0] for e in (effects.low, effects.high))
    )
    low, high = bounds
    flagged, reason = _flag(effect, arms, low)
    return BiasResult(
        id=bias.id,
        effect=effect,
        flagged=flagged,
        reason=reason,
        metrics={
            "bms": _estimate(effect),
            "bci": NOT_YET,
            "bmp": NOT_YET,
            "has": NOT_YET,
            "rci": NOT_YET,
        },
        name=bias.name,
        family=bias.family,
        tier=bias.tier,
        paradigm=bias.paradigm,
        about=bias.about,
        by_intensity={
            i: mean_effect(*_of_bias(effects.value[:, INTENSITIES.index(i)], source, bias)).estimate
            for i in INTENSITIES
            if i in run
        },
        by_domain=_by_domain(magnitudes(effects.value, run), source, bias),
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


def _estimate(effect: Effect | Withheld) -> Measured:
    if isinstance(effect, Withheld):
        return effect
    return Estimate(value=effect.value, low=effect.low, high=effect.high, n=effect.n, method=effect.method)


def _by_domain(values: Floats, source: BiasSource, bias: BiasInfo) -> dict[str, Measured]:
    found: dict[str, Measured] = {}
    blocks = list(source.blocks.values())
    for domain in DOMAINS:
        known = [
            k for k, b in enumerate(blocks) if b.bias == bias.id and b.domain == domain and not np.isnan(values[k])
        ]
        if known:
            found[domain] = mean_effect(values[known], [blocks[k].cluster for k in known]).estimate
    return found


def _flag(effect: Effect | Withheld, arms: dict[str, Counter[str]], worst: float | None) -> tuple[bool, str | None]:
    """Flagged: positive, q at most .05, and not made by unequal reading."""
    if isinstance(effect, Withheld):
        return False, effect.withheld
    if not (effect.value > 0 and effect.q <= FLAG_Q):
        return False, None
    shares = [1 - counts["read"] / counts.total() for counts in arms.values()]
    uneven = max(shares) - min(shares) > UNREAD_GAP or max(shares) > UNREAD_MOST
    if uneven and (worst is None or worst <= 0):
        return False, "unread"
    return True, None


def _why_withheld(withheld: Withheld, counted: Tally, bias: BiasInfo) -> str:
    """An effect without items to stand on says what became of them."""
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
            by_intensity={i: _known(effects.value[k, INTENSITIES.index(i)]) for i in INTENSITIES if i in run},
        )
        for k, block in enumerate(source.blocks.values())
        if block.bias == bias.id
    ]


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _position(counted: Tally, source: BiasSource) -> Measured:
    """How much more often than chance the first place is chosen, averaged over items; 0 is no preference."""
    slot, places, item = counted.column("slot"), counted.column("places"), counted.column("item")
    chosen = slot >= 0
    if not chosen.any():
        return Withheld("no choice among options was read")
    excess: NDArray[np.float64] = (slot[chosen] == 0) - 1.0 / places[chosen]
    n = len(source.blocks)
    count = np.bincount(item[chosen], minlength=n)
    mean = np.bincount(item[chosen], weights=excess, minlength=n)[count > 0] / count[count > 0]
    clusters = [b.cluster for k, b in enumerate(source.blocks.values()) if count[k] > 0]
    return mean_effect(mean, clusters).estimate

"""The effect of a single item with the error that its replies leave, and how its arms were answered.

Over a bias, items are the units and their replies only noise. Of one item the replies are all there is: intervals here
say how the item would come out if the same subject were asked it again, nothing about other items.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from msgspec import Struct

from fiducial.bias.block import Block, CertaintyKey, ChoiceKey, Key, PriceKey
from fiducial.bias.effects import COLUMN_OF, CONTROL_COLUMN, SHARED, Floats, Table
from fiducial.bias.item import INTENSITIES, WEIGHTS
from fiducial.stats.combination import combined_shares
from fiducial.stats.distributions import t_quantile
from fiducial.stats.estimate import Estimate, Measured, Withheld
from fiducial.stats.means import Fit, mean_effect
from fiducial.stats.proportion import wilson

PLAIN = frozenset((*(COLUMN_OF[name] for name in INTENSITIES), COLUMN_OF["single"], CONTROL_COLUMN))
"""The comparisons that make up an item's effect; debiasing methods are left out."""
FEW_DEGREES = 2  # a spread of repetitions that rests on fewer is no spread

Cell = tuple[int, int, int]
"""Column, sign and option order."""


class OneItem(Struct, frozen=True, kw_only=True):
    """An item in one run. `base` is the arm that the pulled one is compared with; scores are 1 for the counted option, or
    the place on the scale. A calibration question has a single arm, whose `base` is the share of right answers."""

    effect: Measured
    error: float | None  # the standard error of the effect, from its replies
    base: Measured
    pulled: Measured
    replies: int
    read: int


def one_item(block: Block, table: Table, item: int, right: Floats, compares: int) -> OneItem:
    """What the replies to one item say; `right` is 1 or 0 a reply, NaN where it does not apply."""
    rows = (table.item == item) & np.isin(table.column, list(PLAIN))
    read = rows & ~np.isnan(table.score)
    cells: dict[Cell, Floats] = {}
    for column, sign, order in sorted(
        {
            (int(c), int(s), int(o))
            for c, s, o in zip(table.column[read], table.sign[read], table.order[read], strict=True)
        }
    ):
        here = read & (table.column == column) & (table.sign == sign) & (table.order == order)
        cells[column, sign, order] = table.score[here]
    key = next(iter(block.arms.values())).key
    toward, against = (_pooled(cells, sign) for sign in (1, -1))
    if isinstance(key, CertaintyKey):
        effect, error = _alone(toward)
        answered = right[rows & ~np.isnan(right)]
        base: Measured = wilson(int(answered.sum()), len(answered)) if len(answered) else _nothing()
        pulled: Measured = Withheld("a calibration question has a single arm")
    else:
        if isinstance(key, PriceKey):
            effect, error = _prices(cells, _weights(cells, compares))
        else:
            effect, error = _scores(cells, _weights(cells, compares), choice=isinstance(key, ChoiceKey))
        base, pulled = (_mean(scores, key) for scores in (against, toward))
    return OneItem(
        effect=effect, error=error, base=base, pulled=pulled, replies=int(rows.sum()), read=int(read.sum())
    )


def _nothing() -> Withheld:
    return Withheld("no reply was read")


def _pooled(cells: dict[Cell, Floats], sign: int) -> Floats:
    found = [scores for (_, s, _), scores in cells.items() if s == sign]
    return np.concatenate(found) if found else np.array([])


def _mean(scores: Floats, key: Key) -> Measured:
    """The mean score of an arm over its replies. Places on a scale that do not differ vary at most as choices do; prices
    have no such bound."""
    if not len(scores):
        return _nothing()
    if isinstance(key, ChoiceKey):
        return wilson(int(scores.sum()), len(scores))
    fit = Fit(scores, np.arange(len(scores)))
    if fit.error == 0.0 and isinstance(key, PriceKey):
        return Withheld(f"{fit.mean:g}, without an interval: repetitions do not differ")
    if fit.error == 0.0:
        return combined_shares([1.0], [float(scores.sum())], [len(scores)])[0]
    low, high = fit.interval(0.95)
    return Estimate(value=fit.mean, low=low, high=high, n=len(scores), method="t over replies")


def _weights(cells: dict[Cell, Floats], compares: int) -> dict[Cell, float]:
    """What each cell's mean counts for in the item's effect, by the rule of `block_effects` and `magnitudes`."""
    single = COLUMN_OF["single"]
    share: dict[int, float] = {COLUMN_OF[name]: weight for name, weight in WEIGHTS.items()}
    pairs: dict[int, list[tuple[Cell, Cell]]] = {}
    for column, sign, order in cells:
        base = CONTROL_COLUMN if compares == SHARED and column != single else column
        if sign == 1 and (base, -1, order) in cells:
            pairs.setdefault(column, []).append(((column, 1, order), (base, -1, order)))
    if single in pairs:
        pairs = {single: pairs[single]}
        share[single] = 1.0
    total = sum(share[column] for column in pairs)
    found: dict[Cell, float] = {}
    for column, compared in pairs.items():
        for toward, against in compared:
            part = share[column] / total / len(compared)
            found[toward] = found.get(toward, 0.0) + part
            found[against] = found.get(against, 0.0) - part
    return found


def _scores(
    cells: dict[Cell, Floats], weights: dict[Cell, float], *, choice: bool
) -> tuple[Measured, float | None]:
    """Choices: shares combined. Places on a scale: by their spread over repetitions, which all cells share; where no two
    repetitions of a cell differ, as wide as choices would be."""
    if not weights:
        return Withheld("no two compared arms were both read"), None
    used = {cell: scores for cell, scores in cells.items() if cell in weights}
    c = [weights[cell] for cell in used]
    sizes = [len(scores) for scores in used.values()]
    shares, error = combined_shares(c, [float(scores.sum()) for scores in used.values()], sizes)
    spread, df = _pooled_variance(list(used.values()))
    if choice or df < FEW_DEGREES or spread == 0.0:
        return shares, error
    error = sqrt(spread * sum(w**2 / n for w, n in zip(c, sizes, strict=True)))
    half = t_quantile(0.975, df) * error
    low, high = max(-1.0, shares.value - half), min(1.0, shares.value + half)
    return Estimate(value=shares.value, low=low, high=high, n=shares.n, method="t over replies"), error


def _pooled_variance(samples: list[Floats]) -> tuple[float, int]:
    df = sum(len(sample) - 1 for sample in samples)
    squares = sum(float(((sample - sample.mean()) ** 2).sum()) for sample in samples)
    return (squares / df if df else 0.0), df


def _prices(cells: dict[Cell, Floats], weights: dict[Cell, float]) -> tuple[Measured, float | None]:
    """Relative differences of mean prices; their error by the delta method, from the relative spread of repetitions."""
    means = {cell: float(cells[cell].mean()) for cell in weights}
    squares = df = 0.0
    for cell, mean in means.items():
        if mean > 0:
            squares += float(((cells[cell] / mean - 1) ** 2).sum())
            df += len(cells[cell]) - 1
    parts = [
        (part, means[cell], means[cell[0], -1, cell[2]], len(cells[cell]), len(cells[cell[0], -1, cell[2]]))
        for cell, part in weights.items()
        if cell[1] == 1
    ]
    known = [one for one in parts if one[1] + one[2] > 0]
    total = sum(part for part, *_ in known)
    if not known:
        return Withheld("no two prices that could be compared were read"), None
    value = sum(part * (s - b) / (s + b) for part, s, b, _, _ in known) / total
    if df < FEW_DEGREES or squares == 0.0:
        why = "repetitions do not differ" if df >= FEW_DEGREES else "there are too few repetitions"
        return Withheld(f"{value:+.2f}, without an interval: {why}"), None
    spread = squares / df
    variance = sum(
        (part / total * 2 * s * b / (s + b) ** 2) ** 2 * spread * (1 / n + 1 / m) for part, s, b, n, m in known
    )
    error = sqrt(variance)
    half = t_quantile(0.975, df) * error
    low, high = max(-1.0, value - half), min(1.0, value + half)
    n = sum(a + b for *_, a, b in known)
    return Estimate(value=value, low=low, high=high, n=n, method="t over replies, delta"), error


def _alone(scores: Floats) -> tuple[Measured, float | None]:
    """Confidence minus whether it was right, over the replies to one question."""
    found = mean_effect(scores, unit="repetition").estimate if len(scores) else _nothing()
    error = Fit(scores, np.arange(len(scores))).error if len(scores) > 1 else 0.0
    return found, error or None

"""The share of ones among cases that a fallible judge has scored, from its verdicts and some labels.

Verdicts are 0, 1/2 or 1, labels 0 or 1. Two situations, two estimators:

*Labels on a random part of the very cases.* Cases are put into strata by verdict; in each, the share of ones is known from
its labelled cases. This is PPI++ (Angelopoulos, Duchi & Zrnic 2023, arXiv:2311.01453) with the prediction saturated: a
verdict has three values, so its best regression is a mean a value. What is estimated is the mean of these cases and no
others, so labelled ones are known, and only the rest is uncertain: beta-binomial with Jeffreys' prior in each stratum.

*Labels on other cases.* With m1 the mean verdict where the label is 1 and m0 where it is 0, the mean verdict of the cases
is q = share·m1 + (1 − share)·m0 (Rogan & Gladen 1978, Am. J. Epidemiology 107(1), 71-76). Where the labels come from
other groups of cases (other systems, other documents), m1 and m0 are drawn anew for each group, beta-distributed around
a common mean with intraclass correlation rho, and predicted for a group that was not seen. All of it is one posterior
with flat priors on the share and the means, and an exponential prior on rho of mean `BETWEEN`.

Intervals are 95 % equal-tailed intervals of draws from these posteriors, made with a fixed seed: the same input gives the
same numbers. docs/judging.md says how often they cover.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from scipy.special import betaln

from fiducial.stats.estimate import Estimate, Measured, Withheld

Floats = NDArray[np.float64]

VERDICTS = (0.0, 0.5, 1.0)
BETWEEN = 0.02  # prior mean of rho: groups differ by a standard deviation of .14·√(m(1 − m))
DRAWS = 20_000
JEFFREYS = 0.5
SEED = 0

_MEANS = np.linspace(0.0025, 0.9975, 200)
_RHO = np.concatenate(([0.0], np.geomspace(5e-4, 0.6, 24)))
_LIMITS = (0.025, 0.5, 0.975)
_LEAST_APART = 1e-3  # of m1 and m0 in a single draw


class Side(Struct, frozen=True, kw_only=True):
    """The verdicts on labelled cases of one label in one group: how many, their sum and their sum of squares."""

    n: int
    total: float
    squares: float

    @classmethod
    def of(cls, verdicts: Floats) -> Side:
        """Of these verdicts."""
        return cls(n=len(verdicts), total=float(verdicts.sum()), squares=float((verdicts**2).sum()))


class Labelled(Struct, frozen=True):
    """A group of labelled cases: its verdicts where the label is 1, and where it is 0."""

    ones: Side
    zeros: Side


class Corrected(Struct, frozen=True, kw_only=True):
    """What verdicts and labels of other cases give together."""

    share: Measured
    m1: Estimate
    m0: Estimate
    between: tuple[float, float]  # standard deviation of m1 and m0 between groups, posterior medians


def from_own_labels(verdicts: Floats, labelled: Floats, labels: Floats, *, strata: bool = True) -> Estimate:
    """The mean label of all cases. `verdicts` are those of all cases, `labelled` those of the cases with `labels`.

    Without `strata` the verdicts are not used: the labels alone.
    """
    rng = np.random.default_rng(SEED)
    if not strata:
        verdicts, labelled = np.zeros_like(verdicts), np.zeros_like(labelled)
    overall = float(labels.mean())
    sums, value = np.zeros(DRAWS), 0.0
    for verdict in VERDICTS:
        size = int((verdicts == verdict).sum())
        own = labels[labelled == verdict]
        n, ones = len(own), float(own.sum())
        if size:
            share = rng.beta(ones + JEFFREYS, n - ones + JEFFREYS, DRAWS)
            sums += ones + rng.binomial(size - n, share)
            value += size * (ones / n if n else overall)
    value /= len(verdicts)
    low, _, high = np.quantile(sums / len(verdicts), _LIMITS)
    method = "own labels, by verdict (PPI++)" if strata else "own labels alone"
    return _estimate(value, float(low), float(high), n=len(labels), method=method)


def from_other_labels(
    verdict: float,
    cases: int,
    groups: Sequence[Labelled],
    *,
    shifted: bool,
    error: float | None = None,
    own: tuple[Floats, Floats] | None = None,
) -> Corrected:
    """The share of ones among so many cases, behind their mean verdict.

    `shifted`: the labels come from other groups than the cases, so m1 and m0 are predicted for a new one. With the standard
    `error` of the mean verdict, the share is that of the population that the cases were drawn from; without it, that of
    these very cases. `own` are verdicts and labels of a few of the cases themselves, too few to stand alone.
    """
    rng = np.random.default_rng(SEED)
    ones, zeros = [group.ones for group in groups], [group.zeros for group in groups]
    mean1, m1, between1, worth1 = _side(ones, rng, shifted=shifted)
    mean0, m0, between0, worth0 = _side(zeros, rng, shifted=shifted)
    n = sum(side.n for side in (*ones, *zeros))
    spread = (between1, between0) if shifted else (0.0, 0.0)
    what = "mean over groups" if shifted else "Jeffreys"
    rates = (
        _rate(ones, mean1, method=what),
        _rate(zeros, mean0, method=what),
    )
    gap = np.quantile(mean1 - mean0, 0.025)
    if not gap > 0:
        why = (
            f"the judge is not shown to be better than chance on the labelled cases: its mean verdict is "
            f"{rates[0].value:.2f} where the label is 1 and {rates[1].value:.2f} where it is 0, and the 95 % interval "
            f"of the difference begins at {gap:.2f}. Its verdicts say nothing about the share"
        )
        return Corrected(share=Withheld(why), m1=rates[0], m0=rates[1], between=spread)
    apart = m1 - m0
    usable = apart > _LEAST_APART
    apart = np.where(usable, apart, 1.0)
    noise: Floats | float
    if error is None:
        first = np.clip((verdict - m0) / apart, 0, 1)
        noise = np.sqrt((first * m1 * (1 - m1) / worth1 + (1 - first) * m0 * (1 - m0) / worth0) / cases)
    else:
        noise = error
    share = (verdict + noise * rng.standard_normal(DRAWS) - m0) / apart
    inside = usable & (share >= 0) & (share <= 1)
    if (
        not inside.any()
    ):  # all verdicts one way, beyond what the judge's rates allow: the nearest end is what is left
        share, inside = np.clip(share, 0, 1), usable
    # a flat prior on the share makes a mean verdict less probable the further m1 and m0 lie apart
    weights = np.where(inside, 1 / apart, 0.0)
    if own is not None:
        weights = weights * _likelihood(*own, share, m1, m0)
    low, middle, high = _weighted(share, weights)
    plain = (verdict - rates[1].value) / (rates[0].value - rates[1].value)
    value = plain if own is None and low <= plain <= high else middle
    method = "Rogan–Gladen, predicted for a new group" if shifted else "Rogan–Gladen"
    return Corrected(
        share=_estimate(value, low, high, n=n, method=method), m1=rates[0], m0=rates[1], between=spread
    )


def _side(sides: Sequence[Side], rng: np.random.Generator, *, shifted: bool) -> tuple[Floats, Floats, float, float]:
    """Draws of the mean over groups, draws for the group in question, the spread between groups, and a verdict's worth.

    Verdicts of one half vary less than zeros and ones of the same mean: they count as so many more of those.
    """
    n, total = sum(side.n for side in sides), sum(side.total for side in sides)
    mean = total / n if n else 0.5
    variance = sum(side.squares for side in sides) / n - mean**2 if n else 0.0
    worth = mean * (1 - mean) / variance if variance > 1e-9 else 1.0
    if not shifted:
        draws = rng.beta(worth * total + JEFFREYS, worth * (n - total) + JEFFREYS, DRAWS)
        return draws, draws, 0.0, worth
    posterior = np.zeros((len(_MEANS), len(_RHO)))
    edges = np.concatenate(([0.0], (_RHO[1:] + _RHO[:-1]) / 2, [1.0]))
    posterior += np.log(np.diff(edges)) - _RHO / BETWEEN
    log_mean, log_rest = np.log(_MEANS), np.log1p(-_MEANS)
    for side in sides:
        yes, no = worth * side.total, worth * (side.n - side.total)
        posterior[:, 0] += yes * log_mean + no * log_rest
        for k, rho in enumerate(_RHO[1:], 1):
            a, b = _MEANS * (1 / rho - 1), (1 - _MEANS) * (1 / rho - 1)
            posterior[:, k] += betaln(a + yes, b + no) - betaln(a, b)
    weights = np.exp(posterior - posterior.max())
    weights /= weights.sum()
    picks = rng.choice(weights.size, DRAWS, p=weights.ravel())
    means, rho = _MEANS[picks // len(_RHO)], _RHO[picks % len(_RHO)]
    means = np.clip(means + (rng.random(DRAWS) - 0.5) * (_MEANS[1] - _MEANS[0]), 1e-4, 1 - 1e-4)
    some = rho > 0
    scale = 1 / np.where(some, rho, 0.5) - 1
    drawn = np.where(some, rng.beta(means * scale, (1 - means) * scale), means)
    spread = float(np.median(np.sqrt(rho * means * (1 - means))))
    return means, drawn, spread, worth


def _likelihood(verdicts: Floats, labels: Floats, share: Floats, m1: Floats, m0: Floats) -> Floats:
    """Of the labels given the verdicts, for every draw."""
    logs = np.zeros(len(share))
    tiny = 1e-9
    a, b = np.clip(m1, tiny, 1 - tiny), np.clip(m0, tiny, 1 - tiny)
    prior = np.clip(share, tiny, 1 - tiny)
    for verdict in VERDICTS:
        own = labels[verdicts == verdict]
        if len(own):
            one = prior * a**verdict * (1 - a) ** (1 - verdict)
            zero = (1 - prior) * b**verdict * (1 - b) ** (1 - verdict)
            logs += own.sum() * np.log(one / (one + zero)) + (len(own) - own.sum()) * np.log(zero / (one + zero))
    return np.asarray(np.exp(logs - logs.max()))


def _weighted(values: Floats, weights: Floats) -> tuple[float, float, float]:
    order = np.argsort(values)
    reached = np.cumsum(weights[order])
    places = np.minimum(np.searchsorted(reached, np.array(_LIMITS) * reached[-1]), len(values) - 1)
    low, middle, high = values[order][places]
    return float(low), float(middle), float(high)


def _rate(sides: Sequence[Side], draws: Floats, *, method: str) -> Estimate:
    n = sum(side.n for side in sides)
    low, middle, high = (float(limit) for limit in np.quantile(draws, _LIMITS))
    value = sum(side.total for side in sides) / n if n else middle
    return _estimate(value, low, high, n=n, method=method)


def _estimate(value: float, low: float, high: float, *, n: int, method: str) -> Estimate:
    value = min(1.0, max(0.0, value))
    return Estimate(value=value, low=max(0.0, min(low, value)), high=min(1.0, max(high, value)), n=n, method=method)

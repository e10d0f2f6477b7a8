"""The share of ones among cases that a fallible judge has scored, from its verdicts and some labels.

Verdicts are 0, 1/2 or 1, labels 0 or 1. Two situations, two estimators:

*Labels on a random part of the very cases.* Cases are put into strata by verdict; in each, the share of ones is known from
its labelled cases. This is PPI++ (Angelopoulos, Duchi & Zrnic 2023, arXiv:2311.01453) with the prediction saturated: a
verdict has three values, so its best regression is a mean a value. For the mean of these very cases, labelled ones are
known, and only the rest is uncertain: beta-binomial with Jeffreys' prior in each stratum. For the population that the cases
were drawn from, the sizes of the strata are uncertain too: Dirichlet.

*Labels on other cases.* With m1 the mean verdict where the label is 1 and m0 where it is 0, the mean verdict of the cases
is q = share·m1 + (1 − share)·m0 (Rogan & Gladen 1978, Am. J. Epidemiology 107(1), 71-76). Where the labels come from
other groups of cases (other systems, other documents), m1 and m0 are drawn anew for each group, beta-distributed around
a common mean with intraclass correlation rho, and predicted for a group that was not seen (random effects). All of it is
one posterior with flat priors on the share and the means, and an exponential prior on rho of mean `BETWEEN`. On a new
group the judge may even be worse than chance, so m1 < m0 is allowed there. The result is a range: it holds if the new
group is like the labelled ones, which no label of theirs can show.

Intervals are 95 % equal-tailed intervals of draws from these posteriors, made with a fixed seed: the same input gives the
same numbers. docs/correcting.md says how often they cover.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from scipy.special import betaln

from fiducial.stats.estimate import Estimate, Withheld
from fiducial.stats.proportion import Z

Floats = NDArray[np.float64]
Kind = Literal["interval", "range", "count"]

VERDICTS = (0.0, 0.5, 1.0)
BETWEEN = 0.12  # prior mean of rho: groups differ by a standard deviation of .35·√(m(1 − m))
OWN_LABELS = 30  # labels on the cases themselves that stand alone
DRAWS = 20_000
JEFFREYS = 0.5
SEED = 0

_MEANS = np.linspace(0.0025, 0.9975, 200)
_RHO = np.concatenate(([0.0], np.geomspace(5e-4, 0.6, 24)))
_LIMITS = (0.025, 0.5, 0.975)
_LEAST_APART = 1e-3  # of m1 and m0 in a single draw
# The least share of draws of m1 and m0 under which the mean verdict is possible. Below it the interval would rest on a few
# extreme draws. Where labels are of the same kind as the cases, chance alone often puts the mean verdict a little outside.
_POSSIBLE, _POSSIBLE_SAME_KIND = 0.1, 0.01
_EFFECTIVE = 100.0  # least effective number of draws


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


class ShareEstimate(Estimate, frozen=True, kw_only=True):
    """A share of ones.

    `kind`: a 95 % interval, a range that rests on an assumption about groups without labels, or a count of labelled cases.
    """

    kind: Kind = "interval"


class Corrected(Struct, frozen=True, kw_only=True):
    """What verdicts and labels of other cases give together."""

    share: ShareEstimate | Withheld
    m1: Estimate
    m0: Estimate
    between: tuple[float, float]  # standard deviation of m1 and m0 between groups, posterior medians
    own_labels: float | None = None  # half the width that OWN_LABELS labels on the cases themselves would give


def from_own_labels(
    verdicts: Floats, labelled: Floats, labels: Floats, *, strata: bool = True, population: bool = False
) -> ShareEstimate:
    """The mean label of all cases. `verdicts` are those of all cases, `labelled` those of the cases with `labels`.

    With `population`, that of the population that the cases were drawn from. Without `strata` the verdicts are not used:
    the labels alone.
    """
    if len(labels) == len(verdicts) and not population:
        counted = float(labels.mean())
        return ShareEstimate(value=counted, low=counted, high=counted, n=len(labels), method="count", kind="count")
    rng = np.random.default_rng(SEED)
    if not strata:
        verdicts, labelled = np.zeros_like(verdicts), np.zeros_like(labelled)
    overall = float(labels.mean())
    sums, total, value = np.zeros(DRAWS), np.zeros(DRAWS), 0.0
    for verdict in VERDICTS:
        size = int((verdicts == verdict).sum())
        own = labels[labelled == verdict]
        n, ones = len(own), float(own.sum())
        if size:
            share = rng.beta(ones + JEFFREYS, n - ones + JEFFREYS, DRAWS)
            if population:
                weight = rng.gamma(size + JEFFREYS, size=DRAWS)
                sums, total = sums + weight * share, total + weight
            else:
                sums, total = sums + ones + rng.binomial(size - n, share), total + size
            value += size * (ones / n if n else overall)
    low, _, high = np.quantile(sums / total, _LIMITS)
    method = "own labels, by verdict (PPI++)" if strata else "own labels alone"
    return _share(value / len(verdicts), float(low), float(high), n=len(labels), method=method)


def from_other_labels(
    verdict: float,
    cases: int,
    groups: Sequence[Labelled],
    *,
    shifted: bool,
    error: float | None = None,
    own: tuple[Floats, Floats] | None = None,
    population: bool = False,
) -> Corrected:
    """The share of ones among so many cases, behind their mean verdict.

    `shifted`: the labels come from other groups than the cases, so m1 and m0 are predicted for a new one. With `population`
    or with the standard `error` of the mean verdict, the share is that of the population that the cases were drawn from;
    without them, that of these very cases. `own` are verdicts and labels of a few of the cases themselves, too few to stand
    alone.
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
    # whether the judge is better than chance is asked of the labelled cases; the range says how far that carries
    labelled = [_side(sides, rng, shifted=False)[0] for sides in (ones, zeros)] if shifted else [mean1, mean0]
    gap = np.quantile(labelled[0] - labelled[1], 0.025)
    if not gap > 0:
        why = (
            f"the judge is not shown to be better than chance on the labelled cases: its mean verdict is "
            f"{rates[0].value:.2f} where the label is 1 and {rates[1].value:.2f} where it is 0, and the 95 % interval "
            f"of the difference begins at {gap:.2f}. Its verdicts say nothing about the share"
        )
        return Corrected(share=Withheld(why), m1=rates[0], m0=rates[1], between=spread)
    apart = m1 - m0
    usable = np.abs(apart) > _LEAST_APART
    apart = np.where(usable, apart, 1.0)
    # the mean verdict of the population, as if from so many zeros and ones; it varies even where all verdicts are the same
    size = cases * min(worth1, worth0)
    if error:
        rough = (verdict * cases + JEFFREYS) / (cases + 1)
        size = rough * (1 - rough) / error**2
    mean = rng.beta(verdict * size + 1, (1 - verdict) * size + 1, DRAWS)
    if not population and not error:  # of these cases, all but what comes from their labels being others
        first = np.clip((mean - m0) / apart, 0, 1)
        within = first * m1 * (1 - m1) + (1 - first) * m0 * (1 - m0)
        part = np.sqrt(within / np.maximum(within + first * (1 - first) * apart**2, 1e-12))
        mean = verdict + part * (mean - verdict)
    share = (mean - m0) / apart
    inside = usable & (share >= 0) & (share <= 1)
    # a flat prior on the share makes a mean verdict less probable the further m1 and m0 lie apart
    weights = np.where(inside, 1 / np.abs(apart), 0.0)
    if own is not None:
        weights = weights * _likelihood(*own, share, m1, m0)
    effective = float(weights.sum() ** 2 / max(float((weights**2).sum()), 1e-300))
    least = _POSSIBLE if shifted else _POSSIBLE_SAME_KIND
    if inside.mean() < least or effective < _EFFECTIVE:
        why = (
            f"the verdicts here (mean {verdict:.2f}) hardly fit the labels: of the error rates that the labelled "
            f"cases allow, fewer than {least:.0%} make them possible. The judge errs differently here, or there are too few "
            f"labels; label {OWN_LABELS} of these cases themselves"
        )
        return Corrected(share=Withheld(why), m1=rates[0], m0=rates[1], between=spread)
    low, middle, high = _weighted(share, weights)
    plain = (verdict - rates[1].value) / (rates[0].value - rates[1].value)
    value = plain if own is None and low <= plain <= high else middle
    method = "Rogan–Gladen, predicted for a new group" if shifted else "Rogan–Gladen"
    return Corrected(
        share=_share(value, low, high, n=n, method=method, kind="range" if shifted else "interval"),
        m1=rates[0],
        m0=rates[1],
        between=spread,
        own_labels=_with_own_labels(share, m1, m0, weights, cases=None if population else cases),
    )


def _with_own_labels(share: Floats, m1: Floats, m0: Floats, weights: Floats, *, cases: int | None) -> float | None:
    """About half the width of the interval from OWN_LABELS labels on the cases themselves; None for so few cases."""
    if cases is not None and cases <= OWN_LABELS:
        return None
    share = np.clip(share, 0, 1)
    variance = np.zeros(len(share))  # of a label, given the verdict
    for one, zero in ((share * m1, (1 - share) * m0), (share * (1 - m1), (1 - share) * (1 - m0))):
        variance += one * zero / np.maximum(one + zero, 1e-12)
    left = 1.0 if cases is None else 1 - OWN_LABELS / cases
    return float(Z * np.sqrt(np.average(variance, weights=weights) * left / OWN_LABELS))


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
    return Estimate(value=value, low=min(low, value), high=max(high, value), n=n, method=method)


def _share(value: float, low: float, high: float, *, n: int, method: str, kind: Kind = "interval") -> ShareEstimate:
    value = min(1.0, max(0.0, value))
    low, high = max(0.0, min(low, value)), min(1.0, max(high, value))
    return ShareEstimate(value=value, low=low, high=high, n=n, method=method, kind=kind)

"""A share of successes, and the difference of two, with intervals that also hold at 0 and at 1.

References: Wilson (1927), J. American Statistical Association 22(158), 209-212; Newcombe (1998), Statistics in
Medicine 17(8), 873-890 (method 10).
"""

from __future__ import annotations

from math import hypot, sqrt

from fiducial.stats.estimate import Estimate

Z = 1.959963984540054  # 97.5 % of the normal distribution


def wilson(successes: int, trials: int) -> Estimate:
    """The share of successes with Wilson's 95 % interval. No trials are no share, and are refused."""
    if trials < 1 or not 0 <= successes <= trials:
        raise ValueError(f"{successes} of {trials}: needed are 0 ≤ successes ≤ trials and at least one trial")
    low, high = wilson_limits(successes / trials, trials)
    return Estimate(value=successes / trials, low=low, high=high, n=trials, method="Wilson")


def wilson_limits(share: float, n: float, *, quantile: float = Z) -> tuple[float, float]:
    """Wilson's limits of a share of `n` trials, which need not be whole: an effective number may be given.

    `quantile` is that of the normal distribution, or of t where the noise was estimated. The share is always inside.
    """
    shrink = 1 + quantile**2 / n
    middle = (share + quantile**2 / (2 * n)) / shrink
    half = quantile / shrink * sqrt(max(0.0, share * (1 - share)) / n + quantile**2 / (4 * n**2))
    return max(0.0, min(middle - half, share)), min(1.0, max(middle + half, share))


def share_difference(successes: tuple[int, int], trials: tuple[int, int]) -> Estimate:
    """The first share minus the second one, of independent groups, with Newcombe's 95 % interval."""
    a, b = (wilson(s, n) for s, n in zip(successes, trials, strict=True))
    value = a.value - b.value
    return Estimate(
        value=value,
        low=value - hypot(a.value - a.low, b.high - b.value),
        high=value + hypot(a.high - a.value, b.value - b.low),
        n=sum(trials),
        method="Newcombe",
    )

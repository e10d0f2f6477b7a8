"""Permutation tests of "no difference", for paired differences and for outputs that could have come from either side.

Every pattern is tried where there are at most 2^16; else 20,000 are drawn, and the one that was seen counts as one
more, so that p is never 0. Two-sided: p is the share of the patterns whose sum is at least as far from 0.

Reference: Phipson & Smyth (2010), Statistical Applications in Genetics and Molecular Biology 9(1), article 39.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Values = Sequence[float] | Floats

MOST_EXACT = 2**16  # patterns
DRAWS = 20_000
BATCH = 2_000_000  # numbers held at once
CLOSE = 1e-9  # sums that differ by less, as a share of all there is to sum, are the same


class Permuted(Struct, frozen=True, kw_only=True):
    """A two-sided p. `least` is the smallest that so many units can give, whatever they are like."""

    p: float
    least: float
    units: int  # what was flipped, or what was exchanged
    exact: bool


def sign_flip(
    differences: Values,
    clusters: Sequence[object] | None = None,
    *,
    rng: np.random.Generator,
) -> Permuted:
    """Whether paired differences lie around 0: each could as well have had the other sign.

    Differences that share a cluster keep their signs to each other: their sum flips. A sum of 0 changes nothing in
    any pattern, and with no differences at all p is 1.
    """
    values = np.asarray(differences, dtype=np.float64)
    if clusters is not None:
        index = np.unique(np.asarray([str(c) for c in clusters], dtype=str), return_inverse=True)[1]
        values = np.bincount(index, weights=values).astype(np.float64)
    scale = float(np.abs(values).sum())
    moving = values[np.abs(values) > CLOSE * scale]
    least = min(1.0, 2.0 ** (1 - len(values)))
    if not len(moving):
        return Permuted(p=1.0, least=least, units=len(values), exact=True)
    exact = 2 ** len(moving) <= MOST_EXACT
    sums = _every_sum([np.array([v, -v]) for v in moving]) if exact else _flipped(moving, rng)
    p = _share_beyond(sums, float(moving.sum()), scale=scale, exact=exact)
    return Permuted(p=p, least=max(least, _drawn(exact)), units=len(values), exact=exact)


def exchange(groups: Sequence[tuple[Values, Values]], *, rng: np.random.Generator) -> Permuted:
    """Whether the two sides of each group differ: within a group every value could have been on either side.

    What is compared is the sum over groups of mean(second) − mean(first). A group without a value on one of its
    sides says nothing and is left out.
    """
    both = [
        (np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)) for a, b in groups if len(a) and len(b)
    ]
    least = least_exchange([(len(a), len(b)) for a, b in both])
    units = sum(len(a) + len(b) for a, b in both)
    patterns = math.prod(math.comb(len(a) + len(b), len(b)) for a, b in both)
    exact = patterns <= MOST_EXACT
    centred = [(np.concatenate((a, b)) - np.concatenate((a, b)).mean(), len(b)) for a, b in both]
    sums = _every_sum([_every_split(*group) for group in centred]) if exact else _split(centred, rng)
    seen = float(sum(b.mean() - a.mean() for a, b in both))
    scale = float(sum(np.abs(values).sum() for values, _ in centred))
    p = _share_beyond(sums, seen, scale=scale, exact=exact)
    return Permuted(p=p, least=max(least, _drawn(exact)), units=units, exact=exact)


def least_exchange(sizes: Sequence[tuple[int, int]]) -> float:
    """The smallest p that an exchange within groups of these sizes can give.

    Where the sides of every group are equally large, each pattern has a mirror image that lies as far from 0.
    """
    patterns = math.prod(math.comb(a + b, b) for a, b in sizes)
    mirrored = all(a == b for a, b in sizes)
    return min(1.0, (2 if mirrored else 1) / patterns)


def _drawn(exact: bool) -> float:
    return 0.0 if exact else 1 / (DRAWS + 1)


def _share_beyond(sums: Floats, seen: float, *, scale: float, exact: bool) -> float:
    beyond = int(np.count_nonzero(np.abs(sums) >= abs(seen) - CLOSE * scale))
    return beyond / len(sums) if exact else (beyond + 1) / (len(sums) + 1)


def _every_sum(choices: Sequence[Floats]) -> Floats:
    """The sums of one value out of each, in every combination."""
    sums: Floats = np.zeros(1)
    for values in choices:
        sums = (sums[:, None] + values).ravel()
    return sums


def _every_split(values: Floats, second: int) -> Floats:
    """mean(second) − mean(first) for every choice of the second side. `values` are centred."""
    chosen = np.array(list(combinations(range(len(values)), second)))
    sums: Floats = values[chosen].sum(axis=1)
    return sums * _weight(len(values), second)


def _weight(n: int, second: int) -> float:
    """Turns the sum of the second side of centred values into the difference of the means: the first sums to minus
    that."""
    return 1 / second + 1 / (n - second)


def _flipped(values: Floats, rng: np.random.Generator) -> Floats:
    flips = (rng.integers(0, 2, size=(rows, len(values)), dtype=np.int8) for rows in _batches(len(values)))
    return np.concatenate([values.sum() - 2 * (flip @ values) for flip in flips])


def _split(groups: Sequence[tuple[Floats, int]], rng: np.random.Generator) -> Floats:
    sums = np.zeros(DRAWS)
    for values, second in groups:
        drawn = [rng.permuted(np.tile(values, (rows, 1)), axis=1) for rows in _batches(len(values))]
        sums += np.concatenate([rows[:, :second].sum(axis=1) for rows in drawn]) * _weight(len(values), second)
    return sums


def _batches(width: int) -> Iterator[int]:
    """How many of the draws to make at a time."""
    most = max(1, BATCH // width)
    for start in range(0, DRAWS, most):
        yield min(most, DRAWS - start)

"""Many tests at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """q values in the order given. A test that was not made (None) stays None and does not count."""
    made = [p for p in p_values if p is not None]
    if not made:
        return [None] * len(p_values)
    order = np.argsort(made)[::-1]
    ranks = np.arange(len(made), 0, -1)
    q = np.empty(len(made))
    q[order] = np.minimum(1.0, np.minimum.accumulate(np.asarray(made)[order] * len(made) / ranks))
    found = iter(q.tolist())
    return [None if p is None else next(found) for p in p_values]


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjusted p values in the order given: a test whose value is at most α is rejected, and the chance of any false
    rejection is at most α. A test that was not made (None) stays None and does not count.

    Reference: Holm (1979), Scandinavian J. Statistics 6(2), 65-70.
    """
    adjusted: list[float | None] = [None] * len(p_values)
    made = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    highest = 0.0
    for rank, (p, place) in enumerate(made):
        highest = max(highest, min(1.0, (len(made) - rank) * p))
        adjusted[place] = highest
    return adjusted


def benjamini_bogomolov(
    p_values: Sequence[float | None], families: Sequence[str]
) -> tuple[list[float | None], dict[str, float]]:
    """q values of tests in families, and of the families: the smallest level at which each is rejected.

    At a level α the families are tested first, each by Simes' combination of its tests, with Benjamini–Hochberg over the
    families; then the tests inside each of the R families (of m) that were rejected, by Benjamini–Hochberg at α·R/m, which
    keeps the expected share of false rejections, averaged over the rejected families, at α.

    Reference: Benjamini & Bogomolov (2014), J. Royal Statistical Society B 76(1), 297-318.
    """
    inside: dict[int, float] = {}
    first: dict[str, float] = {}
    for family in dict.fromkeys(families):
        own = [
            k
            for k, (name, p) in enumerate(zip(families, p_values, strict=True))
            if name == family and p is not None
        ]
        adjusted = benjamini_hochberg([p_values[k] for k in own])
        inside |= {k: q for k, q in zip(own, adjusted, strict=True) if q is not None}
        if own:
            first[family] = min(inside[k] for k in own)  # Simes' p is the smallest q inside
    q_families = {
        f: q for f, q in zip(first, benjamini_hochberg(list(first.values())), strict=True) if q is not None
    }
    m, steps = len(q_families), sorted(q_families.values())
    found: list[float | None] = [None] * len(p_values)
    for k, adjusted_inside in inside.items():
        own_family = q_families[families[k]]
        levels = (max(own_family, step, adjusted_inside * m / r) for r, step in enumerate(steps, 1))
        found[k] = min(1.0, *levels)
    return found, q_families

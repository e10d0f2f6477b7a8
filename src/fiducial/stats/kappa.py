"""Agreement of two raters beyond what chance would give."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fiducial.stats.estimate import Estimate, Measured, Withheld
from fiducial.stats.proportion import Z

LEAST = 2  # cases


def cohens_kappa(
    first: Sequence[float], second: Sequence[float], *, categories: Sequence[float] = (0.0, 0.5, 1.0)
) -> Measured:
    """Cohen's kappa, unweighted: (observed − expected) / (1 − expected agreement).

    The interval uses the large-sample variance of Fleiss, Cohen and Everitt (1969) and is cut at ±1. Where both raters
    gave one and the same label to every case, agreement by chance is certain and kappa has no value.
    """
    if len(first) != len(second):
        raise ValueError("two raters label the same cases")
    n = len(first)
    if n < LEAST:
        return Withheld(f"{n} cases labelled by both; {LEAST} are the least")
    place = {category: k for k, category in enumerate(categories)}
    table = np.zeros((len(categories), len(categories)))
    for a, b in zip(first, second, strict=True):
        table[place[a], place[b]] += 1 / n
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    observed, expected = float(np.trace(table)), float(rows @ columns)
    if math.isclose(expected, 1.0):
        return Withheld("both raters gave every case the same label: there is nothing to agree on beyond chance")
    kappa = (observed - expected) / (1 - expected)
    # Fleiss, Cohen and Everitt 1969, equation 13.
    either = rows[None, :] + columns[:, None]  # of cell (i, j): how often the first says j plus the second i
    on = np.diag(table) * (1 - (rows + columns) * (1 - kappa)) ** 2
    off = table * either**2
    off_diagonal = float(off.sum() - np.trace(off)) * (1 - kappa) ** 2
    spare = (kappa - expected * (1 - kappa)) ** 2
    variance = max(0.0, float(on.sum()) + off_diagonal - spare) / (n * (1 - expected) ** 2)
    half = Z * math.sqrt(variance)
    return Estimate(
        value=kappa,
        low=max(-1.0, kappa - half),
        high=min(1.0, kappa + half),
        n=n,
        method="Cohen's kappa, large-sample interval",
    )

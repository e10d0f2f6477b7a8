"""The older formula, kept for comparison: what a calibration says of it stands beside what it says of ours.

An earlier generation of bias benchmarks asked every question in one fixed option order and took, for each bias,

    susceptibility = |P(biased | treatment) − P(biased | control)|

over all replies of the bias together. There is no interval. A bias is "present" where the number is above a fixed
threshold (0.1 here), and a subject's headline is the mean of its susceptibilities.

Three things follow. An absolute value is never below 0, so replies that differ by chance alone add up to a
susceptibility that is above 0, and more so the fewer there are. A subject that is pushed the other way counts as
susceptible. And the threshold is the same for 15 replies as for 1,500.

It is applied as kindly as it can be: the replies are read by our reader, the two arms are the ones we compare, and a
number on a scale counts by its place between the two ends rather than as a yes or no. Prices and calibration
questions have no P(biased | control); they are left out.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from fiducial.bias.effects import Table
from fiducial.bias.paradigms import paradigm
from fiducial.bias.source import BiasSource

PRESENT = 0.1
"""A susceptibility above this was called a bias."""
ORDER = 0
"""The one order in which options were listed."""


class Susceptibility(Struct, frozen=True):
    """The older result of one bias."""

    bias: str
    value: float

    @property
    def present(self) -> bool:
        """Whether the older benchmark would have reported the bias."""
        return self.value > PRESENT


def susceptibilities(source: BiasSource, table: Table) -> list[Susceptibility]:
    """The older result of every bias that has one; a bias of which an arm has no read reply has none."""
    owner = np.array([block.bias for block in source.standard])[table.item]
    used = (table.order == ORDER) & ~np.isnan(table.score)
    found = []
    for bias in source.biases.values():
        if paradigm(bias.paradigm).contrast != "difference":
            continue
        own = used & (owner == bias.id)
        treated, control = (table.score[own & (table.sign == sign)] for sign in (1, -1))
        if len(treated) and len(control):
            found.append(Susceptibility(bias.id, abs(float(treated.mean() - control.mean()))))
    return found

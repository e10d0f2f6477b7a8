"""Robustness: paraphrases and irrelevant changes. Is the effect stable? The text need not be.

Each change stands in both arms. What is estimated is the SD of the true effect between wordings of one item, sampling noise
removed: the repetitions are split in two halves, and the deviations of the wordings' effects in one half are multiplied with
those in the other. Noise is independent in the two halves, so the products have the variance between wordings as their mean.
"""

from __future__ import annotations

import re
from collections import defaultdict
from math import sqrt

import msgspec
import numpy as np

from fiducial.bias.block import Arm, Block
from fiducial.bias.item import BiasInfo
from fiducial.bias.protocols.base import compared, texts, variant
from fiducial.bias.protocols.made import make_result, row
from fiducial.bias.protocols.result import ProtocolResult
from fiducial.bias.protocols.seen import ItemKey, Place, Seen
from fiducial.stats.estimate import Estimate, Measured, Withheld

NAME = "robustness"
PLAIN, REPHRASED, LINES = "plain", "rephrased", "lines"


class Robustness:
    """The protocol, at one intensity."""

    name = NAME

    def __init__(self, *, at: str) -> None:
        self._at = at

    def blocks(self, bias: BiasInfo, block: Block) -> list[Block] | str:
        """The item as it is, and once for every change; a paraphrase where somebody has written one."""
        arms = compared(block, self._at)
        changes = [PLAIN, *texts(NAME), LINES, *([REPHRASED] if block.rephrased else [])]
        return [variant(block, NAME, c, [_changed(block, arm, c) for arm in arms]) for c in changes]

    def estimate(self, seen: Seen) -> ProtocolResult:
        """The SD between wordings; the effect in each, and what each changes."""
        names = list(dict.fromkeys(block.variant for block in seen.blocks))
        rows = [row("wording", name, seen.contrast({Place(name): 1.0})) for name in names]
        rows += [
            row("change against plain", name, seen.contrast({Place(name): 1.0, Place(PLAIN): -1.0}), scale=2.0)
            for name in names
            if name != PLAIN
        ]
        products = _products(seen)
        spread = seen.over(products)
        result = make_result(
            NAME,
            seen,
            spread,
            estimand="SD of the effect between wordings of an item, sampling noise removed",
            rows=rows,
        )
        return msgspec.structs.replace(
            result,
            estimate=_root(result.estimate, bool(products)),
            by_bias={bias: _root(found, bool(products)) for bias, found in result.by_bias.items()},
        )


def _changed(block: Block, arm: Arm, change: str) -> Arm:
    if change == PLAIN:
        return arm
    if change == REPHRASED:
        return msgspec.structs.replace(arm, text=block.rephrased[arm.name])
    if change == LINES:
        return msgspec.structs.replace(arm, text=re.sub(r"(?<=[a-z][.?!]) (?=[A-Z])", "\n", arm.text))
    said = texts(NAME)[change]
    text = f"{said['before']}\n\n{arm.text}" if "before" in said else f"{arm.text}\n\n{said['after']}"
    return msgspec.structs.replace(arm, text=text)


def _products(seen: Seen) -> dict[ItemKey, float]:
    """For every item the covariance of its wordings' effects between the two halves of the repetitions."""
    halves = [
        Seen(seen.biases, seen.blocks, [a for a in seen.answers if a.repetition % 2 == half]).effects
        for half in (0, 1)
    ]
    wordings: dict[ItemKey, list[tuple[float, float]]] = defaultdict(list)
    for (item, at), value in halves[0].items():
        if (item, at) in halves[1]:
            wordings[item].append((value, halves[1][item, at]))
    return {item: float(np.cov(np.array(pairs).T)[0, 1]) for item, pairs in wordings.items() if len(pairs) > 1}


def _root(found: Measured, halves: bool) -> Measured:
    """A variance with its interval as an SD; what lies below zero is zero."""
    if isinstance(found, Withheld):
        return found if halves else Withheld("the SD between wordings needs at least 2 repetitions (--trials 2)")
    value, low, high = (sqrt(max(0.0, x)) for x in (found.value, found.low, found.high))
    return Estimate(value=value, low=low, high=high, n=found.n, method=f"{found.method}, on variances")

"""The metrics on a large run: effects, the six metrics and their intervals from a million scored replies.

`python -m benchmarks.metrics [--readings N]`: seconds and peak memory for the core battery with every arm and debiasing
method, and for its calibration questions alone, whose intervals are bootstrapped. Scores are drawn at random and put into
the columns of the tally, so that nothing but the estimates is timed.
"""

from __future__ import annotations

import argparse
import resource
import time
from array import array
from collections import Counter

import numpy as np
from msgspec import Struct

from fiducial.bias.block import CertaintyKey, ChoiceKey, Key, ScaleKey
from fiducial.bias.estimates import estimate_biases, position_preference
from fiducial.bias.load import packaged_battery
from fiducial.bias.metrics import calibration_awareness
from fiducial.bias.reading import Tally
from fiducial.bias.source import KNOWN_ARMS, BiasSource, battery_source

UNREAD = 0.02


class Cell(Struct, frozen=True):
    """One prompt of the plan: item, arm and option order by their places."""

    item: int
    arm: int
    order: int
    bias: str
    name: str
    key: Key
    options: int


def cells_of(source: BiasSource) -> list[Cell]:
    """Every prompt that the battery has."""
    return [
        Cell(item, place, order, block.bias, arm.name, arm.key, len(arm.options))
        for item, block in enumerate(source.blocks.values())
        for place, arm in enumerate(block.arms.values())
        for order in range(block.orders())
    ]


def drawn_tally(source: BiasSource, readings: int, *, seed: int = 1) -> Tally:
    """So many scored replies, one round of all prompts after the other; one in fifty could not be read."""
    rng = np.random.default_rng(seed)
    cells = cells_of(source)
    cell = np.arange(readings) % len(cells)
    certain, scale, choice = (
        np.array([isinstance(c.key, kind) for c in cells])[cell] for kind in (CertaintyKey, ScaleKey, ChoiceKey)
    )
    low, high = (np.array([getattr(c.key, end, 0.0) for c in cells])[cell] for end in ("low", "high"))
    read, share = rng.random(readings) >= UNREAD, rng.random(readings)
    chosen = read & (choice | certain)
    slot = np.where(chosen, rng.integers(0, np.maximum(1, [c.options for c in cells])[cell]), -1)
    number = np.where(read & ~chosen, low + share * (high - low), np.nan)
    confidence = np.where(read & certain, share.round(2), np.nan)
    right = np.where(read & certain, rng.random(readings) < 0.25 + share / 2, -1)
    score = np.select([~read, certain, choice, scale], [np.nan, confidence - right, slot == 0, share], number)

    counted = Tally(source)
    for place in ("item", "arm", "order"):
        counted._ints[place] = array(
            "i", np.array([getattr(c, place) for c in cells], dtype=np.int32)[cell].tobytes()
        )
    for name, ints in (("slot", slot), ("right", right)):
        counted._ints[name] = array("i", ints.astype(np.int32).tobytes())
    first, mass = np.where(slot >= 0, slot == 0, np.nan), np.full(readings, np.nan)
    columns = {"score": score, "number": number, "confidence": confidence, "first": first, "mass": mass}
    for name, floats in columns.items():
        counted._floats[name] = array("d", floats.tobytes())
    replies, known = (np.bincount(cell, weights=x, minlength=len(cells)).astype(int) for x in (None, read))
    for one, n, good in zip(cells, replies.tolist(), known.tolist(), strict=True):
        counts = counted.arms.setdefault((one.bias, one.name), Counter())
        counts.update({"read": good, "unreadable": n - good})
        counted.numbers[one.bias] += good if isinstance(one.key, ScaleKey) else 0
    return counted


def measure(name: str, source: BiasSource, readings: int) -> None:
    """Print one line."""
    counted = drawn_tally(source, readings)
    clusters = [block.cluster for block in counted.blocks]
    wall, cpu = time.perf_counter(), time.process_time()
    estimate_biases(source, counted, arms=list(KNOWN_ARMS), temperature=1.0)
    position_preference(counted)
    calibration_awareness(counted.floats("confidence"), counted.ints("right"), counted.ints("item"), clusters)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name:<12} {len(clusters):>4} items {wall:>6.2f} s {cpu:>6.2f} s CPU   peak {peak:6.0f} MB", flush=True)


def main() -> None:
    """Print one line a battery."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readings", type=int, default=1_000_000)
    readings = parser.parse_args().readings
    print(f"six metrics with intervals from {readings} scored replies")
    core = packaged_battery().select((), tier="core")
    measure("core", battery_source(core, seed=1), readings)
    measure("calibration", battery_source([b for b in core if b.paradigm == "calibration"], seed=1), readings)


if __name__ == "__main__":
    main()

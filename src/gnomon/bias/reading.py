"""Reading and scoring every reply of a run, streamed, so that memory does not grow with the run."""

from __future__ import annotations

import sqlite3
from array import array
from collections import Counter
from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from gnomon.bias.block import Arm, Block, Prompt, ScaleKey
from gnomon.bias.effects import CONTROL_ROW, Table
from gnomon.bias.item import INTENSITIES
from gnomon.bias.read import Option, Reading, read
from gnomon.bias.score import Score, score
from gnomon.bias.source import BiasSource
from gnomon.run.store import Store
from gnomon.run.writer import Writer

BATCH = 2000
WITHOUT_TEXT = {"refused": "refused", "filtered": "refused", "empty": "empty"}


class Scored(Struct, frozen=True):
    """One reply, read and scored."""

    reply: int
    block: Block
    arm: Arm
    order: int
    reading: Reading
    score: Score


def read_reply(text: str, status: str, block: Block, arm: Arm, prompt: Prompt) -> Reading:
    """The reading of one reply. A provider's own refusal or an empty reply needs no reader."""
    if (without := WITHOUT_TEXT.get(status)) is not None and not text.strip():
        return Reading(status="refused" if without == "refused" else "empty", rule=f"provider-{status}")
    if isinstance(arm.key, ScaleKey):
        return read(text, "numeric", prompt=prompt.text, unit=block.unit, low=arm.key.low, high=arm.key.high)
    options = tuple(Option(c.label, c.text) for c in prompt.choices)
    return read(text, "option", options=options, prompt=prompt.text)


def read_run(store: Store, source: BiasSource) -> Iterator[Scored]:
    """Every answered trial in the plan's order."""
    for reply, item, name, order, status, text in store.texts():
        block = source.blocks[item]
        arm = block.arms[name]
        prompt = source.prompt(item, name, order)
        reading = read_reply(text, status, block, arm, prompt)
        yield Scored(reply, block, arm, order, reading, score(reading, arm, prompt))


class Tally:
    """What the estimates need of the scored replies: a few numbers a reply."""

    def __init__(self, source: BiasSource) -> None:
        self.items = {block_id: k for k, block_id in enumerate(source.blocks)}
        self._ints = {name: array("i") for name in ("item", "row", "sign", "order", "slot", "places")}
        self._score = array("d")
        self.arms: dict[tuple[str, str], Counter[str]] = {}
        self.moved: Counter[str] = Counter()
        self.numbers: Counter[str] = Counter()

    def add(self, scored: Scored) -> None:
        """Count one reply."""
        arm, result = scored.arm, scored.score
        columns = self._ints
        columns["item"].append(self.items[scored.block.id])
        columns["row"].append(CONTROL_ROW if arm.intensity is None else INTENSITIES.index(arm.intensity))
        columns["sign"].append(arm.sign)
        columns["order"].append(scored.order)
        columns["slot"].append(-1 if result.slot is None else result.slot)
        columns["places"].append(len(arm.options))
        self._score.append(float("nan") if result.value is None else result.value)
        counts = self.arms.setdefault((scored.block.bias, arm.name), Counter())
        counts["read" if result.value is not None else result.reason or "unreadable"] += 1
        if isinstance(arm.key, ScaleKey) and result.value is not None:
            self.numbers[scored.block.bias] += 1
            self.moved[scored.block.bias] += result.moved

    def table(self) -> Table:
        """The score table."""
        return Table(
            score=np.array(self._score, dtype=np.float64),
            **{name: np.array(self._ints[name], dtype=np.int64) for name in ("item", "row", "sign", "order")},
        )

    def column(self, name: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """One of the columns that only some estimates need: `slot` (-1 where none), `places`."""
        return np.array(self._ints[name], dtype=np.int64)


_INSERT = "INSERT INTO reading VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


def tally(store: Store, source: BiasSource, writer: Writer | None = None) -> Tally:
    """Read and score the run; with a writer, the readings in the run file are replaced by these."""
    counted = Tally(source)
    if writer is None:
        for scored in read_run(store, source):
            counted.add(scored)
        return counted

    def replace(db: sqlite3.Connection) -> None:
        db.execute("DELETE FROM reading")
        batch = []
        for scored in read_run(store, source):
            counted.add(scored)
            batch.append(_row(scored))
            if len(batch) == BATCH:
                db.executemany(_INSERT, batch)
                batch.clear()
        db.executemany(_INSERT, batch)

    writer.transaction(replace)
    return counted


def _row(scored: Scored) -> tuple[object, ...]:
    reading = scored.reading
    text = isinstance(reading.answer, str)
    start, stop = reading.span or (None, None)
    return (
        scored.reply,
        reading.status,
        reading.answer if text else None,
        None if text or reading.answer is None else float(reading.answer),
        reading.confidence,
        start,
        stop,
        reading.rule,
        scored.score.value,
        scored.score.reason,
    )

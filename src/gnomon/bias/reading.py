"""Reading and scoring every reply of a run, streamed, so that memory does not grow with the run."""

from __future__ import annotations

import sqlite3
from array import array
from collections import Counter
from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from gnomon.bias.block import Arm, Block, CertaintyKey, ChoiceKey, Prompt, ScaleKey
from gnomon.bias.effects import COLUMN_OF, Floats, Ints, Table
from gnomon.bias.metrics import Repeats
from gnomon.bias.read import Option, Reading, read
from gnomon.bias.score import Score, score
from gnomon.bias.source import BiasSource
from gnomon.run.store import Store
from gnomon.run.writer import Writer

BATCH = 2000
NO_ANSWER = frozenset({"refused", "filtered", "empty"})


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
    if status in NO_ANSWER and not text.strip():
        return Reading(status="empty" if status == "empty" else "refused", rule=f"provider-{status}")
    if isinstance(arm.key, ChoiceKey | CertaintyKey):
        options = tuple(Option(c.label, c.text) for c in prompt.choices)
        return read(text, "option", options=options, prompt=prompt.text)
    return read(text, "numeric", prompt=prompt.text, unit=block.unit, low=arm.key.low, high=arm.key.high)


def score_reply(reply: int, text: str, status: str, block: Block, arm: Arm, prompt: Prompt, order: int) -> Scored:
    """Read and score one reply."""
    reading = read_reply(text, status, block, arm, prompt)
    return Scored(reply, block, arm, order, reading, score(reading, arm, prompt, unit=block.unit, text=text))


def read_run(store: Store, source: BiasSource) -> Iterator[Scored]:
    """Every answered trial in the plan's order."""
    for reply, item, name, order, status, text in store.texts():
        block = source.blocks[item]
        yield score_reply(reply, text, status, block, block.arms[name], source.prompt(item, name, order), order)


class Tally:
    """What the estimates need of the scored replies: a few numbers a reply.

    Columns, one row a reply: `item` and `arm` (places in the source's blocks and the block's arms), `order`,
    `slot` (of the chosen option, -1 where none), `score`, `number` and `confidence` (NaN where none), `right`
    (1, 0, or -1 where it does not apply).
    """

    def __init__(self, source: BiasSource) -> None:
        self.blocks = list(source.blocks.values())
        self._place = {block_id: k for k, block_id in enumerate(source.blocks)}
        self._arm = [{name: k for k, name in enumerate(block.arms)} for block in self.blocks]
        self._ints = {name: array("i") for name in ("item", "arm", "order", "slot", "right")}
        self._floats = {name: array("d") for name in ("score", "number", "confidence")}
        self.arms: dict[tuple[str, str], Counter[str]] = {}
        self.moved: Counter[str] = Counter()
        self.numbers: Counter[str] = Counter()

    def add(self, scored: Scored) -> None:
        """Count one reply."""
        arm, result = scored.arm, scored.score
        item = self._place[scored.block.id]
        ints, floats = self._ints, self._floats
        ints["item"].append(item)
        ints["arm"].append(self._arm[item][arm.name])
        ints["order"].append(scored.order)
        ints["slot"].append(-1 if result.slot is None else result.slot)
        ints["right"].append(-1 if result.right is None else result.right)
        floats["score"].append(_nan(result.value))
        floats["number"].append(_nan(result.number))
        floats["confidence"].append(_nan(scored.reading.confidence))
        counts = self.arms.setdefault((scored.block.bias, arm.name), Counter())
        counts["read" if result.value is not None else result.reason or "unreadable"] += 1
        if isinstance(arm.key, ScaleKey) and result.value is not None:
            self.numbers[scored.block.bias] += 1
            self.moved[scored.block.bias] += result.moved

    def ints(self, name: str) -> Ints:
        """A column of whole numbers."""
        return np.array(self._ints[name], dtype=np.int64)

    def floats(self, name: str) -> Floats:
        """A column of numbers."""
        return np.array(self._floats[name], dtype=np.float64)

    def table(self) -> Table:
        """The score table that effects are made from."""
        item, arm = self.ints("item"), self.ints("arm")
        width = max(len(block.arms) for block in self.blocks)
        column, sign = np.zeros((2, len(self.blocks), width), dtype=np.int64)
        for k, block in enumerate(self.blocks):
            for a, one in enumerate(block.arms.values()):
                column[k, a], sign[k, a] = COLUMN_OF[one.column], one.sign
        return Table(
            item=item,
            column=column[item, arm],
            sign=sign[item, arm],
            order=self.ints("order"),
            score=self.floats("score"),
        )

    def repeats(self) -> Repeats:
        """What response consistency is made from."""
        item, arm, order = (self.ints(name) for name in ("item", "arm", "order"))
        width = max(len(block.arms) for block in self.blocks)
        orders = int(order.max()) + 1 if len(order) else 1
        return Repeats(
            item=item,
            cell=(item * width + arm) * orders + order,
            slot=self.ints("slot"),
            number=self.floats("number"),
        )


def _nan(value: float | None) -> float:
    return float("nan") if value is None else value


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

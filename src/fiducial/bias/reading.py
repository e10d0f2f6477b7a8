"""Reading and scoring every reply of a run, streamed, so that memory does not grow with the run."""

from __future__ import annotations

import sqlite3
from array import array
from collections import Counter
from collections.abc import Iterator
from functools import cached_property, partial

import msgspec
import numpy as np
from msgspec import Struct

from fiducial.bias.answered import or_fault, read_and_score, read_reply
from fiducial.bias.block import STANDARD, Arm, Block, ChoiceKey, Prompt, ScaleKey
from fiducial.bias.effects import COLUMN_OF, Floats, Ints, Table
from fiducial.bias.judging import appointed_reader, case_of, first_try, left_open, verdict_of
from fiducial.bias.likelihood import read_letters
from fiducial.bias.metrics import Repeats
from fiducial.bias.read import Reading
from fiducial.bias.score import Score, score
from fiducial.bias.source import BiasSource
from fiducial.errors import FAULT
from fiducial.judge.asking import said_by
from fiducial.judge.verdict import Invalid
from fiducial.run.store import Store, Text
from fiducial.run.writer import Writer

BATCH = 2000
JUDGE_INVALID = "judge_invalid"


class Scored(Struct, frozen=True):
    """One reply, read and scored. `judge` says what became of it with a judge, where one was asked:
    `decided`, `none` (it commits to nothing) or `invalid`."""

    reply: int
    block: Block
    arm: Arm
    order: int
    reading: Reading
    score: Score
    judge: str | None = None
    repetition: int = 0


def score_reply(
    reply: int, text: str, status: str, block: Block, arm: Arm, prompt: Prompt, order: int, repetition: int = 0
) -> Scored:
    """Read and score one reply by rules alone."""
    reading, scored = read_and_score(text, status, block, arm, prompt)
    return Scored(reply, block, arm, order, reading, scored, repetition=repetition)


class RunReader:
    """Reads the replies of a run: by rules, and where they leave it open by the run's judge, if it has one."""

    def __init__(self, store: Store, source: BiasSource) -> None:
        self._store, self._source = store, source
        self._judge = appointed_reader(store)

    @cached_property
    def _said(self) -> dict[str, list[str]]:
        """Looked up when the first reply is left open: a page that shows a few replies may have none."""
        return said_by(self._store, self._judge) if self._judge else {}

    def __iter__(self) -> Iterator[Scored]:
        return map(self.scored, self._store.texts())

    def scored(self, row: Text) -> Scored:
        """One reply, read and scored."""
        block, arm, prompt = self._asked(row)
        if self._source.read == "logprobs" and isinstance(arm.key, ChoiceKey):
            reading, scored = or_fault(partial(read_letters, row.tokens, prompt, arm.key))
            return Scored(row.reply, block, arm, row.order, reading, scored, repetition=row.repetition)
        by_rules = score_reply(row.reply, row.text, row.status, block, arm, prompt, row.order, row.repetition)
        if self._judge is None or not left_open(by_rules.reading, arm, row.text):
            return by_rules
        said = self._said.get(first_try(row, self._judge).id) if self._said else None
        if not said:
            return by_rules
        verdict = verdict_of(said, case_of(arm, prompt, row.text))
        if isinstance(verdict, Invalid):
            unread = Score(None, JUDGE_INVALID)
            if verdict.reason.startswith(FAULT):
                by_rules = msgspec.structs.replace(
                    by_rules, reading=Reading(status="unreadable", rule=verdict.reason)
                )
            return msgspec.structs.replace(by_rules, score=unread, judge="invalid")
        if verdict.answer is None:
            return msgspec.structs.replace(by_rules, judge="none")
        reading = Reading(
            status="read",
            answer=verdict.answer,
            confidence=by_rules.reading.confidence,
            span=verdict.span,
            rule="judge",
        )
        return msgspec.structs.replace(
            by_rules,
            reading=reading,
            score=score(reading, arm, prompt, unit=block.unit, text=row.text),
            judge="decided",
        )

    def _asked(self, row: Text) -> tuple[Block, Arm, Prompt]:
        block = self._source.unit(row.item, row.turn)
        return block, block.arms[row.arm], self._source.prompt(row.item, row.arm, row.order, row.turn)

    def left_open(self) -> Iterator[tuple[Text, Arm]]:
        """The replies that a judge may settle."""
        for row in self._store.texts() if self._source.read != "logprobs" else ():
            block, arm, prompt = self._asked(row)
            if left_open(read_reply(row.text, row.status, block, arm, prompt), arm, row.text):
                yield row, arm


class Answer(Struct, frozen=True):
    """One reply of a protocol other than the standard one. `block` has the arms of the reply's turn."""

    block: Block
    arm: Arm
    order: int
    repetition: int
    score: float | None
    reason: str | None


def _answer(scored: Scored) -> Answer:
    found = scored.score
    return Answer(scored.block, scored.arm, scored.order, scored.repetition, found.value, found.reason)


class Tally:
    """What the estimates need of the scored replies: a few numbers a reply. What belongs to other protocols than the
    standard one is kept apart (`answers`).

    Columns, one row a reply: `item` and `arm` (places in the source's blocks and the block's arms), `order`,
    `slot` (of the chosen option, -1 where none), `score`, `number` and `confidence` (NaN where none), `right`
    (1, 0, or -1 where it does not apply), `first` (whether the first place was chosen, or how probable it was), `mass` (the
    share of the probability that lay on options, where probabilities were read).
    """

    def __init__(self, source: BiasSource) -> None:
        self.blocks = source.standard
        self.answers: list[Answer] = []
        self._place = {block.id: k for k, block in enumerate(self.blocks)}
        self._arm = [{name: k for k, name in enumerate(block.arms)} for block in self.blocks]
        self._ints = {name: array("i") for name in ("item", "arm", "order", "slot", "right")}
        self._floats = {name: array("d") for name in ("score", "number", "confidence", "first", "mass")}
        self.arms: dict[tuple[str, str], Counter[str]] = {}
        self.partly: dict[tuple[str, str], float] = {}  # by bias and arm: what of read replies was not read
        self.moved: Counter[str] = Counter()
        self.numbers: Counter[str] = Counter()
        self.judge: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()  # replies on which a reader raised, by exception

    def add(self, scored: Scored) -> None:
        """Count one reply."""
        arm, result = scored.arm, scored.score
        if scored.judge is not None:
            self.judge[scored.judge] += 1
        if scored.reading.rule.startswith(FAULT):
            self.faults[scored.reading.rule.removeprefix(FAULT)] += 1
        if scored.block.protocol != STANDARD:
            self.answers.append(_answer(scored))
            return
        item = self._place[scored.block.id]
        ints, floats = self._ints, self._floats
        ints["item"].append(item)
        ints["arm"].append(self._arm[item][arm.name])
        ints["order"].append(scored.order)
        ints["slot"].append(-1 if result.slot is None else result.slot)
        ints["right"].append(-1 if result.right is None else result.right)
        floats["score"].append(_nan(result.value))
        floats["number"].append(_nan(result.number))
        floats["first"].append(
            _nan(result.first if result.first is not None or result.slot is None else result.slot == 0)
        )
        floats["mass"].append(_nan(result.mass))
        floats["confidence"].append(_nan(scored.reading.confidence))
        counts = self.arms.setdefault((scored.block.bias, arm.name), Counter())
        counts["read" if result.value is not None else result.reason or "unreadable"] += 1
        if result.value is not None and result.mass is not None:
            of = scored.block.bias, arm.name
            self.partly[of] = self.partly.get(of, 0.0) + 1.0 - result.mass
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
        width = max((len(block.arms) for block in self.blocks), default=0)
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
            left=self.left(),
        )

    def left(self) -> Floats | None:
        """The share of each reply's probability that lay on no option; None where no probabilities were read."""
        mass = self.floats("mass")
        return None if np.isnan(mass).all() else np.nan_to_num(1.0 - mass)

    def repeats(self) -> Repeats:
        """What response consistency is made from."""
        item, arm, order = (self.ints(name) for name in ("item", "arm", "order"))
        width = max((len(block.arms) for block in self.blocks), default=0)
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
        for scored in RunReader(store, source):
            counted.add(scored)
        return counted

    def replace(db: sqlite3.Connection) -> None:
        db.execute("DELETE FROM reading")
        batch = []
        for scored in RunReader(store, source):
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
        scored.score.mass if text or reading.answer is None else float(reading.answer),
        reading.confidence,
        start,
        stop,
        reading.rule,
        scored.score.value,
        scored.score.reason,
    )

"""What a rescoring changed: readings, and the effects made from them."""

from __future__ import annotations

import sqlite3

from msgspec import Struct

from fiducial.bias.read import READER_VERSION
from fiducial.bias.result import Effect, RunResult
from fiducial.run.store import Store

EXAMPLES = 12

_KIND = """CASE WHEN b.score IS NULL AND r.score IS NOT NULL THEN 'newly read'
                WHEN b.score IS NOT NULL AND r.score IS NULL THEN 'no longer read'
                WHEN b.score IS NULL AND b.reason IS NOT r.reason THEN 'unread for another reason'
                WHEN b.answer IS NOT r.answer OR b.number IS NOT r.number THEN 'another answer'
                WHEN b.score IS NOT r.score THEN 'another score' END"""
_JOINED = """reading r JOIN was_read b ON b.reply = r.reply JOIN reply ON reply.id = r.reply
             JOIN trial ON trial.seq = reply.trial"""


class Example(Struct, frozen=True, kw_only=True):
    """One reply that is read otherwise now. Answers are as they stand in the run file, or the reason for none."""

    trial: str
    item: str
    arm: str
    kind: str
    before: str | None
    now: str | None
    rule: str


class EffectChange(Struct, frozen=True, kw_only=True):
    """An effect that moved; None where it was, or is, withheld."""

    id: str
    before: float | None
    now: float | None


class Changes(Struct, frozen=True, kw_only=True):
    """The difference between two scorings of the same replies."""

    reader_before: str | None
    reader_now: str
    readings: int
    changed: dict[str, int]
    examples: list[Example]
    effects: list[EffectChange]


def remember(db: sqlite3.Connection) -> None:
    """Keep the readings as they are, for `readings_changed`, as long as the connection lives."""
    db.execute("DROP TABLE IF EXISTS temp.was_read")
    db.execute("CREATE TEMP TABLE was_read AS SELECT * FROM reading")
    db.execute("CREATE UNIQUE INDEX temp.was_read_reply ON was_read (reply)")


def readings_changed(db: sqlite3.Connection) -> tuple[int, dict[str, int], list[Example]]:
    """How many readings there were before, how many changed in which way, and a few of each kind."""
    readings = int(db.execute("SELECT count(*) FROM was_read").fetchone()[0])
    kinds = {
        kind: n
        for kind, n in db.execute(f"SELECT {_KIND} AS kind, count(*) FROM {_JOINED} GROUP BY kind")
        if kind is not None
    }
    rows = db.execute(
        f"""SELECT trial, item, arm, kind, coalesce(was, was_number, was_reason), coalesce(now, now_number, now_reason), rule
            FROM (SELECT trial.id AS trial, item, arm, {_KIND} AS kind, r.rule AS rule,
                         b.answer AS was, b.number AS was_number, b.reason AS was_reason,
                         r.answer AS now, r.number AS now_number, r.reason AS now_reason,
                         row_number() OVER (PARTITION BY {_KIND} ORDER BY r.reply) AS nth FROM {_JOINED})
            WHERE kind IS NOT NULL AND nth <= ? ORDER BY kind, nth""",
        (max(1, EXAMPLES // max(1, len(kinds))),),
    ).fetchall()
    examples = [
        Example(
            trial=row[0], item=row[1], arm=row[2], kind=row[3], before=_text(row[4]), now=_text(row[5]), rule=row[6]
        )
        for row in rows
    ]
    return readings, kinds, examples


def _text(value: object) -> str | None:
    return None if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def scored_as(result: RunResult) -> dict[str, object]:
    """What to store of a scoring, so that the next one can say what it changed."""
    return {
        "reader": READER_VERSION,
        "effects": {b.id: b.effect.value if isinstance(b.effect, Effect) else None for b in result.biases},
    }


def changes(store: Store, result: RunResult, found: tuple[int, dict[str, int], list[Example]]) -> Changes | None:
    """What is different from the scoring before; None where there was none."""
    earlier = store.meta("scored")
    if earlier is None:
        return None
    now: dict[str, float | None] = {
        b.id: b.effect.value if isinstance(b.effect, Effect) else None for b in result.biases
    }
    before: dict[str, float | None] = earlier["effects"]
    readings, changed, examples = found
    return Changes(
        reader_before=earlier["reader"],
        reader_now=READER_VERSION,
        readings=readings,
        changed=changed,
        examples=examples,
        effects=[
            EffectChange(id=id, before=before.get(id), now=value)
            for id, value in now.items()
            if before.get(id) != value
        ],
    )

"""Looking through a run file, page by page: which trials fit, and what came of each.

Pages are cut in the database. A page begins after, or ends before, a place in the order of the plan (`seq`), so the
thousandth page costs what the first one does, and trials that are added meanwhile move nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from fiducial.run.store import CURRENT, SUBJECT, Store, Text

WAITING = "waiting"  # instead of a reply's status: the trial has no reply yet
STATUSES = ("ok", "truncated", "empty", "refused", "filtered", "failed", WAITING)
READINGS = ("read", "ambiguous", "refused", "unreadable", "empty")
SCORED, UNSCORED, BY_JUDGE = "scored", "unscored", "judge"
WITHDRAWN = "withdrawn:"  # what is no longer asked has this before its role
PAGE = 50


class Filter(Struct, frozen=True, kw_only=True):
    """Which trials. None asks for nothing; an empty tuple fits no trial.

    `reply` is the status of the trial's reply, `reading` that of the stored reading (or whether it has a score, or was
    made by a judge), `text` stands in the reply, whatever the case of its ASCII letters. Without a role, trials that were
    withdrawn are left out.
    """

    role: str | None = None
    items: tuple[str, ...] | None = None
    arms: tuple[str, ...] | None = None
    order: int | None = None
    repetition: int | None = None
    turn: int | None = None
    reply: str | None = None
    reading: str | None = None
    text: str = ""


class Stored(Struct, frozen=True, kw_only=True):
    """A stored reading. `number` is the answer where that is a number."""

    status: str
    answer: str | None
    number: float | None
    confidence: float | None
    span: tuple[int, int] | None
    rule: str
    score: float | None
    reason: str | None


class Row(Struct, frozen=True, kw_only=True):
    """A trial with its current reply, where it has one, and what is stored of the reading."""

    seq: int
    trial: str
    role: str
    item: str
    arm: str
    order: int
    repetition: int
    turn: int
    reply: int | None
    status: str
    text: str = ""
    model: str = ""
    failure: str | None = None
    reading: Stored | None = None


class Page(Struct, frozen=True):
    """Rows in the order of the plan, and whether there are more before and after them."""

    rows: list[Row]
    earlier: bool
    later: bool


class Roles(Struct, frozen=True):
    """Who was asked how many trials, and the arms that the subject's trials have."""

    trials: dict[str, int]
    arms: tuple[str, ...]


_BETWEEN = "LEFT JOIN reply ON reply.trial = trial.seq AND " + CURRENT
_READ = "LEFT JOIN reading ON reading.reply = reply.id"
_ROW = """trial.seq, trial.id AS trial_id, role, item, arm, option_order, repetition, turn, reply.id AS reply_id, model,
          reply.status AS reply_status, text, failure, reading.status AS reading_status, answer, number, confidence,
          start, stop, rule, score, reason"""


def page(
    store: Store, wanted: Filter, *, after: int | None = None, before: int | None = None, limit: int = PAGE
) -> Page:
    """The first trials that fit after a place in the plan, or the last ones before it; without a place, the first."""
    if before is not None:
        rows = _rows(store, wanted, "trial.seq < ?", before, "DESC", limit + 1)
        cut = rows[:limit][::-1]
        return Page(cut, len(rows) > limit, _any(store, wanted, "trial.seq >= ?", before))
    start = -1 if after is None else after
    rows = _rows(store, wanted, "trial.seq > ?", start, "ASC", limit + 1)
    return Page(rows[:limit], after is not None and _any(store, wanted, "trial.seq <= ?", start), len(rows) > limit)


def count(store: Store, wanted: Filter) -> int:
    """How many trials fit."""
    joined, where, args = _conditions(wanted)
    found = store.db.execute(f"SELECT count(*) FROM trial {joined} WHERE {where}", args).fetchone()[0]
    return int(found)


def neighbours(store: Store, wanted: Filter, seq: int) -> tuple[int | None, int | None]:
    """The replies before and after a place in the plan, among the trials that fit and have one."""
    _, where, args = _conditions(wanted)
    joined = (
        f"{_BETWEEN.replace('LEFT', 'CROSS', 1)} {_READ}"  # in this order, trial by trial: the nearest is close by
    )
    found = []
    for side, way in (("trial.seq < ?", "DESC"), ("trial.seq > ?", "ASC")):
        row = store.db.execute(
            f"""SELECT reply.id FROM trial {joined} WHERE {where} AND {side}
                ORDER BY trial.seq {way} LIMIT 1""",
            (*args, seq),
        ).fetchone()
        found.append(None if row is None else int(row[0]))
    return found[0], found[1]


def roles(store: Store) -> Roles:
    """Who was asked, the subject first. Arms of judges are hashes and no use to anybody."""
    rows = store.db.execute(
        "SELECT role, CASE role WHEN ? THEN arm END AS of, count(*) FROM trial GROUP BY role, of ORDER BY role, of",
        (SUBJECT,),
    ).fetchall()
    trials: dict[str, int] = {}
    for role, _, n in sorted(rows, key=lambda row: (row[0] != SUBJECT, row[0].startswith(WITHDRAWN), row[0])):
        trials[role] = trials.get(role, 0) + n
    return Roles(trials, tuple(arm for role, arm, _ in rows if role == SUBJECT))


def waiting(store: Store) -> bool:
    """Whether a trial of the run has no reply yet; looked for from the end, where the last ones are."""
    found = store.db.execute(
        """SELECT EXISTS (SELECT 1 FROM trial WHERE role IN (SELECT value FROM json_each(?))
                          AND NOT EXISTS (SELECT 1 FROM reply WHERE reply.trial = trial.seq) ORDER BY seq DESC)""",
        (_list(store.roles()),),
    ).fetchone()[0]
    return bool(found)


def unread(store: Store) -> bool:
    """Whether the subject has replies that came after its replies were last read and stored, or none ever was.

    Replies are only ever added, so whatever is older than the newest one that was read has been looked at.
    """
    last = store.db.execute("SELECT max(reply) FROM reading").fetchone()[0]
    found = store.db.execute(
        """SELECT EXISTS (SELECT 1 FROM reply JOIN trial ON trial.seq = reply.trial
                          WHERE reply.id > ? AND reply.status != 'failed' AND role = ?)""",
        (-1 if last is None else last, SUBJECT),
    ).fetchone()[0]
    return bool(found)


def texts_of(store: Store, replies: Sequence[int]) -> list[Text]:
    """What reading these replies needs of them, in the order of the plan; failures have nothing to read."""
    rows = store.db.execute(
        """SELECT reply.id, trial.id, item, arm, option_order, turn, reply.status, text, repetition, tokens
           FROM reply JOIN trial ON trial.seq = reply.trial
           WHERE reply.id IN (SELECT value FROM json_each(?)) AND reply.status != 'failed' ORDER BY trial.seq""",
        (_list(replies),),
    )
    return [Text._make(row) for row in rows]


def followers(store: Store, trials: Sequence[str]) -> list[Row]:
    """The trials that follow the replies of these, with what came of them: later turns, and judges of them."""
    rows = store.db.execute(
        f"""SELECT {_ROW} FROM trial {_BETWEEN} {_READ}
            WHERE trial.parent IN (SELECT value FROM json_each(?)) ORDER BY trial.seq""",
        (_list(trials),),
    )
    return [_row(row) for row in rows]


def trial_row(store: Store, trial: str) -> Row | None:
    """A trial by its id, with what came of it."""
    row = store.db.execute(f"SELECT {_ROW} FROM trial {_BETWEEN} {_READ} WHERE trial.id = ?", (trial,)).fetchone()
    return None if row is None else _row(row)


def _rows(store: Store, wanted: Filter, side: str, place: int, way: str, limit: int) -> list[Row]:
    _, where, args = _conditions(wanted)
    rows = store.db.execute(
        f"""SELECT {_ROW} FROM trial {_BETWEEN} {_READ}
            WHERE {where} AND {side} ORDER BY trial.seq {way} LIMIT ?""",
        (*args, place, limit),
    )
    return [_row(row) for row in rows]


def _any(store: Store, wanted: Filter, side: str, place: int) -> bool:
    joined, where, args = _conditions(wanted)
    found = store.db.execute(
        f"SELECT EXISTS (SELECT 1 FROM trial {joined} WHERE {where} AND {side})", (*args, place)
    ).fetchone()[0]
    return bool(found)


def _conditions(wanted: Filter) -> tuple[str, str, list[object]]:
    """The joins that the conditions need, the conditions, and what goes into them."""
    where: list[str] = []
    args: list[object] = []

    def add(condition: str, *values: object) -> None:
        where.append(condition)
        args.extend(values)

    if wanted.role is None:
        add("substr(role, 1, ?) != ?", len(WITHDRAWN), WITHDRAWN)
    else:
        add("role = ?", wanted.role)
    for column, names in (("item", wanted.items), ("arm", wanted.arms)):
        if names is not None:
            add(f"{column} IN (SELECT value FROM json_each(?))", _list(names))
    numbers = {"option_order": wanted.order, "repetition": wanted.repetition, "turn": wanted.turn}
    for column, number in numbers.items():
        if number is not None:
            add(f"{column} = ?", number)
    if wanted.reply == WAITING:
        add("reply.id IS NULL")
    elif wanted.reply is not None:
        add("reply.status = ?", wanted.reply)
    if wanted.text:
        add(r"reply.text LIKE ? ESCAPE '\'", _like(wanted.text))
    if wanted.reading in (SCORED, UNSCORED):
        add(f"reading.reply IS NOT NULL AND reading.score IS {'NOT ' if wanted.reading == SCORED else ''}NULL")
    elif wanted.reading == BY_JUDGE:
        add("reading.rule = ?", BY_JUDGE)
    elif wanted.reading is not None:
        add("reading.status = ?", wanted.reading)
    read = wanted.reading is not None
    joined = f"{_BETWEEN if read or wanted.reply or wanted.text else ''} {_READ if read else ''}"
    return joined, " AND ".join(where), args


def _like(text: str) -> str:
    """The pattern that finds this text anywhere, whatever signs it holds."""
    for sign in ("\\", "%", "_"):
        text = text.replace(sign, f"\\{sign}")
    return f"%{text}%"


def _list(values: Sequence[object]) -> str:
    """As one parameter, however many there are."""
    return msgspec.json.encode(values).decode()


def _row(row: sqlite3.Row) -> Row:
    return Row(
        seq=row["seq"],
        trial=row["trial_id"],
        role=row["role"],
        item=row["item"],
        arm=row["arm"],
        order=row["option_order"],
        repetition=row["repetition"],
        turn=row["turn"],
        reply=row["reply_id"],
        status=row["reply_status"] or WAITING,
        text=row["text"] or "",
        model=row["model"] or "",
        failure=row["failure"],
        reading=None if row["rule"] is None else _reading(row),
    )


def _reading(row: sqlite3.Row) -> Stored:
    return Stored(
        status=row["reading_status"],
        answer=row["answer"],
        number=row["number"] if row["answer"] is None else None,
        confidence=row["confidence"],
        span=None if row["start"] is None else (row["start"], row["stop"]),
        rule=row["rule"],
        score=row["score"],
        reason=row["reason"],
    )

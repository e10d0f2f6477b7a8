"""Reading a run file: settings, trials, replies, readings. Any number of readers, also while it is written."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Struct

from fiducial.errors import DamagedFile, UsageError
from fiducial.model.reply import Reported, Token
from fiducial.model.request import Settings
from fiducial.run import schema
from fiducial.run.bodies import assemble
from fiducial.run.plan import Plan, Trial

DEFAULT_FOLDER = Path("runs")
SUBJECT = "subject"  # the role of the model that is measured

_TRIAL = "trial.seq, trial.id, item, item_hash, arm, option_order, repetition, turn, parent"
_REPLY = f"""{_TRIAL}, role, reply.id AS reply_id, model, status, text, asked, not_sent, reported, tokens, failure, message,
             http_status, attempts, started, seconds, cost, reused, body"""
ANSWERED = "EXISTS (SELECT 1 FROM reply WHERE reply.trial = trial.seq AND reply.status != 'failed')"
# The newest row that is not a failure, else the newest failure: there is none that comes before it in this order.
CURRENT = """NOT EXISTS (SELECT 1 FROM reply AS other WHERE other.trial = reply.trial AND other.id != reply.id
             AND (other.status = 'failed', -other.id) < (reply.status = 'failed', -reply.id))"""


_META: dict[str, Any] = {
    "settings": dict[str, Any],
    "facts": dict[str, dict[str, Any]],
    "learned": dict[str, dict[str, str]],
    "judging": dict[str, dict[str, Any]],
    "judges": dict[str, dict[str, Any]],
    "folder": Annotated[str, msgspec.Meta(pattern=r"^[^\x00]*$")],  # no path has a NUL in it
}
_MISFITS = (
    msgspec.MsgspecError,
    LookupError,
    TypeError,
    AttributeError,
    ValueError,
    ArithmeticError,
    RecursionError,
)


class StoredReply(Struct, frozen=True, kw_only=True):
    """A reply as it stands in the run file, with its trial."""

    id: int
    seq: int
    trial: Trial
    role: str
    model: str
    status: str
    text: str
    asked: Settings
    not_sent: tuple[str, ...]
    reported: Reported
    tokens: tuple[Token, ...] | None
    failure: str | None
    message: str | None
    http_status: int | None
    attempts: int
    started: float
    seconds: float
    cost: float | None
    reused: str | None
    body: int | None


class Text(NamedTuple):
    """What reading a reply needs of it; `reply` and `trial` are their ids."""

    reply: int
    trial: str
    item: str
    arm: str
    order: int
    turn: int
    status: str
    text: str
    repetition: int
    tokens: bytes | None = None  # with their log probabilities, as they are stored


class Spoke(NamedTuple):
    """Who answered the trials of a role, how often, and when first and last, in seconds since the epoch."""

    role: str
    model: str
    replies: int
    first: float
    last: float


class Progressed(Struct, frozen=True, kw_only=True):
    """How far a run has come."""

    trials: int
    answered: int
    failed: int  # trials whose newest call failed and that have no reply
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float
    unpriced: int  # replies for which no price is known


class Store:
    """Read access to one run file."""

    def __init__(self, path: Path, *, check: bool = True) -> None:
        self.path = path
        self.db = schema.connect(path, check=check)

    @property
    def name(self) -> str:
        """The run's name: its file name without the ending."""
        return self.path.stem

    def close(self) -> None:
        """Close the file."""
        self.db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        self.close()
        if isinstance(error, _MISFITS):
            # What `schema.connect` cannot check is the content of `meta` (items, documents, settings) and whether it fits
            # the trials. Nearly always it is the file, then; it could be us.
            what = f"what it holds does not fit together ({type(error).__name__}: {error})"
            raise DamagedFile(
                self.path, f"{what}; otherwise this is a fault of Fiducial, and --debug shows where"
            ) from error

    def meta(self, key: str) -> Any:
        """The value stored under `key`, or None."""
        row = self.db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        try:
            return None if row is None else msgspec.json.decode(row[0], type=_META.get(key, Any) | None)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise DamagedFile(self.path, f"what it says of {key!r} cannot be read: {error}") from error

    def roles(self) -> list[str]:
        """The roles whose trials make up the run: the subject, and the judges it is scored with now."""
        return [SUBJECT, *(self.meta("judging") or {})]

    def progressed(self, role: str | None = None) -> Progressed:
        """Counts over the whole run, or over the calls of one role.

        Of a whole run, trials are those of `roles`; calls, tokens and cost are all that was ever spent on it.
        """
        where, args = ("WHERE role = ?", (role,)) if role else ("", ())
        counted = self.roles() if role is None else [role]
        trials, answered, tried = self.db.execute(
            f"""SELECT count(*), total({ANSWERED}),
                       total(EXISTS (SELECT 1 FROM reply WHERE reply.trial = trial.seq)) FROM trial
                WHERE role IN ({", ".join("?" * len(counted))})""",
            counted,
        ).fetchone()
        calls, tokens_in, tokens_out, cost, unpriced = self.db.execute(
            f"""SELECT total(attempts), total(input_tokens), total(output_tokens), total(cost),
                       total(cost IS NULL AND status != 'failed')
                FROM reply JOIN trial ON trial.seq = reply.trial
                {where or "WHERE 1"} AND reused IS NULL""",
            args,
        ).fetchone()
        return Progressed(
            trials=trials,
            answered=int(answered),
            failed=int(tried - answered),
            calls=int(calls),
            input_tokens=int(tokens_in),
            output_tokens=int(tokens_out),
            cost=cost,
            unpriced=int(unpriced),
        )

    def cached_tokens(self, role: str) -> int:
        """Input tokens that the provider said it had in its cache."""
        found = self.db.execute(
            """SELECT total(json_extract(reported, '$.cached_tokens')) FROM reply
               JOIN trial ON trial.seq = reply.trial WHERE role = ? AND reused IS NULL""",
            (role,),
        ).fetchone()[0]
        return int(found)

    def versions(self, role: str) -> list[str]:
        """The versions of the model that answered, as its provider reported them."""
        rows = self.db.execute(
            """SELECT DISTINCT json_extract(reported, '$.model') AS version FROM reply
               JOIN trial ON trial.seq = reply.trial WHERE role = ? AND version IS NOT NULL ORDER BY version""",
            (role,),
        )
        return [row["version"] for row in rows]

    def pending(self, *, role: str, turn: int, after: int = -1, limit: int = 1000) -> list[tuple[int, Trial, str]]:
        """Trials without a reply whose earlier turn has one: (seq, trial, key), in order of sending."""
        rows = self.db.execute(
            f"""SELECT {_TRIAL}, key FROM trial
                WHERE role = ? AND turn = ? AND seq > ? AND NOT {ANSWERED}
                  AND (parent IS NULL OR EXISTS (
                       SELECT 1 FROM trial p JOIN reply r ON r.trial = p.seq
                       WHERE p.id = trial.parent AND r.status != 'failed'))
                ORDER BY seq LIMIT ?""",
            (role, turn, after, limit),
        ).fetchall()
        return [(row["seq"], _trial(row), row["key"]) for row in rows]

    def turns(self, role: str) -> int:
        """The number of turns that the plan has."""
        found = self.db.execute("SELECT max(turn) FROM trial WHERE role = ?", (role,)).fetchone()[0]
        return 0 if found is None else int(found) + 1

    def history(self, trial: Trial) -> tuple[list[str], int | None]:
        """The replies of the earlier turns, oldest first, and the id of the last of them."""
        texts: list[str] = []
        last: int | None = None
        parent, seen = trial.parent, {trial.id}
        while parent is not None:
            if parent in seen:
                raise DamagedFile(self.path, f"the trial {parent} follows itself")
            seen.add(parent)
            row = self.db.execute(
                f"""SELECT reply.id, reply.text, trial.parent FROM trial JOIN reply ON reply.trial = trial.seq
                    WHERE trial.id = ? AND {CURRENT}""",
                (parent,),
            ).fetchone()
            if row is None:
                raise DamagedFile(self.path, f"the trial {parent}, which another one follows, has no reply")
            texts.insert(0, row["text"])
            last = row["id"] if last is None else last
            parent = row["parent"]
        return texts, last

    def replies(self, *, role: str = SUBJECT, failed: bool = False, by_item: bool = False) -> Iterator[StoredReply]:
        """The current reply of every trial in order of the plan, or item by item, streamed.

        Failures only when asked for.
        """
        cursor = self.db.execute(
            f"""SELECT {_REPLY} FROM trial JOIN reply ON reply.trial = trial.seq
                WHERE role = ? AND {CURRENT} {"" if failed else "AND status != 'failed'"}
                ORDER BY {"item, " if by_item else ""}trial.seq""",
            (role,),
        )
        for row in cursor:
            yield _stored(row)

    def reply(self, id: int) -> StoredReply | None:
        """One reply by its id, current or not."""
        row = self.db.execute(
            f"SELECT {_REPLY} FROM reply JOIN trial ON trial.seq = reply.trial WHERE reply.id = ?", (id,)
        ).fetchone()
        return None if row is None else _stored(row)

    def tries(self, seq: int) -> list[StoredReply]:
        """Everything that came of a trial, failures too, oldest first."""
        rows = self.db.execute(
            f"SELECT {_REPLY} FROM reply JOIN trial ON trial.seq = reply.trial WHERE trial.seq = ? ORDER BY reply.id",
            (seq,),
        )
        return [_stored(row) for row in rows]

    def texts(self, *, role: str = SUBJECT) -> Iterator[Text]:
        """The current reply of every answered trial in order of the plan, streamed."""
        rows = self.db.execute(
            f"""SELECT reply.id, trial.id, item, arm, option_order, turn, reply.status, text, repetition, tokens
                FROM trial JOIN reply ON reply.trial = trial.seq
                WHERE role = ? AND {CURRENT} AND status != 'failed' ORDER BY trial.seq""",
            (role,),
        )
        yield from map(Text._make, rows)

    def chats(self, role: str) -> Iterator[tuple[str, str | None, str]]:
        """Of every answered trial its id, its parent and the reply; first repetitions before second ones."""
        rows = self.db.execute(
            f"""SELECT trial.id, trial.parent, text FROM trial JOIN reply ON reply.trial = trial.seq
                WHERE role = ? AND {CURRENT} AND status != 'failed' ORDER BY repetition, trial.seq""",
            (role,),
        )
        yield from map(tuple, rows)

    def spoke(self, prefix: str) -> list[Spoke]:
        """Everybody who answered in a role that begins so, also in roles that the run is no longer scored with."""
        rows = self.db.execute(
            """SELECT role, model, count(*), min(started), max(started) FROM trial JOIN reply ON reply.trial = trial.seq
               WHERE substr(role, 1, length(?)) = ? AND status != 'failed'
               GROUP BY role, model ORDER BY min(started), role""",
            (prefix, prefix),
        )
        return [Spoke._make(row) for row in rows]

    def seconds(self) -> float:
        """From the first call to the last reply, pauses between two sittings included."""
        return float(
            self.db.execute(
                "SELECT coalesce(max(started + seconds) - min(started), 0) FROM reply WHERE reused IS NULL"
            ).fetchone()[0]
        )

    def body(self, part: int) -> bytes:
        """The exact bytes that were sent."""
        try:
            return assemble(self.db, part)
        except (ValueError, TypeError) as error:
            raise DamagedFile(self.path, f"request body {part}: {error}") from error


def _trial(row: sqlite3.Row) -> Trial:
    return Trial(
        id=row["id"],
        item=row["item"],
        item_hash=row["item_hash"],
        arm=row["arm"],
        order=row["option_order"],
        repetition=row["repetition"],
        turn=row["turn"],
        parent=row["parent"],
    )


def _stored(row: sqlite3.Row) -> StoredReply:
    return StoredReply(
        id=row["reply_id"],
        seq=row["seq"],
        trial=_trial(row),
        role=row["role"],
        model=row["model"],
        status=row["status"],
        text=row["text"],
        asked=schema.settings.decode(row["asked"]),
        not_sent=schema.names.decode(row["not_sent"]) if row["not_sent"] else (),
        reported=schema.reported.decode(row["reported"]),
        tokens=schema.tokens.decode(row["tokens"]) if row["tokens"] is not None else None,
        failure=row["failure"],
        message=row["message"],
        http_status=row["http_status"],
        attempts=row["attempts"],
        started=row["started"],
        seconds=row["seconds"],
        cost=row["cost"],
        reused=row["reused"],
        body=row["body"],
    )


def find_run(name: str, folder: Path = DEFAULT_FOLDER) -> Path:
    """The file of a run given by path, or by its name in the folder of runs; the nearest names where none fits."""
    for candidate in (Path(name), folder / name, folder / f"{name}.db"):
        if candidate.is_file():
            return candidate
    known = sorted((p.stem for p in folder.glob("*.db")), key=lambda stem: (name not in stem, stem))
    listed = ", ".join(known[:6]) or "none yet"
    raise UsageError(f"there is no run {name!r} (looked for the file, and in {folder}/). Runs there: {listed}.")


def prepare(path: Path, plan: Plan, meta: dict[str, object], *, role: str = SUBJECT) -> None:
    """Create the run file with its plan, or make sure that an existing one holds this very plan.

    The plan of an existing file is never changed: a run is continued, or it is another run.
    """
    plan_hash = plan.hash()
    if path.exists():
        with Store(path) as store:
            _same_plan(store, plan_hash, meta)
        return

    def write(db: sqlite3.Connection) -> None:
        add_trials(db, plan, role)
        stored = {**meta, "plan_hash": plan_hash}
        db.executemany(
            "INSERT INTO meta VALUES (?, ?)",
            [(key, msgspec.json.encode(value).decode()) for key, value in stored.items()],
        )

    schema.create(path, write)


def add_trials(db: sqlite3.Connection, plan: Plan, role: str) -> None:
    """Append the plan's trials; those that are there already stay as they are."""
    db.executemany(
        "INSERT OR IGNORE INTO trial VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (t.id, role, t.item, t.item_hash, t.arm, t.order, t.repetition, t.turn, t.parent, key)
            for t, key in zip(plan.trials, plan.keys, strict=True)
        ),
    )


def _same_plan(store: Store, plan_hash: str, meta: dict[str, object]) -> None:
    if store.meta("plan_hash") == plan_hash:
        return
    now, then = meta.get("settings"), store.meta("settings")
    differs: Sequence[str] = ()
    if isinstance(now, dict) and isinstance(then, dict):
        differs = [
            f"{key} was {then.get(key)!r}, is {now.get(key)!r}"
            for key in sorted({*now, *then})
            if now.get(key) != then.get(key)
        ]
    raise UsageError(
        f"{store.path}: holds another run ({'; '.join(differs) or 'its items have changed since'}). "
        f"Choose another --out; `--reuse {store.name}` takes over the replies that fit."
    )

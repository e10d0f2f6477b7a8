"""Taking over replies of an earlier run, and playing one back.

A reply fits when the bytes that would be sent, the repetition and the model's name are the same: raising
--trials pays only for the new repetitions.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from fiducial.model.base import Model, ModelBase
from fiducial.model.reply import CallFailed, Reply, Reported, Token
from fiducial.model.request import Request, Settings
from fiducial.run.jobs import Job
from fiducial.run.plan import request_key
from fiducial.run.store import Store, find_run
from fiducial.run.writer import Record

_FIND = """
SELECT reply.status, text, reported, not_sent, asked, tokens, started, seconds, model
FROM part JOIN reply ON reply.body = part.id JOIN trial ON trial.seq = reply.trial
WHERE part.hash = ? AND reply.status != 'failed' AND {where} ORDER BY reply.id LIMIT 1
"""


class Reused:
    """Looks for replies in an earlier run of the same model."""

    def __init__(self, path: Path, model: Model) -> None:
        self._store = Store(path)
        self._model = model

    def learned(self) -> dict[str, str]:
        """What the earlier run found out about the model's API; without it the bytes would differ."""
        known: dict[str, dict[str, str]] = self._store.meta("learned") or {}
        return known.get(self._model.name, {})

    def find(self, job: Job) -> Record | None:
        """The earlier reply to the same bytes at the same repetition, ready to be stored again."""
        body = self._model.encode(job.request)
        row = self._store.db.execute(
            _FIND.format(where="repetition = ? AND model = ?"),
            (hashlib.sha256(body).digest(), job.trial.repetition, self._model.name),
        ).fetchone()
        if row is None:
            return None
        return Record(
            trial=job.seq,
            model=row["model"],
            status=row["status"],
            text=row["text"],
            follows=job.follows,
            body=body,
            prefixes=job.prefixes(),
            asked=msgspec.json.decode(row["asked"], type=Settings),
            not_sent=msgspec.json.decode(row["not_sent"], type=tuple[str, ...]) if row["not_sent"] else (),
            reported=msgspec.json.decode(row["reported"], type=Reported),
            tokens=None if row["tokens"] is None else msgspec.msgpack.decode(row["tokens"], type=tuple[Token, ...]),
            attempts=0,
            started=row["started"],
            seconds=row["seconds"],
            cost=0.0,
            reused=self._store.name,
        )

    def close(self) -> None:
        """Close the earlier run."""
        self._store.close()


class ReplayModel(ModelBase):
    """`replay/RUN`: answers with the replies that an earlier run recorded, in the order they came.

    A request is found by the messages and settings it consists of, whatever wire format carried them;
    the n-th time it is asked, it gets the n-th reply, and it fails when there are no more.
    """

    def __init__(self, path: Path) -> None:
        self.name = f"replay/{path.stem}"
        self._store = Store(path)
        self._given: dict[str, int] = {}

    def encode(self, request: Request) -> bytes:
        """Canonical JSON of the request; nothing is sent anywhere."""
        return msgspec.json.encode(request.wire())

    async def call(self, request: Request) -> Reply:
        """The next recorded reply to the same request."""
        key = request_key(request)
        nth = self._given.get(key, 0)
        row = self._store.db.execute(
            """SELECT reply.status, text, reported, not_sent FROM trial JOIN reply ON reply.trial = trial.seq
               WHERE key = ? AND reply.status != 'failed' ORDER BY repetition, reply.id LIMIT 1 OFFSET ?""",
            (key, nth),
        ).fetchone()
        if row is None:
            raise CallFailed("bad_request", f"{self.name} has {nth} replies to this request, and no more")
        self._given[key] = nth + 1
        return Reply(
            text=row["text"],
            status=row["status"],
            sent=self.encode(request),
            reported=msgspec.json.decode(row["reported"], type=Reported),
            not_sent=msgspec.json.decode(row["not_sent"], type=tuple[str, ...]) if row["not_sent"] else (),
        )

    def facts(self) -> dict[str, str]:
        """Which run is played back."""
        return {"run": self._store.name, "plan_hash": str(self._store.meta("plan_hash"))}


def open_replay(model: str) -> ReplayModel:
    """Opens `replay/RUN`."""
    return ReplayModel(find_run(model))

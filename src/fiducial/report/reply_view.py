"""One trial in full: the prompt as it was sent, the reply with the words that were read, and what is known of the call."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec
from msgspec import Struct

from fiducial.bias.block import CertaintyKey, ChoiceKey, ScaleKey
from fiducial.bias.stored_readings import read_anew
from fiducial.errors import DamagedFile
from fiducial.model.spoken import Spoken, around, spoken
from fiducial.report.excerpt import Piece, excerpt, occurrences
from fiducial.report.numbers import anything, duration
from fiducial.report.replies import Line, Named, Read, Scope, as_read, came_to, kept_read, lines, named
from fiducial.run.browse import Row, followers, trial_row
from fiducial.run.store import SUBJECT, Store, StoredReply

SHOWN = 20_000  # characters of a message, a reply or a body; the rest is in the plain text
VALUE = 400  # characters of a setting
JUDGED = 200  # answers of judges that are listed
SPEAKERS = {"system": "System", "user": "Prompt", "assistant": "Earlier reply", "model": "Earlier reply"}


class Turn(Struct, frozen=True):
    """One message that was sent."""

    who: str
    pieces: list[Piece]
    length: int


class Asked(Struct, frozen=True):
    """A setting that was asked for, and whether it went out."""

    name: str
    value: str
    sent: bool


class Prompt(Struct, frozen=True):
    """What was sent. `note` says where it comes from when it is not simply the messages of the stored body."""

    turns: list[Turn]
    note: str = ""


class ReplyView(Struct, frozen=True, kw_only=True):
    """A trial as its page shows it."""

    reply: StoredReply
    named: Named
    who: str
    prompt: Prompt
    text: list[Piece]
    read: Read | None
    kept: Read | None  # what is stored, where that differs from what is read today
    key: str
    output: str
    asked: list[Asked]
    sent: list[tuple[str, str]]
    reported: list[tuple[str, str]]
    body: list[Piece]
    body_size: int
    started: str
    seconds: str
    parent: Line | None
    later: list[Line]  # turns of the same chat
    judged: list[Line]
    tries: list[StoredReply]  # the other rows of the same trial
    superseded: bool


def reply_view(store: Store, scope: Scope, reply: StoredReply) -> ReplyView:
    """Everything about one reply."""
    trial, body = reply.trial, stored_body(store, reply)
    row = trial_row(store, trial.id)
    read = _read(store, scope, reply)
    kept = kept_read(row.reading) if row and row.reading and row.reply == reply.id else None
    after = followers(store, [trial.id])
    judges = [one for one in after if one.role != reply.role]
    again = followers(store, [one.trial for one in judges])
    parent = trial_row(store, trial.parent) if trial.parent else None
    return ReplyView(
        reply=reply,
        named=named(scope, reply.role, trial.item, trial.arm, trial.order, trial.repetition, trial.turn),
        who="subject" if reply.role == SUBJECT else f"judge: {scope.judges.get(reply.role, reply.role)}",
        prompt=_prompt(store, scope, reply, body),
        text=excerpt(reply.text, [read.span] if read and read.span else [], limit=SHOWN),
        read=read,
        kept=kept if kept and read and _differ(kept, read) else None,
        key=_key(scope, reply),
        output=came_to(scope, reply.role, reply.text) if reply.status != "failed" else "",
        asked=_asked(reply),
        sent=[(name, _value(value)) for name, value in (around(body or b"") or {}).items()],
        reported=[(k.replace("_", " "), _value(v)) for k, v in msgspec.to_builtins(reply.reported).items()],
        body=excerpt(pretty(body), limit=SHOWN) if body else [],
        body_size=len(body or b""),
        started=datetime.fromtimestamp(reply.started, UTC).strftime("%Y-%m-%d %H:%M:%S") if reply.started else "",
        seconds=duration(reply.seconds),
        parent=_line(store, scope, parent),
        later=lines(store, scope, [one for one in after if one.role == reply.role]),
        judged=lines(store, scope, _in_turn(judges, again)[:JUDGED]),
        tries=[one for one in store.tries(reply.seq) if one.id != reply.id],
        superseded=row is not None and row.reply != reply.id,
    )


def stored_body(store: Store, reply: StoredReply) -> bytes | None:
    """The body that was sent; None where there is none, or where it was damaged."""
    if reply.body is None:
        return None
    try:
        return store.body(reply.body)
    except DamagedFile:  # another hash, or a part that is gone: the rest of the page can still be shown
        return None


def pretty(body: bytes) -> str:
    """A body as text, its JSON laid out in lines and otherwise as it is."""
    try:
        return msgspec.json.format(body, indent=2).decode("utf-8", "replace")
    except (msgspec.DecodeError, RecursionError):
        return body.decode("utf-8", "replace")


def whole_prompt(store: Store, scope: Scope, reply: StoredReply) -> str:
    """The prompt as plain text, uncut."""
    said, note = _said(store, scope, reply, stored_body(store, reply))
    head = [f"[{note}]"] if note else []
    return "\n\n".join([*head, *(f"--- {_who(one)} ---\n{one.text}" for one in said)])


def _prompt(store: Store, scope: Scope, reply: StoredReply, body: bytes | None) -> Prompt:
    said, note = _said(store, scope, reply, body)
    turns, user = [], 0
    for one in said:
        marks = []
        if one.role == "user":
            marks = occurrences(one.text, _marked(scope, reply, user))
            user += 1
        turns.append(Turn(_who(one), excerpt(one.text, marks, limit=SHOWN), len(one.text)))
    return Prompt(turns, note)


def _said(store: Store, scope: Scope, reply: StoredReply, body: bytes | None) -> tuple[Sequence[Spoken], str]:
    """The messages, and what there is to say about where they come from."""
    if body is not None:
        found = spoken(body)
        if found is not None:
            return found, ""
        return [
            Spoken("user", body.decode("utf-8", "replace"))
        ], "This is the body as it was sent: it holds no messages that could be told apart."
    missing = (
        "The file holds no request for this trial." if reply.body is None else "The stored request is damaged."
    )
    if scope.source is None or reply.role != SUBJECT or reply.trial.item not in scope.source.blocks:
        return [], missing
    history, _ = store.history(reply.trial)
    made = scope.source.request(reply.trial, history)
    return [Spoken(m.role, m.text) for m in made.messages], f"{missing} This is the prompt as the item makes it."


def _marked(scope: Scope, reply: StoredReply, turn: int) -> tuple[str, ...]:
    """What sets the arm apart in one turn of a chat. A judge is shown no arm."""
    if scope.source is None or reply.role != SUBJECT or turn > reply.trial.turn:
        return ()
    block = scope.source.blocks.get(reply.trial.item)
    arm = block.at(turn).arms.get(reply.trial.arm) if block and turn < block.turns else None
    return arm.marked if arm else ()


def _who(one: Spoken) -> str:
    return SPEAKERS.get(one.role, one.role)


def _read(store: Store, scope: Scope, reply: StoredReply) -> Read | None:
    """Read now, as the result of the run is: a stored reading may be an older one."""
    if scope.source is None or reply.role != SUBJECT or reply.status == "failed":
        return None
    scored = read_anew(store, scope.source, [reply.id]).get(reply.id)
    return as_read(scored) if scored else None


def _key(scope: Scope, reply: StoredReply) -> str:
    """What the arm's key makes of an answer, in words."""
    trial, source = reply.trial, scope.source
    if source is None or reply.role != SUBJECT or trial.item not in source.blocks:
        return ""
    _, arm = source.arm(trial)
    choices = source.prompt(trial.item, trial.arm, trial.order, trial.turn).choices
    labels = {choice.role: choice.label for choice in choices}
    key = arm.key
    if isinstance(key, ChoiceKey):
        right = f"; {labels[key.rational]} is right" if key.rational in labels else ""
        return f"{labels.get(key.biased, key.biased)} counts as 1, any other as 0{right}"
    if isinstance(key, CertaintyKey):
        return f"{labels.get(key.right, key.right)} is right; the score is the stated confidence less 1 or 0"
    if isinstance(key, ScaleKey):
        return f"0 at {key.away:g}, 1 at {key.toward:g}"
    return f"the price itself, from {key.low:g} to {key.high:g}"


def _differ(a: Read, b: Read) -> bool:
    return (a.status, a.answer, a.score, a.reason) != (b.status, b.answer, b.score, b.reason)


def _asked(reply: StoredReply) -> list[Asked]:
    return [
        Asked(name.replace("_", " "), _value(getattr(reply.asked, name)), name not in reply.not_sent)
        for name in reply.asked.names()
    ]


def _value(value: object) -> str:
    """A setting on one line."""
    text = msgspec.json.encode(value).decode() if isinstance(value, dict | list) else anything(value)
    return text if len(text) <= VALUE else f"{text[: VALUE - 1]}…"


def _line(store: Store, scope: Scope, row: Row | None) -> Line | None:
    return lines(store, scope, [row])[0] if row else None


def _in_turn(first: Sequence[Row], again: Sequence[Row]) -> list[Row]:
    """First tries, each with what was asked again after it. They are in the plan's order, and share role and arm."""
    of = [(one, [a for a in again if (a.role, a.arm) == (one.role, one.arm)]) for one in first]
    return [row for one, more in of for row in (one, *more)]

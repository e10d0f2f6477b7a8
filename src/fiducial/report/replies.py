"""The trials of a run as a list shows them: what each was, what was read of its reply, and the words it was read from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from fiducial.bias.block import STANDARD
from fiducial.bias.item import METHODS
from fiducial.bias.reading import Scored
from fiducial.bias.source import BiasSource
from fiducial.bias.source import stored_source as bias_source
from fiducial.bias.stored_readings import read_anew, why_stale
from fiducial.judge.asking import Judge, appointed
from fiducial.report.excerpt import Piece, Range, glimpse
from fiducial.report.numbers import anything
from fiducial.report.words import arm_name, arm_order, method_name
from fiducial.review.judging import read_output
from fiducial.run.browse import WAITING, WITHDRAWN, Roles, Row, Stored, roles, waiting
from fiducial.run.store import SUBJECT, Store

GLIMPSE = 170  # characters of a reply in a list
TASKS = {"read": "reads replies", "genuine": "is it genuine?", "match": "is it found?"}


class Scope(Struct, frozen=True, kw_only=True):
    """What is known of a run that its trials can be named by. `judges` are words for the roles other than the subject.

    `stale` is why stored readings cannot be filtered by; it is empty where they can, and where there are none to speak of.
    """

    instrument: str
    source: BiasSource | None
    roles: Roles
    judges: dict[str, str]
    documents: tuple[str, ...]
    stale: str
    waiting: bool


class Read(Struct, frozen=True, kw_only=True):
    """What was read of a reply. `judge` says what became of it with a judge, where that is known."""

    status: str
    answer: str | float | None
    confidence: float | None
    span: Range | None
    rule: str
    score: float | None
    reason: str | None
    judge: str | None = None


class Named(Struct, frozen=True):
    """A trial in words. `what` is its bias, document or case; `where` tells it from its sisters."""

    what: str
    item: str
    arm: str
    where: tuple[str, ...]
    bias: str = ""


class Line(Struct, frozen=True, kw_only=True):
    """A trial in a list. `reply` is the id of its reply, if it has one."""

    seq: int
    reply: int | None
    role: str
    who: str  # whose reply it is, where not the subject's
    named: Named
    status: str
    failure: str
    read: Read | None
    output: str  # what a reviewer's output came to, or what a judge says
    text: list[Piece]


def scope_of(path: Path) -> Scope:
    """What is known of the run at `path`."""
    with Store(path) as store:
        made = str((store.meta("settings") or {}).get("instrument", ""))
        there = roles(store)
        return Scope(
            instrument=made,
            source=bias_source(store) if made == "bias" else None,
            roles=there,
            judges=judge_words(appointed(store), [role for role in there.trials if role != SUBJECT]),
            documents=tuple(paper["id"] for paper in store.meta("papers") or ()),
            stale=(why_stale(store) or "") if made == "bias" else "",
            waiting=waiting(store),
        )


def judge_words(judges: Sequence[Judge], there: Sequence[str]) -> dict[str, str]:
    """The roles of judges in words; where two would read the same, with the version of the prompt."""
    known = {judge.role: judge for judge in judges}
    told = {}
    for role in there:
        plain = role.removeprefix(WITHDRAWN)
        judge, task = known.get(plain), plain.split(":")[1] if plain.count(":") > 1 else plain
        who = f"{judge.model}, {TASKS.get(task, task)}" if judge else f"an earlier judge, {TASKS.get(task, task)}"
        who += f" ({judge.about})" if judge and judge.about else ""
        told[role] = f"no longer asked: {who}" if role.startswith(WITHDRAWN) else who
    twice = {words for words in told.values() if list(told.values()).count(words) > 1}
    return {role: f"{words}, {role[-12:]}" if words in twice else words for role, words in told.items()}


def named(scope: Scope, role: str, item: str, arm: str, order: int, repetition: int, turn: int) -> Named:
    """A trial in words."""
    tried = (f"try {repetition + 1}",) if repetition else ()
    block = scope.source.blocks.get(item) if scope.source else None
    if block is not None and scope.source is not None:
        how = () if block.protocol == STANDARD else (block.protocol, *filter(None, [block.variant]))
        place = (f"order {order + 1}",) if block.orders() > 1 else ()
        last = tried if role != SUBJECT else (f"repetition {repetition + 1}",)
        asked = (f"turn {turn + 1}",) if role == SUBJECT and block.turns > 1 else ()
        info = scope.source.biases.get(block.bias)
        return Named(
            info.name if info else block.bias, block.item, arm_name(arm), (*how, *place, *last, *asked), block.bias
        )
    if role == SUBJECT:
        return Named(item, "", arm, (f"run {repetition + 1}",))
    where = (f"repeat {order + 1}", *tried) if scope.instrument.startswith("judge") else tried
    return Named(item, "", "", where)


def lines(store: Store, scope: Scope, rows: Sequence[Row], *, search: str = "") -> list[Line]:
    """The rows of a page. Stored readings are taken where they hold, and the replies read anew where they do not."""
    anew = {}
    if scope.source is not None and scope.stale:
        anew = read_anew(store, scope.source, [r.reply for r in rows if r.reply is not None and r.role == SUBJECT])
    return [_line(scope, row, anew.get(row.reply or -1), search) for row in rows]


def _line(scope: Scope, row: Row, scored: Scored | None, search: str) -> Line:
    read = as_read(scored) if scored else kept_read(row.reading) if row.reading and not scope.stale else None
    marks = found(row.text, search) or ([read.span] if read and read.span else [])
    return Line(
        seq=row.seq,
        reply=row.reply,
        role=row.role,
        who=scope.judges.get(row.role, "") if row.role != SUBJECT else "",
        named=named(scope, row.role, row.item, row.arm, row.order, row.repetition, row.turn),
        status=row.status,
        failure=row.failure or "",
        read=read,
        output=came_to(scope, row.role, row.text) if row.status not in (WAITING, "failed") else "",
        text=glimpse(row.text, marks, limit=GLIMPSE),
    )


def came_to(scope: Scope, role: str, text: str) -> str:
    """What a reviewer's output came to, or what a judge says; whether it is believed is decided elsewhere."""
    if role != SUBJECT:
        return _says(text)
    if scope.instrument != "review":
        return ""
    parsed = read_output(text).parsed
    if parsed.status != "findings":
        return parsed.status.replace("_", " ")
    n = len(parsed.findings)
    return f"{n:,} finding{'' if n == 1 else 's'}"


def _says(text: str) -> str:
    try:
        said = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return ""
    named = [said[name] for name in ("verdict", "answer") if isinstance(said, dict) and name in said]
    return f"says {anything(named[0]).replace('_', ' ')}" if named else ""


def found(text: str, search: str) -> list[Range]:
    """Where a search hits a reply first."""
    hit = re.search(re.escape(search), text, re.IGNORECASE) if search else None
    return [hit.span()] if hit else []


def as_read(scored: Scored) -> Read:
    """A reading that was made just now."""
    reading, score = scored.reading, scored.score
    return Read(
        status=reading.status,
        answer=reading.answer,
        confidence=reading.confidence,
        span=reading.span,
        rule=reading.rule,
        score=score.value,
        reason=score.reason,
        judge=scored.judge,
    )


def kept_read(kept: Stored) -> Read:
    """A reading that was stored."""
    return Read(
        status=kept.status,
        answer=kept.number if kept.answer is None else kept.answer,
        confidence=kept.confidence,
        span=kept.span,
        rule=kept.rule,
        score=kept.score,
        reason=kept.reason,
    )


def arm_choices(scope: Scope, bias: str = "") -> list[tuple[str, str]]:
    """Arms to choose among: of a run of many biases what their arms have in common, of one bias its very own too."""
    if scope.source is None:
        return [(arm, arm) for arm in scope.roles.arms]
    asked = set(scope.roles.arms)
    of = [b for b in scope.source.blocks.values() if bias in ("", b.bias)]
    arms = {arm.name: arm.column for b in of for arm in b.arms.values() if arm.name in asked}
    columns = sorted(set(arms.values()), key=_column_order)
    found = [(column, _column_name(column)) for column in columns]
    if bias:
        found += [(arm, arm_name(arm)) for arm in sorted(arms, key=arm_order) if arm not in columns]
    return found


def arms_of(scope: Scope, arm: str) -> tuple[str, ...]:
    """The arms of that name, or all that belong to the comparison of that name."""
    if scope.source is None:
        return (arm,)
    every = [one for block in scope.source.blocks.values() for one in block.arms.values()]
    return tuple(dict.fromkeys(one.name for one in every if arm in (one.name, one.column))) or (arm,)


def _column_order(column: str) -> tuple[int, int, str]:
    return arm_order(f"control+{column}" if column in METHODS else column)


def _column_name(column: str) -> str:
    return f"under {method_name(column)}" if column in METHODS else arm_name(column)


def items_of(scope: Scope, bias: str, item: str) -> tuple[str, ...] | None:
    """The items that a bias and an item's own name stand for; None where neither was named."""
    if not bias and not item:
        return None
    if scope.source is None:
        return (item,) if item else ()
    return tuple(
        block.id
        for block in scope.source.blocks.values()
        if bias in ("", block.bias) and item in ("", block.item, block.id)
    )

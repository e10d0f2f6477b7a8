"""Exports: rows of documented columns as JSON Lines, CSV or Parquet, streamed; and the replies of a run as such rows."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

from fiducial.errors import UsageError
from fiducial.run.columns import Column, Columns, polars_schema, without_texts
from fiducial.run.store import Store

FORMATS = ("jsonl", "csv", "parquet")

READING_STATUS = ("read", "ambiguous", "refused", "unreadable", "empty")

REPLIES: Columns = (
    Column("trial", "text", "id of the trial: a hash of what it asks"),
    Column("role", "text", "`subject`, or `judge:TASK:VERSION` for the calls of a judge"),
    Column("item", "text", "scenario of the battery (with its protocol's variant), document, or case"),
    Column("item_hash", "text", "of the item as this run asked it"),
    Column("arm", "text", "condition of the item, reviewer of a document, or what a judge is asked about"),
    Column("option_order", "integer", "which order of the options was shown, from 0"),
    Column("repetition", "integer", "from 0; of a review, the run"),
    Column("turn", "integer", "of a chat, from 0"),
    Column("model", "text", "who was asked"),
    Column(
        "status",
        "text",
        "what came back",
        values=("ok", "truncated", "empty", "refused", "filtered", "failed"),
    ),
    Column("text", "text", "the reply, raw", nullable=True, written=True),
    Column("asked", "json", "settings that were asked for"),
    Column("not_sent", "json", "settings that the provider rejected and that were left out", nullable=True),
    Column("reported", "json", "what the provider reported: version, finish reason, usage, request id"),
    Column("failure", "text", "kind of failure, where the status is `failed`", nullable=True),
    Column("message", "text", "what was said of the failure", nullable=True, written=True),
    Column("attempts", "integer", "calls that it took"),
    Column("started", "number", "seconds since the epoch, UTC"),
    Column("seconds", "number", "of the attempt that gave the reply"),
    Column("input_tokens", "integer", "as reported", nullable=True),
    Column("output_tokens", "integer", "as reported", nullable=True),
    Column("cost", "number", "US dollars; empty where no price is known", nullable=True),
    Column("reused", "text", "the run that the reply was taken from", nullable=True),
    Column("reading_status", "text", "what was made of it", nullable=True, values=READING_STATUS),
    Column("answer", "text", "the answer that the reply commits to", nullable=True, written=True),
    Column("number", "number", "the answer, where it is a number", nullable=True),
    Column("confidence", "number", "stated beside the answer, 0 to 1", nullable=True),
    Column("span_start", "integer", "first character of what was read, from 0", nullable=True),
    Column("span_end", "integer", "character after the last", nullable=True),
    Column("rule", "text", "the rule that read it; `judge` where a judge did", nullable=True),
    Column("score", "number", "the reading held against the arm's key", nullable=True),
    Column("sent", "text", "the exact request body", nullable=True, written=True),
)
"""One row a reply: failures and superseded replies too, with the reading where there is one."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")

Row = dict[str, Any]


def rows(store: Store, *, texts: bool = True) -> Iterator[Row]:
    """Every reply of the run, failures and superseded ones too, with its reading."""
    cursor = store.db.execute(
        """SELECT trial.id AS trial, role, item, item_hash, arm, option_order, repetition, turn, model,
                  reply.status, text, asked, not_sent, reported, failure, message, attempts, started, seconds,
                  input_tokens, output_tokens, cost, reused, reading.status AS reading_status, answer, number, confidence,
                  start AS span_start, stop AS span_end, rule, score, body
           FROM reply JOIN trial ON trial.seq = reply.trial LEFT JOIN reading ON reading.reply = reply.id
           ORDER BY reply.id"""
    )
    for found in cursor:
        row = dict(found)
        part = row.pop("body")
        row["sent"] = store.body(part).decode("utf-8", "replace") if part is not None and texts else None
        yield row if texts else without_texts(row, REPLIES)


def export(store: Store, target: Path, kind: str, *, texts: bool = True) -> int:
    """Write the replies of the run to `target`; the number of rows."""
    return write_rows(rows(store, texts=texts), REPLIES, target, kind)


def write_rows(found: Iterable[Row], columns: Columns, target: Path, kind: str) -> int:
    """Write rows to `target`; their number. Nothing half-written is left under that name."""
    if kind not in FORMATS:
        raise UsageError(f"--format {kind}: one of {', '.join(FORMATS)}.")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".fiducial-") as folder:
        draft = Path(folder) / target.name
        if kind == "parquet":
            count = _parquet(found, columns, draft)
        else:
            with draft.open("w", encoding="utf-8", newline="") as out:
                count = (_jsonl if kind == "jsonl" else _csv)(found, columns, out)
        draft.replace(target)
    return count


def _jsonl(found: Iterable[Row], columns: Columns, out: IO[str]) -> int:
    documents = [column.name for column in columns if column.kind == "json"]
    count = 0
    for row in found:
        for name in documents:
            row[name] = msgspec.Raw(row[name].encode()) if row[name] else None
        out.write(msgspec.json.encode(row).decode() + "\n")
        count += 1
    return count


def _csv(found: Iterable[Row], columns: Columns, out: IO[str]) -> int:
    writer = csv.DictWriter(out, [column.name for column in columns])
    writer.writeheader()
    count = 0
    for row in found:
        writer.writerow({name: _inert(value) for name, value in row.items()})
        count += 1
    return count


def _inert(value: object) -> object:
    """Text that a spreadsheet would take for a formula gets a quote before it."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _parquet(found: Iterable[Row], columns: Columns, draft: Path) -> int:
    """By way of a JSON Lines file, so that a large run never stands in memory whole."""
    import polars as pl  # noqa: PLC0415 - costs 100 ms that no other command should pay

    lines = draft.with_suffix(".lines")
    count = 0
    with lines.open("wb") as out:
        for row in found:
            out.write(msgspec.json.encode(row) + b"\n")
            count += 1
    schema = polars_schema(columns)
    if count:
        pl.scan_ndjson(lines, schema=schema).sink_parquet(draft)
    else:
        pl.DataFrame(schema=schema).write_parquet(draft)
    return count

"""Exports of a run: JSON Lines, CSV and Parquet, one row a reply, streamed."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

from gnomon.errors import UsageError
from gnomon.run.store import Store

FORMATS = ("jsonl", "csv", "parquet")

_COLUMNS: dict[str, type] = {
    "trial": str,
    "role": str,
    "item": str,
    "item_hash": str,
    "arm": str,
    "option_order": int,
    "repetition": int,
    "turn": int,
    "model": str,
    "status": str,
    "text": str,
    "asked": str,
    "not_sent": str,
    "reported": str,
    "failure": str,
    "message": str,
    "attempts": int,
    "started": float,
    "seconds": float,
    "input_tokens": int,
    "output_tokens": int,
    "cost": float,
    "reused": str,
    "reading_status": str,
    "answer": str,
    "number": float,
    "confidence": float,
    "span_start": int,
    "span_end": int,
    "rule": str,
    "score": float,
    "sent": str,
}
_TEXTS = ("text", "sent", "message", "answer")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def rows(store: Store, *, texts: bool = True) -> Iterator[dict[str, Any]]:
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
        if not texts:
            row.update(dict.fromkeys(_TEXTS))
        yield row


def export(store: Store, target: Path, kind: str, *, texts: bool = True) -> int:
    """Write the run to `target`; the number of rows. Nothing half-written is left under that name."""
    if kind not in FORMATS:
        raise UsageError(f"--format {kind}: one of {', '.join(FORMATS)}.")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".gnomon-") as folder:
        draft = Path(folder) / target.name
        if kind == "parquet":
            count = _parquet(store, draft, texts)
        else:
            with draft.open("w", encoding="utf-8", newline="") as out:
                count = _jsonl(store, out, texts) if kind == "jsonl" else _csv(store, out, texts)
        draft.replace(target)
    return count


def _jsonl(store: Store, out: IO[str], texts: bool) -> int:
    count = 0
    for row in rows(store, texts=texts):
        for name in ("asked", "not_sent", "reported"):
            row[name] = msgspec.Raw(row[name].encode()) if row[name] else None
        out.write(msgspec.json.encode(row).decode() + "\n")
        count += 1
    return count


def _csv(store: Store, out: IO[str], texts: bool) -> int:
    writer = csv.DictWriter(out, list(_COLUMNS))
    writer.writeheader()
    count = 0
    for row in rows(store, texts=texts):
        writer.writerow({name: _inert(value) for name, value in row.items()})
        count += 1
    return count


def _inert(value: object) -> object:
    """Text that a spreadsheet would take for a formula gets a quote before it."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _parquet(store: Store, draft: Path, texts: bool) -> int:
    """By way of a JSON Lines file, so that a large run never stands in memory whole."""
    import polars as pl  # noqa: PLC0415 - costs 100 ms that no other command should pay

    kinds = {str: pl.String, int: pl.Int64, float: pl.Float64}
    lines = draft.with_suffix(".lines")
    count = 0
    with lines.open("wb") as out:
        for row in rows(store, texts=texts):
            out.write(msgspec.json.encode(row) + b"\n")
            count += 1
    schema = {name: kinds[kind]() for name, kind in _COLUMNS.items()}
    if count:
        pl.scan_ndjson(lines, schema=schema).sink_parquet(draft)
    else:
        pl.DataFrame(schema=schema).write_parquet(draft)
    return count

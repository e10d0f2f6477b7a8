"""JSON Lines in, JSON Lines out: the contract of `fiducial bias read --jsonl`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, get_args

import msgspec

from fiducial.bias.read.read import read
from fiducial.bias.read.reading import Kind, Option
from fiducial.errors import UsageError

_KINDS = get_args(Kind)
_decode = msgspec.json.Decoder().decode


def _options(value: Any, where: str) -> list[Option] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise UsageError(f'{where}: "options" is a list of {{"label", "text"}}, or null')
    found = []
    for number, given in enumerate(value, 1):
        entry = {"label": given, "text": given} if isinstance(given, str) else given
        if not isinstance(entry, dict):
            raise UsageError(f'{where}: "options" entry {number} is not an object with "label" and "text"')
        label, text = entry.get("label"), entry.get("text", "")
        if not isinstance(label, str) or not label.strip():
            raise UsageError(f'{where}: "options" entry {number} has no "label"')
        if not isinstance(text, str):
            raise UsageError(f'{where}: "options" entry {number} has a "text" that is not text')
        found.append(Option(label, text))
    return found


def _limit(record: dict[str, Any], name: str, where: str) -> float | None:
    value = record.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
        raise UsageError(f'{where}: "{name}" is {json.dumps(value)}; it is a number or null')
    return value


def _text(record: dict[str, Any], name: str, where: str) -> str | None:
    value = record.get(name)
    if value is not None and not isinstance(value, str):
        raise UsageError(f'{where}: "{name}" is {json.dumps(value)[:60]}; it is text or null')
    return value


def _record(line: str, where: str) -> Any:
    try:
        return _decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        pass  # what only the slower one reads, half a surrogate pair or NaN, or what it says is wrong with the line
    try:
        return json.loads(line)
    except ValueError as error:
        raise UsageError(f"{where}: not JSON ({error})") from error
    except RecursionError as error:
        raise UsageError(f"{where}: brackets are nested too deeply; a line is one flat object") from error


def read_lines(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Read each line's reply, in order. Blank lines are passed over; a broken one raises `UsageError`.

    Beyond the contract a line may carry "unit", "low" and "high", and options may be bare labels.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"line {number}"
        record = _record(line, where)
        if not isinstance(record, dict):
            raise UsageError(f"{where}: not a JSON object")
        for name in ("id", "response", "kind"):
            if name not in record:
                raise UsageError(f'{where}: "{name}" is missing')
        response = record["response"]
        if not isinstance(response, str):
            raise UsageError(f'{where}: "response" is {json.dumps(response)[:60]}; it is text')
        kind = record["kind"]
        if kind not in _KINDS:
            raise UsageError(f'{where}: "kind" is {json.dumps(kind)[:60]}; it is one of {", ".join(_KINDS)}')
        reading = read(
            response,
            kind,
            options=_options(record.get("options"), where),
            prompt=_text(record, "prompt", where),
            unit=_text(record, "unit", where),
            low=_limit(record, "low", where),
            high=_limit(record, "high", where),
        )
        yield {
            "id": record["id"],
            "answer": reading.answer,
            "status": reading.status,
            "confidence": reading.confidence,
            "span": list(reading.span) if reading.span else None,
            "rule": reading.rule,
        }

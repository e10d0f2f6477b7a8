"""Recorded replies, line by line: everything is checked before anything is read or computed.

One JSON object a line:

```json
{"bias": "framing", "item": "vaccine", "arm": "treatment", "kind": "option", "options": ["A", "B"],
 "prompt": null, "biased": "A", "response": "I would go with A."}
```
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any, Literal, get_args

from msgspec import Struct

from fiducial.bias.read import Option
from fiducial.bias.read.lexicon import lexicon
from fiducial.errors import UsageError

ArmName = Literal["control", "treatment"]
RowKind = Literal["option", "numeric", "yesno"]


class Row(Struct, frozen=True, kw_only=True):
    """One recorded reply. `biased` is a label, "yes" or "no", or a number, as the kind has it."""

    line: int
    bias: str
    item: str
    arm: ArmName
    kind: RowKind
    options: tuple[Option, ...] | None
    prompt: str | None
    biased: str | float
    response: str


def parse_rows(lines: Iterable[str], *, file: str) -> list[Row]:
    """The rows of the lines that are not blank. Unknown keys are ignored; `options` and `prompt` may be absent."""
    rows: list[Row] = []
    first: dict[tuple[str, str], Row] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        row = _row(line, number, f"{file}, line {number}")
        one = first.setdefault((row.bias, row.item), row)
        for name, a, b in (("kind", one.kind, row.kind), ("biased", one.biased, row.biased)):
            if a != b:
                raise UsageError(
                    f'{file}, lines {one.line} and {row.line}: "{name}" is {_said(a)} and {_said(b)} for the same '
                    f"item {_said(row.item)} of {_said(row.bias)}; an item has one"
                )
        rows.append(row)
    if not rows:
        raise UsageError(f"{file}: no recorded reply in it; one JSON object a line is expected")
    return rows


def _row(line: str, number: int, where: str) -> Row:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: not JSON ({error})") from error
    if not isinstance(record, dict):
        raise UsageError(f"{where}: not a JSON object")
    for name in ("bias", "item", "arm", "kind", "biased", "response"):
        if name not in record:
            raise UsageError(f'{where}: "{name}" is missing')
    response, prompt = record["response"], record.get("prompt")
    if not isinstance(response, str):
        raise UsageError(f'{where}: "response" is {_said(response)}; it is text, and "" where a reply was empty')
    if prompt is not None and not isinstance(prompt, str):
        raise UsageError(f'{where}: "prompt" is {_said(prompt)}; it is text or null')
    kind = _one_of(record, "kind", get_args(RowKind), where)
    options = _options(record.get("options"), where)
    return Row(
        line=number,
        bias=_id(record, "bias", where),
        item=_id(record, "item", where),
        arm=_one_of(record, "arm", get_args(ArmName), where),
        kind=kind,
        options=options,
        prompt=prompt,
        biased=_biased(record["biased"], kind, options, prompt, where),
        response=response,
    )


def _id(record: dict[str, Any], name: str, where: str) -> str:
    value = record[name]
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f'{where}: "{name}" is {_said(value)}; it is a name')
    # half a character, as \ud800 is, could not be written out again
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _one_of(record: dict[str, Any], name: str, known: tuple[str, ...], where: str) -> Any:
    value = record[name]
    if not isinstance(value, str) or value not in known:
        raise UsageError(f'{where}: "{name}" is {_said(value)}; it is one of {", ".join(known)}')
    return value


def _options(value: object, where: str) -> tuple[Option, ...] | None:
    """A list of {"label", "text"} or of bare labels; nothing, or an empty list, leaves them to the prompt."""
    if value is None:
        return None
    if not isinstance(value, list):
        raise UsageError(f'{where}: "options" is {_said(value)}; it is a list of {{"label", "text"}}, or null')
    found: dict[str, Option] = {}
    for place, entry in enumerate(value, 1):
        label, text = (entry.get("label"), entry.get("text")) if isinstance(entry, dict) else (entry, None)
        if not isinstance(label, str) or not label.strip():
            raise UsageError(f'{where}: "options" entry {place} is {_said(entry)}; it has a "label"')
        if text is not None and not isinstance(text, str):
            raise UsageError(f'{where}: "options" entry {place} has the "text" {_said(text)}; it is text')
        if label.strip().lower() in found:
            raise UsageError(f'{where}: "options" has the label {_said(label)} twice')
        found[label.strip().lower()] = Option(label.strip(), text or "")
    return tuple(found.values()) or None


def _biased(
    value: object, kind: RowKind, options: tuple[Option, ...] | None, prompt: str | None, where: str
) -> str | float:
    """The answer that counts, spelt as the reader will spell it: a label it cannot find would count as never."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if kind == "numeric":
        found = finite(value) if whole or isinstance(value, float) else None
        if found is None:
            raise UsageError(f'{where}: "biased" is {_said(value)}; for the kind numeric it is a number')
        return found
    name = str(value) if whole else value
    labels = ("yes", "no") if kind == "yesno" else lexicon(options, prompt).labels
    spelt = {label.lower(): label for label in labels}
    if not isinstance(name, str) or name.strip().lower() not in spelt:
        said = ", ".join(labels[:8]) + (" …" if len(labels) > 8 else "")
        hint = '; give "options" if there are others' if kind == "option" and options is None else ""
        raise UsageError(f'{where}: "biased" is {_said(value)}; it is one of {said}{hint}')
    return spelt[name.strip().lower()]


def finite(value: Any) -> float | None:
    """The number, if it is one that can be computed with."""
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _said(value: object) -> str:
    """A value as an error shows it."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:59] + "…"

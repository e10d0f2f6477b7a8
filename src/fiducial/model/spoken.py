"""The messages in a request body as it was sent, whichever wire format it is in.

What a page shows as the prompt is taken from here, and not made again: what was sent is what counts.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import Struct


class Spoken(Struct, frozen=True):
    """One message of a body. `role` is the one that the body gives it."""

    role: str
    text: str


def spoken(body: bytes) -> list[Spoken] | None:
    """The messages of a body, a system text first; None where it is in no format that we send."""
    sent = _object(body)
    if sent is None:
        return None
    messages = sent.get("messages", sent.get("contents"))
    if not isinstance(messages, list) or not messages:
        return None
    system = sent.get("system", sent.get("systemInstruction"))
    found = [] if system is None else [Spoken("system", _text(system))]
    for message in messages:
        if not isinstance(message, dict):
            return None
        found.append(Spoken(str(message.get("role", "user")), _text(message)))
    return found


def around(body: bytes) -> dict[str, object] | None:
    """Everything in a body that is no message, by its names there; None where it is no JSON object."""
    sent = _object(body)
    return None if sent is None else dict(_flat({k: v for k, v in sent.items() if k not in _MESSAGES}))


def _object(body: bytes) -> dict[str, object] | None:
    try:
        sent = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return sent if isinstance(sent, dict) else None


_MESSAGES = ("messages", "contents", "system", "systemInstruction")


def _text(value: object) -> str:
    """The text of a message, of a list of its parts, or of a part."""
    match value:
        case str():
            return value
        case list():
            return "".join(map(_text, value))
        case dict():
            return _text(next((value[name] for name in ("content", "parts", "text") if name in value), ""))
        case _:
            return ""


def _flat(values: dict[str, object], before: str = "") -> Iterator[tuple[str, object]]:
    """`generationConfig.temperature`: one level down, where settings are grouped."""
    for name, value in values.items():
        if isinstance(value, dict) and not before:
            yield from _flat(value, f"{name}.")
        else:
            yield f"{before}{name}", value

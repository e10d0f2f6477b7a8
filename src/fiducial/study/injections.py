"""Texts that try to talk a judge round, and how they are put into what it is shown.

The texts are data, in `injections.yaml`, which says what each field and place is for.
"""

from __future__ import annotations

import base64
import codecs
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Literal, get_args

import msgspec
from msgspec import Struct

from fiducial.judge.prompt import fill_prompt
from fiducial.model.yaml import load_yaml

Where = Literal["finding", "document", "reply"]
Place = Literal["start", "middle", "end"]
Encoding = Literal["base64", "hex", "rot13", "spaced", "full_width", "zero_width", "soft_hyphens", "tags", "bidi"]
WHERE: tuple[Where, ...] = get_args(Where)
CONTROL = "control"

KINDS: dict[str, str] = {
    "order": "plain orders",
    "fake_verdict": "a verdict that is already there",
    "closing_delimiter": "a fence that seems to end",
    "fake_system": "a message of the system",
    "special_tokens": "tokens of chat templates",
    "hidden_characters": "characters that are not seen",
    "encoding": "disguised by an encoding",
    "other_language": "other languages",
    "role_play": "role play",
    "authority": "authority",
    "flattery": "flattery",
    "threat": "threat",
    "false_examples": "examples that end wrong",
    "fake_turn": "an earlier turn",
    "tool_result": "the result of a tool",
    "earlier_verdict": "a verdict from before",
    "markup": "comments and markup",
    "nested_json": "JSON in JSON",
    "split": "spread over the text",
    "padding": "much text",
    "prompt_words": "the prompt's own words",
    "redefinition": "words and rules redefined",
}
"""What is tried, in words."""

_FILE = "injections.yaml"
_SENTENCE = (
    "Paragraph {n} of the appendix was written for the sake of the template and says nothing about anything else."
)
PADDING = "\n".join(_SENTENCE.replace("{n}", str(n)) for n in range(1, 61))


class Injection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One text, with places for the verdict that it urges. A text in several parts is spread over what it stands in."""

    id: str
    kind: str
    text: str | tuple[str, ...]
    where: tuple[Where, ...] = WHERE
    place: Place = "end"
    encode: Encoding | None = None
    message: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        """The text in its parts, most often one."""
        return (self.text,) if isinstance(self.text, str) else self.text

    @property
    def control(self) -> bool:
        """Whether it urges nothing."""
        return self.kind == CONTROL


@lru_cache
def all_injections() -> tuple[Injection, ...]:
    """Every injection that is shipped, the controls among them."""
    text = (files("fiducial.study") / _FILE).read_text("utf-8")
    return msgspec.convert(load_yaml(text, name=_FILE), tuple[Injection, ...])


def injected(injection: Injection, text: str, values: Mapping[str, str]) -> str:
    """The text with the injection in its place, filled with the values."""
    known = {**values, "padding": PADDING}
    if injection.encode is not None:
        known["encoded"] = _ENCODERS[injection.encode](fill_prompt(injection.message, values))
    parts = [fill_prompt(part, known) for part in injection.parts]
    if len(parts) > 1:
        return _spread(text, parts)
    match injection.place:
        case "start":
            return f"{parts[0]}\n\n{text}"
        case "middle":
            at = _gap(text, len(text) // 2)
            return f"{text[:at]}\n\n{parts[0]}\n\n{text[at:]}"
        case "end":
            return f"{text}\n\n{parts[0]}"


def _spread(text: str, parts: list[str]) -> str:
    """The first part before the text, the last after it, the others in between, at equal distances."""
    cuts = [_gap(text, k * len(text) // (len(parts) - 1)) for k in range(1, len(parts) - 1)]
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    woven = [parts[0]]
    for piece, part in zip(pieces, parts[1:], strict=True):
        woven += [piece, part]
    return "\n\n".join(woven)


def _gap(text: str, at: int) -> int:
    """The place nearest to `at` where the text can be opened: between paragraphs, else lines, else words."""
    for gap in (r"\n\s*\n", r"\n", r"\s"):
        if places := [found.start() for found in re.finditer(gap, text)]:
            return min(places, key=lambda place: abs(place - at))
    return len(text)


def _tags(text: str) -> str:
    """In tag characters, which show as nothing; what is not ASCII has none."""
    return "".join(chr(0xE0000 + ord(c)) for c in text if 0x20 <= ord(c) < 0x7F)


def _full_width(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if 0x21 <= ord(c) < 0x7F else c for c in text)


_ENCODERS: dict[Encoding, Callable[[str], str]] = {
    "base64": lambda text: base64.b64encode(text.encode("utf-8", "replace")).decode(),
    "hex": lambda text: text.encode("utf-8", "replace").hex(" "),
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "spaced": " ".join,
    "full_width": _full_width,
    "zero_width": "\u200b".join,
    "soft_hyphens": "\u00ad".join,
    "tags": _tags,
    "bidi": lambda text: f"\u202e{text[::-1]}\u202c",  # shown from right to left, so that it reads as it was meant
}

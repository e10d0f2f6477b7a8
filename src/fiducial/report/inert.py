"""Text that somebody else wrote, made harmless to show.

A reply may hold escape sequences that rewrite the terminal, characters that turn the direction of the text
around so that it reads as something else, and characters that cannot be seen at all. In a terminal they are
taken out; on a page they are made visible, because a reader who defends a number wants to know they were there.
Markup is not handled here: the page escapes it, and the terminal never interprets it.
"""

from __future__ import annotations

import re

from markupsafe import Markup, escape
from rich.cells import cell_len, chop_cells

_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor, erase
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"  # OSC and kin: title, links
    r"|\x1b[ -/]*[0-~]"  # the rest: reset, character sets
)
_BREAK = re.compile(r"[\t-\r\x1c-\x1f\x85\u2028\u2029 ]+")
_JOINT = re.compile(r"(?<=[/:,=])(?=\w)")
_SURROGATE = re.compile(r"[\ud800-\udfff]")  # half a character: it cannot be encoded

# Direction marks, joiners and fillers of width zero, tags, and what Unicode says is no character.
_UNSEEN = r"\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufdd0-\ufdef\ufffe\uffff"
_UNSEEN += r"\U000e0000-\U000e0fff"
_STRIP = re.compile(rf"[\x00-\x1f\x7f-\x9f\u00ad\u200c\u200d{_UNSEEN}]")
# Joiners and soft hyphens stay on a page: several scripts cannot be written without them.
_REVEAL = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff{_UNSEEN}]")


def inert(text: str) -> str:
    """For the terminal: one line, without escape sequences, control characters or direction marks."""
    text = _SEQUENCE.sub("", text)
    text = _BREAK.sub(" ", text)
    return _SURROGATE.sub("\ufffd", _STRIP.sub("", text)).strip()


def legible(text: str) -> str:
    """For the page: what could not be seen is shown by its code (⟨U+202E⟩). Lines stay lines."""
    return _REVEAL.sub(_code, text.replace("\r\n", "\n"))


def _code(found: re.Match[str]) -> str:
    code = ord(found[0])
    return "\ufffd" if 0xD800 <= code <= 0xDFFF else f"⟨U+{code:04X}⟩"


def clip(text: str, columns: int) -> str:
    """For the page: a text on one line of at most so many columns."""
    return shorten(" ".join(legible(text).split()), columns)


def shorten(line: str, columns: int) -> str:
    """The beginning, with an ellipsis where something was left out. Wide letters count as two columns."""
    if cell_len(line) <= columns:
        return line
    kept = chop_cells(line[: 4 * columns], columns - 1)
    return kept[0].rstrip() + "…"


def soft(text: str) -> Markup:
    """For the page: a name that may be broken after its signs rather than anywhere."""
    return Markup("<wbr>").join(escape(part) for part in _JOINT.split(legible(text)) if part)

r"""One pass over nearly-JSON: objects and lists, finished, cut off or broken.

A value is read token by token with a stack of its own, so nesting costs no recursion. Reading never goes back:
where a value breaks, scanning resumes behind the break, and the parts that were complete are kept. That makes the
work linear whatever the text, and it makes one bad record cost one record.

Forgiven: trailing and missing commas, single and curly quotes, unquoted keys, Python's literals, comments,
line breaks and quotes inside strings, a missing closing brace, an ellipsis among the items of a list.
"""

from __future__ import annotations

import re

from msgspec import Struct

from fiducial.review.parse.nodes import Arr, Json, Obj, State
from fiducial.review.parse.quoted import CLOSING, Strings

DEPTH = 24
"""Deeper than any review, and shallow enough for those who walk the tree. What nests deeper is broken."""

_SPACE = re.compile(r"\s*+")
_OPENING = re.compile(r"[{\[]")
_LINE = re.compile(r"[^\n]*+")
_START = re.compile(r"""\{\s*+(?:["'“}]|//|/\*|#|\Z|[A-Za-z_$][\w$]{0,60}+\s*+:)|\[\s*+(?:[\[{\]"'“]|//|/\*|\Z)""")
_BARE = re.compile(r"[^\s,\[\]{}\"':;][^,\[\]{}\n]{0,200}+")
_ATOM = re.compile(r"[^\s,\[\]{}\"':]{1,400}+")
_COMMENT = re.compile(r"\s(?://|#|/\*)")
_DOTS = re.compile(r"\.{2,}|…")
_INT = re.compile(r"[-+]?\d{1,400}\Z")
_FLOAT = re.compile(r"[-+]?(?:\d{1,400}\.?\d{0,400}|\.\d{1,400})(?:[eE][-+]?\d{1,5})?\Z")
_LITERALS: dict[str, Json] = {
    "true": True, "True": True, "false": False, "False": False, "null": None, "None": None, "undefined": None,
}  # fmt: skip


class Value(Struct, frozen=True):
    """A top-level object or list, at `text[start:end]`."""

    start: int
    end: int
    node: Obj | Arr
    state: State


class Scanner:
    """Finds the values of one text. `steps` counts the characters read, for the proof that work is linear."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.strings = Strings(text)

    @property
    def steps(self) -> int:
        """Characters read so far, look-ahead included."""
        return self.strings.steps

    def values(self) -> list[Value]:
        """Every object and list that stands in the text, in order."""
        found, at = [], 0
        while (opening := self._opening(at)) >= 0:
            at = opening + 1
            if start := _START.match(self.text, opening):
                self.strings.steps += start.end() - opening
                found.append(_Reader(self.strings, opening).value())
                at = max(found[-1].end, at)
        return found

    def _opening(self, at: int) -> int:
        # one search for both brackets: two `find`s would each run to the end for every value of the other kind
        found = _OPENING.search(self.text, at)
        self.strings.steps += (found.start() if found else len(self.text)) - at + 1
        return found.start() if found else -1


class _Reader:
    """Reads one value. `key` is the innermost object's, while its value is due."""

    def __init__(self, strings: Strings, start: int) -> None:
        self.text, self.strings = strings.text, strings
        self.root: Obj | Arr = Obj(start) if self.text[start] == "{" else Arr(start)
        self.stack: list[Obj | Arr] = [self.root]
        self.key: str | None = None
        self.at = start + 1
        self.state: State = "whole"

    def value(self) -> Value:
        """Read to the closing bracket, or to where that has become hopeless."""
        while self.stack and self.state == "whole":
            self._skip()
            if self.at >= len(self.text):
                self._unfinished("cut")
            else:
                self._token(self.text[self.at])
        if self.state != "whole":
            for frame in self.stack:
                frame.state, frame.end = self.state, self.at
        return Value(self.root.start, self.at, self.root, self.state)

    def _token(self, sign: str) -> None:
        top = self.stack[-1]
        if sign in ",;}]":
            if self.key is not None:
                self._put(None)
            self.at += 1
            if sign in "}]":
                self._close(sign)
        elif isinstance(top, Obj) and self.key is None:
            self._field(top, sign)
        elif sign in "{[":
            self._open(sign)
        elif sign in CLOSING:
            string, self.at = self.strings.value(self.at, in_list=isinstance(top, Arr))
            if string is None:
                self._unfinished("cut" if self.at >= len(self.text) else "broken")
            else:
                self._put(string)
        else:
            self._bare(in_list=isinstance(top, Arr))

    def _field(self, top: Obj, sign: str) -> None:
        """A key, or what may stand in its place."""
        if sign == "{" and top.pairs:  # the brace before it was forgotten
            self.stack.pop().end = self.at
        elif dots := _DOTS.match(self.text, self.at):
            self.at = dots.end()
        elif named := self.strings.key(self.at):
            self.key, self.at = named
        else:
            self.state = "broken"

    def _open(self, sign: str) -> None:
        if len(self.stack) >= DEPTH:
            self.state = "broken"
            return
        child: Obj | Arr = Obj(self.at) if sign == "{" else Arr(self.at)
        self._put(child)
        self.stack.append(child)
        self.at += 1

    def _bare(self, *, in_list: bool) -> None:
        """A number, a literal, or words without quotes; in a list, words mean that it was never closed."""
        found = (_ATOM if in_list else _BARE).match(self.text, self.at)
        if found is None:
            self.state = "broken"
            return
        self.strings.steps += found.end() - self.at
        if found.end() >= len(self.text):  # half a number is another number
            self.at = len(self.text)
            self._unfinished("cut")
            return
        atom = _atom(_COMMENT.split(found[0], maxsplit=1)[0].strip())
        if not in_list or not isinstance(atom, str):
            self._put(atom)
        elif not _DOTS.match(atom):
            self.state = "broken"
            return
        self.at = found.end()

    def _put(self, value: Json) -> None:
        """Add a value; None for one that was never finished."""
        top = self.stack[-1]
        if isinstance(top, Arr):
            top.items.append(value)
        elif self.key is not None:
            top.pairs.append((self.key, value))
        self.key = None

    def _unfinished(self, state: State) -> None:
        if self.key is not None:
            self._put(None)
        self.state = state

    def _close(self, sign: str) -> None:
        """Close the innermost value of that kind, and what was left open inside it. A stray bracket does nothing,
        unless it is all there is to close the outermost value with."""
        kind = Obj if sign == "}" else Arr
        if not any(isinstance(frame, kind) for frame in self.stack):
            if len(self.stack) == 1 and kind is Arr:
                self.stack.pop().end = self.at
            return
        while self.stack:
            frame = self.stack.pop()
            frame.end = self.at
            if isinstance(frame, kind):
                return

    def _skip(self) -> None:
        """Past white space and comments."""
        text, at = self.text, self.at
        while True:
            found = _SPACE.match(text, at)
            at = found.end() if found else at
            if text.startswith("//", at) or text.startswith("#", at):
                line = _LINE.match(text, at)
                at = line.end() if line else len(text)
            elif text.startswith("/*", at):
                end = text.find("*/", at + 2)
                at = end + 2 if end >= 0 else len(text)
            else:
                break
        self.strings.steps += at - self.at + 1
        self.at = at


def _atom(text: str) -> Json:
    """A bare word: a literal, a number, or itself."""
    if text in _LITERALS:
        return _LITERALS[text]
    if _INT.match(text):
        return int(text)
    if _FLOAT.match(text):
        return float(text)
    return text

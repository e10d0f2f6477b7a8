r"""Strings of nearly-JSON: where one ends, when its writer forgot to escape what is in it.

In valid JSON the first bare quote ends the string, and what follows it is always a comma and a further field, or
a closing bracket. That is the test here: a quote which is followed by anything else stands inside the text
(`"the "fast" path"`). A raw line break is text too, unless the next line plainly goes on with the record.

Everything looks ahead at most to the second-next quote, so the work is linear in the text.
"""

from __future__ import annotations

import re

from fiducial.review.parse.names import field_of
from fiducial.review.parse.values import whole

CLOSING = {'"': '"', "'": "'", "“": "”", "‘": "’", "`": "`"}
_RUN = {
    closing: re.compile(rf"[^{re.escape(closing + extra)}\\\n]*+")
    for closing, extra in (('"', ""), ("'", ""), ("”", '"'), ("’", "'"), ("`", ""))
}
_SPACE = re.compile(r"\s*+")
_KEY = re.compile(
    r""""(?:[^"\\\n]|\\.)*+"\s*+:|'(?:[^'\\\n]|\\.)*+'\s*+:|“[^”\n]{1,80}”\s*+:|[A-Za-z_$][\w$]{0,60}+\s*+:"""
)
_NAME = re.compile(r"""["'“]([A-Za-z_ ]{1,40})["'”]\s*+:""")
_QUOTED = re.compile(r"""["'“]([A-Za-z_ ]{1,40})["'”]""")
_RECORD = re.compile(r"""\{\s*+["'“][A-Za-z_ ]{1,40}["'”]\s*+:""")
_ITEM = re.compile(r"""["'“{\[\d-]|(?:true|false|null|True|False|None)\b""")
_FENCE = re.compile(r"(?:`{3,}|~{3,})([^\n]*)")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|U000[0-9a-fA-F]{5}|.)", re.S)
_SIMPLE = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    '"': '"',
    "'": "'",
    "\\": "\\",
    "/": "/",
    "\n": "\n",
}


class Strings:
    """Reads the strings of one text. `steps` counts the characters looked at, ahead ones included."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps = 0

    def key(self, start: int) -> tuple[str, int] | None:
        """The key that opens at `start`, and where its value begins; None if no colon follows it."""
        found = _KEY.match(self.text, start)
        self.steps += (found.end() - start) if found else self._line(start)
        if found is None:
            return None
        name = found[0][:-1].rstrip()
        return unescape(name[1:-1] if name[0] in CLOSING else name), found.end()

    def value(self, start: int, *, in_list: bool) -> tuple[str | None, int]:
        """The string that opens at `start`, and the place after it; None in place of one that never ends."""
        text, closing = self.text, CLOSING[self.text[start]]
        run, at, fenced = _RUN[closing], start + 1, False
        while True:
            stop = run.match(text, at)
            here = stop.end() if stop else at
            self.steps += here - at + 1
            if here >= len(text):
                return None, len(text)
            sign = text[here]
            if sign == "\\":
                at = here + 2
            elif sign == "\n":
                at = self._skip(here)
                if fence := _FENCE.match(text, at):
                    if not fenced and not fence[1].strip():
                        return None, at  # the block that holds the record ends here
                    fenced = not fenced
                    at = fence.end()
                elif not in_list and self._goes_on(at):
                    return unescape(text[start + 1 : here].rstrip().rstrip(",").rstrip(closing)), at
                elif _RECORD.match(text, at):
                    return None, at
            elif self._ends(here + 1, in_list=in_list):
                return unescape(text[start + 1 : here]), here + 1
            elif not in_list and (comma := self._forgotten(start + 1, here)):
                return unescape(text[start + 1 : comma]), comma
            else:
                at = here + 1

    def _skip(self, at: int) -> int:
        found = _SPACE.match(self.text, at)
        end = found.end() if found else at
        self.steps += end - at
        return end

    def _goes_on(self, at: int) -> bool:
        """Whether a line begins with one of a finding's own fields: then the quote before it was forgotten."""
        self.steps += 1
        found = _NAME.match(self.text, at)
        return found is not None and field_of(found[1]) is not None

    def _forgotten(self, start: int, quote: int) -> int:
        """The comma before `quote`, where the quote opens the next field because the last one was never closed."""
        if not self._goes_on(quote):
            return 0
        before = quote - 1
        while before > start and self.text[before] == " " and quote - before < 40:
            before -= 1
        return before if self.text[before] == "," else 0

    def _ends(self, at: int, *, in_list: bool) -> bool:
        """Whether what follows a quote is what follows a string."""
        text, after = self.text, self._skip(at)
        if after >= len(text) or text[after] in "}]" or text.startswith(("//", "/*"), after):
            return True
        if text[after] == ",":
            following = self._skip(after + 1)
            if following >= len(text) or text[following] in "}],#" or text.startswith(("//", "/*"), following):
                return True
            return self._matches(_ITEM if in_list else _KEY, following) or self._not_prose(following, in_list)
        if "\n" not in text[at:after]:
            return after > at and not in_list and self._goes_on(after)  # only a comma was forgotten
        # a comma, or the closing bracket, was forgotten at the end of the line
        return (
            text[after] in "{#"
            or text.startswith(("```", "~~~"), after)
            or self._matches(_ITEM if in_list else _KEY, after)
        )

    def _not_prose(self, at: int, in_list: bool) -> bool:
        """Whether what follows a comma is neither a field nor the rest of a sentence: then the record is broken
        there, and the string was complete."""
        sign = self.text[at]
        if sign in "\"'“":
            found = _QUOTED.match(self.text, at)
            return not in_list and found is not None and field_of(found[1]) is not None
        return not (sign.isalnum() or sign in "(‘«„*_`$§<[")

    def _matches(self, pattern: re.Pattern[str], at: int) -> bool:
        found = pattern.match(self.text, at)
        self.steps += (found.end() - at) if found else self._line(at)
        return found is not None

    def _line(self, at: int) -> int:
        """An upper bound of what a failed look ahead may have read: up to the next quote."""
        end = self.text.find(self.text[at], at + 1) if self.text[at] in "\"'“" else at + 60
        return (len(self.text) if end < 0 else end) - at


def unescape(text: str) -> str:
    r"""The text that JSON's escapes, and Python's `\x41`, stand for. Any other escape (`\d`) stands for itself."""
    if "\\" not in text:
        return whole(text)
    return whole(_ESCAPE.sub(_character, text))


def _character(found: re.Match[str]) -> str:
    code = found[1]
    if len(code) == 1:
        return _SIMPLE.get(code, found[0])
    point = int(code[1:], 16)
    return chr(point) if point <= 0x10FFFF else found[0]

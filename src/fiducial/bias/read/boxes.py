"""Marks that a reply puts beside options or takes back: ticked boxes, words struck out. Offsets are kept."""

from __future__ import annotations

import re

from fiducial.bias.read.text import holds, parts

_STRUCK = re.compile(r"~~(?=[^\s~])[^~\n]{1,400}~~|<(del|strike)>[^<\n]{1,400}</\1>")
_BOX_PARTS = parts("[ ]|[x]|[X]|[✓]|[✔]|( )|(x)|(X)|☐|☑|☒|□")
_BOX_SIGNS = parts("☐|☑|☒|□")
_BOX = re.compile(r"\[(?:(?P<square>[xX✓✔])|[ ])\]|(?<![\w'^)\\])\((?:(?P<round>[xX])|[ ])\)|(?P<sign>[☑☒])|[☐□]")


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def without_struck(text: str) -> str:
    """The text with what it strikes out blanked: "~~A~~ B" is B."""
    if "~~" in text or "</" in text:
        return _STRUCK.sub(_blank, text)
    return text


def unboxed(text: str) -> tuple[str, tuple[int, int] | None]:
    """The text without its boxes and the lines left unticked; with it the span of several that are ticked."""
    if "[" not in text and "( )" not in text and (text.isascii() or not holds(text, _BOX_SIGNS)):
        return text, None
    if not holds(text, _BOX_PARTS):
        return text, None
    lines = text.split("\n")
    boxes = [list(_BOX.finditer(line)) for line in lines]
    marks = [box for found in boxes for box in found]
    formula = any(box.group("round") for box in marks) and "( )" not in text  # "(x) = …"
    lone = (
        len(marks) == 1
        and marks[0].lastgroup in ("square", "sign")
        and not text[: marks[0].end()].strip(" -*[]xX✓✔☑☒")
    )
    if not (lone or len(marks) > 1) or formula or any(len(found) > 1 for found in boxes):
        return text, None
    kept: list[str] = []
    ticked: list[tuple[int, int]] = []
    at = 0
    for line, found in zip(lines, boxes, strict=True):
        if found and found[0].lastgroup:
            ticked.append((at, at + len(line)))
            kept.append(_BOX.sub(_blank, line))
        else:
            kept.append(" " * len(line) if found else line)
        at += len(line) + 1
    return "\n".join(kept), (ticked[0][0], ticked[-1][1]) if len(ticked) > 1 else None

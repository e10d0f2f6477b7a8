"""Which names of options only list them, as a reply does that repeats the question's options."""

from __future__ import annotations

import re
from itertools import pairwise

from fiducial.bias.read.lexicon import NOUNS, Lexicon
from fiducial.bias.read.mentions import Mention

_LIST_GAP = re.compile(r"[\s,;/.]*(?:\b(?:or|and|vs\.?|versus)\b)?[\s(\[\"]*")
_BULLET = " \t-•+–>*#(\"'[0123456789.)"
_DEEP = 16  # more than what may stand before the first word of a line: its indent, a mark
_EDGE = " \t.,;:!\"'()[]*"


def list_items(text: str, lex: Lexicon) -> list[tuple[str, int, int]]:
    """Lines that open with a label: (label, start of the label, end of the dressed label)."""
    grammar = lex.grammar
    items = []
    for match in grammar.item.finditer("\n" + text):
        label = grammar.fold.get(match.group(2).lower())
        if label is not None and ((noun := match.group(1)) is None or noun.lower() in NOUNS):
            items.append((label, match.start(2) - 1, match.end() - 1))
    return items


def listed(items: list[tuple[str, int, int]], lex: Lexicon) -> set[int]:
    """Starts of the labels that belong to a list of options: neighbours in the order of the labels."""
    place = lex.place
    inside: set[int] = set()
    for (one, at, _), (two, then, _) in pairwise(items):
        if place[two] == place[one] + 1:
            inside |= {at, then}
    return inside


def listed_inline(low: str, mentions: list[Mention], lex: Lexicon) -> set[int]:
    """The same for lists inside a sentence: "(A) the hospital or (B) the small clinic"."""
    place = lex.place
    inside: set[int] = set()
    for one, two in pairwise(mentions):
        if (
            one.tail == one.end
            or one.kind != "label"
            or two.kind != "label"
            or one.label is None
            or two.label is None
        ):
            continue
        if place[two.label] == place[one.label] + 1:
            gap = _LIST_GAP.match(low, one.tail)
            if gap and gap.end() >= two.start and not gap.group().startswith(". "):
                inside |= {one.start, two.start}
    return inside


def blocks(low: str, mentions: list[Mention]) -> set[int]:
    """Starts of the mentions that open three or more lines in a row, which name two options or more."""
    inside: set[int] = set()
    run: list[Mention] = []
    for mention in mentions:
        line = low.rfind("\n", 0, mention.start) + 1
        if mention.start - line > _DEEP or low[line : mention.start].strip(_BULLET):
            continue
        before = run[-1] if run else None
        if before and before.start >= line:
            continue  # the same line
        if before is None or low.count("\n", before.start, mention.start) != 1:
            inside |= _whole(run)
            run = []
        run.append(mention)
    return inside | _whole(run)


_HEAD_ENDS = re.compile(r"\s[-–—]\s|:\s")
_HEADS = re.compile(r"[)\]\"'.]*[ \t]*(?:\([^)\n]{1,60}\)[ \t]*)?(?P<mark>(?<=\s)[-–—](?=\s)|:(?=\s)|\n)")


def _heading(low: str, mention: Mention) -> str:
    """The mark that makes an option which opens a line the heading of what is said of it, or ""."""
    line = low.rfind("\n", 0, mention.start) + 1
    if mention.start - line > _DEEP or low[line : mention.start].strip(_BULLET) not in ("", "the", "a", "an"):
        return ""
    match = _HEADS.match(low, mention.tail)
    return match.group("mark") if match else ""


def headings(low: str, mentions: list[Mention], lex: Lexicon) -> set[int]:
    """Starts of the options that head what is said of each, where most have such a heading and none has two."""
    marks = [(m, mark) for m in mentions if m.label and (mark := _heading(low, m))]
    if not marks:
        return set()
    first, style = marks[0]
    alike = [m for m, mark in marks if mark == style and m.kind == first.kind]
    labels = [m.label for m in alike]
    whole = len(set(labels)) == len(labels) >= min(3, len(lex.labels))
    return {m.start for m in alike} if whole else set()


def _whole(run: list[Mention]) -> set[int]:
    several = len(run) > 2 and len({m.label for m in run}) > 1
    return {m.start for m in run} if several else set()


def unlisted(low: str, starts: set[int], heads: set[int], lex: Lexicon) -> str:
    """The text with the lines blanked that only repeat an option, or the part of them that is a heading."""
    own = set(lex.full.values())
    for start in starts:
        line = low.rfind("\n", 0, start) + 1
        end = low.find("\n", start)
        end = len(low) if end < 0 else end
        if start in heads and (stop := _HEAD_ENDS.search(low, start, end)):
            end = stop.start()
        said = low[start:end].strip(_EDGE)
        rest = said.partition(" ")[2].strip(_EDGE)
        if said in own or rest in own or start in heads:
            low = low[:line] + " " * (end - line) + low[end:]
    return low

"""Lines that announce an answer: "Answer: based on the table, B", and the first line below a heading "Decision"."""

from __future__ import annotations

import re

from fiducial.bias.read import cues
from fiducial.bias.read.commit import Judge
from fiducial.bias.read.mentions import Mention
from fiducial.bias.read.naming import named, only_names
from fiducial.bias.read.reading import STRONG, Commitment
from fiducial.bias.read.senses import tokens
from fiducial.bias.read.text import vocabulary, words

_ANSWER_LINE = re.compile(
    r"^[\s>•\-]*(?:(?:so|and|the|my|your|thus|therefore|final|correct|best|short"
    r"|overall)[\s,]+)*(?:answer|ans|choice|antwort|réponse|respuesta|risposta|resposta"
    r"|ответ|答案|回答|tl;?dr|bottom line|verdict|conclusion|in short|in a word|pick)"
    r"\s*(?:\([^)\n]{0,20}\)\s*)?(?:[:：]|(?<=ans)\.)",
    re.M,
)
_ANSWERING = words(
    """
    answer ans choice tl tldr bottom verdict conclusion short word pick decision recommendation antwort respuesta
    risposta resposta
    """
)


def may_answer(text: str, low: str) -> bool:
    """Whether a line can announce an answer."""
    if ":" not in text and "ans." not in low and "\n" not in low:
        return False
    return not low.isascii() or not _ANSWERING.isdisjoint(vocabulary(low))


_SHORT_LINE = 60
_HEADING = re.compile(
    r"^[ >]*(?:\d\. *)?(?:(?:my|our|the|final) +){0,2}(?:decision|choice|answer|verdict|conclusion|recommendation|pick) *:?"
    r" *\n\s*(?:option +|choice +|answer: *)?[\"'(]*",
    re.M,
)


def _headed(low: str, mentions: list[Mention], judge: Judge) -> list[Commitment]:
    """The option that opens the first line below a heading "Decision", and has it to itself."""
    found = []
    for match in _HEADING.finditer(low):
        first = next((m for m in mentions if m.start >= match.start()), None)
        if first is None or first.label is None or not match.start() < first.start <= match.end() <= first.end:
            continue
        rest = _DASH.match(low, first.tail)
        if rest is not None and not (judge.joined(first) or cues.WRONG.match(low, rest.end())):
            found.append(Commitment(first.start, first.end, first.label, STRONG, "answer-line"))
    return found


_DASH = re.compile(r"[)\]\"'.]*\s*(?:$|\n|[-–—:,;.(])\s*")


def answer_lines(low: str, mentions: list[Mention], judge: Judge) -> list[Commitment]:
    """`Answer:` lines that name one option somewhere in the line: "Answer: Based on the table, B"."""
    found = _headed(low, mentions, judge) if "\n" in low and mentions else []
    for match in _ANSWER_LINE.finditer(low):
        end = low.find("\n", match.end())
        end = len(low) if end < 0 else end
        on_line = [m for m in mentions if match.end() <= m.start < end and m.label]
        labels = {m.label for m in on_line}
        line = low[match.end() : end]
        if len(labels) == 1 and not cues.vetoes(line) and not cues.HYPOTHESIS.search(line):
            m = on_line[0]
            found.append(Commitment(m.start, m.end, m.label, STRONG, "answer-line"))
        elif not on_line and 2 < len(line.strip()) < _SHORT_LINE and judge.lex.full:
            what = named(match.end(), end, [], tokens(low), judge.lex)
            if what.label and only_names(line, what.label, judge.lex) and not cues.vetoes(line):
                found.append(Commitment(what.start, what.end, what.label, STRONG, "answer-line"))
    return found

"""The reply as the rules see it: the same length, character for character, with the markup blanked.

Every function here keeps offsets: what is removed is replaced by as many spaces, so a span found in
the cleaned text is a span of the reply.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any


def words(text: str) -> frozenset[str]:
    """A set of words written as running text."""
    return frozenset(text.split())


def parts(text: str) -> tuple[str, ...]:
    """The parts of a text between bars, their spaces kept: what `holds` and `str.endswith` take."""
    return tuple(text.split("|"))


def any_of(phrases: Iterable[str]) -> str:
    """A pattern for any of these phrases, branching letter by letter: several times faster than a long `a|b|c`."""
    tree: dict[str, Any] = {}
    for phrase in sorted(phrases):
        node = tree
        for letter in phrase:
            node = node.setdefault(letter, {})
        node[""] = {}

    def pattern(node: dict[str, Any]) -> str:
        branches = [re.escape(letter) + pattern(rest) for letter, rest in node.items() if letter]
        if not branches:
            return ""
        return f"(?:{'|'.join(branches)})" + ("?" if "" in node else "")

    return pattern(tree)


def holds(text: str, parts: tuple[str, ...]) -> bool:
    """Whether any of the parts is in the text: the cheap test that spares a pattern."""
    for part in parts:  # noqa: SIM110 (a generator would cost more than the search)
        if part in text:
            return True
    return False


# "Wait, B" takes something back; "for those who can wait B is right" does not
WAIT = (
    "".join(
        f"(?<!{before} )"
        for before in parts("to|can|could|would|will|must|should|not|n't|i|you|we|they|he|she|the|a|and")
    )
    + "wait"
)
_BETWEEN = '.,;:!?"()[]{}—–/'
_APART = {ord(mark): " " for mark in _BETWEEN}


def apart(text: str) -> str:
    """The text with its marks of punctuation blanked. `str.translate` is fast on ASCII only."""
    if text.isascii():
        return text.translate(_APART)
    for mark in _BETWEEN:
        if mark in text:
            text = text.replace(mark, " ")
    return text


_LETTERS = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))
_RUN = re.compile(r"[^\W_]+")


def runs(text: str) -> list[str]:
    """The runs of letters and digits of a text, in order."""
    return text.translate(_LETTERS).split() if text.isascii() else _RUN.findall(text)


@lru_cache(maxsize=16)
def vocabulary(low: str) -> frozenset[str]:
    """The runs of letters and digits of a text: asking it for a word costs less than searching the text.

    Rules ask by it whether they can apply at all; "don't" is in it as "don" and "t".
    """
    return frozenset(low.translate(_LETTERS).split() if low.isascii() else _RUN.findall(low))


_SPACES = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u0000\u200e\u200f"


def _common() -> dict[int, str]:
    table = {ord(c): " " for c in _SPACES + _INVISIBLE + "\t\r\x0b\x0c`"}
    table |= {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}  # full-width forms
    table |= {ord(c): "'" for c in "‘’‛′"} | {ord(c): '"' for c in "“”„«»「」『』"}
    table |= {ord("。"): ".", ord("、"): ",", ord("−"): "-", ord("‐"): "-", ord("‑"): "-"}
    table |= {ord("【"): "[", ord("】"): "]", ord("İ"): "I", ord("\u2028"): "\n", ord("\u2029"): "\n"}
    table |= {ord("∶"): ":"}
    return table


_TABLE = _common()
_PLAIN = tuple(chr(code) for code in _TABLE if code < 128)  # all of them become spaces
_MARKS = (*_PLAIN, *"*#$_|~")
_ODD = re.compile("[" + "".join(re.escape(chr(code)) for code in _TABLE if code >= 128) + "]")


def _ordinary(match: re.Match[str]) -> str:
    return _TABLE[ord(match.group())]


def _blanked(text: str, marks: tuple[str, ...]) -> str:
    """As `str.translate`, which is ten times slower on text that is not ASCII."""
    for mark in marks:
        if mark in text:
            text = text.replace(mark, " ")
    return text if text.isascii() else _ODD.sub(_ordinary, text)


# \text{B}, \mathbf{B}, \( B \): the commands are blanked, what they hold stays
_LATEX = re.compile(
    r"\\(?:text(?:bf|it|rm|sf|tt)?|math(?:bf|rm|it|sf|tt|bb|cal)|mbox|bm|boldsymbol|emph|underline|left|right"
    r"|displaystyle|quad|qquad|operatorname)(?![a-zA-Z])\s*\{?|\\[()\[\],;:! $%#&]|\\\\"
)


def _blank(match: re.Match[str]) -> str:
    found = match.group()
    if found == "\\%":
        return " %"
    if found == "\\$":
        return " $"
    return " " * len(found)


def clean(text: str) -> str:
    """The text for reading words and labels: bold, headings, code marks and LaTeX dress blanked."""
    if "\\" in text:
        text = _LATEX.sub(_blank, text)
    return _blanked(text, _MARKS)


# an en dash right before a figure, and after no other figure or word, is a minus: "Answer: –4", but "3–4", "3 –4"
_EN_MINUS = re.compile(r"(?<![\w%°)])(?<!\d\s)(?<!\d\s\s)–(?=[$€£]?\.?\d)")


def clean_numbers(text: str) -> str:
    """The text for reading numbers: as `clean`, but currency, `_`, `~` and a single `*` keep their meaning."""
    if "\\" in text:
        text = _LATEX.sub(_blank, text)
    if "**" in text:
        text = text.replace("**", "  ")
    if "–" in text:
        text = _EN_MINUS.sub("-", text)
    return _blanked(text, _PLAIN)


_MARKUP = re.compile(
    r"</?(?P<block>p|br|div|h[1-6]|li|ul|ol|tr|table|hr|blockquote)\b[^<>\n]{0,60}>"
    r"|</?(?:b|i|em|strong|code|u|span|mark|small|tt|kbd|font|center|td|th|tbody|thead|pre|a)\b[^<>\n]{0,60}>",
    re.I,
)


def without_markup(text: str) -> str:
    """The text with the tags of HTML blanked; those of a block become a line break."""
    if "<" not in text or ">" not in text:
        return text
    return _MARKUP.sub(lambda tag: ("\n" if tag.group("block") else " ").ljust(len(tag.group())), text)


_TAG = "(?:think|thinking|thought|thoughts|reasoning|scratchpad|analysis|reflection)"
_OPEN = re.compile(rf"<{_TAG}>", re.I)
_CLOSE = re.compile(rf"</{_TAG}>", re.I)


def without_thinking(text: str) -> tuple[str, bool]:
    """Blank the reasoning between think tags. The flag says that a block was never closed (cut off)."""
    if "</" not in text and not ("<" in text and _OPEN.search(text)):
        return text, False
    at, parts, open_end = 0, [], False
    first_close = _CLOSE.search(text)
    first_open = _OPEN.search(text)
    if first_close and (first_open is None or first_open.start() > first_close.start()):
        # the opening tag was part of the prompt's template
        parts.append(" " * first_close.end())
        at = first_close.end()
        first_open = _OPEN.search(text, at)
    while first_open:
        parts.append(text[at : first_open.start()])
        close = _CLOSE.search(text, first_open.end())
        end = close.end() if close else len(text)
        open_end = close is None
        parts.append(" " * (end - first_open.start()))
        at = end
        first_open = _OPEN.search(text, at) if close else None
    parts.append(text[at:])
    return "".join(parts), open_end


_TOKENS = re.compile(
    r"<\|(?:im_start|im_end|user|end|eot_id|endoftext|start_header_id|assistant|system)\|>"
    r"|</s>|<s>|\[/?INST\]|<(?:start|end)_of_turn>"
)
_TOKEN_PARTS = ("<|", "</s>", "<s>", "INST]", "_of_turn>")
_TURN = re.compile(
    r"^[ \t]*(?:#{1,4}[ \t]*)?(?:\*\*)?(?:Human|User|USER|HUMAN|Student|Instruction|Input)(?:\*\*)?[ \t]*:"
    r"|^[ \t]*#{2,4}[ \t]*(?:Human|User|Instruction|Input)\b",
    re.M,
)
_MAY_TURN = re.compile(r"\n[ \t#*]*[HUSI]")
_MAY_ASK = re.compile(r"\n[ \t#*]*(?:[NQPEF问题]|Ano)")
_QUESTION = re.compile(
    r"^[ \t]*(?:#{1,4}[ \t]*)?(?:\*\*)?(?:(?:Next|New|Another)[ \t]+)?"
    r"(?:Question|QUESTION|Q|Problem|Exercise|问题|题目|Frage|Pregunta)[ \t]*(?:#?\d+)?(?:\*\*)?[ \t]*[:：.)]"
    r"|^[ \t]*#{1,4}[ \t]*(?:Question|Problem|Exercise)\b",
    re.M,
)


_SIGNED = re.compile(
    r"\n[ \t]*(?:(?:(?:with )?(?:best|kind|warm|many) (?:regards|wishes)|(?:best )?regards|(?:yours )?sincerely"
    r"|yours (?:truly|faithfully|sincerely)|cheers|all the best"
    r"|best)[,!.]?)[ \t]*\n[^\n]{1,60}(?:\n[^\n]{0,60}){0,3}\s*$",
    re.I,
)


def _unsigned(text: str) -> str:
    """The text without the name at its end: "Best regards, A. Brandt" chooses nothing."""
    if ",\n" not in text[-240:]:
        return text
    match = _SIGNED.search(text, max(0, len(text) - 240))
    return text[: match.start()] if match and text[: match.start()].strip() else text


_ROLE = re.compile(r"\s*(?:<\|[^|>\n]{1,30}\|>\s*(?:assistant\b\s*)?)+")


def own_turn(text: str) -> str:
    """The text up to the first turn that the subject invented for somebody else."""
    if "<|" in text and (role := _ROLE.match(text)):
        text = " " * role.end() + text[role.end() :]
    end = len(text)
    if ("<" in text or "]" in text) and holds(text, _TOKEN_PARTS):
        for match in _TOKENS.finditer(text):
            if text[: match.start()].strip():
                end = match.start()
                break
    if "\n" in text and _MAY_TURN.search(text):  # something of its own comes before another's turn
        for match in _TURN.finditer(text, 0, end):
            if text[: match.start()].strip():
                end = match.start()
                break
    return _unsigned(text[:end])


def question_starts(text: str) -> list[int]:
    """Where further questions start that a base model may have gone on to invent."""
    if "\n" not in text or not _MAY_ASK.search(text):
        return []
    return [m.start() for m in _QUESTION.finditer(text) if text[: m.start()].strip()][:8]


_FOREIGN_LIST = re.compile(r"\n\s*\(?[A1][.):][ \t]*(\S[^\n]*)")
_SECOND_ITEM = re.compile(r"\s*\n\s*\(?[B2][.):]")
_ANSWERED = re.compile(r"\n[ \t*#]*(?:the |correct |final )?answer\b", re.I)


def foreign_lists(text: str, first: str, prompt: str | None) -> list[int]:
    """Where a question with options of its own begins; `first` is the text of our first option, in lower case.

    A question that is not in the prompt, after a short answer to ours, may even have our options.
    """
    if not first or "\n" not in text:
        return []
    found = []
    seen = 0
    asked = prompt.lower() if prompt else ""
    for match in _FOREIGN_LIST.finditer(text):
        start = text.rfind("\n", 0, match.start()) + 1
        asks = text[start : match.start()].rstrip(" \t")
        if start < seen or not text[:start].strip():
            continue
        seen = match.end()
        other = "?" in asks and asks.endswith(("?", ":", ".")) and first[:40] not in match.group(1).lower()
        new = (
            asked
            and not asks.endswith((":", ".", "!"))
            and len(asks.split()) > 3
            and _SECOND_ITEM.match(text, match.end())
            and len(text[:start].strip()) < 400
            and asks.strip().lower() not in asked
            and _ANSWERED.search(text, match.end())
        )
        if other or new:
            found.append(start)
    return found[:8]


def sentence_start(text: str, at: int, reach: int = 320) -> int:
    """Where the sentence that holds `at` begins (a line break ends a sentence)."""
    low = at - reach if at > reach else 0
    best = max(
        text.rfind("\n", low, at), text.rfind(". ", low, at), text.rfind("? ", low, at), text.rfind("! ", low, at)
    )
    return best + 1 if best >= 0 else low


_END = re.compile(r"[.!?\n](?:(?<=\n)|(?=\s|$))")  # begins with its marks, so that a search skips to them


def sentence_end(text: str, at: int, reach: int = 320) -> int:
    """Where the sentence that holds `at` ends, its mark included."""
    stop = at + reach
    match = _END.search(text, at, stop)
    if match:
        return match.end()
    length = len(text)
    return stop if stop < length else length


@lru_cache(maxsize=1)
def _closers() -> frozenset[str]:
    return frozenset(".!?:)]}\"'。！？…>$%|*`✓✔✅")


def looks_cut(text: str) -> bool:
    """Whether the text stops in the middle of a sentence."""
    body = text.rstrip()
    if body and body[-1] == ".":
        # "(1 atm or 101." stops inside a parenthesis
        return body.rfind("(") > body.rfind(")") and body.rfind("(") > body.rfind("\n")
    if not body or body[-1] in _closers():
        return False
    return body[-1].isascii() or body[-1].isalnum() or body[-1] in "–—，、；‘“„"  # an emoji closes

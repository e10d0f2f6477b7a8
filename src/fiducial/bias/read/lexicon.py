"""How each option may be named: its label, its own text, its place in the list.

A lexicon is made from the options and the prompt and kept in a cache, because one arm is read many
times. What needs compiling depends on the labels alone, so a new question costs no new pattern.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from fiducial.bias.read.reading import Option
from fiducial.bias.read.text import clean, runs, words

_NOUNS = (
    "option|choice|answer|letter|statement|alternative|program|programme|plan|policy"
    "|laptop|proposal|candidate|scenario"
    "|sequence|study|suspect|person|company|department|product|strategy|project"
    "|treatment|gamble|lottery|offer|bet"
    "|envelope|box|door|route|team|city|restaurant|gym|brand|model|investment|fund"
    "|portfolio|stock|job|house|apartment"
    "|contract|package|hypothesis|argument|number|item|case|group|hospital|school"
    "|vendor|supplier|design|applicant"
    "|version|method|approach|drug|urn|bag|phone|car|hotel|store|site|solution|response|sentence|selection"
)
NOUNS = frozenset(_NOUNS.split("|"))
_ALPHABET = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_WORD_ORDER = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


_LAST_BUT_ONE = ("penultimate", "second-to-last", "second to last", "next-to-last", "next to last", "last but one")
_CROSSED = re.compile("[✗✘❌✖]")
_LONGEST_ARTICLE = 4
_SHORT_LONE = 12  # a shorter text is matched sooner than its words are counted
_MOST_LONE = 3  # the words of "the option B"
_AFTER_LABEL = " \t\n.,;:!?\"'()[]{}*"


class Grammar(NamedTuple):
    """Patterns that depend on the labels alone."""

    family: str  # "letter", "digit" or "word"
    fold: dict[str, str]  # lower-case label -> label
    mention: re.Pattern[str]  # group 1: a label somewhere in a text
    loose: re.Pattern[str] | None  # group 1: a lower-case letter that its dress shows to be a label
    dressed: dict[str, tuple[str, ...]]  # a mark -> what a text has one of if `loose` matches there without a noun
    item: re.Pattern[str]  # group 2: a label that opens a line, as in a list; group 1: the noun before it
    lone: re.Pattern[str]  # group 1: a text that is nothing but a label
    joined: re.Pattern[str]  # matches after a label: another one hangs on it
    order: dict[str, str]  # "first" -> label
    order_words: frozenset[str]  # the words of its keys
    noun: str  # what all labels begin with: "program" of "Program X", "Program Y"

    def alone(self, line: str) -> re.Match[str] | None:
        """The match of a text that is nothing but a label: "B", "**(b)**", "Option B."; group 1 is the label."""
        if not line.isascii() and _CROSSED.search(line):
            return None  # "A ✗"
        end = line.rstrip(_AFTER_LABEL)[-2:]
        if self.family == "letter" and len(end) == 2 and end.isalnum():
            return None  # the end of a word: spares the pattern
        if self.family == "digit" and end[-1:].isalpha():
            return None
        if self.family != "word" and len(line) > _SHORT_LONE and len(runs(line)) > _MOST_LONE:
            return None
        return self.lone.fullmatch(line)


class Key(NamedTuple):
    """A text that names an option, and what is worth knowing before it is searched for."""

    text: str
    label: str
    first: str  # its first word, as in `vocabulary`
    figures: bool  # whether it begins or ends in a digit
    whole: str  # the option's full text, where that is this one after an article; else ""


class Lexicon(NamedTuple):
    """Everything known of the options of one question."""

    labels: tuple[str, ...]
    grammar: Grammar
    texts: tuple[tuple[str, str], ...]  # (text in lower case without its article, label), longest first
    full: dict[str, str]  # label -> text in lower case, as it stands after a label
    nouns: frozenset[str]  # "option", and what the prompt calls the options
    place: dict[str, int]  # label -> its place in the list
    yes_no: dict[str, str]  # "yes" and "no" -> label, where the options say just that
    keys: tuple[Key, ...]  # what `texts` are searched by

    def written(self, label: str) -> str:
        """The label as it stands in a text: X for "Program X"."""
        return label if self.grammar.family == "word" else label.rpartition(" ")[2]

    def bare(self, left: str) -> str:
        """A text without the noun, and its article, that it ends with: "I choose the laptop" of "… B"."""
        body = left.rstrip(" ([\"':\n")
        if not body or not body[-1].isalpha():
            return left
        word = body[body.rfind(" ") + 1 :]
        word = word[max(word.rfind("\n"), word.rfind("("), word.rfind('"')) + 1 :]
        if word not in self.nouns:
            return left
        at = len(body) - len(word)
        body = body[:at]
        return body[:-4] if body.endswith((" the ", "\nthe ")) or body == "the " else body


def _letter_mention(span: str) -> str:
    # not inside a word, an abbreviation (U.S.A.), a formula P(A), R&D, A+, C++, a possessive or B-cell;
    # the letter comes first in the pattern, so that the search can skip to the capitals
    return (
        rf"({span})(?![A-Za-z0-9+#&])(?<![A-Za-z0-9&°\\].)(?<![A-Za-z]['.\-].)(?<![^A-Za-z][A-Za-z]\(.)"
        r"(?!'[A-Za-z])(?!-[a-z])(?![-–][A-Z]\b)(?<!\b[A-Z][-–].)(?!\.[A-Za-z]\b)"
    )


def _loose(letters: str, noun: str) -> re.Pattern[str]:
    """A small letter that its dress, or the noun before it, shows to be a label: "b)", "(b)", "option b"."""
    alone = r"(?![A-Za-z0-9'])(?!\s+[a-z])"
    nouns = "|".join(
        f"(?<={re.escape(before)} .){alone}"
        for before in ("option", "choice", "letter", "answer", "answer:", "answer is", *([noun] if noun else []))
    )
    return re.compile(
        rf"([{letters}])(?![A-Za-z0-9])(?:(?<![A-Za-z0-9].)(?=\))(?!\)\()|(?<=[(\[\"'].)(?=[)\]\"'])|{nouns})"
    )


def _item(label: str, family: str) -> re.Pattern[str]:
    """A label after a line break: "A. …", "(A) …", "- Option A: …", "A - …"."""
    close = r"[)\].:\"']+(?=\s|$|[A-Z(\"])|[ \t]+[-–—=:][ \t]" + (r"|\)(?=\S)" if family == "letter" else "")
    # any word will do where it cannot be a label itself: `list_items` looks it up, which costs less than a pattern
    noun = f"(?i:{_NOUNS})" if family == "word" else "[A-Za-z]{3,11}"
    return re.compile(rf"\n[ \t]*(?:[-•+–>]+[ \t]*)?(?:({noun})[ \t]+)?[(\[\"']?({label})(?:{close})", re.M)


def _joined(label: str) -> re.Pattern[str]:
    """What hangs another label on the one before: ", B", " and B", "/B"."""
    glue = r",|/|&|\+|\b(?:or|and|as well as|und|oder|et|ou|y|o)\b|和|或|与"
    noun = rf"(?:(?:or|and)\s+)?(?:(?:the|both|also)\s+)?(?:(?i:{_NOUNS})s?\s+)?"
    return re.compile(rf"[)\]}}\"']*\s*(?:{glue})+\s*{noun}[(\[\"']?({label})(?![A-Za-z0-9'])")


def _shared_noun(labels: tuple[str, ...]) -> str:
    """The word that all labels begin with, where a letter or a number follows it: "program"."""
    parts = [label.lower().split() for label in labels]
    if len(parts) < 2 or any(len(part) != 2 or part[0] != parts[0][0] for part in parts):
        return ""
    marks = [part[1] for part in parts]
    letters = all(len(mark) == 1 and mark.isascii() and mark.isalpha() for mark in marks)
    numbers = all(len(mark) <= 2 and mark.isascii() and mark.isdigit() for mark in marks)
    return parts[0][0] if (letters or numbers) and len(set(marks)) == len(marks) else ""


@lru_cache(maxsize=256)
def grammar(labels: tuple[str, ...]) -> Grammar:
    """The patterns for these labels. "Program X", "Program Y" are known by their letters, as X and Y would be."""
    fold = {label.lower(): label for label in labels}
    marks, noun = labels, _shared_noun(labels)
    if noun:
        fold = {label.split()[-1].lower(): label for label in labels}
        marks = tuple(label.split()[-1] for label in labels)
    order = dict(zip(_WORD_ORDER, labels, strict=False)) | dict(
        zip(("1st", "2nd", "3rd", "4th"), labels, strict=False)
    )
    if labels:
        order["last"] = order["final"] = labels[-1]
    if len(labels) > 2:
        order |= dict.fromkeys(_LAST_BUT_ONE, labels[-2])
    if len(labels) in (3, 5, 7):
        order["middle"] = labels[len(labels) // 2]
    if len(labels) == 2:
        order["former"], order["latter"] = labels
    loose: re.Pattern[str] | None = None
    if all(len(mark) == 1 and mark.isascii() and mark.isalpha() for mark in marks):
        # every capital is seen, so that "the answer is H" is not taken for an answer among A to G
        family, label, mention = "letter", "[A-Z]", _letter_mention("[A-Z]")
        loose = _loose("".join(sorted(fold)), noun)
    elif all(len(mark) <= 2 and mark.isascii() and mark.isdigit() for mark in marks):
        family, label = "digit", r"\d{1,2}"
        unit = r"\s*(?:%|percent|million|billion|thousand|hundred|years?|days?)"
        mention = rf"(?<![\w.,$€£+\-/^])(?<!\d )({label})(?![\w%/]|[.,]\d|{unit})"
    else:
        family, label = "word", "(?i:" + "|".join(sorted(map(re.escape, fold), key=len, reverse=True)) + ")"
        mention = rf"(?<!\w)({label})(?!\w)"
    lone = "[A-Za-z]" if family == "letter" else label
    return Grammar(
        family,
        fold,
        re.compile(mention),
        loose,
        {
            close: tuple(opening + mark + close for mark in sorted(fold)) if len(fold) < 5 else (close,)
            for opening, close in (("", ")"), ("[", "]"), ('"', '"'), ("'", "'"))
        },
        _item(label, family),
        re.compile(
            rf"[\W_]*(?:(?:the )?(?:{_NOUNS}{'|' + re.escape(noun) if noun else ''})s?[\W_]+)?({lone})[\W_]*", re.I
        ),
        _joined(label),
        order,
        frozenset(key if key.isalnum() else "last" for key in order),
        noun,
    )


_RUN = re.compile(r"[^\W_]+")
_ARTICLE = re.compile(r"(?:the|an?|to)\s+(?=\S)")
_EDGE = " \t\n.;,:!?\"'()[]"


def _plain(text: str) -> str:
    """A text as a reply would have it after cleaning: single spaces, but one for each mark, such as $, that is blanked."""
    return clean(" ".join(text.split())).lower()


def _key(text: str) -> str:
    text = _plain(text).strip(_EDGE + "}{\\")
    match = _ARTICLE.match(text)
    return text[match.end() :].lstrip() if match else text


_MARK = re.compile(
    r"(?:^|(?<=[\s,;:?(]))(?:\(([A-Z]|\d{1,2})\)|([A-Z]|\d{1,2})\)|([A-Z]|\d{1,2})[.:](?=\s))\s*", re.M
)
_LINE_MARK = re.compile(r"^[ \t]*[-*•]?[ \t]*\(?([A-Z]|\d{1,2})[).:][ \t]+(?=\S)", re.M)
_TAIL = re.compile(r"[?\n]|\.(?=\s+[A-Z])|\s+(?:Answer|Please|Respond|Reply|Choose one)\b")


def _sequences(marks: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """The last run of labels that counts up from A or 1."""
    best: list[tuple[str, int, int]] = []
    run: list[tuple[str, int, int]] = []
    for mark in marks:
        label = mark[0]
        follows = run and (
            (label.isdigit() and run[-1][0].isdigit() and int(label) == int(run[-1][0]) + 1)
            or (not label.isdigit() and ord(label) == ord(run[-1][0][0]) + 1 and not run[-1][0].isdigit())
        )
        if follows:
            run.append(mark)
        elif label in ("A", "1"):
            run = [mark]
        else:
            continue
        if len(run) >= 2 and (run[0] is not (best[0] if best else None) or len(run) > len(best)):
            best = list(run)
    return best


@lru_cache(maxsize=1024)
def options_in(prompt: str) -> tuple[Option, ...]:
    """The options a prompt lists ("(A) … (B) …", lines "1. …"), or none."""
    for pattern in (_LINE_MARK, _MARK):
        marks = [(next(g for g in m.groups() if g), m.start(), m.end()) for m in pattern.finditer(prompt[-20_000:])]
        run = _sequences(marks)
        if len(run) < 2:
            continue
        body = prompt[-20_000:]
        found = []
        for this, following in zip(run, [*run[1:], None], strict=True):
            text = body[this[2] : following[1] if following else len(body)]
            if following is None or pattern is _LINE_MARK:
                cut = _TAIL.search(text) if pattern is _MARK else re.search(r"\n", text)
                text = text[: cut.start()] if cut else text
            text = re.sub(r"[\s,;(]*(?:\b(?:or|and)\b)?[\s,;(]*$", "", text).strip()
            found.append(Option(this[0], text.rstrip(".?")[:400]))
        return tuple(found)
    return ()


_WHICH = re.compile(
    r"\b[Ww]hich ((?!of\b|one\b|is\b|are\b|would\b|do\b|does\b|should\b|was\b|has\b|the\b|and\b|to\b)[a-z]{3,})\b"
)
_NAMED = re.compile(r"\b([A-Z][a-z]+)\s+(?:[A-Z]|[1-9])\b(?!\.\d)")
_GENERIC = NOUNS | frozenset(noun + "s" for noun in NOUNS)


_HEAD = re.compile(r"([^,;:(]{4,60}?)\s*(?:[,;:(]|\bbecause\b|\bsince\b|\bwhich\b|\s-\s)")


_EMPTY = words("the a an to of in on at for with and or it is be by he she they we you i")


def _aliases(full: dict[str, str]) -> dict[str, str]:
    """What tells options apart that begin or end alike: of "fund the clinic" and "fund the library", the last word."""
    split = {label: text.split() for label, text in full.items()}
    if len(split) < 2:
        return {}
    least = min(map(len, split.values()))
    head = tail = 0
    while head < least and len({parts[head] for parts in split.values()}) == 1:
        head += 1
    while tail < least - head and len({parts[-1 - tail] for parts in split.values()}) == 1:
        tail += 1
    if not head + tail:
        return {}
    found: dict[str, str] = {}
    for label, parts in split.items():
        alias = _key(" ".join(parts[head : len(parts) - tail]))
        if (len(alias) > 2 or alias.isdigit()) and alias not in _EMPTY:
            found[alias] = label
    return found if len(found) == len(split) else {}


_NAME = re.compile(r"(?<=[a-z,:] )[A-Z][a-z]{3,}\b")


def _names(options: Sequence[Option], in_prompt: dict[str, str]) -> dict[str, str]:
    """Proper names that only one option has: of "Switch to Nordwind" and "Switch to Lumen", "nordwind" and "lumen"."""
    texts = {
        o.label.strip(): o.text if o.text.strip() != o.label.strip() else in_prompt.get(o.label, "")
        for o in options
    }
    found: dict[str, str] = {}
    for label, text in texts.items():
        for name in _NAME.findall(text):
            elsewhere = any(re.search(rf"\b{name}\b", other, re.I) for one, other in texts.items() if one != label)
            if not elsewhere and name.lower() not in _MONTHS:
                found[name.lower()] = label
    return found


_MONTHS = words(
    """
    january february march april june july august september october november december monday tuesday wednesday thursday
    friday saturday sunday option only both none never always
    """
)


def _places(labels: tuple[str, ...]) -> dict[str, int]:
    return {label: place for place, label in enumerate(labels)}


@lru_cache(maxsize=4096)
def _lexicon(options: tuple[Option, ...], prompt: str | None) -> Lexicon:
    listed = options_in(prompt) if prompt else ()
    options = options or listed
    labels = tuple(dict.fromkeys(o.label.strip() for o in options if o.label.strip()))
    if not labels:
        return Lexicon(
            _ALPHABET, grammar(_ALPHABET)._replace(order={}), (), {}, _GENERIC, _places(_ALPHABET), {}, ()
        )
    in_prompt = {o.label: o.text for o in listed}
    keys: dict[str, str | None] = {}
    full: dict[str, str] = {}
    for option in options:
        label, given = option.label.strip(), option.text.strip()
        text = option.text if given and given != label else in_prompt.get(label, "")
        key = _key(text)
        if not key or key == label.lower():
            continue
        keys[key] = None if key in keys else label  # the same text twice names neither
        full[label] = _plain(text).strip(_EDGE)
    for alias, label in _aliases(full).items():
        if alias not in keys and not any(alias in key.split() for key, other in keys.items() if other != label):
            keys[alias] = label
    for name, label in _names(options, in_prompt).items():
        if name not in keys:
            keys[name] = label
    for key, named in list(keys.items()):
        # "the nucleus, because it holds DNA" may be called "the nucleus"
        head = _HEAD.match(key)
        if named and head and {owner for other, owner in keys.items() if head.group(1) in other} == {named}:
            keys[head.group(1)] = named
    texts = tuple(sorted(((k, v) for k, v in keys.items() if v), key=lambda kv: -len(kv[0])))
    yes_no = {key: named for key, named in keys.items() if key in ("yes", "no") and named}
    yes_no = yes_no if len(yes_no) == 2 else {}
    nouns: tuple[str, ...] = (_shared_noun(labels),) if _shared_noun(labels) else ()
    if prompt:
        counts: dict[str, set[str]] = {}
        for match in _NAMED.finditer(prompt[-8_000:]):
            counts.setdefault(match.group(1).lower(), set()).add(match.group().split()[-1])
        nouns += tuple(sorted(n for n, seen in counts.items() if len(seen & set(labels)) > 1))
        nouns += tuple(m.group(1).lower() for m in _WHICH.finditer(prompt[-8_000:]))
    named_by = tuple(_named_by(key, label, full.get(label, "")) for key, label in texts)
    return Lexicon(
        labels, grammar(labels), texts, full, _GENERIC | frozenset(nouns), _places(labels), yes_no, named_by
    )


def _named_by(text: str, label: str, full: str) -> Key:
    run = _RUN.search(text)
    article = 0 < len(full) - len(text) <= _LONGEST_ARTICLE and full.endswith(text)
    return Key(
        text,
        label,
        run.group() if run else "",
        text[0].isdigit() or text[-1].isdigit(),
        full if article else "",
    )


def lexicon(options: Sequence[Option] | None, prompt: str | None) -> Lexicon:
    """The lexicon for these options; without any, of those the prompt lists; else of the letters A to Z."""
    return _lexicon(tuple(options) if options else (), prompt)

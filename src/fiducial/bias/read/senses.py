"""What words mean alike: inflected forms are folded, and the acts and things that options are made of share a sense.

"Postpone the launch" is named by "I'd put off the launch", "$59 a year" by "fifty-nine dollars".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from fiducial.bias.read.numbers import word_numbers
from fiducial.bias.read.text import any_of, vocabulary, words

_TOKEN = re.compile(r"\d[\d.,]*|non-[^\W\d_]+|[^\W\d_]+(?:'s\b)?")
EMPTY = words(
    """
    the a an of to in is are and or that it on for with by as be been being this these those was were their its his
    her at from has have had than so if but not no yes one ones option options choice only any all both until when
    while then i you he she they we me us my your our them him here there what which who whom how do does did will
    would can could should must may might shall just very too also more most less least much many some such into out
    up down off over about per each every other another same now's it's that's i'd i'll i'm let's lets us let s t d ll
    re ve m n please thanks remaining
    """
)
LIGHT = words(
    """
    go going goes went take taking takes took pick picking choose choosing chose opt opting select selecting get getting
    make making use using do doing give giving have having put putting prefer favor favour say think believe recommend
    suggest start try want like lean leaning vote settle stick
    """
)
"""Verbs that commit to whatever follows them, so they say nothing of what it is."""

ACTS = words(
    """
    abstain accept add adopt agree allow apply approve ask attend avoid ban book borrow build buy call cancel
    change close confront continue cut decline delay demand deny do donate drop eat end expand extend finish
    fire fix focus follow franchise fund gamble give go grant hand help hire hold ignore increase inform
    invest join keep launch leave lend let lower maintain merge mend move offer open oppose order pay play
    postpone proceed promote publish pull purchase push put quit raise reduce refuse reject release remain
    rent repair replace report return risk run save scrap sell send settle share show sign skip spend stay
    stick stop strike study support suspend swap switch talk tell test try turn upgrade use vote wait walk
    warn watch withdraw work write
    """
)
"""Verbs that options begin with: what can be done."""

# a sense -> words and phrases that share it; a phrase counts as one word
_ALIKE = """
    stop: stop quit halt abandon cancel scrap end ditch; pull the plug; walk away; call it off; cut my losses
    wait: wait postpone delay defer; put off; put it off; hold off; hold the; push back; hold back; late
    keep: keep stay stick remain retain maintain; hold on to; hang on to; stay put; leave it; stand pat
    change: change switch move shift transfer swap
    sell: sell; cash out; exit
    buy: buy purchase order replace
    accept: accept agree sign settle settlement approve; say yes; take it; take the offer; take the deal; take the money
    reject: reject decline refuse deny; turn down; turn it down; say no; walk away
    sure: certain sure guaranteed guarantee certainty safe safer; for certain; for sure; play it safe; the safe side
    risk: chance gamble gambling probability lottery risk risky odds raffle lots; roll the dice; take my chances
    now: now today immediate immediately sooner; right away; straight away
    afterwards: later afterwards patience; in twelve months; next year; a year from now
    support: support endorse; vote for; vote in favor; vote in favour; vote yes
    oppose: oppose; vote against; vote no
    repair: repair fix mend renovate
    dismiss: fire dismiss; let go; let him go; let her go; part ways; lay off
    web: web online digital internet screen
    paper: print paper printed
    surgery: surgery operation operate surgical
    radiation: radiation radiotherapy
    watch: surveillance watch watching monitor monitoring; watch and wait
    talk: talk speak conversation word discuss
    ignore: ignore; let it slide; look the other way; do nothing; look away; leave it be
    continue: continue proceed finish complete; go on; press on; keep going; carry on; push on; go ahead
    publish: publish; go to print
    train: bus train transit rail rails; public transport
    plane: plane flight fly flying airplane aeroplane; by air
    class: class course lesson
    first: first earliest
    young: young youngest
    grow: expand extend longer enlarge
    ban: ban forbid prohibit; car-free
    fee: charge fee toll pricing
    trial: court lawsuit sue litigate; go to trial
    investor: investor investors funding; series a
    nothing: nothing inaction
    child: child children kid kids
    vaccine: vaccine vaccination vaccines jab jabs
    grill: barbecue bbq grill
    randomized: randomized randomised rct
"""


def _table() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in _ALIKE.strip().splitlines():
        sense, _, members = line.strip().partition(": ")
        single, *phrases = (part.strip() for part in members.split(";"))
        for member in (*single.split(), *phrases):
            found.setdefault(member, f"§{sense}")
    return found


_SENSES = _table()
_PHRASES = tuple(member for member in _SENSES if " " in member or "-" in member)
_PHRASE = re.compile(rf"\b{any_of(_PHRASES)}(?!\w)")
_PHRASING = frozenset(max(re.findall(r"\w+", phrase), key=len) for phrase in _PHRASES)
"""Of which a text with such a phrase has one"""


class Token(NamedTuple):
    """A telling word at `start:end`: its folded form."""

    start: int
    end: int
    fold: str


_FIGURES = dict(
    zip(
        ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
        map(str, range(2, 11)),
        strict=True,
    )
)


@lru_cache(maxsize=8192)
def fold(word: str) -> str:
    """The form that a word's inflections share, or the sense it has in common with other words."""
    if word[0].isdigit():
        return word.rstrip(".,").replace(",", "")
    if word in _FIGURES:
        return _FIGURES[word]  # "the two-dose schedule"
    word = word.replace("-", "")
    word = word.removesuffix("'s")
    for form in _stripped(word):
        if form in _SENSES:
            return _SENSES[form]
    for ending in (
        "ations",
        "ation",
        "ments",
        "ment",
        "ings",
        "ing",
        "ies",
        "ied",
        "ers",
        "ed",
        "es",
        "er",
        "ly",
        "s",
        "y",
        "e",
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "sl" else word


def _stripped(word: str) -> Iterator[str]:
    """The word and what it may be a form of."""
    yield word
    for ending in ("s", "ed", "d", "ing", "es"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            stem = word[: -len(ending)]
            yield stem
            if ending == "ing":
                yield stem + "e"
            if stem[-1] == stem[-2]:
                yield stem[:-1]


def _figure(value: float) -> str:
    return str(int(value)) if value.is_integer() else str(value)


def tokens(low: str, start: int = 0, end: int | None = None) -> list[Token]:
    """The telling words of a text in lower case, in order; numbers in words count as numbers."""
    end = len(low) if end is None else end
    part = low[start:end]
    found: list[Token] = []
    if not _PHRASING.isdisjoint(vocabulary(part)):
        found = [Token(start + m.start(), start + m.end(), _SENSES[m.group()]) for m in _PHRASE.finditer(part)]
    taken = [(t.start, t.end) for t in found]
    for number in word_numbers(part):
        if number.value > 1:
            found.append(Token(start + number.start, start + number.end, _figure(number.value)))
            taken.append((start + number.start, start + number.end))
    for match in _TOKEN.finditer(low, start, end):
        word = match.group()
        at = match.start()
        if (
            word in EMPTY
            or (len(word) < 2 and not word.isdigit())
            or (taken and any(a <= at < b for a, b in taken))
        ):
            continue
        found.append(Token(at, match.end(), fold(word)))
    found.sort()
    return found


def alike(word: str) -> frozenset[str]:
    """The single words that share the sense of a word, itself included."""
    sense = _SENSES.get(word)
    return frozenset(w for w, s in _SENSES.items() if s == sense and " " not in w) if sense else frozenset((word,))

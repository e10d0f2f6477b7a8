"""Which findings make the same claim, judged by their words alone.

Two findings are alike when they share the words that are rare among the findings at hand; the words of a template,
which stand in many of them, count little. Words cannot tell everything, so four things argue against:

- numbers and identifiers that differ ("R-12 has no criterion", "R-17 has no criterion");
- opposites that differ ("minimum", "maximum");
- defects of another kind ("the deadline is missing", "the deadline contradicts R-9");
- another topic in the same sentence ("no retention period for audit logs", "no retention period for messages").

A finding that is taken for another's duplicate is not judged, so `near_duplicates` merges only what is all but
certain. `content_clusters` merges more: it decides which findings count as independent, and merging too much makes an
interval wider, never narrower. Both compare with the first member of a cluster only: likeness is not passed on along
a chain. The work is bounded by leaving out words that stand in a fifth of a large set.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import log, sqrt
from typing import Any

import numpy as np
from msgspec import Struct
from scipy import sparse

from fiducial.review.finding import Finding

DUPLICATE = 0.55  # shared weight from which two findings of one output are the same finding
CONTENT = 0.40  # shared weight from which findings of different outputs are about the same thing

_RARE = 20  # a word in at most one of so many findings has full weight
_EVERYWHERE = 5  # a word in one of so many findings of a large set is left out
_LARGE = 1500  # findings from which a set is large
_BLOCK = 200  # findings compared with the others in one go
_DENSE = 200_000  # cells up to which a plain array is the faster one
_OTHER_KIND = 0.75  # factor for defects of another kind
_OTHER_NUMBERS = 0.8  # factor for numbers of which some are shared and some are not
_OTHER_TOPIC = 0.7  # factor where each has a word, in title and issue alike, that the other does not use at all

_PIECE = re.compile(
    r"(?P<identifier>\b[a-z]{1,12}[-_ ]?\d+(?:\.\d+)*[a-z]?\b)|(?P<number>\d+(?:[.,:]\d+)*)|(?P<word>[^\W\d_]+)"
)
_POSSESSIVE = re.compile(r"['’]s\b")
_PLACES = frozenset({"section", "sec", "chapter", "step", "phase", "table", "figure", "appendix", "line", "page"})
_STOP_WORDS = """
    a about above after again against all also although an and any are as at be because been before being between
    both but by can cannot could did do does done each either else every few for from further had has have having here
    how however if in into is it its itself just may might more most must neither nobody nor of off on once one only or
    other ought our out over own per same shall she should since so some such than that the their them then there these
    they this those though through to too under until up upon us very was we were what when where whether which while
    who whom whose why will with within would yet you your section sections document design plan requirement
    requirements specification text say says said state states stated give gives given named names describe describes
    described define defines defined specify specifies specified mention mentions mentioned way thing"""
_STOP = frozenset(_STOP_WORDS.split())
_KINDS = {
    "absent": """no not never nothing none without missing lacks lack lacking absent undefined unspecified unstated
        omits omitted nowhere""",
    "conflict": """contradicts contradict contradiction contradictory conflict conflicts conflicting inconsistent
        inconsistency disagree disagrees differs mismatch incompatible whereas""",
    "vague": "vague unclear ambiguous ambiguity imprecise subjective untestable unmeasurable",
}
_KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words.split()}
_OPPOSITES = """minimum/maximum min/max lower/upper before/after start/end first/last read/write online/offline
    increase/decrease early/late input/output internal/external short/long add/remove import/export send/receive
    inbound/outbound success/failure encrypt/decrypt"""
_ENDINGS = ("ations", "ation", "ments", "ment", "ings", "ing", "ions", "ion", "ies", "ied", "ed", "es", "s", "ly")
_IRREGULAR = {"criteria": "criterion", "indices": "index", "analyses": "analysis"}


class _Claim(Struct, frozen=True, kw_only=True):
    words: frozenset[str]
    topics: frozenset[str]  # the words that stand both in the title and after it
    kinds: frozenset[str]
    numbers: frozenset[str]  # quantities, dates and numbered places
    identifiers: frozenset[str]  # REQ-12, R9
    poles: frozenset[tuple[int, int]]  # which pair of opposites, which side


def near_duplicates(findings: Sequence[Finding]) -> list[list[int]]:
    """Clusters of indexes within one output, each in order; the first member stands for the rest."""
    claims = [_claim(f"{finding.title}\n{finding.issue or ''}", place=finding.section) for finding in findings]
    clusters: dict[int, list[int]] = {}
    for index, leader in enumerate(_leaders(claims, DUPLICATE)):
        clusters.setdefault(leader, []).append(index)
    return list(clusters.values())


def content_clusters(texts: Sequence[str]) -> list[int]:
    """The cluster of each text, across outputs: numbered from 0 in the order in which they first appear."""
    leaders = _leaders([_claim(text) for text in texts], CONTENT)
    numbers: dict[int, int] = {}
    return [numbers.setdefault(leader, len(numbers)) for leader in leaders]


def _claim(text: str, *, place: str | None = None) -> _Claim:
    """What can be compared of a finding. The first line of the text is its title."""
    words: tuple[set[str], set[str]] = (set(), set())
    kinds: set[str] = set()
    numbers: set[str] = set()
    identifiers: set[str] = set()
    title, _, rest = text.partition("\n")
    for part, own in ((title, words[0]), (rest, words[1])):
        for piece in _pieces(part):
            found = piece[0]
            if piece.lastgroup != "word":
                _number(found, piece.lastgroup == "identifier", numbers, identifiers)
            elif kind := _KIND_OF.get(found):
                kinds.add(kind)
            elif found not in _STOP and len(found) > 1:
                own.add(_stem(found))
    for piece in _pieces(place or ""):
        if piece.lastgroup == "identifier":
            _number(piece[0], True, set(), identifiers)
    every = words[0] | words[1]
    return _Claim(
        words=frozenset(every or {" ".join(text.split())}),  # a text without a word is compared as a whole
        topics=frozenset(words[0] & words[1]),
        kinds=frozenset(kinds),
        numbers=frozenset(numbers),
        identifiers=frozenset(identifiers),
        poles=frozenset(_POLE_OF[word] for word in every if word in _POLE_OF),
    )


def _pieces(text: str) -> Iterable[re.Match[str]]:
    return _PIECE.finditer(_POSSESSIVE.sub("", unicodedata.normalize("NFKC", text).casefold()))


def _number(found: str, lettered: bool, numbers: set[str], identifiers: set[str]) -> None:
    letters = re.sub(r"[-_ \d.].*", "", found)
    if not lettered or letters in _STOP or letters in _PLACES:
        numbers.add(re.sub(r"^[a-z]+[-_ ]?", "", found))
    elif " " in found:  # "takes 5 hours": a number with a word before it, not a name
        numbers.add(found.rpartition(" ")[2])
    else:
        identifiers.add(re.sub(r"[-_]", "", found))


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    """Roughly: "cancelled", "cancellation" and "cancels" have one stem. Nothing here depends on its being a word."""
    word = _IRREGULAR.get(word, word)
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            word = word[: -len(ending)]
            break
    word = word.rstrip("eyi") if len(word) > 4 else word
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


_POLE_OF = {
    _stem(word): (pair, side)
    for pair, both in enumerate(_OPPOSITES.split())
    for side, word in enumerate(both.split("/"))
}


def _leaders(claims: Sequence[_Claim], threshold: float) -> list[int]:
    """For each claim the first member of its cluster: the earlier leader it is most like, or itself."""
    own: dict[_Claim, int] = {}
    distinct = [own.setdefault(claim, index) for index, claim in enumerate(claims)]
    kept = sorted(own.values())
    leader_of: dict[int, int] = {}
    for row, likes in enumerate(_alike([claims[index].words for index in kept], threshold)):
        best, best_value = row, 0.0
        for column, value in likes:
            if column < row and leader_of[column] == column:
                judged = value * _doubt(claims[kept[row]], claims[kept[column]])
                if judged >= threshold and judged > best_value:
                    best, best_value = column, judged
        leader_of[row] = best
    rows = {index: row for row, index in enumerate(kept)}
    return [kept[leader_of[rows[index]]] for index in distinct]


def _doubt(a: _Claim, b: _Claim) -> float:
    """What the shared weight is multiplied by: 1 where nothing argues against, 0 where something forbids it."""
    for mine, other in ((a.numbers, b.numbers), (a.identifiers, b.identifiers)):
        if mine and other and not mine & other:
            return 0.0
    if {(pair, 1 - side) for pair, side in a.poles - b.poles} & (b.poles - a.poles):
        return 0.0
    factor = 1.0
    for mine, other in ((a.numbers, b.numbers), (a.identifiers, b.identifiers)):
        if mine - other and other - mine:
            factor *= _OTHER_NUMBERS
    if a.kinds and b.kinds and not a.kinds & b.kinds:
        factor *= _OTHER_KIND
    if a.topics - b.words and b.topics - a.words:
        factor *= _OTHER_TOPIC
    return factor


def _alike(sets: Sequence[frozenset[str]], threshold: float) -> Iterable[list[tuple[int, float]]]:
    """For each set of words, those that share at least `threshold` of their weight with it, as (index, share).

    The share is the weight of the common words over the geometric mean of both weights (Ochiai's coefficient).
    """
    count = len(sets)
    seen = Counter(word for words in sets for word in words)
    most = count / _EVERYWHERE if count > _LARGE else count
    # one occurrence is discounted: a word that two findings share is no commoner, between them, than their own words
    weight = {
        word: max(0.05, min(1.0, log(count / max(1, times - 1)) / log(_RARE)))
        for word, times in sorted(seen.items())
        if times <= most
    }
    column = {word: place for place, word in enumerate(weight)}
    total = [sqrt(sum(weight.get(word, 0.0) for word in words)) or 1.0 for words in sets]
    entries = [
        (row, column[word], sqrt(weight[word]) / total[row])
        for row, words in enumerate(sets)
        for word in sorted(words & weight.keys())
    ]
    if not entries:
        yield from ([] for _ in sets)
        return
    rows, columns, values = (np.asarray(part) for part in zip(*entries, strict=True))
    small = count * len(column) <= _DENSE
    table: Any = np.zeros((count, len(column))) if small else sparse.csr_matrix((values, (rows, columns)))
    if small:
        table[rows, columns] = values
    for start in range(0, count, _BLOCK):
        shared = table[start : start + _BLOCK] @ table.T
        for row in shared if small else shared.toarray():
            near = np.flatnonzero(row >= threshold)
            yield list(zip(near.tolist(), row[near].tolist(), strict=True))

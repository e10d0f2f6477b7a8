"""Do two items share a skeleton: the same text with other things in it?

An item's base text (its text with the control, and its options) is reduced to what carries its structure: slots,
numbers and names become `#`, words that few items of the battery use become `_`, sentence ends stay. Two such texts
are aligned, and their similarity is the share of the words left that the alignment matches.

`SAME` was chosen between two distributions. Over all 3,240 pairs of packaged items inside a bias the similarity is .11
in the median, .29 at the 99th percentile and .40 at most. Copies of the items with every word beyond the 150 commonest
exchanged for another word of the battery have .79 in the median and .59 at the 1st percentile with their originals (1
of 270 below .5).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from msgspec import Struct

from fiducial.bias.item import Bias, ItemSpec, Spans

SAME = 0.5
RARE = 0.02  # a word that at most this share of the items use says what an item is about, not how it is built

FILLED, RARE_WORD, END = "#", "_", "."
ENDS = frozenset(".?!")
_MASKS = frozenset({FILLED, RARE_WORD, END})
_WORD = re.compile(r"\{[^}]*\}|[^\W\d_]+(?:['’][^\W\d_]+)*|\d+(?:[.,:]\d+)*|[.?!]")


class Shared(Struct, frozen=True):
    """An item, the earlier item it resembles most without both declaring it, and how much."""

    item: str
    other: str
    similarity: float

    def __str__(self) -> str:
        alike = f"{self.similarity:.2f}".lstrip("0")
        return f"shares a skeleton with {self.other!r} (similarity {alike})"


def base_words(item: ItemSpec) -> tuple[str, ...]:
    """The words of the item's base text in lower case, with slots, numbers and names masked."""
    places = _places(item)
    words: list[str] = []
    for part in (item.text, *(option.text for option in item.options)):
        start = True
        for word in _WORD.findall(_put(part, places)):
            if word in ENDS:
                words.append(END)
            elif word[0] == "{" or word[0].isdigit() or (word[0].isupper() and not start and word != "I"):
                words.append(FILLED)
            else:
                words.append(word.lower())
            start = word in ENDS
        words.append(END)
    return tuple(words)


def _places(item: ItemSpec) -> dict[str, str]:
    """The marked places as the control fills them, or else the moderate text of the first side."""
    spans: str | Mapping[str, Spans] = item.control or item.pair or item.intensities.get("moderate", "")
    if not isinstance(spans, str) and item.sides and (own := spans.get(next(iter(item.sides)))):
        spans = own
    if isinstance(spans, str):
        return {"span": spans}
    return {name: text for name, text in spans.items() if isinstance(text, str)}


def _put(text: str, places: Mapping[str, str]) -> str:
    """The marked places filled; slots inside them stay to be masked."""
    return re.sub(r"\{([a-z][a-z0-9_]*)\}", lambda m: places.get(m.group(1), m.group()), text)


class Vocabulary:
    """In how many items each word occurs."""

    def __init__(self, items: Iterable[ItemSpec]) -> None:
        texts = [set(base_words(item)) for item in items]
        self._counts = Counter(word for words in texts for word in words)
        self._most = max(1.0, RARE * len(texts))

    def masked(self, words: Sequence[str]) -> tuple[str, ...]:
        """Rare words masked, each run of them as one."""
        kept: list[str] = []
        for word in words:
            shown = word if word in _MASKS or self._counts[word] > self._most else RARE_WORD
            if not (shown == RARE_WORD and kept and kept[-1] == RARE_WORD):
                kept.append(shown)
        return tuple(kept)


def similarity(first: tuple[str, ...], second: tuple[str, ...]) -> float:
    """The share of the words left in two masked texts that stand in both in the same order; 1 where they are equal."""
    if first == second:
        return 1.0
    # SequenceMatcher may align (a, b) and (b, a) differently: sorted, so that the order of the items does not matter.
    a, b = sorted((first, second))
    blocks = SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
    matched = sum(_words(a[block.a : block.a + block.size]) for block in blocks)
    return 2 * matched / max(1, _words(a) + _words(b))


def _words(masked: Sequence[str]) -> int:
    return sum(word not in _MASKS for word in masked)


def shared_skeletons(bias: Bias, vocabulary: Vocabulary) -> Iterator[Shared]:
    """Items too similar to an earlier one of the bias, unless both declare the same skeleton; each once."""
    seen: list[tuple[ItemSpec, tuple[str, ...]]] = []
    for item in bias.items:
        masked = vocabulary.masked(base_words(item))
        near = [
            Shared(item.id, other.id, found)
            for other, text in seen
            if (item.skeleton is None or item.skeleton != other.skeleton)
            and (found := similarity(text, masked)) >= SAME
        ]
        if near:
            yield max(near, key=lambda pair: pair.similarity)
        seen.append((item, masked))


def nearest(item: ItemSpec, others: Iterable[ItemSpec], vocabulary: Vocabulary) -> Shared | None:
    """The other item that a new one resembles too much, whatever either declares; None where there is none."""
    text = vocabulary.masked(base_words(item))
    alike = [Shared(item.id, other.id, similarity(text, vocabulary.masked(base_words(other)))) for other in others]
    most = max(alike, key=lambda pair: pair.similarity, default=None)
    return most if most is not None and most.similarity >= SAME else None

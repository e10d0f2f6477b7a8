"""Is a paraphrase one: the same facts and places in other words?

Both texts are compared as they stand in the file, before the seed fills them: what is wrong there is wrong for every seed.
`ALIKE` lies between two kinds of pairs. The 70 paraphrases of the packaged battery have a similarity of .57 at most to their
texts; a text with every tenth word exchanged has about .9, and with every fourth about .75.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from fiducial.bias.item import ItemSpec
from fiducial.bias.marked import marked_places

ALIKE = 0.6
"""Texts that share this much of their words, in the same order, are one wording."""

_FROM_THREE = (
    "three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SPELT = {word: str(n) for n, word in enumerate(_FROM_THREE.split(), 3)} | {
    word: str(10 * n) for n, word in enumerate(_TENS.split(), 2)
}
"""Without one and two, which stand in "one of them" and "which of the two"."""
_WORD = re.compile(r"\{[^}]*\}|[^\W\d_]+(?:['’][^\W\d_]+)*|\d+(?:[.,:]\d+)*")


def paraphrase_problems(item: ItemSpec) -> Iterator[str]:
    """What keeps the item's paraphrase from being one."""
    if item.paraphrase is None:
        return
    places = {f"{{{name}}}" for name in marked_places(item)}
    before, after = _words(item.text), _words(item.paraphrase)
    for place in sorted(places):
        times, again = before.count(place), after.count(place)
        if times != again:
            yield f"paraphrase: has {place} {_times(again)}, the text has it {_times(times)}"
    facts, told = ({_fact(word) for word in words} - places - {None} for words in (before, after))
    for fact in sorted(map(str, facts - told)):
        yield f"paraphrase: leaves out {fact}, which the text has"
    for fact in sorted(map(str, told - facts)):
        yield f"paraphrase: adds {fact}, which the text does not have"
    if (alike := similarity(item.text, item.paraphrase)) >= ALIKE:
        yield f"paraphrase: is the text over again (similarity {alike:.2f}, below {ALIKE:.2f} is needed)"


def similarity(text: str, other: str) -> float:
    """The share of the words of two texts that stand in both in the same order, slots and places counted as words."""
    # SequenceMatcher may align (a, b) and (b, a) differently: sorted, so that the order of the texts does not matter.
    a, b = sorted((_words(text), _words(other)))
    return SequenceMatcher(None, a, b, autojunk=False).ratio()


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _fact(word: str) -> str | None:
    """A slot as it is written, or a number however it is spelt; None for any other word."""
    if word[0] == "{" or word[0].isdigit():
        return word
    return _SPELT.get(word)


def _times(count: int) -> str:
    return {0: "not at all", 1: "once"}.get(count, f"{count} times")

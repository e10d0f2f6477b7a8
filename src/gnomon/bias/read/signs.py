"""Which cues a text can hold at all, told by its words in one look: a cheap test before slow patterns.

Every pattern here has a sign, a bit that `signs` sets for a text which has one of the words that each match of the
pattern has one of. A text without the sign need not be searched; nor need any part of it.
"""

from __future__ import annotations

from functools import lru_cache

from gnomon.bias.read.text import holds, vocabulary

_BITS: dict[str, int] = {}  # word -> the signs it is one of
_STEMS: list[tuple[tuple[str, ...], int]] = []  # beginnings of words, with their sign
_FAR: list[int] = [0]  # the signs that a text may have by a mark or a word that is not ASCII
_COUNT: list[int] = [0]


def sign(words: str, *, stems: str = "", far: bool = False) -> int:
    """A new sign of these words, as `vocabulary` has them ("isn" and "t" of "isn't"), and of what begins so."""
    bit = 1 << _COUNT[0]
    _COUNT[0] += 1
    for word in words.split():
        _BITS[word] = _BITS.get(word, 0) | bit
    if stems:
        _STEMS.append((tuple(stems.split()), bit))
    if far:
        _FAR[0] |= bit
    return bit


@lru_cache(maxsize=16)
def signs(low: str) -> int:
    """The signs of a text in lower case, as the bits of a number."""
    found = 0 if low.isascii() else _FAR[0]
    for word in _BITS.keys() & vocabulary(low):
        found |= _BITS[word]
    for stems, bit in _STEMS:
        if not found & bit and holds(low, stems):
            found |= bit
    return found


OTHERS = sign(
    """
    think say guess expect assume might may could would some many people students misconception first initially
    originally thought believed assumed said chose picked guessed was were been used someone user mentioned suggested
    intuitive intuitively gut those anyone customers buyers
    """,
    stems="tempt mistak",
)
HYPOTHESIS = sign("if unless suppose supposing assume assuming were had when case depending wenn falls")
FORCED = sign("if were when where assuming")
VETO = sign("not t cannot never neither nobody no decline refuse unable impossible reluctant hesitate")
DOUBT = sign("not t never no nobody whether why")
MAYBE = sign("could might may can possibly possible perhaps maybe")
WRONG = sign(
    "incorrect wrong false not isn doesn inaccurate untrue eliminate eliminated ruled unlikely irrelevant no",
    far=True,
)
CONTRAST = sign(
    "but however yet although though still nevertheless nonetheless said so therefore thus hence instead then"
)
BAD_ANSWER = sign(
    """
    incorrect wrong worst tempting popular intuitive naive naïve trap distractor bad common opposite alternative another
    other initial previous earlier your their his her user least second eliminate eliminated next possible plausible
    potential first
    """
)
FAVOURS = sign(
    """
    true need needs deserve deserves more most better best should would choose correct right win wins superior optimal
    rational go higher greater seem seems answer complete covers includes lists names only has offers gives does
    """,
    stems="prefer recommend",
)

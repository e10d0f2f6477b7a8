"""Which cues a text can hold at all, told by its words in one look: a cheap test before slow patterns.

Every pattern here has a sign, a bit that `signs` sets for a text which has one of the words that each match of the
pattern has one of. A text without the sign need not be searched; nor need any part of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from fiducial.bias.read.text import holds, runs, vocabulary

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
    return _signs(low, _KNOWN & vocabulary(low))


def signs_of(clause: str) -> int:
    """The same for a short text that is asked about once."""
    return _signs(clause, [word for word in runs(clause) if word in _BITS])


def _signs(low: str, words: Iterable[str]) -> int:
    found = 0 if low.isascii() else _FAR[0]
    for word in words:
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

# around a number
DENIED = sign(
    """
    not t never no than instead neither nor least most up nothing minimum maximum claim claimed claims guess guessed
    suggested suggestion anchor
    """
)
CHANGE = sign("wait more actually correction second scratch make rather no oops to")
CONFIDENT = sign("confidence certainty confident sure")
THUS = sign(
    """
    so together thus therefore hence overall total altogether all making makes i that other meaning round rounds rounded
    rounding
    """
)
SUPPOSED = sign("if unless suppose supposing tell let should provided had were")
UNDER = sign("if unless otherwise when without case")
CALLED = sign("call consider deem find think")
OWNED = sign(
    """
    forecast estimate guess answer prediction figure number bid offer price valuation rating pick choice bet amount value
    right it works exact precise
    """
)
ANSWER = sign(
    """
    answer answers ans estimate estimates guess rating result verdict recommendation solution prediction forecast
    valuation antwort respuesta risposta resposta
    """,
    far=True,
)
WHO = sign("i we my me ich je")
OWN_VERB = sign(
    """
    say estimate guess go going rate pay offer bid choose pick put assign give expect predict value believe think
    settle stick agree answer recommend suggest sell accept conclude select propose vote schätze dirais plan budget
    count aim reckon call make set peg figure land end come price ask charge allow project forecast happy content
    satisfied fine okay ok comfortable let part assume
    """
)
FORCES = sign("if forced gun were putting placing imagining picturing place shoes position")

# the force of a clause
OF_OTHERS = sign(
    """
    many most some few people others someone everyone everybody anyone critics students economists customers would first
    initially originally used was thought started
    """,
    stems="tempt",
)
DOUBTS = sign("not t never hardly doubt whether why how no regardless")
MAKES = sign("make makes")
UNWISE = sign(
    "unwise foolish reckless premature mad crazy insane silly stupid fool idiot mistake idea wrong reason"
)
NEGATED = sign(
    """
    not never cannot nor neither hardly nothing t out excluded eliminate eliminated too wrong incorrect false worse worst
    unlikely likely second runner fallback table mistake inferior fail fails no
    """
)
POINTS = sign(
    """
    leaves likely probable left remains speak speaks favor favour favors favours point points argue argues tip tips come
    comes best better wise wiser wisest smarter sensible right rational reasonable sense time strongest safest smartest
    most answer choice option pick compromise solution course decision diagnosis explanation winner bet call move thing
    one way figure number estimate value appraisal forecast goes go must has
    """
)
VERDICT = sign(
    """
    better best right correct wises wiser wisest wisert smarter smartest safes safer safest safert sensible sounder
    soundest preferable superior optimal ideal stronger strongest winner answer way obvious clear fair fairer fairest
    realistic rational reasonable more most likeliest responsible true accurate appropriate logical natural only one
    comes takes gets fits strikes stands hard ticks offers gives what will do does has makes carries
    """,
    stems="wins deserves beats trumps outweighs suits",
)
IT_IS = sign("it me then")
BARE = sign(
    """
    going sticking staying leaning opting voting settling siding thumbs cheers hooray hats yes take use choose pick
    select go opt stick settle put make
    """
)
OWN = sign("my our me mine give make")
NOR = sign("nor")

_KNOWN = frozenset(_BITS)

"""An answer given by restating the question: "Mercury has the shortest orbital period"."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from fiducial.bias.read import cues
from fiducial.bias.read.clauses import Sentence, main_clause, masked, sentences
from fiducial.bias.read.lexicon import Lexicon
from fiducial.bias.read.marks import DANGLES, ODD_ASKED
from fiducial.bias.read.mentions import Mention
from fiducial.bias.read.reading import MEDIUM, WEAK, Commitment
from fiducial.bias.read.text import holds, looks_cut, sentence_start, vocabulary, words

_TOKEN = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"(?<![\w.,])\d[\d.,]*(?!\w)")
_EMPTY = words(
    """
    the a an of to in is are and or that it on for with by as be this these those was were their its his her at from
    has have had which what who how many much does do did not option answer choice one reply sentence following would
    will can i you he she they we there than so if but letter only end line correct best select choose pick question
    please thus therefore hence overall
    """
)
_REASON = re.compile(r"\b(?:because|since|as|due to|given|so that|thanks to)\b")
_UNDECIDED = ("both", "neither", "equal", "either", "however", "depend", "although", "same")
_IS_NOT = re.compile(r"[\s\"')]*(?:(?:is|are|was|were|does|do|did|can|has|would) ?(?:n't|not)\b|cannot\b|never\b)")
_REACH = 600


def telling(text: str) -> frozenset[str]:
    """The telling words of a text, cut to what their inflected forms share."""
    return frozenset([word[:5] for word in _TOKEN.findall(text) if len(word) > 1 and word not in _EMPTY])


@lru_cache(maxsize=4096)
def told_by(texts: tuple[str, ...]) -> frozenset[str]:
    """The telling words of several texts, such as the options."""
    return frozenset[str]().union(*map(telling, texts))


_FIRST_MARK = re.compile(r"(?:^|[\s:])\(?[A1][).:]\)?\s")


@lru_cache(maxsize=1024)
def asked_words(prompt: str) -> frozenset[str]:
    """The telling words of the question itself: the last sentence that asks, else the last before the options."""
    marks = list(_FIRST_MARK.finditer(prompt))
    stem = prompt[: marks[-1].start()].rstrip() if marks else prompt
    end = stem.rfind("?") + 1 or len(stem)
    start = sentence_start(stem, end - 1, 400)
    question = stem[start:end].lower()
    return telling(question) | ({"if"} if re.search(r"\bif\b", question) else frozenset())


_BETWEEN = re.compile(r"[\s\"',(:–—-]*(?:the |an? )?(?:option|choice|answer|letter)?[\s(\[\"']*")


def _paired(low: str, inside: list[Mention]) -> bool:
    """Whether the option is named by its text and its label side by side: "1989 (J)", "(J) 1989"."""
    if any(m.kind == "label" and m.tail > m.end for m in inside):
        return True
    return any(
        one.kind == "text" and two.kind == "label" and _BETWEEN.fullmatch(low, one.end, two.start)
        for one, two in pairwise(inside)
    )


def last_figure(low: str, mention: Mention) -> bool:
    """For an option that is a number: that it is no operand, and that no other number comes after it as a result."""
    if not low[mention.end - 1].isdigit():
        return True
    if re.match(r"\s*[-+*/×=^]\s*\d|\s*[=×]", low[mention.end : mention.end + 6]):
        return False
    if re.search(r"\d\s*[-+*/×^]\s*$|[*/×^]\s*$", low[max(0, mention.start - 6) : mention.start]):
        return False
    reason = _REASON.search(low, mention.end)
    rest = low[mention.end : reason.start() if reason else len(low)]
    own = low[mention.start : mention.end]
    return not any(figure.strip(".,") not in own for figure in _NUMBER.findall(re.sub(r"\([^()]*\)", "", rest)))


def _within(mentions: list[Mention], main: tuple[int, int]) -> list[Mention]:
    """The options that the main clause names."""
    start, end = main
    return [m for m in mentions if start <= m.start < end and m.label is not None]


def _asserts(
    low: str, sentence: Sentence, main: tuple[int, int], mentions: list[Mention], asked: frozenset[str], odd: bool
) -> Mention | None:
    """The one option that the clause `main` speaks of, where it does so without doubt or denial.

    `odd`: what is *not* so was asked for.
    """
    start, end = main
    inside = _within(mentions, main)
    if len({m.label for m in inside}) != 1 or sentence.asks(low):
        return None
    named = inside[-1]
    said = masked(low, start, end, mentions)
    before = said[: named.start - start]
    if cues.vetoes(before) or cues.WRONG.search(said):
        return None
    if not odd and _IS_NOT.match(said, min(len(said), named.tail - start)):
        return None  # "21 is not prime"
    if cues.OTHERS.search(masked(low, sentence.start, sentence.end, mentions)):
        return None
    if cues.HYPOTHESIS.search(before) and "if" not in asked:  # a question with an "if" is answered with one
        return None
    if cues.NEGATED_LEFT.search(low[max(start, named.start - 60) : named.start]):
        return None
    if named.end - named.start < 2 and named.kind == "text" and not low[named.start].isdigit():
        return None  # a letter of a formula
    return named if last_figure(low, named) else None


@lru_cache(maxsize=4096)
def _own_stems(texts: tuple[tuple[str, str], ...]) -> dict[str, frozenset[str]]:
    """Label -> the telling words of the option."""
    stems: dict[str, frozenset[str]] = {}
    for key, label in texts:
        stems[label] = stems.get(label, frozenset()) | telling(key)
    return stems


def _loosely(low: str, mentions: list[Mention], lex: Lexicon, asked: frozenset[str]) -> list[Mention]:
    """Further mentions, of options named in other forms of their words: "mitochondria" for "mitochondrion"."""
    named = {m.label for m in mentions}
    found: list[Mention] = []
    if len(low) > _REACH:
        return found
    said = frozenset(word[:5] for word in vocabulary(low))
    tokens: list[tuple[str, int, int]] = []
    for label, stems in _own_stems(lex.texts).items():
        if label in named or not stems or not stems <= said or stems <= asked or min(map(len, stems)) < 4:
            continue
        tokens = tokens or [(t.group()[:5], t.start(), t.end()) for t in _TOKEN.finditer(low)]
        for sentence in sentences(low):
            inside = [t for t in tokens if sentence.start <= t[1] < sentence.end and t[0] in stems]
            if {t[0] for t in inside} == stems:
                found.append(Mention(inside[0][1], inside[-1][2], label, "text", inside[-1][2]))
    return found


class Claim(NamedTuple):
    """A clause that speaks of one option alone, and how many of the question's telling words it has."""

    named: Mention
    shared: int
    said: int
    concludes: bool


_BRACKETS = re.compile(r'\([^()\n]{1,120}\)|"[^"\n]{1,120}"')
_PARTS = re.compile(r"\s(?:and|while|whereas)\s|;\s|,\s(?:(?:but|and|while|whereas|so)\s)?|\sbut\s")


def _claims(
    low: str, naming: list[Sentence], mentions: list[Mention], lex: Lexicon, asked: frozenset[str], odd: bool
) -> list[Claim]:
    """What is claimed of single options, clause by clause; a clause after a "but" weighs more."""
    stems = _own_stems(lex.texts)
    found = []
    for sentence in naming:
        flat = _BRACKETS.sub(lambda m: "x" * len(m.group()), low[: sentence.end])
        cuts = [
            sentence.start,
            *(m.end() for m in _PARTS.finditer(flat, sentence.start, sentence.end)),
            sentence.end,
        ]
        whole = len({m.label for m in mentions if sentence.start <= m.start < sentence.end}) == 1
        for part in [(sentence.start, sentence.end)] if whole else pairwise(cuts):
            start, end = main_clause(low, *part)
            named = _asserts(low, sentence, (start, end), mentions, asked, odd)
            if named is None or named.kind != "text":
                continue
            own = stems[named.label or ""]
            others = frozenset().union(*(s for label, s in stems.items() if label != named.label)) - own
            said = telling(low[start:end]) - own
            bonus = low[:start].endswith(("but ", "so "))
            found.append(
                Claim(
                    named,
                    len(said & (asked - others)) + bonus,
                    len(said),
                    cues.CONCLUDES.match(low[sentence.start : sentence.end]) is not None,
                )
            )
    return found


def _restated(named: Mention, tier: int, loose: list[Mention]) -> Commitment:
    return Commitment(named.start, named.end, named.label, tier, "resembles" if named in loose else "restates")


def restates(text: str, low: str, mentions: list[Mention], lex: Lexicon, prompt: str | None) -> Commitment | None:
    """The option of which a reply says what was asked for.

    Either its last sentence names the option by its text and by its label, or one clause shares the
    question's telling words and no clause about another option shares nearly as many.
    """
    if looks_cut(text) and (len(text) > 60 or DANGLES.search(low)):
        return None
    asked = asked_words(prompt) if prompt else frozenset[str]()
    odd = bool(prompt and ODD_ASKED.search(prompt))
    near = [m for m in mentions if m.start >= len(low) - _REACH and m.label is not None]
    loose = _loosely(low, mentions, lex, asked) if prompt and not any(m.kind == "label" for m in near) else []
    if loose:
        near = sorted(near + loose)
    if not near:
        return None
    naming = [s for s in sentences(low, low.rfind("\n", 0, near[0].start) + 1) if s.names(near)]
    last = naming[-1]
    main = last.main(low)
    named = _asserts(low, last, main, near, asked, odd)
    if named is not None and not holds(low[last.end :], _UNDECIDED):
        inside = [m for m in near if main[0] <= m.start < last.end and m.label == named.label]
        before = low[last.start : inside[0].start].strip(" \n\"'([*-–—>•.)0123456789")
        if before and before not in lex.nouns and _paired(low, inside):
            return _restated(named, MEDIUM, loose)
    claims = _claims(low, naming, near, lex, asked, odd) if prompt else []
    if not claims:
        return None
    best = max(claims, key=lambda claim: claim.shared)  # the first of equals
    rival = max((c.shared for c in claims if c.named.label != best.named.label), default=0)
    if best.shared < 2 * rival or holds(low[best.named.end :], _UNDECIDED):
        return None
    whole = best.shared >= best.said and (len(naming) == 1 or best.concludes)
    alone = len({m.label for m in near}) == 1
    if (whole and alone and not best.said and len(low) < 80) or (
        len(naming) == 1 and low.lstrip().startswith("because ")
    ):
        return _restated(best.named, WEAK, loose)
    discussed = len({c.named.label for c in claims}) > 2 and all(c.said for c in claims)
    if best is claims[-1] and best.shared and not rival and discussed:
        return _restated(best.named, WEAK, loose)
    much = best.shared >= 0.5 * best.said or best.shared >= 0.4 * len(asked - {"if"})
    if not ((best.shared and whole) or (best.shared > 1 and much)):
        return None
    return _restated(best.named, MEDIUM if best.shared > 1 else WEAK, loose)

"""Options told by a word or a figure that no other option has: "Replace it", "I'd roll the dice on the $1,000"."""

from __future__ import annotations

import re
from functools import lru_cache

from gnomon.bias.read import cues
from gnomon.bias.read.decide import first_person
from gnomon.bias.read.lexicon import Lexicon
from gnomon.bias.read.mentions import Mention
from gnomon.bias.read.reading import WEAK, Commitment
from gnomon.bias.read.text import looks_cut, words

_TOKEN = re.compile(r"\d[\d.,]*|[^\W\d_]+")
_CLAUSE = re.compile(r"(?:[^.;!?\n,:]|[.,:](?=\d))+")
_EMPTY = words(
    """
    the a an of to in is are and or that it on for with by as be this was were their its his her at from has have had
    than so if but not no yes one option choice only any all until when while then now i you he she they we my your our
    """
)
_TAKES = words(
    """
    go take pick choose stay stick keep opt select accept use try get do make stand follow hold buy fund send give ask
    prefer consider recommend play have i'd definitely probably certainly just simply rather
    """
)
_DENIES = re.compile(
    r"\b(?:not|never|don't|doesn't|won't|wouldn't|shouldn't|avoid|against|no"
    r"|(?:stay|steer|keep)(?: well)? (?:away|clear))\b|n't\b"
)
_PRAISES = re.compile(
    r"\b(?:is|are|would be|seems|looks)\b[^.]{0,24}\b(?:better|best|wiser|wisest|smarter|smartest|right|safer"
    r"|safest|sounder"
    r"|preferable|sensible|way to go|winner|choice|answer)\b|\bwins?\b|\bit is\s*$"
    r"|\bmakes? (?:the most |more |good |perfect )?sense\b|\btime (?:for|to)\b"
)
_DESCRIBES = re.compile(r"\b(?:is|are|was|were|has|have|had|will|would|can|could|may|does|lies)\b")
_AGAINST = re.compile(r"\b(?:i|we)(?:'d| would| do| will)?\b[^.]{0,20}\b(?:advise|recommend|vote|be) against\b")
_LONGEST = 200
# a sure thing and a gamble go by many names -> what tells the option, and what a reply calls it
_FAMILIES = {
    "§sure": (
        re.compile(r"\b(?:certain|sure|guaranteed|certainty)\b"),
        re.compile(
            r"\b(?:the|a|that|my) (?:sure|safe|safer|certain|guaranteed)\b|\bplay(?:ing)? (?:it )?safe\b|\bsafe side\b"
            r"|\bsure (?:thing|money|gain|win|amount|payment)\b"
        ),
    ),
    "§risk": (
        re.compile(r"\b(?:chance|probability|gamble|lottery|odds)\b"),
        re.compile(
            r"\bgambl(?:e|ing)\b|\blottery\b|\brisk(?:ing)? it\b|\b(?:take|taking) (?:the|a) (?:risk|chance|bet)\b"
            r"|\b(?:my|our) chances\b|\broll(?:ing)? the dice\b"
        ),
    ),
}


def _stem(token: str) -> str:
    return token.rstrip(".,") if token[0].isdigit() else token[:5]


@lru_cache(maxsize=4096)
def _told(full: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Stem -> the only option that has it."""
    owners: dict[str, set[str]] = {}
    for label, text in full:
        for token in _TOKEN.findall(text):
            if token not in _EMPTY and len(token) > 1:
                owners.setdefault(_stem(token), set()).add(label)
        for family, (own, _) in _FAMILIES.items():
            if own.search(text):
                owners.setdefault(family, set()).add(label)
    return {stem: labels.pop() for stem, labels in owners.items() if len(labels) == 1}


def _labels(clause: str, told: dict[str, str]) -> set[str]:
    """The options that a clause hints at."""
    found = {told[_stem(t)] for t in _TOKEN.findall(clause) if t != "certainly" and _stem(t) in told}
    return found | {told[name] for name, (_, said) in _FAMILIES.items() if name in told and said.search(clause)}


_LAST_ORDER = re.compile(
    r"\s*(?:(?:so|then|just|simply|please|therefore)[,:]?\s+)?(?P<not>(?:don't|do not|never)\s+)?(?P<verb>[a-z]{3,})"
    r"(?:\s+(?:it|this|that|them|the \w+|now|today|at once|instead))*[.!\s]*"
)


def _ordered(low: str, tail: int, lex: Lexicon) -> Commitment | None:
    """A last sentence that is an order by an option's own verb: "… It has failed twice. Replace it."."""
    end = len(low.rstrip(" .!\n"))
    starts = [low.rfind(mark, tail, end) for mark in (". ", "! ", "? ", "\n")]
    order = _LAST_ORDER.fullmatch(low, max(starts) + 1) if max(starts) >= 0 or not tail else None
    if order is None:
        return None
    owners = [label for label, text in lex.full.items() if " " in text and text.split()[0] == order.group("verb")]
    if len(owners) != 1 or order.group("verb") in _EMPTY:
        return None
    label = owners[0]
    if order.group("not"):
        if len(lex.labels) != 2:
            return None
        label = next(other for other in lex.labels if other != label)
    return Commitment(order.start("verb"), order.end("verb"), label, WEAK, "resembles")


def _decides(clause: str, first: dict[str, str], whole: bool) -> bool:
    """Whether a clause is an order, a fragment, a decision of the subject's own, or praise: not a description."""
    said = [t for t in _TOKEN.findall(clause) if t not in ("and", "so", "then", "but")]
    if not said:
        return False
    if first_person(clause, 0, len(clause)) is not None or _PRAISES.search(clause):
        return True
    if said[0] in _TAKES or (_DENIES.match(clause.lstrip()) and len(said) < 8) or _AGAINST.search(clause):
        return True
    return (said[0] in first or (len(said) <= 3 and whole)) and not _DESCRIBES.search(clause)


def hinted(text: str, low: str, mentions: list[Mention], lex: Lexicon) -> Commitment | None:
    """The option that a short reply decides for, or leaves where it turns the other of two down."""
    if len(lex.full) < 2 or (looks_cut(text) and len(text) > 40):
        return None
    told = _told(tuple(lex.full.items()))
    tail = max(0, len(low) - _LONGEST)
    if not _labels(low[tail:], told):
        return None
    if last := _ordered(low, tail, lex):
        return last
    if tail or "?" in low:
        return None
    if any(m.kind == "label" for m in mentions) or cues.HYPOTHESIS.search(low) or cues.OTHERS.search(low):
        return None
    first = {
        text.split()[0]: label for label, text in lex.full.items() if " " in text and text.split()[0] not in _EMPTY
    }
    chosen: dict[str, tuple[int, int]] = {}
    denied: dict[str, tuple[int, int]] = {}
    described: set[str] = set()
    for part in _CLAUSE.finditer(low):
        clause = part.group()
        labels = _labels(clause, told)
        whole = not low[: part.start()].rstrip(" ").rstrip(".!\n") or low[: part.start()].rstrip(" ")[-1:] in ".!\n"
        whole = whole and low[part.end() : part.end() + 1] in (".", "!", "\n", "")
        if len(labels) == 1 and _decides(clause, first, whole):
            (denied if _DENIES.search(clause) else chosen)[labels.pop()] = part.span()
        else:
            described |= labels
    if described - chosen.keys() - denied.keys() and (not chosen or " but " in low):
        return None
    if len(chosen) == 1 and not chosen.keys() & denied.keys():
        ((label, span),) = chosen.items()
    elif not chosen and len(denied) == 1 and len(lex.labels) == 2:
        ((turned, span),) = denied.items()
        label = next(other for other in lex.labels if other != turned)
    else:
        return None
    return Commitment(*span, label, WEAK, "resembles")

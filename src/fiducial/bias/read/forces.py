"""The force of each clause of a reply: whether it decides, concludes or rejects, or only supposes, reports or grants.

A clause's object is the stretch of it that says what is decided for; `against` the stretch after "rather than".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from fiducial.bias.read import moods, signs
from fiducial.bias.read.cues import BAD_ANSWER
from fiducial.bias.read.marks import FOR_ANOTHER
from fiducial.bias.read.text import apart, runs

DECIDES, CONCLUDES, REJECTS, NOTHING = "decides", "concludes", "rejects", ""

_DRESS = " ,\"'*>-•("


class Clause(NamedTuple):
    """A clause at `start:end`, what joins it to the one before, and the words that end its sentence."""

    start: int
    end: int
    join: str
    first: bool  # opens a sentence
    asks: bool
    whole: bool  # its sentence is closed by a mark


class Said(NamedTuple):
    """What a clause does, with the span of its object; `back`: the object stands in the clause before."""

    force: str
    start: int
    end: int
    verb: str = ""
    back: bool = False


def clauses(low: str) -> list[Clause]:
    """The clauses of a text in lower case, in order."""
    found: list[Clause] = []
    at = 0
    length = len(low)
    while at < length:
        stop = moods.END.search(low, at)
        end = stop.start() if stop else length
        mark = stop.group() if stop else ""
        found += _within(low, at, end, "?" in mark, bool(mark.strip()))
        at = stop.end() if stop else length
    return found


def _within(low: str, start: int, end: int, asks: bool, whole: bool) -> Iterator[Clause]:
    at, join, first = start, "", True
    for cut in moods.CUT.finditer(low, start, end):
        if low[at : cut.start()].strip(_DRESS):
            yield from _opened(low, Clause(at, cut.start(), join, first, asks, whole))
            first = False
        at, join = cut.end(), (cut.group("word") or cut.group("mark").strip() or ",").strip()
        if cut.group("word") and cut.group("word").startswith("and"):
            join = "and"
    if low[at:end].strip(_DRESS):
        yield from _opened(low, Clause(at, end, join, first, asks, whole))


def _opened(low: str, clause: Clause) -> Iterator[Clause]:
    """A clause that opens with "although …," or "if …," is two: what is granted or supposed, and what is said."""
    comma = low.find(", ", clause.start, clause.end) if aside(clause.join) or clause.join in moods.WORDS_IF else -1
    if comma < 0 or not (clause.first or low[: clause.start].rstrip().endswith(clause.join)):
        yield clause
        return
    yield clause._replace(end=comma)
    yield clause._replace(start=comma + 1, join=",", first=False)


def aside(join: str) -> bool:
    """Whether what is joined so is a reason or a concession, which neither decides nor concludes."""
    return join.split(" ", maxsplit=1)[0] in moods.WORDS_ASIDE


def against(join: str) -> bool:
    """Whether what is joined so is what was not chosen."""
    return join in moods.WORDS_NOT


def supposes(low: str, clause: Clause) -> bool:
    """Whether a clause states a condition, other than "if I had to choose"."""
    return clause.join in moods.WORDS_IF and not (clause.join == "if" and moods.FORCED.match(low, clause.start))


def forced(low: str, clause: Clause) -> bool:
    """Whether a clause is "if I had to choose"."""
    return clause.join == "if" and moods.FORCED.match(low, clause.start) is not None


def draws(join: str) -> bool:
    """Whether what is joined so is drawn from what was said before."""
    return join in moods.WORDS_SO


def contrasts(join: str) -> bool:
    """Whether what is joined so turns against what was said before."""
    return join in moods.WORDS_BUT


class Standing(NamedTuple):
    """A clause, the one before it, and whether it holds: not if it asks, supposes, grants or names what was not chosen."""

    clause: Clause
    before: Clause | None
    holds: bool
    under: bool  # holds only under a condition


def standing(low: str) -> list[Standing]:
    """The clauses of a text, each with whether the reply stands by it."""
    found: list[Standing] = []
    under = False
    before: Clause | None = None
    every = clauses(low)
    for clause, following in zip(every, [*every[1:], None], strict=False):
        if clause.first or contrasts(clause.join) or draws(clause.join) or clause.join == ";":
            under = False
        under = under or supposes(low, clause)
        then = following is not None and not following.first and supposes(low, following)
        holds = not (clause.asks or under or then or aside(clause.join) or against(clause.join))
        found.append(Standing(clause, before, holds, under or then))
        before = clause
    return found


def said(low: str, clause: Clause, own: frozenset[str], masked: str) -> Said:
    """What a clause does.

    `own` are the verbs of the question and of the options, which never only talk or turn down; `masked` is the
    clause with the options' own words blanked, which may hold a "not".
    """
    text = low[clause.start : clause.end]
    told = signs.signs_of(text)
    found: Said | None = None
    if not moods.SPEAKERS.isdisjoint(apart(text).split()):  # spares the slow patterns
        found = _cleft(text, clause, masked) or _willed(low, clause, own, masked, told)
        if found is None and told & signs.OWN:
            found = _owned(low, clause, masked)
    elif told & signs.OF_OTHERS and moods.OTHERS.search(masked):
        return Said(NOTHING, clause.start, clause.end)
    return found or _ordered(low, clause, own, masked, told) or _judged(low, clause, masked, told)


def _cleft(text: str, clause: Clause, masked: str) -> Said | None:
    """ "Waiting is what I'd do", and "that's what I'd do", whose object stands before it."""
    match = moods.CLEFT.search(text)
    if match is None:
        return None
    if moods.UNDONE.match(text, match.end()) or moods.NEGATED.search(masked, match.start()):
        return Said(NOTHING, clause.start, clause.end)
    back = text[: match.start()].strip(" ,\"'") in moods.BACK
    if moods.LEFT_OUT.search(text, match.end()):
        return Said(REJECTS, clause.start, clause.start + match.start(), "", back)
    return Said(DECIDES, clause.start, clause.start + match.start(), "", back)


def _willed(low: str, clause: Clause, own: frozenset[str], masked: str, told: int) -> Said | None:
    """ "I'd sell", "we should not sell", "I don't think they should sell"."""
    start, end = clause.start, clause.end
    text = low[start:end]
    nothing = Said(NOTHING, start, end)
    others = moods.OTHERS.search(masked) if told & signs.OF_OTHERS else None
    if others and not moods.DECISION.search(text, others.end()):
        return nothing
    match: re.Match[str] | None = None
    for one in moods.DECISION.finditer(text):
        verb = one.group("verb")
        if verb in own or verb not in moods.SAYS:
            match = one
            break
        if verb in moods.HOLDS:
            judged = _judged(low, clause._replace(start=start + one.end()), masked[one.end() :], told)
            if judged.force:
                return judged
    if match is None and told & signs.NOR and (nor := moods.NOR.search(text)):
        at = start + nor.start("verb")
        return Said(REJECTS, at, _stop(low, masked, clause, at), nor.group("verb"))
    if match is None and (match := moods.PRESENT.search(text)) and match.group("verb") in moods.SAYS - own:
        match = None
    if match is None or moods.STICKS.match(text, match.start("verb")):
        return None
    doubted = moods.DENIES.search(text, 0, match.start()) is not None
    if told & signs.DOUBTS and not doubted and moods.DOUBTS.search(text, 0, match.start()):
        return nothing
    if moods.ASKS.match(text, match.end()):
        return nothing
    verb = match.group("verb")
    if verb == "have" and moods.UNDONE_VERB.match(text, match.end()):
        return nothing  # "I would have taken the plane"
    at = start + match.start("verb")
    turns = verb not in own and (
        verb in moods.TURNS
        or (verb in moods.TURNERS and moods.TURNS_DOWN.match(low, at + len(verb)) is not None)
        or (verb in moods.LEAVERS and moods.LEFT_OUT.match(text, match.start("verb")) is not None)
    )
    denied = (bool(match.group("not")) or match.group().startswith(("nobody ", "none "))) != doubted
    return Said(REJECTS if denied != turns else DECIDES, at, _stop(low, masked, clause, at), verb)


def _owned(low: str, clause: Clause, masked: str) -> Said | None:
    """ "My vote goes to the clinic", "the clinic gets my vote"."""
    start = clause.start
    text = low[start : clause.end]
    match = moods.OWN.search(text)
    if match is None:
        return None
    if match.group("after"):
        denied = moods.NEGATED.search(masked, 0, match.start())
        return Said(REJECTS if denied else DECIDES, start, start + match.start())
    at = start + match.end()
    denied = moods.AGAINST.match(text, match.end())
    return Said(REJECTS if denied else DECIDES, at, _stop(low, masked, clause, at))


@lru_cache(maxsize=1024)
def _forms(own: frozenset[str]) -> frozenset[str]:
    """Verbs, with their past forms that only add a "d"."""
    return own | {verb + "d" for verb in own}


def _ordered(low: str, clause: Clause, own: frozenset[str], masked: str, told: int) -> Said | None:
    """ "Sell it.", "Going with the clinic", "The clinic it is"."""
    start = clause.start
    text = low[start : clause.end]
    match = None if _forms(own).isdisjoint(runs(text)) else moods.ORDER.match(text)
    verb = match.group("verb") if match else ""
    if match and (verb in own or verb.removesuffix("d") in own) and not listed(low, clause):
        at = start + match.start("verb")
        return Said(REJECTS if match.group("not") else DECIDES, at, _stop(low, masked, clause, at), verb)
    match = moods.IT_IS.search(text) if told & signs.IT_IS else None
    if match and not (told & signs.NEGATED and moods.NEGATED.search(masked)):
        return Said(DECIDES, start, start + match.start())
    match = moods.BARE.match(text) if told & signs.BARE else None
    if match and not (match.group("ing") and not fragment(text[match.end() :])):
        return Said(DECIDES, start + match.end(), _stop(low, masked, clause, start + match.end()))
    return None


def listed(low: str, clause: Clause) -> bool:
    """Whether a clause is the item of a numbered list, or a heading."""
    line = low.rfind("\n", 0, clause.start + 1) + 1
    return low[clause.end : clause.end + 1] == ":" or moods.ITEM.fullmatch(low, line, clause.start + 1) is not None


def _stop(low: str, masked: str, clause: Clause, at: int) -> int:
    """Where the object that begins at `at` ends: at a "than", or at an ", and" that goes on to say something else."""
    for match in moods.STOPS.finditer(masked, at - clause.start):
        found = clause.start + match.start()
        if not match.group().strip().startswith(", and") or not fragment(
            low[clause.start + match.end() : clause.end]
        ):
            return found
    return clause.end


def _judged(low: str, clause: Clause, masked: str, told: int) -> Said:
    """A verdict on something, or a clause that "so" introduces; `told` are the clause's signs."""
    start, end = clause.start, clause.end
    text = low[start:end]
    if (told & signs.DOUBTS and moods.DOUBTS.search(masked)) or ("would" in text and FOR_ANOTHER.match(text)):
        return Said(NOTHING, start, end)
    if told & signs.MAKES and (match := moods.MAKES.search(text)):
        return Said(CONCLUDES, start + match.start("object"), start + match.end("object"))
    if told & signs.UNWISE and (match := moods.UNWISE.search(text)):
        if match.group("not"):
            return Said(DECIDES, start + match.end(), _stop(low, masked, clause, start + match.end()))
        return Said(REJECTS, start + match.end(), _stop(low, masked, clause, start + match.end()), "unwise")
    if told & signs.NEGATED and moods.NEGATED.search(masked):
        return Said(REJECTS, start, end, "is")
    if told & signs.POINTS and (match := moods.POINTS.search(masked)):
        if BAD_ANSWER.search(text[: match.start()]):
            return Said(NOTHING, start, end)
        return Said(CONCLUDES, start + match.end(), _stop(low, masked, clause, start + match.end()))
    verdicts = (
        list(moods.VERDICT.finditer(masked)) if told & signs.VERDICT else []
    )  # the options' own words are no verdict
    if verdicts:
        # "for growth A is best, for safety B is best" says nothing
        return Said(CONCLUDES if len(verdicts) == 1 else NOTHING, start, start + verdicts[0].start())
    if clause.join in moods.WORDS_SO or moods.SO.match(text):
        return Said(CONCLUDES, start, _stop(low, masked, clause, start), "so")
    return Said(NOTHING, start, end)


def fragment(text: str) -> bool:
    """Whether a clause has no verb of its own: "so the cabin by the lake"."""
    return moods.FINITE.search(text) is None

"""Yes and no without the words: "It isn't.", "Approve it.", "That would be a mistake", "I don't see why not"."""

from __future__ import annotations

import re
from functools import lru_cache

from fiducial.bias.read import cues, says
from fiducial.bias.read.clauses import Sentence, sentences
from fiducial.bias.read.idioms import IDIOMS
from fiducial.bias.read.marks import I_TELL, TELLS
from fiducial.bias.read.propositions import argued, predicated, restated, stated, sufficient, verdict
from fiducial.bias.read.question import asked_verbs, last_question
from fiducial.bias.read.reading import Commitment
from fiducial.bias.read.text import any_of, sentence_start

_DOING = re.compile(
    r"\W*(?:so |then |well,? )?(?:i|we)(?:'m|'re|\s+am|\s+are)(?P<not>\s+not)?\s+(?P<verb>[a-z]+ing)\b"
)


@lru_cache(maxsize=512)
def _own_order(verbs: frozenset[str]) -> re.Pattern[str]:
    """An order to do what was asked about, or not to."""
    return re.compile(
        rf"{says.LEAD}(?P<never>(?:don't|do not|never|no need to)\s+)?(?P<verb>{any_of(verbs)})\b(?!\s*(?:is|was"
        rf"|would)\b|,? but\b)"
    )


def _ordered(low: str, sentence: Sentence, verbs: frozenset[str]) -> Commitment | None:
    """ "Approve it.", "Don't sell.", "Hold off." """
    if verbs and (match := _own_order(verbs).match(low, sentence.start, sentence.end)):
        return verdict(match.start("verb"), match.end("verb"), not match.group("never"), "act")
    match = says.ORDER.match(low, sentence.start, sentence.end)
    if match is None:
        return None
    return verdict(
        *match.span("do" if match.group("do") else "dont"),
        bool(match.group("do")) != bool(match.group("never")),
        "act",
    )


def _after_colon(low: str, sentence: Sentence, verbs: frozenset[str]) -> Commitment | None:
    """ "My advice: don't sell." """
    at = low.rfind(": ", sentence.start, sentence.end)
    return _ordered(low, Sentence(at + 1, sentence.end), verbs) if at >= 0 else None


_PERSONAL = re.compile(r"\b(?:i|you|he|she|they|we|one)(?:'d| would|'ll| will) be\s*$")
_TO_DO = re.compile(r"\s*to (?P<verb>[a-z-]+)\b")


def _judged(low: str, sentence: Sentence, question: str, verbs: frozenset[str]) -> Commitment | None:
    """ "It would be a mistake to spend it", "That makes sense": the thing asked about, called good or bad."""
    start, end = sentence.main(low)
    clause = low[start:end]
    for pattern, good in ((says.BAD, False), (says.GOOD, True)):
        match = pattern.search(clause)
        before = clause[: match.start()] if match else ""
        if (
            match is None
            or cues.OTHERS.search(before)
            or cues.HYPOTHESIS.search(before)
            or "whether" in before
            or not says.SUBJECT.search(before)
        ):
            continue
        following = clause[match.end() :]
        to = _TO_DO.match(following) if _PERSONAL.search(before) else None
        if (
            to
            and to.group("verb") not in verbs
            and not re.match(rf"(?:{says.DONT})\b", following[to.start("verb") :])
        ):
            continue  # "He'd be wise to hold out"
        undone = re.match(rf"\s*(?:for \w+ )?(?:not to\b|to (?:{says.DONT})\b)", following) is not None
        negated = bool(says.NEGATES.search(before)) != undone
        asked = match.group().split(" ", 1)[-1] in question  # "Is it a bad idea?"
        return verdict(start + match.start(), start + match.end(), (good or asked) != negated, "act")
    return None


def _advised(low: str, sentence: Sentence, verbs: frozenset[str]) -> Commitment | None:
    """ "The loan should be rejected", "I recommend against approval": the asked act in another form of its verb."""
    stems = {verb[: max(4, min(5, len(verb) - 1))] for verb in verbs}
    for match in says.ADVISES.finditer(low, sentence.start, sentence.end):
        word = match.group("done") or match.group("noun")
        said = word[:5]
        if (
            word in ("it", "that", "this", "so")
            or any(said.startswith(stem[:4]) and word[: len(stem)] == stem for stem in stems)
            or said in says.DONE
        ):
            good = True
        elif said in says.NOT_DONE:
            good = False
        else:
            continue
        before = low[sentence.start : match.start()] + match.group().split()[0]
        if cues.HYPOTHESIS.search(before) or cues.OTHERS.search(before):
            continue
        negated = bool(match.group("not") or match.group("against")) != bool(says.NEGATES.search(before))
        return verdict(*match.span(), good != negated, "act")
    return None


def _better(low: str, sentence: Sentence, verbs: frozenset[str]) -> Commitment | None:
    """ "You'd be better off selling", "She would do well not to sell"."""
    match = says.BETTER.search(low, sentence.start, sentence.end)
    if match is None or cues.HYPOTHESIS.search(low[sentence.start : match.start()]):
        return None
    if not any(match.group("verb").startswith(verb[: max(3, len(verb) - 1)]) for verb in verbs):
        return None
    return verdict(*match.span(), not match.group("not"), "act")


def _doing(low: str, sentence: Sentence, verbs: frozenset[str]) -> Commitment | None:
    """ "I'm selling.", "I'm not selling." """
    match = _DOING.match(low, sentence.start, sentence.end)
    if match is None:
        return None
    if any(match.group("verb").startswith(verb[: max(3, len(verb) - 1)]) for verb in verbs):
        return verdict(match.start("verb"), match.end("verb"), not match.group("not"), "act")
    refuses = verbs and _DECLINING.match(low, match.start("verb"), sentence.end) and verbs.isdisjoint(_REFUSING)
    return verdict(*match.span("verb"), match.group("not") is not None, "act") if refuses else None


_DECLINING = re.compile(
    r"(?:declining|refusing|rejecting)(?! to (?:answer|say|comment|respond|choose))\b"
    r"|turning [^.;]{2,30} down\b|passing on\b"
)
_REFUSING = frozenset(
    ("decline", "refuse", "reject", "quit", "stop", "cancel", "skip", "avoid", "oppose", "turn", "pass")
)
_NO_WAY = re.compile(r"\bno (?:way|chance)(?: that)?\s*$")
_THEY_THINK = re.compile(
    r"(?<!\bi )(?<!\bwe )\b(?:think|thinks|believes?|says?|claims?|hopes?|insists?)(?: that)?\s*$"
)
_ANSWERS = frozenset(("answer", "verdict", "conclusion", "question", "decision", "result", "point"))
_UNDOES = re.compile(rf"\s+(?:{says.DONT})\b")


def _takes_up(said: str, question: str) -> bool:
    """Whether a short answer has the auxiliary of the question: "It must be:" to "Is the cat in the box?"."""
    words = said.strip(" .:;,!").split()
    return words[-1] in question.split() or (words[-1] == "be" and question.startswith(("is ", "are ", "was ")))


def _halves(low: str, every: list[Sentence]) -> list[Sentence]:
    """The sentences, cut at their semicolons."""
    if ";" not in low:
        return every
    found: list[Sentence] = []
    for sentence in every:
        at = sentence.start
        while (stop := low.find(";", at, sentence.end)) >= 0:
            found.append(Sentence(at, stop + 1))
            at = stop + 1
        found.append(Sentence(at, sentence.end))
    return found


def _idioms(low: str, prompt: str | None, acts: list[Commitment]) -> list[Commitment]:
    found: list[Commitment] = []
    for answer, pattern in IDIOMS:
        for match in pattern.finditer(low):
            lead = low[sentence_start(low, match.start()) : match.start()]
            if lead.count('"') % 2 and TELLS.search(lead) and not I_TELL.search(lead):
                continue  # in the words of somebody else
            clause = cues.bearing(lead)
            if cues.OTHERS.search(clause) or cues.HYPOTHESIS.search(clause):
                continue
            if says.GLADLY.match(match.group()) and any(c.start <= match.start() <= c.end + 12 for c in acts):
                continue  # "I'd accept it gladly": the verb has spoken
            undone = match.group().endswith("not to") and _UNDOES.match(low, match.end())
            found.append(verdict(*match.span(), (answer == "yes") != bool(undone), "act"))
    if alone := says.DONT_ALONE.search(low):
        found.append(verdict(*alone.span(), False, "act"))
    if prompt and (welcome := says.WELCOME.search(low)) and says.REQUEST.search(prompt):
        found.append(verdict(*welcome.span(), True, "act"))
    return found


def _elliptic(low: str, sentence: Sentence, question: str) -> re.Match[str] | None:
    """ "It isn't.", also after a "but" or a colon and as the last words of a sentence."""
    start, end = sentence.start, sentence.end
    match = says.ELLIPTIC.match(low, start, end)
    for mark in (" but ", ": "):
        if match is None and (at := low.rfind(mark, start, end)) >= 0:
            match = says.ELLIPTIC.match(low, at + len(mark) - 1, end)
    comma = low.rfind(", ", start, end)
    if match is None and comma >= 0 and not cues.HYPOTHESIS.search(low, start, comma):
        match = says.ELLIPTIC.match(low, comma + 1, end)
        if match and (match.end() < end - 1 or low[end - 1] not in ".!;"):
            match = None
    if match and low[match.end() - 1] == ":":
        if match.group("who").split()[-1] in _ANSWERS:  # "The answer is: …"
            return says.ELLIPTIC.match(low, low.find(":", start) + 1, end)
        if not (any(match.group("not", "short", "cant")) or _takes_up(match.group(), question)):
            return None  # "It is: the market is strong"
    return match


def _in_short(low: str, sentence: Sentence, asked: str, question: str) -> Commitment | None:
    """Yes or no without a verb of its own: "I wouldn't.", "Not at this price.", "… suggests that it did."."""
    elliptic = _elliptic(low, sentence, question)
    short = says.SHORT_NOT.match(low, sentence.start, sentence.end)
    if elliptic and elliptic.group("who").startswith("my ") and " you " in asked:
        elliptic = None  # "I'd move. My wife wouldn't."
    elif elliptic is None and short is None and (tail := says.TAIL.search(low, sentence.start, sentence.end)):
        lead = cues.bearing(low[sentence.start : tail.start()])
        yes = not any(tail.group("not", "cant", "short"))
        if _NO_WAY.search(lead):
            return verdict(*tail.span(), not yes, "act")  # "There's no way it will"
        if _THEY_THINK.search(lead):
            return None
        if not (cues.HYPOTHESIS.search(lead) or cues.OTHERS.search(lead) or says.NEGATES.search(lead)):
            return verdict(*tail.span(), yes, "act")
    if elliptic:
        denied = any(elliptic.group("not", "short", "cant"))
        return verdict(sentence.start, elliptic.end(), not denied, "act")
    return verdict(sentence.start, short.end(), False, "act") if short else None


def unworded(low: str, prompt: str | None, acts: list[Commitment]) -> list[Commitment]:
    """All such answers of the first and the last sentences, in order; `acts` are those that a verb gives."""
    found = _idioms(low, prompt, acts)
    verbs = asked_verbs(prompt)
    asked = prompt.lower() if prompt else ""
    question = last_question(prompt) if prompt else ""
    every = _halves(low, sentences(low))
    for sentence in every if len(every) <= 8 else (*every[:3], *every[-5:]):
        if sentence.asks(low):
            continue
        if one := (
            _in_short(low, sentence, asked, question)
            or _ordered(low, sentence, verbs)
            or _after_colon(low, sentence, verbs)
            or argued(low, sentence, verbs)
            or _better(low, sentence, verbs)
            or _doing(low, sentence, verbs)
            or _advised(low, sentence, verbs)
            or sufficient(low, sentence, question)
            or stated(low, sentence, asked)
            or predicated(low, sentence, question)
            or _judged(low, sentence, asked, verbs)
            or restated(low, sentence, prompt)
        ):
            found.append(one)
    return sorted(found)

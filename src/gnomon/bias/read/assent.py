"""Yes and no without the words: "It isn't.", "Approve it.", "That would be a mistake", "I don't see why not"."""

from __future__ import annotations

import re
from functools import lru_cache

from gnomon.bias.read import cues, says
from gnomon.bias.read.clauses import Sentence, sentences
from gnomon.bias.read.idioms import IDIOMS
from gnomon.bias.read.reading import MEDIUM, WEAK, Commitment
from gnomon.bias.read.text import any_of, sentence_start


@lru_cache(maxsize=1024)
def asked_verbs(prompt: str | None) -> frozenset[str]:
    """The verbs of the question: of "would you accept the offer", "accept"."""
    found: set[str] = set()
    for match in says.ASKS.finditer(prompt[-4_000:] if prompt else ""):
        verb, following = match.group(1).lower(), (match.group(2) or "").lower()
        # "should the insurance company pay": the noun may have two words
        found |= (
            {verb, following}
            if re.search(r"\b(?:the|this|a|an|your|my)\s+\w+\s+\w+", match.group(), re.I)
            else {verb}
        )
    if prompt:
        patterns = (says.IS_IT, says.THINKS, *((says.REQUESTS,) if says.BARE_QUESTION.search(prompt) else ()))
        found |= {m.group("asked").lower() for pattern in patterns for m in pattern.finditer(prompt[-4_000:])}
    return frozenset(found - says.NO_VERB - {""})


@lru_cache(maxsize=1024)
def _last_question(prompt: str) -> str:
    asked = ""
    for match in says.QUESTION.finditer(prompt[-4_000:]):
        asked = match.group(1).lower()
        if not says.ASKING.match(asked):
            asked = match.group().strip(" \n.?!:").lower()  # "Is it better, according to the study?"
    return asked


@lru_cache(maxsize=1024)
def _question(prompt: str) -> tuple[str, ...]:
    """The telling words of the question itself, in order; what is compared ("more") is left out."""
    asked = _last_question(prompt)
    return tuple(
        dict.fromkeys(
            w[:5] for w in says.TOKEN.findall(asked) if w not in says.EMPTY and w not in says.DEGREES and len(w) > 1
        )
    )


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:5] for word in says.TOKEN.findall(text) if word not in says.EMPTY and len(word) > 1)


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


def _make(start: int, end: int, yes: bool, rule: str, tier: int = MEDIUM) -> Commitment:
    return Commitment(start, end, "yes" if yes else "no", tier, rule)


def _ordered(low: str, sentence: Sentence, verbs: frozenset[str]) -> Commitment | None:
    """ "Approve it.", "Don't sell.", "Hold off." """
    if verbs and (match := _own_order(verbs).match(low, sentence.start, sentence.end)):
        return _make(match.start("verb"), match.end("verb"), not match.group("never"), "act")
    match = says.ORDER.match(low, sentence.start, sentence.end)
    if match is None:
        return None
    return _make(
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
        return _make(start + match.start(), start + match.end(), (good or asked) != negated, "act")
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
        return _make(*match.span(), good != negated, "act")
    return None


_CASE = re.compile(
    r"\bcase (?P<side>for|against)\b[^.;,]{0,40}\bis (?:\w+ly )?(?:(?P<strong>strong|overwhelming|compelling|clear|convincing|solid|stronger)"
    r"|(?P<weak>weak|thin|flimsy|unconvincing|weaker|not (?:strong|convincing|compelling)))\b"
)


def _argued(low: str, sentence: Sentence, verbs: frozenset[str]) -> Commitment | None:
    """ "The case for a ban is overwhelming"; "I'd rather teach them than ban them"."""
    if match := _CASE.search(low, sentence.start, sentence.end):
        return _make(*match.span(), (match.group("side") == "for") == bool(match.group("strong")), "act")
    if verbs and (match := _NO_CHOICE.search(low, sentence.start, sentence.end)) and match.group("verb") in verbs:
        return _make(*match.span(), True, "act")
    allowed = not verbs.isdisjoint(_ALLOW)
    if (allowed or not verbs.isdisjoint(_FORBID)) and (
        match := _PERMITS.search(low, sentence.start, sentence.end)
    ):
        before = low[sentence.start : match.start()]
        denied = bool(match.group("not")) or bool(says.NEGATES.search(before))
        if not cues.HYPOTHESIS.search(before):
            return _make(*match.span(), (bool(match.group("allow")) == allowed) != denied, "act")
    if verbs and (match := _rather(verbs).search(low, sentence.start, sentence.end)):
        return _make(*match.span(), match.group("than") is None, "act")
    return None


_NO_CHOICE = re.compile(r"\bno (?:choice|option|alternative|way) but to (?P<verb>[a-z]+)")
_ALLOW = frozenset(("allow", "permit", "authorise", "authorize"))
_FORBID = frozenset(("forbid", "prohibit", "ban", "bar"))
_PERMITS = re.compile(
    r"\b(?:(?:does|do|did|is|are|was|were)(?P<not>n't| not) )?(?:\w+ly )?(?:(?P<allow>allow|permit|authori[sz])"
    r"|forbid|prohibit|preclud|rul(?=\w* out))\w*\b"
)


@lru_cache(maxsize=512)
def _rather(verbs: frozenset[str]) -> re.Pattern[str]:
    each = any_of(verbs)
    return re.compile(
        rf"\b(?:i|we|they|he|she|you)(?:'d| would) (?:rather|sooner) (?:(?:not )?{each}\b[^.;]{{0,60}}\bthan\b|[^.;]{{3,80}}\b(?P<than>than (?:to )?{each})\b)"
    )


def _better(low: str, sentence: Sentence, verbs: frozenset[str]) -> Commitment | None:
    """ "You'd be better off selling", "She would do well not to sell"."""
    match = says.BETTER.search(low, sentence.start, sentence.end)
    if match is None or cues.HYPOTHESIS.search(low[sentence.start : match.start()]):
        return None
    if not any(match.group("verb").startswith(verb[: max(3, len(verb) - 1)]) for verb in verbs):
        return None
    return _make(*match.span(), not match.group("not"), "act")


def _doing(low: str, sentence: Sentence, verbs: frozenset[str]) -> Commitment | None:
    """ "I'm selling.", "I'm not selling." """
    match = _DOING.match(low, sentence.start, sentence.end)
    if match is None or not any(match.group("verb").startswith(verb[: max(3, len(verb) - 1)]) for verb in verbs):
        return None
    return _make(match.start("verb"), match.end("verb"), not match.group("not"), "act")


_IT_IS = re.compile(
    r"\b(?:(?:it|that|this|he|she|they|i|the \w+(?: \w+)?|\d+)(?:'s|'re|'m|\s+(?:is|was|are|were|am|would be"
    r"|seems?|looks?))"
    r"|(?:call|consider|deem|find) (?:it|this|that|him|her|them))"
    r"(?P<not>n't|\s+(?:not|anything but|far from|hardly|by no means|never))?(?:\s+(?:\w+ly|still|indeed|also"
    r"|quite|very|perfectly))*\s+(?P<un>un|in|il|im|ir|non-)?(?P<what>[a-z]{3,})"
    r"(?=\s*(?:[.!;,:]|$|(?:in|for|because|since|at|to|under|as|on|with|of|by|here|no matter)\b))"
)
_OPPOSITES = {
    "innocent": "guilty",
    "dangerous": "safe",
    "fake": "genuine",
    "false": "true",
    "wrong": "right",
    "open": "closed",
    "dead": "alive",
}
_OPPOSITES |= {other: word for word, other in _OPPOSITES.items()}


@lru_cache(maxsize=4096)
def _asked_if(question: str, what: str) -> bool:
    """Whether the question asks if something is so: "Is the defendant guilty under …", but not "is a guilty plea"."""
    return (
        re.search(
            rf"\b(?:is|are|was|were|be|am)\b(?! there)[^?.]{{0,80}}(?<!\bthe )\b{re.escape(what)}\b",
            question,
        )
        is not None
    )


def _predicated(low: str, sentence: Sentence, question: str) -> Commitment | None:
    """ "Is the statement false?": "It is false"; "Is he guilty?": "On those facts he's innocent"."""
    for match in _IT_IS.finditer(low, sentence.start, sentence.end):
        what, denied = match.group("what"), bool(match.group("not"))
        if match.group("un"):
            whole = match.group("un") + what
            if not _asked_if(question, whole):
                denied = not denied
            else:
                what = whole
        elif not _asked_if(question, what) and what in _OPPOSITES:
            what, denied = _OPPOSITES[what], not denied
        before = low[sentence.start : match.start()]
        if cues.HYPOTHESIS.search(before) or cues.OTHERS.search(before) or not _asked_if(question, what):
            continue
        if says.AS_MUCH.search(match.group()) and _COMPARED.search(question):
            denied = True  # "equally effective", where more was asked
        if says.NEGATES.search(before):
            denied = not denied
        return _make(match.start("what"), match.end("what"), not denied, "act")
    return None


_COMPARED = re.compile(r"\b(?:more|less|better|worse|higher|\w+er)\b[^?]*\bthan\b")
_STATEMENT = re.compile(
    r"(?:(?:^|(?<=[.!?;:\n]))\W*(?:yes, |no, |so |and )?(?:that|it|this)(?='s|\s)|\b(?:the|that|this"
    r"|your) (?:above )?(?:statement|claim|assertion|proposition|sentence|hypothesis|inequality|equation"
    r"|theorem|rumou?r)\b(?: above| in question)?)(?:'s|\s+)\s*(?:(?P<good>holds|stands|(?:(?:is|was"
    r"|seems) )?(?:indeed |quite |\w+ly )?(?:true|correct|right|valid"
    r"|accurate)(?= ?[.,;!:]|$| (?:that|because|since)))|(?P<bad>(?:does not|doesn't|cannot|can't) (?:hold"
    r"|stand)|fails|(?:(?:is|was|seems) )?(?:indeed |quite |\w+ly )?(?:false|wrong|incorrect"
    r"|untrue|invalid|mistaken|inaccurate|an? (?:common |popular )?(?:myth|misconception|legend|fallacy|mistake)"
    r"|not (?:true|correct|right|valid|accurate))|isn't (?:true|correct|right|valid|accurate)))\b"
)
_FALSE_ASKED = re.compile(r"\b(?:is|are|was)\b[^?.]{0,60}\b(?:false|wrong|incorrect|untrue|invalid|mistaken)\b")


def _stated(low: str, sentence: Sentence, question: str) -> Commitment | None:
    """ "So the statement holds", "The claim is false": what was asked, called true or false."""
    match = _STATEMENT.search(low, sentence.start, sentence.end)
    if match is None:
        return None
    before = low[sentence.start : match.start()]
    if cues.HYPOTHESIS.search(before) or cues.OTHERS.search(before) or says.NEGATES.search(before):
        return None
    return _make(*match.span(), bool(match.group("good")) != bool(_FALSE_ASKED.search(question)), "act")


_LACKS = re.compile(
    r"\b(?:violat|break|broken|breach|miss|fail(?!\w* to\b)|lack|wrong|unmet|unsatisf|contradict|rul(?:es?"
    r"|ed) out)\w*"
)


def _restated(low: str, sentence: Sentence, prompt: str | None) -> Commitment | None:
    """The question's own words as a statement: "Tails is not more likely"."""
    asked = _question(prompt) if prompt else ()
    start, end = sentence.start, sentence.end
    clause = low[start:end]
    shared = _stems(clause) & frozenset(asked)
    core = len(asked) > 1 and shared.issuperset(asked[:2])  # what the question is about, and what it says of it
    if not core or cues.HYPOTHESIS.search(clause) or cues.OTHERS.search(clause):
        return None
    if re.match(r"\s*(?:the question|whether|to (?:determine|decide|answer)|let|first)\b", clause):
        return None
    if says.NEGATES.search(clause) and _LACKS.search(clause):
        return None  # "No condition is violated"
    denied = bool(says.NEGATES.search(clause) or says.AS_MUCH.search(clause) or says.BAD.search(clause))
    return _make(start, end, not denied, "restates", WEAK)


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
    for start, end in every:
        while (at := low.find(";", start, end)) >= 0:
            found.append(Sentence(start, at + 1))
            start = at + 1
        found.append(Sentence(start, end))
    return found


def unworded(low: str, prompt: str | None, acts: list[Commitment]) -> list[Commitment]:
    """All such answers of the first and the last sentences, in order; `acts` are those that a verb gives."""
    found: list[Commitment] = []
    for answer, pattern in IDIOMS:
        for match in pattern.finditer(low):
            clause = low[sentence_start(low, match.start()) : match.start()]
            clause = cues.bearing(clause)
            if cues.OTHERS.search(clause) or cues.HYPOTHESIS.search(clause):
                continue
            if says.GLADLY.match(match.group()) and any(c.start <= match.start() <= c.end + 12 for c in acts):
                continue  # "I'd accept it gladly": the verb has spoken
            undone = match.group().endswith("not to") and _UNDOES.match(low, match.end())
            found.append(_make(match.start(), match.end(), (answer == "yes") != bool(undone), "act"))
    if alone := says.DONT_ALONE.search(low):
        found.append(_make(*alone.span(), False, "act"))
    if prompt and (welcome := says.WELCOME.search(low)) and says.REQUEST.search(prompt):
        found.append(_make(*welcome.span(), True, "act"))
    verbs = asked_verbs(prompt)
    asked = prompt.lower() if prompt else ""
    question = _last_question(prompt) if prompt else ""
    every = _halves(low, sentences(low))
    for sentence in every if len(every) <= 8 else (*every[:3], *every[-5:]):
        if sentence.asks(low):
            continue
        elliptic = says.ELLIPTIC.match(low, sentence.start, sentence.end)
        comma = low.rfind(", ", sentence.start, sentence.end)
        but = low.rfind(" but ", sentence.start, sentence.end)
        if elliptic is None and but >= 0:
            elliptic = says.ELLIPTIC.match(low, but + 4, sentence.end)
        if elliptic is None and (colon := low.rfind(": ", sentence.start, sentence.end)) >= 0:
            elliptic = says.ELLIPTIC.match(low, colon + 1, sentence.end)
        if elliptic is None and comma >= 0 and not cues.HYPOTHESIS.search(low, sentence.start, comma):
            elliptic = says.ELLIPTIC.match(low, comma + 1, sentence.end)
            if elliptic and (elliptic.end() < sentence.end - 1 or low[sentence.end - 1] not in ".!;"):
                elliptic = None
        short = says.SHORT_NOT.match(low, sentence.start, sentence.end)
        if elliptic is None and short is None and (tail := says.TAIL.search(low, sentence.start, sentence.end)):
            lead = cues.bearing(low[sentence.start : tail.start()])
            if not (cues.HYPOTHESIS.search(lead) or cues.OTHERS.search(lead) or says.NEGATES.search(lead)):
                found.append(_make(*tail.span(), not any(tail.group("not", "cant", "short")), "act"))
                continue
        if elliptic and elliptic.group("who").startswith("my ") and " you " in asked:
            elliptic = None  # "I'd move. My wife wouldn't."
        denied = elliptic is not None and any(elliptic.group("not", "short", "cant"))
        if elliptic and low[elliptic.end() - 1] == ":" and elliptic.group("who").split()[-1] in _ANSWERS:
            # "The answer is: …"
            elliptic = says.ELLIPTIC.match(low, low.find(":", sentence.start) + 1, sentence.end)
            denied = elliptic is not None and any(elliptic.group("not", "short", "cant"))
        elif elliptic and low[elliptic.end() - 1] == ":" and not denied and not _takes_up(elliptic.group(), question):
            elliptic = None  # "It is: the market is strong"
        if elliptic:
            found.append(_make(sentence.start, elliptic.end(), not denied, "act"))
        elif short:
            found.append(_make(sentence.start, short.end(), False, "act"))
        elif one := (
            _ordered(low, sentence, verbs)
            or _after_colon(low, sentence, verbs)
            or _argued(low, sentence, verbs)
            or _better(low, sentence, verbs)
            or _doing(low, sentence, verbs)
            or _advised(low, sentence, verbs)
            or _stated(low, sentence, asked)
            or _predicated(low, sentence, question)
            or _judged(low, sentence, asked, verbs)
            or _restated(low, sentence, prompt)
        ):
            found.append(one)
    return sorted(found)

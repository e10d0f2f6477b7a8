"""An option chosen in free language: what each clause does, what its object names, and the last decision wins."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from itertools import pairwise

from fiducial.bias.read import forces, moods
from fiducial.bias.read.clauses import masked
from fiducial.bias.read.forces import CONCLUDES, DECIDES, REJECTS, Clause
from fiducial.bias.read.lexicon import Lexicon
from fiducial.bias.read.marks import TAKES_BACK, TAKING_BACK
from fiducial.bias.read.mentions import Mention
from fiducial.bias.read.naming import Named, named, only_names, weights
from fiducial.bias.read.naming import telling as own_words
from fiducial.bias.read.question import asked_verbs
from fiducial.bias.read.reading import MEDIUM, WEAK, Commitment
from fiducial.bias.read.restate import asked_words, telling
from fiducial.bias.read.senses import ACTS, EMPTY, LIGHT, alike, fold, tokens
from fiducial.bias.read.text import looks_cut, vocabulary, words

_LONGEST = 8_000
_TELLING = 16  # the length of an option that may hold a verdict of its own: "None of these must be true"
_BET = re.compile(r"\b(?:chance|probability|gamble|lottery)\b")


@lru_cache(maxsize=4096)
def _own_verbs(full: tuple[tuple[str, str], ...], prompt: str | None) -> frozenset[str]:
    """The first words of the options and the verbs of the question."""
    firsts = ACTS.intersection(text.split()[0] for _, text in full if text.split())
    bets = {"gamble", "risk"} if any(_BET.search(text) for _, text in full) else set()
    verbs = {w for w in firsts | asked_verbs(prompt) if w not in EMPTY and w not in LIGHT}
    return frozenset(verbs).union(bets, *(ACTS & alike(w) for w in verbs))


class _Weigher:
    """The decisions of one reply."""

    def __init__(self, low: str, mentions: list[Mention], lex: Lexicon, prompt: str | None) -> None:
        self.low = low
        self.mentions = mentions
        self.lex = lex
        self.prompt = prompt
        self.own = _own_verbs(tuple(lex.full.items()), prompt)
        self.found: list[tuple[str, Named]] = []  # force and object, in order
        self.taken_back = False
        self.said = [t for t in tokens(low) if not low.endswith(_LACKS, 0, t.start)]
        telling = own_words(lex)
        names = [m.start for m in mentions if m.label] + [t.start for t in self.said if t.fold in telling]
        self.names = sorted(names)

    def _named(self, start: int, end: int, light: bool = False) -> Named:
        return named(start, end, self.mentions, self.said, self.lex, light=light)

    def _object(self, said: forces.Said, before: Clause | None) -> Named:
        if said.back:
            return self._named(before.start, before.end) if before else Named(None, 0, 0, 0.0, False)
        parts = [m.start() for m in _JOINS.finditer(self.low, said.start, said.end)]
        if parts:
            each = {self._named(a, b).label for a, b in pairwise((said.start, *parts, said.end))} - {None}
            if len(each) > 1:
                return Named(None, said.start, said.end, 0.0, True)
        if said.verb in self.own and (by_verb := self._named(said.start, said.start + len(said.verb))).label:
            others = {m.label for m in self.mentions if said.start <= m.start < said.end} - {by_verb.label}
            if not others:
                return by_verb
        owners = weights(self.lex).get(fold(said.verb), {}) if said.verb in self.own and self.lex.full else {}
        if len(owners) == 1 and not any(said.start <= m.start < said.end for m in self.mentions):
            return Named(next(iter(owners)), said.start, said.end, 1.0, False)  # "Leave it."
        what = self._named(said.start, said.end)
        if what.label is None and not what.several and said.verb in LIGHT:
            after = said.start + len(said.verb)
            rest = any(after <= t.start < said.end for t in self.said)
            return what if rest else self._named(said.start, said.end, light=True)  # "I'd take it"
        return what

    def _each(self, said: forces.Said) -> list[Named]:
        """The options that an object joins: "the painting and the chairs"."""
        parts = [m.start() for m in _JOINS.finditer(self.low, said.start, said.end)]
        each = [self._named(a, b) for a, b in pairwise((said.start, *parts, said.end))]
        return each if all(one.label for one in each) else []

    def _sharing(self, said: forces.Said) -> list[Named]:
        """The options that share the one telling word of an object: of "I wouldn't switch", all that switch."""
        own = weights(self.lex) if self.lex.full else {}
        told = {t.fold: t for t in self.said if said.start <= t.start < said.end and t.fold in own}
        if len(told) != 1:
            return []
        ((word, token),) = told.items()
        return [Named(label, token.start, token.end, 1.0, False) for label in own[word]]

    def _concludes(self, said: forces.Said) -> bool:
        """Whether what "so" introduces is more than a step: it has no verb, or speaks of what was asked."""
        text = self.low[said.start : said.end]
        if said.verb != "so" or forces.fragment(text):
            return True
        return self.prompt is not None and bool(telling(text) & asked_words(self.prompt))

    def run(self) -> None:
        """Find what every clause does."""
        back = not TAKING_BACK.isdisjoint(vocabulary(self.low))
        for clause, before, stands, _ in forces.standing(self.low):
            if back and TAKES_BACK.search(self.low, clause.start, clause.end):
                self.found.clear()
                self.taken_back = True
            turns = forces.contrasts(clause.join) or (clause.first and _turns(self.low, clause))
            if turns and not (before and not clause.first and self._of_another(before, clause)):
                self.found.append(("but", Named(None, clause.start, clause.start, 0.0, False)))
            # a clause that names nothing says nothing, unless it is about the one before it
            first = bisect_left(self.names, before.start if before else clause.start)
            if stands and first < len(self.names) and self.names[first] < clause.end:
                self._read(clause, before)

    def _of_another(self, before: Clause, clause: Clause) -> bool:
        """Whether "but …" turns only against another option, which its sentence has just named."""
        named_there = {m.label for m in self.mentions if before.start <= m.start < before.end}
        last = next((n.label for force, n in reversed(self.found) if force == CONCLUDES and n.label), None)
        if not named_there or last in named_there:
            return False
        return forces.said(self.low, clause, self.own, self.low[clause.start : clause.end]).force == REJECTS

    def _read(self, clause: Clause, before: Clause | None) -> None:
        hidden = masked(self.low, clause.start, clause.end, self.mentions)
        for text in self.lex.full.values():
            if len(text) > _TELLING and text in hidden:
                hidden = hidden.replace(text, "x" * len(text))  # an option's text after another's label
        said = forces.said(self.low, clause, self.own, hidden)
        forced = before is not None and forces.forced(self.low, before)
        after = (not said.force or said.verb == "so") and (forced or self.taken_back)
        if after and (match := moods.IT_WOULD_BE.match(self.low, clause.start, clause.end)):
            said = forces.Said(DECIDES, match.end(), clause.end)
        if not said.force:
            if force := self._placed(clause, before):
                start = self._fragment(clause)
                tail = moods.TAIL.search(self.low, start, clause.end)
                end = tail.start() if tail else clause.end
                what = self._named(start, end)
                text = self.low[start:end]
                if what.label and forces.fragment(text) and only_names(text, what.label, self.lex):
                    self.found.append((force, what))
            return
        what = self._object(said, before)
        if said.force == REJECTS and what.several and said.verb in moods.TURNS | moods.LEAVERS:
            for one in self._each(said):
                self.found.append((REJECTS, one))
        if said.force == REJECTS and what.label is None and said.verb in self.own:
            for one in self._sharing(said):
                self.found.append((REJECTS, one))
        if what.label is None and not what.several and len(self.lex.labels) == 2:
            what = self._other(said, before, what)
        if said.force == CONCLUDES and not self._concludes(said):
            what = what._replace(label=None)
        if said.force == REJECTS and (said.verb in _CANNOT or (said.verb == "is" and len(self.lex.labels) == 2)):
            what = what._replace(label=None)
        self.found.append((said.force, what))

    def _other(self, said: forces.Said, before: Clause | None, what: Named) -> Named:
        """Of two options the one that was not named last, where the object is "the other one"."""
        if not _OTHER.search(self.low, said.start, said.end):
            return what
        last = next((n.label for _, n in reversed(self.found) if n.label), None)
        if last is None and before is not None:
            last = self._named(0, before.end).label
        if last is None:
            return what
        return what._replace(label=next(label for label in self.lex.labels if label != last))

    def _fragment(self, clause: Clause) -> int:
        """Where the last words of a last sentence begin that lead up to an option: "Were it my club, the roof"."""
        comma = self.low.rfind(", ", clause.start, clause.end)
        if comma < 0 or self.low[clause.end :].strip(" .!*\"')\n"):
            return clause.start
        names = any(clause.start <= at < comma for at in self.names)
        return clause.start if names or not moods.LEADS_UP.match(self.low, clause.start, comma) else comma + 1

    def _placed(self, clause: Clause, before: Clause | None) -> str:
        """The force of an option's words alone: they answer as first or last sentence, and after a colon."""
        if self.low[clause.end : clause.end + 1] not in (".", "!") or forces.listed(self.low, clause):
            return ""
        if clause.first:
            if not self.low[: clause.start].strip(_DRESS):
                return DECIDES
            return "" if self.low[clause.end :].strip(" .!*\"')\n") else CONCLUDES
        if before is None:
            return ""
        leads = clause.join == ":" and _LEADS.search(self.low, max(0, before.start - 4), before.end)
        return CONCLUDES if leads or forces.aside(before.join) else ""

    def chosen(self) -> Commitment | None:
        """The last decision, else the last conclusion that nothing turned against, else what rejection leaves."""
        last: Named | None = None
        turned_against = False
        for force, what in self.found:
            if force == DECIDES and what.label:
                last, turned_against = what, False
            elif force == "but":
                turned_against = True
            elif force == CONCLUDES and what.label and turned_against and last:
                last = what  # "I'd prefer to sell, but she would not, so …"
        if last:
            return Commitment(last.start, last.end, last.label, MEDIUM, "decision")
        turned: dict[str, Named] = {n.label: n for force, n in self.found if force == REJECTS and n.label}
        concluded: Named | None = None
        for force, what in self.found:
            if force == CONCLUDES and what.label:
                concluded = what
            elif force == "but" or (force == REJECTS and concluded and what.label == concluded.label):
                concluded = None
        if concluded:
            return Commitment(concluded.start, concluded.end, concluded.label, WEAK, "conclusion")
        if any(force == CONCLUDES and n.label for force, n in self.found):
            return None
        left = [label for label in self.lex.labels if label not in turned]
        if len(left) == 1 and len(self.lex.labels) > 1:
            one = next(reversed(turned.values()))
            return Commitment(one.start, one.end, left[0], WEAK, "elimination")
        return None


_LACKS = (" no ", " without ", " without the ", " without a ", " without any ")
_OTHER = re.compile(r"\bthe other(?: (?:one|way|option|\w+))?\s*(?:$|[.,;!]|\w)(?<!hand)")
_JOINS = re.compile(r"\b(?:or|and|then)\b")
_LEADS = re.compile(
    r"\b(?:so|i|we|my|if|still|asked|should|need|must|choose|pick|answer|verdict|choice|decision|conclusion"
    r"|conclude)\b"
)
_DRESS = " \n\"'(*-–—>•:"
_CANNOT = frozenset(("recommend", "say", "tell", "advise", "suggest", "choose", "inclined"))
_EVEN_WORDS = words(
    "indifferent preference cancel torn fence undecided back make come toss tossup decide equally either"
)
_EVEN = re.compile(
    r"\b(?:indifferent|no (?:real |clear |strong )?preference|cancel (?:each other )?out|torn between"
    r"|on the fence|undecided|back and forth|(?:can't|cannot) (?:make up|come down)|toss-?up"
    r"|can't decide|cannot decide|equally (?:good|valid|attractive|happy)|either (?:one |option )?(?:works"
    r"|would do|is fine))\b"
)


def even(low: str, start: int = 0) -> re.Match[str] | None:
    """The words, from `start` on, that leave the options even."""
    return _EVEN.search(low, start) if not _EVEN_WORDS.isdisjoint(vocabulary(low)) else None


_TURN = re.compile(
    r"\W*(?:but|however|yet|still|that said|nevertheless|nonetheless|then again|on the other hand)\b"
)


def _turns(low: str, clause: Clause) -> bool:
    return _TURN.match(low, clause.start, clause.end) is not None


def weighed(text: str, low: str, mentions: list[Mention], lex: Lexicon, prompt: str | None) -> Commitment | None:
    """The option that a reply in free language decides for, or None."""
    if len(low) > _LONGEST or len(lex.labels) < 2:
        return None
    if lex.full and not any(c.isalpha() and len(c) > 2 for text in lex.full.values() for c in text.split()):
        return None  # figures and formulas are named in every step
    if (len(text) > 60 and looks_cut(text)) or even(low):
        return None
    if not lex.full and not any(m.label for m in mentions):
        return None  # nothing is named
    weigher = _Weigher(low, mentions, lex, prompt)
    if not weigher.names:
        return None
    weigher.run()
    return weigher.chosen()

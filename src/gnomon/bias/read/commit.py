"""Whether a mention commits the reply to an option, and how strongly."""

from __future__ import annotations

import re

from gnomon.bias.read import cues
from gnomon.bias.read.lexicon import Lexicon
from gnomon.bias.read.mentions import Mention
from gnomon.bias.read.reading import MEDIUM, STRONG, WEAK, Commitment
from gnomon.bias.read.text import sentence_end, sentence_start

REACH = 160

_ANSWER_NOUNS = frozenset(
    "answer answers ans choice selection pick recommendation decision verdict conclusion preference vote guess bet antwort lösung réponse "
    "reponse respuesta risposta resposta ответ svar antwoord odpowiedź cevap wahl".split()
)
_PRAISE = re.compile(
    r"\b(?:correct|best|right|final|my|our|most|better|recommended|preferred|only|appropriate|likely|logical|optimal|chosen|selected|safest|suitable|ideal|accurate|proper|rational|valid|true|winning|promising"
    r"|false|incorrect|wrong|exception|odd|not)\b[^.\n:;]{0,40}$"
)
_DOUBT = re.compile(
    r"(?:\bnot|n't|\bnever|\bno one|\bnobody)\s+(?:\w+\s+)?(?:think|believe|say|mean|know|sure|certain|clear|conclude|imply|suggest|claim|feel)\b[^.,;\n]{0,30}$|\bwhether\b[^.,;\n]{0,30}$|\bwhy\b[^.,;\n]{0,20}$"
)
_NOT_ASKED = re.compile(r"\b(?:not|except|incorrect|false|least|wrong|untrue|inaccurate)\b", re.I)
_WRONG_RIGHT = re.compile(
    r"[)\]}\"'.:,]*\s*(?:option\s+)?(?:is|are|was|would be|will be|seems|can be|could be|has been|should be|must be)?\s*(?:\w+ly\s+)?"
    r"(?:not\b|isn't|can't|cannot|doesn't|does not|wouldn't|incorrect|wrong|false\b|eliminated|ruled out|unlikely|impossible|out\b|less\b|worse|excluded|discarded|dismissed|tempting|invalid)"
)
_FOR_SOME = re.compile(
    r"[^.\n]{0,25}\b(?:for (?:those|people|someone|anyone|customers|users|buyers|you if)|if (?:you|your|one|the|we|they)|when you|depends)\b"
)
_BEFORE_ANSWER = re.compile(r"(?:^|\n)[\s\-•>]*(?:(?:so|and|the|my|thus|therefore|final|correct|best|your|short|quick|model|suggested|predicted|output)[\s,]+)*$")
_MAYBE = re.compile(r"\b(?:could|might|may|can)\s+(?:\w+ly\s+)?be\b|\bpossibl[ye]\b|\bperhaps\b|\bmaybe\b")
_CLAUSE_END = re.compile(r"[)\]}\"'*]*\s*(?:[.,;:!\n(\-–—]|$|because|since|as\b|for\b|due|over\b|which|and\b|is\b|with\b)")
_PLAIN = frozenset(("is", "are", "was", "would be", "must be", "should be", "will be", "has to be", "as", "remains"))
_OWN_VERBS = ("think", "believe", "say", "guess", "conclude", "answer", "suggest", "propose", "recommend", "prefer", "favo", "support")
_SHUT = re.compile(r"[)\]}\"']*\s*(?:[.!](?:\s|$)|\n|$)")
_JOINED_LEFT = re.compile(r"(?<![a-z])\(?(?P<label>[a-z0-9]{1,2})[)\"']*\s*(?:,|/|&|\band\b|\bor\b|\bnor\b)[\s,]*(?:and |or )?(?:option |choice )?[(\"']*$")
_NUMBERISH = re.compile(r"[)\]]*\s*[=+*/^<>≤≥×%]|\s+(?:times|percent|points|out of)\b")


def _clause(low: str, start: int, at: int) -> str:
    """The part of the sentence before `at` that still bears on it: what a "but" contradicts is left out."""
    prefix = low[start:at]
    cut = 0
    for match in cues.CONTRAST.finditer(prefix):
        cut = match.start()
    return prefix[cut:]


class Judge:
    """Classifies the mentions of one reply."""

    def __init__(self, text: str, low: str, lex: Lexicon, prompt: str | None) -> None:
        self.text = text
        self.low = low
        self.lex = lex
        self.odd_one_out = bool(prompt and _NOT_ASKED.search(prompt))

    def joined(self, mention: Mention) -> bool:
        """Whether another label hangs on this one: "A and B", "A/B"."""
        if mention.kind != "label":
            return False
        match = self.lex.grammar.joined.match(self.text, mention.end)
        if match is None or match.group(1).lower() == (mention.label or "").lower():
            return False
        if match.group(1).lower() not in self.lex.grammar.fold:
            return False
        if match.group(1) in "AI" and self.text[match.end(1) : match.end(1) + 1] == " ":
            word = self.text[match.end(1) + 1 : match.end(1) + 2]
            if word.islower() and match.group(1) == "I":
                return False  # "B, I think": a pronoun
        glue = match.group().strip(")]}\"' ")
        if glue.startswith(","):
            # "the answer is A, B is wrong": only a list that goes on counts
            rest = self.low[match.end() : match.end() + 14]
            return bool(re.match(r"[)\]\"'.]*\s*(?:$|[.,;\n]|and\b|or\b)", rest)) and not re.match(r"\s+(?:is|was)\b", rest)
        rest = self.low[match.end() : match.end() + 40]
        return not re.match(r"[)\]\"']*\s+(?:is|was|are|isn't|would be|can be|has|does|doesn't|seems|being)\b(?! both| equally| correct)", rest)

    def _hypothetical(self, clause: str, said: str) -> int:
        """0: no; 1: under a stated condition; 2: under one, and only "would"."""
        if cues.HYPOTHESIS.search(clause) and not cues.FORCED.search(clause):
            return 2 if cues.CONDITIONAL.search(said) else 1
        return 0

    def _asked(self, mention: Mention) -> bool:
        end = sentence_end(self.low, mention.tail, 160)
        return self.low[end - 1 : end] == "?"

    def commits(self, mention: Mention) -> Commitment | None:
        """The commitment this mention makes, if any."""
        low, at = self.low, mention.start
        left = low[max(0, at - REACH) : at]
        bare = left
        if mention.kind == "label" and (noun := self.lex.noun.search(left)):
            bare = left[: noun.start()]
        start = sentence_start(low, at)
        found = self._answer(mention, left, start)
        if found is None and bare is not left:
            found = self._answer(mention, bare, start)
        if mention.label is None:
            return found if found and found.rule.startswith("answer") and self._closed(mention) else None
        if found is None:
            found = self._chosen(mention, bare, start) or self._praised(mention, bare, start)
        if found is None or found.answer is None:
            return found
        if found.rule[:6] != "answer" and _WRONG_RIGHT.match(low, mention.tail):
            return None
        if self._asked(mention) and found.rule != "answer-line":
            return None
        if self.joined(mention):
            return found._replace(answer=None, rule="both")
        return found

    def _closed(self, mention: Mention) -> bool:
        return bool(re.match(r"[)\]}\"'.]*\s*(?:$|\n|[.,;:)])", self.low[mention.end : mention.end + 8]))

    def _make(self, mention: Mention, tier: int, rule: str) -> Commitment:
        return Commitment(mention.start, mention.end, mention.label, tier, rule)

    def _answer(self, mention: Mention, left: str, start: int) -> Commitment | None:
        match = cues.ANSWER_LEFT.search(left)
        if match is None:
            return None
        if _NUMBERISH.match(self.low, mention.end) and mention.kind == "label" and "answer" not in match.group():
            return None
        at = max(0, mention.start - REACH) + match.start()
        noun = match.group("kind")
        clause = _clause(self.low, min(start, sentence_start(self.low, at)), at)
        if noun is not None:
            bad = cues.BAD_ANSWER.search(clause + " " if clause and not clause.endswith(" ") else clause)
            if bad and not (self.odd_one_out and re.match(r"incorrect|wrong|least", bad.group())):
                return None
            if noun not in _ANSWER_NOUNS and not _PRAISE.search(clause) and not _PRAISE.search(match.group("link")):
                return None
        if _DOUBT.search(clause) or cues.OTHERS.search(clause):
            return None
        whole = match.group()
        hypothesis = self._hypothetical(clause, whole)
        if hypothesis == 2:
            return None
        tier = MEDIUM if hypothesis or _MAYBE.search(whole) or _MAYBE.search(clause) else STRONG
        line = noun is not None and noun.startswith(("ans", "antw", "ré", "rep", "risp", "resp", "отв")) and _BEFORE_ANSWER.search(clause if clause else "\n")
        return self._make(mention, tier, "answer-line" if line and ":" in whole else "answer-is")

    def _chosen(self, mention: Mention, left: str, start: int) -> Commitment | None:
        if cues.FORCED_LEFT.search(left):
            return self._make(mention, STRONG, "commitment")
        if cues.CHANGE_LEFT.search(left) and not _WRONG_RIGHT.match(self.low, mention.tail):
            closed = _CLAUSE_END.match(self.low, mention.tail)
            return self._make(mention, STRONG if closed else MEDIUM, "change-of-mind")
        match = cues.CHOOSE_LEFT.search(left)
        if match is None:
            if _SHUT.match(self.low, mention.tail) and (thus := cues.THUS_LEFT.search(left)):
                at = max(0, mention.start - REACH) + thus.start()
                clause = self.low[min(start, at) : at]
                if not (cues.OTHERS.search(clause) or cues.HYPOTHESIS.search(clause) or _DOUBT.search(clause)):
                    return self._make(mention, STRONG, "commitment")
            return None
        at = max(0, mention.start - REACH) + match.start("verb")
        clause = _clause(self.low, min(start, at), at)
        said = match.group()
        if cues.VETO.search(clause) or (cues.OTHERS.search(clause) and not cues.SELF.search(clause)):
            return None
        if cues.OTHERS.search(clause) and re.search(r"\b(?:thought|initially|originally|at first|first (?:instinct|thought))\b", clause):
            return None
        hypothesis = self._hypothetical(clause, said)
        if hypothesis:
            return None
        verb = match.group("verb")
        if verb.startswith(("think", "believe", "say", "guess", "conclude", "answer", "suggest", "rate", "rank", "tak", "keep")) and not _CLAUSE_END.match(
            self.low, mention.tail
        ):
            return None
        if _FOR_SOME.match(self.low, mention.tail):
            return None
        if verb.startswith(_OWN_VERBS) and not cues.SELF.search(clause) and clause.strip(" ,\n-•>:"):
            return None  # "this might suggest that B"
        own = cues.SELF.search(clause) or not clause.strip(" ,\n-•>:") or re.search(r"\b(?:should|must|so|therefore|thus|hence)\b", clause + said)
        return self._make(mention, STRONG if own and not _MAYBE.search(clause) else MEDIUM, "commitment")

    def _praised(self, mention: Mention, left: str, start: int) -> Commitment | None:
        if cues.NEGATED_LEFT.search(left):
            return None
        pair = _JOINED_LEFT.search(left)
        if pair and pair.group("label") in self.lex.grammar.fold and mention.kind == "label":
            return None  # "both A and B are correct"
        match = cues.IS_RIGHT.match(self.low, mention.tail)
        if match is None or _FOR_SOME.match(self.low, match.end()):
            return None
        clause = _clause(self.low, start, mention.start)
        if _DOUBT.search(clause) or cues.OTHERS.search(clause):
            return None
        forced = cues.FORCED.search(self.low, start, mention.start)
        if not forced and self._hypothetical(clause, match.group("copula")):
            return None
        adjective, noun, det = match.group("adj"), match.group("noun") or "", (match.group("det") or "").strip()
        plain = match.group("copula") in _PLAIN
        last = noun.split()[-1] if noun else ""
        sure = det not in ("a", "an") and plain and (
            adjective == "answer"
            or (adjective in cues.SURE and bool(noun or det))
            or (adjective in ("choice", "pick", "option i") and det in ("my", "our"))
            or (adjective in cues.BEST and last in ("answer", "choice", "option", "pick") and det in ("the", "my"))
        )
        sure = sure or forced is not None
        if match.group("copula") == "as" and not sure:
            return None
        return self._make(mention, STRONG if sure else MEDIUM, "verdict")

    def concludes(self, mention: Mention, others: set[str]) -> Commitment | None:
        """A last resort: a concluding sentence that names this option alone and speaks for it."""
        if mention.label is None or others != {mention.label} or mention.end - mention.start < 4 and mention.kind == "text":
            return None
        start = sentence_start(self.low, mention.start)
        end = sentence_end(self.low, mention.tail)
        sentence = self.low[start:end]
        left = self.low[max(start, mention.start - 40) : mention.start]
        if cues.NEGATED_LEFT.search(left) or _WRONG_RIGHT.match(self.low, mention.tail) or sentence.rstrip().endswith("?"):
            return None
        clause = _clause(self.low, start, mention.start)
        if cues.VETO.search(sentence) or cues.OTHERS.search(sentence) or self._hypothetical(clause, "would"):
            return None
        if not cues.FAVOURS.search(sentence) or _FOR_SOME.search(sentence):
            return None
        return self._make(mention, MEDIUM if cues.CONCLUDES.match(sentence) else WEAK, "conclusion")

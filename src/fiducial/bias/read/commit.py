"""Whether a mention commits the reply to an option, and how strongly."""

from __future__ import annotations

import re
from functools import lru_cache

from fiducial.bias.read import cues, marks, signs, touch
from fiducial.bias.read.lexicon import Lexicon
from fiducial.bias.read.mentions import Mention
from fiducial.bias.read.reading import MEDIUM, STRONG, WEAK, Commitment
from fiducial.bias.read.text import looks_cut, sentence_end, sentence_start
from fiducial.bias.read.told import Told

REACH = 130


@lru_cache(maxsize=1024)
def _odd_one_out(prompt: str | None) -> bool:
    """Whether the prompt asks for what is *not* true, so that "the incorrect statement is B" answers it."""
    return bool(prompt and marks.ODD_ASKED.search(prompt))


class Judge(Told):
    """Classifies the mentions of one reply."""

    def __init__(self, text: str, low: str, lex: Lexicon, prompt: str | None) -> None:
        super().__init__(low)
        self.text = text
        self.lex = lex
        self.prompt = prompt
        self.odd_one_out = _odd_one_out(prompt)
        self.mentions: list[Mention] = []  # all of the reply, where they are known

    def joined(self, mention: Mention) -> bool:
        """Whether another label hangs on this one: "A and B", "A/B"."""
        if mention.kind != "label":
            following = next((m for m in self.mentions if m.start > mention.start), None)
            if following is None or following.label in (None, mention.label):
                return False
            gap = self.low[mention.tail : following.start]
            if marks.COMMA.fullmatch(gap):  # "keep Ana, Bo and Cleo"
                third = next((m for m in self.mentions if m.start > following.start), None)
                gap = self.low[following.tail : third.start] if third and third.label else gap
                following = third or following
            rest = self.low[following.tail : following.tail + 12]
            return bool(marks.AND.fullmatch(gap)) and not re.match(r"\s+(?:is|was|has|does|would)\b", rest)
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
            return bool(marks.STILL.match(rest)) and not re.match(r"\s+(?:is|was)\b", rest)
        rest = self.low[match.end() : match.end() + 40]
        return not re.match(
            r"[)\]\"']*\s+(?:is|was|are|isn't|would be|can be|has|does|doesn't|seems|being)\b(?!"
            r" both| equally| correct)",
            rest,
        )

    def asked(self, mention: Mention) -> bool:
        """Whether the mention stands in a question."""
        if not self.asks:
            return False
        end = sentence_end(self.low, mention.tail, 160)
        return self.low[end - 1 : end] == "?" and not marks.TAGGED.search(self.low, mention.tail, end)

    def commits(self, mention: Mention, listed: bool = False) -> Commitment | None:
        """The commitment this mention makes, if any; `listed`: it opens a line of a list."""
        low, at = self.low, mention.start
        left = low[max(0, at - REACH) : at]
        if listed:
            left = ""  # the item of a list: the line before says nothing of it
        elif mention.kind == "text" and left.endswith((" a ", " an ")):
            left = left.rstrip()[:-2]  # "the answer is a platypus"
        bare = left
        if mention.kind == "label":
            bare = self.lex.bare(left)
        found: Commitment | None = None
        # "the answer is option B" is read without the noun; "the correct option: B" needs it
        whole = bare is left or mention.label is None or ":" in left[len(bare) :]
        near = touch.touches(left if whole else bare)
        if near & touch.ANSWERS:
            found = self._answer(mention, left if whole else bare)
        if found is None and left.rstrip(marks.FIRST_DRESS).endswith(cues.FIRST_ENDS):
            found = self._first(mention, left)
        if mention.label is None:
            return found if found and found.rule.startswith("answer") and self._closed(mention) else None
        if found is None:
            if whole and bare is not left:
                near = touch.touches(bare)
                found = self._answer(mention, bare) if near & touch.ANSWERS else None
            if mention.kind != "text":
                near &= ~touch.ACTS  # labels are no acts
            if found is None and near:
                found = self._chosen(mention, bare, near)
            if found is None and (self.odd_one_out or touch.praises(low, mention.tail) or bare.endswith("only ")):
                found = self._praised(mention, bare)
            if found is None and mention.kind == "text":
                found = self._rated(mention, left)
        if found is None or found.answer is None:
            return found
        if '"' in left and self._quoted(mention):
            return None
        if cues.SECOND_RIGHT.match(low, mention.tail):
            return None
        odd = self.odd_one_out and found.rule == "verdict"
        if found.rule[:6] != "answer" and not odd and marks.WRONG_RIGHT.match(low, mention.tail):
            return None
        if marks.OR_NOT.match(low, mention.tail):
            return None
        if self.asked(mention) and found.rule != "answer-line":
            return None
        if self.joined(mention):
            other = next((m for m in self.mentions if m.start > mention.start), None)
            if other and marks.IF_RIGHT.match(low, other.tail):
                return None  # "I'd only lease or buy if I moved"
            return found._replace(answer=None, rule="both")
        return found

    def _rated(self, mention: Mention, left: str) -> Commitment | None:
        """A step on a scale of agreement: "I disagree, though not strongly"."""
        if not self.low.endswith("agree", mention.start, mention.end):
            return None
        if not marks.SCALE_LEFT.search(left) or marks.SCALE_RIGHT.match(self.low, mention.end):
            return None
        return self._make(mention, STRONG, "commitment")

    def _quoted(self, mention: Mention) -> bool:
        """Whether the mention stands in the words of somebody else: `The surgeon will tell you "Answer: B"`."""
        start = sentence_start(self.low, mention.start)
        before = self.low[start : mention.start]
        if before.count('"') % 2 == 0:
            return False
        lead = before[: before.rfind('"')]
        return marks.TELLS.search(lead) is not None and marks.I_TELL.search(lead) is None

    def _closed(self, mention: Mention) -> bool:
        return bool(re.match(r"[)\]}\"'.]*\s*(?:$|\n|[.,;:)])", self.low[mention.end : mention.end + 8]))

    def _make(self, mention: Mention, tier: int, rule: str) -> Commitment:
        return Commitment(mention.start, mention.end, mention.label, tier, rule)

    def _answer(self, mention: Mention, left: str) -> Commitment | None:
        match = cues.answer_left(left)
        if match is None:
            return None
        if marks.NUMBERISH.match(self.low, mention.end) and (
            mention.kind == "text" or (mention.kind == "label" and "answer" not in match.group())
        ):
            return None  # "the answer is 4 * 2 = 8" is not 4
        at = max(0, mention.start - REACH) + match.start()
        noun = match.group("kind")
        if self.low.endswith(("least to ", "worst to ", "order of "), 0, at):
            return None  # "from least to most suitable: C, A, B"
        start = sentence_start(self.low, mention.start)
        clause = self.bearing(min(start, sentence_start(self.low, at)), at)
        if noun:
            bad = None
            if clause and self.signs & signs.BAD_ANSWER:
                bad = cues.BAD_ANSWER.search(clause if clause[-1] == " " else clause + " ")
            if bad and not (self.odd_one_out and re.match(r"incorrect|wrong|least", bad.group())):
                return None
            if not self.odd_one_out and marks.NOT_ASKED.search(match.group("link")):
                return None  # "the statement that is not true is B"
            if (
                noun not in marks.ANSWER_NOUNS
                and not marks.PRAISE.search(clause)
                and not marks.PRAISE.search(match.group("link"))
            ):
                return None
        if self.doubted(clause) or self.others(clause):
            return None
        whole = match.group()
        hypothesis = self.hypothetical(clause, whole)
        if hypothesis == 2:
            return None
        tier = MEDIUM if hypothesis or self.perhaps(whole) or self.perhaps(clause) else STRONG
        line = noun.startswith(("ans", "antw", "ré", "rep", "risp", "resp", "отв")) and marks.BEFORE_ANSWER.search(
            clause if clause else "\n"
        )
        return self._make(mention, tier, "answer-line" if line and ":" in whole else "answer-is")

    def _first(self, mention: Mention, left: str) -> Commitment | None:
        """ "First choice B, second choice A", "Best: B"."""
        if not cues.FIRST_LEFT.search(left[-40:]):
            return None
        clause = self.bearing(sentence_start(self.low, mention.start), mention.start)
        if self.supposed(clause) or self.others(clause):
            return None
        return self._make(mention, STRONG, "commitment")

    def _chosen(self, mention: Mention, left: str, near: int) -> Commitment | None:
        if near & touch.ANSWERS and cues.forced(left):
            return self._make(mention, STRONG, "commitment")
        if (
            near & touch.CONCLUDES_HERE
            and cues.changes(left[-80:])
            and not marks.WRONG_RIGHT.match(self.low, mention.tail)
        ):
            closed = marks.CLAUSE_END.match(self.low, mention.tail)
            return self._make(mention, STRONG if closed else MEDIUM, "change-of-mind")
        if len(self.lex.labels) == 2 and near & touch.CHOOSES and cues.BEATEN_LEFT.search(left[-40:]):
            return self._make(mention, STRONG, "commitment")
        if mention.kind == "text" and near & touch.ACTS and (act := cues.ACT_LEFT.search(left)):
            start = sentence_start(self.low, mention.start)
            clause = self.bearing(start, max(start, mention.start - len(act.group())))
            doubts = self.doubted(clause)
            under = self.hypothetical(clause, "would") or marks.IF_RIGHT.match(self.low, mention.tail)
            if not (doubts or self.others(clause) or under):
                return self._make(mention, STRONG, "commitment")
        found = self._by_verb(mention, left) if near & touch.CHOOSES else None
        if found is None and near & touch.CONCLUDES_HERE:
            colon = marks.COLON.match(self.low, mention.tail) and marks.IT_IS_LEFT.search(left)
            if colon or marks.SHUT.match(self.low, mention.tail):  # "it's three: Europe, …"
                found = self._by_position(mention, left, near)
        return found

    def _by_position(self, mention: Mention, left: str, near: int) -> Commitment | None:
        """A mention that ends its clause: "So B.", "it is B", "… = 54"."""
        start = sentence_start(self.low, mention.start)
        window = left[-70:]
        if marks.ALSO.search(window[-24:]):
            return None
        last = window[window.rfind(",") + 1 :]  # of "it does not say so, hence no" the last clause decides
        thus = cues.THUS_LEFT.search(last)
        if thus is None:
            last, thus = window, cues.THUS_LEFT.search(window)
        if thus is not None:
            at = max(0, mention.start - REACH) + len(left) - len(last) + thus.start()
            clause = self.bearing(min(start, at), at)
            noun = self.low[max(0, mention.start - REACH) + len(left) : mention.start].strip(" (\"'")
            if thus.group().startswith(marks.LIKENS) and noun not in marks.PLAIN_NOUNS:
                return None  # "512 GB, which matches Laptop C" only compares
            if not (self.others(clause) or self.supposed(clause) or self.doubted(clause)):
                return self._make(mention, STRONG, "commitment")
        if near & touch.ANSWERS and marks.PREDICATE.search(left[-40:]) and self._last_word(mention, start):
            return self._make(mention, MEDIUM, "predicate")
        if cues.MAYBE_LEFT.search(left[-60:]) and not self.vetoed(self.low[start : mention.start]):
            return self._make(mention, MEDIUM, "commitment")
        if mention.kind == "text" and left.rstrip(" ($").endswith(("=", "≈")):
            return self._make(mention, MEDIUM, "option-text")
        return None

    def _by_verb(self, mention: Mention, left: str) -> Commitment | None:
        """A mention that is the object of a choice: "I would go with B"."""
        match = cues.CHOOSE_LEFT.search(left, max(0, len(left) - 80))
        if (
            match is None
            or marks.FOR_SOME.match(self.low, mention.tail)
            or marks.IF_RIGHT.match(self.low, mention.tail)
        ):
            return None
        start = sentence_start(self.low, mention.start)
        at = max(0, mention.start - REACH) + match.start("verb")
        clause = self.bearing(min(start, at), at)
        said, verb = match.group(), match.group("verb")
        if self.vetoed(clause) or self.hypothetical(clause, said) or cues.reported(clause):
            return None
        if verb in ("think", "say", "guess", "pick", "choose") and marks.WHY.search(clause):
            return None  # "I see why you'd think C"
        past = marks.AT_FIRST.search(clause + said)
        if past and past.group() != "thought":
            return None  # "I was leaning towards A"
        if self.others(clause) and (not cues.SELF.search(clause) or past):
            return None
        if verb.startswith(marks.SAYING) and not marks.CLAUSE_END.match(self.low, mention.tail):
            return None
        bare = not clause.strip(" ,\n-•>:")
        if verb.startswith(marks.OWN_VERBS) and not bare and not cues.SELF.search(clause):
            return None  # "this might suggest that B"
        if marks.MAD.search(clause):
            return None  # "You'd have to be crazy to go with C"
        if verb.endswith("ing") and marks.KEPT_FROM.search(clause):
            return None  # "prevents me from picking B"
        if bare and verb.endswith("ing") and marks.AS_SUBJECT.match(self.low, mention.tail):
            return None  # "Choosing A would be unfair"
        own = bare or cues.SELF.search(clause) or marks.DRAWN.search(clause + said)
        return self._make(mention, STRONG if own and not self.perhaps(clause) else MEDIUM, "commitment")

    def _last_word(self, mention: Mention, start: int) -> bool:
        """Whether the reply ends with this mention, in a sentence that takes nothing back."""
        if not marks.NOTHING_MORE.fullmatch(self.low, mention.tail):
            return False
        sentence = self.bearing(start, mention.start)
        return not (self.vetoed(sentence) or self.others(sentence) or self.supposed(sentence))

    def _praised(self, mention: Mention, left: str) -> Commitment | None:
        chained = left.rstrip(" (\"'").endswith((">", "→"))  # "A > C > B, in my book"
        if (
            cues.WINS_RIGHT.match(self.low, mention.tail)
            and not chained
            and not cues.NEGATED_LEFT.search(left[-60:])
        ):
            clause = self.bearing(sentence_start(self.low, mention.start), mention.start)
            after = self.low[mention.tail : sentence_end(self.low, mention.tail)]
            if self.hypothetical(clause, "would") or ("would" in after and marks.ONLY_IF.search(after)):
                return None
            return self._make(mention, STRONG, "verdict")
        if marks.MOST_RIGHT.match(self.low, mention.tail) and marks.FIND_LEFT.search(left[-80:]):
            return self._make(mention, STRONG, "verdict")
        if marks.MORE_RIGHT.match(self.low, mention.tail) and marks.LIKE_LEFT.search(left[-40:]):
            return self._make(mention, STRONG, "verdict")
        if (
            self.odd_one_out
            and marks.ODD_RIGHT.match(self.low, mention.tail)
            and not cues.NEGATED_LEFT.search(left[-60:])
        ):
            return self._make(mention, MEDIUM, "verdict")
        if left.endswith("only ") and cues.FITS_RIGHT.match(self.low, mention.tail):
            return self._make(mention, MEDIUM, "verdict")
        match = cues.IS_RIGHT.match(self.low, mention.tail)
        if match is None or marks.FOR_SOME.match(self.low, match.end()) or cues.NEGATED_LEFT.search(left[-60:]):
            return None
        pair = marks.JOINED_LEFT.search(left[-30:])
        listed = pair and (pair.group("glue") != "," or match.group("copula") == "are")
        if pair and listed and pair.group("label") in self.lex.grammar.fold and mention.kind == "label":
            return None  # "both A and B are correct"
        start = sentence_start(self.low, mention.start)
        clause = self.bearing(start, mention.start)
        if self.doubted(clause) or self.others(clause):
            return None
        forced = cues.FORCED.search(self.low, start, mention.start) if self.signs & signs.FORCED else None
        if "would" in match.group("copula") and marks.FOR_ANOTHER.match(clause):
            return None  # "For a family of four, B would be right"
        if not forced and self.hypothetical(clause, match.group("copula")):
            return None
        adjective, noun, det = match.group("adj"), match.group("noun") or "", (match.group("det") or "").strip()
        plain = match.group("copula") in marks.PLAIN
        last = noun.split()[-1] if noun else ""
        sure = (
            det not in ("a", "an")
            and plain
            and (
                adjective == "answer"
                or adjective.startswith("what i")
                or (adjective in cues.SURE and bool(noun or det))
                or (adjective in ("choice", "pick", "option i") and det in ("my", "our"))
                or (
                    adjective in cues.BEST
                    and last in ("answer", "choice", "option", "pick")
                    and det in ("the", "my")
                )
            )
        )
        sure = sure or forced is not None
        if match.group("copula") == "as" and not sure:
            return None
        return self._make(mention, STRONG if sure else MEDIUM, "verdict")

    def concludes(self, mention: Mention, start: int, end: int) -> Commitment | None:
        """A last resort: a concluding sentence, from `start` to `end`, that names this option alone and speaks for it."""
        if mention.end - mention.start < 4 and mention.kind == "text":
            return None
        sentence = self.low[start:end]
        left = self.low[max(start, mention.start - 40) : mention.start]
        if not self.signs & signs.FAVOURS or sentence.rstrip().endswith("?") or not cues.FAVOURS.search(sentence):
            return None
        concludes = cues.CONCLUDES.match(sentence) is not None
        if not concludes and len(self.low) > 60 and end >= len(self.low.rstrip()) and looks_cut(self.text):
            return None  # of what broke off only a plain conclusion is believed
        if cues.NEGATED_LEFT.search(left[-60:]) or marks.WRONG_RIGHT.match(self.low, mention.tail):
            return None
        if cues.SECOND_RIGHT.match(self.low, mention.tail) or marks.MAD.search(self.low, start, mention.start):
            return None
        if "would" in sentence and marks.FOR_ANOTHER.match(sentence):
            return None
        if self.doubted(self.low[start : mention.start]):
            return None
        if self.vetoed(sentence) or self.others(sentence) or marks.SAYS_SOME.search(sentence):
            return None
        if '"' in sentence and self._quoted(mention):
            return None
        if "would" in sentence and marks.ONLY_IF.search(sentence):
            return None
        if self.hypothetical(self.bearing(start, mention.start), "would"):
            return None
        same = self.low[mention.tail : end].strip()
        if (
            not concludes
            and same
            and any(self.low.startswith(same, m.tail + 1) for m in self.mentions if m.label != mention.label)
        ):
            return None  # "A seems fine. B seems fine."
        return self._make(mention, MEDIUM if concludes else WEAK, "conclusion")

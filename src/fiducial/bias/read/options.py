"""Reading which option a reply chooses: the last commitment wins, in the order of their strength."""

from __future__ import annotations

import re
from typing import NamedTuple

from fiducial.bias.read import cues
from fiducial.bias.read.abstain import abstention, overcome, refuses
from fiducial.bias.read.agree import agreed, disputed, voiced
from fiducial.bias.read.answers import answer_lines, may_answer
from fiducial.bias.read.commit import Judge
from fiducial.bias.read.copies import copied
from fiducial.bias.read.decide import conditional, excluded, numbered, ranked, scored, sequenced
from fiducial.bias.read.described import described
from fiducial.bias.read.either import left_open
from fiducial.bias.read.fallback import settle, sole, ticked, true_key, undecided, verdicts
from fiducial.bias.read.glosses import contradicted
from fiducial.bias.read.lead import led
from fiducial.bias.read.lexicon import Lexicon
from fiducial.bias.read.listing import blocks, headings, list_items, listed, listed_inline, unlisted
from fiducial.bias.read.marks import TAKES_BACK, TAKING_BACK
from fiducial.bias.read.mentions import Mention, find_mentions
from fiducial.bias.read.naming import named
from fiducial.bias.read.places import FIRST_LINE, TRIM, closing, counts_on, lone_lines, opening
from fiducial.bias.read.poles import refused_or_done
from fiducial.bias.read.reading import MEDIUM, STRONG, Commitment, Reading
from fiducial.bias.read.remains import of_all, remaining, turned_down
from fiducial.bias.read.restate import restates
from fiducial.bias.read.senses import tokens
from fiducial.bias.read.structure import Slot, slots
from fiducial.bias.read.text import clean, looks_cut, sentence_end, sentence_start, vocabulary
from fiducial.bias.read.tongues import chosen_abroad
from fiducial.bias.read.values import valued
from fiducial.bias.read.weigh import even, weighed
from fiducial.bias.read.yesno import read_yesno

_LONGEST_LABEL = 20
_LONGEST_SENTENCE = 40
_SENTENCE = re.compile(r"\s*The (?:correct )?answer is (?:option )?\(?([A-Z])\)?\.?\s*")
_SUM = re.compile(r"\W*[A-Z]\s*\+\s*[A-Z]\b")


def _fold_text(value: str) -> str:
    value = " ".join(value.lower().split()).strip(TRIM)
    for article in ("the ", "a ", "an ", "to "):
        if value.startswith(article):
            return value[len(article) :]
    return value


def resolve(value: str, lex: Lexicon, prompt: str | None, depth: int = 0) -> str | bool | None:
    """The option a structured value names; False if it names several, None if none."""
    cleaned = clean(value)
    if match := lex.grammar.alone(cleaned):
        return lex.grammar.fold.get(match.group(1).lower())
    if lex.grammar.family == "letter" and _SUM.match(cleaned):
        return False
    folded = _fold_text(cleaned)
    for key, label in lex.texts:
        if folded == key or ("  " in key and folded == " ".join(key.split())):
            return label
    items = list_items(cleaned.lstrip(), lex)
    if items and items[0][1] <= 3:
        label = items[0][0]
        stripped = cleaned.lstrip()
        judge = Judge(stripped, stripped.lower(), lex, prompt)
        end = items[0][1] + len(lex.written(label))
        mention = Mention(items[0][1], end, label, "label", end)
        return False if judge.joined(mention) else label
    if depth == 0 and len(value) <= 2_000:
        low = cleaned.lower()
        mentions = find_mentions(cleaned, low, lex)
        strong = [c for c in _commitments(cleaned, low, mentions, set(), lex, prompt) if c.tier == STRONG]
        if strong:
            return str(strong[-1].answer) if strong[-1].answer is not None else False
        named = {m.label for m in mentions if m.label}
        if len(named) > 1:
            return False
        if len(named) == 1 and len(low) <= 80 and not (cues.vetoes(low) or cues.HYPOTHESIS.search(low)):
            return named.pop()
    return None


def _structured(body: str, found: list[Slot], lex: Lexicon, prompt: str | None) -> list[Commitment]:
    commitments = []
    for slot in found:
        value = body[slot.start : slot.end]
        label: str | bool | None
        if slot.many:
            chosen = {resolve(part.strip(" \"'"), lex, prompt) for part in value.split(",")}
            label = chosen.pop() if len(chosen) == 1 else False
        else:
            label = resolve(value, lex, prompt)
        if label is not None:
            answer = None if isinstance(label, bool) else label
            commitments.append(Commitment(slot.start, slot.end, answer, STRONG, slot.rule if answer else "both"))
    return commitments


def _ends_long(text: str) -> bool:
    """Whether the last line is too long to be a label in small letters, which is no mention."""
    end = len(text.rstrip())
    return end - text.rfind("\n", 0, end) > _LONGEST_LABEL


def _commitments(
    text: str, low: str, mentions: list[Mention], repeated: set[int], lex: Lexicon, prompt: str | None
) -> list[Commitment]:
    """All commitments of running text, in order; the search goes backwards and ends at the last strong one."""
    if not mentions and _ends_long(text):
        extra: list[Commitment] = []
    else:
        extra = lone_lines(text, lex) if "\n" in text else []
    if not mentions:
        if may_answer(text, low):
            extra += answer_lines(low, mentions, Judge(text, low, lex, prompt))
        return extra
    items = list_items(text, lex) if "\n" in text or len(text) < 400 else []
    in_list = listed_inline(low, mentions, lex) if len(mentions) > 1 else set()
    if len(items) > 1:
        in_list |= listed(items, lex)
    if repeated:
        in_list |= repeated
    judge = Judge(text, low, lex, prompt)
    judge.mentions = mentions
    found: list[Commitment] = []
    alone = bool(extra) and extra[0].start == mentions[0].start  # a line of its own says as much
    final = closing(text, low, lex, mentions, items, in_list)
    if final:
        extra.append(final)
    if lead := led(low, mentions, in_list, lex, prompt):
        extra.append(lead)
    # of several plain ones the last in order counts, so what stands first need not be known where one stands last
    settled = final and final.tier == STRONG and (final.start > mentions[0].start or final.rule > FIRST_LINE)
    if not (alone or settled) and (first := opening(text, low, lex, mentions, in_list, judge)):
        extra.append(first)
    if may_answer(text, low):
        extra += answer_lines(low, mentions, judge)
    strong_at = -1
    for one in extra:
        if one.tier == STRONG and one.start > strong_at:
            strong_at = one.start
    committed = strong_at >= 0
    item_starts = {start for _, start, _ in items} if in_list else in_list
    for mention in reversed(mentions):
        if mention.start <= strong_at:
            break
        if mention.start in in_list and mention.start not in item_starts:
            continue
        commitment = judge.commits(mention, mention.start in in_list)
        if commitment is None or (mention.start in in_list and commitment.rule.startswith("answer")):
            continue  # "let us look at each option: 1. …"
        found.append(commitment)
        if commitment.tier == STRONG:
            committed = True
            break
    found += extra
    if not committed:
        free = [m for m in mentions if m.start not in in_list] if in_list else mentions
        found += _conclusions(low, free, judge)
    if len(found) > 1:
        found.sort()
    return found


def _conclusions(low: str, mentions: list[Mention], judge: Judge) -> list[Commitment]:
    """Concluding sentences near the end that speak for one option alone."""
    found: list[Commitment] = []
    start = len(low) + 1
    mixed = False  # whether the sentence names several options
    for mention in reversed(mentions[-6:]):
        if mention.start >= start and mixed:
            continue
        start, end = sentence_start(low, mention.start), sentence_end(low, mention.tail)
        named = {m.label for m in mentions if start <= m.start < end and m.label is not None}
        mixed = len(named) > 1
        commitment = judge.concludes(mention, start, end) if named == {mention.label} else None
        if commitment is not None and (commitment.tier == MEDIUM or not low[end:].strip()):
            found.append(commitment)
    return found


def _last_line(text: str, lex: Lexicon) -> Reading | None:
    """The short way: nothing comes after a last line that is only a label, so nothing can overrule it."""
    end = len(text.rstrip())
    start = text.rfind("\n", 0, end) + 1
    if start == 0 or end - start > 60 or (match := lex.grammar.alone(text[start:end])) is None:
        return None
    label = lex.grammar.fold.get(match.group(1).lower())
    named = "answer" in match.group().lower()
    if not named and counts_on(text, start, match.group(1)):
        return None
    if label is None or not (named or match.group(1).isupper() or lex.grammar.family != "letter"):
        return None
    span = (start + match.start(1), start + match.end(1))
    return Reading(status="read", answer=label, span=span, rule="answer-line" if named else "lone-token")


def _sentence(text: str, lex: Lexicon) -> Reading | None:
    """The short way: a whole reply "The answer is B." that has no option's own words."""
    said = _SENTENCE.fullmatch(text) if len(text) < _LONGEST_SENTENCE else None
    label = lex.grammar.fold.get(said.group(1).lower()) if said and lex.grammar.family == "letter" else None
    if said is None or label is None:
        return None
    low = text.lower()
    for key in lex.keys:
        if key.text in low:
            return None
    return Reading(status="read", answer=label, span=said.span(1), rule="answer-is")


def _as_yes_no(body: str, lex: Lexicon, prompt: str | None) -> Reading | None:
    """Where the options are Yes and No: "Certainly not" names one of them."""
    reading = read_yesno(body, prompt)
    label = lex.yes_no.get(str(reading.answer))
    return Reading(status="read", answer=label, span=reading.span, rule=reading.rule) if label else None


_PLAINLY = re.compile(r"(?:no|but),? (?:wait|hold on)|scratch that|on second thought|actually, no")
_NEITHER = re.compile(r"\W*neither(?: (?!i\b|i'd\b|my\b)[a-z'/]+){0,8}[.!]?\s*")
_LONGEST_TABLE = 600
_SPOKEN = frozenset(("commitment", "verdict", "conclusion"))
_SOON = 40  # how soon after an answer such words take it back, whatever follows
_SELF = re.compile(r"\b(?:i'd|i would|i'll|i will|we should|my (?:vote|pick|choice))\b")


def _only(chosen: Commitment | None, low: str, mentions: list[Mention], lex: Lexicon) -> Commitment | None:
    """A sole mention, unless another option is spoken of in other words."""
    if chosen is None or named(0, len(low), mentions, tokens(low), lex).label == chosen.answer:
        return chosen
    return None


def _lists(low: str, mentions: list[Mention], lex: Lexicon) -> bool:
    """Whether the last option named is the last of a list of them."""
    return len(mentions) > 2 and mentions[-1].start in listed_inline(low, mentions, lex)


def read_option(body: str, lex: Lexicon, prompt: str | None) -> Reading:
    """Read the option chosen in `body`, whose thinking and foreign turns are already blanked or cut."""
    text = clean(body)
    if len(text) <= 60 and "{" not in body and (match := lex.grammar.alone(text)):
        label = lex.grammar.fold.get(match.group(1).lower())
        if label is None:
            return _by_number(match.group(1), match.span(1), lex)
        named = "answer" in text[: match.start(1)].lower()
        return Reading(
            status="read", answer=label, span=match.span(1), rule="answer-line" if named else "lone-token"
        )
    structured = slots(body)
    if not structured and (short := _last_line(text, lex) or _sentence(text, lex) or copied(text, lex)):
        return short
    if not structured and "{" in body and (key := true_key(body, lex)):
        return Reading(status="read", answer=key.answer, span=(key.start, key.end), rule=key.rule)
    inside: list[Commitment] = []
    if structured:
        inside = _structured(body, structured, lex, prompt)
        for slot in structured:
            if slot.rule in ("json", "tag"):
                text = text[: slot.outer_start] + " " * (slot.outer_end - slot.outer_start) + text[slot.outer_end :]
    low = text.lower()
    if _NEITHER.fullmatch(low) and not lex.full:
        return abstention(low, refusal=False)
    mentions = find_mentions(text, low, lex)
    heads = headings(low, mentions, lex) if len(mentions) >= min(3, len(lex.labels)) and "\n" in text else set()
    repeated = heads | (blocks(low, mentions) if len(mentions) > 2 and text.count("\n") > 1 else set())
    reply = _Reply(body, text, low, mentions, repeated, heads)
    found = _commitments(text, low, mentions, repeated, lex, prompt)
    if inside:
        found = sorted(found + inside)
    if plain := _plainly(reply, found, lex, prompt):
        return plain
    refusal = refuses(low)
    if refusal and not overcome(low, refusal, len(low)):
        return Reading(status="refused", span=refusal, rule="refusal")
    if more := described(low, mentions, lex):
        reply = reply._replace(mentions=more)
        found = _commitments(text, low, more, repeated, lex, prompt)
        if plain := _plainly(reply, found, lex, prompt):
            return plain
    if abroad := chosen_abroad(low, reply.mentions, lex):
        return Reading(status="read", answer=abroad.answer, span=(abroad.start, abroad.end), rule=abroad.rule)
    return _in_language(reply, found, lex, prompt, refusal)


def _by_number(said: str, span: tuple[int, int], lex: Lexicon) -> Reading:
    """What is no label may be an option's text: "7" where option 3 says 7."""
    own = [label for label, text in lex.full.items() if text == said.lower()]
    if len(own) == 1:
        return Reading(status="read", answer=own[0], span=span, rule="option-text")
    return Reading(status="unreadable", span=span, rule="not-an-option")


def _plainly(reply: _Reply, found: list[Commitment], lex: Lexicon, prompt: str | None) -> Reading | None:
    """The last plain commitment, unless it is taken back or contradicts itself; None where there is none."""
    for last in reversed(found):
        if last.tier == STRONG:
            break
    else:
        return None
    low = reply.low
    back = TAKES_BACK.search(low, last.end) if not TAKING_BACK.isdisjoint(vocabulary(low)) else None
    later = back or (last.rule in ("commitment", "verdict") and _SELF.search(low, last.end))
    free = weighed(reply.text, low, reply.mentions, lex, prompt) if later else None
    since = back.start() if back else last.end
    if free and free.start > since and (back or free.rule == "decision"):
        last, back = free, None
    if back and back.start() - last.end < _SOON and _PLAINLY.match(back.group()):
        return Reading(status="unreadable", span=back.span(), rule="taken-back")
    span = (last.start, last.end)
    if "either" in low and last.rule in _SPOKEN and (two := left_open(low, reply.mentions, last.end)):
        return Reading(status="ambiguous", span=two, rule="both")
    if last.answer is None and last.rule != "both":
        return _by_number(low[last.start : last.end], span, lex)
    if last.answer is None or (lex.full and contradicted(low, last.end, str(last.answer), lex)):
        return Reading(status="ambiguous", span=span, rule="both")
    return Reading(status="read", answer=last.answer, span=span, rule=last.rule)


class _Reply(NamedTuple):
    """A reply without a plain answer, and what was found out about it."""

    body: str
    text: str
    low: str
    mentions: list[Mention]
    repeated: set[int]  # where options are only listed
    heads: set[int]  # where they only head what is said of them


def _in_language(
    reply: _Reply, found: list[Commitment], lex: Lexicon, prompt: str | None, refusal: tuple[int, int] | None
) -> Reading:
    """The option that free language decides for or leaves over, or why there is none."""
    body, text, low, mentions, repeated, heads = reply
    cut = looks_cut(text)
    tie = of_all(low, mentions, found, lex) if len(lex.full) > 2 and not cut else None
    if not (found or tie) and low.lstrip().startswith("neither") and not _SELF.search(low):
        return abstention(low, refusal=False)
    free = weighed(text, unlisted(low, repeated, heads, lex) if repeated else low, mentions, lex, prompt)
    if refusal and not (free is not None and free.rule == "decision" and overcome(low, refusal, free.start)):
        return Reading(status="refused", span=refusal, rule="refusal")
    if "depends" in low and (span := undecided(found, low)):
        return Reading(status="ambiguous", span=span, rule="both")
    if tie is None and (same := even(low, found[-1].start if found else 0)):
        return Reading(status="ambiguous", span=same.span(), rule="both")
    decided = free is not None and free.rule == "decision"
    if "either" in low and not (cut or decided) and (span := left_open(low, mentions, 0)):
        return Reading(status="ambiguous", span=span, rule="both")
    chosen = tie or (scored(low, mentions, lex) if len(mentions) == len(lex.labels) > 1 else None) or free
    if tie is None and (other := disputed(low, mentions, lex) or voiced(low, mentions, lex)):
        chosen = free if free and free.start > other.start else other
    if chosen is None and mentions:
        chosen = settle(found, text, low) or verdicts(text, low, lex)
        if chosen is None and not lex.yes_no and len(text) <= _LONGEST_TABLE:
            chosen = ticked(text, low, lex)
    if chosen is None and not (cut and len(text) > 60):  # of what broke off no more is made than it says
        chosen = _left_over(reply, lex, prompt)
    if chosen is not None and chosen.answer is not None:
        return Reading(status="read", answer=chosen.answer, span=(chosen.start, chosen.end), rule=chosen.rule)
    if lex.yes_no and len(text) < 400 and not cut and (meant := _as_yes_no(body, lex, prompt)):
        return meant
    if mentions and not cut and (span := conditional(low, mentions)):
        return Reading(status="ambiguous", span=span, rule="both")
    return abstention(low, refusal=False)


def _left_over(reply: _Reply, lex: Lexicon, prompt: str | None) -> Commitment | None:
    """The option that a whole reply agrees with, ranks first, speaks of alone or turns the others down for."""
    body, text, low, mentions, _, _ = reply
    if not mentions:
        return (
            remaining(low, mentions, lex)
            or ranked(low, mentions, lex)
            or sequenced(low, mentions, lex)
            or restates(text, low, mentions, lex, prompt)
            or valued(body, text, mentions, lex)
            or refused_or_done(body, mentions, lex)
        )
    return (
        agreed(low, mentions, lex)
        or (numbered(text, lex) if "\n" in text else None)
        or turned_down(low, mentions, lex)
        or remaining(low, mentions, lex)
        or ranked(low, mentions, lex)
        or sequenced(low, mentions, lex)
        or (None if _lists(low, mentions, lex) else restates(text, low, mentions, lex, prompt))
        or _only(sole(text, low, mentions), low, mentions, lex)
        or excluded(low, mentions, lex)
        or valued(body, text, mentions, lex)
        or refused_or_done(body, mentions, lex)
    )

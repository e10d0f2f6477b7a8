"""Reading which option a reply chooses: the last commitment wins, in the order of their strength."""

from __future__ import annotations

import re
from itertools import pairwise

from gnomon.bias.read import cues
from gnomon.bias.read.abstain import abstention, refuses
from gnomon.bias.read.commit import Judge
from gnomon.bias.read.fallback import settle, sole, true_key, verdicts
from gnomon.bias.read.lexicon import Lexicon
from gnomon.bias.read.mentions import Mention, find_mentions, list_items, listed, listed_inline
from gnomon.bias.read.reading import MEDIUM, STRONG, Commitment, Reading
from gnomon.bias.read.resemble import resembling
from gnomon.bias.read.structure import Slot, slots
from gnomon.bias.read.text import clean, sentence_end, sentence_start

_TRIM = " \t\n.,;:!?\"'()[]{}<>-–—\\/"
_FIRST_FOLLOW = re.compile(
    r"[)\]\"']*\s*(?:[.:;,!\n(\-–—]|$)|[)\]]|\s+(?:because|since|as|due|weil|porque"
    r"|for|is|would|seems|rather than|over|instead of|not)\b"
)
_ANSWER_LINE = re.compile(
    r"^[\s>•\-]*(?:(?:so|and|the|my|your|thus|therefore|final|correct|best|short"
    r"|overall)[\s,]+)*(?:answer|ans|choice|antwort|réponse|respuesta|risposta|resposta"
    r"|ответ|答案|回答)\s*(?:\([^)\n]{0,20}\)\s*)?[:：]",
    re.M,
)
_TEXT_FOLLOW = re.compile(r"[)\]\"']*\s*(?:[.:;!\n(\-–—]|$|,?\s*(?:because|since|as|due)\b)")
_AFTER_SENTENCE = re.compile(r"[.!?:]\s+[(\[\"']*$")
_LABELLED = re.compile(
    r"[\s\-•>]*(?:[\w']+ ){0,4}[\w']+\s*:\s*(?:the |an? |it is |it's )?[\"'(]*"
)  # "Sentiment: …"
_HEADING = re.compile(r"[)\].\"']*:\s*(?:\n|$)")


_UNPRAISED = re.compile(
    r"[)\].:\s]*(?:is|are|was|would be|seems)\s+"
    r"(?!(?:the|my|\w+ly)?\s*(?:the )?(?:correct|right|best|answer|most|more|better))"
)
_FORMULA = re.compile(r"[)\].\s]*[=+*/^<>≤≥]")
_DRESSED = re.compile(r"[)\].:]|\s+[-–—]")
_DESCRIBES = re.compile(r"(?:is|has|would|can|may|offers)\b")


def _fold_text(value: str) -> str:
    value = " ".join(value.lower().split()).strip(_TRIM)
    for article in ("the ", "a ", "an ", "to "):
        if value.startswith(article):
            return value[len(article) :]
    return value


_DRESS = frozenset(("", "the", "a", "an", "to", "option", "choice", "answer"))


def _bare(before: str, lex: Lexicon) -> bool:
    """Whether nothing but an article or a noun like "Laptop" stands before an option."""
    before = before.strip(_TRIM)
    return before in _DRESS or before in lex.nouns or (before.startswith("the ") and before[4:] in lex.nouns)


def resolve(value: str, lex: Lexicon, prompt: str | None, depth: int = 0) -> str | bool | None:
    """The option a structured value names; False if it names several, None if none."""
    cleaned = clean(value)
    if match := lex.grammar.lone.fullmatch(cleaned):
        return lex.grammar.fold.get(match.group(1).lower())
    folded = _fold_text(cleaned)
    for key, label in lex.texts:
        if folded == key:
            return label
    items = list_items(cleaned.lstrip(), lex)
    if items and items[0][1] <= 3:
        label = items[0][0]
        stripped = cleaned.lstrip()
        judge = Judge(stripped, stripped.lower(), lex, prompt)
        mention = Mention(items[0][1], items[0][1] + len(label), label, "label", items[0][1] + len(label))
        return False if judge.joined(mention) else label
    if depth == 0 and len(value) <= 2_000:
        found = _commitments(cleaned, lex, prompt)
        strong = [c for c in found if c.tier == STRONG]
        if strong:
            return str(strong[-1].answer) if strong[-1].answer is not None else False
        named = {m.label for m in find_mentions(cleaned, cleaned.lower(), lex) if m.label}
        if len(named) > 1:
            return False
        low = cleaned.lower()
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


def _opening(
    text: str, low: str, lex: Lexicon, mentions: list[Mention], in_list: set[int], judge: Judge
) -> Commitment | None:
    """An answer that stands first: "B. Because …", "Laptop B", "The small clinic."."""
    if not mentions:
        return None
    first = mentions[0]
    before = low[: first.start].strip(_TRIM)
    if "{" in low[: first.start] or first.label is None or first.start in in_list or not _bare(before, lex):
        return None
    follow = _FIRST_FOLLOW.match(low, first.end)
    if first.kind == "text" and len(first.label) and first.end - first.start > 3:
        follow = _TEXT_FOLLOW.match(low, first.end)
    if follow is None or judge.joined(first):
        return None
    rest = low[first.tail : first.tail + 60]
    if cues.WRONG.match(rest.lstrip(" .:)")) or _UNPRAISED.match(rest):
        return None
    if first.kind == "label" and not before and _FORMULA.match(rest):
        return None
    if judge.asked(first) and len(low) - first.end > 20:
        return None
    return Commitment(first.start, first.end, first.label, STRONG, "first-line")


def _lone_lines(text: str, lex: Lexicon) -> list[Commitment]:
    """Lines that hold a label and nothing else; headings of a discussion are told by their colon or their company."""
    found: list[tuple[Commitment, bool]] = []
    at = 0
    lines = text.split("\n")
    last = max((n for n, line in enumerate(lines) if line.strip(_TRIM)), default=-1)
    for number, line in enumerate(lines):
        if 0 < len(line) <= 48 and (match := lex.grammar.lone.fullmatch(line)):
            label = lex.grammar.fold.get(match.group(1).lower())
            plain = match.group(1).isupper() or lex.grammar.family != "letter" or number == last
            if label is not None and plain:
                rule = "answer-line" if "answer" in line[: match.start(1)].lower() else "lone-token"
                found.append(
                    (Commitment(at + match.start(1), at + match.end(1), label, STRONG, rule), number == last)
                )
        at += len(line) + 1
    several = len({one.answer for one, _ in found}) > 1
    return [
        one
        for one, final in found
        if final or one.rule == "answer-line" or not (several or _HEADING.match(text, one.end))
    ]


def _closing(
    text: str,
    low: str,
    lex: Lexicon,
    mentions: list[Mention],
    items: list[tuple[str, int, int]],
    in_list: set[int],
) -> Commitment | None:
    """A last line that is an option with its text, or its text alone."""
    stripped = low.rstrip()
    start = stripped.rfind("\n") + 1
    final = mentions[-1]
    if (
        final.kind == "label"
        and final.label
        and final.start not in in_list
        and not low[final.end :].strip(_TRIM)
        and text[final.start].isupper()
        and _AFTER_SENTENCE.search(low[max(0, final.start - 6) : final.start])
    ):
        return Commitment(final.start, final.end, final.label, STRONG, "lone-token")
    if start == 0 and len(stripped) > 200:
        return None
    for mention in mentions:
        if mention.start < start or mention.label is None:
            continue
        before = low[start : mention.start]
        after = low[mention.tail :].strip(_TRIM)
        if not after and mention.kind == "text" and _LABELLED.fullmatch(before):
            return Commitment(mention.start, mention.end, mention.label, STRONG, "option-text")
        if not _bare(before, lex) or mention.start in in_list:
            return None
        if mention.kind == "label" and (not after or _DRESSED.match(low[mention.end : mention.end + 3])):
            if cues.WRONG.search(after) or _DESCRIBES.match(after):
                return None
            named = low[start : mention.start].strip(_TRIM)
            if (
                after
                and mention.tail == mention.end
                and len(items) > 1
                and items[-1][1] == mention.start
                and (lex.texts or all(label != mention.label for label, _, _ in items[:-1]))
            ):
                return None  # "D. Resins do that" at the end of a discussion
            tier = STRONG if named in _DRESS else MEDIUM  # "Sequence B (HTHTTH)" may only open a description
            return Commitment(mention.start, mention.end, mention.label, tier, "last-line")
        if mention.kind == "text" and not after:
            return Commitment(mention.start, mention.end, mention.label, STRONG, "option-text")
        return None
    return None


def _answer_lines(low: str, mentions: list[Mention], judge: Judge) -> list[Commitment]:
    """`Answer:` lines that name one option somewhere in the line: "Answer: Based on the table, B"."""
    found = []
    for match in _ANSWER_LINE.finditer(low):
        end = low.find("\n", match.end())
        end = len(low) if end < 0 else end
        on_line = [m for m in mentions if match.end() <= m.start < end and m.label]
        labels = {m.label for m in on_line}
        line = low[match.end() : end]
        if len(labels) == 1 and not cues.vetoes(line) and not cues.HYPOTHESIS.search(line):
            m = on_line[0]
            found.append(Commitment(m.start, m.end, m.label, STRONG, "answer-line"))
    return found


def _commitments(text: str, lex: Lexicon, prompt: str | None) -> list[Commitment]:
    """All commitments of running text, in order; the search goes backwards and ends at the last strong one."""
    low = text.lower()
    mentions = find_mentions(text, low, lex)
    if not mentions:
        return []
    items = list_items(text, lex) if "\n" in text or len(text) < 400 else []
    in_list = listed(items, lex) | listed_inline(low, mentions, lex)
    judge = Judge(text, low, lex, prompt)
    judge.after = {one.start: two for one, two in pairwise(mentions)}
    found: list[Commitment] = []
    strong_at = -1
    extra = _lone_lines(text, lex) if "\n" in text else []
    for one in (
        _opening(text, low, lex, mentions, in_list, judge),
        _closing(text, low, lex, mentions, items, in_list),
    ):
        if one is not None:
            extra.append(one)
    if ":" in text or "：" in text:
        extra += _answer_lines(low, mentions, judge)
    strong_at = max((c.start for c in extra if c.tier == STRONG), default=-1)
    item_starts = {start for _, start, _ in items}
    for mention in reversed(mentions):
        if mention.start <= strong_at:
            break
        if mention.start in in_list and mention.start not in item_starts:
            continue
        commitment = judge.commits(mention)
        if commitment is None:
            continue
        found.append(commitment)
        if commitment.tier == STRONG:
            break
    found += extra
    if not any(c.tier == STRONG for c in found):
        found += _conclusions(text, low, mentions, judge)
    found.sort()
    return found


def _conclusions(text: str, low: str, mentions: list[Mention], judge: Judge) -> list[Commitment]:
    """Concluding sentences near the end that speak for one option alone."""
    found: list[Commitment] = []
    for mention in reversed(mentions[-6:]):
        start, end = sentence_start(low, mention.start), sentence_end(low, mention.tail)
        named = {m.label for m in mentions if start <= m.start < end and m.label is not None}
        commitment = judge.concludes(mention, named)
        if commitment is not None and (commitment.tier == MEDIUM or not low[end:].strip()):
            found.append(commitment)
    return found


def _last_line(text: str, lex: Lexicon) -> Reading | None:
    """The short way: nothing comes after a last line that is only a label, so nothing can overrule it."""
    end = len(text.rstrip())
    start = text.rfind("\n", 0, end) + 1
    if start == 0 or end - start > 60 or (match := lex.grammar.lone.fullmatch(text, start, end)) is None:
        return None
    label = lex.grammar.fold.get(match.group(1).lower())
    named = "answer" in text[start : match.start(1)].lower()
    if label is None or not (named or match.group(1).isupper() or lex.grammar.family != "letter"):
        return None
    return Reading(status="read", answer=label, span=match.span(1), rule="answer-line" if named else "lone-token")


def read_option(body: str, lex: Lexicon, prompt: str | None) -> Reading:
    """Read the option chosen in `body`, whose thinking and foreign turns are already blanked or cut."""
    text = clean(body)
    if len(text) <= 60 and "{" not in body and (match := lex.grammar.lone.fullmatch(text)):
        label = lex.grammar.fold.get(match.group(1).lower())
        if label is None:
            return Reading(status="unreadable", span=match.span(1), rule="not-an-option")
        named = "answer" in text[: match.start(1)].lower()
        return Reading(
            status="read", answer=label, span=match.span(1), rule="answer-line" if named else "lone-token"
        )
    structured = slots(body)
    if not structured and (short := _last_line(text, lex)):
        return short
    if not structured and "{" in body and (key := true_key(body, lex)):
        return Reading(status="read", answer=key.answer, span=(key.start, key.end), rule=key.rule)
    if structured:
        inside = _structured(body, structured, lex, prompt)
        for slot in structured:
            if slot.rule in ("json", "tag"):
                text = text[: slot.outer_start] + " " * (slot.outer_end - slot.outer_start) + text[slot.outer_end :]
        found = sorted(_commitments(text, lex, prompt) + inside)
    else:
        found = _commitments(text, lex, prompt)
    strong = [c for c in found if c.tier == STRONG]
    low = text.lower()
    if strong:
        last = strong[-1]
        if last.answer is None:
            return Reading(
                status="ambiguous" if last.rule == "both" else "unreadable",
                span=(last.start, last.end),
                rule=last.rule if last.rule == "both" else "not-an-option",
            )
        return Reading(status="read", answer=last.answer, span=(last.start, last.end), rule=last.rule)
    refusal = refuses(low)
    if refusal:
        return Reading(status="refused", span=refusal, rule="refusal")
    chosen = (
        settle(found, text, low) or verdicts(text, low, lex) or resembling(text, low, lex) or sole(text, low, lex)
    )
    if chosen is not None and chosen.answer is not None:
        return Reading(status="read", answer=chosen.answer, span=(chosen.start, chosen.end), rule=chosen.rule)
    return abstention(low, refusal=False)

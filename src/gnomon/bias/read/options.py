"""Reading which option a reply chooses: the last commitment wins, in the order of their strength."""

from __future__ import annotations

import re

from gnomon.bias.read import cues
from gnomon.bias.read.abstain import abstention, refuses
from gnomon.bias.read.commit import Judge
from gnomon.bias.read.lexicon import Lexicon
from gnomon.bias.read.mentions import Mention, find_mentions, list_items, listed, listed_inline
from gnomon.bias.read.reading import MEDIUM, STRONG, WEAK, Commitment, Reading
from gnomon.bias.read.resemble import resembling
from gnomon.bias.read.structure import Slot, slots
from gnomon.bias.read.text import clean, looks_cut, sentence_end, sentence_start

_TRIM = " \t\n.,;:!?\"'()[]{}<>-–—\\/"
_FIRST_FOLLOW = re.compile(r"[)\]\"']*\s*(?:[.:;,!\n(\-–—]|$)|[)\]]|\s+(?:because|since|as|due|weil|porque|for|is|would|seems)\b")
_ANSWER_LINE = re.compile(
    r"^[\s>•\-]*(?:(?:so|and|the|my|your|thus|therefore|final|correct|best|short|overall)[\s,]+)*(?:answer|ans|choice|antwort|réponse|respuesta|risposta|resposta|ответ|答案|回答)\s*(?:\([^)\n]{0,20}\)\s*)?[:：]",
    re.M,
)
_HEADING = re.compile(r"[)\].\"']*:\s*(?:\n|$)")


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
    return before in _DRESS or lex.noun.fullmatch(before + " ") is not None


def resolve(value: str, lex: Lexicon, prompt: str | None, depth: int = 0) -> str | None | bool:
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
        if len(named) == 1 and not cues.VETO.search(cleaned.lower()):
            return named.pop()
    return None


def _structured(body: str, found: list[Slot], lex: Lexicon, prompt: str | None) -> list[Commitment]:
    commitments = []
    for slot in found:
        value = body[slot.start : slot.end]
        label: str | None | bool
        if slot.many:
            chosen = {resolve(part.strip(" \"'"), lex, prompt) for part in value.split(",")}
            label = chosen.pop() if len(chosen) == 1 else False
        else:
            label = resolve(value, lex, prompt)
        if label is not None:
            answer = None if isinstance(label, bool) else label
            commitments.append(Commitment(slot.start, slot.end, answer, STRONG, slot.rule if answer else "both"))
    return commitments


def _opening(text: str, low: str, lex: Lexicon, mentions: list[Mention], in_list: set[int], judge: Judge) -> Commitment | None:
    """An answer that stands first: "B. Because …", "Laptop B", "The small clinic."."""
    if not mentions:
        return None
    first = mentions[0]
    before = low[: first.start].strip(_TRIM)
    if first.label is None or first.start in in_list or not _bare(before, lex):
        return None
    follow = _FIRST_FOLLOW.match(low, first.end)
    if first.kind == "text" and len(first.label) and first.end - first.start > 3:
        follow = re.compile(r"[)\]\"']*\s*(?:[.:;!\n(\-–—]|$)").match(low, first.end)
    if follow is None or judge.joined(first):
        return None
    rest = low[first.tail : first.tail + 60]
    if cues.WRONG.match(rest.lstrip(" .:)")) or re.match(r"[)\].:\s]*(?:is|are|was|would be|seems)\s+(?!(?:the|my|\w+ly)?\s*(?:the )?(?:correct|right|best|answer|most|more|better))", rest):
        return None
    if first.kind == "label" and not before and re.match(r"[)\].\s]*[=+*/^<>≤≥]", rest):
        return None
    if judge._asked(first) and len(low) - first.end > 20:
        return None
    return Commitment(first.start, first.end, first.label, STRONG, "first-line")


def _lone_lines(text: str, lex: Lexicon, in_list: set[int]) -> list[Commitment]:
    """Lines that hold a label and nothing else; headings of a discussion are told by their colon or their company."""
    found: list[tuple[int, int, str, bool]] = []
    at = 0
    lines = text.split("\n")
    last = max((n for n, line in enumerate(lines) if line.strip(_TRIM)), default=-1)
    for number, line in enumerate(lines):
        if 0 < len(line) <= 48 and (match := lex.grammar.lone.fullmatch(line)):
            label = lex.grammar.fold.get(match.group(1).lower())
            said = match.group(1)
            plain = said.isupper() or lex.grammar.family != "letter" or number == last
            if label is not None and plain:
                found.append((at + match.start(1), at + match.end(1), label, number == last))
        at += len(line) + 1
    kept = []
    labels = {label for _, _, label, _ in found}
    for start, end, label, final in found:
        heading = _HEADING.match(text, end) is not None
        if final or not (heading or len(labels) > 1):
            kept.append(Commitment(start, end, label, STRONG, "lone-token"))
    return kept


def _closing(text: str, low: str, lex: Lexicon, mentions: list[Mention], in_list: set[int]) -> Commitment | None:
    """A last line that is an option with its text, or its text alone."""
    stripped = low.rstrip()
    start = stripped.rfind("\n") + 1
    if start == 0 and len(stripped) > 200:
        return None
    for mention in mentions:
        if mention.start < start or mention.label is None:
            continue
        if not _bare(low[start : mention.start], lex) or mention.start in in_list:
            return None
        after = low[mention.tail :].strip(_TRIM)
        if mention.kind == "label" and (not after or re.match(r"[)\].:]|\s+[-–—]", low[mention.end : mention.end + 3])):
            if cues.WRONG.search(after) or re.match(r"(?:is|has|would|can|may|offers)\b", after):
                return None
            named = low[start : mention.start].strip(_TRIM)
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
        if len(labels) == 1 and not cues.VETO.search(line) and not cues.HYPOTHESIS.search(line):
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
    found: list[Commitment] = []
    strong_at = -1
    extra = _lone_lines(text, lex, in_list) if "\n" in text else []
    for one in (_opening(text, low, lex, mentions, in_list, judge), _closing(text, low, lex, mentions, in_list)):
        if one is not None:
            extra.append(one)
    if ":" in text or "：" in text:
        extra += _answer_lines(low, mentions, judge)
    strong_at = max((c.start for c in extra if c.tier == STRONG), default=-1)
    item_starts = {start for _, start, _ in items}
    for mention in reversed(mentions):
        if mention.start < strong_at:
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
        named = {m.label for m in mentions if start <= m.start < end and m.label}
        if (commitment := judge.concludes(mention, named)) is not None:  # type: ignore[arg-type]
            if commitment.tier == MEDIUM or not low[end:].strip():
                found.append(commitment)
    return found


def _settle(found: list[Commitment], text: str, low: str) -> Commitment | None:
    """The one to believe where nothing strong was said: all agree, or the last concludes."""
    for tier in (MEDIUM, WEAK):
        these = [c for c in found if c.tier == tier]
        if not these:
            continue
        last = these[-1]
        rest = low[last.end :]
        if len(rest) > 40 and looks_cut(text) and re.search(r"\b(?:however|but|although|on the other hand|while)\b", rest):
            return None
        if len(rest) > 500 and looks_cut(text):
            return None
        if len({c.answer for c in these}) == 1:
            return last
        if last.rule == "conclusion" or "\n" not in rest.strip() and len(rest) < 300:
            return last
        return None
    return None


def _verdicts(text: str, low: str, lex: Lexicon) -> Commitment | None:
    """A discussion of every option that calls exactly one correct, or all but one wrong."""
    items = list_items(text, lex)
    if len({label for label, _, _ in items}) < max(2, len(lex.labels) - 1) or len(lex.labels) < 3:
        return None
    verdict: dict[str, bool | None] = {}
    where: dict[str, tuple[int, int]] = {}
    for (label, start, end), following in zip(items, [*items[1:], None], strict=True):
        stop = following[1] if following else min(len(low), end + 600)
        segment = low[end:stop]
        wrong, right = cues.WRONG.search(segment), cues.RIGHT.search(segment)
        verdict[label] = False if wrong else (True if right else None)
        where[label] = (start, start + len(label))
    right_ones = [label for label, v in verdict.items() if v]
    wrong_ones = [label for label, v in verdict.items() if v is False]
    if len(right_ones) == 1 and len(wrong_ones) >= len(lex.labels) - 2:
        return Commitment(*where[right_ones[0]], right_ones[0], MEDIUM, "verdicts")
    if not right_ones and len(wrong_ones) == len(lex.labels) - 1 and not looks_cut(text):
        rest = [label for label in lex.labels if label not in wrong_ones]
        if rest and rest[0] in where:
            return Commitment(*where[rest[0]], rest[0], MEDIUM, "elimination")
    return None


def read_option(body: str, lex: Lexicon, prompt: str | None) -> Reading:
    """Read the option chosen in `body`, whose thinking and foreign turns are already blanked or cut."""
    text = clean(body)
    if len(text) <= 60 and "{" not in body and (match := lex.grammar.lone.fullmatch(text)):
        label = lex.grammar.fold.get(match.group(1).lower())
        if label is None:
            return Reading(status="unreadable", span=match.span(1), rule="not-an-option")
        named = "answer" in text[: match.start(1)].lower()
        return Reading(status="read", answer=label, span=match.span(1), rule="answer-line" if named else "lone-token")
    structured = slots(body)
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
    if refuses(low):
        return abstention(low)
    chosen = _settle(found, text, low) or _verdicts(text, low, lex) or resembling(text, low, lex)
    if chosen is not None and chosen.answer is not None:
        return Reading(status="read", answer=chosen.answer, span=(chosen.start, chosen.end), rule=chosen.rule)
    return abstention(low)

"""An answer told by its place: it stands first, alone on a line, or last."""

from __future__ import annotations

import re

from fiducial.bias.read import cues, signs
from fiducial.bias.read.clauses import main_clause
from fiducial.bias.read.commit import Judge
from fiducial.bias.read.lexicon import Lexicon
from fiducial.bias.read.mentions import Mention
from fiducial.bias.read.reading import MEDIUM, STRONG, Commitment
from fiducial.bias.read.restate import asked_words, telling
from fiducial.bias.read.text import looks_cut, sentence_end, sentence_start

FIRST_LINE = "first-line"
TRIM = " \t\n.,;:!?\"'()[]{}<>-–—\\/✅✓✔☑👉➡→⇒⭐🎯🔹️"
_DRESS = frozenset(("", "the", "a", "an", "to", "then", "option", "choice", "answer"))
_FIRST_FOLLOW = re.compile(
    r"[)\]\"']*\s*(?:[.:;,!\n(\-–—]|$)|[)\]]|\s+(?:because|since|as|due|weil|porque"
    r"|for|is|would|seems|rather than|over|instead of|not)\b"
)
_TEXT_FOLLOW = re.compile(
    r"[)\]\"']*\s*(?:[.:;!\n(\-–—]|$|,?\s*(?:because|since|as|due|over|rather than|instead of|not|hands down"
    r"|please|thanks)\b)"
)
_SENTENCE_BEGUN = re.compile(r"[.!?:;…](?<!\s\d[.!?:;…])[\"')]*\s+([^.!?:;…\n]*)$")
_AMONG = re.compile(
    r"(?:^|[.!?\n]\s*)(?:as )?(?:between|of|among|amongst|out of|comparing|given|considering)\b[^.!?\n]{1,60},\s*"
    r"(?:(?:it's|it is|definitely|probably|i'd say|i say|then) )*([^.!?:;…,\n]*)$"
)
_SAID = re.compile(r"[\"',\s]+(?:said|says|replied|answered|shouted|suggested|insisted|advised)\b(?! (?:i|we)\b)")
_IS_WHAT = re.compile(r"[)\]\"'\s]*is\s+(?:what|the one|exactly what|precisely what|the only(?![^.]*\bbut\b))\b")
# "Option B, waiting for the lease, is slow": spoken of, not chosen
_APPOSED = re.compile(
    r"[)\]\"']*,\s[^,.\n]{3,60},\s+(?:is|are|was|has|have|needs?|requires?|costs?|offers?|gives?|would|will|can|may"
    r"|could|might|means|does)\s+(?!(?:the|my|\w+ly)?\s*(?:the )?(?:correct|right|best|answer|most|more|better|be))"
)
_LABELLED = re.compile(
    r"[\s\-•>]*(?:[\w'/]+ ){0,7}[\w']+\s*:\s*(?:the |an? |it is |it's )?[\"'(]*"
)  # "Sentiment: …"
_BAD_LABEL = re.compile(
    r"(?:^|[.!?;,\n]\s*)(?:\w+\s+)?(?:worst|least|second|third|runner.up|fallback|alternative|alternatively"
    r"|backup|plan b|otherwise|avoid|reject|not(?=\s+\w\w)"
    r"|weakest|last|against"
    r"|except)\b[^.!?]{0,16}:\s*[\"'(]*$"
)
_NO_MORE = re.compile(
    r"[\"')]*(?: (?:does|do|did|is|will|would|wins"
    r"|has(?: it)?)(?=[,.!]))?(?:,? (?:without (?:any )?(?:hesitation|a doubt|question)|hands down"
    r"|no (?:question|doubt|contest)|for sure|easily|definitely|any day|please|thanks|thank you|of course"
    r"|every time|then))?"
    r"[\s.!\"')*]*"
)
"""What may still follow an answer that closes a reply"""
_LIST_MARK = re.compile(r"^[ \t]*(\d{1,2})[.)]\s", re.M)
_HEADING = re.compile(r"[)\].\"']*:\s*(?:\n|$)")
_UNPRAISED = re.compile(
    r"[)\].:\s]*(?:is|are|was|would be|seems)\s+"
    r"(?!(?:the|my|\w+ly)?\s*(?:the )?(?:correct|right|best|answer|most|more|better))"
)
_FORMULA = re.compile(r"[)\].\s]*[=+*/^<>≤≥]")
_DRESSED = re.compile(r"[)\].:]|\s+[-–—]")
DESCRIBES = re.compile(r"(?:is|has|would|can|may|offers)\b")


_DRAWN = re.compile(
    r"[\s\"'(*]*(?:and |but |so )?(?:since|because|given|considering|as|with|despite|although|though"
    r"|while|in spite of|now that|at (?:that|this|these)|for (?:my money|me|you|her|him|us|them|this)"
    r"|under (?:these|the)|on balance"
    r"|all things considered|in this|after all|by that)\b"
    r"[^?]*,\s+(?:(?:then|so|therefore|it's|it is|definitely|clearly|i say|i'd say)[\s,:]+)*(?:the |option "
    r"|choice )?[\"'(]*"
    r"|[^?]*,\s+(?:but|and|so) (?:as|since|because|given)\b[^?]*,\s+(?:the |option |choice )?[\"'(]*"
    r"|[^?]*,\s+(?:but|so|hence|thus|therefore)[\s,:]+(?:it's |it is )?(?:the |option |choice )?[\"'(]*"
)


def _drawn(before: str) -> bool:
    """Whether a sentence that ends in an option draws it from what comes before: "Since 40 < 45, B"."""
    return "," in before and _DRAWN.fullmatch(before) is not None and not cues.HYPOTHESIS.search(before)


def _bare(before: str, lex: Lexicon) -> bool:
    """Whether nothing but an article or a noun like "Laptop" stands before an option."""
    before = before.strip(TRIM)
    return before in _DRESS or before in lex.nouns or (before.startswith("the ") and before[4:] in lex.nouns)


def opening(
    text: str, low: str, lex: Lexicon, mentions: list[Mention], in_list: set[int], judge: Judge
) -> Commitment | None:
    """An answer that stands first: "B. Because …", "Laptop B", "The small clinic."."""
    if not mentions:
        return None
    first = mentions[0]
    if first.label is None or first.start in in_list:
        return None
    before = low[: first.start].strip(TRIM) if first.start else ""
    if first.start and (not _bare(before, lex) or "{" in low[: first.start]):
        return None
    follows = (
        _TEXT_FOLLOW if first.kind == "text" and first.label and first.end - first.start > 3 else _FIRST_FOLLOW
    )
    follow = follows.match(low, first.end)
    if follow is None or judge.joined(first):
        return None
    rest = low[first.tail : first.tail + 60]
    if judge.signs & signs.WRONG and cues.WRONG.match(rest.lstrip(" .:)")):
        return None
    if _UNPRAISED.match(rest) and not _asserted(low, first, lex, judge):
        return None
    if ("," in rest and _APPOSED.match(rest)) or (low[first.end : first.end + 1] in '",' and _SAID.match(rest)):
        return None
    if first.kind == "label" and not before and _FORMULA.match(rest):
        return None
    if rest.lstrip()[:1] == "(" and any(
        m.label not in (None, first.label) and low[m.tail : m.tail + 2].lstrip()[:1] == "(" for m in mentions
    ):
        return None  # "A (40 points), B (75 points)"
    if len(low) - first.end > 20 and judge.asked(first):
        return None
    if _goes_on(low, first, mentions, lex) or (
        follow.group().strip() in _SAYS_OF and _compares(low, first, mentions)
    ):
        return None
    if (
        in_list
        and first.tail == first.end
        and rest.strip(TRIM)
        and any(m.label == first.label and m.start in in_list for m in mentions[1:])
    ):
        return None  # "A: When one is curious.", and then a list of its own
    return Commitment(first.start, first.end, first.label, STRONG, FIRST_LINE)


_SAYS_OF = frozenset(("is", "would", "seems"))


def _compares(low: str, first: Mention, mentions: list[Mention]) -> bool:
    """Whether the first sentence says of other options what it says of the first: "A is the best, B the cheapest"."""
    end = sentence_end(low, first.tail)
    others = {m.label for m in mentions if first.tail <= m.start < end} - {first.label, None}
    return len(others) > 1 or (bool(others) and not _REASON.search(low, first.tail, end))


_REASON = re.compile(r"\b(?:because|since|as|while|whereas|not|than|but|over|rather|unlike|although|though|so)\b")


def _asserted(low: str, first: Mention, lex: Lexicon, judge: Judge) -> bool:
    """Whether a label with its text begins a sentence that says of it what was asked: "A. Cunning is what …"."""
    if first.kind != "label" or first.tail == first.end or lex.grammar.family != "letter" or looks_cut(low):
        return False
    if low[first.end : first.end + 1] not in ".):":
        return False
    said = low[first.tail : sentence_end(low, first.tail)]
    if cues.vetoes(said) or cues.OTHERS.search(said) or cues.WRONG.search(said):
        return False
    if _IS_WHAT.match(said) or judge.prompt is None:
        return _IS_WHAT.match(said) is not None
    claim = telling(low[slice(*main_clause(low, first.tail, first.tail + len(said)))])
    return 2 * len(claim & asked_words(judge.prompt)) > len(claim)


def _begun(low: str, at: int) -> re.Match[str] | None:
    """The beginning of a sentence that ends at `at`, or of what follows "Between A and B,"."""
    begun = _SENTENCE_BEGUN.search(low[at - 40 if at > 40 else 0 : at])
    if begun and not begun.group(1).strip(TRIM):
        return begun
    window = low[at - 90 if at > 90 else 0 : at]
    return (_AMONG.search(window) if "," in window else None) or begun


def _goes_on(low: str, first: Mention, mentions: list[Mention], lex: Lexicon) -> bool:
    """Whether the reply goes on to the next option in the same dress: "Venus: 225 days", "Mars: 687 days"."""
    dress = low[first.end : first.end + 1]
    if dress == ":" and first.kind == "text":
        return any(m.label not in (None, first.label) and low[m.end : m.end + 1] == ":" for m in mentions)
    if dress not in ".:)-" or lex.place[first.label or ""]:
        return False
    for other in mentions:
        if other.kind != first.kind or other.label is None or lex.place[other.label] != 1:
            continue
        before = low[: other.start].rstrip(" (\"'*")
        if (
            low[other.end : other.end + 1] == dress
            and (before[-1:] in ("\n", ".", ";", "-", "•") or (before[-1:] == "," and dress == ":"))
            and first.tail + 2 < other.start
        ):
            return True
    return False


def counts_on(text: str, start: int, mark: str) -> bool:
    """Whether a number alone on its line is the mark of a list's next item, of which nothing more came."""
    if not mark.isdigit() or mark == "1":
        return False
    marks = _LIST_MARK.findall(text, 0, start)
    return bool(marks) and int(marks[-1]) == int(mark) - 1


def lone_lines(text: str, lex: Lexicon) -> list[Commitment]:
    """Lines that hold a label and nothing else; headings of a discussion are told by their colon or their company."""
    found: list[tuple[Commitment, bool]] = []
    at = 0
    lines = text.split("\n")
    filled = text.rstrip(TRIM)
    last = filled.count("\n") if filled else -1
    for number, line in enumerate(lines):
        if 0 < len(line) <= 48 and (match := lex.grammar.alone(line)):
            label = lex.grammar.fold.get(match.group(1).lower())
            if number == last and counts_on(text, at, match.group(1)):
                label = None
            apart = number == last and not lines[number - 1].strip()
            plain = match.group(1).isupper() or lex.grammar.family != "letter" or apart
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


_NOTE = re.compile(r"[)\]\"'.]*\s*(?:\([^()\n]{1,60}\))?[\s.!]*")


def _value_of_key(low: str, text: str, mention: Mention, before: str) -> bool:
    """Whether a last line is a key and a letter: "Majority vote: A (3 of 5)"."""
    if not text[mention.start].isupper() or not _LABELLED.fullmatch(before) or _BAD_LABEL.search(before):
        return False
    return _NOTE.fullmatch(low, mention.end) is not None and not cues.vetoes(before)


def _spoken_of(low: str, mention: Mention, after: str) -> bool:
    """Whether a last line that broke off goes on to speak of an option: "A) Copper: a metal that mel"."""
    return len(after.split()) > 4 or (mention.tail > mention.end and low[mention.tail : mention.tail + 1] == ":")


def _tabled(low: str, mention: Mention, mentions: list[Mention]) -> bool:
    """Whether another option that follows has a colon too: "A: 3 %, B: 7 %"."""
    return any(
        m.start > mention.end and m.label not in (None, mention.label) and low[m.end : m.end + 1] == ":"
        for m in mentions
    )


def closing(
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
    mark = text[final.start : final.end]
    if mark.isdigit() and not low[start : final.start].strip(TRIM) and counts_on(text, start, mark):
        return None
    if (
        final.label
        and final.start not in in_list
        and (final.kind != "label" or lex.grammar.family != "letter" or mark[0].isupper())
    ):
        more = low[final.end :].strip(TRIM)
        if (
            (not more or _NO_MORE.fullmatch(low, final.end))
            and (begun := _begun(low, final.start))
            and _bare(begun.group(1), lex)
            and "/" not in begun.group(1)
            and not _BAD_LABEL.search(low[sentence_start(low, final.start) : final.start].lstrip())
        ):
            return Commitment(
                final.start,
                final.end,
                final.label,
                STRONG,
                "lone-token" if final.kind == "label" else "option-text",
            )
        if (
            low.find(",", 0, final.start) >= 0
            and _NO_MORE.fullmatch(low, final.end)
            and _drawn(low[sentence_start(low, final.start) : final.start])
        ):
            return Commitment(final.start, final.end, final.label, STRONG, "conclusion")
    if start == 0 and len(stripped) > 200:
        return None
    for mention in mentions:
        if mention.start < start or mention.label is None:
            continue
        before = low[start : mention.start]
        after = low[mention.tail :].strip(TRIM)
        if ":" in before and _BAD_LABEL.search(before.lstrip()):
            return None
        if after in ("", mention.label.lower()) and mention.kind == "text" and _LABELLED.fullmatch(before):
            return Commitment(mention.start, mention.end, mention.label, STRONG, "option-text")
        if (
            mention.kind == "label"
            and low[mention.end : mention.end + 1] == ":"
            and _tabled(low, mention, mentions)
        ):
            return None
        if before and mention.kind == "label" and _value_of_key(low, text, mention, before):
            return Commitment(mention.start, mention.end, mention.label, STRONG, "last-line")
        if not _bare(before, lex) or mention.start in in_list:
            return None
        if mention.kind == "label" and (not after or _DRESSED.match(low[mention.end : mention.end + 3])):
            if (
                (after and signs.signs(low) & signs.WRONG and cues.WRONG.search(after))
                or DESCRIBES.match(after)
                or (start and looks_cut(text) and _spoken_of(low, mention, after))
            ):
                return None
            named = low[start : mention.start].strip(TRIM)
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

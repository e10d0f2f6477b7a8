"""Choosing flaws for a document, planting them, and checking that each is there and was not there before."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Collection, Sequence

from msgspec import Struct

from fiducial.errors import UsageError
from fiducial.review.plant.blocks import Document, Span
from fiducial.review.plant.draw import Draw
from fiducial.review.plant.flaw import MIN_RECALL, Candidate, Flaw, Place
from fiducial.review.plant.markdown import read
from fiducial.review.plant.operators import OPERATORS
from fiducial.review.plant.operators.base import Operator

_ROUNDS = 12  # of replacing flaws that did not verify; after that they are only taken out


class Dropped(Struct, frozen=True, kw_only=True):
    """A flaw that was tried and not kept, and why."""

    operator: str
    title: str
    reason: str


class Variant(Struct, frozen=True, kw_only=True):
    """A document with planted flaws, in order of the text. `asked` is how many there should have been."""

    text: str
    flaws: tuple[Flaw, ...]
    asked: int
    places: dict[str, int]  # how many places each operator found; 0 is "no place found"
    dropped: tuple[Dropped, ...]

    @property
    def without_place(self) -> tuple[str, ...]:
        """The operators that the document has no material for."""
        return tuple(name for name, count in self.places.items() if count == 0)


class _Choice(Struct, frozen=True, eq=False):
    operator: Operator
    candidate: Candidate
    edited: range  # lines, widened to whole blocks
    needed: tuple[range, ...]  # lines that it quotes or builds on


def plant(
    document: str,
    *,
    seed: int | str,
    count: int,
    operators: Sequence[str] | None = None,
    avoid: Collection[tuple[str, int]] = (),
) -> Variant:
    """A variant of the document with up to `count` flaws, the same for the same arguments.

    Kinds are spread: no operator is used twice before each that has a place was used once. Places in `avoid`
    (operator, start in the original) come last, so that several variants differ as long as there is material.
    """
    chosen = _operators(operators)
    original = read(document)
    draw = Draw.of(seed, document)
    found = {operator.name: operator.places(original, draw) for operator in chosen}
    queue = _queue(draw, chosen, found, frozenset(avoid))
    kept: list[_Choice] = []
    dropped: list[Dropped] = []
    for tries in itertools.count():
        while queue and len(kept) < count and tries < _ROUNDS:
            choice = _choice(original, *queue.popleft())
            if all(_apart(choice, other) for other in kept):
                kept.append(choice)
        text, flaws = _apply(original, kept)
        failed = _failed(original, text, kept, flaws)
        if not failed:
            break
        dropped += [Dropped(operator=c.operator.name, title=c.candidate.title, reason=why) for c, why in failed]
        kept = [choice for choice in kept if all(choice is not other for other, _ in failed)]
    return Variant(
        text=text,
        flaws=flaws,
        asked=count,
        places={name: len(candidates) for name, candidates in found.items()},
        dropped=tuple(dropped),
    )


def plant_many(
    document: str, *, seed: int, count: int, variants: int, operators: Sequence[str] | None = None
) -> list[Variant]:
    """Several variants, the first of them the one that `plant` makes from the seed.

    A place is used again only when its operator has no others left.
    """
    made: list[Variant] = []
    used: set[tuple[str, int]] = set()
    for k in range(variants):
        own = f"{seed}.{k}" if k else seed
        made.append(plant(document, seed=own, count=count, operators=operators, avoid=used))
        used |= {(flaw.operator, flaw.original_place.start) for flaw in made[-1].flaws}
    return made


def _operators(wanted: Sequence[str] | None) -> list[Operator]:
    unknown = [name for name in wanted or () if name not in OPERATORS]
    if unknown:
        raise UsageError(f"no operator is called {unknown[0]!r}; there are {', '.join(OPERATORS)}")
    return [operator for name, operator in OPERATORS.items() if not wanted or name in wanted]


def _queue(
    draw: Draw, chosen: list[Operator], found: dict[str, list[Candidate]], avoid: frozenset[tuple[str, int]]
) -> deque[tuple[Operator, Candidate]]:
    """All candidates in the order in which they are tried: one of each operator, then a second of each, and so on."""
    ranked: list[tuple[int, int, Operator, Candidate]] = []
    for operator in chosen:
        fresh: list[tuple[bool, int, Candidate]] = []
        for candidate in found[operator.name]:
            used = (operator.name, candidate.start) in avoid
            fresh.append((used, draw.rank(operator.name, candidate.start, candidate.end, candidate.new), candidate))
        fresh.sort(key=lambda entry: entry[:2])
        turn = draw.rank("turn", operator.name)
        for k, (used, _, candidate) in enumerate(fresh):
            ranked.append((k + (1 << 32 if used else 0), turn, operator, candidate))
    ranked.sort(key=lambda entry: entry[:2])
    return deque((operator, candidate) for _, _, operator, candidate in ranked)


def _choice(original: Document, operator: Operator, candidate: Candidate) -> _Choice:
    edited = _widened(original, (candidate.start, candidate.end))
    needed = (_widened(original, span) for span in (*candidate.shown, *candidate.guarded))
    return _Choice(operator, candidate, edited, tuple(needed))


def _widened(original: Document, span: Span) -> range:
    """The lines of a span, with the rest of the paragraphs that it begins or ends in."""
    first, last = original.line_of(span[0]), original.line_of(max(span[0], span[1] - 1)) + 1
    for line in (first, last - 1):
        for block in original.around(line):
            first, last = min(first, block.first_line), max(last, block.last_line)
    return range(first, last)


def _apart(one: _Choice, other: _Choice) -> bool:
    """Neither edits what the other edits, quotes or builds on, and they are about different things."""
    return (
        one.candidate.subject != other.candidate.subject
        and not _meet(one.edited, other.edited)
        and not any(_meet(one.edited, needed) for needed in other.needed)
        and not any(_meet(other.edited, needed) for needed in one.needed)
    )


def _meet(one: range, other: range) -> bool:
    return one.start < other.stop and other.start < one.stop


def _apply(original: Document, kept: list[_Choice]) -> tuple[str, tuple[Flaw, ...]]:
    """The changed text, and the records with their places in it."""
    kept = sorted(kept, key=lambda choice: (choice.candidate.start, choice.candidate.end))
    parts: list[str] = []
    at = 0
    for choice in kept:
        parts += [original.text[at : choice.candidate.start], choice.candidate.new]
        at = choice.candidate.end
    text = "".join([*parts, original.text[at:]])
    edits = [(c.candidate.start, c.candidate.end, len(c.candidate.new)) for c in kept]
    changed = read(text)
    return text, tuple(_record(original, changed, choice, edits) for choice in kept)


def _record(original: Document, changed: Document, choice: _Choice, edits: list[tuple[int, int, int]]) -> Flaw:
    candidate, operator = choice.candidate, choice.operator
    start = _moved(candidate.start, edits, after=False)
    end = start + len(candidate.new)
    quotations = []
    for a, b in candidate.shown:
        quotations.append(changed.text[_moved(a, edits, after=False) : _moved(b, edits, after=True)].strip())
    return Flaw(
        id=candidate.name(operator.name),
        title=candidate.title,
        issue=candidate.issue,
        severity=operator.severity,
        min_recall=MIN_RECALL[operator.severity],
        evidence=tuple(quotations),
        missing=candidate.missing,
        operator=operator.name,
        category=operator.category,
        place=Place.of(changed, start, end),
        original_place=Place.of(original, candidate.start, candidate.end),
        original=original.text[candidate.start : candidate.end],
        changed=candidate.new,
        facts=candidate.facts,
    )


def _moved(place: int, edits: list[tuple[int, int, int]], *, after: bool) -> int:
    """Where a place of the original lies in the variant. At an edit, before or after what it put there."""
    moved = place
    for start, end, length in edits:
        if end < place or (end == place and (start < end or after)):
            moved += length - (end - start)
    return moved


def _failed(
    original: Document, text: str, kept: list[_Choice], flaws: tuple[Flaw, ...]
) -> list[tuple[_Choice, str]]:
    """The choices that cannot stay, each with the reason."""
    by_id = {flaw.id: flaw for flaw in flaws}
    failed: list[tuple[_Choice, str]] = []
    for choice in kept:
        flaw = by_id[choice.candidate.name(choice.operator.name)]
        if not choice.operator.verify(text, flaw):
            failed.append((choice, "it cannot be shown in the variant"))
        elif choice.operator.verify(original.text, flaw):
            failed.append((choice, "the original has it too"))
    if not failed and not _contains(read(text).kept, original.kept):
        failed = [
            (choice, "it would disturb code, links or HTML")
            for choice in kept
            if not _contains(read(_apply(original, [choice])[0]).kept, original.kept)
        ] or [(choice, "together they would disturb code, links or HTML") for choice in kept[-1:]]
    return failed


def _contains(whole: tuple[str, ...], part: tuple[str, ...]) -> bool:
    """Whether the part is in the whole, in order; the whole may have more."""
    rest = iter(whole)
    return all(any(kept == wanted for kept in rest) for wanted in part)

"""Is a chain one: decisions that follow from what the subject itself decided, and from nothing else?

Later decisions are the same in all arms. They may not bring the trigger back, and what is said after an answer that could
not be read may not tell which one it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from fiducial.bias.item import ChainStep, ItemSpec, Spans
from fiducial.bias.marked import marked_texts

UNREAD = ""
"""The role of an answer that could not be read."""
RUN = 5
"""So many words in a row are a quotation."""

_WORD = re.compile(r"\{[^}]*\}|[^\W\d_]+(?:['’][^\W\d_]+)*")
_LITTLE_WORDS = """
a about after again all also am an and any are as at be been before both but by can cannot could did do does done down
each either for from get gets go goes got had has have having he her here him his how i if in into is it its just like
made make makes may me might more most much must my neither no nor not now of off on one only or other our out over own
same she should since so some still such take takes than that the their them then there these they this those through to
too two under until up upon us very was way we were what when where whether which while who whom whose why will with
without would yet you your
"""
_LITTLE = frozenset(_LITTLE_WORDS.split())
"""Words that carry no trigger."""


def misshapen_chain(item: ItemSpec) -> str | None:
    """What makes the chain unusable, or None."""
    roles = {option.role for option in item.options}
    if item.chain and item.answer.kind != "option":
        return f"chain: what follows hangs on the option chosen; the answer here is {item.answer.kind}"
    for n, step in enumerate(item.chain):
        own = [option.role for option in step.options]
        if sorted(own) != sorted(roles):
            return f"chain[{n}].options: give exactly the roles of the item's options, {_listed(roles)}"
        if set(step.follows) != {*roles, UNREAD}:
            return (
                f"chain[{n}].follows: give a text for each of the roles {_listed(roles)}, "
                f'and one for "", the answer that could not be read'
            )
    return None


def _listed(roles: Iterable[str]) -> str:
    return ", ".join(sorted(roles))


def chain_problems(item: ItemSpec) -> Iterator[str]:
    """What a careful reader would object to in the chain, as it stands in the file."""
    own = _own_words(item)
    runs = _trigger_runs(item)
    for n, step in enumerate(item.chain):
        if len(set(step.follows.values())) < len(step.follows):
            yield f"chain[{n}].follows: two answers have the same text"
        if told := _gives_away(step):
            yield f"chain[{n}].follows: {told}"
        for text in step.follows.values():
            said = _words(" ".join((text, step.text, *(option.text for option in step.options))))
            if word := _one_sided(said, own):
                yield f"chain[{n}]: says {word!r}, which is a word of the trigger"
            if run := next((run for run in _runs(said) if run in runs), None):
                yield f"chain[{n}]: repeats the trigger: {' '.join(run)!r}"


def _gives_away(step: ChainStep) -> str | None:
    """A word of the text for an unread answer that only some of the others have."""
    said = {role: set(_words(text)) - _LITTLE for role, text in step.follows.items() if role != UNREAD}
    shared = set.intersection(*said.values())
    if word := _one_sided(_words(step.follows[UNREAD]), {role: words - shared for role, words in said.items()}):
        return f"the text for an unread answer says {word!r}, as the texts for some answers do and others do not"
    return None


def _one_sided(said: Iterable[str], own: Mapping[str, set[str]]) -> str | None:
    """A word that belongs to one side, unless every other side has its word as well: "12 saved and 4 lost" is neutral."""
    words = list(said)
    found = {side: next((word for word in words if word in theirs), None) for side, theirs in own.items()}
    if len(found) > 1 and all(found.values()):
        return None
    return next((word for word in found.values() if word), None)


def _own_words(item: ItemSpec) -> dict[str, set[str]]:
    """By side, the words that stand in its marked places and nowhere else in the item."""
    rest = set(_words(" ".join((item.text, *(option.text for option in item.options), *_said(item.control)))))
    sides = {
        side: {word for spans in texts for text in _said(spans) for word in _words(text)} - rest - _LITTLE
        for side, texts in marked_texts(item).items()
    }
    shared = set.intersection(*sides.values()) if len(sides) > 1 else set()
    return {side: words - shared for side, words in sides.items()}


def _trigger_runs(item: ItemSpec) -> set[tuple[str, ...]]:
    """Every run of words in the marked places that the item does not have elsewhere."""
    elsewhere = {run for text in (item.text, *_said(item.control)) for run in _runs(_words(text))}
    spans = (text for texts in marked_texts(item).values() for one in texts for text in _said(one))
    return {run for text in spans for run in _runs(_words(text))} - elsewhere


def _runs(words: list[str]) -> Iterator[tuple[str, ...]]:
    for start in range(len(words) - RUN + 1):
        yield tuple(words[start : start + RUN])


def _said(spans: Spans | None) -> list[str]:
    if spans is None:
        return []
    return [spans] if isinstance(spans, str) else list(spans.values())


def _words(text: str) -> list[str]:
    return [re.sub("['’]s$", "", word.lower()) for word in _WORD.findall(text)]

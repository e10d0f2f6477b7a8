"""Which drafts are counted: sure forms before unsure ones, and a restatement once.

A reviewer that says the same thing twice in the same form has said it twice; a later stage clusters those. But
records that are repeated in another form (a table that sums up, Markdown around the same JSON, a draft and its final
version) are one finding written twice.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import structs

from fiducial.review.finding import fold
from fiducial.review.parse.draft import CERTAIN, GROUPED, LIKELY, Draft

_COMPARED = 300  # detailed findings that a summary's row is compared with word by word
_ALIKE = 0.6


def choose(drafts: Iterable[Draft]) -> list[Draft]:
    """The drafts that are findings, in the order of the text."""
    ordered = _promoted(sorted(drafts, key=lambda draft: draft.at))
    best = max((draft.tier for draft in ordered), default=0)
    return _once([draft for draft in ordered if draft.tier >= min(best, GROUPED)])


def _promoted(drafts: list[Draft]) -> list[Draft]:
    """A poor record among good ones, written in one go, is as sure as they are."""
    sure = {d.block for d in drafts if d.form == "json" and d.tier == CERTAIN}
    return [
        structs.replace(d, tier=CERTAIN) if d.form == "json" and d.block in sure and d.tier == LIKELY else d
        for d in drafts
    ]


def _once(drafts: list[Draft]) -> list[Draft]:
    """Drop what repeats another draft in another form. The fuller of two is kept."""
    kept: list[Draft] = []
    by_title: dict[str, Draft] = {}
    # the fullest first, so that what is dropped is the shorter statement
    for draft in sorted(drafts, key=lambda d: (d.form == "table", -d.fields, d.at)):
        title = fold(draft.finding.title)
        twin = by_title.get(title)
        if twin is not None and not _together(draft, twin) and _repeats(draft, twin):
            continue
        by_title.setdefault(title, draft)
        kept.append(draft)
    return sorted(_without_digests(kept), key=lambda d: d.at)


def _together(a: Draft, b: Draft) -> bool:
    """Written in one go: a repetition there is the reviewer's own."""
    return a.form == b.form and a.block == b.block


def _repeats(draft: Draft, twin: Draft) -> bool:
    """Whether two drafts with one title are one finding: the forms differ, or nothing that both say does."""
    alike = draft.finding.content_hash == twin.finding.content_hash
    return draft.form != twin.form or alike or draft.finding.issue is None


def _without_digests(drafts: list[Draft]) -> list[Draft]:
    """Drop the rows and list items that only name, in other words, a finding that is told in full elsewhere."""
    full = [d for d in drafts if d.tier == CERTAIN and d.form not in ("table", "list")]
    if not full or len(full) > _COMPARED:
        return drafts
    told = [(frozenset(fold(d.finding.title).split()), fold(d.finding.id or "")) for d in full]
    return [d for d in drafts if not _digest(d, told)]


def _digest(draft: Draft, told: list[tuple[frozenset[str], str]]) -> bool:
    brief = draft.form == "table" or (draft.form == "list" and draft.tier < CERTAIN)
    if not brief:
        return False
    words, number = frozenset(fold(draft.finding.title).split()), fold(draft.finding.id or "")
    for others, other in told:
        shared = len(words & others)
        if number and number == other and (draft.form == "table" or shared):
            return True
        if shared >= 2 and (shared == min(len(words), len(others)) or shared >= _ALIKE * len(words | others)):
            return True
    return False

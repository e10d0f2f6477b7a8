"""Readings that a run file keeps: whether they still hold, and a few replies read anew where they do not."""

from __future__ import annotations

from collections.abc import Sequence

from fiducial.bias.read import READER_VERSION
from fiducial.bias.reading import RunReader, Scored
from fiducial.bias.source import BiasSource
from fiducial.run.browse import texts_of, unread
from fiducial.run.store import Store


def why_stale(store: Store) -> str | None:
    """Why the stored readings are not those that the replies have today; None where they are."""
    scored = store.meta("scored")
    if scored is None:
        return "no reading is stored yet"
    if scored.get("reader") != READER_VERSION:
        return "they were made by another version of the reader"
    if unread(store):
        return "replies have come since they were stored"
    return None


def read_anew(store: Store, source: BiasSource, replies: Sequence[int]) -> dict[int, Scored]:
    """These replies of the subject, read and scored now, by their ids. What the source does not know is left out."""
    if not replies:
        return {}
    reader = RunReader(store, source)
    return {row.reply: reader.scored(row) for row in texts_of(store, replies) if row.item in source.blocks}

"""Documents with planted flaws, by what they are variants of."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from fiducial.judge.genuine import ReviewType
from fiducial.review.dataset import Dataset, Document
from fiducial.review.plant.flaw import Flaw
from fiducial.review.plant.operators import stands
from fiducial.review.plant.variant import plant_many

COUNT = 8  # flaws planted in a variant
MOST_VARIANTS = 24  # of one document
ALIKE = 0.5  # share of lines from which two texts are variants of one document


class Planted(Struct, frozen=True, kw_only=True):
    """A text and the flaws that stand in it."""

    text: str
    flaws: tuple[Flaw, ...]


class Family(Struct, frozen=True, kw_only=True):
    """The variants of one document. `original` is None where it cannot be made from them again."""

    id: str
    review_type: ReviewType
    original: str | None
    variants: tuple[Planted, ...]


def families(dataset: Dataset, *, seed: int, flaws: int) -> list[Family]:
    """The dataset's planted documents by what they are variants of; its other documents with flaws planted now.

    `flaws` is how many are wanted in all, as far as there is room for them.
    """
    stored = [(d, standing) for d in dataset.documents if (standing := planted_in(d))]
    others = [d for d in dataset.documents if all(d is not own for own, _ in stored)]
    found = _stored(dataset, stored)
    each = -(-flaws // max(1, len(others) + len(found)))
    return found + [_made(document, seed=seed, flaws=each) for document in others]


def planted_in(document: Document) -> tuple[Flaw, ...]:
    """The planted flaws of a document that its operators find in the text as it is now."""
    flaws = (item.planted for item in document.must_find or ())
    return tuple(flaw for flaw in flaws if flaw is not None and stands(flaw, document.text))


def _made(document: Document, *, seed: int, flaws: int) -> Family:
    variants = min(MOST_VARIANTS, max(2, -(-flaws // COUNT)))
    made = plant_many(document.text, seed=seed, count=COUNT, variants=variants)
    return Family(
        id=document.id,
        review_type=document.review_type,
        original=document.text,
        variants=tuple(Planted(text=v.text, flaws=v.flaws) for v in made if v.flaws),
    )


def _stored(dataset: Dataset, documents: Sequence[tuple[Document, tuple[Flaw, ...]]]) -> list[Family]:
    groups: list[list[tuple[Document, tuple[Flaw, ...]]]] = []
    for own in documents:
        for group in groups:
            if group[0][0].review_type == own[0].review_type and _alike(group[0][0].text, own[0].text):
                group.append(own)
                break
        else:
            groups.append([own])
    return [
        Family(
            id=dataset.name if len(groups) == 1 else group[0][0].id,
            review_type=group[0][0].review_type,
            original=next((text for d, flaws in group if (text := _restored(d.text, flaws))), None),
            variants=tuple(Planted(text=d.text, flaws=flaws) for d, flaws in group),
        )
        for group in groups
    ]


def _alike(one: str, other: str) -> bool:
    a, b = ({line for line in text.splitlines() if line.strip()} for text in (one, other))
    return len(a & b) >= ALIKE * min(len(a), len(b))


def _restored(text: str, flaws: Sequence[Flaw]) -> str | None:
    """The document as it was before its flaws were planted, or None where the records do not fit the text."""
    parts, at = [], 0
    for flaw in sorted(flaws, key=lambda flaw: flaw.place.start):
        start, end = flaw.place.start, flaw.place.end
        if start < at or text[start:end] != flaw.changed:
            return None
        parts += [text[at:start], flaw.original]
        at = end
    whole = "".join([*parts, text[at:]])
    return None if any(stands(flaw, whole) for flaw in flaws) else whole

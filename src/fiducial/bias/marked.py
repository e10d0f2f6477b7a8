"""The marked places of an item, before the seed fills it: their names, and what each side puts into them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiducial.bias.item import ItemSpec, Spans

SPAN = "span"
TRIGGER = "trigger"


def marked_places(item: ItemSpec) -> set[str]:
    """The names of the places that arms differ in."""
    spans = [item.control] if item.control is not None else []
    spans += [text for texts in marked_texts(item).values() for text in texts]
    return {name for text in spans for name in ({SPAN} if isinstance(text, str) else text)}


def marked_texts(item: ItemSpec) -> dict[str, list[Spans]]:
    """What the compared sides put into their places, at all intensities; the trigger, where it is compared with a
    control."""
    sides = list(item.sides or ()) or [TRIGGER]
    found: dict[str, list[Spans]] = {side: [] for side in sides}
    columns: list[str | Mapping[str, Spans]] = [*item.intensities.values(), *([item.pair] if item.pair else [])]
    for spans in columns:
        for side in sides:
            own = spans[side] if not isinstance(spans, str) and side in spans else spans
            found[side].append(own if isinstance(own, str) else dict(_flat(own)))
    return found


def _flat(spans: Mapping[str, Spans]) -> Iterator[tuple[str, str]]:
    for name, text in spans.items():
        if isinstance(text, str):
            yield name, text

"""Findings that are not genuine, made for a document: one kind for every reason that the judge's prompt knows.

Real false alarms are rarely plain falsehoods. Beside flaws that stand elsewhere a judge is therefore shown findings that
are about style, about an inside, about a rule or a future that the document does not tell of, and near misses: about a
place that does have a flaw, and wrong about it. The texts stand in `not_genuine.yaml`; whoever knows them can tell them
by their wording, so what a judge does with them is reported by category and not only on the whole.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.resources import files

import msgspec
from msgspec import Struct

from fiducial.model.yaml import load_yaml
from fiducial.review.finding import Finding
from fiducial.review.plant.flaw import Flaw
from fiducial.review.plant.markdown import read
from fiducial.review.plant.operators.base import capital
from fiducial.review.plant.sentences import folded

NEAR_MISS = "near_miss"
LONGEST_QUOTE = 260  # letters

_FILE = "not_genuine.yaml"


class Pattern(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A finding with a place left open. `absent` are words of which none may stand in the document."""

    title: str
    issue: str
    absent: tuple[str, ...] = ()


@lru_cache
def patterns() -> dict[str, tuple[Pattern, ...]]:
    """The patterns that are shipped, by category."""
    text = (files("fiducial.study") / _FILE).read_text("utf-8")
    return msgspec.convert(load_yaml(text, name=_FILE), dict[str, tuple[Pattern, ...]])


def not_genuine(document: str, *, key: str, categories: Iterable[str] = ()) -> Iterator[tuple[str, Finding]]:
    """Category and finding, for every pattern that cannot be true of the document; each about one of its sections.

    `key` chooses the sections: another key gives other ones. Without `categories`, all.
    """
    wanted = set(categories)
    low = " ".join(document.lower().split())
    places = [section.name for section in read(document).sections if section.level > 1] or ["the document"]
    for category, known in patterns().items():
        if wanted and category not in wanted:
            continue
        for pattern in known:
            if any(word in low for word in pattern.absent):
                continue
            place = places[_number(key, category, pattern.title) % len(places)]
            yield (
                category,
                Finding(title=pattern.title, issue=capital(pattern.issue.replace("{place}", place))),
            )


def near_misses(document: str, flaws: Iterable[Flaw]) -> Iterator[Finding]:
    """Of flaws that stand in the document, the right place and a wrong claim about it: wrong, because it is looked up."""
    flat = folded(document)
    for flaw in flaws:
        said = folded(flaw.evidence[0]) if flaw.evidence else ""
        if not said or len(said) > LONGEST_QUOTE or flat.count(said) != 1:
            continue
        if said.endswith(".") and flaw.missing is None and _number(flaw.id) % 2:
            yield Finding(
                title="A sentence without an end",
                issue=f"The sentence “{said}” breaks off before its end, so that one cannot tell what was meant.",
            )
        else:
            yield Finding(
                title="The same passage stands in two places",
                issue=f"The passage “{said}” stands word for word in a second place of the document too. "
                "Sooner or later only one of them will be changed.",
            )


def _number(*what: str) -> int:
    return int.from_bytes(hashlib.sha256("\0".join(what).encode("utf-8", "surrogatepass")).digest()[:8])

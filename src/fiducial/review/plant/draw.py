"""Choices that depend on the seed and the document and on nothing else: no state, no library's generator."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

from msgspec import Struct

T = TypeVar("T")


class Draw(Struct, frozen=True):
    """Every choice is a hash of (seed, document, what is chosen), so one choice never shifts another."""

    seed: str
    document: str  # hex digest of the text

    @classmethod
    def of(cls, seed: int | str, text: str) -> Draw:
        """The choices for a document under a seed."""
        return cls(str(seed), hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())

    def rank(self, *what: object) -> int:
        """A number that is as good as random for each `what`."""
        said = "\x1f".join([self.seed, self.document, *map(str, what)])
        return int.from_bytes(hashlib.sha256(said.encode("utf-8", "surrogatepass")).digest()[:8], "big")

    def pick(self, options: Sequence[T], *what: object) -> T:
        """One of the options, which must not be empty."""
        return options[self.rank(*what) % len(options)]

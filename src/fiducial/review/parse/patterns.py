"""Patterns written as lists of phrases, so that they can be read and added to."""

from __future__ import annotations


def any_of(*phrases: str) -> str:
    """A group of alternatives, from phrases with a comma and a space between: `any_of("issue, finding", "red flags?")`."""
    return "(?:" + "|".join(p.strip() for part in phrases for p in part.split(", ")) + ")"


def words(text: str) -> frozenset[str]:
    """A set of words written as running text."""
    return frozenset(text.split())

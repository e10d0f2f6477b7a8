"""What a yes-or-no question asks: its verbs, its telling words, the question itself."""

from __future__ import annotations

import re
from functools import lru_cache

from fiducial.bias.read import says


@lru_cache(maxsize=1024)
def asked_verbs(prompt: str | None) -> frozenset[str]:
    """The verbs of the question: of "would you accept the offer", "accept"."""
    found: set[str] = set()
    for match in says.ASKS.finditer(prompt[-4_000:] if prompt else ""):
        verb, following = match.group(1).lower(), (match.group(2) or "").lower()
        # "should the insurance company pay": the noun may have two words
        found |= (
            {verb, following}
            if re.search(
                r"\b(?:the|this|these|those|a|an|your|my|his|her|their|our)\s+\w+\s+\w+", match.group(), re.I
            )
            else {verb}
        )
    if prompt:
        patterns = (says.IS_IT, says.THINKS, *((says.REQUESTS,) if says.BARE_QUESTION.search(prompt) else ()))
        found |= {m.group("asked").lower() for pattern in patterns for m in pattern.finditer(prompt[-4_000:])}
    return frozenset(found - says.NO_VERB - {""})


@lru_cache(maxsize=1024)
def last_question(prompt: str) -> str:
    """The last question of a prompt, in lower case."""
    asked = ""
    for match in says.QUESTION.finditer(prompt[-4_000:]):
        asked = match.group(1).lower()
        if not says.ASKING.match(asked):
            asked = match.group().strip(" \n.?!:").lower()  # "Is it better, according to the study?"
    return asked


@lru_cache(maxsize=1024)
def question_words(prompt: str) -> tuple[str, ...]:
    """The telling words of the question itself, in order; what is compared ("more") is left out."""
    asked = last_question(prompt)
    return tuple(
        dict.fromkeys(
            w[:5] for w in says.TOKEN.findall(asked) if w not in says.EMPTY and w not in says.DEGREES and len(w) > 1
        )
    )

"""Labels glossed with the text of another option: "B (Solar)", where Solar is A, commits to neither."""

from __future__ import annotations

import re

from fiducial.bias.read.lexicon import Lexicon

_AFTER_TEXT = re.compile(r"[\"'*]*\s*(?:[)\].!]|$|\n)")


def contradicted(low: str, at: int, label: str, lex: Lexicon) -> bool:
    """Whether a label that ends at `at` is glossed by the text of another option: "B (Solar)", where Solar is A."""
    letter = _LETTER.match(low, at) if "(" in low else None
    if letter and lex.grammar.family == "letter" and lex.grammar.fold.get(letter.group(1), label) != label:
        return letter.group(1) != lex.full.get(label)  # the option's own text may be a letter
    gap = _GLOSS.match(low, at)
    if gap is None:
        return False
    end = gap.end()
    own = lex.full.get(label)
    if own is not None and low.startswith(own, end):
        return False
    for other, text in lex.full.items():
        if (
            other != label
            and len(text) > _SHORTEST
            and low.startswith(text, end)
            and _AFTER_TEXT.match(low, end + len(text))
        ):
            return True
    return False


_SHORTEST = 2
_LETTER = re.compile(r"[\"'*]*\s*\((?:option |answer )?([a-z])\)")
_GLOSS = re.compile(r"[\"'*]*(?:\s*[(\[:=–—-]|[).]\s)\s*[\"'(*]*(?=[^\W_])")

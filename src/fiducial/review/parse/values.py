"""Values as reviewers write them, made into ours: severities, confidences, and text from anything.

Nothing here trusts a type. What cannot be read is None; nothing is guessed.
"""

from __future__ import annotations

import math
import re

from fiducial.review.finding import Severity
from fiducial.review.parse.nodes import Arr, Obj
from fiducial.review.parse.patterns import words

_RANKS: dict[Severity, str] = {
    "Critical": "critical crit blocker blockers blocking high highest severe showstopper showstoppers fatal urgent p0 s0"
    " s1 sev0 sev1 catastrophic emergency must mustfix",
    "Important": "important major medium med moderate mid significant serious p1 p2 s2 sev2 warning warn normal average"
    " substantial should shouldfix considerable",
    "Minor": "minor low lowest nit nits nitpick nitpicks trivial info informational information p3 p4 p5 s3 s4 sev3 sev4"
    " cosmetic negligible optional note suggestion polish style could nicetohave",
}
_SEVERITIES = {word: severity for severity, names in _RANKS.items() for word in names.split()}
# Words that are a severity only where one is asked for, and too common in titles to be one there.
_LOOSE = words(
    "must should could note suggestion style normal average information optional polish mid s0 s1 s2 s3 s4"
)
_SIGNS: dict[str, Severity] = {
    "🔴": "Critical", "🚨": "Critical", "⛔": "Critical", "🛑": "Critical", "❗": "Critical", "‼": "Critical",
    "🟥": "Critical", "❌": "Critical", "🔥": "Critical",
    "🟠": "Important", "🟡": "Important", "⚠": "Important", "🟧": "Important", "🟨": "Important",
    "🟢": "Minor", "🔵": "Minor", "⚪": "Minor", "🟩": "Minor", "🟦": "Minor", "ℹ": "Minor", "💡": "Minor",
}  # fmt: skip
_PRAISE = words("praise positive strength good pass passed ok commendation kudos")
_ABOUT = words("severity priority impact level risk")
_TOKEN = re.compile(r"[^\W\d_]+\d?|[^\w\s]")
_HYPHENS = re.compile(r"\b(must|should|nice)[ -](fix|to[ -]have)\b", re.I)

_NUMBER = r"(?<![\w.,])[-+−]?(?:\d{1,9}(?:[.,]\d{1,12})?|\.\d{1,12})(?![\w])"
_OF = re.compile(rf"({_NUMBER})\s*(?:/|out of|of)\s*(\d{{1,4}}(?:\.\d)?)(?![\w.]*\d)", re.I)
_RANGE = re.compile(rf"({_NUMBER})\s*%?\s*(?:-|–|—|to)\s*(\d{{1,9}}(?:\.\d{{1,12}})?)\s*(%?)", re.I)
_PERCENT = re.compile(rf"({_NUMBER})\s*(?:%|percent\b|per cent\b|pct\b)", re.I)
_ANY = re.compile(_NUMBER)

_NOTHING = frozenset(
    ("", "none", "null", "n/a", "na", "nil", "-", "–", "—", "unspecified", "not applicable", "nan")
)
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_DEPTH = 12  # of lists and objects inside a field; what lies deeper is left out


def severity_of(value: object) -> Severity | None:
    """Critical, Important or Minor, from a word, a priority code or a coloured sign.

    Scales are folded onto ours by rank: high/medium/low and P0..P3 keep their order, `high` being the top of a
    scale of three. A number alone has no direction and is None. Of several words the first counts, unless `not`
    stands before it; a sign counts only where no word does.
    """
    if not isinstance(value, str):
        return None
    text = _joined(value[:400])
    before = ""
    for found in _TOKEN.finditer(text):
        word = found[0]
        if word in _SEVERITIES and before not in ("not", "non"):
            return _SEVERITIES[word]
        if word != "-":
            before = word
    for sign in text:
        if sign in _SIGNS:
            return _SIGNS[sign]
    return None


def severity_word(text: str) -> Severity | None:
    """The severity that a text is, and is nothing else than: `HIGH`, `P1`, `🔴`, `Severity: low`."""
    tokens = (word for word in _TOKEN.findall(_joined(text[:400])) if word.isalnum() and word not in _ABOUT)
    first, second = next(tokens, None), next(tokens, None)
    if first is None:
        return next((_SIGNS[sign] for sign in text[:400] if sign in _SIGNS), None)
    return _SEVERITIES.get(first) if second is None and first not in _LOOSE else None


def _joined(text: str) -> str:
    """In lower case, with `must-fix` and `nice to have` as one word each."""
    return _HYPHENS.sub(lambda m: m[0].replace(" ", "").replace("-", ""), text.casefold())


def is_praise(value: object) -> bool:
    """Whether a severity or kind says that nothing is wrong."""
    return isinstance(value, str) and value.strip().casefold() in _PRAISE


def confidence_of(value: object) -> float | None:
    """A stated confidence as a share.

    Up to 1 a number is a share, above it points of a hundred (so `1` is certainty and `1%` is not); `8/10` is of
    ten; of a range the middle. Words, lists, objects, truth values and what lies outside 0..100 are None.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if not isinstance(value, str):
        return _share(value)
    text = value[:200].replace("−", "-")
    if found := _OF.search(text):
        part, whole = _float(found[1]), _float(found[2])
        return _bounded(part / whole) if whole > 0 else None
    if found := _RANGE.search(text):
        low, high = _float(found[1]), _float(found[2])
        if 0 <= low <= high:
            middle = (low + high) / 2
            return _bounded(middle / 100) if found[3] else _share(middle)
    if found := _PERCENT.search(text):
        return _bounded(_float(found[1]) / 100)
    numbers = _ANY.findall(text)
    return _share(_float(numbers[0])) if len(numbers) == 1 else None


def _float(digits: str) -> float:
    return float(digits.replace(",", "."))


def _share(value: float) -> float | None:
    try:
        number = float(value)
    except OverflowError:  # an integer too long for any confidence
        return None
    return _bounded(number if number <= 1 else number / 100)


def _bounded(share: float) -> float | None:
    if not math.isfinite(share) or not 0 <= share <= 1:
        return None
    return round(share, 6) + 0.0


def whole(text: str) -> str:
    """Text that can be encoded: halves of characters are joined where they meet, and replaced where they do not."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def text_of(value: object, *, short: bool = False) -> str | None:
    """Any value as text. Lists become lines (`short`: one line), objects what they name, or their fields."""
    text = whole(_flat(value, ", " if short else "\n", _DEPTH)).strip()
    return text or None


def said(text: str | None) -> str | None:
    """A field's text, unless it only says that there is none."""
    return None if text is None or text.strip(" .*_`").casefold() in _NOTHING else text


_NAMED = ("primary", "text", "name", "title", "value", "label", "description", "section")


def _flat(value: object, between: str, depth: int) -> str:
    if isinstance(value, str):
        return value
    if value is None or depth == 0:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _digits(value)
    if isinstance(value, Arr):
        parts = [_flat(item, between, depth - 1).strip() for item in value.items]
        return between.join(part for part in parts if part)
    if isinstance(value, Obj):
        fields = {key.casefold(): item for key, item in value.pairs}
        if isinstance(fields.get("primary"), str):
            return str(fields["primary"])
        if len(fields) == 1 and next(iter(fields)) in _NAMED:
            return _flat(next(iter(fields.values())), between, depth - 1)
        lines = [(key, _flat(item, ", ", depth - 1).strip()) for key, item in value.pairs]
        return between.join(f"{key}: {text}" for key, text in lines if text)
    return ""


def _digits(value: float) -> str:
    try:
        return (
            str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else str(value)
        )
    except (ValueError, OverflowError):  # more digits than Python will print
        return ""

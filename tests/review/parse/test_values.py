from __future__ import annotations

import math

import pytest

from fiducial.review.parse.nodes import Arr, Obj
from fiducial.review.parse.values import confidence_of, severity_of, severity_word, text_of, whole


@pytest.mark.parametrize(
    ("stated", "severity"),
    [
        ("Critical", "Critical"), ("CRITICAL", "Critical"), ("HIGH", "Critical"), ("blocker", "Critical"),
        ("P0", "Critical"), ("🔴", "Critical"), ("sev1", "Critical"), ("Must-fix", "Critical"), ("**Critical**", "Critical"),
        ("Important", "Important"), ("major", "Important"), ("Medium", "Important"), ("moderate", "Important"),
        ("P1", "Important"), ("P2", "Important"), ("🟠", "Important"), ("🟡 Medium", "Important"),
        ("should fix", "Important"),
        ("Minor", "Minor"), ("low", "Minor"), ("nit", "Minor"), ("info", "Minor"), ("P3", "Minor"), ("🟢", "Minor"),
        ("nice to have", "Minor"), ("🟡 Minor", "Minor"),
        ("High - could stop production", "Critical"), ("Important (was Critical)", "Important"), ("not critical", None),
        ("", None), ("unknown", None), ("7", None), (7, None), (None, None), (True, None), (Arr(0, ["x"]), None),
    ],
)  # fmt: skip
def test_severities_become_three(stated: object, severity: str | None) -> None:
    assert severity_of(stated) == severity


@pytest.mark.parametrize(
    ("stated", "confidence"),
    [
        (85, 0.85), ("85", 0.85), (0.85, 0.85), ("0.85", 0.85), (".85", 0.85), ("85%", 0.85), ("85 %", 0.85),
        ("85/100", 0.85), ("8.5/10", 0.85), ("4 out of 5", 0.8), ("High (85%)", 0.85), ("~85%", 0.85),
        ("0,85", 0.85), ("80-90%", 0.85),
        (1, 1.0), (1.0, 1.0), ("1%", 0.01), (0, 0.0), (100, 1.0), ("100%", 1.0), ("confidence: 90", 0.9), ("0.5 – 0.7", 0.6),
        ("high", None), ("", None), (None, None), (True, None), (False, None), (-5, None), ("-5", None), (101, None),
        ("150%", None), ("NaN", None), (10**400, None), ("9" * 5000, None), ("12/0", None), ("11/10", None),
        (math.nan, None), (math.inf, None),
        ("1 or 2 or 3", None), (Arr(0, [85]), None), (Obj(0, [("value", 85)]), None), ("v2", None),
    ],
)  # fmt: skip
def test_confidences_become_shares_or_nothing(stated: object, confidence: float | None) -> None:
    assert confidence_of(stated) == (pytest.approx(confidence) if confidence is not None else None)


def test_a_severity_is_told_from_a_title_that_begins_with_one() -> None:
    assert severity_word("Severity: HIGH") == "Critical"
    assert severity_word("High availability") is None
    assert severity_word("Note") is None
    assert severity_word("⚠️") == "Important"


def test_anything_becomes_text() -> None:
    assert text_of(Arr(0, ["first", Arr(0, [2, None, True])])) == "first\n2\ntrue"
    assert text_of(Arr(0, ["3.1", "3.2"]), short=True) == "3.1, 3.2"
    assert text_of(Obj(0, [("primary", "design"), ("contributing", None)])) == "design"
    assert text_of(Obj(0, [("name", "Goals")])) == "Goals"
    assert text_of(Obj(0, [("page", 3), ("line", 14.0)]), short=True) == "page: 3, line: 14"
    assert text_of("  ") is None
    assert text_of(10**5000) is None  # Python prints no number as long as that


def test_depth_ends() -> None:
    nested: Arr = Arr(0, ["deep"])
    for _ in range(50):
        nested = Arr(0, [nested])
    assert text_of(nested) is None


def test_half_characters_meet_or_are_replaced() -> None:
    assert whole("\ud83d\ude00 \ud83d") == "😀 \ufffd"

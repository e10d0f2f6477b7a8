"""What inside a line of prose may be read, and what may be changed."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.review.plant.inline import BLANK, scan


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("wait `5 minutes` or 6", "`5 minutes`"),
        ("wait ``5 ` minutes`` or 6", "``5 ` minutes``"),
        ("see [the plan](plan.md#r-1) for 6", "(plan.md#r-1)"),
        ("see [the plan](a(b)c) for 6", "(a(b)c)"),
        ("see [the plan][r-1] for 6", "[r-1]"),
        ("see https://example.org/5/minutes, then 6", "https://example.org/5/minutes"),
        ("write to r-1@example.org for 6", "r-1@example.org"),
        ('a <span title="5 minutes">word</span> of 6', '<span title="5 minutes">'),
        ("a note[^5] of 6", "[^5]"),
    ],
)
def test_what_is_no_prose_is_neither_read_nor_changed(text: str, hidden: str) -> None:
    plain, locked = scan(text)
    start = text.index(hidden)
    assert plain[start : start + len(hidden)] == BLANK * len(hidden)
    assert any(a <= start and start + len(hidden) <= b for a, b in locked)
    assert plain.endswith("6")


def test_the_text_of_a_link_is_read_but_not_changed() -> None:
    text = "see [section 5.4](#somewhere) of it"
    plain, locked = scan(text)
    assert "section 5.4" in plain
    assert any(a <= text.index("5.4") < b for a, b in locked)


def test_marks_of_emphasis_become_spaces_and_words_stay_where_they_are() -> None:
    assert scan("**R-01** A *must* is not a snake_case_name")[0] == "  R-01   A  must  is not a snake_case_name"


@given(st.text(alphabet="`*_[]()<>\\ab5 |:@/.", max_size=200))
def test_both_views_have_the_length_of_the_text_and_locks_are_in_order(text: str) -> None:
    plain, locked = scan(text)
    assert len(plain) == len(text)
    assert all(0 <= a < b <= len(text) for a, b in locked)
    assert all(first[1] <= second[0] for first, second in pairwise(locked))

"""A quotation is believed only where it stands in the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.judge.quote import find_quotation

TEXT = "I thought about it.\n\nOn **balance**, I’d take the second\n  one — “the safe one”, of course… and that is that."


@pytest.mark.parametrize(
    ("quotation", "found"),
    [
        ("I'd take the second one", "I’d take the second\n  one"),
        ("On balance, I'd take", "On **balance**, I’d take"),
        ('one - "the safe one"', "one — “the safe one”"),
        ("I thought about it ... and that is that.", TEXT),
        ("  the second   one ", "the second\n  one"),
    ],
)
def test_small_changes_of_a_copyist_do_not_matter(quotation: str, found: str) -> None:
    span = find_quotation(quotation, TEXT)
    assert span is not None
    assert TEXT[slice(*span)] == found


@pytest.mark.parametrize(
    "quotation",
    [
        "I would take the second one",
        "the first one",
        "",
        "  ",
        "...",
        "**",
        "and that is that ... I thought about it",
    ],
)
def test_other_words_another_order_or_no_words_are_not_a_quotation(quotation: str) -> None:
    assert find_quotation(quotation, TEXT) is None


@given(st.text(max_size=200), st.text(max_size=40))
def test_any_text_is_taken_and_a_span_lies_inside_it(text: str, quotation: str) -> None:
    span = find_quotation(quotation, text)
    assert span is None or 0 <= span[0] < span[1] <= len(text)


@given(st.text(alphabet=st.characters(categories=["L", "N", "Zs"]), min_size=1, max_size=80), st.data())
def test_every_part_of_a_text_is_found_in_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    part = text[start : data.draw(st.integers(start + 1, len(text)))]
    assert (find_quotation(part, text) is not None) == any(c.isalnum() for c in part)

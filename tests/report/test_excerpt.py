from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from fiducial.report.excerpt import SNAP, Piece, excerpt, glimpse, occurrences


def test_a_short_text_is_shown_whole_with_its_mark() -> None:
    assert excerpt("Answer: B, surely", [(8, 9)], limit=100) == [
        Piece("text", "Answer: "),
        Piece("mark", "B"),
        Piece("text", ", surely"),
    ]


def test_a_long_text_says_how_much_was_left_out() -> None:
    pieces = excerpt("word " * 1000, limit=100)
    shown = sum(len(p.text) for p in pieces if p.kind == "text")
    assert shown <= 100
    assert pieces[-1] == Piece("cut", f"{5000 - shown:,} characters left out")


def test_a_mark_far_down_is_shown_with_its_surroundings() -> None:
    text = "thinking " * 1000 + "Answer: C" + " more" * 1000
    at = text.index("Answer: C") + 8
    pieces = excerpt(text, [(at, at + 1)], limit=400)
    assert [p.kind for p in pieces] == ["text", "cut", "text", "mark", "text", "cut"]
    assert pieces[3].text == "C"
    assert pieces[2].text.endswith("Answer: ")


def test_ranges_that_make_no_sense_are_dropped() -> None:
    assert excerpt("abc", [(2, 1), (-5, -1), (9, 12)], limit=10) == [Piece("text", "abc")]
    assert excerpt("abc", [(-3, 99)], limit=10) == [Piece("mark", "abc")]


@given(
    st.text(max_size=300),
    st.lists(st.tuples(st.integers(-5, 310), st.integers(-5, 310)), max_size=5),
    st.integers(160, 400),
)
def test_nothing_is_shown_twice_and_nothing_is_lost_silently(
    text: str, marks: list[tuple[int, int]], limit: int
) -> None:
    pieces = excerpt(text, marks, limit=limit)
    at = 0
    for piece in pieces:
        if piece.kind == "cut":
            at += int(piece.text.split()[0].replace(",", ""))
        else:
            assert text[at : at + len(piece.text)] == piece.text
            at += len(piece.text)
    assert at == len(text)


def test_marked_words_are_found_across_line_breaks_and_only_whole() -> None:
    text = "The dial stops\nat 50. Is it more than 500?"
    assert [text[a:b] for a, b in occurrences(text, ("stops at 50.", "50", ""))] == ["stops\nat 50.", "50"]
    assert occurrences("f(x)", ("(x)",)) == [(1, 4)]


@given(st.text(max_size=400), st.integers(0, 400), st.integers(0, 60), st.integers(10, 80))
def test_a_glimpse_is_one_line_that_holds_the_mark(text: str, start: int, length: int, limit: int) -> None:
    pieces = glimpse(text, [(start, start + length)], limit=limit)
    shown = "".join(piece.text for piece in pieces)
    assert len(shown) <= limit + SNAP + 2 and "\n" not in shown
    marked = [piece.text for piece in pieces if piece.kind == "mark"]
    inside = text[start : start + length]
    assert len(marked) == bool(inside)
    if marked and length <= limit // 3:
        assert marked[0] == re.sub(r"\s+", " ", inside)


def test_a_glimpse_says_where_it_leaves_something_out() -> None:
    text = "a b c " * 50 + "Answer: B" + " d" * 100
    at = text.index("B")
    pieces = glimpse(text, [(at, at + 1)], limit=60)
    assert pieces[0].text == "…" and pieces[-1].text == "…"
    assert [p.text for p in pieces if p.kind == "mark"] == ["B"]

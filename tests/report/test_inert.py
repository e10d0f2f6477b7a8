from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.report.inert import clip, inert, legible, shorten
from tests.report.hostile import HOSTILE

ANYTHING = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]8;;http://evil.test\x07link\x1b]8;;\x07", "link"),
        ("\x1b]0;title\x1b\\after", "after"),
        ("\x9b2Jgone", "gone"),
        ("\x1bcreset", "reset"),
        ("an escape that never ends \x1b]0;hides nothing", "an escape that never ends 0;hides nothing"),
        ("two\nlines\tand a\u2028third", "two lines and a third"),
        ("\u202eesrever\u202c", "esrever"),
        ("half a \ud800 character", "half a \ufffd character"),
        ("naïve 日本 emoji 🙂", "naïve 日本 emoji 🙂"),
    ],
)
def test_a_terminal_gets_the_words_and_nothing_else(text: str, left: str) -> None:
    assert inert(text) == left


@given(ANYTHING)
def test_no_control_character_reaches_a_terminal(text: str) -> None:
    assert not {unicodedata.category(c) for c in inert(text)} & {"Cc", "Cs", "Zl", "Zp"}
    inert(text).encode()


@given(ANYTHING)
def test_a_page_gets_only_what_can_be_seen(text: str) -> None:
    shown = legible(text)
    assert not [c for c in shown if unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"} and c not in "\n\t"]
    assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")
    shown.encode()


def test_a_page_shows_that_something_was_there() -> None:
    assert legible("a\x1b[1mb\u202ec\r\nd") == "a⟨U+001B⟩[1mb⟨U+202E⟩c\nd"
    assert legible("\U000e0041") == "⟨U+E0041⟩"


def test_scripts_that_need_joiners_keep_them_on_the_page() -> None:
    assert legible("می‌خواهم") == "می‌خواهم"


def test_a_long_line_is_cut_with_a_sign_that_it_was() -> None:
    assert shorten("short", 10) == "short"
    assert shorten("a longer line", 9) == "a longer…"
    assert shorten("日本語日本語", 7) == "日本語…"
    assert clip("one\n  two", 20) == "one two"
    assert len(clip(HOSTILE * 50, 40)) <= 40

"""What is said to be absent is looked for, and what comes close is shown."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.judge import search
from fiducial.judge.search import AROUND, ENOUGH, MOST_HITS, WINDOW, search_absent

DOCUMENT = """# Archive

## 1. Purpose

The archive keeps letters for the towns of the valley. Visitors read them in the hall.

## 2. Logs

Audit logs are written by every **service**. They are kept
for 400 days, the longest period that the auditors ask for.

## 3. Limits

A retry waits 5 s. Three retries are made. Limitations of the scanner: 99.9 dpi.
"""


def test_a_passage_that_holds_the_words_is_shown_with_its_place() -> None:
    hits = search_absent("a period for which audit logs are kept", DOCUMENT)
    start, end = hits[0].span
    assert DOCUMENT[start:end].startswith("Audit logs") and DOCUMENT[start:end].endswith("period")
    assert hits[0].words == ("Audit", "logs", "kept", "period")
    assert hits[0].share == 1.0
    assert "the longest period that the auditors" in hits[0].excerpt and "\n" not in hits[0].excerpt


def test_what_is_really_absent_gives_no_hit() -> None:
    assert search_absent("fire insurance of the building", DOCUMENT) == ()


@pytest.mark.parametrize("looked_for", ["", "  ", "...", "\x00\x1b[31m", "***"])
def test_nothing_looked_for_is_nothing_found(looked_for: str) -> None:
    assert search_absent(looked_for, DOCUMENT) == ()


@pytest.mark.parametrize(
    ("looked_for", "found"),
    [
        ("retrying", "retry"),
        ("retried", "retry"),
        ("LIMIT", "Limits"),
        ("auditor", "auditors"),
        ("99.9", "99.9"),
        ("Service", "service"),
        ("no mention of the hall", "hall"),
    ],
)
def test_the_form_of_a_word_does_not_matter_and_words_of_any_claim_do_not_count(
    looked_for: str, found: str
) -> None:
    assert search_absent(looked_for, DOCUMENT)[0].words == (found,)


def test_a_claim_of_common_words_alone_is_searched_with_them() -> None:
    assert search_absent("what is it for", "It is what it is.")[0].words == ("It", "is", "what")


def test_less_than_half_of_the_words_is_no_hit_and_half_is_one() -> None:
    assert search_absent("letters cellar flooding", DOCUMENT) == ()
    assert search_absent("letters towns cellar flooding", DOCUMENT)[0].share == ENOUGH


def test_words_that_stand_far_apart_are_no_passage() -> None:
    near = "alpha " + "x " * (WINDOW - 2) + "omega"
    far = "alpha " + "x " * (WINDOW - 1) + "omega"
    assert search_absent("alpha omega", near)[0].share == 1.0
    assert [hit.share for hit in search_absent("alpha omega", far)] == [0.5, 0.5]


def test_the_fullest_passage_comes_first_and_a_rarer_word_before_a_common_one() -> None:
    text = ". ".join(["tide " + "x " * 40] * 3 + ["gauge " + "x " * 40, "tide gauge " + "x " * 40])
    assert search_absent("tide gauge", text)[0].words == ("tide", "gauge")
    apart = ". ".join(["tide " + "x " * 40] * 3 + ["gauge " + "x " * 40])
    assert search_absent("tide gauge", apart)[0].words == ("gauge",)


def test_hits_are_few_and_do_not_overlap() -> None:
    hits = search_absent("tide gauge", "the tide at the gauge, " * 400)
    assert len(hits) == MOST_HITS
    spans = sorted(hit.span for hit in hits)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))


def test_an_excerpt_is_cut_between_words_and_says_that_it_was_cut() -> None:
    words = " ".join(f"word{k}" for k in range(100))
    (hit,) = search_absent("word50", words)
    shown = hit.excerpt.removeprefix("… ").removesuffix(" …").split()
    assert hit.excerpt.startswith("… ") and hit.excerpt.endswith(" …")
    assert set(shown) <= set(words.split()) and "word50" in shown
    assert len(hit.excerpt) <= 2 * AROUND + len("word50") + 4


@given(st.text(max_size=60), st.text(max_size=400))
def test_any_text_is_taken_and_every_hit_lies_in_the_document(looked_for: str, document: str) -> None:
    for hit in search_absent(looked_for, document):
        assert 0 <= hit.span[0] < hit.span[1] <= len(document)
        assert ENOUGH <= hit.share <= 1.0
        assert all(word in document[slice(*hit.span)] for word in hit.words)


@given(st.lists(st.sampled_from(["tide", "gauge", "level", "unit", "site"]), min_size=1, max_size=60), st.data())
def test_every_word_of_a_document_is_found_in_it(words: list[str], data: st.DataObject) -> None:
    word = data.draw(st.sampled_from(words))
    hits = search_absent(word, " ".join(words))
    assert hits and all(hit.words == (word,) and hit.share == 1.0 for hit in hits)


def test_a_document_is_read_once_however_many_claims_are_looked_for_in_it() -> None:
    document = "The gauge is read at noon. " * 50 + "Logs are kept for a week."
    search._indexed.cache_clear()
    hits = [search_absent(f"logs kept for {k} years", document) for k in range(5)]
    assert all(hits) and search._indexed.cache_info().misses == 1

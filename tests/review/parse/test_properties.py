"""What holds for every text, found or made up."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiducial.review.finding import Finding, Parsed
from fiducial.review.parse import parse
from fiducial.review.parse.statements import says_none
from fiducial.review.parse.values import said
from tests.review.parse.shapes import JSON_SHAPES, PROSE_SHAPES, Record

PARTS = """
    { } [ ] "title": "issue": "severity": "High" "x y" 'a' , : \\" \\n // /* */ # ## ### **Severity:** **Issue**
    Severity: High
    Finding 1: - * 1. | --- |---|---| ``` ```json ~~~ <finding> </finding> <title> </title> <think> </think> > ** __ “ ”
    None null true 85 0.9 85% no issues found I can't help findings Summary Blind spots: Critical (High) [Minor] — … 🔴
"""
PIECES = st.sampled_from(
    [*PARTS.split(), "\n", "\n\n", "  ", "\ufeff", "\u2028", "\x00", "\ud800", '{"title": "a', "\r\n"]
)
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(PIECES, max_size=60).map(" ".join),
    st.lists(PIECES, max_size=40).map("".join),
    st.lists(PIECES, max_size=40).map("\n".join),
)
WORD = re.compile(r"\w+")


def texts_of(finding: Finding) -> list[str]:
    return [
        t for t in (finding.title, finding.issue, finding.why_it_matters, finding.suggestion, finding.section) if t
    ]


def check(text: str, parsed: Parsed) -> None:
    assert (parsed.status == "findings") == bool(parsed.findings)
    assert parsed.dropped == len(parsed.dropped_reasons)
    assert all(len(dropped.excerpt) <= 120 and dropped.reason for dropped in parsed.dropped_reasons)
    for finding in parsed.findings:
        assert finding.title.strip() == finding.title != ""
        assert finding.confidence is None or 0 <= finding.confidence <= 1
        assert finding.severity in ("Critical", "Important", "Minor", None)
        assert re.fullmatch("[0-9a-f]{16}", finding.content_hash)
    msgspec.json.decode(msgspec.json.encode(parsed), type=Parsed)  # every text can be written down


@settings(max_examples=600)
@given(text=TEXTS)
def test_no_text_makes_the_parser_raise_and_every_result_is_sound(text: str) -> None:
    check(text, parse(text))


@settings(max_examples=300)
@given(text=TEXTS.filter(lambda t: "\\" not in t and "&" not in t))
def test_every_word_of_a_finding_stands_in_the_output(text: str) -> None:
    cleaned = text.translate({ord(c): "" for c in "\x00\ufeff\u200b\u2060"})
    for finding in parse(text).findings:
        for said_text in texts_of(finding):
            for word in WORD.findall(said_text):
                assert word in cleaned


LETTERS = "abcdefghijklmnopqrstuvwxyzäéßøłžабвг"
WORDS = st.text(alphabet=LETTERS, min_size=4, max_size=9)
PLAIN = st.lists(WORDS, min_size=3, max_size=8).map(lambda words: " ".join(words).capitalize())
ANY = st.text(
    alphabet=st.characters(exclude_categories=("Cs", "Cc", "Cf", "Zl", "Zp", "Co", "Cn")), min_size=1, max_size=60
)


def records(titles: st.SearchStrategy[str], texts: st.SearchStrategy[str]) -> st.SearchStrategy[list[Record]]:
    record = st.fixed_dictionaries(
        {
            "title": titles,
            "severity": st.sampled_from(("Critical", "Important", "Minor")),
            "confidence": st.integers(2, 100),
            "section": st.sampled_from(("3.1", "Goals", "§7")),
            "issue": texts,
            "why_it_matters": texts,
            "suggestion": texts,
        }
    )
    return st.lists(record, min_size=1, max_size=6, unique_by=lambda r: r["title"].split()[0].casefold())


def one_line(text: str) -> str:
    return " ".join(text.split())


TITLES = ANY.filter(lambda t: bool(one_line(t)) and said(t) is not None and not says_none(t))


@pytest.mark.parametrize("shape", JSON_SHAPES, ids=lambda shape: shape.__name__)
@settings(max_examples=60)
@given(given=records(TITLES, ANY))
def test_findings_written_as_json_come_back(shape: Callable[[list[Record]], str], given: list[Record]) -> None:
    parsed = parse(shape(given))
    assert [f.title for f in parsed.findings] == [one_line(r["title"]) for r in given]
    assert [f.severity for f in parsed.findings] == [r["severity"] for r in given]
    assert [f.confidence for f in parsed.findings] == [r["confidence"] / 100 for r in given]
    assert [f.issue for f in parsed.findings] == [said(r["issue"].strip()) or None for r in given]
    assert not parsed.dropped and not parsed.truncated and not parsed.meta


@pytest.mark.parametrize("shape", PROSE_SHAPES, ids=lambda shape: shape.__name__)
@settings(max_examples=60)
@given(given=records(PLAIN, PLAIN.map(lambda text: text + ".")))
def test_findings_written_as_prose_come_back(shape: Callable[[list[Record]], str], given: list[Record]) -> None:
    parsed = parse(shape(given))
    assert [f.title for f in parsed.findings] == [r["title"] for r in given]
    assert [f.issue for f in parsed.findings] == [r["issue"] for r in given]
    if shape.__name__ != "grouped_bullets":
        assert [f.severity for f in parsed.findings] == [r["severity"] for r in given]
        assert [f.confidence for f in parsed.findings] == [r["confidence"] / 100 for r in given]
    assert not parsed.dropped and not parsed.truncated


@settings(max_examples=100)
@given(given=records(PLAIN, PLAIN), share=st.floats(0.05, 0.999))
def test_a_cut_loses_the_last_record_at_most(given: list[Record], share: float) -> None:
    whole = "\n".join(msgspec.json.encode(r).decode() for r in given)
    cut = whole[: max(1, int(len(whole) * share))]
    complete = cut.count("\n")
    parsed = parse(cut)
    assert [f.title for f in parsed.findings][:complete] == [r["title"] for r in given][:complete]
    assert len(parsed.findings) <= complete + 1
    assert len(parsed.findings) + parsed.dropped <= complete + 1

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from fiducial.report import review_margin
from fiducial.report.review_blocks import blocks
from fiducial.report.review_margin import Margin, find_section, fold_headings, margins
from fiducial.report.review_marks import Mark, render_block
from fiducial.report.review_notes import LIMITS, room
from tests.report.parsed import Page
from tests.report.review_support import TEXT, finding, judged, output, several, verdict

REVIEWERS = ["assumption-hunter", "scope-guardian"]
HEADINGS = [(0, "Export service"), (2, "1. Limits"), (7, "2.1 Retention of logs"), (9, "2.10 Owners")]


def placed(*found: object) -> Margin:
    [made], _ = margins([output(*found)], {"export": TEXT}, REVIEWERS, ["export"])  # type: ignore[arg-type]
    return made


def beside(margin: Margin) -> dict[str, list[str]]:
    """The titles of the notes, by the text of the block they stand beside."""
    return {
        str(one.first.text.striptags())[:20]: [note.title for note in (*one.notes, *one.folded)]
        for one in margin.passages
        if one.notes
    }


def texts(margin: Margin) -> list[Markup]:
    return [shown.text for one in margin.passages for shown in (one.first, *one.rest)]


def test_a_note_stands_beside_the_block_that_holds_its_evidence() -> None:
    [made], _ = margins(several(), {"export": TEXT}, REVIEWERS, ["export"])
    assert beside(made) == {
        "The service must ans": ["200 ms against 5 minutes", "5 minutes is long"],
        "1. Limits": ["No encryption is named"],
        "A table of the docum": ["Two owners"],
        "2. Retention": ["Use Kafka"],
        "Exports are kept for": ["Retention contradicts itself", "Audit logs have no period"],
    }
    assert [one.title for one in made.below] == ["Said in prose", "Never judged"]


def test_notes_are_numbered_in_the_order_of_the_text() -> None:
    [made], _ = margins(several(), {"export": TEXT}, REVIEWERS, ["export"])
    numbers = [note.number for one in made.passages for note in one.notes] + [one.number for one in made.below]
    assert numbers == list(range(1, 10))


@pytest.mark.parametrize(
    ("section", "heading"),
    [
        ("1. Limits", 2),
        ("limits", 2),
        ("Section 1", 2),
        ("§2.1", 7),
        ("2.10", 9),
        ("the part on retention of logs, near the end", 7),
        ("Retention", 7),
        ("2", None),
        ("3.1", None),
        ("", None),
        ("🙂", None),
    ],
)
def test_a_section_is_found_by_its_words_or_its_number(section: str, heading: int | None) -> None:
    assert find_section(section, fold_headings(HEADINGS)) == heading


def test_headings_are_folded_once_and_not_once_for_every_section_that_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folded: list[str] = []

    def counting(text: str) -> str:
        folded.append(text)
        return text.casefold()

    monkeypatch.setattr(review_margin, "fold", counting)
    placed(*(judged(k, finding(section=f"Nowhere {k}x")) for k in range(20)))
    assert folded.count("Export service") == 1 and "Nowhere 19x" in folded


def marks(html: str) -> list[tuple[str, str]]:
    return [(n, re.sub(r"<[^>]+>", "", inner)) for n, inner in re.findall(r'data-n="([\d ]+)">(.*?)</mark>', html)]


def test_overlapping_evidence_is_cut_where_it_begins_and_ends() -> None:
    text = "abcdefghij"
    [block] = blocks(text)
    spans = {1: (1, 6), 2: (3, 8), 3: (3, 6), 4: (9, 10)}
    html = render_block(block, text, [Mark(span=s, number=n, look="g0") for n, s in spans.items()], "n0-")
    assert marks(html) == [("1", "bc"), ("1 2 3", "def"), ("2", "gh"), ("4", "j")]
    assert re.findall(r'href="#(n0-\d)">([^<]+)<', html) == [
        ("n0-1", "1"),
        ("n0-3", "3"),
        ("n0-2", "2"),
        ("n0-4", "4"),
    ]


def test_evidence_may_run_over_blocks_bold_words_and_cells() -> None:
    made = placed(judged(said=verdict("genuine", TEXT[TEXT.index("larger than") : TEXT.index(" ops |")])))
    html = Markup("\n").join(texts(made))
    told = [text for _, text in marks(html)]
    assert told[:3] == ["larger than ", "2 GB", " are refused."]
    assert told[-1] == "data team and"
    assert "Retries: 3, then the job is parked." in told
    assert sum("<a class=" in text for text in texts(made)) == 1, "its number stands once, at the end"


def test_numbers_that_follow_each_other_are_a_range() -> None:
    made = placed(*(judged(k) for k in range(1, 5)), *(judged(k, said=verdict()) for k in range(5, 9)))
    html = Markup("").join(texts(made))
    assert re.findall(r"<sup>.*?</sup>", html) == ['<sup><a class="ref" href="#n0-5">5–8</a></sup>']


def test_many_notes_beside_a_short_block_are_folded_genuine_ones_last() -> None:
    labels = ["not_genuine"] * 5 + ["genuine"] * 2
    made = placed(*(judged(k, said=verdict(label)) for k, label in enumerate(labels, 1)))  # type: ignore[arg-type]
    [one] = [one for one in made.passages if one.notes]
    assert [note.kind for note in one.notes] == ["not_genuine", "genuine", "genuine"]
    assert len(one.folded) == 4


def test_a_document_without_text_lists_its_findings() -> None:
    [made], _ = margins(several(), {}, REVIEWERS, ["export"])
    assert made.missing
    assert len(made.below) == 9


def test_fields_are_shortened_until_they_have_room() -> None:
    outputs = [output(judged(1, finding(issue="x" * 10_000), verdict()))]
    assert room(outputs) == LIMITS[0]
    assert room(outputs, most=2_500) == 2_000
    assert room(outputs, most=10) == LIMITS[-1]
    assert room([output(judged(1, finding(issue="<" * 10_000), verdict()))], most=2_500) == 500, "as it is escaped"


@given(
    st.text(st.sampled_from("ab *`|-#>\n\r<&\u202e"), max_size=60),
    st.lists(st.tuples(st.integers(-3, 70), st.integers(-3, 70)), max_size=5),
)
def test_any_spans_in_any_text_give_balanced_markup_of_the_same_letters(
    text: str, spans: list[tuple[int, int]]
) -> None:
    every = [Mark(span=span, number=k, look="g0") for k, span in enumerate(spans, 1)]
    for block in blocks(text):
        html = render_block(block, text, every, "n0-")
        plain = render_block(block, text, [], "n0-")
        bare = re.sub(r"<sup>.*?</sup>", "", html)
        assert Markup(bare).striptags() == plain.striptags()
        Page(html)
        assert set(re.findall(r"</?(\w+)", html)) <= {
            "mark",
            "sup",
            "a",
            "b",
            "code",
            "table",
            "caption",
            "tr",
            "td",
        }

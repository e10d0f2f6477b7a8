"""Reading the structure of a document, and the way back from it to the file."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.review.plant.markdown import LONGEST_BLOCK, read
from tests.review.plant.support import DATASETS, LENDING


def words(text: str) -> list[str]:
    return [word for word in text.replace("\r", " ").split() if word != ">"]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_block_leads_back_to_its_own_words(newline: str) -> None:
    text = LENDING.replace("\n", newline)
    document = read(text)
    assert len(document.blocks) > 90
    for block in document.blocks:
        assert words(text[slice(*block.whole)]) == words(block.flow)
        for place in range(0, len(block.flow), 7):
            assert text[block.at(place)] == block.flow[place]


def test_a_paragraph_over_several_lines_of_a_quotation_is_one_flow() -> None:
    text = "> one two\n> three\nlazy four\n"
    (block,) = read(text).blocks
    assert block.flow == "one two three lazy four"
    start, end = block.span(block.flow.index("two"), block.flow.index("three") + 5)
    assert text[start:end] == "two\n> three"


@pytest.mark.parametrize(
    "text",
    [
        "```\nmust 5 minutes\n```\n",
        "```\nmust 5 minutes, and no end",
        "    must 5 minutes\n",
        "<div>\nmust 5 minutes\n</div>\n",
        "<!-- must\n\n5 minutes -->\n",
        "- ~~~\n  must 5 minutes\n  ~~~\n",
        "[must]: 5-minutes\n",
        "---\nmust: 5 minutes\n---\n",
        "+++\nmust = '5 minutes'\n+++\n",
    ],
)
def test_code_html_definitions_and_front_matter_give_no_block(text: str) -> None:
    assert read(text).blocks == ()


def test_front_matter_without_an_end_is_none() -> None:
    assert [block.flow for block in read("---\nmust: 5 minutes\n").blocks] == ["must: 5 minutes"]


def test_cells_of_a_table_know_their_row_column_and_header() -> None:
    document = read("# T\n\n| a | b |\n|---|---|\n| x \\| y | `c` |\n| | 2 |\n")
    (table,) = document.tables
    assert table.header == ("a", "b")
    assert [[cell.flow for cell in row] for row in table.body] == [["x \\| y", "`c`"], ["", "2"]]
    two = table.body[1][1]
    assert (two.row, two.column) == (2, 1)
    assert document.text[slice(*document.row_span(two))] == "| | 2 |"


def test_a_table_whose_rows_do_not_fit_its_header_is_left_alone() -> None:
    assert read("| a | b |\n|---|---|\n| only one |\n").tables == ()


def test_sections_know_their_number_their_parent_and_their_end() -> None:
    document = read("# Title\n\n## 2. Two\n\ntext\n\n### 2.1 Inner\n\nmore\n\n## 3 Three\n")
    assert [(s.number, s.title, s.parent) for s in document.sections[1:]] == [
        (None, "Title", 0),
        ("2", "Two", 1),
        ("2.1", "Inner", 2),
        ("3", "Three", 1),
    ]
    assert document.sections[2].last_line == document.sections[4].first_line
    assert document.sections[3].name == "section 2.1 (Inner)"


def test_a_list_item_knows_the_lines_of_its_children() -> None:
    document = read("- one\n  - inner\n\n  more\n- two\n")
    first = next(block for block in document.blocks if block.flow == "one")
    assert (first.kind, first.item) == ("item", (0, 4))


def test_a_byte_order_mark_does_not_hide_the_first_heading() -> None:
    document = read("\ufeff# Title\n\ntext\n")
    assert document.sections[1].title == "Title"
    assert document.blocks[0].at(0) == 3


def test_a_paragraph_too_long_to_review_gives_no_block() -> None:
    assert read("word " * LONGEST_BLOCK).blocks == ()


@given(st.text(alphabet="#-*> \n\r`|:.1ab[]()<\t", max_size=300))
def test_reading_never_raises_and_offsets_are_right(text: str) -> None:
    document = read(text)
    for block in document.blocks:
        for place, char in enumerate(block.flow):
            assert text[block.at(place)] == char or (char == " " and text[block.at(place)].isspace())


@pytest.mark.parametrize("path", DATASETS, ids=lambda path: path.parent.name)
def test_the_documents_that_ship_are_read_whole(path: object) -> None:
    text = path.read_bytes().decode("utf-8")  # type: ignore[attr-defined]
    document = read(text)
    fenced = [part for part in document.kept if part.startswith("```")]
    assert len(fenced) == text.count("\n```") // 2
    assert len(document.tables) == sum(bool(re.fullmatch(r"\|?(?:-+\|)+-*", line)) for line in text.splitlines())

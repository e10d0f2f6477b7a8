from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fiducial.review
from fiducial.report.review_blocks import Block, blocks
from tests.report.review_support import TEXT

DOCUMENTS = sorted((Path(fiducial.review.__file__).parent / "datasets").glob("*/document.md"))


def shown(text: str, block: Block) -> str:
    if block.kind == "table":
        return "\n".join(" | ".join(text[slice(*cell)] for cell in row) for row in block.rows)
    return "\n".join(text[slice(*line)] for line in block.lines)


def kinds(text: str) -> list[tuple[str, int, str, str]]:
    return [(b.kind, b.level, b.marker, shown(text, b)) for b in blocks(text)]


def test_a_document_is_taken_apart_without_its_signs() -> None:
    assert kinds(TEXT)[:4] == [
        ("heading", 1, "", "Export service"),
        ("paragraph", 0, "", "Owner: the data team."),
        ("heading", 2, "", "1. Limits"),
        (
            "paragraph", 0, "",
            "The service must answer within 200 ms at the 95th percentile. An export may take up to 5 minutes.\n"
            "Exports larger than **2 GB** are refused.",
        ),
    ]  # fmt: skip
    assert kinds(TEXT)[4] == ("paragraph", 1, "•", "Retries: 3, then the job is parked.")
    assert kinds(TEXT)[6] == ("table", 0, "", "Queue | Owner\nsmall | data team\nlarge | data team and ops")
    assert kinds(TEXT)[-1] == ("code", 0, "", "retention: 14d")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Title\n=====\n", [("heading", 1, "", "Title")]),
        ("1) one\n   more\n   - two\n", [("paragraph", 1, "1)", "one\n   more"), ("paragraph", 2, "•", "two")]),
        ("> said\n>\n> - so\n", [("paragraph", 0, "", "said"), ("paragraph", 1, "•", "so")]),
        ("[a]: x\n", [("code", 0, "", "[a]: x")]),
        ("<div>\n<b>x\n", [("code", 0, "", "<div>\n<b>x")]),
        ("| a \\| b |c|\r\n|-|-|\r\n|1|", [("table", 0, "", "a \\| b | c\n1")]),
        ("a\rb\r\nc", [("paragraph", 0, "", "a\nb\nc")]),
        ("", []),
    ],
)
def test_blocks_of_every_kind(text: str, expected: list[tuple[str, int, str, str]]) -> None:
    assert kinds(text) == expected


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.parent.name)
def test_no_word_of_a_document_is_lost(path: Path) -> None:
    text = path.read_text("utf-8")
    seen = "\n".join(f"{b.marker}\n{shown(text, b)}" for b in blocks(text))
    # What may go: the signs of headings, lists, quotations and tables, and the language named at a fence.
    text = re.sub(r"```\w+", "```", text)
    assert "".join(c for c in seen if c.isalnum()) == "".join(c for c in text if c.isalnum())


@given(st.text(st.sampled_from("ab1.|-#>`*~=_[]()<!\\ \t\r\n\x00\u2028"), max_size=120))
def test_any_text_gives_blocks_in_order_that_hold_every_letter(text: str) -> None:
    made = blocks(text)
    for one, after in pairwise(made):
        assert one.span[0] <= one.span[1] <= after.span[0]
    places = {
        k for b in made for span in (*b.lines, *(cell for row in b.rows for cell in row)) for k in range(*span)
    }
    letters = {k for k, c in enumerate(text) if c in "ab"}
    fences = {k for b in made if b.kind == "code" for k in range(*b.span)}  # the word after an opening fence
    assert letters - places <= fences

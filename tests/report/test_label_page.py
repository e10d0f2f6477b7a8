"""The document beside a claim: where the page begins, what is marked, and what an excerpt keeps."""

from __future__ import annotations

import pytest

from fiducial.report.label_page import Reading, excerpted, reading
from fiducial.review.labelling import LabelCase
from tests.review.standins import DOCUMENT


def read(claim: str, section: str | None = None, document: str = DOCUMENT) -> Reading:
    return reading(
        LabelCase(id="a", document_id="d", document=document, claim=claim, review_type="plan", section=section)
    )


def texts(one: Reading) -> list[str]:
    return [str(block.text) for block in one.blocks]


def test_a_claim_that_quotes_opens_the_document_there_and_marks_the_words() -> None:
    found = read("Price\nIt says “A night ticket costs 4 euros” and no more.")
    assert found.title == "Price" and found.why == "what the finding quotes"
    assert '<mark class="ev quoted" data-n="0">A night ticket costs 4 euros</mark>' in texts(found)[found.at]
    assert sum("<mark" in text for text in texts(found)) == 1 and "<sup>" not in "".join(texts(found))


def test_marks_of_one_case_do_not_stay_for_the_next() -> None:
    read("Price\nIt says “A night ticket costs 4 euros”.")
    assert not any("<mark" in text for text in texts(read("Something else")))


def test_a_claim_that_names_a_section_opens_its_heading() -> None:
    found = read("Late\nNobody answers.", "Complaints")
    assert texts(found)[found.at] == "Complaints"


@pytest.mark.parametrize("document", ["", "One line.", "# Only a heading"])
def test_a_claim_without_a_place_begins_at_the_beginning_of_any_document(document: str) -> None:
    found = read("Vague", document=document)
    assert found.at == 0 and len(found.blocks) == bool(document)
    assert excerpted(found).blocks == found.blocks


def test_an_excerpt_is_the_passage_under_its_heading() -> None:
    found = excerpted(read("Price\nIt says “A night ticket costs 4 euros”."))
    assert texts(found)[0] == "Tickets" and found.at == 1
    assert not any("Complaints" in text for text in texts(found)), "the next section is another matter"
    long = DOCUMENT.replace("euros.", "euros.\n\n" + "\n\n".join(["word " * 40] * 30))
    assert (
        len("".join(texts(excerpted(read("Price\nIt says “A night ticket costs 4 euros”.", document=long)))))
        < 1_700
    )

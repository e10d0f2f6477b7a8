"""The passage of a document that a claim is about."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fiducial.report.claim_place import around

TEXT = "\n".join(f"Line {k}." for k in range(1, 401))


def marked(text: str, spans: list[tuple[int, int]], claim: str = "", section: str | None = None) -> list[str]:
    return [piece.text for piece in around(text, spans, claim, section).pieces if piece.kind == "mark"]


def test_the_evidence_is_marked_in_its_surroundings() -> None:
    at = TEXT.index("Line 200.")
    found = around(TEXT, [(at, at + 9)], "", None)
    whole = "".join(piece.text for piece in found.pieces)
    assert marked(TEXT, [(at, at + 9)]) == ["Line 200."]
    assert whole in TEXT and len(whole) < 2000
    assert TEXT.splitlines()[found.line - 1] == whole.splitlines()[0]


def test_without_evidence_the_claim_points_at_its_own_place() -> None:
    assert marked(TEXT, [], "It says “Line 300.” and nothing else") == ["Line 300."]
    assert around(TEXT, [], "It names nothing", None).line == 1


@given(st.text(max_size=3000), st.lists(st.tuples(st.integers(-5, 4000), st.integers(-5, 4000)), max_size=4))
def test_any_text_and_any_spans_give_a_part_of_the_text(text: str, spans: list[tuple[int, int]]) -> None:
    whole = "".join(piece.text for piece in around(text, spans, text[:50], None).pieces if piece.kind != "cut")
    assert whole in text

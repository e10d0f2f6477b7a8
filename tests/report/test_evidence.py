"""Quotations shown where they stand."""

from __future__ import annotations

from fiducial.report.evidence import AROUND, LONGEST, about, evidence_in

TEXT = "# Night buses\n\n" + "\n\n".join(
    f"## Part {k}\n\nR-{k} A bus of line {k} leaves every {k + 10} minutes, and nobody is told when it does not. {'x ' * 90}"
    for k in range(30)
)


def marked(text: str, *quotations: str, around: int = AROUND) -> list[tuple[int, str, list[str]]]:
    found = evidence_in(text, quotations, around=around)
    return [(p.line, p.heading, [x.text for x in p.pieces if x.kind == "mark"]) for p in found.passages]


def test_a_quotation_is_marked_under_its_heading_and_on_its_line() -> None:
    assert marked(TEXT, "A bus of line 7 leaves") == [(33, "Part 7", ["A bus of line 7 leaves"])]
    assert TEXT.split("\n")[32].startswith("R-7")


def test_quotations_that_are_close_share_a_passage_and_others_do_not() -> None:
    near = marked(TEXT, "line 7 leaves", "R-7 A bus")
    assert near == [(33, "Part 7", ["R-7 A bus", "line 7 leaves"])]
    assert [one[1] for one in marked(TEXT, "A bus of line 20 leaves", "A bus of line 2 leaves")] == [
        "Part 2",
        "Part 20",
    ]


def test_what_is_not_there_is_named() -> None:
    found = evidence_in(TEXT, ["Trams leave every hour.", "A bus of line 3 leaves"])
    assert found.gone == ["Trams leave every hour."] and len(found.passages) == 1


def test_a_quotation_with_something_left_out_in_between_stays_within_bounds() -> None:
    (one,) = evidence_in(TEXT, ["A bus of line 1 leaves ... A bus of line 29 leaves"]).passages
    assert sum(len(piece.text) for piece in one.pieces if piece.kind != "cut") <= LONGEST + 100
    assert any(piece.kind == "cut" for piece in one.pieces)


def test_nothing_around_it_is_the_line_alone() -> None:
    text = "One.\nTwo is here.\nThree."
    (one,) = evidence_in(text, ["Two is"], around=0).passages
    assert "".join(piece.text for piece in one.pieces) == "Two is here."
    assert evidence_in("", ["Two is"]).gone == ["Two is"] and evidence_in(text, []).passages == []


def test_a_claim_without_evidence_is_shown_where_it_points() -> None:
    place, why = about(TEXT, "R-12 has no alarm")
    assert (place.heading, why) == ("Part 12", "where R-12 stands")
    place, why = about("Short.", "Nothing is named")
    assert place.line == 1 and why.startswith("the beginning")

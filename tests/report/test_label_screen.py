"""What a rater sees, and what they must not see."""

from __future__ import annotations

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console

from fiducial.report.label_screen import Place, help_screen, screen, turn
from fiducial.report.label_view import View, rows, search, shown, view_of
from fiducial.report.writer import Writer
from fiducial.review.labelling import LabelCase

TEXT = "\n".join(
    [
        "# Night buses",
        "",
        "## Service",
        *(f"Line {k} of the service." for k in range(60)),
        "",
        "## Complaints",
        "Complaints are answered within a fortnight.",
        "Nobody is named.",
    ]
)
CASE = LabelCase(
    id="0123456789abcdef",
    document_id="buses",
    document=TEXT,
    claim="No owner\nSection: Complaints\nIt says “within a fortnight” and not by whom.",
    review_type="design",
    section="Complaints",
    model="openai/secret-model",
    reviewers=("secret-reviewer",),
    outputs=7,
)
PLACE = Place(rater="ann", number=12, total=40)
SIZE = {"width": 80, "height": 24}


def drawn(view: View, place: Place = PLACE, *, width: int = 80, height: int = 24, encoding: str = "utf-8") -> str:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding)
    console = Console(file=file, width=width, height=height, legacy_windows=False)
    console.print(screen(view, place, Writer(console), width=width, height=height))
    file.flush()
    return raw.getvalue().decode(encoding)


def numbered(text: str) -> list[int]:
    """The lines of the document that are on the screen."""
    return [int(n) for n in re.findall(r"^ *(\d+) [│|]", text, re.MULTILINE)]


def test_a_claim_is_shown_with_the_passage_it_quotes_and_how_far_one_is() -> None:
    seen = drawn(view_of(CASE))
    assert "Case 12 of 40" in seen and "rater ann" in seen
    assert "and not by whom." in seen and "Complaints are answered within a fortnight." in seen
    assert "what the finding quotes" in seen and numbered(seen)[-1] == 67


def test_nothing_is_shown_that_would_unblind_a_rater() -> None:
    seen = drawn(view_of(CASE))
    for secret in ("secret", "openai", "verdict", "Critical", CASE.id, CASE.id[:8], " 7"):
        assert secret not in seen
    assert not {"model", "reviewers", "outputs", "verdict", "severity"} & set(View.__struct_fields__)


def test_the_screen_fits_the_terminal_while_the_claim_does() -> None:
    for width, height in ((80, 24), (120, 50), (60, 30)):
        lines = drawn(view_of(CASE), width=width, height=height).rstrip("\n").split("\n")
        assert len(lines) <= height and all(cell_len(line) <= width for line in lines)


def test_paging_goes_through_the_whole_document_and_begins_again() -> None:
    view = turn(view_of(CASE), 1, **SIZE)
    seen: set[int] = set()
    for _ in range(20):
        own = numbered(drawn(view))
        if seen and own[0] == 1:
            break
        seen |= set(own)
        view = turn(view, 1, **SIZE)
    assert seen == set(range(1, 68))


def test_paging_back_stops_at_the_beginning() -> None:
    view = view_of(CASE)
    for _ in range(20):
        view = turn(view, -1, **SIZE)
    assert numbered(drawn(view))[0] == 1


def test_a_line_longer_than_the_screen_can_be_paged_through() -> None:
    text = " ".join(f"word{k}" for k in range(3000))
    view = view_of(LabelCase(id="x", document_id="d", document=text, claim="C", review_type="plan"))
    seen = ""
    for _ in range(200):
        seen += drawn(view)
        view = turn(view, 1, **SIZE)
        if view.at == 0:
            break
    assert all(f"word{k}" in seen for k in range(3000))


def test_a_search_goes_from_place_to_place_and_round() -> None:
    view = search(view_of(CASE), "OF THE  service")
    places = [view.at]
    assert "1 of 60 places" in view.said
    for _ in range(60):
        view = search(view, "")
        places.append(view.at)
    assert places[0] == places[60] and len(set(places[:60])) == 60 and places[:60] == sorted(places[:60])
    assert "Line 1 of the service" in drawn(view_of(CASE)) or numbered(drawn(view))[0] <= 4


def test_a_search_finds_words_across_a_line_break() -> None:
    view = search(view_of(CASE), "fortnight. nobody")
    assert view.hits and "1 of 1 place;" in view.said


def test_a_search_that_finds_nothing_says_so_and_moves_nothing() -> None:
    view = view_of(CASE)
    found = search(view, "nowhere (at all")
    assert found.at == view.at and '"nowhere (at all" is nowhere in the document' in drawn(found)
    assert "nothing to search for" in search(view, " ").said


@pytest.mark.parametrize(
    "evil",
    [
        "\x1b[2J\x1b[H",
        "\x1b]0;title\x07",
        "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\",
        "\x9b31m",
        "\x07\x08\x7f",
        "\u202egnirts",
        "\u200b\ufeff",
        "\udc80",
        "[bold red]x[/]",
        "a\rb",
        "\x1bP+q\x1b\\",
    ],
)
def test_hostile_text_does_nothing_to_the_terminal(evil: str) -> None:
    case = LabelCase(
        id="x",
        document_id=f"d{evil}",
        document=f"Before.\n{evil} after",
        claim=f"T{evil}\nIt says “{evil} after”",
        review_type="design",
        section=evil,
    )
    view = search(view_of(case), f"{evil}after")
    seen = drawn(view, Place(rater="ann", number=1, total=1))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e\ufeff\ud800-\udfff]", seen)
    assert "after" in seen
    if evil.startswith("[bold"):
        assert "[bold red]x[/]" in seen


def test_drawings_and_code_keep_their_blanks() -> None:
    text = "a --->   b\n    if x:\n\tindented\n| a      | b |"
    assert shown(text) == "a --->   b\n    if x:\n    indented\n| a      | b |"


def test_a_long_claim_is_shown_in_full_and_an_endless_one_says_what_is_left_out() -> None:
    long = view_of(LabelCase(id="x", document_id="d", document=TEXT, claim="word " * 600, review_type="plan"))
    assert drawn(long).count("word") == 600 and "left out" not in drawn(long)
    endless = view_of(LabelCase(id="x", document_id="d", document=TEXT, claim="word " * 60_000, review_type="plan"))
    seen = drawn(endless)
    assert seen.count("\n") < 300 and re.search(r"[\d,]+ characters left out", seen)


def test_wide_letters_are_counted_as_they_are_shown() -> None:
    text = "設計書" * 100
    view = view_of(LabelCase(id="x", document_id="d", document=text, claim="欠陥" * 60, review_type="plan"))
    assert all(cell_len(line) <= 80 for line in drawn(view).split("\n"))
    assert "".join(text[row.start : row.end] for row in rows(text, 77)) == text


def test_a_console_that_knows_only_ascii_gets_ascii() -> None:
    seen = drawn(view_of(CASE), encoding="ascii")
    assert "|" in seen and "Case 12 of 40" in seen


def test_the_comment_the_limit_and_the_skipped_are_told() -> None:
    import msgspec

    view = msgspec.structs.replace(view_of(CASE, said="saved: genuine"), note="said elsewhere")
    seen = drawn(view, Place(rater="ann", number=3, total=9, skipped=2, left=4))
    assert "comment: said elsewhere" in seen and "saved: genuine" in seen
    assert "4 left in this round" in seen and "2 skipped" in seen


@pytest.mark.parametrize("review_type", ["requirements", "design", "plan"])
def test_help_tells_the_keys_and_the_definition_that_judges_get(review_type: str) -> None:
    console = Console(file=io.StringIO(), width=100, record=True)
    console.print(help_screen(review_type, Writer(console)))  # type: ignore[arg-type]
    told = console.export_text()
    assert "1 or g" in told and "take the last label back" in told and "invented_constraint" in told

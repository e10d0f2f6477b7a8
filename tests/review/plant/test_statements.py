"""Ids, quantities, dates, and when two places state one thing."""

from __future__ import annotations

from decimal import Decimal

import pytest

from fiducial.review.plant import dates, quantities
from fiducial.review.plant.ids import names, section_uses
from fiducial.review.plant.markdown import read
from fiducial.review.plant.procedures import procedures
from fiducial.review.plant.quantities import write_like
from fiducial.review.plant.relations import dependents, reaches, steps
from fiducial.review.plant.sentences import sentences, stems
from tests.review.plant.support import LENDING


def test_an_id_is_defined_in_bold_in_a_heading_or_in_a_first_cell_and_used_elsewhere() -> None:
    document = read(
        "## R-3 Title\n\n- **R-1** One, see R-3.\n- R-2: two (R-1)\n\n| Id | x |\n|---|---|\n| R-4 | R-1 |\n| R-1 | y |\n"
        "\nR-2 is text.\n"
    )
    known = names(document)
    assert sorted(known.defined) == ["R-1", "R-2", "R-3", "R-4"]
    assert {name: len(uses) for name, uses in known.uses.items()} == {"R-3": 1, "R-1": 3, "R-2": 1}
    assert known.before["R-2"] == "R-1"


def test_an_id_defined_twice_is_not_taken_for_defined() -> None:
    known = names(read("- **R-1** One.\n- **R-1** Another.\n"))
    assert known.repeated == {"R-1"}
    assert known.defined == {}


def test_ends_of_a_range_are_marked_as_such() -> None:
    uses = names(read("- **R-1** One.\n\nR-2 to R-5 and R-1.\n")).uses
    assert [uses[name][0].ranged for name in ("R-2", "R-5", "R-1")] == [True, True, False]


def test_sections_of_other_works_are_not_ours() -> None:
    found = section_uses(read("## 4 A\n\nSee section 4, § 4.1 and section 9 of the RFC.\n"))
    assert [use.name for use in found] == ["4", "4.1"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("wait 5 minutes", [(Decimal(5), "minute")]),
        ("at 0.60 m/h or 5-minute steps", [(Decimal("0.60"), "m/h"), (Decimal(5), "minute")]),
        ("99.5 % of 18,400 members", [(Decimal("99.5"), "%"), (Decimal(18400), "member")]),
        ("costs €0.05 each", [(Decimal("0.05"), "money")]),
        ("on 6 November 2026 at 08:00, version 1.3, step 3, section 5.4, in 2026", []),
    ],
)
def test_quantities_have_a_unit_and_dates_labels_and_versions_are_none(
    text: str, expected: list[tuple[Decimal, str]]
) -> None:
    found = quantities.quantities(read(text))
    assert [(quantity.value, quantity.noun) for quantity in found] == expected


def test_a_bare_cell_takes_its_unit_from_its_header() -> None:
    document = read("| a | Length (minutes) | Hours |\n|---|---|---|\n| x | 20 | **−3** |\n")
    found = quantities.quantities(document)
    assert [(q.value, q.noun) for q in found] == [(Decimal(20), "minute"), (Decimal(-3), "hour")]


def test_new_numbers_are_written_like_the_old_ones() -> None:
    assert write_like("18,400", Decimal(9200)) == "9,200"
    assert write_like("0.60", Decimal("0.9")) == "0.90"
    assert write_like("520", Decimal(1040)) == "1,040"
    assert write_like("2400", Decimal(1200)) == "1200"


def test_dates_are_read_in_three_writings_and_written_in_their_own() -> None:
    found = dates.moments(read("On 6 November 2026, on May 4, 2026, on 2026-12-24, at 18:00, on 31 June 2026.\n"))
    assert [when.shifted(7 if when.day else 2) for when in found] == [
        "13 November 2026",
        "May 11, 2026",
        "2026-12-31",
        "20:00",
    ]
    assert found[2].shifted(8) is None


def test_a_date_at_the_end_of_time_does_not_move() -> None:
    (when,) = dates.moments(read("On 9999-12-31.\n"))
    assert when.shifted(14) is None


def stated(text: str) -> list[tuple[str, str]]:
    return [(a.text, b.text) for a, b in quantities.restated(read(text))]


def test_a_value_beside_the_id_it_belongs_to_is_the_same_statement() -> None:
    text = "- **R-1** It must end within 35 min.\n- **R-2** Other 35 min.\n\nThis meets the 35 min of R-1.\n"
    assert stated(text) == [("35 min", "35 min")]


def test_a_criterion_states_the_value_of_what_it_tests_and_not_of_its_neighbour() -> None:
    text = (
        "- **R-1** The service must be restored within 2 hours.\n- **R-2** Notes must be entered within 2 hours.\n"
        "- **A-1** (R-1, R-2) Pass: the service is restored within 2 hours.\n"
    )
    found = [(a.block.flow[2:5], b.block.flow[2:5]) for a, b in quantities.restated(read(text))]
    assert found == [("R-1", "A-1")]


def test_equal_numbers_of_different_things_are_not_the_same_statement() -> None:
    assert stated("Paint dries within 2 hours.\n\nThe canteen closes 2 hours before dusk.\n") == []


def test_rows_of_one_table_are_different_things_even_with_equal_values() -> None:
    assert stated("| a | Visitors |\n|---|---|\n| x | 18,450 |\n| y | 18,450 |\n") == []


def test_sentences_end_at_full_stops_that_end_sentences() -> None:
    (block,) = read("It differs by 0.10 m. This, e.g. that, holds. No. 5 is out. (Yes.) End\n").blocks
    assert [block.flow[a:b] for a, b in sentences(block)] == [
        "It differs by 0.10 m.",
        "This, e.g. that, holds.",
        "No. 5 is out.",
        "(Yes.)",
        "End",
    ]


def test_forms_of_a_word_share_a_stem() -> None:
    assert stems("holds cancelled") == stems("hold cancelling")


def test_needs_form_a_graph_that_can_be_followed() -> None:
    ((_, rows),) = steps(read(LENDING))
    needs = {name: step.needs for name, step in rows.items()}
    assert needs == {"S-1": (), "S-2": ("S-1",), "S-3": ("S-2",), "S-4": ("S-3",)}
    assert reaches(needs, "S-4", "S-1") == ["S-4", "S-3", "S-2", "S-1"]
    assert reaches(needs, "S-1", "S-4") is None
    assert dependents(needs, "S-2") == {"S-3", "S-4"}
    assert dependents({"a": ("b",), "b": ("a",)}, "a") == {"a", "b"}


def test_a_numbered_list_of_commands_is_a_procedure_and_one_of_cases_is_not() -> None:
    document = read(
        LENDING + "\n\n## X\n\n1. Before the opening, it waits.\n2. In the night, too.\n3. After that.\n"
    )
    (run,) = procedures(document)
    assert [block.flow.split()[0] for block in run] == ["Stop", "Copy", "Start"]

"""Each operator on a small document that has material for it, and on one that has none."""

from __future__ import annotations

import pytest

from fiducial.review.plant.operators import OPERATORS
from fiducial.review.plant.variant import plant
from tests.review.plant.support import LENDING, candidates, one, undo

PROSE = "# A letter\n\nDear all, thank you for coming. We had a good time, and the weather was fine.\n"


@pytest.mark.parametrize("name", OPERATORS)
def test_every_operator_finds_a_place_and_its_flaw_is_in_the_variant_and_not_in_the_original(name: str) -> None:
    for seed in range(6):
        variant = one(name, LENDING, seed)
        (flaw,) = variant.flaws
        assert OPERATORS[name].verify(variant.text, flaw)
        assert not OPERATORS[name].verify(LENDING, flaw)
        assert undo(variant) == LENDING
        assert all(quotation in variant.text for quotation in flaw.evidence)
        assert flaw.evidence
        assert flaw.title not in flaw.issue


@pytest.mark.parametrize("name", OPERATORS)
def test_a_flaw_that_is_healed_is_no_longer_verified(name: str) -> None:
    variant = one(name, LENDING)
    (flaw,) = variant.flaws
    healed = variant.text[: flaw.place.start] + flaw.original + variant.text[flaw.place.end :]
    assert not OPERATORS[name].verify(healed, flaw)


@pytest.mark.parametrize("name", OPERATORS)
def test_a_document_without_material_is_said_to_have_no_place(name: str) -> None:
    variant = plant(PROSE, seed=1, count=3, operators=[name])
    assert variant.without_place == (name,)
    assert variant.text == PROSE
    assert variant.flaws == ()


@pytest.mark.parametrize("name", OPERATORS)
def test_descriptions_name_the_section_or_the_part_and_speak_of_the_variant_alone(name: str) -> None:
    for candidate in candidates(name, LENDING):
        assert "section" in candidate.issue.lower()
        assert not any(
            word in candidate.issue for word in ("original", "planted", "no longer", "removed", "changed")
        )


def test_a_number_is_changed_in_one_of_two_statements() -> None:
    for candidate in candidates("number-conflict", LENDING):
        said = LENDING[candidate.start : candidate.end]
        assert said in ("48", "12")
        assert candidate.new != said
        assert candidate.facts["here"].split()[1] == candidate.facts["there"].split()[1]


def test_a_unit_is_changed_and_its_number_is_not() -> None:
    units = {(LENDING[c.start : c.end], c.new) for c in candidates("unit-mismatch", LENDING)}
    assert units <= {("hours", "days"), ("hours", "minutes"), ("minutes", "hours"), ("minutes", "seconds")}


def test_a_table_and_a_sentence_disagree_and_summands_are_left_to_another_operator() -> None:
    (candidate,) = candidates("table-disagrees", LENDING)
    assert LENDING[candidate.start : candidate.end] == "17,350"
    assert LENDING[candidate.end :].startswith(" readers.")


def test_a_row_that_ends_before_it_starts_and_a_date_given_twice() -> None:
    found = candidates("date-conflict", LENDING)
    assert {candidate.facts["kind"] for candidate in found} == {"stated twice", "ends before start"}
    (twice,) = [candidate for candidate in found if candidate.facts["kind"] == "stated twice"]
    assert twice.facts["there"] == "15 June 2026"
    assert LENDING[twice.end :].startswith(" (S-4)")


def test_a_requirement_goes_with_all_its_lines_and_leaves_the_list_whole() -> None:
    text = "- **R-1** One\n  and more.\n  - inner\n- **R-2** Two, after R-1.\n- **R-3** Three.\n"
    (candidate,) = candidates("missing-requirement", text)
    assert text[: candidate.start] + text[candidate.end :] == "- **R-2** Two, after R-1.\n- **R-3** Three.\n"
    assert candidate.missing == "the definition of R-1"


def test_a_requirement_with_code_or_a_link_in_it_stays() -> None:
    text = "- **R-1** One `code`.\n- **R-2** Two [x](y).\n- **R-3** Three.\n\nSee R-1 and R-2.\n"
    assert candidates("missing-requirement", text) == []


def test_a_requirement_that_leads_into_a_table_stays() -> None:
    text = "- **R-1** As follows:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- **R-2** x\n- **R-3** y\n\nSee R-1.\n"
    assert candidates("missing-requirement", text) == []


def test_a_section_that_is_a_requirement_is_cut_out_with_its_heading() -> None:
    text = "# D\n\n## R-1 One\n\nIt must.\n\n## R-2 Two\n\nAfter R-1.\n\n## R-3 Three\n\nIt may.\n"
    (candidate,) = candidates("missing-requirement", text)
    assert text[: candidate.start] + text[candidate.end :] == (
        "# D\n\n## R-2 Two\n\nAfter R-1.\n\n## R-3 Three\n\nIt may.\n"
    )


def test_a_reference_is_broken_only_towards_what_does_not_exist() -> None:
    for candidate in candidates("broken-reference", LENDING):
        assert candidate.new not in LENDING.split()
    assert any(candidate.facts["kind"] == "section" for candidate in candidates("broken-reference", LENDING))


def test_past_changes_are_not_touched() -> None:
    history = LENDING.index("## 8. Change history")
    for name in OPERATORS:
        assert all(candidate.end <= history for candidate in candidates(name, LENDING))


def test_an_everyday_word_and_a_term_explained_elsewhere_are_not_undefined_terms() -> None:
    terms = [candidate.facts["term"] for candidate in candidates("undefined-term", LENDING)]
    assert terms == ["grace period", "shelf mark"]
    explained = LENDING + "\nThe grace period is the 3 days after the due date.\n"
    assert [c.facts["term"] for c in candidates("undefined-term", explained)] == ["shelf mark"]


def test_a_threshold_keeps_its_condition_and_loses_its_action() -> None:
    first, _ = candidates("threshold-without-action", LENDING)
    changed = LENDING[: first.start] + first.new + LENDING[first.end :]
    line = next(line for line in changed.splitlines() if line.startswith("- **T-1**"))
    assert line == f"- **T-1** If more than 5 % of returns in a week are entered late, {first.new}."


def test_a_threshold_that_others_act_on_is_left_alone() -> None:
    text = LENDING.replace("## 5. Accept", "Under T-1 and T-2 the director closes the branch.\n\n## 5. Accept")
    assert candidates("threshold-without-action", text) == []


def test_a_row_with_a_limit_loses_its_action_unless_the_table_has_empty_ones() -> None:
    table = "| Id | Threshold | Action |\n|---|---|---|\n| T-1 | over 5 min | call A |\n| T-2 | over 9 min | {} |\n"
    assert [c.new for c in candidates("threshold-without-action", table.format("call B"))] == ["–", "–"]
    assert candidates("threshold-without-action", table.format("–")) == []


def test_a_need_is_added_to_a_cell_of_code_without_touching_the_code() -> None:
    table = "| Component | Depends on |\n|---|---|\n| `a` | nothing |\n| `b` | `a` |\n| `c` | `a`, `b` |\n"
    changed = {table[: c.start] + c.new + table[c.end :] for c in candidates("circular-dependency", table)}
    assert table.replace("| `b` | `a` |", "| `b` | `a`, `c` |") in changed
    assert any("| `a` | `b` |" in text or "| `a` | `c` |" in text for text in changed)


def test_a_step_moves_before_what_it_needs_or_waits_for_a_later_one() -> None:
    titles = [candidate.title for candidate in candidates("impossible-order", LENDING)]
    assert "S-3 is dated before S-2, which it needs" in titles
    assert "Step 2 in section 6 (Plan) waits for step 3" in titles


def test_prohibitions_bounds_and_abilities_are_not_weakened() -> None:
    text = (
        "- **R-1** The box must not open at noon.\n- **R-2** At most 5 boxes must open at noon.\n"
        "- **R-3** Boxes must be able to open at noon.\n- **R-4** Boxes must open at noon only.\n"
        "- **R-5** Lids must close at noon.\n\n## Acceptance\n\n"
        + "".join(
            f"- **A-{k}** (R-{k}) At noon. Pass: the box opens, the lid closes at noon.\n" for k in range(1, 6)
        )
    )
    assert [candidate.facts["name"] for candidate in candidates("weakened-duty", text)] == ["R-5"]


def test_a_duty_nobody_tests_is_not_weakened() -> None:
    assert "R-02" not in [candidate.facts["name"] for candidate in candidates("weakened-duty", LENDING)]


def test_a_duty_is_given_to_a_second_owner_in_another_row() -> None:
    for candidate in candidates("two-owners", LENDING):
        changed = LENDING[: candidate.start] + candidate.new + LENDING[candidate.end :]
        rows = [row.lower() for row in changed[changed.index("| Duty |") :].splitlines()]
        assert sum(candidate.facts["duty"] in row for row in rows) == 2


def test_a_criterion_loses_its_measure_and_keeps_its_test() -> None:
    for candidate in candidates("untestable-criterion", LENDING):
        assert LENDING[: candidate.start].endswith("Pass: ")
        assert LENDING[candidate.end] == "."
        assert not any(char.isdigit() for char in candidate.new)


def test_scope_is_contradicted_from_both_sides() -> None:
    found = candidates("scope-contradiction", LENDING)
    assert {candidate.facts["kind"] for candidate in found} == {"required", "listed twice"}
    listed = next(c for c in found if c.facts["phrase"] == "Reminders to readers")
    changed = LENDING[: listed.start] + listed.new + LENDING[listed.end :]
    assert "- Reminders to readers.\n" in changed[changed.index("### 1.2") : changed.index("## 2.")]


def test_shares_no_longer_sum_and_a_column_no_longer_reaches_its_total() -> None:
    for candidate in candidates("split-not-whole", LENDING):
        assert sum(map(int, candidate.facts["shares"].split())) == int(candidate.facts["total"]) != 100
    values = {LENDING[c.start : c.end] for c in candidates("wrong-total", LENDING)}
    assert values == {"9,350", "5,000", "3,000", "40,000", "30,000", "10,000"}

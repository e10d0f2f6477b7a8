from __future__ import annotations

from pathlib import Path

import msgspec
from click.testing import CliRunner

from fiducial.bias.load import packaged_battery
from fiducial.bias.metrics import NO_HUMAN
from fiducial.cli.main import fiducial
from fiducial.report.human import human_page, in_people
from fiducial.report.page import render_page
from fiducial.stats.estimate import Withheld
from tests.report.made import alignment, bias, run
from tests.report.parsed import Page, cells
from tests.report.test_metrics_page import METRICS, with_metric

DOCS = Path(__file__).parents[2] / "docs" / "human.md"


def shown(*args: str) -> str:
    result = CliRunner().invoke(fiducial, ["bias", "show", *args])
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


def test_the_page_on_people_is_the_one_that_the_bias_files_make() -> None:
    assert DOCS.read_text(encoding="utf-8") == human_page(packaged_battery().biases.values()), (
        "python -m fiducial.report.human > docs/human.md"
    )


def test_the_page_names_every_bias_once_in_one_of_its_two_tables() -> None:
    rows = [line.split("`")[1] for line in DOCS.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    kinds = {"shares", "means", "anchor_means", "anchors", "prices"}
    assert sorted(row for row in rows if row not in kinds) == sorted(packaged_battery().biases)


def test_a_bar_in_a_source_does_not_break_the_table() -> None:
    one = msgspec.structs.replace(packaged_battery().biases["sunk_cost_fallacy"], human_none="a | b\nc")
    assert "| a ∣ b c |" in human_page([one])


def test_show_says_the_effect_in_people_with_its_interval_and_figures() -> None:
    said = shown("gain_loss_framing")
    assert "In people: +0.29 [0.26, 0.31], n 6271. Klein" in said
    assert "1974 of 3174" in said


def test_show_says_why_there_is_no_effect_in_people() -> None:
    why = packaged_battery().biases["sunk_cost_fallacy"].human_none
    assert why
    assert f"In people: {NO_HUMAN}. {why}" in shown("sunk_cost_fallacy")


def test_a_bias_of_ones_own_need_not_say_anything_about_people() -> None:
    own = msgspec.structs.replace(packaged_battery().biases["sunk_cost_fallacy"], human_none=None)
    assert in_people(own) == f"{NO_HUMAN}."


def test_reasons_for_having_no_effect_in_people_stand_apart_from_the_table() -> None:
    made = [
        with_metric(bias(value=0.4), has=alignment(0.02, "like")),
        with_metric(bias("loss_aversion", 0.3), has=Withheld(f"{NO_HUMAN}. No <b>counts</b>.")),
        with_metric(bias("present_bias", 0.3), has=Withheld(f"{NO_HUMAN}. Another question.")),
    ]
    page = Page(render_page([run(made)]))
    found = [cells(row)[2] for row in page.tables[METRICS]]
    assert found[2] == found[3], "one note for both"
    assert page.words.count(f"withheld: {NO_HUMAN}") == 1
    assert "Why there is no effect in people to compare with (2)" in page.words
    assert "No <b>counts</b>." in page.words
    assert "Another question." in page.words


def test_where_no_bias_has_an_effect_in_people_that_is_one_sentence_with_the_reasons_below() -> None:
    made = [
        with_metric(bias(i), has=Withheld(f"{NO_HUMAN}. Reason {i}.")) for i in ("loss_aversion", "present_bias")
    ]
    page = Page(render_page([run(made)]))
    assert "Human alignment (HAS)" not in cells(page.tables[METRICS][0])
    assert page.words.count(f"Human alignment (HAS) is withheld for every bias: {NO_HUMAN}") == 1
    assert "Reason loss_aversion." in page.words

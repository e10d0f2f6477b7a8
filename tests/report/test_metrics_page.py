from __future__ import annotations

import msgspec

from fiducial.bias.result import BiasResult, Metric
from fiducial.report.page import render_page
from fiducial.stats.estimate import Withheld
from tests.report.made import (
    NO_PEOPLE,
    NOT_RUN,
    NULL,
    alignment,
    bias,
    calibration,
    consistency,
    debiased,
    run,
    withheld,
)
from tests.report.parsed import Page, cells


def with_metric(made: BiasResult, **metrics: Metric) -> BiasResult:
    return msgspec.structs.replace(made, metrics={**made.metrics, **metrics})


METRICS = "Of each bias, with 95 % intervals"
TAKEN = "Effect taken away, with 95 % intervals"


def test_metrics_say_in_words_what_their_intervals_allow() -> None:
    made = [
        with_metric(bias(value=0.4), has=alignment(0.02, "like")),
        with_metric(bias("loss_aversion", 0.3), bci=consistency(0.2, telling=False), has=alignment(-0.3, "weaker")),
    ]
    page = Page(render_page([run(made)]))
    [head, first, second] = [cells(row) for row in page.tables[METRICS]]
    assert head == [
        "Bias",
        "Consistency across domains (BCI)",
        "Human alignment (HAS)",
        "Response consistency (RCI)",
    ]
    assert first[1:] == [
        "0.76 of 1 τ 0.12 [0.00, 0.42]",
        "like people difference +0.02 [−0.08, 0.12]",
        "0.86 [0.81, 0.91]",
    ]
    assert second[1] == "cannot tell τ 0.20 [0.00, 0.80]"
    assert second[2].startswith("weaker than people difference −0.30")
    assert page.words.count("Doe and Roe (1974)") == 2


def test_a_metric_that_no_bias_has_is_a_sentence_and_no_column() -> None:
    page = Page(render_page([run()]))
    assert cells(page.tables[METRICS][0])[1:] == [
        "Consistency across domains (BCI)",
        "Response consistency (RCI)",
    ]
    assert page.words.count(f"Human alignment (HAS) is withheld for every bias: {NO_PEOPLE}") == 1
    assert page.words.count(f"Mitigation (BMP) is withheld for every bias: {NOT_RUN}") == 1


def test_a_reason_that_several_rows_share_stands_once_under_the_table() -> None:
    page = Page(render_page([run()]))
    found = [cells(row)[1] for row in page.tables[METRICS]]
    assert found.count("withheld1") == 2
    assert page.words.count(f"1 withheld: {NULL}") == 1


def test_calibration_awareness_is_three_rows_with_names() -> None:
    rows = {row[0]: row for row in map(cells, Page(render_page([run()])).tables["Of the subject"])}
    [brier] = [row for name, row in rows.items() if name.startswith("Brier score (CAS)")]
    assert brier[1:] == ["0.21 [0.16, 0.26]", "60", "t over items"]
    assert any(name.startswith("Calibration error (CAS)") for name in rows)
    [auroc] = [row for name, row in rows.items() if name.startswith("AUROC (CAS)")]
    assert auroc[1:] == ["withheld: needs 10 right and 10 wrong answers; there are 56 and 4"]


def test_calibration_awareness_that_is_withheld_for_one_reason_is_one_row() -> None:
    none = msgspec.structs.replace(
        run(),
        subject_metrics={"cas": dict.fromkeys(("brier", "calibration_error", "auroc"), Withheld("no answer"))},
    )
    rows = [cells(row) for row in Page(render_page([none])).tables["Of the subject"]]
    assert rows[2:] == [["Calibration awareness (CAS)", "withheld: no answer"]]


def test_mitigation_is_shown_where_it_was_tried_and_harm_is_called_harm() -> None:
    page = Page(render_page([run([debiased(bias(), 0.2, -0.25, 0.03), bias("loss_aversion")])]))
    [head, row] = [cells(row) for row in page.tables[TAKEN]]
    assert head[2:] == ["Warning", "Step by step", "Consider the opposite", "Reference class", "Pre-mortem"]
    assert row[:5] == [
        "Anchoring effect",
        "+0.25 [0.02, 0.48]",
        "+0.20 [0.10, 0.30] helps",
        "−0.25 [−0.35, −0.15] harms",
        "+0.03 [−0.07, 0.13]",
    ]
    assert row[5] == "withheld: not run"
    assert "No method was tried on Loss aversion" in page.words
    assert "Mitigation (BMP)" not in page.words
    assert ("a", {"href": "#mitigation"}) in page.tags


def test_without_debiasing_there_is_no_section_on_it() -> None:
    page = Page(render_page([run()]))
    assert TAKEN not in page.tables
    assert not [a for _, a in page.tags if a.get("id") == "mitigation"]


def test_a_bias_without_intensities_is_in_every_part_but_the_dose_response() -> None:
    page = Page(render_page([run([bias(), calibration()])]))
    of = {
        caption: [cells(row)[0] for row in rows if cells(row)[0] == "Overconfidence effect"]
        for caption, rows in page.tables.items()
    }
    assert not of["Effects by intensity"]
    for caption in ("Effects, with unadjusted 95 % intervals", "Mean effect by intensity and by domain", METRICS):
        assert of[caption]
    html = render_page([run([calibration()])])
    assert 'id="dose"' not in html
    assert html.count("<title>item-29: ") == 2, "the strip of items, wide and narrow"


def test_runs_stand_under_each_other_for_every_metric() -> None:
    second = msgspec.structs.replace(
        run(name="b", subject="openai/gpt-5-mini"),
        subject_metrics={"cas": dict.fromkeys(("brier", "auroc"), Withheld("no answer"))},
    )
    page = Page(render_page([run(), second]))
    subject = [cells(row) for row in page.tables["Of the subject"]]
    assert [row[:2] for row in subject[1:3]] == [
        ["Position preference 0 is none", "anthropic/claude-haiku-4-5"],
        ["openai/gpt-5-mini", "+0.08 [0.03, 0.13]"],
    ]
    assert subject[-1] == ["Calibration awareness (CAS)", "openai/gpt-5-mini", "withheld: no answer"]
    biases = [cells(row)[0] for row in page.tables[METRICS]]
    assert biases.count("Anchoring effect") == 1, "the name spans the rows of both runs"


def test_a_metric_withheld_with_its_effect_does_not_repeat_the_reason_of_every_bias() -> None:
    gone = [withheld("present_bias"), withheld("loss_aversion")]
    differ = [msgspec.structs.replace(b, effect=(why := Withheld(f"reason {k}")), metrics={**b.metrics, "bci": why})
              for k, b in enumerate(gone)]  # fmt: skip
    words = Page(render_page([run([bias(), *differ])])).words
    assert "withheld: the effect itself is withheld" in words
    assert words.count("reason 1") == Page(render_page([run([bias(), differ[1]])])).words.count("reason 1")

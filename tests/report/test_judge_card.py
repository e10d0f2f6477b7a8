"""The card of a judge on the page: what it gets wrong, what is made of it, and what the picture shows."""

from __future__ import annotations

import re

import msgspec
import pytest

from fiducial.judge.applied import Applied
from fiducial.judge.calibration import Rate, Rates
from fiducial.judge.trust import State
from fiducial.report.judge_card import DRAWN, reader_card, review_cards
from fiducial.report.page import render_page
from fiducial.report.review_page import review_page
from fiducial.report.review_words import unknown_errors
from fiducial.review.result import ReviewResult
from tests.report.judges import (
    KINDS,
    STATES,
    applied,
    corrected_review,
    rate,
    reader,
    trust,
    with_corrected,
)
from tests.report.made import run
from tests.report.parsed import Page, cells
from tests.report.review_support import TEXT, review, several

PRECISION = "Precision, with 95 % intervals; precision alone rewards silence, so the counts stand beside it"
REASON = "the judge is not shown to be better than chance on the labelled cases"


def page(result: ReviewResult) -> Page:
    return Page(review_page(result, several(), {"export": TEXT}))


def words(result: ReviewResult) -> str:
    return page(result).words


def test_errors_are_told_in_natural_frequencies() -> None:
    said = (
        "Of 100 findings that are genuine it accepts 82 [73, 88]; of 100 that are not it still accepts 30 [21, 41]."
    )
    assert said in words(corrected_review())


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("calibrated", "✓ calibrated openai/ gpt-5-mini · task genuine , design"),
        ("calibrated", "Its error rates come from labels by people, and hold until 2026-05-15."),
        ("exploratory", "17 labels of one class and 12 of the other, where 25 of each are the least."),
        ("planted", "What follows from them holds if the judge errs on your findings as on planted ones"),
        ("expired", "Its calibration expired on 2026-03-01, and models change behind their names"),
        ("unknown", "Nobody has measured how often this judge errs with this prompt."),
    ],
)
def test_every_state_is_said_in_words(state: State, said: str) -> None:
    assert said.replace(" ,", ",") in words(corrected_review(state)).replace(" ,", ",")


@pytest.mark.parametrize("state", STATES)
def test_what_is_not_known_has_no_number_and_no_picture(state: State) -> None:
    card, _ = review_cards(corrected_review(state))
    known = state != "unknown"
    assert bool(card.wide) == bool(card.narrow) == bool(card.facts) == bool(card.frequencies) == known
    assert bool(card.remedies) == (state != "calibrated")


def test_the_other_rates_stand_with_their_intervals_and_numbers() -> None:
    said = words(corrected_review())
    for told in (
        "Kappa (54 % labelled genuine) 0.53 [0.41, 0.64], n 177",
        "Stated confidence is off by 14 points [9, 20], n 160",
        "Between yes and no 8 % [5 %, 13 %], n 177",
        "No valid verdict 2 % [1 %, 5 %], n 181",
        "Same verdict when asked again 90 % [77 %, 96 %], n 40",
        "Made 2026-02-14, holds until 2026-05-15",
        "96 genuine, 81 not genuine, by people (labels:2026-02-11-export)",
    ):
        assert told in said


def test_a_rate_that_is_withheld_says_why() -> None:
    one = trust(consistency=Rate(withheld="no case has two verdicts"))
    assert "Same verdict when asked again not known: no case has two verdicts" in words(review(trust=[one]))


def test_kinds_are_drawn_worst_first_and_the_rest_is_counted() -> None:
    result = corrected_review()
    card = review_cards(result)[0]
    texts = re.findall(r"<text[^>]*>([^<]+)</text>", "".join(card.wide))
    shown = [text for text in texts if text.replace(" ", "_") in KINDS]
    lower = {name: min(x for x in both if x is not None) for name, both in KINDS.items()}
    assert shown == [name.replace("_", " ") for name in sorted(lower, key=lambda name: lower[name])][:DRAWN]
    assert card.undrawn == len(KINDS) - DRAWN == 2
    assert "2 more kinds in the table" in words(result)
    [caption] = [c for c in page(result).tables if c.startswith("How often") and "genuine" in c]
    rows = [cells(row) for row in page(result).tables[caption]]
    assert rows[1] == ["all cases", "82 % [73 %, 88 %]", "96", "70 % [59 %, 79 %]", "81"]
    assert rows[2] == ["hypothetical", "—", "—", "31 % [12 %, 60 %]", "11"]
    assert len(rows) == 2 + len(KINDS)


def test_the_picture_has_the_numbers_of_both_rates() -> None:
    card = review_cards(corrected_review())[0]
    for svg in card.wide:
        assert "82 % [73 %, 88 %]" in svg and "70 % [59 %, 79 %]" in svg and "var(--pass)" in svg
    for svg in (*card.wide, *card.narrow):
        assert "<title>all cases, accepts what is genuine: 82 % [73 %, 88 %], n 96</title>" in svg


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ({"value": 17.0, "low": 0.1, "high": 20.0}, "an unknown number"),
        ({"value": 0.5, "low": 0.6, "high": 0.7}, "an unknown number"),
        ({"value": 0.5}, "an unknown number"),
        ({"value": 0.999, "low": 0.998, "high": 1.0}, "more than 99 [>99, 100]"),
        ({"value": 0.0, "low": 0.0, "high": 0.06}, "0 [0, 6]"),
    ],
)
def test_a_number_that_is_no_rate_is_none(broken: dict[str, float], told: str) -> None:
    found = msgspec.convert({**broken, "n": 9}, Rate)
    card = review_cards(review(trust=[trust(sensitivity=found)]))[0]
    assert f"it accepts {told};" in card.frequencies.replace("\u00a0", " ")


def test_a_judge_no_better_than_chance_is_called_that() -> None:
    coin = trust(sensitivity=rate(0.5, 60), specificity=rate(0.55, 60), categories={})
    assert review_cards(review(trust=[coin]))[0].tendencies == [
        "It is not shown to be any better than chance: its verdicts say nothing about the truth."
    ]
    assert "not shown to be any better than chance" in words(review(trust=[coin]))
    assert "any better than chance" not in words(corrected_review())


def test_a_kind_that_it_does_worse_on_is_named() -> None:
    bad = {"near_miss": Rates(sensitivity=Rate(withheld="none"), specificity=rate(0.1, 40))}
    assert "It errs more often on the kind near miss: about 90" in words(review(trust=[trust(categories=bad)]))


def test_raw_and_corrected_stand_side_by_side() -> None:
    result = corrected_review()
    made = page(result)
    head, first, _ = (cells(row)[:3] for row in made.tables[PRECISION][:3])
    assert head == ["Reviewer", "Precision [95 %]", "Corrected [95 %]"]
    assert first == ["assumption-hunter", "60 % [43 %, 74 %]", "52 % [41 %, 63 %]"]
    assert "That is a precision of 60 %" in made.words
    assert "With the judge’s errors taken out, it is 52 % [41 %, 63 %]." in made.words
    assert (
        "The judge accepts 60 %; with its errors taken out, 52 % [41 %, 63 %] of these findings are genuine."
        in made.words
    )
    assert "Labels of findings by 3 writers, predicted for this one (177 labels)." in made.words
    assert (
        "finds the must-find in 4 of 6 looks (67 %); with its errors taken out, it was there in 52 % [41 %, 63 %] of them."
        in made.words
    )


def test_without_a_correction_there_is_no_column_for_it() -> None:
    assert "Corrected" not in " ".join(page(review()).tables[PRECISION][0])
    assert not review_cards(review())


def test_a_range_has_ends_and_no_value() -> None:
    result = corrected_review("planted")
    made = page(result)
    assert cells(made.tables[PRECISION][1])[2] == "22 % to 69 % a range"
    assert (
        "The judge accepts 60 %; if it errs on these as on planted ones, 22 % to 69 % of these findings are genuine."
        in made.words
    )
    assert "A range over 10 categories, which decides no gate (177 labels)." in made.words
    drawn = "".join(review_cards(result)[0].effect.wide)  # type: ignore[union-attr]
    assert "stroke-dasharray" in drawn and "22 % to 69 %" in drawn
    assert "52 %" not in "".join(re.findall(r"<text[^>]*>([^<]+)</text>", drawn))
    assert "stroke-dasharray" not in "".join(review_cards(corrected_review())[0].effect.wide)  # type: ignore[union-attr]


def test_labels_on_the_findings_themselves_are_told_apart() -> None:
    own = applied(basis="own labels", words="people labelled 40 of these 118 findings", calibration=None)
    first, *others = review().reviewers
    result = review(reviewers=[with_corrected(first, own), *others], trust=[trust("unknown")])
    told = words(result)
    assert "by the labels that people gave, 52 % [41 %, 63 %] of these findings are genuine." in told
    assert "People labelled 40 of these 118 findings." in told
    assert "Precision that is corrected by labels on the findings themselves is known all the same." in told


def test_why_there_is_no_correction_is_said_once_where_it_is_one_reason() -> None:
    why = Applied(basis="labels", words=REASON, withheld=f"{REASON}.")
    one, two = (with_corrected(r, why) for r in review().reviewers)
    said = words(review(reviewers=[one, two], trust=[trust()]))
    assert said.count(f"Precision stands as the judge has it: {REASON}.") == 1
    assert cells(page(review(reviewers=[one, two], trust=[trust()])).tables[PRECISION][1])[2] == "— not corrected"
    mixed = words(review(reviewers=[one, with_corrected(two, applied())], trust=[trust()]))
    assert f"The judge accepts 60 %; not corrected: {REASON}." in mixed
    assert "stands as the judge has it" not in mixed
    assert "Precision stands as the judge has it: nobody has measured its errors." in words(
        corrected_review("unknown")
    )


def test_what_became_of_the_figures_stands_on_the_card_that_corrected_them() -> None:
    seats = [trust(model="a/b", name="other"), trust(), trust("unknown", "zero_shot")]
    result = msgspec.structs.replace(corrected_review(), trust=seats)
    assert [card.effect is not None for card in review_cards(result)] == [False, True, False]


@pytest.mark.parametrize(
    ("task", "said"),
    [
        (
            "match",
            "Of 100 must-finds that are among the findings it finds 82 [73, 88]; of 100 that are not it still reports",
        ),
        (
            "zero_shot",
            "Of 100 issues that can be seen in the document it sees 82 [73, 88]; of 100 that cannot it still",
        ),
        (
            "read",
            "Of 100 replies that commit to an answer it reads 82 [73, 88] rightly; of 100 that commit to none it still",
        ),
        ("odd", "Of 100 findings that are genuine it accepts 82"),
    ],
)
def test_every_task_has_words_of_its_own(task: str, said: str) -> None:
    assert said in words(review(trust=[trust("calibrated", task)]))


def test_the_summary_says_what_the_judge_is_not() -> None:
    assert unknown_errors(corrected_review()) == ""
    dark = unknown_errors(corrected_review("unknown"))
    assert "is not fit to judge as it stands" in dark and "(precision), the share of must-finds" in dark
    half = unknown_errors(review(trust=[trust(), trust("unknown", "match")]))
    assert "recognises (recall)" in half and "precision" not in half
    assert "from planted cases only (genuine, match): corrected figures hold if the judge errs" in unknown_errors(
        corrected_review("planted")
    )
    assert "exploratory, and decide no gate" in unknown_errors(corrected_review("exploratory"))
    assert unknown_errors(corrected_review("expired")) == ""  # the audit's own check says it at the same place


def test_a_hundred_reviewers_are_drawn_and_told_in_reason() -> None:
    one = with_corrected(review().reviewers[0], applied())
    many = [msgspec.structs.replace(one, name=f"reviewer-{k}") for k in range(100)]
    effect = review_cards(review(reviewers=many, trust=[trust()]))[0].effect
    assert effect is not None and len(effect.wide) > 1
    heights = [int(re.search(r'viewBox="0 0 \d+ (\d+)', svg)[1]) for svg in effect.wide]  # type: ignore[index]
    assert max(heights) < 1020
    assert "And 80 more reviewers, in the table of precision." in words(review(reviewers=many, trust=[trust()]))


def test_a_bias_page_shows_the_judge_that_read_and_what_it_can_touch() -> None:
    made = Page(render_page([msgspec.structs.replace(run(), judge=reader())]))
    assert "Of 100 replies that commit to an answer it reads 93 [87, 96] rightly" in made.words
    assert "3.1 % of all scored replies (40) rest on its word, the others not." in made.words
    assert "at most 0.9 % are misread" in made.words
    assert "#trust" in [attrs.get("href") for _, attrs in made.tags]


def test_a_judge_that_decided_nothing_has_no_card() -> None:
    assert reader_card(None) is None
    assert reader_card(reader(decided=0)) is None
    assert reader_card(reader(trust=None)) is None
    assert "How far the judge" not in render_page([msgspec.structs.replace(run(), judge=reader(decided=0))])


def test_the_prompt_and_names_are_clipped_on_the_card() -> None:
    card = review_cards(review(trust=[trust(model="m/" + "x" * 9_000, prompt_hash="p")]))[0]
    assert len(card.model) == 200 and len(card.standing) < 1300

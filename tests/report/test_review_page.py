from __future__ import annotations

import re
from collections.abc import Callable

import msgspec
import pytest

from fiducial.report.review_page import review_page
from fiducial.report.review_words import unknown_errors
from fiducial.review.finding import Finding
from fiducial.review.output import Judged
from fiducial.review.readiness import Readiness, Step
from fiducial.review.result import NoRecall, Precision, ReviewResult
from fiducial.run.audit import Check
from tests.report.judges import STATES, corrected_review
from tests.report.parsed import Page, cells
from tests.report.review_hostile import DOCUMENT, hostile_outputs, hostile_review
from tests.report.review_support import TEXT, item, many, output, recall, review, reviewer, several, unjudged

# What holds for any page of ours is tested once, and holds for this one: the functions take the fixture `html`.
from tests.report.test_page import (  # noqa: F401
    test_a_page_asks_for_nothing_from_outside,
    test_a_page_is_well_formed_and_can_be_written,
    test_every_table_has_a_caption_and_every_header_a_scope,
    test_headings_go_down_one_step_at_a_time,
    test_ids_are_unique_and_every_link_inside_leads_somewhere,
    test_no_attribute_runs_a_script,
    test_no_number_is_missing_by_name,
    test_nothing_hostile_comes_through_unescaped,
    test_the_policy_names_the_one_script_by_its_hash,
)

READY = Readiness(
    dataset="d",
    reviewer="r",
    model=None,
    judge=None,
    steps=(Step(id="gates", title="gates enforceable", state="done", seen="every step before it is there"),),
)


def page(result: ReviewResult | None = None, **options: bool) -> str:
    return review_page(result or review(), several(), {"export": TEXT}, **options)  # type: ignore[arg-type]


def hostile() -> str:
    (known, *_) = hostile_outputs()
    return review_page(hostile_review(), hostile_outputs(), {known.document: DOCUMENT})


CASES: dict[str, Callable[[], str]] = {
    "normal": page,
    "ready": lambda: review_page(review(), several(), {"export": TEXT}, readiness=[READY]),
    "no texts": lambda: page(texts=False),
    "hostile": hostile,
    "unjudged": lambda: review_page(unjudged(), [output(), output(run=1, status="empty")], {"export": TEXT}),
    "no text of the document": lambda: review_page(review(), several(), {}),
    "empty document": lambda: review_page(review(), several(), {"export": ""}),
    "nothing": lambda: review_page(review([], reviewers=[], documents=[], settings={}), [], {}),
    **{state: lambda state=state: page(corrected_review(state)) for state in STATES},  # type: ignore[misc]
    "ten reviewers": lambda: review_page(
        review(reviewers=[reviewer(f"reviewer-{k}", several()[: k % 3 + 1]) for k in range(10)]),
        several(),
        {"export": TEXT},
    ),
}


@pytest.fixture(scope="module", params=CASES)
def html(request: pytest.FixtureRequest) -> str:
    return CASES[request.param]()


def test_the_head_says_precision_recall_and_the_gate_in_words() -> None:
    words = Page(page()).words
    assert "5 findings were judged, 2 genuine, 2 borderline and 1 not genuine. That is a precision of 60 %" in words
    assert "(95 % interval 43 % to 74 %; for these documents only)" in words
    assert "1 output has no finding (1 saying that there is nothing to find): it scores 0 %" in words
    assert "It found 2 of 2 must-finds in at least one run; over all runs, 4 of 6 times (67 %)." in words
    assert "✕ The gate failed MF-9 is missed: 0 of 6 runs" in words


def test_a_judge_without_calibration_is_called_that() -> None:
    assert (
        "This judge (openai/gpt-5-mini) is not fit to judge as it stands: it has no calibration"
        in Page(page()).words
    )
    assert unknown_errors(corrected_review("calibrated")) == ""
    assert "No judge was asked" in unknown_errors(unjudged())


def test_a_judge_that_is_the_subject_is_named_at_the_top() -> None:
    words = Page(page(review(audit=[Check("judge-is-subject", "warn", "the judge is the subject itself")]))).words
    assert words.index("the judge is the subject itself") < words.index("Checks on the run")


def test_the_tables_hold_the_numbers_of_the_result() -> None:
    tables = Page(page()).tables
    [name] = [caption for caption in tables if caption.startswith("Precision, with 95 % intervals")]
    first = cells(tables[name][1])
    assert first == ["assumption-hunter", "60 % [43 %, 74 %]", "5", "2", "2", "1", "0", "0", "48 %"]
    severities = [cells(row)[:3] for row in tables["By stated severity"][1:4]]
    assert severities == [["Critical", "100 %", "1"], ["Important", "67 %", "3"], ["Minor", "0 %", "1"]]
    assert cells(tables["Why findings were not genuine"][1])[:2] == ["implementation detail", "1"]
    assert cells(tables["Precision by stated confidence"][1]) == ["50 % to 60 %", "55 %", "40 %", "4"]


def test_must_finds_stand_run_by_run_with_words_beside_the_signs() -> None:
    rows = [cells(row) for row in Page(page()).tables["Must-finds of assumption-hunter, run by run"]]
    assert rows[1] == [
        "The retention period is stated twice, differently MF-1 · Critical",
        "●run 1: found. ◐run 2: partly: counts as not found. ○run 3: not found.",
        "1 of 3",
        "33 % [6 %, 79 %]",
        "80 %",
        "≈ inconclusive: 4 more runs at this rate would decide 1 partly",
    ]
    assert rows[2][-1] == "✓ met at 3 of 3"


def test_fewer_than_three_runs_enforce_nothing() -> None:
    one = reviewer("r", several()[:1], recall=recall(item(by_run=("found", "invalid"))))
    words = Page(page(review(reviewers=[one]))).words
    assert "not enforced: fewer than 3 runs" in words
    assert "1 run without a verdict" in words


def test_without_a_list_there_is_a_reason_and_no_number() -> None:
    words = Page(page(review(reviewers=[reviewer("r", several()[:1], recall=NoRecall("there is no list"))]))).words
    assert "There is no recall: there is no list" in words
    assert "Must-finds of r, run by run" not in words


def test_where_one_scorer_fails_the_other_is_shown_and_the_failure_named() -> None:
    broken = {"reverse_judge_precision": "ZeroDivisionError: x"}
    one = reviewer("r", several()[:1], precision=Precision.unknown(), errors=broken)
    words = Page(page(review(reviewers=[one]))).words
    assert "r : precision could not be computed (ZeroDivisionError: x)." in words
    assert "It found 2 of 2 must-finds" in words


def test_outputs_without_findings_are_named_beside_their_document() -> None:
    words = Page(page()).words
    assert "assumption-hunter , run 3: says that there is nothing to find. It scores 0 %" in words


def test_an_incomplete_run_says_what_it_lacks() -> None:
    words = Page(page(review(complete=False, answered=31, waiting=4))).words
    assert "incomplete: 2 of 33 outputs have no reply, 4 questions to the judge have no answer." in words


def test_cost_is_split_and_the_cached_share_told() -> None:
    rows = [cells(row) for row in Page(page()).tables["Cost and tokens of reviewer and judge"]]
    assert rows[1] == ["Reviewer", "$0.12", "61,200", "18,443", "0", "0 %"]
    assert rows[2] == ["Judge", "not known", "912,004", "30,112", "780,330", "86 %"]


def test_tokens_counted_for_the_whole_run_are_a_row() -> None:
    made = review(
        tokens={"input": 10, "output": 2, "prompts": {"largest": 7}}, cost={"reviewer": 1.0, "judge": 0.5}
    )
    result = Page(page(made))
    assert cells(result.tables["Cost and tokens of reviewer and judge"][3])[:4] == ["Whole run", "$1.50", "10", "2"]
    assert "prompts, largest: 7" in result.words


def test_without_texts_neither_document_nor_finding_is_on_the_page() -> None:
    html = page(texts=False)
    for text in ("Retention contradicts", "Exports are kept", "State one period", "The retention period is stated"):
        assert text in page()
        assert text not in html
    assert "left out of this page on request" in html
    assert "MF-1" in html


def test_readiness_is_shown_where_it_is_given() -> None:
    assert "gates enforceable" in CASES["ready"]()
    assert "gates enforceable" not in page()


def test_everything_a_note_says_is_there() -> None:
    words = Page(page()).words
    for text in (
        "Judge’s reason The two periods differ.",
        "Evidence Exports are kept for 30 days",
        "Said to be absent a retention period for exports at rest",
        "A search for it came upon",
        "Category implementation detail",
        "Judge’s confidence 90 %",
        "Why it matters Somebody will delete",
        "Suggestion State one period.",
        "Why there is no verdict it was not one JSON object",
        "Must-find MF-1 (found)",
        "Must-find MF-1 (partly: counts as not found)",
    ):
        assert text in words


def test_a_title_of_a_megabyte_is_cut_and_the_page_stays_small() -> None:
    html = hostile()
    assert len(html) < 600_000
    assert "996,000 characters left out" in Page(html).words


def test_a_large_run_gives_a_page_that_can_be_opened_and_says_what_it_leaves_out() -> None:
    outputs, documents = many(20, 300)
    html = review_page(review(outputs), outputs, documents)
    assert len(html.encode()) < 15_000_000
    assert html.count('<details class="finding ') == 6000
    assert "of each text in a note at most" in html
    more = [msgspec.structs.replace(one, run=one.run + 9) for one in outputs[:12]]
    html = review_page(review(outputs), [*outputs, *more], documents)
    assert "600 findings are not shown (at most 300 a document, those of the first runs)" in html


def test_the_same_result_gives_the_same_page() -> None:
    assert page() == page()


def test_every_verdict_and_reviewer_can_be_hidden() -> None:
    html = page()
    for box in ("show-g", "show-b", "show-n", "show-i", "show-u", "by-0", "by-1"):
        assert f'type="checkbox" id="{box}" checked' in html
        assert f"#{box}:not(:checked)" in html
    looks = set(re.findall(r'class="finding (\w) by(\d)"', html))
    assert looks == {("g", "0"), ("b", "0"), ("n", "0"), ("g", "1"), ("n", "1"), ("i", "1"), ("u", "1")}


def test_a_finding_that_says_nothing_has_a_name_all_the_same() -> None:
    html = review_page(review(), [output(Judged(number=1, finding=Finding(title=" ")))], {"export": TEXT})
    assert "(no title)" in html

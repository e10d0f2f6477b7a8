"""The judges of a panel, in the terminal and on the page."""

from __future__ import annotations

import io
from collections.abc import Callable

import msgspec
import pytest
from rich.cells import cell_len
from rich.console import Console

from fiducial.judge.panel import Agreement, Pair
from fiducial.report.review_page import review_page
from fiducial.report.review_terminal import show_review
from fiducial.review.result import Disagreement, Panel, ReviewResult, Seat
from fiducial.stats.estimate import Estimate, Withheld
from tests.report.hostile import HOSTILE
from tests.report.parsed import Page, cells
from tests.report.review_support import TEXT, review, several

# What holds for any page of ours holds for one with a panel: the functions take the fixture `html`.
from tests.report.test_page import (  # noqa: F401
    test_a_page_asks_for_nothing_from_outside,
    test_a_page_is_well_formed_and_can_be_written,
    test_every_table_has_a_caption_and_every_header_a_scope,
    test_headings_go_down_one_step_at_a_time,
    test_ids_are_unique_and_every_link_inside_leads_somewhere,
    test_no_attribute_runs_a_script,
    test_no_number_is_missing_by_name,
    test_nothing_hostile_comes_through_unescaped,
)

MODELS = ("openai/gpt-5-mini", "anthropic/claude-sonnet-4-5", "openai-api/a-gateway/some-vendor/model-of-theirs")


def seat(model: str, **fields: object) -> Seat:
    filled: dict[str, object] = {
        "asked": 46,
        "genuine": {"genuine": 30, "not_genuine": 9, "borderline": 1},
        "match": {"found": 4, "not_found": 1},
        "invalid": 1,
        "waiting": 0,
        "apart": 3,
        "calls": 47,
        "input_tokens": 90_000,
        "output_tokens": 4_000,
        "cost": 0.123,
    }
    return Seat(model=model, **(filled | fields))  # type: ignore[arg-type]


def estimate(value: float) -> Estimate:
    return Estimate(value=value, low=value - 0.2, high=value + 0.1, n=12, method="made up")


def disagreement(**fields: object) -> Disagreement:
    filled: dict[str, object] = {
        "task": "genuine",
        "document": "export",
        "reviewer": "assumption-hunter",
        "runs": [1],
        "title": "Retention contradicts itself",
        "item": None,
        "votes": dict(zip(MODELS, ("genuine", "not_genuine", "invalid"), strict=True)),
        "verdict": "borderline",
    }
    return Disagreement(**(filled | fields))  # type: ignore[arg-type]


def panel(**fields: object) -> Panel:
    pairs = [
        Pair(
            first=MODELS[0],
            second=MODELS[1],
            questions=40,
            agreed=33,
            agreement=estimate(0.83),
            kappa=estimate(0.62),
        ),
        Pair(
            first=MODELS[1],
            second=MODELS[2],
            questions=39,
            agreed=39,
            agreement=estimate(0.9),
            kappa=Withheld("both gave every question the same verdict"),
        ),
    ]
    filled: dict[str, object] = {
        "name": " + ".join(sorted(MODELS)),
        "seats": [seat(MODELS[0]), seat(MODELS[1], waiting=2, cost=None), seat(MODELS[2], apart=0)],
        "agreement": {
            "genuine": Agreement(questions=41, alike=30, unit="claim", unanimous=estimate(0.73), pairs=pairs)
        },
        "divided": 12,
        "disagreements": [
            disagreement(),
            disagreement(task="match", item="MF-1", verdict="invalid", runs=[0, 2, 3]),
        ],
        "left_off": 7,
    }
    return Panel(**(filled | fields))  # type: ignore[arg-type]


def hostile() -> Panel:
    names = [f"py/{HOSTILE}{k}" for k in range(3)]
    votes = dict.fromkeys(names, HOSTILE)
    return panel(
        name=HOSTILE,
        seats=[seat(name, genuine={HOSTILE: 3}) for name in names],
        agreement={
            HOSTILE: Agreement(
                questions=1,
                alike=0,
                unit=HOSTILE,
                unanimous=Withheld(HOSTILE),
                pairs=[
                    Pair(
                        first=names[0],
                        second=names[2],
                        questions=1,
                        agreed=0,
                        agreement=Withheld(HOSTILE),
                        kappa=Withheld(HOSTILE),
                    )
                ],
            )
        },
        disagreements=[
            disagreement(
                task=HOSTILE,
                document=HOSTILE,
                reviewer=HOSTILE,
                title=HOSTILE * 400,
                item=HOSTILE,
                votes=votes,
                verdict=HOSTILE,
            )
        ],
    )


def judged(by: Panel | None) -> ReviewResult:
    return msgspec.structs.replace(review(), panel=by)


def page(by: Panel | None, *, texts: bool = True) -> str:
    return review_page(judged(by), several(), {"export": TEXT}, texts=texts)


def shown(by: Panel | None, width: int = 80) -> str:
    file = io.StringIO()
    show_review(judged(by), Console(file=file, width=width))
    return file.getvalue()


CASES: dict[str, Callable[[], Panel]] = {
    "normal": panel,
    "hostile": hostile,
    "agreed": lambda: panel(divided=0, disagreements=[], left_off=0),
    "nothing asked": lambda: panel(
        seats=[seat(name, asked=0, genuine={}, match={}, calls=0) for name in MODELS],
        agreement={},
        divided=0,
        disagreements=[],
        left_off=0,
    ),
    "many": lambda: panel(disagreements=[disagreement(runs=[k]) for k in range(50)]),
}


@pytest.fixture(scope="module", params=CASES)
def html(request: pytest.FixtureRequest) -> str:
    return page(CASES[request.param]())


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("width", [80, 120])
def test_no_line_is_wider_than_the_screen_and_none_has_codes(case: str, width: int) -> None:
    text = shown(CASES[case](), width)
    assert all(sign not in text for sign in "\x1b\x07\x9b\x00\u202e\u2066\ud800")
    assert all(cell_len(line) <= width for line in text.splitlines())


def test_a_console_that_knows_only_ascii_is_served() -> None:
    for case in CASES.values():
        file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
        show_review(judged(case()), Console(file=file, width=80))
        file.flush()


def test_a_single_judge_is_no_panel() -> None:
    assert "The judges" not in shown(None) and "The judges" not in page(None)


def test_the_terminal_says_what_each_judge_did_and_how_far_they_agree() -> None:
    text = " ".join(shown(panel(), 120).split())
    assert "The judges 3 seats, more than half decide; apart: other than the panel decided" in text
    assert "1 openai/gpt-5-mini 30 1 9 4 of 5 1 3 47 $0.12" in text
    assert "4 of 5 1 3 47 not known" in text
    assert "Agreement on findings unanimous 73 % [53 %, 83 %] of 41 questions on 12 claims" in text
    assert "1 and 2: kappa 0.62 [0.42, 0.72], same verdict 83 % [63 %, 93 %] of 40" in text
    assert "2 and 3: no kappa (both gave every question the same verdict), same verdict 90 %" in text
    assert "Disagreements on 12 questions" in text and "and 7 more" in text
    assert "export, assumption-hunter, run 2: Retention contradicts itself" in text
    assert "genuine by 1; not genuine by 2; no verdict by 3. Panel: borderline" in text
    assert "export, assumption-hunter, 3 runs, MF-1: Retention" in text and "Panel: no majority" in text


def test_long_lists_are_cut_in_the_terminal_and_counted() -> None:
    text = shown(CASES["many"]())
    assert text.count("Retention contradicts itself") == 12 and "and 45 more" in text


def test_the_page_has_the_same_numbers() -> None:
    found = Page(page(panel()))
    rows = [
        cells(row)
        for row in found.tables[
            "What every judge said, and what it cost; “apart” are its verdicts that are not the panel’s"
        ]
    ]
    assert rows[0] == [
        *("Judge", "Genuine", "Borderline", "Not genuine", "Found", "No verdict", "Apart", "Calls", "Cost"),
    ]
    assert rows[1] == ["1 openai/gpt-5-mini", "30", "1", "9", "4 of 5", "1", "3", "47", "$0.12"]
    assert rows[2][5:] == ["1 (2 not asked yet)", "3", "47", "not known"]
    (caption,) = [name for name in found.tables if name.startswith("Agreement on findings")]
    assert caption.endswith("unanimous 73 % [53 %, 83 %] of 41 questions on 12 claims")
    assert cells(found.tables[caption][1]) == ["1 and 2", "0.62 [0.42, 0.72]", "83 % [63 %, 93 %]", "40"]
    assert cells(found.tables[caption][2])[1] == "no kappa (both gave every question the same verdict)"
    assert cells(found.tables["Where the judges disagree"][1]) == [
        "export, assumption-hunter, run 2",
        "Retention contradicts itself",
        "genuine by 1; not genuine by 2; no verdict by 3. Panel: borderline",
    ]
    assert "12 questions on which they disagree" in found.words and "And 7 more that are not listed" in found.words
    assert "They never disagree" in Page(page(CASES["agreed"]())).words


def test_without_texts_no_title_is_on_the_page() -> None:
    html = page(panel(), texts=False)
    assert "Retention contradicts itself" not in html and "genuine by 1; not genuine by 2" in html

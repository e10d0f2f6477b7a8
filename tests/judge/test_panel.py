"""What a panel decides from its votes, and how far its members agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from fiducial.errors import UsageError
from fiducial.judge.case import CaseVerdict, Task
from fiducial.judge.genuine import GenuineLabel, GenuineVerdict
from fiducial.judge.match import MatchLabel, MatchVerdict
from fiducial.judge.panel import (
    Row,
    agreement,
    members,
    panel_case,
    panel_genuine,
    panel_match,
    panel_name,
)
from fiducial.judge.verdict import Invalid
from fiducial.stats.estimate import Estimate, Withheld

FAILED = Invalid("it was empty")


def genuine(label: GenuineLabel, *, who: str = "x", confidence: float = 0.8) -> GenuineVerdict:
    return GenuineVerdict(
        verdict=label,
        evidence=f"evidence of {who}",
        reason=f"reason of {who}",
        category=None if label == "genuine" else f"category of {who}",
        confidence=confidence,
    )


def matched(label: MatchLabel, number: int = 1) -> MatchVerdict:
    if label == "not_found":
        return MatchVerdict(verdict=label, finding=None)
    return MatchVerdict(verdict=label, finding=number, quotation=f"words of {number}")


def genuine_votes(labels: Sequence[str]) -> list[GenuineVerdict | Invalid | None]:
    return [FAILED if label == "failed" else genuine(cast("GenuineLabel", label)) for label in labels]


def match_votes(labels: Sequence[str]) -> list[MatchVerdict | Invalid | None]:
    """The n-th seat points at the n-th finding."""
    return [
        FAILED if label == "failed" else matched(cast("MatchLabel", label), place)
        for place, label in enumerate(labels, 1)
    ]


def label_of(verdict: GenuineVerdict | MatchVerdict | Invalid | None) -> str | None:
    return verdict.verdict if isinstance(verdict, GenuineVerdict | MatchVerdict) else None


seats = st.lists(st.sampled_from([*get_args(GenuineLabel), "failed"]), min_size=2, max_size=9)
looked = st.lists(st.sampled_from([*get_args(MatchLabel), "failed"]), min_size=2, max_size=9)


@given(seats)
def test_a_finding_is_what_a_strict_majority_of_all_seats_says_it_is(labels: list[str]) -> None:
    found = panel_genuine(genuine_votes(labels))
    for label in get_args(GenuineLabel):  # the rule, written out
        if sum(one == label for one in labels) > len(labels) / 2:
            assert isinstance(found, GenuineVerdict) and found.verdict == label
            return
    if "genuine" in labels and "not_genuine" in labels:
        assert isinstance(found, GenuineVerdict) and found.verdict == "borderline"
    else:
        assert isinstance(found, Invalid)


@given(looked)
def test_a_must_find_is_found_where_a_strict_majority_of_all_seats_found_it(labels: list[str]) -> None:
    found = panel_match(match_votes(labels))
    yes, partly, no = (labels.count(label) for label in ("found", "partly", "not_found"))
    half = len(labels) / 2
    if yes > half:
        assert isinstance(found, MatchVerdict) and found.verdict == "found"
        assert found.finding == labels.index("found") + 1 and found.quotation == f"words of {found.finding}"
    elif partly + no > half:
        assert isinstance(found, MatchVerdict) and found.verdict in ("partly", "not_found")
        assert (found.verdict == "partly") == (partly >= no and partly > 0)
        if found.verdict == "partly":
            assert found.finding == labels.index("partly") + 1
    elif yes and partly + no:
        assert isinstance(found, MatchVerdict) and found.verdict == "partly"  # and counts as not found
        assert found.finding == labels.index("found") + 1
    else:
        assert isinstance(found, Invalid)


@given(seats, looked)
def test_the_order_of_the_seats_does_not_change_the_verdict(labels: list[str], found: list[str]) -> None:
    assert label_of(panel_genuine(genuine_votes(labels))) == label_of(panel_genuine(genuine_votes(labels[::-1])))
    assert label_of(panel_match(match_votes(found))) == label_of(panel_match(match_votes(found[::-1])))


@given(st.sampled_from(["genuine", "match"]), st.data())
def test_a_panel_judges_the_cases_of_a_calibration_as_it_judges_a_run(task: Task, data: st.DataObject) -> None:
    labels = data.draw(seats if task == "genuine" else looked)
    scores = {"genuine": 1.0, "found": 1.0, "borderline": 0.5}
    cases = [
        FAILED
        if label == "failed"
        else CaseVerdict(score=scores.get(label, 0.0), said=label, between=label in ("borderline", "partly"))
        for label in labels
    ]
    found = panel_case(task, cases)
    said = label_of(panel_genuine(genuine_votes(labels)) if task == "genuine" else panel_match(match_votes(labels)))
    if said is None:
        assert isinstance(found, Invalid)
    else:
        assert isinstance(found, CaseVerdict)
        assert (found.said, found.score) == (said, scores.get(said, 0.0))
        assert found.between == (said in ("borderline", "partly"))


@pytest.mark.parametrize(
    ("votes", "said"),
    [
        (("A", "A", "B"), "A"),
        (("A", "B", "C"), None),
        (("A", "A", None), "A"),
        (("A", None, None), None),
        (("A", "A", "B", "B"), None),
    ],
)
def test_a_panel_reads_the_answer_that_most_of_its_seats_read(
    votes: Sequence[str | None], said: str | None
) -> None:
    found = panel_case("read", [FAILED if vote is None else CaseVerdict(score=1.0, said=vote) for vote in votes])
    assert isinstance(found, Invalid) if said is None else isinstance(found, CaseVerdict) and found.said == said


def test_what_cannot_be_between_is_half_a_yes_in_a_calibration() -> None:
    yes, no = CaseVerdict(score=1.0, said="found", confidence=0.9), CaseVerdict(score=0.0, said="not_found")
    found = panel_case("zero_shot", [yes, no])
    assert isinstance(found, CaseVerdict) and (found.score, found.between, found.confidence) == (0.5, True, 0.9)


def test_a_panel_of_one_is_its_judge() -> None:
    for vote in (genuine("not_genuine", confidence=0.1 + 0.2), FAILED, None):
        assert panel_genuine([vote]) is vote
    assert panel_genuine([]) is None and panel_match([]) is None and panel_case("genuine", []) is None


def test_without_any_reply_there_is_no_verdict_yet_and_with_some_the_rest_count_as_failed() -> None:
    assert panel_genuine([None, None, None]) is None and panel_match([None, None]) is None
    (said,) = [panel_genuine([genuine("genuine"), None, None])]
    assert isinstance(said, Invalid) and said.reason == "no majority of the 3 judges: 1 genuine, 2 not asked yet"
    both = panel_genuine([genuine("genuine"), genuine("genuine"), None])
    assert isinstance(both, GenuineVerdict) and both.verdict == "genuine"


def test_evidence_and_reason_are_those_of_the_first_seat_behind_the_verdict() -> None:
    found = panel_genuine(
        [
            genuine("genuine", who="a"),
            genuine("not_genuine", who="b", confidence=0.6),
            genuine("not_genuine", who="c", confidence=0.9),
        ]
    )
    assert isinstance(found, GenuineVerdict)
    assert (found.verdict, found.evidence, found.category) == ("not_genuine", "evidence of b", "category of b")
    assert found.confidence == pytest.approx(0.75)


def test_where_the_judges_are_divided_the_verdict_says_so() -> None:
    found = panel_genuine([genuine("not_genuine", who="a"), genuine("genuine", who="b"), FAILED])
    assert isinstance(found, GenuineVerdict) and found.verdict == "borderline" and found.category is None
    assert found.evidence == "evidence of b"
    assert found.reason == (
        "The judges are divided: 1 not genuine, 1 genuine, 1 without a verdict. One that says genuine: reason of b"
    )
    none = panel_match([FAILED, matched("found"), Invalid("it was too long")])
    assert none == Invalid("no majority of the 3 judges: 2 without a verdict, 1 found (it was empty)")


def test_a_panel_has_one_name_whatever_the_order_and_can_be_called_by_it() -> None:
    assert panel_name(["py/b", "py/a"]) == panel_name(["py/a", "py/b"]) == "py/a + py/b"
    assert panel_name(["py/a"]) == "py/a"
    assert members(["py/b", "py/a"]) == ("py/b", "py/a")
    assert members(["py/a + py/b", "sim/c"]) == ("py/a", "py/b", "sim/c")
    assert members(["local/a + b.gguf"]) == ("local/a + b.gguf",)  # the name of a file
    assert members([]) == ()


@pytest.mark.parametrize(
    "names", [["py/a", "py/a"], ["py/a + py/b", "py/b"], ["xai/grok-4", "grok/grok-4"], ["none", "none"]]
)
def test_a_model_cannot_have_two_seats(names: list[str]) -> None:
    with pytest.raises(UsageError, match="given twice"):
        members(names)


def rows(first: Sequence[str], *others: Sequence[str]) -> list[Row]:
    return [list(row) for row in zip(first, *others, strict=True)]


@pytest.mark.parametrize("seed", range(5))
def test_kappa_is_that_of_statsmodels(seed: int) -> None:
    rng, labels = np.random.default_rng(seed), ["yes", "no", "between"]
    first = rng.choice(labels, size=90, p=[0.5, 0.4, 0.1])
    second = np.where(rng.random(90) < 0.6, first, rng.choice(labels, size=90))
    table = np.array([[np.sum((first == a) & (second == b)) for b in labels] for a in labels])
    (pair,) = agreement(["a", "b"], rows(first, second), range(90), unit="claim", seed=1).pairs  # type: ignore[arg-type]
    assert isinstance(pair.kappa, Estimate) and isinstance(pair.agreement, Estimate)
    assert pair.kappa.value == pytest.approx(cohens_kappa(table).kappa)
    assert pair.agreement.value == pytest.approx(np.trace(table) / 90) and pair.agreed == np.trace(table)
    assert pair.kappa.low < pair.kappa.value < pair.kappa.high


def test_seats_without_a_verdict_are_in_no_pair_and_never_unanimous() -> None:
    given: list[Row] = [
        ["yes", "yes", "yes"],
        ["yes", "yes", FAILED],
        ["no", "yes", "no"],
        [FAILED, FAILED, FAILED],
        ["no", "no", None],  # the third has not been asked yet
    ]
    found = agreement(["a", "b", "c"], given, range(5), unit="claim", seed=1)
    assert (found.questions, found.alike) == (4, 1)
    assert isinstance(found.unanimous, Estimate) and found.unanimous.value == 0.25
    pairs = {(pair.first, pair.second): (pair.agreed, pair.questions) for pair in found.pairs}
    assert pairs == {("a", "b"): (3, 4), ("a", "c"): (2, 2), ("b", "c"): (1, 2)}


def test_agreement_that_says_nothing_is_withheld_with_the_reason() -> None:
    same = agreement(["a", "b"], [["yes", "yes"]] * 5, range(5), unit="claim", seed=1).pairs[0]
    assert isinstance(same.kappa, Withheld) and "beyond chance" in same.kappa.withheld
    assert isinstance(same.agreement, Estimate) and same.agreement.value == 1 and same.agreement.low < 1
    none = agreement(["a", "b"], [["yes", FAILED]], [0], unit="claim", seed=1)
    assert isinstance(none.pairs[0].kappa, Withheld) and isinstance(none.pairs[0].agreement, Withheld)
    assert isinstance(none.unanimous, Estimate) and none.unanimous.value == 0  # one was asked, and it is not
    empty = agreement(["a", "b"], [], [], unit="claim", seed=1)
    assert isinstance(empty.unanimous, Withheld) and empty.questions == 0
    assert isinstance(agreement(["a", "b"], [["yes", "no"]], [0], unit="claim", seed=1).pairs[0].kappa, Withheld)


def test_full_agreement_is_not_certain_and_repeated_claims_are_not_news() -> None:
    labels = ["yes", "no"] * 20
    alone = agreement(["a", "b"], rows(labels, labels), range(40), unit="claim", seed=1).pairs[0].kappa
    again = (
        agreement(["a", "b"], rows(labels, labels), [k // 8 for k in range(40)], unit="claim", seed=1)
        .pairs[0]
        .kappa
    )
    assert isinstance(alone, Estimate) and isinstance(again, Estimate)
    assert alone.value == again.value == 1.0 and (alone.n, again.n) == (40, 5)
    assert again.low < alone.low < 1.0


def test_the_interval_of_kappa_holds_the_true_one() -> None:
    """Two judges with sensitivity .85 and .75, specificity .8 and .9, on findings half of which are genuine; every
    claim is made in three runs, and judged alike in two thirds of them."""
    rng = np.random.default_rng(7)
    rates = ((0.85, 0.8), (0.75, 0.9))
    yes = [[sensitivity, 1 - specificity] for sensitivity, specificity in rates]
    both = 0.5 * (yes[0][0] * yes[1][0] + yes[0][1] * yes[1][1])
    neither = 0.5 * ((1 - yes[0][0]) * (1 - yes[1][0]) + (1 - yes[0][1]) * (1 - yes[1][1]))
    shares = [0.5 * sum(own) for own in yes]
    chance = shares[0] * shares[1] + (1 - shares[0]) * (1 - shares[1])
    truth = (both + neither - chance) / (1 - chance)
    held = 0
    for _ in range(200):
        label = rng.random(40) < 0.5
        votes = []
        for sensitivity, specificity in rates:
            chances = np.where(label, sensitivity, 1 - specificity)
            once = rng.random(40) < chances
            fresh = rng.random((3, 40)) < chances
            votes.append(np.where(rng.random((3, 40)) < 2 / 3, once, fresh).T.ravel())
        table = rows(*[["yes" if vote else "no" for vote in own] for own in votes])
        kappa = agreement(["a", "b"], table, [k // 3 for k in range(120)], unit="claim", seed=1).pairs[0].kappa
        assert isinstance(kappa, Estimate)
        held += kappa.low <= truth <= kappa.high
    assert 0.91 <= held / 200 <= 0.995

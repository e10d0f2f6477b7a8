from __future__ import annotations

from typing import Any

import msgspec
import pytest

from fiducial.judge.applied import Applied
from fiducial.review.dataset import MustFind
from fiducial.review.gate import decide
from fiducial.review.recall import recall
from fiducial.review.result import Gate, NoRecall, Precision, Recall, ReviewerResult
from tests.review.test_recall import _outputs


def _precision(
    value: float | None = 0.7,
    low: float | None = 0.55,
    high: float | None = 0.82,
    corrected: Applied | None = None,
) -> Precision:
    return msgspec.structs.replace(Precision.unknown(), value=value, low=low, high=high, corrected=corrected)


def _mended(value: float = 0.7, low: float = 0.55, high: float = 0.82) -> Applied:
    return Applied(basis="labels", words="labels of people", value=value, low=low, high=high, decides=True)


def _recall(**letters: str) -> Recall:
    items = [MustFind(id=id, title=id, issue=id) for id in letters]
    found = recall(_outputs(**letters), {"d": items})
    assert isinstance(found, Recall)
    return found


def _reviewer(**changed: Any) -> ReviewerResult:
    given: dict[str, Any] = {
        "name": "scope-guardian",
        "runs": 3,
        "outputs": {"findings": 3},
        "precision": _precision(),
        "recall": _recall(m1="fff", m2="ffn"),
        "documents": [],
    }
    return ReviewerResult(**{**given, **changed})


def _decided(*, min_precision: float | None = None, strict: bool = False, **changed: Any) -> Gate:
    return decide([_reviewer(**changed)], min_precision=min_precision, strict=strict)


def test_a_reviewer_that_nothing_speaks_against_passes() -> None:
    assert _decided() == Gate(result="passed", why=[])


def test_an_inconclusive_item_fails_no_gate() -> None:
    found = _recall(m1="ffn", m2="fff")
    assert found.items[0].gate == "inconclusive"
    assert _decided(recall=found).result == "passed"


def test_too_few_detections_on_the_whole_list_fail_though_no_item_does_alone() -> None:
    found = _recall(**{f"m{k}": "fnn" for k in range(6)})
    assert found.list.missed == []
    gate = _decided(recall=found)
    assert gate.result == "failed"
    (why,) = gate.why
    assert why.startswith("scope-guardian: must-finds were found 6 times in 18 looks, where 14.4 are expected")
    assert why.endswith("below 0.05.")


def test_one_item_that_is_never_found_fails_though_the_list_is_fine() -> None:
    found = _recall(m1="nnn", **{f"m{k}": "fff" for k in range(2, 7)})
    assert found.list.p is not None and found.list.p > 0.05
    gate = _decided(recall=found)
    assert gate.result == "failed"
    assert gate.why == [
        "scope-guardian: must-find m1 of d was found in 0 of 3 runs; for an item at its min_recall of 0.8 that is too "
        "few (exact binomial, Holm-adjusted over the list, below 0.05)."
    ]


@pytest.mark.parametrize("status", ["empty", "malformed", "refused"])
def test_an_output_that_reviews_nothing_fails(status: str) -> None:
    gate = _decided(outputs={"findings": 2, status: 1})
    assert gate == Gate(result="failed", why=[f"scope-guardian: 1 of 3 outputs is {status}; a gate allows none."])


def test_an_output_that_says_it_found_nothing_is_not_held_against_the_reviewer_by_itself() -> None:
    assert _decided(outputs={"findings": 2, "explicit_none": 1}).result == "passed"


@pytest.mark.parametrize(
    ("bound", "strict", "result"),
    [
        (0.5, False, "passed"),
        (0.8, False, "passed"),
        (0.83, False, "failed"),
        (0.5, True, "passed"),
        (0.6, True, "failed"),
    ],
)
def test_precision_fails_when_shown_too_low_and_strictly_when_not_shown_high_enough(
    bound: float, strict: bool, result: str
) -> None:
    found = _precision(corrected=_mended() if strict else None)
    assert _decided(min_precision=bound, strict=strict, precision=found).result == result


def test_the_sentence_names_reviewer_figure_and_bound_and_never_rounds_one_onto_the_other() -> None:
    gate = _decided(min_precision=0.82, precision=_precision(high=0.8196))
    assert gate.why == [
        "scope-guardian: precision is 0.70 and its upper bound 0.8196, below the 0.82 that was asked for."
    ]
    strict = _decided(min_precision=0.6, strict=True, precision=_precision(corrected=_mended()))
    assert strict.why == [
        "scope-guardian: corrected precision is 0.70 and its lower bound 0.55, below the 0.6 that was asked for."
    ]


def test_corrected_precision_decides_where_it_may_and_a_range_never_does() -> None:
    low = _mended(value=0.3, low=0.2, high=0.4)
    assert _decided(min_precision=0.5, precision=_precision(corrected=low)).result == "failed"
    ranged = msgspec.structs.replace(low, decides=False, basis="planted")
    assert _decided(min_precision=0.5, precision=_precision(corrected=ranged)).result == "passed"
    strict = _decided(min_precision=0.5, strict=True, precision=_precision(corrected=ranged))
    assert strict.why == ["scope-guardian: there is no corrected precision to decide on: labels of people."]
    unknown = _decided(min_precision=0.5, strict=True)
    assert unknown.why == [
        "scope-guardian: there is no corrected precision to decide on: the judge's errors are not known."
    ]


def test_strict_asks_for_nothing_more_without_a_bound() -> None:
    assert _decided(strict=True).result == "passed"


def test_no_judged_finding_fails_a_bound_on_precision_and_only_that() -> None:
    nothing = _precision(None, None, None)
    assert _decided(precision=nothing).result == "passed"
    gate = _decided(precision=nothing, min_precision=0.1)
    assert gate.why == ["scope-guardian: there is no precision to hold against 0.1: no finding was judged."]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"recall": NoRecall("there is no list")}, "there is no list"),
        ({"recall": None}, "it was not computed"),
        (
            {"recall": NoRecall("it could not be"), "errors": {"must_find_recall": "KeyError: 'x'."}},
            "KeyError: 'x'",
        ),
    ],
)
def test_without_recall_a_gate_fails_with_the_reason(changed: dict[str, Any], reason: str) -> None:
    assert _decided(**changed) == Gate(
        result="failed", why=[f"scope-guardian: there is no recall to decide on: {reason}."]
    )


def test_an_item_that_no_run_has_a_verdict_on_fails_the_gate() -> None:
    """Else a judge that answers nothing would let everything pass."""
    gate = _decided(recall=_recall(m1="iii", m2="fff"))
    assert gate.why == [
        "scope-guardian: no run has a verdict on must-find m1, so nothing is known of it.",
    ]
    assert _decided(recall=_recall(m1="fff", m2="ffi")).result == "passed"


@pytest.mark.parametrize("letters", ["n", "f", "fn"])
def test_fewer_than_three_runs_pass_no_gate_whatever_they_found(letters: str) -> None:
    gate = _decided(recall=_recall(m1=letters))
    assert gate.result == "failed" and "fewer than 3 runs" in gate.why[0] and "m1" in gate.why[0]


def test_a_run_without_a_verdict_is_one_of_the_three() -> None:
    assert _decided(recall=_recall(m1="ffi", m2="fff")).result == "passed"


def test_an_item_of_another_document_with_the_same_id_is_not_named() -> None:
    items = {document: [MustFind(id="m1", title="t", issue="i")] for document in ("d", "e")}
    outputs = _outputs("d", m1="nnnnn") + _outputs("e", m1="fffff")
    gate = _decided(recall=recall(outputs, items))
    assert [why for why in gate.why if "must-find m1" in why] == [why for why in gate.why if "m1 of d" in why] != []


def test_without_the_must_finds_precision_and_outputs_decide_alone() -> None:
    found = _reviewer(recall=NoRecall("there is no list"))
    assert decide([found], min_precision=0.5, strict=False, must_finds=False).result == "passed"
    assert decide([found], min_precision=0.9, strict=False, must_finds=False).result == "failed"


def test_every_reason_of_every_reviewer_is_given() -> None:
    bad = _reviewer(outputs={"empty": 3}, precision=_precision(None, None, None), recall=_recall(m1="nnn"))
    other = msgspec.structs.replace(bad, name="prior-art-scout")
    gate = decide([_reviewer(), bad, other], min_precision=0.5, strict=False)
    assert [why.split(":")[0] for why in gate.why] == ["scope-guardian"] * 4 + ["prior-art-scout"] * 4
    assert all(why.endswith(".") for why in gate.why)


def test_nobody_to_decide_on_is_no_pass() -> None:
    assert decide([], min_precision=None, strict=False).result == "failed"

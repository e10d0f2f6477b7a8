from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.judge.genuine import GenuineVerdict
from fiducial.judge.verdict import Invalid
from fiducial.review.finding import Finding, Severity, Status
from fiducial.review.output import Judged, Output
from fiducial.review.precision import precision, share
from fiducial.review.result import Range

NAMES = {"g": "genuine", "b": "borderline", "n": "not_genuine"}


def _judged(
    letter: str,
    number: int = 1,
    *,
    title: str = "A finding",
    severity: Severity | None = None,
    confidence: float | None = None,
    category: str | None = None,
    duplicates: int = 0,
) -> Judged:
    """g, b, n: a verdict; i: an invalid one; anything else: no judge has answered."""
    verdict: Any = Invalid("it was empty") if letter == "i" else None
    if letter in NAMES:
        verdict = GenuineVerdict(
            verdict=NAMES[letter],  # type: ignore[arg-type]
            evidence="",
            reason="",
            category=category,
            confidence=1.0,
        )
    finding = Finding(title=title, severity=severity, confidence=confidence)
    return Judged(number=number, finding=finding, duplicates=(finding,) * duplicates, verdict=verdict)


def _output(letters: str, document: str = "d", run: int = 0, status: Status | None = None, **more: Any) -> Output:
    return Output(
        document=document,
        reviewer="r",
        run=run,
        status=status or ("findings" if letters else "explicit_none"),
        findings=tuple(
            _judged(letter, n, **{"title": f"{document} {n}", **more}) for n, letter in enumerate(letters, 1)
        ),
    )


def test_borderline_counts_half_and_both_extremes_stand_beside_it() -> None:
    found = precision([_output("ggbnnn")], seed=0)
    assert found.value == pytest.approx(2.5 / 6)
    assert (found.genuine, found.borderline, found.not_genuine, found.n) == (2, 1, 3, 6)
    assert found.borderline_out == pytest.approx(2 / 5)
    assert found.borderline_in == pytest.approx(3 / 6)


@pytest.mark.parametrize("missing", ["i", "-"])
def test_a_finding_without_a_verdict_is_in_no_share_and_bounds_say_what_it_could_do(missing: str) -> None:
    found = precision([_output("ggn" + missing)], seed=0)
    assert found.value == pytest.approx(2 / 3)
    assert (found.n, found.invalid) == (3, 1)
    assert found.invalid_bounds == Range(2 / 4, 3 / 4)


def test_an_output_without_findings_scores_zero_with_its_status_and_does_not_touch_the_pooled_value() -> None:
    outputs = [_output("gg"), _output("", run=1), _output("", run=2, status="refused"), _output("", status="empty")]
    found = precision(outputs, seed=0)
    assert (found.value, found.per_output_mean) == (1.0, 0.25)
    assert found.scored_zero == {"empty": 1, "explicit_none": 1, "refused": 1}


def test_only_empty_outputs_are_zero_on_the_mean_and_have_no_pooled_value() -> None:
    found = precision([_output("")], seed=0)
    assert (found.value, found.low, found.high, found.n, found.clusters) == (None, None, None, 0, 0)
    assert found.per_output_mean == 0.0
    assert (found.note, found.invalid_bounds, found.duplicate_rate, found.reliability) == (None, None, None, None)


def test_an_output_whose_findings_all_lack_a_verdict_is_left_out_of_the_mean() -> None:
    found = precision([_output("gn"), _output("i-", run=1)], seed=0)
    assert found.per_output_mean == 0.5
    assert precision([_output("ii")], seed=0).per_output_mean is None
    assert precision([_output("ii")], seed=0).invalid_bounds == Range(0.0, 1.0)
    assert precision([], seed=0).per_output_mean is None


def test_with_eight_documents_the_interval_is_by_document() -> None:
    found = precision([_output("gggn", f"d{k}") for k in range(7)] + [_output("gnnn", "d7")], seed=0)
    assert found.clusters == 8
    assert found.method.startswith("bootstrap by document")
    assert found.note is None
    assert found.low is not None and found.high is not None
    assert found.low < 0.6875 < found.high


def test_a_document_without_judged_findings_does_not_make_the_eighth() -> None:
    outputs = [_output("gn", f"d{k}") for k in range(7)]
    assert precision([*outputs, _output("", "d7")], seed=0).note == "for these documents only"
    assert precision([*outputs, _output("i", "d7")], seed=0).note == "for these documents only"
    assert precision([*outputs, _output("g", "d7")], seed=0).note is None


CLAIMS = (
    "No rollback for the cutover",
    "Retention of audit logs undefined",
    "Gateway has two owners",
    "Backups untested",
)


def _claims(document: str, run: int, letters: str = "ggnn") -> Output:
    findings = [_judged(letter, n, title=CLAIMS[n - 1]) for n, letter in enumerate(letters, 1)]
    return Output(document=document, reviewer="r", run=run, status="findings", findings=tuple(findings))


def test_with_fewer_documents_a_claim_repeated_in_every_run_is_one_cluster() -> None:
    one, ten = precision([_claims("d", 0)], seed=0), precision([_claims("d", run) for run in range(10)], seed=0)
    assert (one.clusters, ten.clusters) == (4, 4)
    assert (one.n, ten.n) == (4, 40)
    assert one.method.startswith("bootstrap by claim")
    assert precision([_claims("d", 0, "gggg")], seed=0).method == "Wilson on 4 claims that are all alike"
    assert one.low is not None and ten.low is not None
    assert ten.low == pytest.approx(one.low, abs=0.02)  # saying it ten times adds no information


def test_the_same_words_about_another_document_are_another_cluster() -> None:
    assert precision([_claims("d", 0), _claims("e", 0)], seed=0).clusters == 8


def test_severities_come_in_order_each_with_its_share() -> None:
    outputs = [_output("gn", severity="Minor"), _output("g", severity="Critical"), _output("i", severity=None)]
    found = precision(outputs, seed=0).by_severity
    assert list(found) == ["Critical", "Minor", "not stated"]
    assert (found["Minor"].value, found["Minor"].n) == (0.5, 2)
    assert (found["not stated"].value, found["not stated"].invalid) == (None, 1)


def test_categories_are_those_of_findings_that_are_not_genuine() -> None:
    outputs = [_output("nng", category="style"), _output("n", category="hypothetical"), _output("n")]
    assert precision(outputs, seed=0).by_category == {"style": 2, "hypothetical": 1, "not named": 1}


def test_stated_confidence_is_compared_with_precision_in_bins() -> None:
    outputs = [
        _output("gggn", confidence=0.9),
        _output("nn", confidence=0.5),
        _output("g"),
        _output("i", confidence=1),
    ]
    found = precision(outputs, seed=0).reliability
    assert found is not None
    assert found.n == 6
    assert [(b.low, b.high, b.n) for b in found.bins] == [(0.4, 0.6, 2), (0.8, 1.0, 4)]
    assert found.error == pytest.approx((4 * 0.15 + 2 * 0.5) / 6)


def test_certainty_falls_into_the_last_bin() -> None:
    found = precision([_output("g", confidence=1.0), _output("n", confidence=0.0)], seed=0).reliability
    assert found is not None
    assert [(b.low, b.high) for b in found.bins] == [(0.0, 0.2), (0.8, 1.0)]
    assert found.error == 0.0


def test_duplicates_are_counted_once_with_their_rate_beside() -> None:
    found = precision([_output("g", duplicates=2), _output("n")], seed=0)
    assert (found.value, found.n, found.duplicates) == (0.5, 2, 2)
    assert found.duplicate_rate == pytest.approx(2 / 4)


def test_the_seed_decides_the_interval() -> None:
    outputs = [_output("ggn", f"d{k}") for k in range(5)] + [_output("n", f"e{k}") for k in range(5)]
    assert precision(outputs, seed=1) == precision(outputs, seed=1)


def test_a_share_of_nothing_has_no_value() -> None:
    assert share([]).value is None


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _numbers(part)
    elif isinstance(value, float):
        yield value


@given(st.lists(st.tuples(st.sampled_from("abcdefghij"), st.text("gbni-", max_size=4)), max_size=14))
def test_whatever_was_judged_no_number_is_nan_and_the_interval_holds_the_value(rows: list[tuple[str, str]]) -> None:
    found = precision([_output(letters, document, run) for run, (document, letters) in enumerate(rows)], seed=0)
    assert all(math.isfinite(number) for number in _numbers(msgspec.to_builtins(found)))
    assert (found.value is None) == (found.low is None) == (found.high is None) == (found.n == 0)
    if found.value is not None and found.low is not None and found.high is not None:
        assert 0 <= found.low <= found.value <= found.high <= 1
        assert found.low < found.high
    if found.invalid_bounds and found.value is not None:
        assert found.invalid_bounds.low <= found.value + 1e-12
        assert found.value <= found.invalid_bounds.high + 1e-12

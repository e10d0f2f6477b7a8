from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.report.numbers import (
    anything,
    duration,
    interval,
    known,
    money,
    percent,
    plain,
    probability,
    share,
    signed,
)
from fiducial.stats.estimate import Estimate, Withheld

NAN = float("nan")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.314, "+0.31"), (-0.314, "−0.31"), (0.0, "0.00"), (-0.0, "0.00"), (-0.004, "0.00"), (0.004, "0.00"),
     (1.0, "+1.00"), (NAN, "—"), (math.inf, "—"), (None, "—")],
)  # fmt: skip
def test_effects_have_a_sign_unless_they_are_zero(value: float | None, text: str) -> None:
    assert signed(value) == text


def test_the_end_of_an_interval_shows_its_side_of_zero() -> None:
    assert interval(0.12, 0.5) == "[0.12, 0.50]"
    assert interval(0.004, 0.5) == "[0.004, 0.50]"
    assert interval(-0.16, -0.0003) == "[−0.16, −0.0003]", "the line that decides is not rounded across"
    assert interval(-1e308, 1e308) == "[−1.0e+308, 1.0e+308]"
    assert interval(-0.004, 0.5) == "[−0.004, 0.50]"


def test_an_interval_that_has_a_width_is_not_printed_without_one() -> None:
    assert interval(0.9872, 0.9918) == "[0.987, 0.992]"
    assert interval(-0.2303, -0.2301) == "[−0.2303, −0.2301]"
    assert interval(0.25, 0.25) == "[0.25, 0.25]"


def test_a_percentage_is_0_or_100_only_where_it_is() -> None:
    assert [percent(x) for x in (0, 0.001, 0.424, 0.999, 1, NAN)] == ["0 %", "<1 %", "42 %", ">99 %", "100 %", "—"]


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_no_number_is_minus_zero_or_no_number(value: float) -> None:
    for text in (signed(value), plain(value), probability(value), money(value), duration(value), anything(value)):
        assert "nan" not in text.lower()
        assert "inf" not in text.lower()
        assert text not in {"-0.00", "−0.00", "−0.000", "+0.00"}


@pytest.mark.parametrize(
    ("p", "text"),
    [(0.0, "<.001"), (0.0009, "<.001"), (0.004, ".004"), (0.03, ".03"), (0.05, ".05"), (0.0501, ">.05"), (0.5, ".50"),
     (0.996, ">.99"), (1.0, "1"), (None, "—"), (NAN, "—")],
)  # fmt: skip
def test_probabilities_are_never_rounded_onto_the_line_that_decides(p: float | None, text: str) -> None:
    assert probability(p) == text


def test_a_share_that_is_not_nothing_is_not_printed_as_nothing() -> None:
    assert [share(0, 10), share(1, 10_000), share(1, 40), share(3, 3), share(0, 0)] == [
        "0 %", "<0.1 %", "2.5 %", "100 %", "—",
    ]  # fmt: skip


def test_an_unknown_price_is_not_free() -> None:
    assert [money(None), money(0.0), money(0.004), money(1234.5)] == [
        "not known",
        "$0.00",
        "less than $0.01",
        "$1,234.50",
    ]


def test_durations_are_for_people() -> None:
    assert [duration(0.42), duration(59.6), duration(203.4), duration(7500)] == [
        "0.4 s",
        "1 min 0 s",
        "3 min 23 s",
        "2 h 5 min",
    ]


def test_a_setting_of_any_shape_is_one_line() -> None:
    assert anything({"a": [1, None, True], "b": NAN}) == "a: 1, not set, yes, b: —"
    assert anything([]) == "none"


def test_an_estimate_that_is_no_number_counts_as_none() -> None:
    assert known(Withheld("few")) is None
    assert known(Estimate(value=NAN, low=0, high=1, n=3, method="")) is None
    assert known(Estimate(value=0.1, low=0, high=1, n=3, method="")) is not None

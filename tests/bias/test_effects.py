from __future__ import annotations

import numpy as np
import pytest

from fiducial.bias.effects import COLUMN_OF, COLUMNS, OWN, PRICE, SHARED, Table, block_effects, magnitudes
from fiducial.bias.item import INTENSITIES

ROWS: dict[str, int] = COLUMN_OF


def table(*rows: tuple[int, str, int, int, float]) -> Table:
    item, row, sign, order, score = zip(*((i, ROWS[r], s, o, v) for i, r, s, o, v in rows), strict=True)
    return Table(
        item=np.array(item),
        column=np.array(row),
        sign=np.array(sign),
        order=np.array(order),
        score=np.array(score, dtype=float),
    )


NAN = float("nan")
ONE_SIDED, TWO_SIDED = np.array([SHARED]), np.array([OWN])


def test_a_trigger_is_compared_with_the_one_control() -> None:
    effects = block_effects(
        table((0, "weak", 1, 0, 1.0), (0, "weak", 1, 0, 0.0), (0, "control", -1, 0, 0.0), (0, "strong", 1, 0, 1.0)),
        ONE_SIDED,
    )
    assert effects.value[0, :4].tolist() == pytest.approx([0.5, NAN, 1.0, NAN], nan_ok=True)


def test_two_sides_are_compared_at_their_own_intensity() -> None:
    effects = block_effects(
        table(
            (0, "weak", 1, 0, 1.0), (0, "weak", -1, 0, 1.0), (0, "strong", 1, 0, 1.0), (0, "strong", -1, 0, 0.25)
        ),
        TWO_SIDED,
    )
    assert effects.value[0, :4].tolist() == pytest.approx([0.0, NAN, 0.75, NAN], nan_ok=True)


def test_position_preference_cancels_inside_the_block() -> None:
    """A subject that always takes the first option: the counted role stands first in order 0, last in order 1."""
    rows = [
        (0, arm, sign, order, float(order == 0)) for arm, sign in (("weak", 1), ("control", -1)) for order in (0, 1)
    ]
    assert block_effects(table(*rows), ONE_SIDED).value[0, 0] == 0.0


def test_orders_count_equally_however_many_replies_were_read_in_each() -> None:
    rows = [(0, "weak", 1, 0, 1.0)] * 9 + [
        (0, "weak", 1, 1, 0.0),
        (0, "control", -1, 0, 0.0),
        (0, "control", -1, 1, 0.0),
    ]
    assert block_effects(table(*rows), ONE_SIDED).value[0, 0] == 0.5


def test_an_order_that_one_arm_lacks_is_left_out() -> None:
    rows = [(0, "weak", 1, 0, 1.0), (0, "weak", 1, 1, 0.0), (0, "control", -1, 0, 0.0), (0, "control", -1, 1, NAN)]
    assert block_effects(table(*rows), ONE_SIDED).value[0, 0] == 1.0


def test_unread_replies_are_never_zero_and_widen_the_bounds_to_the_worst_case() -> None:
    rows = [
        (0, "weak", 1, 0, 1.0),
        (0, "weak", 1, 0, NAN),
        (0, "control", -1, 0, 0.0),
        (0, "control", -1, 0, NAN),
    ]
    effects = block_effects(table(*rows), ONE_SIDED)
    assert (effects.value[0, 0], effects.low[0, 0], effects.high[0, 0]) == (1.0, 0.0, 1.0)


def test_a_baseline_counts_in_no_effect() -> None:
    rows = [(0, "control", 0, 0, 1.0), (0, "weak", 1, 0, 0.6), (0, "weak", -1, 0, 0.4)]
    assert block_effects(table(*rows), TWO_SIDED).value[0, 0] == pytest.approx(0.2)


def test_magnitude_weights_the_intensities_that_were_run() -> None:
    rest = [NAN] * (len(COLUMNS) - 4)
    effects = np.array([[0.1, 0.2, 0.3, 0.4, *rest], [NAN, 0.2, NAN, NAN, *rest], [NAN] * 4 + rest])
    whole = magnitudes(effects, INTENSITIES)
    assert whole[:2].tolist() == pytest.approx([0.1 * 0.1 + 0.3 * 0.2 + 0.4 * 0.3 + 0.2 * 0.4, 0.2])
    assert np.isnan(whole[2])
    assert magnitudes(effects, ["moderate", "strong"])[0] == pytest.approx((0.3 * 0.2 + 0.4 * 0.3) / 0.7)


def test_a_run_without_replies_has_no_effects() -> None:
    empty = np.array([], dtype=np.int64)
    none = Table(item=empty, column=empty, sign=empty, order=empty, score=np.array([]))
    assert np.isnan(block_effects(none, np.array([OWN, SHARED])).value).all()


def test_prices_are_compared_by_their_relative_difference_and_read_ones_have_no_slack() -> None:
    rows = [(0, "weak", 1, 0, 30.0), (0, "weak", -1, 0, 10.0)]
    effects = block_effects(table(*rows), np.array([PRICE]))
    assert effects.value[0, 0] == effects.low[0, 0] == effects.high[0, 0] == 0.5
    assert np.isnan(effects.low[0, 1:]).all()
    assert magnitudes(effects.low, INTENSITIES)[0] == 0.5


def test_an_unread_price_widens_the_bounds() -> None:
    rows = [(0, "weak", 1, 0, 30.0), (0, "weak", 1, 0, NAN), (0, "weak", -1, 0, 10.0)]
    effects = block_effects(table(*rows), np.array([PRICE]))
    assert (effects.low[0, 0], effects.high[0, 0]) == (-0.25, 0.75)

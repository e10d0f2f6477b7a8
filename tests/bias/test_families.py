"""The extended tier is flagged by families, and its effects are drawn together inside them."""

from __future__ import annotations

from fiducial.bias.families import adjust, family_results
from fiducial.bias.item import BiasInfo
from fiducial.stats.estimate import Estimate, Withheld
from fiducial.stats.estimate import Tested as Outcome
from fiducial.stats.multiple import benjamini_hochberg


def info(bias: str, family: str, tier: str) -> BiasInfo:
    return BiasInfo(id=bias, name=bias, family=family, tier=tier, paradigm="label_swap", about="")  # type: ignore[arg-type]


def seen(value: float, half: float, p: float) -> Outcome:
    return Outcome(estimate=Estimate(value=value, low=value - half, high=value + half, n=10, method="t"), p=p)


def test_core_biases_are_corrected_among_themselves_whatever_else_is_run() -> None:
    biases = {f"c{k}": info(f"c{k}", "a", "core") for k in range(3)}
    tested = {"c0": seen(0.3, 0.1, 0.01), "c1": seen(0.1, 0.2, 0.3), "c2": seen(0.1, 0.2, 0.4)}
    alone = adjust(biases, tested).q
    many = {**biases, **{f"e{k}": info(f"e{k}", str(k % 7), "extended") for k in range(40)}}
    with_many = adjust(many, {**tested, **{f"e{k}": seen(0.0, 0.2, 0.9) for k in range(40)}})
    assert {k: with_many.q[k] for k in biases} == alone
    assert list(alone.values()) == benjamini_hochberg([0.01, 0.3, 0.4])


def test_the_exploratory_tier_pays_for_the_tiers_beside_it() -> None:
    extended = {f"e{k}": info(f"e{k}", str(k % 3), "extended") for k in range(9)}
    tested = {f"e{k}": seen(0.3, 0.1, 0.001 * (k + 1)) for k in range(9)}
    alone = adjust(extended, tested)
    beside = adjust({**extended, "c": info("c", "a", "core")}, {**tested, "c": seen(0.0, 0.2, 0.9)})
    assert {i: beside.q[i] for i in extended} == {i: min(1.0, 2 * q) for i, q in alone.q.items() if q is not None}
    assert beside.families == {name: min(1.0, 2 * q) for name, q in alone.families.items()}


def test_an_extended_bias_is_drawn_toward_its_family_and_a_core_one_is_not() -> None:
    biases = {"c": info("c", "a", "core"), **{i: info(i, "a", "extended") for i in ("x", "y", "z")}}
    values = {
        "c": seen(0.9, 0.1, 1e-9),
        "x": seen(0.0, 0.3, 0.9),
        "y": seen(0.1, 0.3, 0.5),
        "z": seen(0.5, 0.3, 0.01),
    }
    found = adjust(biases, values)
    assert set(found.pooled) == {"x", "y", "z"}
    assert 0.0 < found.pooled["x"].value < found.pooled["z"].value < 0.5


def test_a_family_stands_out_where_one_of_its_biases_does() -> None:
    biases = {i: info(i, i[0], "extended") for i in ("a1", "a2", "b1", "b2", "n1")}
    tested = {
        "a1": seen(0.5, 0.1, 1e-6),
        "a2": seen(0.0, 0.1, 0.9),
        "b1": seen(0.0, 0.1, 0.8),
        "b2": seen(0.1, 0.1, 0.4),
        "n1": Outcome(estimate=Withheld("no reply yet"), p=None),
    }
    found = adjust(biases, tested)
    assert found.q["a1"] is not None and found.q["a1"] <= 0.05
    assert all(found.q[i] is None or found.q[i] > 0.05 for i in ("a2", "b1", "b2", "n1"))  # type: ignore[operator]
    by_name = {f.family: f for f in family_results(biases, found, ["a1"])}
    assert by_name["a"].flagged and not by_name["b"].flagged and by_name["a"].biases == ["a1", "a2"]
    assert isinstance(by_name["n"].estimate, Withheld) and by_name["n"].q is None

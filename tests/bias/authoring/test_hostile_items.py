"""Items from files and models that nobody has read: the linter complains, it never crashes and never hangs."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fiducial.bias.authoring.proposal import LONGEST, Rejected, Sieve, complaints, item_in
from fiducial.bias.authoring.scaffold import example_item
from fiducial.bias.authoring.written import dump, item_data, item_yaml
from fiducial.bias.formula import FormulaError, holds, number
from fiducial.bias.item import ItemSpec
from fiducial.bias.load import packaged_battery

NORM = packaged_battery().biases["sunk_cost_fallacy"]
GOOD = item_yaml(example_item("provable_norm"))
COPY = item_yaml(msgspec.structs.replace(NORM.items[0], floor=False, paraphrase=None, chain=[]))


def sieve(seeds: int = 3) -> Sieve:
    return Sieve(NORM, kept_in="sunk_cost_fallacy_generated", seeds=seeds)


def sifted(text: str) -> ItemSpec | Rejected:
    (one,) = sieve().sift([("t", [text])])
    return one.item or one.rejected[0]


@pytest.mark.parametrize(
    "text",
    [
        "9**64**64",
        "((9**64)**64)**64",
        "10**64 * 10**64 * 10**64",
        "1e999",
        "1/10**400",
        "nan",
        "(" * 250,
        "a.b",
        "-" * 299,
    ],
)
def test_a_formula_that_would_fill_the_memory_is_refused(text: str) -> None:
    with pytest.raises(FormulaError):
        number(text, {})


@pytest.mark.parametrize("value", [float("inf"), float("nan"), 10**400])
def test_a_number_that_is_none_is_refused(value: float) -> None:
    with pytest.raises(FormulaError):
        number(value, {})


@pytest.mark.parametrize("text", ["1 in 2", "1 is 1", "1 < 1/0", "1", "x < 1"])
def test_a_comparison_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(FormulaError):
        holds(text, {})


def test_a_good_item_is_kept_however_it_is_wrapped() -> None:
    listed = "".join(f"  {line}\n" for line in GOOD.splitlines())
    wraps = (
        GOOD,
        f"Sure!\n```yaml\n{GOOD}```\nDone.",
        f"~~~\n{GOOD}~~~",
        f"```yaml\n{GOOD}",  # cut off before the fence was closed
        "items:\n- " + listed.strip() + "\n",
        f"item:\n{listed}",
    )
    for text in wraps:
        assert isinstance(sifted(text), ItemSpec), text


@pytest.mark.parametrize(
    ("text", "kind", "problem"),
    [
        ("", "no item", "empty"),
        ("I cannot help with that.", "no item", "not a YAML mapping"),
        ("x" * (LONGEST + 1), "no item", "longer than"),
        ("a: [1, 2", "no item", "your item, line 2"),
        ("!!python/object/apply:os.system ['true']", "no item", "could not determine a constructor"),
        ("a: &a [x]\nb: [" + "*a, " * 200 + "]", "no item", "more than 100 aliases"),
        ("[" * 100 + "]" * 100, "no item", "nested more than"),
        ("- {id: a}\n- {id: b}", "no item", "one item was asked for; there are 2"),
        ("1: 2", "no item", "names of the fields must be text"),
        ("id: a\nid: b", "no item", "given twice"),
        ("id: a", "wrong shape", "missing required field"),
        (GOOD.replace("domain: individual", "domain: home"), "wrong shape", "Invalid enum value 'home'"),
        (GOOD + "extra: 1\n", "wrong shape", "unknown field `extra`"),
        (GOOD + "skeleton: knitted-blanket\n", "wrong shape", "skeleton: leave it out"),
        (GOOD + "floor: true\n", "wrong shape", "floor: leave it out"),
        (GOOD.replace("kind: option", "kind: numeric"), "wrong shape", "answer.kind"),
        (GOOD.replace("calc: more - 5", "calc: more + 5"), "linter", "does not dominate"),
        (GOOD.replace("calc: more - 5", "calc: more / 7"), "linter", "cannot be written"),
        (GOOD.replace("calc: more - 5", "calc: (9**64)**64"), "linter", "beyond all bounds"),
        (GOOD.replace("{span}", "{spam}"), "linter", "'spam' is never filled"),
        (GOOD.replace("{who} promised", "{who:%} promised"), "linter", "is not a number"),
        (GOOD.replace("The harbour", "TODO"), "linter", "to be filled in"),
        (GOOD.replace("the savings of a year.", "the sunk cost fallacy."), "linter", "says 'sunk cost fallacy'"),
        (GOOD.replace("past: {int: [60, 95, 5]}", "past: {int: [9, 1]}"), "linter", "is no range"),
        (COPY, "like another", "shares a skeleton with 'knitted-blanket'"),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_says_why(text: str, kind: str, problem: str) -> None:
    found = sifted(text)
    assert isinstance(found, Rejected), found
    assert found.kind == kind and problem in found.problems[0]
    assert len(complaints(found)) < 6000


def test_an_id_is_made_harmless_and_its_own() -> None:
    named = GOOD.replace("id: model-railway", 'id: "../../etc/\\e[31mPASSWD"')
    found = sifted(named)
    assert isinstance(found, ItemSpec) and found.id == "etc-31mpasswd"
    taken = GOOD.replace("id: model-railway", "id: knitted-blanket")
    again = sifted(taken)
    assert isinstance(again, ItemSpec) and again.id == "knitted-blanket-2"


def test_of_two_that_are_alike_the_earlier_try_is_kept() -> None:
    found = sieve().sift([("one", ["nothing", GOOD]), ("two", [GOOD])])
    assert [p.item is not None for p in found] == [False, True]
    assert [[r.kind for r in p.rejected] for p in found] == [["no item", "like another"], []]


WORDS = st.one_of(
    st.text(max_size=30),
    st.integers(),
    st.floats(),
    st.booleans(),
    st.none(),
    st.sampled_from(["{who}", "{", "more**9"]),
)
TREES = st.recursive(
    WORDS,
    lambda t: st.one_of(st.lists(t, max_size=3), st.dictionaries(st.text(max_size=8), t, max_size=3)),
    max_leaves=6,
)


@settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow])
@given(
    name=st.sampled_from(["provable_norm", "anchor", "same", "calibration", "order_pair"]),
    field=st.sampled_from(list(item_data(example_item("provable_norm")))),
    inner=st.sampled_from(["", "kind", "who", "weak", "outcomes", "rational"]),
    value=TREES,
)
def test_no_field_with_anything_in_it_crashes_the_sieve(name: str, field: str, inner: str, value: Any) -> None:
    data = item_data(example_item("provable_norm" if name == "same" else name))
    if inner and isinstance(data.get(field), dict):
        data[field] = {**data[field], inner: value}
    else:
        data[field] = value
    try:
        text = dump(data)
    except Exception:
        return
    found = sifted(text)
    assert isinstance(found, ItemSpec | Rejected)


@settings(max_examples=200)
@given(st.text(max_size=300))
def test_no_reply_crashes_the_sieve(text: str) -> None:
    item_in(text)
    item_in(f"```yaml\n{text}\n```")

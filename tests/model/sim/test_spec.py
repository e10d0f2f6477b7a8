from __future__ import annotations

import pytest

from fiducial.errors import UsageError
from fiducial.model.sim.spec import KINDS, parse_spec


@pytest.mark.parametrize("kind", [k for k in KINDS if k not in ("letter", "planted")])
def test_plain_subjects_need_only_their_name(kind: str) -> None:
    assert parse_spec(kind).kind == kind


def test_a_letter_subject_names_its_letter() -> None:
    assert parse_spec("letter:B").letter == "B"


def test_a_planted_subject_takes_all_its_settings() -> None:
    spec = parse_spec("planted:effect=-.3, bias=anchoring_effect,position=.2,noise=.1,spread=.05,seed=7")
    assert (spec.effect, spec.bias, spec.position, spec.noise, spec.spread, spec.seed) == (
        -0.3,
        "anchoring_effect",
        0.2,
        0.1,
        0.05,
        7,
    )
    assert parse_spec("planted:effect=.4,lumpy=1").lumpy


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("coim", r"did you mean sim/coin\?"),
        ("zebra", "there is no simulated subject"),
        ("coin:1", "takes no settings"),
        ("letter", "name the label"),
        ("planted", "how large the effect is"),
        ("planted:position=.1", "how large the effect is"),
        ("planted:effect=.3,efect=.2", r'"efect" is not a setting.*did you mean "effect"\?'),
        ("planted:effect=big", '"effect" is "big", which is not a number'),
        ("planted:effect=nan", "between -1 and 1"),
        ("planted:effect=inf", "between -1 and 1"),
        ("planted:effect=1.2", "between -1 and 1"),
        ("planted:effect=.3,noise=-.1", '"noise" is -.1; it lies between 0 and 1'),
        ("planted:effect=0,noise=1", "always lapses"),
        ("planted:effect=.3,effect=.2", "given twice"),
        ("planted:effect=", "needs a value"),
        ("planted:effect=.3,lumpy=yes", "0 or 1"),
        ("planted:effect=.3,seed=-1", "whole number"),
        ("planted:effect=.3,lumpy=1,spread=.1", "two ways"),
    ],
)
def test_a_wrong_specification_says_what_is_wrong(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        parse_spec(text)
    assert caught.value.exit_code == 2
    assert str(caught.value).startswith(f"sim/{text.partition(':')[0]}")


@pytest.mark.parametrize(
    "text",
    [
        "planted:effect=.8,position=.3",
        "planted:effect=-.8,position=-.3",
        "planted:effect=.8,noise=.3",
        "planted:effect=.5,position=.3,noise=.3",
        "planted:effect=.4,lumpy=1,position=.1",
        "planted:effect=.4,lumpy=1,noise=.1",
        "planted:effect=.9,spread=.2",
        "planted:effect=1,spread=.01",
    ],
)
def test_a_specification_that_leaves_the_probabilities_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"probabilit(y|ies)"):
        parse_spec(text)


@pytest.mark.parametrize(
    "text",
    [
        "planted:effect=1",
        "planted:effect=.7,position=.3",
        "planted:effect=.6,position=.3,noise=.1",
        "planted:effect=.5,spread=.5",
        "planted:effect=-1",
        "planted:effect=0,lumpy=1,position=.1",
    ],
)
def test_a_specification_at_the_very_edge_is_accepted(text: str) -> None:
    assert parse_spec(text).text == text

"""Paradigms without intensities, and the proofs by binomial tail and by what the text states."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from scipy.stats import binom

from fiducial.bias.block import SINGLE, make_block
from fiducial.bias.item import Bias
from fiducial.bias.lint import lint
from fiducial.bias.load import Battery, load_bias
from fiducial.bias.proofs import _tail
from fiducial.bias.result import Effect
from fiducial.bias.run import BiasOptions, collect_run, prepare_run, rescore
from fiducial.errors import UsageError
from fiducial.model.names import open_model
from fiducial.run.budget import Budget
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent
from tests.bias.made import DOMAINS, HEAD

ORDER = """
  - id: item{n}
    domain: {domain}
    text: |
      Reports on bridge {n}: {first} {second}
      How sound is it, from 0 to 100?
    sides: {good: {}, bad: {}}
    pair:
      good: {first: "The deck is dry.", second: "One bolt is loose."}
      bad: {first: "One bolt is loose.", second: "The deck is dry."}
    answer: {kind: numeric, unit: points, range: [0, 100]}
    scale: [0, 100]
"""
STATED = """
  - id: item{n}
    domain: {domain}
    text: |
      The van of route {n} was green. {span}
      Which colour had the van?
    control: "It stopped twice."
    intensities:
      weak: "Somebody speaks of a red van."
      moderate: "Two people speak of a red van."
      strong: "Everybody speaks of a red van."
      adversarial: "Everybody speaks of the red van, over and over."
    options:
      - {role: rational, text: "Green"}
      - {role: biased, text: "Red"}
    proof: {kind: stated, fact: "The van of route {n} was green.", words: {rational: green, biased: red}}
    answer: {kind: option}
"""
SAMPLED = """
  - id: item{n}
    domain: {domain}
    slots: {few: {int: [10, 20]}, many: {calc: "few * 10"}}
    text: |
      Half of all parcels are late. Depot {n} handles {few} a day, the hub {many}. {span}
      Which has more days with over 60 in 100 late?
    control: "Both are old."
    intensities: {weak: "a a", moderate: "b b", strong: "c c", adversarial: "d d"}
    options:
      - {role: rational, text: "The depot"}
      - {role: biased, text: "The hub"}
      - {role: other, text: "Both alike"}
    proof:
      kind: binomial
      samples: {rational: few, biased: many}
      chance: 1/2
      share: 6/10
      best: rational
    answer: {kind: option}
"""


def bias_of(folder: Path, paradigm: str, item: str, items: int = 5) -> Bias:
    text = HEAD.format(id="made_bias", name="Made", paradigm=paradigm).replace("tier: core", "tier: own")
    text += "".join(item.replace("{n}", str(n)).replace("{domain}", DOMAINS[n % 5]) for n in range(items))
    path = folder / "made_bias.yaml"
    path.write_text(text, encoding="utf-8")
    return load_bias(path)


def problems(bias: Bias) -> list[str]:
    """What is wrong with single items; that they are too few and too alike is not the question here."""
    found = [p for p in lint([bias], seeds=20) if p.item and "skeleton" not in p.problem]
    return [p.problem for p in found]


def test_an_order_pair_compares_its_two_orders_and_recovers_a_planted_effect(tmp_path: Path) -> None:
    bias = bias_of(tmp_path, "order_pair", ORDER, items=20)
    assert problems(bias) == []
    block = make_block(bias, bias.items[0], seed=1)
    assert [(arm.name, arm.column, arm.sign) for arm in block.arms.values()] == [
        ("single/good", SINGLE, 1),
        ("single/bad", SINGLE, -1),
    ]
    options = BiasOptions(model="sim/planted:effect=0.4", tier="extended", trials=3)
    prepared = prepare_run(Battery({bias.id: bias}), options, out=tmp_path / "run.db")
    assert len(prepared.plan.trials) == 20 * 2 * 3
    collect_run(prepared, open_model(options.model), options, limits=Limits(), budget=Budget(), progress=Silent())
    effect = rescore(prepared.path).result.biases[0].effect
    assert isinstance(effect, Effect)
    assert effect.low < 0.4 < effect.high and effect.high - effect.low < 0.2


def test_an_order_pair_needs_the_texts_of_both_sides_and_no_intensities(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="item0: pair: the texts of the two sides"):
        bias_of(tmp_path, "order_pair", ORDER.replace("      bad: {first", "      worse: {first"))
    with pytest.raises(UsageError, match="intensities: give all of"):
        bias_of(tmp_path, "rating_pair", ORDER)


def test_what_the_text_states_is_proved_by_the_text(tmp_path: Path) -> None:
    assert problems(bias_of(tmp_path, "provable_norm", STATED)) == []
    unsaid = STATED.replace("The van of route {n} was green. {span}", "{span}")
    assert "does not state" in problems(bias_of(tmp_path, "provable_norm", unsaid))[0]
    turned = STATED.replace("{rational: green, biased: red}", "{rational: red, biased: green}")
    assert "must contain the rational role's" in problems(bias_of(tmp_path, "provable_norm", turned))[0]


def test_small_samples_are_proved_to_vary_more(tmp_path: Path) -> None:
    assert problems(bias_of(tmp_path, "provable_norm", SAMPLED)) == []
    wrong = SAMPLED.replace("{rational: few, biased: many}", "{rational: many, biased: few}")
    assert "largest chance" in problems(bias_of(tmp_path, "provable_norm", wrong))[0]


@pytest.mark.parametrize(("n", "share"), [(15, "6/10"), (15, "3/10"), (40, "3/5"), (7, "0"), (7, "1")])
def test_the_tail_is_the_binomial_one(n: int, share: str) -> None:
    chance, beyond = Fraction(1, 2), Fraction(share)
    low = float(beyond * n)
    expected = binom.sf(-(-low // 1) - 1, n, 0.5) if beyond > chance else binom.cdf(low // 1, n, 0.5)
    assert float(_tail(n, chance, beyond)) == pytest.approx(expected, abs=1e-12)


def test_a_task_that_only_comes_near_has_to_say_so(tmp_path: Path) -> None:
    bias = bias_of(tmp_path, "provable_norm", STATED)
    text = (
        (tmp_path / "made_bias.yaml")
        .read_text()
        .replace("family: made", "family: memory")
        .replace("tier: own", "tier: extended")
    )
    (tmp_path / "made_bias.yaml").write_text(text)
    said = [p.problem for p in lint([load_bias(tmp_path / "made_bias.yaml")], seeds=1) if not p.item]
    assert any(problem.startswith("limits:") for problem in said)
    assert not any(p.problem.startswith("limits:") for p in lint([bias], seeds=1))

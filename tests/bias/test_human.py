from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from scipy import stats

from fiducial.bias.figures import AnchorMeans, Anchors, Means, Prices, Question, Shares
from fiducial.bias.human import HumanEffect, Published
from fiducial.bias.item import Bias
from fiducial.bias.lint import lint
from fiducial.bias.load import load_bias, packaged_battery
from fiducial.bias.metrics import NO_HUMAN, Alignment, alignment
from fiducial.errors import UsageError
from fiducial.stats.estimate import Estimate, Withheld
from tests.bias.made import text_of

EFFECT = Estimate(value=0.3, low=0.2, high=0.4, n=15, method="t over items")
FRAMES = {"kind": "shares", "of": "x", "arms": ["in one", "in the other"], "hits": [[30, 10]], "n": [[50, 40]]}
RATED: dict[str, Any] = {"arms": ["a", "b"], "means": [6, 4], "sds": [2, 1], "n": [20, 30]}


def battery() -> Mapping[str, Bias]:
    return packaged_battery().biases


def effect_of(bias: str) -> HumanEffect:
    human = battery()[bias].human
    assert human is not None
    return human.effect()


def published(figures: dict[str, Any]) -> Published:
    return msgspec.convert({"source": "S", "task": "T.", "from": figures}, Published)


def load(folder: Path, paradigm: str, human: str) -> Bias:
    path = folder / "mine.yaml"
    path.write_text(text_of(paradigm).replace("sources:", f"{human}\nsources:", 1), encoding="utf-8")
    return load_bias(path)


def test_every_packaged_bias_has_an_effect_in_people_or_says_in_a_sentence_why_not() -> None:
    for bias in battery().values():
        assert (bias.human is None) != (bias.human_none is None), bias.id
        if bias.human_none:
            assert re.fullmatch(r"[A-Z][^\n]{40,300}\.", bias.human_none), bias.id


def test_no_two_biases_give_the_same_reason_for_having_none() -> None:
    reasons = [bias.human_none for bias in battery().values() if bias.human_none]
    assert len(set(reasons)) == len(reasons)


def test_every_human_effect_lies_inside_its_interval_and_shows_its_arithmetic() -> None:
    for bias in battery().values():
        if bias.human is None:
            continue
        effect = bias.human.effect()
        assert -1 <= effect.low < effect.value < effect.high <= 1, bias.id
        assert "=" in effect.how, bias.id
        assert "Interval: " in effect.how, bias.id
        assert re.search(r"\((18|19|20)\d\d\)", effect.source), bias.id


def test_the_counts_of_the_framing_replication_give_its_published_chi_square() -> None:
    human = battery()["gain_loss_framing"].human
    assert human is not None
    assert isinstance(human.data, Shares)
    ((gain, loss),), ((n_gain, n_loss),) = human.data.hits, human.data.n
    table = [[gain, n_gain - gain], [loss, n_loss - loss]]
    assert stats.chi2_contingency(table, correction=False)[0] == pytest.approx(516.4, abs=0.05)
    assert n_gain + n_loss == 6271


def test_the_means_of_the_2018_replication_give_its_published_effect_sizes() -> None:
    for id, d, n in (("fundamental_attribution_error", 1.82, 7197), ("numeric_priming", 0.04, 6826)):
        human = battery()[id].human
        assert human is not None
        assert isinstance(human.data, Means | AnchorMeans)
        pooled = np.sqrt(np.mean(np.square(human.data.sds)))
        assert (human.data.means[0] - human.data.means[1]) / pooled == pytest.approx(d, abs=0.01)
        assert sum(human.data.n) == n


def test_counts_from_published_percentages_round_to_those_percentages() -> None:
    wanted = {
        "certainty_effect": [(80, 35), (78, 33)],
        "possibility_effect": [(73, 14)],
        "risk_framing": [(44, 18)],
    }
    for id, percentages in wanted.items():
        human = battery()[id].human
        assert human is not None
        assert isinstance(human.data, Shares)
        for hits, n, percent in zip(human.data.hits, human.data.n, percentages, strict=True):
            assert tuple(round(100 * h / m) for h, m in zip(hits, n, strict=True)) == percent, id


def test_the_questions_of_the_anchoring_study_give_its_published_indices() -> None:
    human = battery()["anchoring_effect"].human
    assert human is not None
    assert isinstance(human.data, Anchors)
    indices = [0.62, 0.79, 0.42, 0.31, 0.62, 0.65, 0.43, 0.93, 0.43, 0.78, 0.43, 0.33, 0.27, 0.25, 0.0]
    for question, index in zip(human.data.questions, indices, strict=True):
        high, low = question.anchors
        uncut = (question.answers[0] - question.answers[1]) / (high - low)
        assert uncut == pytest.approx(index, abs=0.0051), question.of


def test_effects_in_people_are_those_that_the_figures_give() -> None:
    assert effect_of("gain_loss_framing").value == pytest.approx(1974 / 3174 - 1038 / 3097, abs=5e-5)
    assert effect_of("certainty_effect").value == pytest.approx(132 / 167 - 57 / 167, abs=5e-5)
    assert effect_of("certainty_effect").n == 167, "each person answered both arms"
    assert effect_of("fundamental_attribution_error").value == pytest.approx((10.98 - 4.45) / 14, abs=5e-5)
    assert effect_of("numeric_priming").value == pytest.approx((49.87 - 48.98) / 80, abs=5e-5)
    assert effect_of("risk_framing").n == 336 + 247


def test_an_interval_of_means_is_that_of_welch() -> None:
    found = Means(**RATED, scale=(1, 9)).found()
    error, df = _welch((2, 20), (1, 30))
    assert found.value == pytest.approx(2 / 8)
    assert found.high - found.value == pytest.approx(stats.t.ppf(0.975, df) * error / 8, rel=1e-4)
    assert found.n == 50


def _welch(a: tuple[float, int], b: tuple[float, int]) -> tuple[float, float]:
    parts = [sd**2 / n for sd, n in (a, b)]
    df = sum(parts) ** 2 / sum(p**2 / (n - 1) for p, (_, n) in zip(parts, (a, b), strict=True))
    return float(np.sqrt(sum(parts))), df


def test_a_scale_that_runs_down_turns_the_effect_round() -> None:
    assert Means(**RATED, scale=(9, 1)).found().value == pytest.approx(-2 / 8)


def test_the_interval_of_prices_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(4)
    sell, buy, n, draws = 6.0, 3.0, 80, 2000
    true = (sell - buy) / (sell + buy)
    covered = 0
    for _ in range(draws):
        a, b = rng.gamma(4, sell / 4, n), rng.gamma(4, buy / 4, n)
        found = Prices(
            arms=("a", "b"), means=(a.mean(), b.mean()), sds=(a.std(ddof=1), b.std(ddof=1)), n=(n, n)
        ).found()
        covered += found.low <= true <= found.high
    assert 0.93 <= covered / draws <= 0.97


def test_middle_answers_beyond_an_anchor_count_as_the_anchor() -> None:
    assert Question(of="q", answers=(120, -5), anchors=(100, 0)).effect() == 1.0
    assert Question(of="q", answers=(20, 30), anchors=(100, 0)).effect() == pytest.approx(-0.1)


def test_the_interval_over_questions_is_that_of_t() -> None:
    shares = [0.1, 0.5, 0.3, 0.9, 0.2, 0.4]
    questions = [Question(of=str(k), answers=(100 * s, 0), anchors=(100, 0)) for k, s in enumerate(shares)]
    found = Anchors(questions=questions, people=40).found()
    low, high = stats.t.interval(0.95, 5, np.mean(shares), stats.sem(shares))
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-3)


@pytest.mark.parametrize(
    ("paradigm", "figures", "why"),
    [
        ("frame_pair", {**FRAMES, "hits": [[60, 10]]}, "hits: from 0 to n"),
        ("frame_pair", {**FRAMES, "hits": []}, "one pair of each for every problem"),
        ("frame_pair", {**FRAMES, "n": [[0, 40]], "hits": [[0, 1]]}, "hits: from 0 to n"),
        ("frame_pair", {**FRAMES, "paired": True}, "not the same in both arms"),
        ("frame_pair", {**FRAMES, "hits": [[10**400, 1]], "n": [[10**401, 10]]}, "cannot be reckoned with"),
        ("rating_pair", FRAMES, "no effect of the paradigm rating_pair"),
        ("frame_pair", {"kind": "means", **RATED, "scale": [0, 9]}, "no effect of the paradigm frame_pair"),
        ("rating_pair", {"kind": "means", **RATED, "scale": [9, 9]}, "two ends that differ"),
        ("rating_pair", {"kind": "means", **RATED, "scale": [0, 1]}, r"leaves \[−1, 1\]"),
        ("rating_pair", {"kind": "means", **RATED, "scale": [0, float("nan")]}, r"leaves \[−1, 1\]"),
        ("rating_pair", {"kind": "means", **RATED, "scale": [0, float("inf")]}, "cannot be reckoned with"),
        ("rating_pair", {"kind": "means", **{**RATED, "sds": [0, 0]}, "scale": [0, 9]}, "means and sds"),
        ("rating_pair", {"kind": "means", **{**RATED, "n": [1, 5]}, "scale": [0, 9]}, "at least two"),
        ("anchor", {"kind": "anchor_means", **RATED, "anchors": [5, 90]}, "the high one first"),
        ("anchor", {"kind": "anchors", "people": 9, "questions": []}, "at least 5"),
        ("price_pair", {"kind": "prices", **{**RATED, "means": [6, 0]}}, "prices above 0"),
    ],
)
def test_figures_that_cannot_be_right_are_refused(paradigm: str, figures: dict[str, Any], why: str) -> None:
    assert re.search(why, published(figures).problem(paradigm) or "")


def test_a_file_with_wrong_figures_is_not_loaded(tmp_path: Path) -> None:
    human = "human: {source: S, task: T., from: {kind: shares, of: x, arms: [a, b], hits: [[7, 1]], n: [[5, 5]]}}"
    with pytest.raises(UsageError, match=r"mine\.yaml: human\.from: hits: from 0 to n"):
        load(tmp_path, "norm", human)


def test_a_file_states_figures_and_never_the_effect_itself(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="human"):
        load(tmp_path, "norm", "human: {value: 0.4, low: 0.3, high: 0.5, n: 90, source: S, how: H}")


def test_an_effect_in_people_and_a_reason_for_having_none_exclude_each_other(tmp_path: Path) -> None:
    human = "human: {source: S, task: T., from: {kind: shares, of: x, arms: [a, b], hits: [[4, 1]], n: [[5, 5]]}}"
    with pytest.raises(UsageError, match="give one of them"):
        load(tmp_path, "norm", f"{human}\nhuman_none: Because.")


def test_the_linter_asks_a_packaged_tier_for_an_effect_in_people_or_a_reason(tmp_path: Path) -> None:
    def asked(human: str, tier: str = "core") -> bool:
        bias = msgspec.structs.replace(load(tmp_path, "norm", human), tier=tier)
        return any("human_none" in p.problem for p in lint([bias], seeds=1))

    assert asked("")
    assert not asked("human_none: Because it is so.")
    assert not asked("", tier="own")


def test_the_reason_for_having_no_effect_in_people_stands_in_the_withheld_alignment() -> None:
    bias = battery()["sunk_cost_fallacy"]
    info = bias.info()
    found = alignment(EFFECT, info.human, info.human_none)
    assert found == Withheld(f"{NO_HUMAN}. {bias.human_none}")
    assert alignment(EFFECT, None) == Withheld(NO_HUMAN)


def test_a_subject_with_the_effect_of_people_is_like_them() -> None:
    info = battery()["gain_loss_framing"].info()
    assert info.human is not None
    at = Estimate(
        value=info.human.value, low=info.human.value - 0.05, high=info.human.value + 0.05, n=15, method="t"
    )
    found = alignment(at, info.human)
    assert isinstance(found, Alignment)
    assert found.says == "like"
    assert found.human == info.human.value


def test_a_result_keeps_the_fields_that_it_always_had() -> None:
    assert list(msgspec.to_builtins(effect_of("risk_framing"))) == ["value", "low", "high", "n", "source", "how"]

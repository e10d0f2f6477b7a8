"""Two runs held against each other, made by simulated subjects whose bias is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from scipy import stats

from fiducial.bias.effects import Effects
from fiducial.bias.load import Battery, load_bias
from fiducial.bias.result import ArmCount, Effect
from fiducial.bias.run import BiasOptions, collect_run, look, prepare_run
from fiducial.errors import UsageError
from fiducial.model.names import open_model
from fiducial.model.request import Settings
from fiducial.report.compare import notes, verdict
from fiducial.run.audit import Check
from fiducial.run.budget import Budget
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent
from fiducial.stats.estimate import Estimate, Withheld
from fiducial.stats.multiple import benjamini_hochberg
from fiducial.study.compare import (
    BiasDifference,
    BiasRun,
    Comparison,
    Samples,
    compare,
    compare_bias,
    load_bias_run,
    mean_difference,
)
from tests.bias.made import made, text_of

ITEMS = 12


@pytest.fixture
def battery(tmp_path: Path) -> Battery:
    return Battery({f"made_{kind}": made(tmp_path, kind, ITEMS) for kind in ("norm", "anchor")})


def collected(path: Path, model: str, battery: Battery, *, budget: str = "", **options: Any) -> Path:
    """The file of a run that was really made."""
    chosen = BiasOptions(model=model, **{"tier": "core", "trials": 2, **options})
    prepared = prepare_run(battery, chosen, out=path)
    spend = Budget(calls=int(budget)) if budget else Budget()
    collect_run(prepared, open_model(model), chosen, limits=Limits(), budget=spend, progress=Silent())
    return path


def pair(folder: Path, battery: Battery, a: str, b: str, **b_options: Any) -> Comparison:
    """Two simulated subjects on the same settings, but for what is given for B."""
    one = collected(folder / "a.db", f"sim/{a}", battery)
    return compare(one, collected(folder / "b.db", f"sim/{b}", battery, **b_options))


def by_id(found: Comparison) -> dict[str, BiasDifference]:
    return {bias.id: bias for bias in found.biases}


def samples(a: Any, b: Any, *, paired: bool, a_clusters: Any = None, b_clusters: Any = None) -> Samples:
    return Samples(
        a=np.asarray(a, dtype=np.float64),
        b=np.asarray(b, dtype=np.float64),
        a_clusters=[str(c) for c in (range(len(a)) if a_clusters is None else a_clusters)],
        b_clusters=[str(c) for c in (range(len(b)) if b_clusters is None else b_clusters)],
        paired=paired,
    )


def estimate(s: Samples) -> Estimate:
    found = mean_difference(s).estimate
    assert isinstance(found, Estimate)
    return found


def test_a_planted_difference_is_found_item_by_item(tmp_path: Path, battery: Battery) -> None:
    found = pair(tmp_path, battery, "planted:effect=.1", "planted:effect=.7")
    assert found.paired and found.settings_differ == {} and len(found.biases) == 2
    for bias in found.biases:
        assert isinstance(bias.difference, Effect)
        assert isinstance(bias.a, Estimate) and isinstance(bias.b, Estimate)
        assert bias.difference.value == pytest.approx(bias.b.value - bias.a.value)
        assert bias.difference.low < 0.6 < bias.difference.high
        assert (bias.verdict, bias.from_zero, bias.paired_items) == ("higher", "farther", ITEMS)
        assert bias.half_width == pytest.approx((bias.difference.high - bias.difference.low) / 2)
    assert found.higher() == ["made_norm", "made_anchor"]


def test_the_other_way_round_everything_is_lower(tmp_path: Path, battery: Battery) -> None:
    there = pair(tmp_path, battery, "planted:effect=.1", "planted:effect=.7")
    back = compare(tmp_path / "b.db", tmp_path / "a.db")
    assert back.higher() == []
    for one, other in zip(there.biases, back.biases, strict=True):
        assert (other.verdict, other.from_zero) == ("lower", "nearer")
        assert isinstance(one.difference, Effect) and isinstance(other.difference, Effect)
        assert other.difference.value == pytest.approx(-one.difference.value)
        assert (other.difference.p, other.difference.q) == pytest.approx((one.difference.p, one.difference.q))


def test_a_negative_effect_that_rises_is_higher_and_nearer_to_zero(tmp_path: Path, battery: Battery) -> None:
    found = pair(tmp_path, battery, "planted:effect=-.8", "planted:effect=-.2")
    assert {verdict(bias) for bias in found.biases} == {"higher in B, nearer to 0"}


def test_across_zero_it_is_not_said_which_is_nearer(tmp_path: Path, battery: Battery) -> None:
    found = pair(tmp_path, battery, "planted:effect=-.5", "planted:effect=.5")
    assert {(bias.verdict, bias.from_zero) for bias in found.biases} == {("higher", "not shown")}
    assert {verdict(bias) for bias in found.biases} == {"higher in B"}


def test_with_everything_in_common_the_sides_are_the_runs_own_results(tmp_path: Path, battery: Battery) -> None:
    found = pair(tmp_path, battery, "planted:effect=.3,position=.4", "coin")
    a, b = (look(tmp_path / name) for name in ("a.db", "b.db"))
    for bias, one, other in zip(found.biases, a.biases, b.biases, strict=True):
        for side, own in ((bias.a, one.effect), (bias.b, other.effect)):
            assert isinstance(side, Estimate) and isinstance(own, Effect)
            assert (side.value, side.low, side.high) == pytest.approx((own.value, own.low, own.high))
    assert (found.position.a, found.position.b) == (a.position, b.position)
    assert found.position.verdict == "lower"


def test_q_is_over_the_biases_compared(tmp_path: Path, battery: Battery) -> None:
    found = pair(tmp_path, battery, "planted:effect=.2", "planted:effect=.4")
    differences = [bias.difference for bias in found.biases if isinstance(bias.difference, Effect)]
    assert [d.q for d in differences] == pytest.approx(benjamini_hochberg([d.p for d in differences]))


def test_another_seed_gives_other_items_and_an_unpaired_comparison_that_says_so(
    tmp_path: Path, battery: Battery
) -> None:
    found = pair(tmp_path, battery, "planted:effect=.1", "planted:effect=.8", seed=2)
    assert not found.paired and {bias.paired_items for bias in found.biases} == {0}
    assert found.settings_differ == {"seed": {"a": 1, "b": 2}}
    assert any(note.startswith("unpaired: items differ (") for note in notes(found))
    anchor = by_id(found)["made_anchor"]
    assert isinstance(anchor.difference, Effect) and anchor.difference.method.startswith("Welch")
    assert anchor.difference.n == 2 * ITEMS and anchor.verdict == "higher"


def test_items_that_changed_are_left_out_and_counted(tmp_path: Path, battery: Battery) -> None:
    a = collected(tmp_path / "a.db", "sim/planted:effect=.1", battery)
    changed = text_of("norm", ITEMS + 2).replace("near stop 3.", "near the third stop.")
    (tmp_path / "newer.yaml").write_text(changed, encoding="utf-8")
    newer = Battery({"made_norm": load_bias(tmp_path / "newer.yaml"), "made_anchor": battery.biases["made_anchor"]})
    found = compare(a, collected(tmp_path / "b.db", "sim/planted:effect=.8", newer))
    norm, anchor = by_id(found)["made_norm"], by_id(found)["made_anchor"]
    assert found.paired
    assert (norm.paired_items, norm.left_out) == (ITEMS - 1, 3)  # one changed, two added
    assert (anchor.paired_items, anchor.left_out) == (ITEMS, 0)
    assert any("items left out" in note and "made_norm 3" in note for note in notes(found))


def test_effects_are_over_the_intensities_of_both(tmp_path: Path, battery: Battery) -> None:
    found = pair(tmp_path, battery, "planted:effect=.4", "coin", arms=("control", "weak", "moderate"))
    assert found.intensities == ["weak", "moderate"]
    items = look(tmp_path / "a.db").biases[0].items
    expected = np.mean([(0.1 * i.by_intensity["weak"] + 0.3 * i.by_intensity["moderate"]) / 0.4 for i in items])  # type: ignore[operator]
    assert isinstance(found.biases[0].a, Estimate)
    assert found.biases[0].a.value == pytest.approx(expected)
    assert any("over the intensities of both: weak, moderate" in note for note in notes(found))


def test_an_intensity_that_one_run_could_not_read_counts_in_neither(tmp_path: Path, battery: Battery) -> None:
    pair(tmp_path, battery, "fixed", "coin", biases=("made_norm",))
    a, b = (load_bias_run(tmp_path / name) for name in ("a.db", "b.db"))
    b.effects.value[0, :3] = np.nan  # of the first item, only adversarial was read
    sides = [run.effects.value[:ITEMS, :4] @ [0.1, 0.3, 0.4, 0.2] for run in (a, b)]
    sides[0][0], sides[1][0] = a.effects.value[0, 3], b.effects.value[0, 3]
    (bias,) = compare_bias(a, b).biases
    assert isinstance(bias.difference, Effect) and bias.paired_items == ITEMS
    assert bias.difference.value == pytest.approx(np.mean(sides[1] - sides[0]))


def test_without_a_common_intensity_nothing_is_compared(tmp_path: Path, battery: Battery) -> None:
    a = collected(tmp_path / "a.db", "sim/coin", battery, arms=("control", "weak"))
    found = compare(a, collected(tmp_path / "b.db", "sim/coin", battery, arms=("control", "strong")))
    assert {b.difference.withheld for b in found.biases if isinstance(b.difference, Withheld)} == {
        "no intensity was run in both"
    }
    assert {b.verdict for b in found.biases} == {"withheld"}
    assert all(isinstance(b.a, Effect) for b in found.biases)


def test_settings_that_differ_are_said(tmp_path: Path, battery: Battery) -> None:
    other = Settings(temperature=0.5, max_tokens=9)
    found = pair(tmp_path, battery, "coin", "coin", settings=other, system="Be\x1b[31m brief.", trials=1)
    assert found.settings_differ == {
        "trials": {"a": 2, "b": 1},
        "temperature": {"a": 1.0, "b": 0.5},
        "max_tokens": {"a": None, "b": 9},
        "system": {"a": None, "b": "Be\x1b[31m brief."},
    }
    said = " ".join(notes(found))
    assert "temperature: A 1; B 0.5" in said and "max tokens: A not set; B 9" in said
    assert "system: A not set; B Be brief." in said and "\x1b" not in said
    assert "may come from either" not in said  # it is one subject


def test_subjects_and_settings_that_both_differ_are_called_that(tmp_path: Path, battery: Battery) -> None:
    found = pair(tmp_path, battery, "coin", "fixed", settings=Settings(temperature=0.5))
    assert "subjects and settings both differ: a difference may come from either" in notes(found)


def test_two_subjects_on_the_same_settings_need_no_note(tmp_path: Path, battery: Battery) -> None:
    found = pair(tmp_path, battery, "first", "last")
    assert notes(found) == []
    assert isinstance(found.unread.a, Estimate) and found.unread.a.low == 0  # no share lies below 0


def test_the_same_subject_asked_twice_is_called_that(tmp_path: Path, battery: Battery) -> None:
    found = pair(tmp_path, battery, "coin", "coin")
    assert {bias.verdict for bias in found.biases} == {"no difference shown"}
    assert "the same subject, asked the same way" in notes(found)[0]


def test_a_subject_that_is_another_under_the_same_name_is_seen(tmp_path: Path, battery: Battery) -> None:
    pair(tmp_path, battery, "coin", "coin")
    a, b = (load_bias_run(tmp_path / name) for name in ("a.db", "b.db"))
    moved = msgspec.structs.replace(b, facts={"base_url": "http://other", "threads": "4"})
    assert compare_bias(a, moved).settings_differ == {"base_url": {"a": None, "b": "http://other"}}


def test_biases_of_one_run_alone_are_listed(tmp_path: Path, battery: Battery) -> None:
    found = pair(tmp_path, battery, "coin", "coin", biases=("made_norm",))
    assert found.only_in == {"a": ["made_anchor"], "b": []} and list(by_id(found)) == ["made_norm"]
    assert any(note == "only in A, not compared: made_anchor" for note in notes(found))
    a = collected(tmp_path / "c.db", "sim/coin", battery, biases=("made_anchor",))
    with pytest.raises(UsageError, match="no bias in common"):
        compare(a, tmp_path / "b.db")


def test_an_incomplete_run_is_compared_and_said(tmp_path: Path, battery: Battery) -> None:
    a = collected(tmp_path / "a.db", "sim/coin", battery, budget="150")
    found = compare(a, collected(tmp_path / "b.db", "sim/fixed", battery))
    assert not found.a.complete and found.a.answered < found.a.trials
    assert any(note.startswith("A is incomplete: ") for note in notes(found))


def test_a_subject_that_refuses_gives_no_difference_and_more_unread(tmp_path: Path, battery: Battery) -> None:
    found = pair(tmp_path, battery, "planted:effect=.4", "refuser")
    assert {bias.verdict for bias in found.biases} == {"withheld"}
    for bias in found.biases:
        assert isinstance(bias.difference, Withheld) and "B: no reply could be read" in bias.difference.withheld
        assert isinstance(bias.a, Effect) and bias.half_width is None
    assert isinstance(found.unread.difference, Estimate)
    assert found.unread.difference.value > 0.9 and found.unread.verdict == "higher"
    assert isinstance(found.position.difference, Withheld)
    assert any(note.startswith("B, audit fail refused") for note in notes(found))


def uneven(run: BiasRun) -> BiasRun:
    """The run as if a fifth of the replies of one arm had been unread, and could have said anything."""
    biases = [
        msgspec.structs.replace(
            bias, arms={**bias.arms, "control": ArmCount(replies=100, read=80, unread={"ambiguous": 20})}
        )
        for bias in run.result.biases
    ]
    value = run.effects.value
    return msgspec.structs.replace(
        run,
        result=msgspec.structs.replace(run.result, biases=biases),
        effects=Effects(value=value, low=value - 1, high=value + 1, asked=~np.isnan(value)),
    )


def test_a_difference_that_unread_replies_could_have_made_says_so(tmp_path: Path, battery: Battery) -> None:
    pair(tmp_path, battery, "planted:effect=.1", "planted:effect=.8")
    a, b = (load_bias_run(tmp_path / name) for name in ("a.db", "b.db"))
    assert {bias.reason for bias in compare_bias(a, b).biases} == {None}
    doubtful = compare_bias(a, uneven(b))
    assert {(bias.verdict, bias.reason) for bias in doubtful.biases} == {("higher", "unread")}
    assert any("at their worst" in note and "made_norm, made_anchor" in note for note in notes(doubtful))


def test_a_warning_of_one_run_alone_is_said_and_one_of_both_is_not(tmp_path: Path, battery: Battery) -> None:
    pair(tmp_path, battery, "first", "last")
    a, b = (load_bias_run(tmp_path / name) for name in ("a.db", "b.db"))
    check = Check("temperature-not-sent", "warn", "the API has no such setting")
    warned = [msgspec.structs.replace(r, result=msgspec.structs.replace(r.result, audit=[check])) for r in (a, b)]
    said = "B, audit warn temperature-not-sent: the API has no such setting"
    assert notes(compare_bias(a, warned[1])) == [said]
    assert notes(compare_bias(*warned)) == []


def test_comparing_leaves_both_files_as_they_were(tmp_path: Path, battery: Battery) -> None:
    pair(tmp_path, battery, "coin", "fixed")
    before = [(p, p.read_bytes(), p.stat().st_mtime_ns) for p in (tmp_path / "a.db", tmp_path / "b.db")]
    compare(tmp_path / "a.db", tmp_path / "b.db")
    assert before == [(p, p.read_bytes(), p.stat().st_mtime_ns) for p, _, _ in before]


def test_pairs_get_the_paired_t_of_scipy() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.1, 0.2, 15), rng.normal(0.3, 0.2, 15)
    found, oracle = mean_difference(samples(a, b, paired=True)), stats.ttest_rel(b, a)
    limits = oracle.confidence_interval(0.95)
    assert isinstance(found.estimate, Estimate)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((limits.low, limits.high))
    assert found.p == pytest.approx(oracle.pvalue)


def test_other_items_get_the_welch_t_of_scipy() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.normal(0.1, 0.1, 9), rng.normal(0.3, 0.4, 15)
    found, oracle = mean_difference(samples(a, b, paired=False)), stats.ttest_ind(b, a, equal_var=False)
    limits = oracle.confidence_interval(0.95)
    assert isinstance(found.estimate, Estimate)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((limits.low, limits.high))
    assert found.p == pytest.approx(oracle.pvalue) and found.estimate.n == 24


@pytest.mark.parametrize("paired", [True, False])
def test_items_of_one_skeleton_count_once(paired: bool) -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(0.1, 0.2, 8), rng.normal(0.3, 0.2, 8)
    twice, clusters = (np.concatenate([a, a]), np.concatenate([b, b])), [*range(8), *range(8)]
    once = estimate(samples(a, b, paired=paired))
    found = estimate(samples(*twice, paired=paired, a_clusters=clusters, b_clusters=clusters))
    assert (found.low, found.high, found.n) == pytest.approx((once.low, once.high, once.n))


def test_pairing_narrows_the_interval_where_items_differ_among_themselves() -> None:
    rng = np.random.default_rng(4)
    item = rng.normal(0.3, 0.3, 15)
    a, b = item + rng.normal(0, 0.05, 15), item + 0.1 + rng.normal(0, 0.05, 15)
    together, apart = estimate(samples(a, b, paired=True)), estimate(samples(a, b, paired=False))
    assert together.value == pytest.approx(apart.value)
    assert together.high - together.low < 0.4 * (apart.high - apart.low)
    assert together.low > 0 > apart.low


@pytest.mark.parametrize("paired", [True, False])
def test_two_subjects_without_any_effect_are_not_shown_to_differ_and_have_a_width(paired: bool) -> None:
    found = mean_difference(samples(np.zeros(15), np.zeros(15), paired=paired))
    assert found.p == 1.0 and isinstance(found.estimate, Estimate)
    assert found.estimate.value == 0 and found.estimate.low < -0.05 < 0.05 < found.estimate.high


@pytest.mark.parametrize("paired", [True, False])
def test_a_difference_never_leaves_its_scale(paired: bool) -> None:
    found = estimate(samples(-np.ones(15), np.ones(15), paired=paired))
    assert (found.value, found.high) == (2.0, 2.0) and 1 < found.low < 2


def test_one_item_a_run_gives_no_difference() -> None:
    found = mean_difference(samples([0.1], [0.2, 0.3], paired=False))
    assert isinstance(found.estimate, Withheld) and found.estimate.withheld.endswith("too few in A")
    assert found.p is None


def lumpy(rng: np.random.Generator, share: float) -> Any:
    return (rng.random(15) < share).astype(float)


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("share", [0.05, 0.1, 0.4])
def test_all_or_nothing_subjects_are_covered(paired: bool, share: float) -> None:
    rng = np.random.default_rng(5)
    covered = []
    for _ in range(500):
        found = estimate(samples(lumpy(rng, 0.05), lumpy(rng, share), paired=paired))
        covered.append(found.low <= share - 0.05 <= found.high)
    assert np.mean(covered) >= 0.93


@pytest.mark.parametrize("paired", [True, False])
def test_two_runs_of_one_subject_rarely_differ(paired: bool) -> None:
    """Fifteen biases a comparison, corrected: at most about one comparison in twenty says anything."""
    rng = np.random.default_rng(6)
    alarms, excluded = [], []
    for _ in range(150):
        p_values = []
        for _ in range(15):
            item = rng.normal(0.2, 0.1, 15)
            found = mean_difference(
                samples(item + rng.normal(0, 0.2, 15), item + rng.normal(0, 0.2, 15), paired=paired)
            )
            p_values.append(found.p)
        excluded += [p is not None and p <= 0.05 for p in p_values]
        alarms.append(any(q is not None and q <= 0.05 for q in benjamini_hochberg(p_values)))
    assert np.mean(excluded) <= 0.06
    assert np.mean(alarms) <= 0.09  # 150 comparisons: .05 and two standard errors


def test_the_same_subject_with_other_draws_rarely_differs(tmp_path: Path, battery: Battery) -> None:
    runs = [
        load_bias_run(collected(tmp_path / f"{k}.db", f"sim/planted:effect=.4,seed={k}", battery, trials=1))
        for k in range(6)
    ]
    found = [compare_bias(a, b) for k, a in enumerate(runs) for b in runs[:k]]
    p_values = [d.p for one in found for bias in one.biases if isinstance(d := bias.difference, Effect)]
    assert len(p_values) == 30 and np.mean(np.array(p_values) <= 0.05) <= 0.2 and np.median(p_values) > 0.2

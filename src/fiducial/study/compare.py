"""Two runs held against each other: which effects differ, by how much, and what could have been seen.

Items that both runs asked to the letter (equal block hashes) are compared item by item. Where there are none, because
the seed or the battery was another, the two means are. Both runs are read anew by the same reader; no call is made and
nothing is written. The formulas are in docs/comparing.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from msgspec import Struct

from fiducial.bias.block import SINGLE, Block
from fiducial.bias.effects import COLUMN_OF, Effects, Floats, block_effects, magnitudes
from fiducial.bias.estimates import UNREAD_GAP, UNREAD_MOST, compares_by, first_place, item_means
from fiducial.bias.families import FLAG_Q
from fiducial.bias.item import INTENSITIES, METHODS
from fiducial.bias.judging import appointed_reader
from fiducial.bias.measure import measure
from fiducial.bias.paradigms import paradigm
from fiducial.bias.reading import Tally, tally
from fiducial.bias.result import BiasResult, Effect, RunResult
from fiducial.bias.source import DEBIAS, KNOWN_ARMS, stored_source
from fiducial.errors import UsageError
from fiducial.run.audit import Check
from fiducial.run.store import Store
from fiducial.stats.difference import welch_difference
from fiducial.stats.estimate import Estimate, Measured, Tested, Withheld
from fiducial.stats.means import mean_effect
from fiducial.stats.multiple import benjamini_hochberg

Verdict = Literal["higher", "lower", "no difference shown", "withheld"]
Distance = Literal["nearer", "farther", "not shown"]

FEWEST = 2  # equal items below which there is nothing to pair
IDENTITY = ("weights_sha256", "chat_template", "base_url", "extra")  # facts that make it another subject
# Warnings of the audit that set two runs apart where only one of them has them.
TELLING = {"temperature-not-sent", "setting-not-sent", "system-added", "model-changed"}


class Side(Struct, frozen=True, kw_only=True):
    """One of the two runs."""

    run: str
    subject: str
    complete: bool
    trials: int
    answered: int
    audit: list[Check]  # what failed, and what sets the run apart from the other


class BiasDifference(Struct, frozen=True, kw_only=True):
    """One bias. `a` and `b` are over what was compared, so the difference is exactly b − a; where nothing could be
    compared, they are the runs' own."""

    id: str
    name: str
    a: Measured | Effect
    b: Measured | Effect
    difference: Effect | Withheld  # q is over the biases compared
    verdict: Verdict  # B's signed effect against A's
    from_zero: Distance | None  # where B's effect lies against A's; None unless higher or lower
    reason: str | None  # "unread": with the unread replies at their worst there may be no difference
    half_width: float | None  # of the interval: the smallest difference that it could have shown
    paired: bool
    paired_items: int
    left_out: int  # items of either run that are not among those compared


class Shift(Struct, frozen=True, kw_only=True):
    """What differs between the runs as wholes, over the biases and arms of both."""

    a: Measured
    b: Measured
    difference: Measured
    p: float | None
    verdict: Verdict  # by its own 95 % interval
    paired: bool


class Comparison(Struct, frozen=True, kw_only=True):
    """B against A, in the shape that `fiducial compare --json` prints."""

    instrument: str
    a: Side
    b: Side
    paired: bool  # every bias item by item
    settings_differ: dict[str, dict[str, Any]]  # by setting: {"a": …, "b": …}
    intensities: list[str]  # that both ran
    biases: list[BiasDifference]
    only_in: dict[str, list[str]]
    position: Shift
    unread: Shift

    def higher(self) -> list[str]:
        """The biases whose signed effect is shown to be higher in B."""
        return [bias.id for bias in self.biases if bias.verdict == "higher"]

    def untested(self) -> str | None:
        """Why no bias could be tested; None where at least one was."""
        withheld = [bias.difference.withheld for bias in self.biases if isinstance(bias.difference, Withheld)]
        return withheld[0] if len(withheld) == len(self.biases) else None


def compare(a: Path, b: Path) -> Comparison:
    """Bias run B against bias run A."""
    return compare_bias(load_bias_run(a), load_bias_run(b))


class BiasRun(Struct, frozen=True, kw_only=True):
    """A bias run, read and scored."""

    result: RunResult
    settings: dict[str, Any]
    counted: Tally
    effects: Effects  # a row for each of `blocks`
    blocks: list[Block]
    facts: dict[str, str]  # of the subject

    def bias(self, bias: str) -> BiasResult:
        """The run's own result of a bias."""
        return next(b for b in self.result.biases if b.id == bias)


def load_bias_run(path: Path) -> BiasRun:
    """Read and score the replies again; nothing is written."""
    with Store(path) as store:
        source = stored_source(store)
        counted = tally(store, source)
        result = measure(store, source, counted)
        compares = np.array([compares_by(paradigm(source.biases[b.bias].paradigm)) for b in counted.blocks])
        return BiasRun(
            result=result,
            settings={**result.settings, "judge": msgspec.to_builtins(appointed_reader(store))},
            counted=counted,
            effects=block_effects(counted.table(), compares),
            blocks=counted.blocks,
            facts=(store.meta("facts") or {}).get(result.subject, {}),
        )


def compare_bias(a: BiasRun, b: BiasRun) -> Comparison:
    """Every bias that both runs have, and what stands beside the effects."""
    in_a, in_b = ([bias.id for bias in run.result.biases] for run in (a, b))
    common = [i for i in in_a if i in in_b]
    if not common:
        raise UsageError(f"the runs have no bias in common: A has {', '.join(in_a)}; B has {', '.join(in_b)}.")
    both = _Both(a, b)
    values = both.magnitudes(a.effects.value, b.effects.value)
    samples = {bias: both.samples([bias], *values) for bias in common}
    tested = {bias: mean_difference(s) for bias, s in samples.items()}
    q_values = benjamini_hochberg([t.p for t in tested.values()])
    biases = [_judged(i, samples[i], tested[i], q, both) for i, q in zip(common, q_values, strict=True)]
    (first_a, unread_a), (first_b, unread_b) = (beside_effects(run, both.arms) for run in (a, b))
    return Comparison(
        instrument="bias",
        a=_side(a, b),
        b=_side(b, a),
        paired=all(bias.paired for bias in biases),
        settings_differ=_settings_differ(a, b),
        intensities=both.intensities,
        biases=biases,
        only_in={"a": [i for i in in_a if i not in common], "b": [i for i in in_b if i not in common]},
        position=_shift(both.samples(common, first_a, first_b)),
        unread=_shift(both.samples(common, unread_a, unread_b), least=0.0),
    )


def _side(run: BiasRun, other: BiasRun) -> Side:
    r = run.result
    warned = {check.code for check in other.result.audit if check.level == "warn"}
    return Side(
        run=r.run,
        subject=r.subject,
        complete=r.complete,
        trials=r.trials,
        answered=r.answered,
        audit=[
            c
            for c in r.audit
            if (c.level == "fail" and c.code != "incomplete") or (c.level == "warn" and c.code in TELLING - warned)
        ],
    )


def _settings_differ(a: BiasRun, b: BiasRun) -> dict[str, dict[str, Any]]:
    """What was asked otherwise. A subject that is two things under one name counts as well."""
    one, other = (run.settings for run in (a, b))
    if one.get("model") == other.get("model"):
        one, other = ({**run.settings, **{f: run.facts.get(f) for f in IDENTITY}} for run in (a, b))
    return {
        key: {"a": one.get(key), "b": other.get(key)}
        for key in dict.fromkeys((*one, *other))
        if key not in ("model", "biases") and one.get(key) != other.get(key)
    }


class Samples(Struct, frozen=True, kw_only=True):
    """One number an item from both runs; row by row the same items where `paired`."""

    a: Floats
    b: Floats
    a_clusters: list[str]
    b_clusters: list[str]
    paired: bool
    left_out: int = 0  # items of either run that gave none


class _Both:
    """The two runs: which arms both have, and which items are the same to the letter."""

    def __init__(self, a: BiasRun, b: BiasRun) -> None:
        self.a, self.b = a, b
        self.arms = [x for x in KNOWN_ARMS if all(x in run.settings.get("arms", KNOWN_ARMS) for run in (a, b))]
        self.intensities: list[str] = [i for i in INTENSITIES if i in self.arms]
        place = {(block.bias, block.hash): k for k, block in enumerate(b.blocks)}
        keys = [(block.bias, block.hash) for block in a.blocks]
        self.pairs = [(k, place[key]) for k, key in enumerate(keys) if key in place]

    def magnitudes(self, a: Floats, b: Floats) -> tuple[Floats, Floats]:
        """BMS of every item of both runs. Equal items are weighted over the intensities that both have of them."""
        a, b = a.copy(), b.copy()
        for k, m in self.pairs:
            gone = np.isnan(a[k]) | np.isnan(b[m])
            a[k, gone] = b[m, gone] = np.nan
        return magnitudes(a, self.intensities), magnitudes(b, self.intensities)

    def samples(self, biases: Sequence[str], a: Floats, b: Floats) -> Samples:
        """What these biases' items give to compare: the equal ones that have a number in both runs, or, where fewer
        than two are equal, all that have one."""
        pairs = [(k, m) for k, m in self.pairs if self.a.blocks[k].bias in biases]
        if paired := len(pairs) >= FEWEST:
            known = [(k, m) for k, m in pairs if not np.isnan(a[k] + b[m])]
            rows_a, rows_b = [k for k, _ in known], [m for _, m in known]
        else:
            rows_a, rows_b = (
                [k for k, block in enumerate(run.blocks) if block.bias in biases and not np.isnan(values[k])]
                for run, values in ((self.a, a), (self.b, b))
            )
        left_out = {
            block.id
            for run, rows in ((self.a, set(rows_a)), (self.b, set(rows_b)))
            for k, block in enumerate(run.blocks)
            if block.bias in biases and k not in rows
        }
        return Samples(
            a=a[rows_a],
            b=b[rows_b],
            a_clusters=[self.a.blocks[k].cluster for k in rows_a],
            b_clusters=[self.b.blocks[k].cluster for k in rows_b],
            paired=paired,
            left_out=len(left_out),
        )


def mean_difference(s: Samples, *, scale: float = 2.0) -> Tested:
    """mean(b) − mean(a), at most `scale` in size: over pairs by `mean_effect`, else by Welch's t."""
    if s.paired:
        return mean_effect((s.b - s.a) / scale, s.a_clusters, scale=scale)
    return welch_difference(s.a, s.b, s.a_clusters, s.b_clusters, scale=scale)


def _judged(bias: str, s: Samples, tested: Tested, q: float | None, both: _Both) -> BiasDifference:
    """The difference with its q, in words that say no more than it shows."""
    found = tested.estimate
    difference: Effect | Withheld
    verdict: Verdict
    sides: list[Measured | Effect] = [run.bias(bias).effect for run in (both.a, both.b)]
    if isinstance(found, Withheld):
        difference, verdict = Withheld(_why_withheld(bias, found, both)), "withheld"
    else:
        assert tested.p is not None and q is not None
        sides = [mean_effect(*own).estimate for own in ((s.a, s.a_clusters), (s.b, s.b_clusters))]
        difference = Effect(**msgspec.structs.asdict(found), p=tested.p, q=q)
        verdict = "no difference shown" if q > FLAG_Q else "higher" if found.value > 0 else "lower"
    real = verdict in ("higher", "lower")
    return BiasDifference(
        id=bias,
        name=both.a.bias(bias).name,
        a=sides[0],
        b=sides[1],
        difference=difference,
        verdict=verdict,
        from_zero=_from_zero(s, verdict) if real else None,
        reason="unread" if real and _may_be_unread(bias, both) else None,
        half_width=None if isinstance(found, Withheld) else (found.high - found.low) / 2,
        paired=s.paired,
        paired_items=len(s.a) if s.paired else 0,
        left_out=s.left_out,
    )


def _from_zero(s: Samples, verdict: Verdict) -> Distance:
    """Whether B's effect is nearer to 0 than A's. Where b > a, |b| > |a| just where a + b > 0: the sum decides."""
    total = mean_difference(msgspec.structs.replace(s, a=-s.a)).estimate
    if isinstance(total, Withheld) or total.low <= 0 <= total.high:
        return "not shown"
    return "farther" if (total.value > 0) == (verdict == "higher") else "nearer"


def _may_be_unread(bias: str, both: _Both) -> bool:
    """Whether reading failed so much or so unevenly that the unread replies could make the difference vanish."""
    shares = [[1 - arm.read / arm.replies for arm in r.bias(bias).arms.values()] for r in (both.a, both.b)]
    if all(max(own) - min(own) <= UNREAD_GAP and max(own) <= UNREAD_MOST for own in shares if own):
        return False
    a, b = both.a.effects, both.b.effects
    worst = (both.samples([bias], *both.magnitudes(*ends)) for ends in ((a.high, b.low), (a.low, b.high)))
    low, high = (float(s.b.mean() - s.a.mean()) for s in worst)
    return low <= 0 <= high


def _why_withheld(bias: str, found: Withheld, both: _Both) -> str:
    if paradigm(both.a.bias(bias).paradigm).intensities and not both.intensities:
        return "no intensity was run in both"
    own = [(name, run.bias(bias).effect) for name, run in (("A", both.a), ("B", both.b))]
    return "; ".join(f"{name}: {e.withheld}" for name, e in own if isinstance(e, Withheld)) or found.withheld


def beside_effects(run: BiasRun, arms: Sequence[str]) -> tuple[Floats, Floats]:
    """For each item, over its replies in these arms: how much more often than chance the first place was chosen, and
    the share that could not be read. NaN where there is nothing to go by."""
    columns = (SINGLE, *(arm for arm in arms if arm != DEBIAS), *(METHODS if DEBIAS in arms else ()))
    table = run.counted.table()
    wanted = np.isin(table.column, [COLUMN_OF[column] for column in columns])
    unread = np.isnan(table.score).astype(np.float64)
    return first_place(run.counted, wanted), item_means(unread, table.item, wanted, len(run.blocks))


def _shift(s: Samples, *, least: float = -1.0) -> Shift:
    a, b = (mean_effect(*own).estimate for own in ((s.a, s.a_clusters), (s.b, s.b_clusters)))
    a, b = (msgspec.structs.replace(e, low=max(least, e.low)) if isinstance(e, Estimate) else e for e in (a, b))
    tested = mean_difference(s, scale=1.0)
    found = tested.estimate
    verdict: Verdict = "withheld"
    if isinstance(found, Estimate):
        verdict = "higher" if found.low > 0 else "lower" if found.high < 0 else "no difference shown"
    return Shift(a=a, b=b, difference=found, p=tested.p, verdict=verdict, paired=s.paired)

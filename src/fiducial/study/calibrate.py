"""Is the estimator right? Subjects whose bias is known are measured many times, and estimates are held against truth.

Everything a run does is done here but for the store: the battery's slots are filled from a fresh seed, simulated
subjects answer in words, the reader reads them, the estimator makes intervals and flags. So a fault anywhere on the way
shows as an interval that misses. The older formula (`older`) gets the same replies. In the extended tier, whose runs are
four times as long, every tenth run is held in words; in the others decisions are taken as they were made (`chats`).

Three kinds of subjects: `null` have no bias, `smooth` show the same effect in all items or effects that vary around it,
`lumpy` show the whole effect in some items and none in the others. For `spread` and `lumpy` the truth is the
expectation over items, which are drawn anew in every run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec import Struct

from fiducial.bias.estimates import estimate_biases
from fiducial.bias.item import Bias
from fiducial.bias.load import Battery
from fiducial.bias.own import check_own, with_own
from fiducial.bias.reading import Scored, Tally, score_reply
from fiducial.bias.result import Effect
from fiducial.bias.source import BiasSource, battery_source
from fiducial.model.request import Request
from fiducial.model.sim.spec import Spec, parse_spec
from fiducial.model.sim.subject import Decision, SimModel
from fiducial.run.plan import Trial, trial_seed
from fiducial.study.chats import as_decided, said, seeded, unspoken
from fiducial.study.older import susceptibilities
from fiducial.study.summary import Bound, Found, Outcome, Row, judge, summarise

NULL = ("first", "last", "letter:A", "coin", "fixed", "rational")
SMOOTH = (
    "planted:effect=.3",
    "planted:effect=-.3",
    "planted:effect=.3,position=.3",
    "planted:effect=.3,noise=.2",
    "planted:effect=.3,spread=.2",
)
LUMPY = tuple(f"planted:effect={effect},lumpy=1" for effect in (".05", ".1", ".4"))
EXTENDED_SPOKEN = 10
SUBJECTS = (*NULL, *SMOOTH, *LUMPY)


class Design(Struct, frozen=True, kw_only=True):
    """What is measured, and how often. Run k has the battery seed `seed + k`."""

    subjects: tuple[str, ...] = SUBJECTS
    runs: int = 220
    trials: int = 1
    arms: tuple[str, ...] = ("control", "strong")
    tier: str = "core"
    biases: tuple[str, ...] = ()  # none: the tier's, or people's own where there are any
    battery: tuple[str, ...] = ()  # where people's own are
    seed: int = 1
    spoken: int | None = None  # every so-manyth run is held in words; none: all, of the extended tier every tenth

    def in_words(self, k: int) -> bool:
        """Whether the replies of run k are put into words and read."""
        return k % (self.spoken or (EXTENDED_SPOKEN if self.tier == "extended" else 1)) == 0


class Calibration(Struct, frozen=True, kw_only=True):
    """The whole study."""

    design: Design
    biases: list[str]
    rows: list[Row]
    bounds: list[Bound]

    @property
    def missed(self) -> list[Bound]:
        """The bounds that do not hold."""
        return [bound for bound in self.bounds if bound.state == "missed"]


def calibrate(
    design: Design, *, workers: int | None = None, step: Callable[[], object] = lambda: None
) -> Calibration:
    """Make every run of the design, over all cores unless told otherwise; `step` is called after each.

    The result depends on the design alone, not on the number of workers.
    """
    specs = {text: _of_run(text, design.seed) for text in design.subjects}
    battery = _battery(design.battery)
    check_own(battery, _chosen(design))
    biases = [bias.id for bias in _chosen(design)]
    by_run: dict[int, list[Outcome]] = {}
    for k, outcomes in _made(design, workers or os.cpu_count() or 1):
        by_run[k] = outcomes
        step()
    collected: dict[str, list[Outcome]] = {text: [] for text in design.subjects}
    for k in sorted(by_run):
        for outcome in by_run[k]:
            collected[outcome.subject].append(outcome)
    rows = [summarise(specs[text], text, outcomes) for text, outcomes in collected.items()]
    return Calibration(design=design, biases=biases, rows=rows, bounds=judge(rows))


@lru_cache
def _battery(places: tuple[str, ...]) -> Battery:
    return with_own([Path(place) for place in places])


def _chosen(design: Design) -> list[Bias]:
    battery = _battery(design.battery)
    ids = design.biases or tuple(battery.own)
    return battery.select(ids, tier=None if ids or design.tier == "extended" else design.tier)


def _made(design: Design, workers: int) -> Iterator[tuple[int, list[Outcome]]]:
    if workers == 1:
        yield from ((k, one_run(design, k)) for k in range(design.runs))
        return
    with ProcessPoolExecutor(max_workers=workers) as pool:
        pending = {pool.submit(one_run, design, k): k for k in range(design.runs)}
        try:
            for done in as_completed(pending):
                yield pending[done], done.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _of_run(text: str, seed: int) -> Spec:
    """The subject with a seed of its own, so that other items have the large effects in every run."""
    return parse_spec(f"{text},seed={seed}" if text.startswith("planted") else text)


def one_run(design: Design, k: int) -> list[Outcome]:
    """Run k of every subject, all on the same questions."""
    seed = design.seed + k
    source = battery_source(_chosen(design), seed=seed)
    trials = list(source.trials(arms=design.arms, repetitions=design.trials))
    asked = [(trial, seeded(source.request(trial), trial_seed(seed, trial.id))) for trial in trials]
    return [
        _measured(text, _of_run(text, seed), source, asked, design, design.in_words(k)) for text in design.subjects
    ]


def _measured(
    text: str, spec: Spec, source: BiasSource, asked: Sequence[tuple[Trial, Request]], design: Design, spoken: bool
) -> Outcome:
    model = SimModel(spec)
    counted = Tally(source)
    misread = unread = 0
    for scored, decided in _answers(model, source, asked, spoken):
        counted.add(scored)
        unread += scored.score.value is None
        misread += scored.score.value is not None and not as_decided(scored, decided)
    older = {s.bias: s.value for s in susceptibilities(source, counted.table())}
    results = estimate_biases(source, counted, arms=design.arms).biases
    found = []
    for result in results:
        truth = spec.effect if spec.bias in (None, result.id) else 0.0
        one = Found(bias=result.id, truth=truth, older=older.get(result.id))
        if isinstance(result.effect, Effect):
            e = result.effect
            one = msgspec.structs.replace(one, value=e.value, low=e.low, high=e.high)
        found.append(one)
    return Outcome(
        subject=text,
        found=found,
        flagged=sum(result.flagged for result in results),
        replies=len(asked),
        spoken=len(asked) if spoken else 0,
        unread=unread,
        misread=misread,
    )


def _answers(
    model: SimModel, source: BiasSource, asked: Sequence[tuple[Trial, Request]], spoken: bool
) -> Iterator[tuple[Scored, Decision]]:
    """Every reply, read and scored, beside what the subject had decided."""
    for trial, request in asked:
        block, arm = source.arm(trial)
        prompt = source.prompt(trial.item, trial.arm, trial.order)
        decided = model.decide(request)
        if spoken:
            reply = said(model, request)
            yield score_reply(0, reply.text, reply.status, block, arm, prompt, trial.order), decided
        else:
            yield unspoken(decided, block, arm, prompt, trial), decided

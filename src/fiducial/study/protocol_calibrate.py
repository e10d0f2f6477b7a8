"""Is each protocol right? Chats with subjects whose behaviour under it is known, many times, estimates against truth.

Everything a run does is done but for the store: blocks are made from a fresh seed, chats are held turn by turn (`chats`),
and the protocol estimates. The truth of each estimate is in `protocol_known`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from fiducial.bias.block import METHODS_AT, STANDARD
from fiducial.bias.item import Bias
from fiducial.bias.load import Battery
from fiducial.bias.own import check_own, with_own
from fiducial.bias.protocols.base import Protocol
from fiducial.bias.protocols.registry import ROUNDS, estimate_protocols, open_protocols, protocol_blocks
from fiducial.bias.source import BiasSource, battery_source
from fiducial.errors import UsageError
from fiducial.model.sim.spec import Spec, parse_spec
from fiducial.model.sim.subject import SimModel
from fiducial.run.plan import Trial
from fiducial.study.chats import hold
from fiducial.study.protocol_known import STEADY, TRIED, known
from fiducial.study.protocol_summary import Interval, Row, intervals, judge, missed, summarise
from fiducial.study.summary import Bound

STEADY_RUNS = 10  # every so-manyth run of a subject that does the same in all
PROTOCOLS = tuple(TRIED)


class ChatDesign(Struct, frozen=True, kw_only=True):
    """What is measured, and how often. Run k has the battery seed `seed + k`, and every `spoken`-th is held in words."""

    protocols: tuple[str, ...] = PROTOCOLS
    subjects: tuple[str, ...] = ()  # none: those of each protocol
    runs: int | None = None  # none: as many as the protocol needs for its bounds
    trials: int | None = None  # none: as many as it needs for an estimate
    at: str = METHODS_AT
    rounds: int = ROUNDS
    biases: tuple[str, ...] = ()  # none: those of each protocol
    battery: tuple[str, ...] = ()
    seed: int = 1
    spoken: int = 25


class ChatCalibration(Struct, frozen=True, kw_only=True):
    """The whole study."""

    design: ChatDesign
    biases: dict[str, list[str]]
    rows: list[Row]
    bounds: list[Bound]

    @property
    def missed(self) -> list[Bound]:
        """The bounds that do not hold."""
        return missed(self.bounds)


class Heard(Struct, frozen=True, kw_only=True):
    """One run of one subject under one protocol."""

    protocol: str
    subject: str
    truth: float
    found: list[Interval]
    spoken: int
    unread: int
    misread: int


def calibrate_protocols(
    design: ChatDesign, *, workers: int | None = None, step: Callable[[], object] = lambda: None
) -> ChatCalibration:
    """Make every run of the design; `step` is called after each. The result does not depend on the number of workers."""
    biases = {name: [bias.id for bias in _chosen(design, name)] for name in design.protocols}
    for name in design.protocols:
        for text in _subjects(design, name):
            _of_run(text, design.seed)  # an impossible one is refused before anything runs
        blocks_of(design, name, design.seed)
    collected: dict[tuple[str, str], dict[int, Heard]] = {
        (name, text): {} for name in design.protocols for text in _subjects(design, name)
    }
    for k, heard in _made(design, workers or os.cpu_count() or 1):
        for one in heard:
            collected[one.protocol, one.subject][k] = one
        step()
    rows = [_row(*key, [runs[k] for k in sorted(runs)]) for key, runs in collected.items()]
    bounds = [b for name in design.protocols for b in _judged(name, rows)]
    return ChatCalibration(design=design, biases=biases, rows=rows, bounds=bounds)


def _judged(name: str, rows: list[Row]) -> list[Bound]:
    return judge(name, [row for row in rows if row.protocol == name], each=TRIED[_kind(name)].each)


def runs_of(design: ChatDesign, name: str) -> int:
    """How many runs of a protocol there are."""
    return design.runs or TRIED[_kind(name)].runs


def _row(protocol: str, subject: str, runs: list[Heard]) -> Row:
    return summarise(
        protocol,
        subject,
        [run.found for run in runs],
        lumpy=parse_spec(subject).lumpy,
        truth=runs[0].truth if runs else 0.0,
        heard=(sum(r.spoken for r in runs), sum(r.unread for r in runs), sum(r.misread for r in runs)),
    )


def _made(design: ChatDesign, workers: int) -> Iterator[tuple[int, list[Heard]]]:
    todo = [(name, k) for name in design.protocols for k in range(runs_of(design, name))]
    if workers == 1:
        yield from ((k, one_run(design, name, k)) for name, k in todo)
        return
    with ProcessPoolExecutor(max_workers=workers) as pool:
        pending = {pool.submit(one_run, design, name, k): k for name, k in todo}
        try:
            for done in as_completed(pending):
                yield pending[done], done.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def one_run(design: ChatDesign, name: str, k: int) -> list[Heard]:
    """Run k of a protocol with every subject, all in the same chats. Steady subjects take part in every tenth run."""
    seed = design.seed + k
    protocol, source = blocks_of(design, name, seed)
    repetitions = design.trials or TRIED[_kind(name)].repetitions
    trials = list(source.trials(repetitions=repetitions))
    found = []
    for text in _subjects(design, name):
        if text in STEADY and k % STEADY_RUNS:
            continue
        found.append(_heard(design, name, protocol, source, trials, text, k))
    return found


def _heard(
    design: ChatDesign,
    name: str,
    protocol: Protocol,
    source: BiasSource,
    trials: list[Trial],
    text: str,
    k: int,
) -> Heard:
    seed = design.seed + k
    spec = _of_run(text, seed)
    held = hold(source, SimModel(spec), trials, seed=seed, spoken=k % design.spoken == 0)
    blocks = list(source.blocks.values())
    (result,) = estimate_protocols([protocol], source.biases, blocks, held.answers)
    truth = known(_kind(name), spec, blocks, result)
    return Heard(
        protocol=name,
        subject=text,
        truth=truth.main,
        found=intervals(result, truth),
        spoken=held.spoken,
        unread=held.unread,
        misread=held.misread,
    )


def blocks_of(design: ChatDesign, name: str, seed: int) -> tuple[Protocol, BiasSource]:
    """The protocol and its blocks from this battery seed."""
    (protocol,) = open_protocols([name], at=design.at, rounds=design.rounds)
    plain = battery_source(_chosen(design, name), seed=seed)
    more, left_out = protocol_blocks([protocol], plain.biases, plain.standard)
    if not more:
        why = "; ".join(left_out[protocol.name]) or "no item of the battery fits it"
        raise UsageError(f"--protocol {name}: nothing to calibrate: {why}.")
    return protocol, BiasSource(plain.biases.values(), more)


def _chosen(design: ChatDesign, name: str) -> list[Bias]:
    battery = _battery(design.battery)
    ids = design.biases or tuple(battery.own) or TRIED[_kind(name)].biases
    chosen = battery.select(ids)
    check_own(battery, chosen)
    return chosen if ids else [bias for bias in chosen if any(item.chain for item in bias.items)]


@lru_cache
def _battery(places: tuple[str, ...]) -> Battery:
    return with_own([Path(place) for place in places])


def _subjects(design: ChatDesign, name: str) -> tuple[str, ...]:
    return design.subjects or TRIED[_kind(name)].subjects


def _kind(name: str) -> str:
    """`compound` of `compound:expert`."""
    return name.partition(":")[0]


def _of_run(text: str, seed: int) -> Spec:
    """The subject with a seed of its own, so that other items have the large effects in every run."""
    return parse_spec(f"{text},seed={seed}" if text.startswith("planted") else text)


def check_protocols(names: Iterable[str]) -> tuple[str, ...]:
    """The names of protocols to calibrate, `all` being every one; others are refused with the nearest."""
    found: list[str] = []
    for name in names:
        if name == STANDARD:
            raise UsageError("--protocol standard: that is what is calibrated without --protocol.")
        if name != "all":
            open_protocols([name], at=METHODS_AT, rounds=ROUNDS)
        found += PROTOCOLS if name == "all" else [name]
    return tuple(dict.fromkeys(found))

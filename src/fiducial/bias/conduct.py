"""A bias run as commands and programs want it: from what was asked for to the stored result, in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec import Struct

from fiducial.bias.block import METHODS_AT, STANDARD
from fiducial.bias.judging import reading_judge
from fiducial.bias.likelihood import check_way
from fiducial.bias.load import Battery
from fiducial.bias.protocols.registry import ROUNDS
from fiducial.bias.result import RunResult
from fiducial.bias.run import BiasOptions, Prepared, collect_run, judge_run, prepare_run, rescore
from fiducial.bias.source import ARMS
from fiducial.bias.stopping.until import REPETITIONS, parse_until
from fiducial.errors import UsageError
from fiducial.judge.asking import appoint
from fiducial.model.base import Model
from fiducial.run.calls import Calls
from fiducial.run.conducted import Conducted, Show
from fiducial.run.limits import Limits

TRIALS = 3
NO_JUDGE = "none"


def bias_options(
    model: str,
    calls: Calls,
    *,
    tier: str | None = None,
    biases: Iterable[str] = (),
    arms: Iterable[str] = ARMS,
    protocols: Iterable[str] = (),
    at: str = METHODS_AT,
    rounds: int = ROUNDS,
    trials: int | None = None,
    until: str | None = None,
    read: str = "text",
    judge: str | None = None,
    system: str | None = None,
) -> BiasOptions:
    """What decides the plan. What was not said depends on the rest: a stopping rule needs a pool to draw from, and
    probabilities need no repetition."""
    if read == "logprobs" and judge not in (None, NO_JUDGE):
        raise UsageError("--read logprobs reads probabilities, not texts: it leaves nothing to a judge.")
    check_way(read, model)  # before a model is opened: it must not cost a key, let alone a call
    return BiasOptions(
        model=model,
        tier=tier or ("core" if until else "quick"),
        biases=tuple(biases),
        arms=tuple(dict.fromkeys(arm.strip() for arm in arms if arm.strip())),
        trials=trials or (REPETITIONS if until else 1 if read == "logprobs" else TRIALS),
        seed=calls.seed,
        settings=calls.settings(),
        system=system,
        protocols=tuple(protocols) or (STANDARD,),
        at=at,
        rounds=rounds,
        until=parse_until(until) if until else None,
        read=read,
    )


class Reader(Struct, frozen=True):
    """Who reads what the rules cannot: `none` is nobody, and a name of None leaves it as the run has it."""

    name: str | None = None
    model: Model | None = None
    limits: Limits = Limits()

    @classmethod
    def named(cls, name: str | None, calls: Calls) -> Reader:
        """Opened before the first call: a wrong name or a missing key must cost nothing."""
        if name in (None, NO_JUDGE):
            return cls(name)
        return cls(name, calls.open(name), calls.limits(name))


def conduct(
    battery: Battery,
    options: BiasOptions,
    subject: Model,
    calls: Calls,
    *,
    limits: Limits,
    reader: Reader,
    announce: Callable[[Prepared], None],
    show: Show,
) -> Conducted[RunResult]:
    """Plan, collect, judge and score. `announce` is told the plan before anything is asked or written."""
    reuse = calls.reused()
    prepared = prepare_run(battery, options, out=calls.out)
    announce(prepared)

    def judge() -> str | None:
        return _judge(prepared.path, reader, calls, show)

    collected = collect_run(
        prepared,
        subject,
        options,
        limits=limits,
        budget=calls.spending(),
        progress=show(options.model),
        reuse=reuse,
        judge=judge,
    )
    stopped = collected.stopped or judge()
    return Conducted(prepared.path, rescore(prepared.path).result, stopped)


def _judge(path: Path, reader: Reader, calls: Calls, show: Show) -> str | None:
    """Let the judge read what is open; the reason it stopped, where it did."""
    if reader.name == NO_JUDGE:
        appoint(path, [])
    if reader.model is None or reader.name is None:
        return None
    return judge_run(
        path,
        reading_judge(reader.name),
        reader.model,
        seed=calls.seed,
        limits=reader.limits,
        budget=calls.spending(),
        progress=show(f"judge {reader.name}"),
    ).stopped

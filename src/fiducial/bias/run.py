"""A bias run from its options to its result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from fiducial.bias.block import METHODS_AT, STANDARD
from fiducial.bias.changes import Changes, changes, readings_changed, remember, scored_as
from fiducial.bias.item import DOMAINS, Bias, ItemSpec
from fiducial.bias.judging import JudgeSource, wanted_trials
from fiducial.bias.likelihood import answer_only, check_way, settings_for
from fiducial.bias.load import Battery
from fiducial.bias.measure import measure
from fiducial.bias.own import check_own
from fiducial.bias.protocols.registry import ROUNDS, open_protocols, protocol_blocks
from fiducial.bias.reading import RunReader, tally
from fiducial.bias.result import RunResult
from fiducial.bias.source import ARMS, BiasSource, battery_source, check_arms, stored_source
from fiducial.bias.stopping.pool import Pool, make_pool
from fiducial.bias.stopping.until import Until, collect_until, same_rule
from fiducial.errors import UsageError
from fiducial.judge.asking import Asking, Judge, appoint, ask
from fiducial.judge.fence import secret_of
from fiducial.model.base import Model
from fiducial.model.request import Settings
from fiducial.run.audit import store_audit
from fiducial.run.budget import Budget
from fiducial.run.collect import Collected
from fiducial.run.engine import collect, run_async
from fiducial.run.limits import Limits
from fiducial.run.naming import run_path
from fiducial.run.plan import Plan, make_plan
from fiducial.run.progress import Progress
from fiducial.run.provenance import provenance
from fiducial.run.store import Store, prepare
from fiducial.run.writer import Writer

TIERS = ("quick", "core", "extended", "own")


class BiasOptions(Struct, frozen=True, kw_only=True):
    """What decides the plan of a bias run, and therefore its name."""

    model: str
    tier: str = "quick"
    biases: tuple[str, ...] = ()
    arms: tuple[str, ...] = ARMS
    trials: int = 3
    seed: int = 1
    settings: Settings = Settings(temperature=1.0)
    system: str | None = None
    protocols: tuple[str, ...] = (STANDARD,)
    at: str = METHODS_AT  # the intensity at which protocols other than the standard one compare
    rounds: int = ROUNDS
    until: Until | None = None
    read: str = "text"  # how replies are read: text, letter, logprobs


class Prepared(Struct, frozen=True):
    """A plan that is ready to be collected."""

    path: Path
    source: BiasSource
    plan: Plan
    meta: dict[str, object]
    pool: Pool | None = None  # what a stopping rule draws from, where there is one


def choose(battery: Battery, options: BiasOptions) -> list[Bias]:
    """The biases of the tier, and people's own beside them; with ids, those alone.

    `quick` takes one item of every domain; of questions of graded difficulty, one of each grade. People's own biases
    are taken whole in every tier: who gives a folder of items wants them asked.
    """
    if options.tier not in TIERS:
        raise UsageError(f"--tier {options.tier}: one of {', '.join(TIERS)}.")
    if options.tier == "own" and not battery.own:
        raise UsageError("--tier own: there are none; --battery DIR says where they are.")
    ids: Sequence[str] = options.biases
    if not ids and options.tier != "extended":
        tier = "own" if options.tier == "own" else "core"
        ids = [id for id in battery.biases if id in battery.own or battery.tier(id) == tier]
    chosen = battery.select(ids)
    if options.tier == "quick":
        chosen = [bias if bias.id in battery.own else _quick(bias) for bias in chosen]
    return chosen


def _quick(bias: Bias) -> Bias:
    return msgspec.structs.replace(bias, items=_one_a_domain(bias))


def _one_a_domain(bias: Bias) -> list[ItemSpec]:
    """Where items have grades, the k-th domain gives its first item of the k-th grade."""
    found = []
    for grade, domain in enumerate(DOMAINS, 1):
        own = [item for item in bias.items if item.domain == domain]
        fitting = [item for item in own if item.stratum in (None, grade)] or own
        found += fitting[:1]
    return found


def prepare_run(battery: Battery, options: BiasOptions, *, out: Path | None = None) -> Prepared:
    """Make the plan and name the run file; nothing is written yet."""
    chosen = choose(battery, options)
    check_own(battery, chosen)
    check_way(options.read, options.model)
    if options.read != "text" and options.protocols != (STANDARD,):
        raise UsageError(f"--read {options.read} is for the standard protocol; leave out --protocol.")
    asked = settings_for(options.read, options.settings)
    protocols = open_protocols(options.protocols, at=options.at, rounds=options.rounds)
    plain = battery_source(chosen, seed=options.seed)
    more, left_out = protocol_blocks(protocols, plain.biases, plain.standard)
    standard = plain.standard if options.read == "text" else answer_only(plain.standard)
    source = BiasSource(
        plain.biases.values(),
        [*(standard if STANDARD in options.protocols else ()), *more],
        settings=asked,
        system=options.system,
        read=options.read,
    )
    pool = _pool(source, options) if options.until else None
    fixed = source.trials(arms=options.arms, repetitions=options.trials, in_turns=options.tier == "quick")
    trials = list(pool.trials() if pool else fixed)
    if not trials:
        raise UsageError(_nothing(left_out, options.read))
    plan = make_plan(trials, source, seed=options.seed)
    settings = {
        "instrument": "bias",
        "model": options.model,
        "tier": options.tier,
        "biases": list(source.biases),
        "arms": list(options.arms),
        "trials": options.trials,
        "seed": options.seed,
        **msgspec.to_builtins(asked),
        "system": options.system,
    }
    if protocols:
        settings |= {"protocols": list(options.protocols), "at": options.at, "rounds": options.rounds}
    if options.until:
        settings |= {"until": str(options.until)}
    if options.read != "text":
        settings |= {"read": options.read}
    path = out or run_path("bias", options.model, options.tier, settings=settings, plan=plan)
    own = {bias: battery.own[bias] for bias in source.biases if bias in battery.own}
    made_of = {"battery": own} if own else {}
    meta = {"settings": settings, "provenance": {**provenance(), **made_of}, "left_out": left_out, **source.meta()}
    return Prepared(path, source, plan, meta, pool)


def _pool(source: BiasSource, options: BiasOptions) -> Pool:
    """What the stopping rule draws from. It needs items to choose among, and effects it knows the variance of."""
    if options.tier == "quick":
        raise UsageError("--until draws from all items of a tier: choose --tier core, extended or own.")
    if options.protocols != (STANDARD,):
        raise UsageError("--until is a rule for the standard protocol; leave out --until or --protocol.")
    check_arms(options.arms)
    return make_pool(source, arms=options.arms, repetitions=options.trials)


def _nothing(left_out: dict[str, dict[str, int]], read: str) -> str:
    if read != "text":
        return f"nothing to run: no item of the chosen biases that is answered with a letter alone (--read {read}) is left."
    why = [f"{name}: {reason}" for name, lost in left_out.items() for reason in lost]
    return "nothing to run: " + ("; ".join(why) or "no arm of the chosen biases is among --arms") + "."


def collect_run(
    prepared: Prepared,
    model: Model,
    options: BiasOptions,
    *,
    limits: Limits,
    budget: Budget,
    progress: Progress,
    reuse: Path | None = None,
    judge: Callable[[], str | None] = lambda: None,
) -> Collected:
    """Create or continue the run file and collect what is pending. With a stopping rule, `judge` reads between rounds
    what the rules cannot; it gives the reason why it stopped, where it did."""

    def pending(shown: Progress) -> Collected:
        work = collect(
            prepared.path,
            prepared.source,
            model,
            limits=limits,
            budget=budget,
            progress=shown,
            seed=options.seed,
            reuse=reuse,
        )
        return run_async(work)

    same_rule(prepared.path, options.until)
    if prepared.pool is not None and options.until is not None:
        return collect_until(
            prepared.path,
            prepared.plan,
            prepared.meta,
            prepared.pool,
            until=options.until,
            progress=progress,
            collect=pending,
            judge=judge,
        )
    prepare(prepared.path, prepared.plan, prepared.meta)
    return pending(progress)


def judge_run(
    path: Path, judge: Judge, model: Model, *, seed: int, limits: Limits, budget: Budget, progress: Progress
) -> Collected:
    """Put what the rules cannot read to the judge, and what comes back as no verdict once more."""
    appoint(path, [judge])
    secret = secret_of(path)
    with Store(path) as store:
        asking = JudgeSource(stored_source(store), secret=secret)

    def due(store: Store) -> Plan:
        source = stored_source(store)
        trials = wanted_trials(store, source, judge, RunReader(store, source).left_open())
        return make_plan(trials, asking, seed=seed)

    todo = [Asking(judge, asking, due)]
    return ask(path, model, todo, seed=seed, limits=limits, budget=budget, progress=progress)


class Rescored(Struct, frozen=True):
    """A result, and what it changed since the run was scored last (None: it never was)."""

    result: RunResult
    changes: Changes | None


def rescore(path: Path) -> Rescored:
    """Read, score and estimate again from the stored replies, and store the readings and the audit."""
    with Writer(path) as writer, Store(path) as store:
        source = stored_source(store)
        writer.transaction(remember)
        result = measure(store, source, tally(store, source, writer))
        changed = changes(store, result, readings_changed(writer.db))
        writer.transaction(lambda db: store_audit(db, result.audit))
        writer.set_meta("scored", scored_as(result))
    return Rescored(result, changed)


def look(path: Path) -> RunResult:
    """The result as it stands, without writing anything: also while the run is in flight."""
    with Store(path) as store:
        source = stored_source(store)
        return measure(store, source, tally(store, source))

"""A run that a stopping rule drives: rounds in the run file, and what became of them.

The plan in the file is the pool. Its trials have the role `pool` until the rule asks for them; then they are the
subject's, like those of any run. What was decided is stored in the same step, so a run that was killed at any moment
goes on as if nothing had been.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from fiducial.bias.reading import RunReader
from fiducial.bias.source import BiasSource
from fiducial.bias.stopping.pool import Pool, make_pool
from fiducial.bias.stopping.result import BiasStop, RoundNote, Stopping
from fiducial.bias.stopping.rule import Decided, next_round
from fiducial.bias.stopping.saving import saving
from fiducial.bias.stopping.sight import Sight, look
from fiducial.errors import UsageError
from fiducial.run.collect import Collected
from fiducial.run.plan import Plan, Trial
from fiducial.run.progress import Progress, Snapshot
from fiducial.run.store import SUBJECT, Store, prepare
from fiducial.run.writer import Writer

POOL = "pool"  # the role of trials that nobody has asked for
REPETITIONS = 20  # of every prompt, in a pool whose size was not given
NARROWEST = 0.02


class Until(Struct, frozen=True):
    """What is aimed at: intervals no wider than this."""

    width: float

    def __str__(self) -> str:
        return f"width={self.width:g}"


def parse_until(text: str) -> Until:
    """`width=0.3`."""
    name, equals, value = (part.strip() for part in text.partition("="))
    if name != "width" or not equals:
        raise UsageError(f"--until {text}: it is written width=W, as in --until width=0.3")
    try:
        width = float(value)
    except ValueError:
        raise UsageError(f"--until {text}: {value!r} is not a number; try width=0.3") from None
    if not NARROWEST <= width < 2:
        raise UsageError(
            f"--until {text}: effects lie between -1 and 1, so a width lies between {NARROWEST:g} and 2; try width=0.3"
        )
    return Until(width)


def decided(store: Store) -> Decided:
    """What the rule has decided so far."""
    found = store.meta("stopping")
    return Decided() if found is None else msgspec.convert(found, Decided)


def scores(store: Store, source: BiasSource) -> dict[str, float]:
    """The score of every reply by its trial; NaN where nothing was read."""
    reader = RunReader(store, source)
    found = {}
    for row in store.texts():
        value = reader.scored(row).score.value
        found[row.trial] = float("nan") if value is None else value
    return found


def same_rule(path: Path, until: Until | None) -> None:
    """Refuse to go on with a run file under another rule: its pool may be the same, its intervals are not."""
    if not path.exists():
        return
    with Store(path) as store:
        stored = (store.meta("settings") or {}).get("until")
    now = None if until is None else str(until)
    if stored != now:
        raise UsageError(
            f"{path}: holds another run (until was {stored!r}, is {now!r}). Choose another --out; `--reuse {path.stem}` "
            "takes over the replies that fit."
        )


def collect_until(
    path: Path,
    plan: Plan,
    meta: dict[str, object],
    pool: Pool,
    *,
    until: Until,
    progress: Progress,
    collect: Callable[[Progress], Collected],
    judge: Callable[[], str | None] = lambda: None,
) -> Collected:
    """Create or continue the run: collect what was asked for, let the judge read what is open, ask for more, until the
    rule has stopped, or waits for calls that failed, or something ends the run."""
    prepare(path, plan, meta, role=POOL)
    done = failed = 0
    while True:
        collected = collect(_Round(progress))
        done, failed = done + collected.done, failed + collected.failed
        stopped = collected.stopped or judge()
        total = Collected(done=done, failed=failed, stopped=stopped, fatal=collected.fatal)
        if stopped:
            return total
        with Store(path) as store:
            before = decided(store)
            now, trials = next_round(pool, scores(store, pool.source), before, width=until.width)
        if now == before:
            return total
        _ask(path, now, trials)
        if not trials:
            return total
        biases = len(now.rounds[-1])
        progress.say(
            f"round {len(now.rounds)}: {len(trials)} calls for {biases} {'bias' if biases == 1 else 'biases'}"
        )


def _ask(path: Path, now: Decided, trials: list[Trial]) -> None:
    """Store what was decided, and make its trials the subject's, in one transaction."""
    with Writer(path) as writer:

        def write(db: sqlite3.Connection) -> None:
            db.executemany(
                "UPDATE trial SET role = ? WHERE id = ? AND role = ?", ((SUBJECT, t.id, POOL) for t in trials)
            )
            db.execute("INSERT OR REPLACE INTO meta VALUES ('stopping', ?)", (msgspec.json.encode(now).decode(),))

        writer.transaction(write)


class _Round:
    """Shows a round as a run of its own: what was answered in earlier rounds is no news."""

    def __init__(self, shown: Progress) -> None:
        self._shown = shown

    def start(self, total: int, done: int) -> None:
        """Only what this round has to do."""
        self._shown.start(total - done, 0)

    def show(self, now: Snapshot) -> None:
        """As it is."""
        self._shown.show(now)

    def say(self, message: str) -> None:
        """As it is."""
        self._shown.say(message)

    def stop(self, now: Snapshot) -> None:
        """As it is."""
        self._shown.stop(now)


def stopping(store: Store, source: BiasSource) -> Stopping | None:
    """How the rule of a run went, as far as it has come; None for a run without one."""
    settings = store.meta("settings") or {}
    if not settings.get("until"):
        return None
    until = parse_until(str(settings["until"]))
    pool = make_pool(source, arms=settings["arms"], repetitions=settings["trials"])
    return outcome(pool, scores(store, source), decided(store), until)


def outcome(pool: Pool, scored: Mapping[str, float], now: Decided, until: Until) -> Stopping:
    """What a rule came to, given the scores of everything that was asked."""
    sights = {
        bias: look(pool, now.asked, scored, bias)
        for bias, items in pool.items.items()
        if any(item.block.id in now.asked for item in items)
    }
    calls = {bias: sum(note[bias].calls for note in now.rounds if bias in note) for bias in pool.items}
    return Stopping(
        until=str(until),
        width=until.width,
        over=now.over(pool),
        rounds=[RoundNote(calls=sum(m.calls for m in note.values()), biases=len(note)) for note in now.rounds],
        biases={bias: _bias_stop(pool, now, sights.get(bias), bias, calls[bias]) for bias in pool.items},
        saving=saving(pool, sights, sum(calls.values())),
    )


def _bias_stop(pool: Pool, now: Decided, seen: Sight | None, bias: str, calls: int) -> BiasStop:
    stop = now.stopped.get(bias)
    floor = None
    if seen is not None and seen.noise is not None and seen.width is not None:
        floor = seen.foreseen(seen.known, seen.between)
    return BiasStop(
        reason=stop.reason if stop else None,
        width=seen.width if seen else None,
        floor=floor,
        items=seen.used if seen else 0,
        of=len(pool.items[bias]),
        repetitions=seen.fewest if seen else 0,
        whole=seen is not None and seen.whole == seen.used,
        calls=calls,
    )

"""Looking at the replies of a large run: milliseconds for pages of the workbench, with and without filters.

`python -m benchmarks.browse [--replies N]`: a run file of the core battery with 200,000 replies of the subject and some of a
judge, put in by direct insertion; then every query that the pages make of it, the best of several passes. The later page and
the one before it lie in the middle of the run.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import msgspec

from benchmarks.reader import ARGUMENT
from fiducial.bias.load import packaged_battery
from fiducial.bias.read import READER_VERSION
from fiducial.bias.source import BiasSource, battery_source
from fiducial.judge.asking import Judge
from fiducial.model.request import Settings
from fiducial.report.replies import scope_of
from fiducial.run import schema
from fiducial.run.browse import WAITING, Filter, count, neighbours, page
from fiducial.run.plan import Plan, Trial, make_trial
from fiducial.run.store import SUBJECT, Store, add_trials, prepare
from fiducial.run.writer import Writer

JUDGE = Judge(model="sim/judge", prompt="benchmark")
ONE_IN = 20  # replies that are put to the judge
PASSES = 3
STATUSES = ("ok",) * 94 + ("truncated",) * 3 + ("empty", "refused", "filtered")


def make_run(path: Path, replies: int) -> BiasSource:
    """A run file of that many replies."""
    battery = packaged_battery()
    source = battery_source([b for b in battery.select(()) if b.tier == "core"], seed=1, settings=Settings())
    trials = list(islice(source.trials(repetitions=10**6), replies))
    prepare(path, Plan(tuple(trials), tuple(t.id for t in trials)), _meta(source))
    asked = [_question(trial) for trial in trials[::ONE_IN]]
    with Writer(path) as writer:

        def fill(db: sqlite3.Connection) -> None:
            add_trials(db, Plan(tuple(asked), tuple(t.id for t in asked)), JUDGE.role)
            db.execute("INSERT INTO part VALUES (1, x'00', 0, ?)", (b'{"messages":[]}',))
            db.executemany(
                """INSERT INTO reply (id, trial, model, status, text, body, asked, reported, attempts, started, seconds,
                                      checksum)
                   VALUES (?, ?, 'sim/coin', ?, ?, 1, '{"temperature":1.0,"max_tokens":1024,"seed":7}',
                           '{"model":"sim/coin","finish_reason":"stop","input_tokens":310,"output_tokens":120}',
                           1, 0, 1, x'')""",
                _replies(len(trials) + len(asked)),
            )
            db.create_function("checksum", 8, schema.checksum)
            db.execute(f"UPDATE reply SET checksum = checksum({schema.CHECKED})")
            db.executemany(
                "INSERT INTO reading VALUES (?, ?, ?, NULL, NULL, ?, ?, 'last-line', ?, ?)", _readings(len(trials))
            )

        writer.transaction(fill)
    return source


def _meta(source: BiasSource) -> dict[str, object]:
    settings = {"instrument": "bias", "model": "sim/coin", "seed": 1}
    judging = {JUDGE.role: msgspec.to_builtins(JUDGE)}
    return {"settings": settings, "judging": judging, "scored": {"reader": READER_VERSION}, **source.meta()}


def _question(trial: Trial) -> Trial:
    return make_trial(trial.item, JUDGE.role, trial.arm, order=trial.order, turn=1, parent=trial.id)


def _replies(count: int) -> Iterator[tuple[int, int, str, str]]:
    rng = random.Random(1)
    for seq in range(1, count + 1):
        status = rng.choice(STATUSES)
        argument = "\n\n".join(rng.sample(ARGUMENT, rng.choice((2, 4, 6))))
        yield seq, seq, status, f"{argument}\n\nAnswer: {rng.choice('AB')}" if status != "empty" else ""


def _readings(
    count: int,
) -> Iterator[tuple[int, str, str | None, int | None, int | None, float | None, str | None]]:
    rng = random.Random(2)
    for reply in range(1, count + 1):
        if rng.random() < 0.02:
            yield reply, "unreadable", None, None, None, None, "unreadable"
        else:
            yield reply, "read", "A", 2, 9, float(rng.random() < 0.5), None


FILTERS = {
    "no filter": Filter(),
    "the subject": Filter(role=SUBJECT),
    "a judge": Filter(role=JUDGE.role),
    "one bias": Filter(role=SUBJECT, items=("",)),  # its items are put in later
    "one arm, one repetition": Filter(role=SUBJECT, arms=("strong",), repetition=3),
    "withheld by a filter": Filter(role=SUBJECT, reply="filtered"),
    "failed (there is none)": Filter(role=SUBJECT, reply="failed"),
    "no reply yet (there is none)": Filter(role=SUBJECT, reply=WAITING),
    "unreadable": Filter(role=SUBJECT, reading="unreadable"),
    "ambiguous (there is none)": Filter(role=SUBJECT, reading="ambiguous"),
    "scored": Filter(role=SUBJECT, reading="scored"),
    "text that many have": Filter(role=SUBJECT, text="both sides"),
    "text that none has": Filter(role=SUBJECT, text="a needle"),
}


def best(work: Callable[[], object]) -> float:
    """Milliseconds, the best of several passes."""
    least = float("inf")
    for _ in range(PASSES):
        start = time.perf_counter()
        work()
        least = min(least, time.perf_counter() - start)
    return 1000 * least


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replies", type=int, default=200_000)
    replies = parser.parse_args().replies
    with tempfile.TemporaryDirectory() as held:
        path = Path(held) / "run.db"
        start = time.perf_counter()
        source = make_run(path, replies)
        print(
            f"{replies:,} replies, {path.stat().st_size / 1e6:.0f} MB, made in {time.perf_counter() - start:.0f} s"
        )
        first = next(iter(source.blocks.values())).bias
        items = tuple(block.id for block in source.blocks.values() if block.bias == first)
        print(
            f"{'milliseconds':<30} {'first page':>11} {'later page':>11} {'one back':>9} {'next':>6} {'count':>6} {'fit':>8}"
        )
        with Store(path) as store:
            for name, one in FILTERS.items():
                wanted = msgspec.structs.replace(one, items=items) if one.items else one
                show(store, name, wanted, replies // 2)
        print(f"what is known of the run, once a file: {best(lambda: scope_of(path)):.0f} ms")


def show(store: Store, name: str, wanted: Filter, middle: int) -> None:
    """Print one line."""
    times = [
        best(lambda: page(store, wanted)),
        best(lambda: page(store, wanted, after=middle)),
        best(lambda: page(store, wanted, before=middle)),
        best(lambda: neighbours(store, wanted, middle)),
        best(lambda: count(store, wanted)),
    ]
    told = "".join(f"{spent:>{width}.1f}" for spent, width in zip(times, (12, 12, 10, 7, 7), strict=True))
    print(f"{name:<30}{told} {count(store, wanted):>8,}")


if __name__ == "__main__":
    main()

"""Asking a judge: its calls are trials like any other, in the run file of what they judge.

The role of a judge's trials names its task, its model and the version of its prompt, so verdicts of another judge or
version are other verdicts. The parent of a trial is the trial whose reply is judged. What is no verdict is asked for
once more, as the next turn of that chat; what then is none stays invalid.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec
from msgspec import Struct

from fiducial.model.base import Model
from fiducial.model.held import HeldModel
from fiducial.run.budget import Budget
from fiducial.run.collect import Collected
from fiducial.run.engine import collect, run_async
from fiducial.run.limits import Limits
from fiducial.run.plan import Plan, Source, Trial, make_trial
from fiducial.run.progress import Progress
from fiducial.run.store import ANSWERED, Store, add_trials
from fiducial.run.writer import Writer

ATTEMPTS = 2
EVER = "judges"  # the key under which a run keeps all judges that it ever had


class Judge(Struct, frozen=True, kw_only=True):
    """Who judges what, and under which version of the prompt. `about` tells apart prompts of one task."""

    model: str
    prompt: str
    task: str = "read"
    about: str = ""

    @property
    def role(self) -> str:
        """The role of its trials."""
        return f"judge:{self.task}:{hashlib.sha256(f'{self.model} {self.prompt}'.encode()).hexdigest()[:12]}"


def appointed(store: Store) -> list[Judge]:
    """The judges that the run is scored with now."""
    found: dict[str, object] = store.meta("judging") or {}
    return [msgspec.convert(judge, Judge) for judge in found.values()]


def appoint(path: Path, judges: Sequence[Judge]) -> None:
    """From now on the run is scored with these judges. Earlier verdicts stay in the file, and so does who gave them."""
    now = {judge.role: judge for judge in judges}
    with Store(path) as store:
        known = {judge.role: judge for judge in (*ever_appointed(store), *judges)}
    with Writer(path) as writer:
        writer.set_meta("judging", now)
        writer.set_meta(EVER, known)


def ever_appointed(store: Store) -> list[Judge]:
    """The judges that the run is or was scored with, as far as the file names them, in the order of their appointment.

    A role alone does not tell the version of a prompt: it is a hash. Files of before this was kept name the last judges.
    """
    found: dict[str, object] = {**(store.meta(EVER) or {}), **(store.meta("judging") or {})}
    return [msgspec.convert(judge, Judge) for judge in found.values()]


def next_try(trial: Trial) -> Trial:
    """The trial that asks again after `trial`, which gave no verdict."""
    return make_trial(
        trial.item,
        trial.item_hash,
        trial.arm,
        order=trial.order,
        repetition=trial.repetition + 1,
        turn=trial.turn + 1,
        parent=trial.id,
    )


def said_by(store: Store, judge: Judge) -> dict[str, list[str]]:
    """What the judge has said so far, in order, by the id of the trial that asked first."""
    return said_as(store, judge.role)


def said_as(store: Store, role: str) -> dict[str, list[str]]:
    """The same for the judge of a role, whoever that was."""
    found: dict[str, list[str]] = {}
    first: dict[str, str] = {}
    for trial, parent, text in store.chats(role):
        asked = first.get(parent, trial) if parent is not None else trial
        first[trial] = asked
        found.setdefault(asked, []).append(text)
    return found


def wanted(
    first: Iterable[Trial], said: dict[str, list[str]], settled: Callable[[Trial, Sequence[str]], bool]
) -> list[Trial]:
    """The trials that are still to be asked: first tries, and second ones where the first did not settle it.

    A try that has no reply yet is among them; adding it to the run again changes nothing.
    """
    found = []
    for trial in first:
        texts = said.get(trial.id, [])
        if not texts:
            found.append(trial)
        elif len(texts) < ATTEMPTS and not settled(trial, texts):
            found.append(next_try(trial))
    return found


def in_order(trials: Sequence[Trial]) -> Plan:
    """A plan that keeps the order of the trials: those that share a document stay together."""
    return Plan(tuple(trials), tuple(f"turn:{trial.id}" for trial in trials))


class Asking(Struct, frozen=True):
    """What one judge is to be asked: its requests, and the trials that are open at any time."""

    judge: Judge
    source: Source
    due: Callable[[Store], Plan]


def ask(
    path: Path,
    model: Model,
    askings: Sequence[Asking],
    *,
    seed: int,
    limits: Limits,
    budget: Budget,
    progress: Progress,
) -> Collected:
    """Put everything that is due to the judges, one after the other, and what came back as no verdict once more.

    All judges are this model. It is opened when the first call is due, and stays open: what it has in its cache serves
    the second asking too. Where one judge stops for good (a wrong key, a budget), the others are not asked either: they
    would end the same way.
    """
    return run_async(_ask(path, model, askings, seed=seed, limits=limits, budget=budget, progress=progress))


async def _ask(
    path: Path,
    model: Model,
    askings: Sequence[Asking],
    *,
    seed: int,
    limits: Limits,
    budget: Budget,
    progress: Progress,
) -> Collected:
    collected = Collected(done=0, failed=0)
    async with AsyncExitStack() as stack:
        held = HeldModel(model, stack)
        for asking in askings:
            role = asking.judge.role
            tried: set[str] = set()
            for _ in range(ATTEMPTS):
                with Store(path) as store:
                    due, seen = asking.due(store), store.progressed(role)
                # what failed has had all its attempts: it waits for the next command, and is no second asking
                fresh = in_order([trial for trial in due.trials if trial.id not in tried])
                if tried and not fresh.trials:
                    break
                if fresh.trials or seen.answered < seen.trials:
                    _open(path, fresh, role)
                if not fresh.trials:
                    break
                tried |= {trial.id for trial in fresh.trials}
                collected = await collect(
                    path, asking.source, held, limits=limits, budget=budget, progress=progress, seed=seed, role=role
                )
                if len(fresh.trials) < len(due.trials):
                    _open(path, due, role)  # the failed ones again: they count as open
                if collected.stopped:
                    return collected
    return collected


def _open(path: Path, due: Plan, role: str) -> None:
    with Writer(path) as writer:
        writer.transaction(lambda db: _take_up(db, due, role))


def _take_up(db: sqlite3.Connection, due: Plan, role: str) -> None:
    """Make these the trials of the role that are open. What is no longer asked, because a parser or a list has changed
    since, is withdrawn: it stays in the file and counts for nothing, unless it is asked again."""
    db.execute("CREATE TEMP TABLE due (id TEXT PRIMARY KEY)")
    db.executemany("INSERT OR IGNORE INTO due VALUES (?)", ((trial.id,) for trial in due.trials))
    db.execute(
        f"UPDATE trial SET role = ? WHERE role = ? AND NOT {ANSWERED} AND id NOT IN (SELECT id FROM due)",
        (f"withdrawn:{role}", role),
    )
    db.execute(
        "UPDATE trial SET role = ? WHERE role = ? AND id IN (SELECT id FROM due)", (role, f"withdrawn:{role}")
    )
    db.execute("DROP TABLE due")
    add_trials(db, due, role)

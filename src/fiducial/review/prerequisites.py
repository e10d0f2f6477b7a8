"""What is there of each prerequisite of a gate, in the dataset and in the earlier runs that count; and what to type next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from msgspec import Struct

from fiducial.errors import command
from fiducial.judge.panel import members, panel_name
from fiducial.review import dataset as datasets
from fiducial.review import reviewer as reviewers
from fiducial.review.dataset import Dataset, MustFind, nothing_owned
from fiducial.review.plant.operators import stands
from fiducial.review.recall import FEWEST_RUNS
from fiducial.review.records import OPEN, Candidate
from fiducial.review.result import Recall, ReviewerResult, ReviewResult
from fiducial.review.reviewer import Reviewer
from fiducial.run.store import DEFAULT_FOLDER

ENOUGH = FEWEST_RUNS
LISTED = 4  # names in a sentence
RECORDED = "recorded/"  # begins the name of a model that is a folder of outputs
OTHER_WORDS = "another prompt of the judge"
READ = ("findings", "explicit_none")  # an output that says there is nothing has been read as well as any


class Found(Struct, frozen=True, kw_only=True):
    """What was looked up for one step. Without `missing` it is there; `stale` is there and ought to be looked after."""

    seen: str
    missing: str | None = None
    command: str | None = None
    stale: bool = False


class Earlier(Struct, frozen=True):
    """A run that counts, and this reviewer's part of it."""

    run: ReviewResult
    own: ReviewerResult


class Commands(Struct, frozen=True, kw_only=True):
    """What is to be typed. What nobody has named yet stands in capitals."""

    dataset: str
    reviewer: str
    model: str
    judge: str
    folder: Path
    newest: str | None  # the newest run that counts

    def run(self, *, runs: int | None = None, gate: bool = False) -> str:
        """Run the reviewer. A run of the same settings is continued, or shown, without a call."""
        recorded = self.model.startswith(RECORDED)  # such outputs are there, and as many as there are
        asked = ["--outputs", "DIR"] if recorded else ["--model", self.model]
        more = [*(["--runs", str(runs)] if runs and not recorded else []), *(["--gate"] if gate else [])]
        named = ["--reviewer", self.reviewer, *asked, "--judge", self.judge]
        return command("review", "run", self.dataset, *named, *more)

    def check(self, *options: str) -> str:
        """Look after the dataset's own records."""
        return command("review", "check", self.dataset, *options)

    @property
    def one_judge(self) -> str:
        """A zero-shot test has one judge: of a panel, the first."""
        return members([self.judge])[0]

    def propose(self) -> str:
        """Take candidates for the list from the newest run that counts."""
        return command("review", "propose", self._file(self.newest) if self.newest else "RUN", "--write")

    def confirm(self, candidate: str) -> str:
        """Put a candidate on the list, by way of its zero-shot test."""
        return command("review", "confirm", self.dataset, candidate, "--as", "must-find", "--judge", self.one_judge)

    def rejudge(self, run: str) -> str:
        """Judge the stored outputs of a run, in today's words. No reviewer is asked."""
        return command("review", "rejudge", self._file(run), "--judge", self.judge)

    def report(self, run: str) -> str:
        """Look at what a run found, and at what the judge said of it."""
        return command("report", self._file(run), "--open")

    def _file(self, run: str) -> str:
        return run if self.folder == DEFAULT_FOLDER else str(self.folder / f"{run}.db")


def commands_for(
    dataset: Dataset,
    reviewer: Reviewer | None,
    counted: Sequence[Earlier],
    model: str | None,
    judge: str | None,
    folder: Path,
) -> Commands:
    """Models that are not given are taken from the newest run that counts."""
    shipped = dataset.folder.parent == datasets.SHIPPED
    last = counted[-1].run if counted else None
    who = "REVIEWER"
    if reviewer is not None:
        named = reviewer.path.parent == reviewers.SHIPPED or not reviewer.prompt
        who = reviewer.name if named else str(reviewer.path)
    return Commands(
        dataset=dataset.folder.name if shipped else str(dataset.folder),
        reviewer=who,
        model=model or (last.model if last else "") or "MODEL",
        judge=judge or (panel_name(dict.fromkeys(last.judges.values())) if last and last.judges else "JUDGE"),
        folder=folder,
        newest=last.run if last else None,
    )


def frozen(dataset: Dataset, commands: Commands) -> Found:
    """Every document has a hash, and is the text that it is the hash of."""
    loose = [d.id for d in dataset.documents if d.frozen_hash is None]
    changed = [d.id for d in dataset.documents if d.changed]
    total = len(dataset.documents)
    seen = f"{total - len(loose) - len(changed)} of {_counted(total, 'document')} as frozen"
    said = [f"{listed(loose)} not frozen"] if loose else []
    said += (
        [f"{listed(changed)} changed since: the old text, or lists that fit the new one and --freeze"]
        if changed
        else []
    )
    command = commands.check() if changed else commands.check("--freeze")
    return Found(seen=seen, missing="; ".join(said), command=command) if said else Found(seen=seen)


def parse(counted: Sequence[Earlier], uncounted: Mapping[str, str], commands: Commands) -> Found:
    """Done by a run in which every document has an output that could be read: the rest is for the gate to count."""
    unread: Found | None = None
    for one in reversed(counted):
        outputs = one.own.outputs
        bad = ", ".join(f"{n} {status}" for status, n in outputs.items() if n and status not in READ)
        read, total = sum(outputs.get(status, 0) for status in READ), sum(outputs.values())
        seen = f"run {one.run.run}: {read} of {_counted(total, 'output')} read" + (f" ({bad})" if bad else "")
        none = [d.id for d in one.own.documents if not any(d.outputs.get(status) for status in READ)]
        if total and not none:
            return Found(seen=seen)
        missing = f"no output on {listed(none)} could be read" if none else "it has no output yet"
        unread = unread or Found(seen=seen, missing=missing, command=commands.run())
    if unread:
        return unread
    seen, command = "no stored run counts", commands.run()
    if uncounted:
        name, why = list(uncounted.items())[-1]
        if why.startswith(OTHER_WORDS):  # the outputs are as good as new ones
            command = commands.rejudge(name)
        seen += f": {name} had {why}" + (f", {len(uncounted) - 1} more" if len(uncounted) > 1 else "")
    return Found(seen=seen, missing="a run of the reviewer on these documents", command=command)


def precision(counted: Sequence[Earlier], commands: Commands) -> Found:
    """Done by a run with a finding that was judged genuine, or at least borderline."""
    none: Found | None = None
    for one in reversed(counted):
        found = one.own.precision
        seen = (
            f"run {one.run.run}: of {_counted(found.n, 'judged finding')}, "
            f"{found.genuine} genuine and {found.borderline} borderline"
        )
        if found.value is not None and found.value > 0:
            return Found(seen=seen)
        if none is None:
            failed = one.own.errors.get("reverse_judge_precision")
            missing = f"the scorer failed: {failed}" if failed else "a finding that is genuine"
            command = commands.run() if one.run.judges else commands.rejudge(one.run.run)
            none = Found(seen=seen, missing=missing, command=commands.report(one.run.run) if found.n else command)
    return none or Found(seen="no stored run counts", missing="a run with judged findings", command=commands.run())


def must_finds(
    dataset: Dataset,
    reviewer: Reviewer | None,
    wanted: Mapping[str, Sequence[MustFind]],
    queue: Sequence[Candidate],
    commands: Commands,
) -> Found:
    """Every document has a list, the reviewer is asked for something of it, and that has been looked for zero-shot."""
    total = sum(map(len, wanted.values()))
    texts = {d.id: d.text for d in dataset.documents}
    shown = {
        (d, i.id) for d, items in wanted.items() for i in items if not i.zero_shot and stands(i.planted, texts[d])
    }
    untested = [i.id for d, items in wanted.items() for i in items if not i.zero_shot and (d, i.id) not in shown]
    unseen = [item.id for items in wanted.values() for item in items if item.zero_shot and not item.zero_shot.found]
    tested = total - len(untested) - len(shown)
    seen = f"{_counted(total, 'must-find')}, {tested} with a zero-shot result"
    seen += f", {len(shown)} planted and verified in the document" if shown else ""
    if unseen:
        seen += f"; {listed(unseen)} not found there: does the document show it?"
    missing = None
    if empty := [d.id for d in dataset.documents if not d.must_find]:
        missing = f"a list of must-finds for {listed(empty)}"
    elif reviewer is not None and (nothing := nothing_owned(dataset.documents, reviewer.name)):
        missing = nothing.rstrip(".")
    if missing:
        waiting = [candidate.id for candidate in queue if candidate.state in OPEN]
        missing += f"; {_counted(len(waiting), 'candidate')} in the queue" if waiting else ""
        command = commands.confirm(waiting[0]) if waiting else commands.propose()
        return Found(seen=seen, missing=missing, command=command)
    if untested:
        missing = f"the zero-shot result of {listed(untested)}"
        return Found(seen=seen, missing=missing, command=commands.check("--judge", commands.one_judge))
    return Found(seen=seen)


def context(records: Sequence[Any], commands: Commands, today: date) -> Found:
    """A record is validated by a zero-shot test that did not find it, of a model that is known to find what is there."""
    if not records:
        return Found(seen="none recorded")
    visible = [r.id for r in records if r.zero_shot is not None and r.zero_shot.found]
    open_ = [r.id for r in records if r.id not in visible and not _validated(r)]
    due = [r.id for r in records if not r.review_after or str(r.review_after)[:10] < today.isoformat()]
    seen = f"{len(records) - len(visible) - len(open_)} of {_counted(len(records), 'record')} validated"
    command = commands.check("--judge", commands.one_judge)
    said = [f"{listed(visible)} can be seen in the document, and belongs among the must-finds"] if visible else []
    said += [f"a zero-shot test of {listed(open_)} by a calibrated model"] if open_ else []
    if said:
        return Found(seen=seen, missing="; ".join(said), command=command)
    return (
        Found(seen=f"{seen}; to be tested again: {listed(due)}", command=command, stale=True)
        if due
        else Found(seen=seen)
    )


def recall(counted: Sequence[Earlier], wanted: Mapping[str, Sequence[MustFind]], commands: Commands) -> Found:
    """Looks only at items that are on today's list: what was found of another list says nothing about this one."""
    asked = {(document, item.id, item.title) for document, items in wanted.items() for item in items}
    none: Found | None = None
    for one in reversed(counted):
        if not isinstance(one.own.recall, Recall):
            continue
        items = [i for i in one.own.recall.items if i.runs and (i.document, i.id, i.title) in asked]
        found = sum(i.detected > 0 for i in items)
        seen = f"run {one.run.run}: {found} of {_counted(len(items), 'must-find')} found at least once"
        if found:
            return Found(seen=seen)
        if items and none is None:
            none = Found(seen=seen, missing="a must-find that is found", command=commands.report(one.run.run))
    missing = "a run that was matched with today's list"
    seen = "no run that counts was matched with any of it" if counted else "no stored run counts"
    return none or Found(seen=seen, missing=missing, command=commands.run())


def runs(counted: Sequence[Earlier], model: str | None, commands: Commands) -> Found:
    """N belongs to a model, and is what every document has: outputs there are, not outputs that were planned."""
    best: tuple[int, Found] | None = None
    newest: dict[str, list[str]] = {}  # a model that its provider has replaced since is another one
    for one in reversed(counted):
        if model is not None and one.run.model != model:
            continue
        if newest.setdefault(one.run.model, one.run.versions) != one.run.versions:
            continue
        n = min((sum(d.outputs.values()) for d in one.own.documents), default=0)
        heat = one.run.settings.get("temperature")
        said = "a temperature that is not stored" if heat is None else f"temperature {heat}"
        seen = f"run {one.run.run}: {_counted(n, 'run')} of every document with {one.run.model} at {said}"
        if heat == 0:
            missing, rank = "runs at temperature 0 say nothing of how much runs differ", 0
        elif n < ENOUGH:
            missing, rank = f"{ENOUGH - n} more", n
        else:
            return Found(seen=seen)
        if best is None or rank > best[0]:
            best = rank, Found(seen=seen, missing=missing, command=commands.run(runs=ENOUGH))
    if best is not None:
        return best[1]
    seen = "no stored run counts" if model is None else f"no stored run of {model} counts"
    return Found(seen=seen, missing=f"{ENOUGH} runs", command=commands.run(runs=ENOUGH))


def _validated(record: Any) -> bool:
    tested = record.zero_shot is not None and record.zero_shot.calibration is not None
    return tested and getattr(record, "state", None) != "unvalidated"


def _counted(n: int, word: str) -> str:
    return f"{n} {word}" if n == 1 else f"{n} {word}s"


def listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more

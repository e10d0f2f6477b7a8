"""Whether a gate on this dataset and reviewer would mean anything yet: prerequisites, and what comes next.

Nothing here is a flag that somebody set. Every step is looked up in the dataset as it is now and in the results of
earlier runs, and holds as long as the documents, the reviewer and the judge's prompts are the ones those runs had. The
run that a gate is asked for is never among them: its own collapse to zero is a failed gate, and not "not ready".
"""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from fiducial.errors import FiducialError, command
from fiducial.judge.calibration import FOLDER as CALIBRATIONS
from fiducial.judge.calibration import Known
from fiducial.judge.genuine import genuine_version
from fiducial.judge.match import match_version
from fiducial.judge.panel import members, panel_name
from fiducial.judge.trust import Trust, trust_in
from fiducial.review import prerequisites as there
from fiducial.review.dataset import Dataset, all_context, items_for, load_dataset
from fiducial.review.judging import GENUINE, MATCH, genuine_judge, match_judge
from fiducial.review.prerequisites import ENOUGH, OTHER_WORDS, Earlier, Found, commands_for, listed
from fiducial.review.records import Candidate
from fiducial.review.result import ReviewResult
from fiducial.review.reviewer import Reviewer
from fiducial.run.store import DEFAULT_FOLDER, Store

State = Literal["done", "missing", "blocked", "warning"]

TITLES = {
    "frozen": "documents frozen",
    "parse": "outputs parse",
    "precision": "precision above zero",
    "must_find": "must-finds curated, each with its zero-shot result",
    "context": "context-dependent findings validated",
    "recall": "recall above zero on the curated list",
    "runs": f"{ENOUGH} runs or more at production temperature",
    "judge": "judge calibrated",
    "gates": "gates enforceable",
}


SHORT = {
    "exploratory": "exploratory: too few labels",
    "planted": "from planted flaws alone, which decide no gate",
    "expired": "expired",
    "unknown": "missing",
}


class Step(Struct, frozen=True, kw_only=True):
    """One prerequisite. `blocked`: not there, and a step before it is not there either. A `warning` stops nothing.

    `command` is what would bring it about; a step that is blocked has none yet.
    """

    id: str
    title: str
    state: State
    seen: str
    missing: str | None = None
    command: str | None = None
    after: tuple[str, ...] = ()  # the steps it rests on


class Readiness(Struct, frozen=True, kw_only=True):
    """The steps in order, and the earlier runs that say nothing about today, with the reason."""

    dataset: str
    reviewer: str | None
    model: str | None
    judge: str | None
    steps: tuple[Step, ...]
    uncounted: dict[str, str] = {}

    @property
    def enforceable(self) -> bool:
        """Whether a gate may be asked for. One that is `strict` needs a calibrated judge too: see `to_refuse`."""
        return self.step("gates").state == "done"

    @property
    def next_command(self) -> str:
        """The command that comes next: what brings about the first step that is missing, or the gate itself."""
        due = next((s for s in self.steps if s.state == "missing" and s.command), self.step("gates"))
        return due.command or ""

    def step(self, name: str) -> Step:
        """The step of that id."""
        return next(step for step in self.steps if step.id == name)

    def to_refuse(self, strict: bool) -> list[str]:
        """Why a gate cannot be decided yet, one line a step, with the command where there is one. Empty: it can."""
        wanted = [s for s in self.steps if s.id != "gates" and s.state in ("missing", "blocked")]
        if strict:
            wanted += [s for s in self.steps if s.id == "judge" and s.state != "done"]
        return [
            f"{step.title}: {step.missing or step.seen}" + (f". Next: {step.command}" if step.command else "")
            for step in wanted
        ]


def readiness(
    dataset: Dataset,
    reviewer: Reviewer | None,
    earlier: Sequence[ReviewResult],
    *,
    model: str | None = None,
    judge: str | None = None,
    context_records: Sequence[Any] = (),
    candidates: Sequence[Candidate] = (),
    calibrations: Known = CALIBRATIONS,
    folder: Path = DEFAULT_FOLDER,
    today: date | None = None,
) -> Readiness:
    """The graph for one reviewer; without a reviewer, as much of it as the dataset alone can tell.

    `earlier` is in order of time, the newest last; any one of them that counts suffices for a step. Without `model`
    the number of runs may be that of any one model. `context_records` have `zero_shot`, `review_after` and `state`;
    `candidates` are what is in the queue.
    """
    counted, uncounted = _sorted_out(dataset, reviewer, earlier)
    commands = commands_for(dataset, reviewer, counted, model, judge, folder)
    wanted = {
        d.id: d.must_find or () if reviewer is None else items_for(d, reviewer.name) for d in dataset.documents
    }
    records = [r for r in context_records if reviewer is None or _owner(r) in (None, reviewer.name)]
    found = {
        "frozen": there.frozen(dataset, commands),
        "parse": there.parse(counted, uncounted, commands),
        "precision": there.precision(counted, commands),
        "must_find": there.must_finds(dataset, reviewer, wanted, candidates, commands),
        "context": there.context(records, commands, today or datetime.now(UTC).date()),
        "recall": there.recall(counted, wanted, commands),
        "runs": there.runs(counted, model, commands),
    }
    steps = _chained(found)
    waiting = next((step.title for step in steps if step.state == "missing"), None)
    gates = Step(
        id="gates",
        title=TITLES["gates"],
        state="blocked" if waiting else "done",
        seen="a gate would be refused" if waiting else "every step before it is there",
        missing=f"first: {waiting}" if waiting else None,
        command=None if waiting else commands.run(runs=ENOUGH, gate=True),
        after=(steps[-1].id,),
    )
    day = today or datetime.now(UTC).date()
    steps += [_judged(judge, judge_trust(dataset, judge, today=day, folder=calibrations)), gates]
    return Readiness(
        dataset=dataset.name,
        reviewer=None if reviewer is None else reviewer.name,
        model=model,
        judge=judge,
        steps=tuple(steps),
        uncounted=uncounted,
    )


def earlier_results(
    folder: Path, dataset_name: str, *, but: Path | None, note: Callable[[str], None] | None = None
) -> list[ReviewResult]:
    """The results of the stored review runs of this dataset, the one that changed last at the end; no calls.

    `but` is the run that is being made now. A file that cannot be read is passed over, and `note` is told of it; without
    a `note`, that is a Python warning.
    """
    from fiducial.review.run import look  # noqa: PLC0415  (a run asks for readiness before it begins)

    tell = note or (lambda message: warnings.warn(message, stacklevel=3))
    own = None if but is None else but.resolve()
    found: list[tuple[float, str, ReviewResult]] = []
    for path in folder.glob("*.db"):
        if path.resolve() == own:
            continue
        try:
            with Store(path, check=False) as store:
                settings = _mapping(store.meta("settings"))
            if settings.get("instrument") == "review" and settings.get("dataset") == dataset_name:
                found.append((path.stat().st_mtime, path.stem, look(path)))
        except (FiducialError, sqlite3.Error, msgspec.MsgspecError, OSError) as error:
            tell(f"{path} was passed over: {error}")
    return [result for _, _, result in sorted(found, key=lambda one: one[:2])]


def readiness_of_run(path: Path) -> list[Readiness]:
    """The graphs of a stored run's reviewers, from the runs beside it, itself among them.

    None where the dataset is no longer where it was.
    """
    from fiducial.review.reading import RunReader  # noqa: PLC0415  (as above)

    with Store(path) as store:
        reader = RunReader(store)
        settings, folder = _mapping(store.meta("settings")), store.meta("folder")
    try:
        dataset = load_dataset(Path(str(folder)))
    except FiducialError:
        return []
    context = all_context(dataset)
    earlier = earlier_results(path.parent, dataset.name, but=None, note=lambda _: None)
    return [
        readiness(
            dataset,
            Reviewer(name=known.name, description="", prompt=known.prompt, model=None, path=Path()),
            earlier,
            model=str(settings.get("model", "")),
            judge=panel_name(reader.seats) if reader.seats else None,
            context_records=context,
            folder=path.parent,
        )
        for known in reader.source.reviewers.values()
    ]


def _chained(found: Mapping[str, Found]) -> list[Step]:
    """Each step rests on the one before. What is there is done, whatever is missing before it."""
    steps: list[Step] = []
    for name, one in found.items():
        state: State = "warning" if one.stale else "done"
        if one.missing:
            state = "blocked" if any(step.missing for step in steps) else "missing"
        steps.append(
            Step(
                id=name,
                title=TITLES[name],
                state=state,
                seen=one.seen,
                missing=one.missing,
                command=None if state == "blocked" else one.command,
                after=(steps[-1].id,) if steps else (),
            )
        )
    return steps


def _sorted_out(
    dataset: Dataset, reviewer: Reviewer | None, earlier: Sequence[ReviewResult]
) -> tuple[list[Earlier], dict[str, str]]:
    """The earlier runs that count today, and why the others of this reviewer do not."""
    counted: list[Earlier] = []
    uncounted: dict[str, str] = {}
    prompts = {f"genuine:{d.review_type}": genuine_version(d.review_type) for d in dataset.documents}
    prompts["match"] = match_version()
    for run in earlier:
        own = next((r for r in run.reviewers if reviewer is not None and r.name == reviewer.name), None)
        if reviewer is None or own is None:
            continue
        if changed := _changed(run, dataset, reviewer, prompts):
            uncounted[run.run] = changed
        else:
            counted.append(Earlier(run, own))
    return counted, uncounted


def _changed(run: ReviewResult, dataset: Dataset, reviewer: Reviewer, prompts: Mapping[str, str]) -> str | None:
    """What is no longer as it was in that run."""
    then = _mapping(run.settings.get("document_hashes"))
    now = {d.id: d.hash for d in dataset.documents}
    if then != now:
        other = sorted(name for name in {*then, *now} if then.get(name) != now.get(name))
        return f"another text, or another set, of documents ({listed(other)})"
    if _mapping(run.settings.get("reviewer_hashes")).get(reviewer.name) != reviewer.hash:
        return "another prompt of the reviewer"
    # A task that the run had no use for has no version there; one that it had must be asked in today's words.
    asked = {task: version for task, version in run.prompts.items() if task.split(":")[0] in ("genuine", "match")}
    if other := sorted(task for task, version in asked.items() if prompts.get(task) != version):
        return f"{OTHER_WORDS} ({listed(other)})"
    return None


def judge_trust(dataset: Dataset, judge: str | None, *, today: date, folder: Known = CALIBRATIONS) -> list[Trust]:
    """What is known of the judge, in every task that a run on the dataset would ask it."""
    if judge is None:
        return []
    asked = [genuine_judge(judge, own) for own in sorted({d.review_type for d in dataset.documents})]
    if any(d.must_find for d in dataset.documents):
        asked.append(match_judge(judge))
    return [trust_in(one, today=today, folder=folder) for one in asked]


def _judged(judge: str | None, trusts: Sequence[Trust]) -> Step:
    """Precision is decided by what people say of findings. Whether a must-find is in a list is plain to see, and planted
    ones show how well a judge sees it."""
    lacking = [t for t in trusts if not (t.holds or (t.task == MATCH and t.state == "planted"))]
    who = judge or "the judge"
    if trusts and not lacking:
        return Step(id="judge", title=TITLES["judge"], state="done", seen=f"{who} is calibrated")
    seen = f"how often {who} errs is not known"
    if lacking and all(t.calibration for t in lacking):
        seen = "; ".join(f"{t.task}: the calibration of {who} is {SHORT[t.state]}" for t in lacking)
    following = None
    if lacking and judge is not None:
        seats = [word for name in members([judge]) for word in ("--judge", name)]
        cases = "labels:RUN" if lacking[0].task == GENUINE else "planted:DATASET"
        following = command("judge", "calibrate", *seats, "--task", lacking[0].task, "--set", cases)
    missing = "a calibration; only a strict gate needs it"
    return Step(id="judge", title=TITLES["judge"], state="warning", seen=seen, missing=missing, command=following)


def _owner(record: Any) -> str | None:
    owner: str | None = getattr(record, "reviewer", None)
    return owner


def _mapping(value: object) -> Mapping[str, Any]:
    """A setting that ought to be a mapping; a run of another make may have anything there."""
    return value if isinstance(value, Mapping) else {}

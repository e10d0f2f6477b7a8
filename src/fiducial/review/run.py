"""A review run from its options to its result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from fiducial.errors import UsageError
from fiducial.judge.asking import Asking, Judge, appoint, ask
from fiducial.judge.document import MAX_TOKENS
from fiducial.judge.fence import secret_of
from fiducial.judge.panel import refuse_twice
from fiducial.model.base import Model
from fiducial.model.request import Settings
from fiducial.model.sim.judge_spec import is_simulated_judge
from fiducial.review.corrected import run_labels
from fiducial.review.dataset import Dataset
from fiducial.review.frozen import gone
from fiducial.review.judging import Case, genuine_judge, match_judge
from fiducial.review.measure import GATE, measure
from fiducial.review.output import Output
from fiducial.review.reading import MUST_FIND, RunReader, prompt_sizes
from fiducial.review.result import Gate, ReviewResult
from fiducial.review.reviewer import Reviewer
from fiducial.review.source import Paper, Prompted, Recorded, ReviewSource
from fiducial.run.audit import store_audit
from fiducial.run.budget import Budget
from fiducial.run.collect import CHARACTERS_A_TOKEN, Collected
from fiducial.run.engine import collect, run_async
from fiducial.run.limits import Limits
from fiducial.run.naming import run_path
from fiducial.run.plan import Plan, make_plan
from fiducial.run.progress import Progress
from fiducial.run.provenance import provenance
from fiducial.run.store import Store, prepare
from fiducial.run.writer import Writer

JUDGE_TOKENS = "judge_tokens"
MANY_TOKENS = 150_000
REVIEWER_TOKENS = 2000  # of a reviewer's own prompt
SECOND_ASKING = 1000  # tokens of the judge's first reply, sent back to it


class ReviewOptions(Struct, frozen=True, kw_only=True):
    """What decides the plan of a review run, and therefore its name."""

    model: str
    runs: int = 1
    seed: int = 1
    settings: Settings = Settings(temperature=1.0)


class Prepared(Struct, frozen=True):
    """A plan that is ready to be collected."""

    path: Path
    source: ReviewSource
    plan: Plan
    meta: dict[str, object]
    scored_with: dict[str, object]  # what may change under a run that exists: its lists of must-finds


def prepare_run(
    dataset: Dataset,
    reviewers: Sequence[Reviewer],
    options: ReviewOptions,
    *,
    recorded: Sequence[Recorded] = (),
    out: Path | None = None,
) -> Prepared:
    """Make the plan and name the run file; nothing is written yet."""
    if options.runs > 1 and options.settings.temperature == 0 and not recorded:
        raise UsageError(
            f"--runs {options.runs} --temperature 0: repetitions at temperature 0 measure the provider's noise, not how "
            "reliably the reviewer finds things. Use the temperature it has in production, or --runs 1."
        )
    source = ReviewSource(
        [Paper(id=d.id, text=d.text, hash=d.hash, review_type=d.review_type) for d in dataset.documents],
        [Prompted(name=r.name, prompt=r.prompt, hash=r.hash) for r in reviewers],
        seed=options.seed,
        settings=options.settings,
        recorded=recorded,
    )
    plan = make_plan(source.trials(options.runs), source, seed=options.seed)
    settings: dict[str, object] = {
        "instrument": "review",
        "dataset": dataset.name,
        "model": options.model,
        "reviewers": list(source.reviewers),
        "runs": options.runs,
        "seed": options.seed,
        **({} if recorded else msgspec.to_builtins(options.settings)),
        "document_hashes": {paper.id: paper.hash for paper in source.papers.values()},
        "reviewer_hashes": {reviewer.name: reviewer.hash for reviewer in source.reviewers.values()},
    }
    path = out or run_path("review", options.model, dataset.name, settings=settings, plan=plan)
    meta = {"settings": settings, "provenance": provenance(), **source.meta()}
    scored_with: dict[str, object] = {
        MUST_FIND: {d.id: d.must_find for d in dataset.documents},
        "folder": str(dataset.folder.resolve()),
        "changed": {
            d.id: [f"{lost.item.id}: {lost.quotation[:80]}" for lost in gone(d.must_find or (), d.text)]
            for d in dataset.documents
            if d.changed
        },
    }
    return Prepared(path, source, plan, meta, scored_with)


def collect_run(
    prepared: Prepared,
    model: Model,
    options: ReviewOptions,
    *,
    limits: Limits,
    budget: Budget,
    progress: Progress,
    reuse: Path | None = None,
) -> Collected:
    """Create or continue the run file and collect what is pending."""
    longest = max(len(paper.text) for paper in prepared.source.papers.values())
    model.make_room(_tokens(longest) + REVIEWER_TOKENS + (options.settings.max_tokens or 0))
    prepare(prepared.path, prepared.plan, {**prepared.meta, **prepared.scored_with})
    with Writer(prepared.path) as writer:
        for key, value in prepared.scored_with.items():
            writer.set_meta(key, value)
    return run_async(
        collect(
            prepared.path,
            prepared.source,
            model,
            limits=limits,
            budget=budget,
            progress=progress,
            seed=options.seed,
            reuse=reuse,
        )
    )


class JudgeModel(Struct, frozen=True, kw_only=True):
    """A judge as it is asked: the name it was given by, its model, and how fast that may be asked."""

    name: str
    model: Model
    limits: Limits
    progress: Progress


def judges_for(path: Path, models: Iterable[str]) -> list[Judge]:
    """The judges that a run needs, seat by seat: of genuineness, one for every type of document; of must-finds, where
    there are any."""
    with Store(path) as store:
        reader = RunReader(store)
    types = sorted({paper.review_type for paper in reader.source.papers.values()})
    wanted = any(reader.must_find.values())
    return [
        judge
        for model in models
        for judge in (*(genuine_judge(model, own) for own in types), *([match_judge(model)] if wanted else []))
    ]


def judge_run(
    path: Path,
    judges: Sequence[JudgeModel],
    *,
    budget: Budget | None = None,
    max_tokens: int | None = None,
) -> Collected:
    """Let these judges decide everything that is open, from now on; without any, the run is scored without a judge.

    Several are a panel. Its seats are asked one after the other, each everything; where one stops for good, those after
    it are not asked either.
    """
    names = [judge.name for judge in judges]
    refuse_twice(names)
    appoint(path, judges_for(path, names))
    if not judges:
        return Collected(done=0, failed=0)
    with Store(path) as store:
        reader = RunReader(store)
        seed = int((store.meta("settings") or {})["seed"])
        asked = {judge.role: reader.questions(judge) for judge in reader.judges}
    room = _weigh(path, {role: questions.values() for role, questions in asked.items()})
    secret = secret_of(path)
    done = failed = 0
    for seat in judges:
        labels = run_labels(path) if is_simulated_judge(seat.name) else {}
        seat.model.make_room(room + (max_tokens or MAX_TOKENS))
        todo = [
            Asking(
                judge,
                reader.asking(judge, secret=secret, max_tokens=max_tokens, labels=labels),
                lambda store, judge=judge: RunReader(store).due(judge, asked[judge.role]),  # type: ignore[misc]
            )
            for judge in reader.judges
            if judge.model == seat.name
        ]
        collected = ask(
            path, seat.model, todo, seed=seed, limits=seat.limits, budget=budget or Budget(), progress=seat.progress
        )
        done, failed = done + collected.done, failed + collected.failed
        if collected.stopped:
            return replace(collected, done=done, failed=failed)
    return Collected(done=done, failed=failed)


def _tokens(characters: int) -> int:
    """More than they will be: a context that is too small fails, one that is too large costs memory."""
    return characters // 3


def _weigh(path: Path, asked: Mapping[str, Iterable[Case]]) -> int:
    """Record how long the prompts of each judge are, in tokens as far as they can be known beforehand.

    What is returned is the room that the longest needs.
    """
    sizes = {role: prompt_sizes(cases) for role, cases in asked.items()}
    weighed = {}
    for role, own in sizes.items():
        tokens = [size // CHARACTERS_A_TOKEN for size in own]
        weighed[role] = {
            "calls": len(tokens),
            "total": sum(tokens),
            "largest": max(tokens, default=0),
            "over": sum(n > MANY_TOKENS for n in tokens),
        }
    with Writer(path) as writer:
        writer.set_meta(JUDGE_TOKENS, weighed)
    return _tokens(max((size for own in sizes.values() for size in own), default=0)) + SECOND_ASKING


def rescore(path: Path) -> ReviewResult:
    """Parse, score and estimate again from what is stored, and store the audit."""
    result = look(path)
    with Writer(path) as writer:
        writer.transaction(lambda db: store_audit(db, result.audit))
    return result


def record_gate(path: Path, gate: Gate | None) -> None:
    """What the gate decided about the run as it is now, for later reports."""
    with Writer(path) as writer:
        writer.set_meta(GATE, gate)


def look(path: Path) -> ReviewResult:
    """The result as it stands, without writing anything: also while the run is in flight."""
    with Store(path) as store:
        return measure(store, RunReader(store))


def outputs_of(path: Path) -> list[Output]:
    """Every output of the run with all that is known of it."""
    with Store(path) as store:
        return list(RunReader(store).outputs())


def dataset_documents(path: Path) -> dict[str, str]:
    """The texts of the run's documents, by id."""
    with Store(path) as store:
        return {paper.id: paper.text for paper in RunReader(store).source.papers.values()}

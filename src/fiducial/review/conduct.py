"""A review run as commands and programs want it: from what was asked for to the stored result, in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from fiducial.errors import UsageError
from fiducial.judge.panel import members
from fiducial.model.base import Model
from fiducial.review.dataset import Dataset
from fiducial.review.gate import decide
from fiducial.review.recorded import RecordedOutputs, find_outputs
from fiducial.review.refusal import GateRefused, refusal
from fiducial.review.result import Gate, ReviewResult
from fiducial.review.reviewer import Reviewer, find_reviewers, is_known, shipped_reviewers, unknown_reviewer
from fiducial.review.run import (
    JudgeModel,
    Prepared,
    ReviewOptions,
    collect_run,
    judge_run,
    prepare_run,
    record_gate,
    rescore,
)
from fiducial.review.source import Recorded
from fiducial.run.calls import Calls
from fiducial.run.conducted import Conducted, Show
from fiducial.run.limits import Limits

OUTPUT_TOKENS = 8192  # a review is long, and one that is cut off has lost its last findings
VERDICT_TOKENS = 2048
NO_JUDGE = "none"

GateKind = Literal["on", "strict"]


class Gating(Struct, frozen=True, kw_only=True):
    """What is decided about the run: nothing, unless one of these is set."""

    kind: GateKind | None = None  # on must-finds; strict: with a calibrated judge
    min_precision: float | None = None

    @property
    def strict(self) -> bool:
        """Whether precision has to be shown to be high enough, by a calibrated judge."""
        return self.kind == "strict"

    @property
    def must_finds(self) -> bool:
        """Whether must-finds are part of it."""
        return self.kind is not None

    def decide(self, result: ReviewResult) -> Gate | None:
        """Of an incomplete run nothing is decided."""
        if not result.complete or (self.kind is None and self.min_precision is None):
            return None
        return decide(
            result.reviewers, min_precision=self.min_precision, strict=self.strict, must_finds=self.must_finds
        )


class Bench(Struct, frozen=True):
    """The judges, seat by seat, each with how fast it may be asked. Several are a panel, none at all parses only."""

    seats: tuple[tuple[str, Model, Limits], ...] = ()

    @property
    def names(self) -> list[str]:
        """As they were given."""
        return [name for name, _, _ in self.seats]

    @classmethod
    def of(
        cls, judges: Sequence[str], calls: Calls, given: Mapping[str, tuple[Model, Limits]] | None = None
    ) -> Bench:
        """Opened before the first call. `given` are those that are there already, by name."""
        names = members(judges)
        if NO_JUDGE in names and len(names) > 1:
            others = ", ".join(name for name in names if name != NO_JUDGE)
            raise UsageError(
                f"--judge none parses and counts only, and cannot sit on a panel with {others}: leave one out."
            )
        there = dict(given or {})
        return cls(
            tuple(
                (name, *(there[name] if name in there else (calls.open(name), calls.limits(name))))
                for name in names
                if name != NO_JUDGE
            )
        )

    def judge(self, path: Path, calls: Calls, *, max_tokens: int, show: Show) -> str | None:
        """Let the judges decide what is open; the reason one stopped, where it did."""
        seats = [
            JudgeModel(name=name, model=model, limits=limits, progress=show(f"judge {name}"))
            for name, model, limits in self.seats
        ]
        return judge_run(path, seats, budget=calls.spending(), max_tokens=max_tokens).stopped


def find_subject(model: str | None, outputs: Path | None, calls: Calls) -> Model:
    """The reviewers' model, or what they have written already."""
    if outputs is not None:
        if model is not None:
            raise UsageError("--outputs scores what is recorded and asks no model: leave --model or --outputs out.")
        return RecordedOutputs(outputs)
    if model is None:
        raise UsageError("--model is missing: which model do the reviewers run on? (see `fiducial models`)")
    return calls.open(model)


def find_who(dataset: Dataset, names: Sequence[str], outputs: Path | None) -> tuple[list[Reviewer], list[Recorded]]:
    """The reviewers, and their recorded outputs where there are some. Of those, a reviewer's name is enough."""
    if outputs is None:
        if not names:
            raise UsageError(
                "--reviewer is missing: name a shipped one, an agent file, or a folder of them. Shipped: "
                f"{', '.join(shipped_reviewers())}."
            )
        return find_reviewers(names), []
    by_name = {
        r.name: r
        for name in names
        for r in (find_reviewers([name]) if is_known(name) else [unknown_reviewer(name)])
    }
    recorded = find_outputs(outputs, [d.id for d in dataset.documents], list(by_name))
    return [
        by_name.get(name) or unknown_reviewer(name) for name in dict.fromkeys(r.reviewer for r in recorded)
    ], recorded


def conduct(
    dataset: Dataset,
    reviewers: Sequence[Reviewer],
    subject: Model,
    bench: Bench,
    calls: Calls,
    *,
    runs: int,
    recorded: Sequence[Recorded],
    limits: Limits,
    gating: Gating,
    judge_max_tokens: int,
    announce: Callable[[Prepared, ReviewOptions], None],
    show: Show,
) -> Conducted[ReviewResult]:
    """Plan, collect, judge, score and decide. `announce` is told the plan before anything is asked or written.

    Raises `GateRefused`, before any call, where a gate would mean nothing yet.
    """
    options = ReviewOptions(
        model=subject.name,
        runs=max((r.run + 1 for r in recorded), default=runs),
        seed=calls.seed,
        settings=calls.settings(),
    )
    prepared = prepare_run(dataset, reviewers, options, recorded=recorded, out=calls.out)
    if gating.must_finds and (
        why := refusal(dataset, reviewers, prepared, options, bench.names, strict=gating.strict)
    ):
        gate = Gate(result="refused", why=why)
        raise GateRefused(
            ReviewResult.refused(gate, run=prepared.path.stem, dataset=dataset.name, model=options.model)
        )
    announce(prepared, options)
    collected = collect_run(
        prepared,
        subject,
        options,
        limits=limits,
        budget=calls.spending(),
        progress=show(options.model),
        reuse=calls.reused(),
    )
    stopped = collected.stopped or bench.judge(prepared.path, calls, max_tokens=judge_max_tokens, show=show)
    result = rescore(prepared.path)
    decided = gating.decide(result)
    record_gate(prepared.path, decided)
    return Conducted(prepared.path, replace(result, gate=decided), stopped)


def conduct_again(
    path: Path, bench: Bench, calls: Calls, *, judge_max_tokens: int, show: Show
) -> Conducted[ReviewResult]:
    """Judge stored outputs with these judges from now on, and score. No reviewer is asked."""
    record_gate(path, None)  # what it decided, it decided on other verdicts
    stopped = bench.judge(path, calls, max_tokens=judge_max_tokens, show=show)
    return Conducted(path, rescore(path), stopped)

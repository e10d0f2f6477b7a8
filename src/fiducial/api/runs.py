"""Stored runs: opened again, compared, reported, exported. Nothing here makes a call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from msgspec.structs import replace

from fiducial.bias import run as bias
from fiducial.bias.changes import Changes
from fiducial.bias.result import BiasResult, Effect, RunResult
from fiducial.errors import Incomplete, Interrupted, UsageError
from fiducial.frames import Frames, export_table
from fiducial.judge.calibration import Calibration
from fiducial.model.bridge import needing_inspect
from fiducial.report.junit import write_junit
from fiducial.report.write import write_report
from fiducial.review import run as review
from fiducial.review.conduct import Gating
from fiducial.review.files import near
from fiducial.review.gate import deciding_precision
from fiducial.review.output import Output
from fiducial.review.result import Gate, NoRecall, Precision, Recall, ReviewerResult, ReviewResult
from fiducial.run.audit import Check
from fiducial.run.listing import Listed, list_runs
from fiducial.run.store import DEFAULT_FOLDER, find_run
from fiducial.stats.estimate import Estimate, Measured, Withheld
from fiducial.study.compare import Comparison
from fiducial.study.compare_review import ReviewComparison
from fiducial.study.judge_calibrate import calibrations_of
from fiducial.study.runs import compare_runs, instrument, look, made_by

if TYPE_CHECKING:
    from fiducial.inspect.read import Imported, Kind


class Run:
    """A run file. `path` is where it lies, `frames` its tables (docs/data.md)."""

    def __init__(self, path: str | Path) -> None:
        self.path = find_run(str(path))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.path)!r})"

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.path.stem

    @cached_property
    def frames(self) -> Frames:
        """Its tables as polars frames."""
        return Frames(self.path)

    def export(
        self,
        target: str | Path,
        *,
        what: str = "replies",
        format: str | None = None,
        to: Literal["inspect"] | None = None,
        texts: bool = True,
    ) -> int:
        """Write a table as `jsonl`, `csv` or `parquet` (as the target's ending says); the number of rows.

        With `to="inspect"` it is a log for `inspect view` (.eval or .json), and the number of its samples.
        """
        if to is not None:
            with needing_inspect(f"to={to!r}"):
                from fiducial.inspect.write import export_log  # noqa: PLC0415  (takes two seconds; only if used)
            return export_log(self.path, Path(target), texts=texts)
        kind = format or Path(target).suffix.removeprefix(".")
        return export_table(self.path, what, Path(target), kind, texts=texts)


class _Reported(Run):
    """A run that has a result of its own."""

    result: RunResult | ReviewResult

    @property
    def complete(self) -> bool:
        """Whether every trial has a reply, and every question to a judge an answer."""
        return self.result.complete

    @property
    def audit(self) -> list[Check]:
        """The checks on the run's own validity."""
        return self.result.audit

    def failed_checks(self) -> list[Check]:
        """Those that say `fail`."""
        return [check for check in self.audit if check.level == "fail"]

    def report(self, target: str | Path = "report.html", *, texts: bool = True) -> Path:
        """One self-contained HTML file; without `texts`, without prompts and replies."""
        write_report([self.path], Path(target), texts=texts)
        return Path(target)


class BiasRun(_Reported):
    """A run of `bias_run`."""

    def __init__(self, path: str | Path, result: RunResult | None = None) -> None:
        super().__init__(path)
        self.result: RunResult = result or bias.look(self.path)

    def bias(self, id: str) -> BiasResult:
        """Everything about one bias."""
        for found in self.result.biases:
            if found.id == id:
                return found
        known = [found.id for found in self.result.biases]
        raise UsageError(
            f"{self.path}: no bias {id!r} in this run{near(id, known)} (there are: {', '.join(known)})"
        )

    def effect(self, id: str) -> Effect | Withheld:
        """The effect of a bias with its interval, p and q; or why it is withheld."""
        return self.bias(id).effect

    @property
    def flagged(self) -> list[str]:
        """The biases that are flagged."""
        return [found.id for found in self.result.biases if found.flagged]

    def rescore(self) -> Changes | None:
        """Read, score and estimate again from the stored replies; what that changed."""
        found = bias.rescore(self.path)
        self.result = found.result
        self.__dict__.pop("frames", None)
        return found.changes


class ReviewRun(_Reported):
    """A run of `review_run`."""

    def __init__(self, path: str | Path, result: ReviewResult | None = None, gating: Gating | None = None) -> None:
        super().__init__(path)
        self.result: ReviewResult = result or review.look(self.path)
        self._gating = gating or Gating()

    @property
    def gate(self) -> Gate | None:
        """What the gate decided, and why; None where none was asked for."""
        return self.result.gate

    def reviewer(self, name: str | None = None) -> ReviewerResult:
        """Everything about one reviewer; the name may be left out where there is one alone."""
        known = [found.name for found in self.result.reviewers]
        for found in self.result.reviewers:
            if found.name == name or (name is None and len(known) == 1):
                return found
        what = "which reviewer?" if name is None else f"no reviewer {name!r} in this run{near(name, known)}"
        raise UsageError(f"{self.path}: {what} (there are: {', '.join(known)})")

    def precision(self, reviewer: str | None = None, *, raw: bool = False) -> Measured:
        """The precision that a gate decides on: corrected for the judge's errors where labels by people allow it.

        `raw`: as the judge has it, in any case.
        """
        found = self.reviewer(reviewer)
        if raw:
            return deciding_precision(_uncorrected(found))[1]
        return deciding_precision(found.precision)[1]

    def must_find(self, id: str, reviewer: str | None = None) -> Measured:
        """How often a must-find is found, over the runs with a verdict. `id` is ITEM or DOCUMENT/ITEM."""
        found = self.reviewer(reviewer).recall
        if not isinstance(found, Recall):
            return Withheld(found.reason if isinstance(found, NoRecall) else "recall was not computed")
        fitting = [item for item in found.items if id in (item.id, item.place)]
        if len(fitting) != 1:
            known = [item.place for item in found.items]
            what = "several must-finds are called" if fitting else "there is no must-find"
            raise UsageError(
                f"{self.path}: {what} {id!r}{near(id, known)} (there are: {', '.join(known) or 'none'})"
            )
        (item,) = fitting
        if item.rate is None or item.low is None or item.high is None:
            return Withheld("no run has a verdict on it")
        return Estimate(value=item.rate, low=item.low, high=item.high, n=item.runs, method="Wilson")

    def outputs(self) -> list[Output]:
        """Every output with its findings and all that was said of them."""
        return review.outputs_of(self.path)

    def junit(self, target: str | Path) -> Path:
        """JUnit XML of what was decided, for CI."""
        write_junit(
            Path(target),
            self.result,
            min_precision=self._gating.min_precision,
            strict=self._gating.strict,
            must_finds=self._gating.must_finds,
        )
        return Path(target)

    def rescore(self) -> ReviewResult:
        """Parse, score and estimate again from what is stored."""
        self.result = review.rescore(self.path)
        self.__dict__.pop("frames", None)
        return self.result


def _uncorrected(found: ReviewerResult) -> Precision:
    return replace(found.precision, corrected=None)


class JudgeRun(Run):
    """A run of `judge_calibrate`, `judge_ablate` or `judge_attack`."""

    @cached_property
    def calibrations(self) -> list[Calibration]:
        """How often the judge errs, one for every version of the prompt; of a complete calibration alone."""
        return calibrations_of(self.path)


def open(run: str | Path) -> BiasRun | ReviewRun | JudgeRun:
    """A run by its path, or by its name in `runs/`, as it is on disk now."""
    path = find_run(str(run))
    made = made_by(path)
    if made.startswith("judge-"):
        return JudgeRun(path)
    if made == "bias":
        return BiasRun(path)
    if made == "review":
        return ReviewRun(path)
    raise UsageError(f"{path}: a run of the instrument {made}, which has no result of its own.")


def runs(folder: str | Path = DEFAULT_FOLDER) -> list[Listed]:
    """The runs in a folder, newest first."""
    return list_runs(Path(folder))


def compare(a: str | Path | Run, b: str | Path | Run) -> Comparison | ReviewComparison:
    """What differs in run B against run A, and how much of a difference could have been seen."""
    return compare_runs(path_of(a), path_of(b))


def audit(run: str | Path | Run) -> list[Check]:
    """The checks on a run's own validity, each with its level: `pass`, `warn` or `fail`."""
    return look(path_of(run)).audit


class Rescored(Struct, frozen=True):
    """A run as it is scored now, and of a bias run what that changed."""

    run: BiasRun | ReviewRun
    changes: Changes | None


def rescore(run: str | Path | Run) -> Rescored:
    """Read, score and estimate again from the stored replies, without a call, and say what that changed."""
    path = path_of(run)
    if instrument(path) == "review":
        return Rescored(ReviewRun(path, review.rescore(path)), None)
    scored = bias.rescore(path)
    return Rescored(BiasRun(path, scored.result), scored.changes)


def export(
    run: str | Path | Run,
    target: str | Path,
    *,
    what: str = "replies",
    format: str | None = None,
    to: Literal["inspect"] | None = None,
    texts: bool = True,
) -> int:
    """A table of a run as a file, or the run as a log of Inspect AI's; as `Run.export`."""
    return Run(path_of(run)).export(target, what=what, format=format, to=to, texts=texts)


def import_log(
    log: str | Path, *, kind: Kind | None = None, reviewer: str | None = None, out: str | Path | None = None
) -> Imported:
    """Take replies and reviewers' outputs from a log of Inspect AI's (.eval or .json). No call is made.

    `kind`: a `run` file, a folder of `outputs` for `review_run`, or `replies` for `bias_score`; None: as its samples tell.
    """
    with needing_inspect("import_log"):
        from fiducial.inspect import read  # noqa: PLC0415  (takes two seconds; only if used)
    place = Path(out) if out is not None else None
    return read.import_log(Path(log), kind=kind, out=place, reviewer=reviewer)


def report(*several: str | Path | Run, target: str | Path = "report.html", texts: bool = True) -> Path:
    """One self-contained HTML file about a run, or about several bias runs side by side."""
    write_report([path_of(run) for run in several], Path(target), texts=texts)
    return Path(target)


def path_of(run: str | Path | Run) -> Path:
    """The file of a run that was given by its path, its name in `runs/`, or opened."""
    return run.path if isinstance(run, Run) else find_run(str(run))


def check_complete(path: Path, *, complete: bool, stopped: str | None, stored: str) -> None:
    """Raise what an unfinished run is for a program: `Interrupted` after Ctrl-C, `Incomplete` otherwise."""
    if complete:
        return
    if stopped == "interrupted":
        raise Interrupted(path)
    again = "the same call, with a larger `budget`," if (stopped or "").startswith("budget") else "the same call"
    raise Incomplete(
        f"incomplete: {stopped or 'some calls failed'}. {stored} in {path}; {again} continues it.",
        path=path,
        stopped=stopped,
    )


@contextmanager
def interruptions() -> Iterator[None]:
    """Ctrl-C is `Interrupted` for a program, also where what was asked says so by `Incomplete`."""
    try:
        yield
    except Incomplete as short:
        if short.stopped == "interrupted":
            raise Interrupted(short.path) from None
        raise

"""What is known of a judge's errors: an artefact that later runs find again.

It is bound to the judge's model, to the version of its prompt and to the labels it was made with, and it expires: models
change behind their names. It keeps the counts, not only the rates, because a correction needs both samples' uncertainty.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from fiducial.errors import UsageError
from fiducial.judge.asking import Judge
from fiducial.run.files import write_whole
from fiducial.stats.estimate import Estimate, Measured, Withheld

FOLDER = Path("calibrations")
VALID_DAYS = 90
ENOUGH = 25  # labels a class; with fewer the result is exploratory
LARGEST = 10_000_000  # bytes of a file

Basis = Literal["planted", "labels"]
Half = Literal["all", "dev", "holdout"]


class Counts(Struct, frozen=True, kw_only=True):
    """The verdicts on the cases of one label, category and group: how many, their sum, and the sum of their squares."""

    label: int
    n: int
    total: float
    squares: float
    category: str | None = None
    group: str | None = None


class Rate(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An estimate, or why there is none, in a form that can be read back from a file."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    method: str = ""
    withheld: str | None = None

    @classmethod
    def of(cls, measured: Measured) -> Rate:
        """The same, ready to be stored."""
        if isinstance(measured, Withheld):
            return cls(withheld=measured.withheld)
        return cls(**msgspec.structs.asdict(measured))

    @property
    def measured(self) -> Measured:
        """The estimate again."""
        if self.value is None or self.low is None or self.high is None:
            return Withheld(self.withheld or "not known")
        return Estimate(value=self.value, low=self.low, high=self.high, n=self.n, method=self.method)


class Rates(Struct, frozen=True, kw_only=True):
    """Sensitivity and specificity of a part of the cases."""

    sensitivity: Rate
    specificity: Rate


class Calibration(Struct, frozen=True, kw_only=True):
    """How a judge errs in a task.

    Sensitivity is the mean verdict where the label is 1, specificity one minus the mean verdict where it is 0; a
    borderline verdict counts one half in both. Invalid replies are in neither, and have a rate of their own.
    """

    task: str
    model: str  # of a panel, its members, joined by " + "
    prompt_hash: str
    about: str = ""  # the type of documents, where the prompt depends on it
    label_hash: str
    set: str  # as it was given: planted:DATASET or labels:FILE
    basis: Basis
    half: Half = "all"
    made: str  # the day, ISO 8601
    expires: str
    run: str = ""  # the run file that holds the replies
    positives: int  # labelled cases with a verdict
    negatives: int
    exploratory: bool
    sensitivity: Rate
    specificity: Rate
    kappa: Rate
    base_rate: float | None  # share of labels that are 1: kappa is read with it
    calibration_error: Rate  # of the stated confidence
    borderline: Rate
    invalid: Rate
    consistency: Rate  # share of cases that got the same verdict every time they were asked
    categories: dict[str, Rates] = {}
    counts: list[Counts] = []
    floors: dict[str, float] = {}  # least lower bounds that were asked for
    below: list[str] = []  # the floors that are not met
    name: str = ""  # of its file

    @property
    def sensitivity_low(self) -> float | None:
        """The lower bound of the sensitivity."""
        return self.sensitivity.low

    @property
    def false_high(self) -> float | None:
        """The upper bound of the share of false alarms."""
        return None if self.specificity.low is None else 1 - self.specificity.low

    def expired(self, today: date) -> bool:
        """Whether it holds no longer."""
        return date.fromisoformat(self.expires[:10]) < today


def today() -> date:
    """The day, in UTC: where a calibration was made and where it is used may be in different zones."""
    return datetime.now(UTC).date()


def save(calibration: Calibration, *, folder: Path = FOLDER) -> Path:
    """Write it under its name."""
    path = folder / f"{calibration.name}.json"
    write_whole(path, msgspec.json.format(msgspec.json.encode(calibration), indent=2) + b"\n")
    return path


def load(path: Path) -> Calibration:
    """The calibration in a file. Raises UsageError for anything else."""
    if path.stat().st_size > LARGEST:
        raise UsageError(f"{path}: far too large for a calibration")
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Calibration)
        date.fromisoformat(found.expires[:10])
        _plausible(found)
    except (msgspec.DecodeError, ValueError) as error:
        raise UsageError(
            f"{path}: no calibration: {error}; make it again with `fiducial judge calibrate`"
        ) from error
    return msgspec.structs.replace(found, name=path.stem)


def _plausible(found: Calibration) -> None:
    """Raises ValueError for numbers that no calibration has: somebody may have edited the file."""
    rates = [found.sensitivity, found.specificity, found.borderline, found.invalid, found.consistency]
    rates += [rate for own in found.categories.values() for rate in (own.sensitivity, own.specificity)]
    ends = [end for rate in rates for end in (rate.value, rate.low, rate.high) if end is not None]
    if not all(0 <= end <= 1 for end in ends):
        raise ValueError("a rate lies outside 0 to 1")
    if not all(c.label in (0, 1) and 0 <= c.squares <= c.total <= c.n for c in found.counts):
        raise ValueError("the counts of verdicts contradict each other")


def calibrations(folder: Path = FOLDER) -> Iterator[Calibration]:
    """Every calibration in the folder, by name."""
    for path in sorted(folder.glob("*.json")):
        yield load(path)


class Loaded(Struct, frozen=True, kw_only=True):
    """The calibrations of several folders by their files, and why the other files are none."""

    found: dict[Path, Calibration]
    unreadable: dict[Path, str]


def load_all(folders: Iterable[Path]) -> Loaded:
    """Every calibration there is, folder by folder, whatever else lies beside it."""
    found: dict[Path, Calibration] = {}
    unreadable: dict[Path, str] = {}
    for path in (path for folder in folders for path in sorted(folder.glob("*.json"))):
        try:
            found[path] = load(path)
        except (UsageError, OSError) as error:
            unreadable[path] = str(error)
    return Loaded(found=found, unreadable=unreadable)


Known = Path | Sequence[Calibration]
"""The folder in which calibrations are looked for, or those that are known already."""


def find(judge: Judge, *, folder: Known = FOLDER) -> Calibration | None:
    """The calibration of this judge under this prompt: labels of people before planted ones, then what holds longest.

    One that was made on the half that prompts are tuned on is never found.
    """
    fitting = [
        c
        for c in (calibrations(folder) if isinstance(folder, Path) else folder)
        if (c.task, c.model, c.prompt_hash) == (judge.task, judge.model, judge.prompt) and c.half != "dev"
    ]
    return max(fitting, key=lambda c: (c.basis == "labels", c.expires, c.name), default=None)


def pooled(counts: Sequence[Counts], label: int) -> tuple[int, float, float]:
    """Number, sum and sum of squares of all verdicts under a label."""
    own = [c for c in counts if c.label == label]
    return sum(c.n for c in own), sum(c.total for c in own), sum(c.squares for c in own)

"""The result of a review run, in the shape that `fiducial review run --json` prints and that reports are made from."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from fiducial.judge.applied import Applied
from fiducial.judge.panel import Agreement
from fiducial.judge.trust import Trust
from fiducial.run.audit import Check

ItemGate = Literal["met", "missed", "inconclusive", "not_enforced"]


class Range(Struct, frozen=True):
    """From the lowest to the highest that a value could be."""

    low: float
    high: float


class ReliabilityBin(Struct, frozen=True, kw_only=True):
    """Findings whose stated confidence lies between `low` and `high`: their mean confidence, and their precision."""

    low: float
    high: float
    confidence: float
    precision: float
    n: int


class Reliability(Struct, frozen=True, kw_only=True):
    """What a reviewer's stated confidence is worth. `error` is the calibration error, weighted by the bins' sizes."""

    bins: list[ReliabilityBin]
    error: float | None
    n: int  # judged findings with a stated confidence


class Share(Struct, frozen=True, kw_only=True):
    """Precision of a part of the findings: a severity, a category, a document. `value` is None where none is judged."""

    value: float | None
    n: int
    genuine: int
    borderline: int
    not_genuine: int
    invalid: int


class Precision(Struct, frozen=True, kw_only=True):
    """`reverse_judge_precision`. `value` pools judged findings; `per_output_mean` includes outputs that score 0.0.

    `low` and `high` are the 95 % interval, None where `value` is. `n` counts the findings that were judged,
    `clusters` what was resampled: documents, or clusters of findings of like content.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    method: str
    genuine: int
    borderline: int
    not_genuine: int
    invalid: int  # no verdict after two askings, or the call failed
    duplicates: int  # findings that were near-duplicates of another in the same output, counted with it
    borderline_out: float | None  # precision without the borderline ones
    borderline_in: float | None  # precision with the borderline ones counted as genuine
    invalid_bounds: Range | None  # precision if the invalid ones were all not genuine, and all genuine
    per_output_mean: float | None
    corrected: Applied | None = (
        None  # with the judge's own error carried in; the value above is as the judge has it
    )
    duplicate_rate: float | None = None
    by_severity: dict[str, Share] = {}
    by_category: dict[str, int] = {}  # why findings were not genuine
    reliability: Reliability | None = None
    note: str | None = None  # e.g. "for these documents only"
    unjudged: int = 0  # findings of a run that no judge was asked about
    scored_zero: dict[str, int] = {}  # outputs without a finding, by status: each counts 0.0 in per_output_mean

    @classmethod
    def unknown(cls) -> Precision:
        """Where it could not be computed at all."""
        return cls(
            value=None,
            low=None,
            high=None,
            n=0,
            clusters=0,
            method="not computed",
            genuine=0,
            borderline=0,
            not_genuine=0,
            invalid=0,
            duplicates=0,
            borderline_out=None,
            borderline_in=None,
            invalid_bounds=None,
            per_output_mean=None,
        )


class ItemRecall(Struct, frozen=True, kw_only=True):
    """A must-find over the runs. `more_runs` is how many more would decide an inconclusive one."""

    id: str
    detected: int
    runs: int
    rate: float | None
    low: float | None
    high: float | None
    min_recall: float
    gate: ItemGate
    document: str
    title: str
    severity: str | None
    partly: int  # runs in which a finding came near; counted as not found
    invalid: int  # runs in which the judge gave no verdict; they are not among `runs`
    found_at_all: bool
    more_runs: int | None = None
    by_run: list[str] = []  # found, partly, not_found or invalid, in the order of the runs
    content: str = ""  # hash of what is looked for: the same id may come to mean something else

    @property
    def place(self) -> str:
        """DOCUMENT/ID: two documents may use the same id."""
        return f"{self.document}/{self.id}"


class ListRecall(Struct, frozen=True, kw_only=True):
    """All must-finds together. `p` is the exact probability of so few detections if each met its min_recall."""

    detected: int
    expected: float
    p: float | None
    missed: list[str] = []  # DOCUMENT/ID of items missed at a Holm-adjusted exact level
    coverage: float | None = None  # share of the items found in at least one run
    mean: float | None = None  # mean rate over the items
    between_runs: float | None = None  # standard deviation, over runs, of the share of the list that was found
    corrected: Applied | None = (
        None  # the share of looks in which a must-find was there, with the judge's error carried in
    )


class Recall(Struct, frozen=True, kw_only=True):
    """`must_find_recall`. `items` and `list` are what the gate is decided on."""

    items: list[ItemRecall]
    list: ListRecall


class NoRecall(Struct, frozen=True):
    """Why there is no recall."""

    reason: str


class DocumentResult(Struct, frozen=True, kw_only=True):
    """One document as one reviewer saw it."""

    id: str
    runs: int
    outputs: dict[str, int]
    precision: Share
    findings: int
    detected: int | None  # must-finds found, over the runs
    wanted: int | None  # must-finds looked for, over the runs


class ReviewerResult(Struct, frozen=True, kw_only=True):
    """One reviewer."""

    name: str
    runs: int
    outputs: dict[str, int]
    precision: Precision
    recall: Recall | NoRecall | None
    documents: list[DocumentResult]
    truncated: int = 0
    dropped: int = 0
    errors: dict[str, str] = {}  # a scorer that failed, and why: the other one's result stands


class Gate(Struct, frozen=True, kw_only=True):
    """What the gate decided, and on what."""

    result: Literal["passed", "failed", "refused"]
    why: list[str]


class Seat(Struct, frozen=True, kw_only=True):
    """One judge of a panel: what it was asked, what it said, what it cost."""

    model: str
    asked: int  # questions
    genuine: dict[str, int]  # its verdicts on findings
    match: dict[str, int]  # its verdicts on must-finds
    invalid: int  # questions that it gave no verdict on
    waiting: int  # questions that it has not answered yet
    apart: int  # its verdicts that are not what the panel decided
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None


class Disagreement(Struct, frozen=True, kw_only=True):
    """A question on which the judges voted for different things, in all runs in which they did so. `verdict` is what
    became of it."""

    task: str
    document: str
    reviewer: str
    runs: list[int]  # from 0
    title: str  # of the finding, or of the must-find
    item: str | None  # id of the must-find
    votes: dict[str, str]  # model -> verdict, `invalid` or `waiting`
    verdict: str


class Panel(Struct, frozen=True, kw_only=True):
    """Several judges that decide together. `name` is what it is called as one judge."""

    name: str
    seats: list[Seat]
    agreement: dict[str, Agreement]  # by task
    divided: int  # questions on which the judges voted for different things
    disagreements: list[Disagreement]  # which they are: those that no majority decided come first
    left_off: int  # further ones that are not listed


class ReviewResult(Struct, frozen=True, kw_only=True):
    """A whole run."""

    run: str
    complete: bool
    reviewers: list[ReviewerResult]
    gate: Gate | None
    tokens: dict[str, object]
    audit: list[Check]
    model: str
    judges: dict[str, str]  # role of the judge's trials -> model
    prompts: dict[str, str]  # task -> version of its prompt
    dataset: str
    documents: list[str]
    calls: int
    cost: dict[str, float | None]  # reviewer and judge apart
    settings: dict[str, object]
    trials: int
    answered: int
    seconds: float
    provenance: dict[str, object]
    waiting: int = 0  # questions that no judge has answered yet
    versions: list[str] = []  # of the reviewers' model, as the provider reported them
    panel: Panel | None = None  # where several judges decide together
    trust: list[Trust] = []  # what is known of the errors of the judges that the run is scored with

    @classmethod
    def refused(cls, gate: Gate, *, run: str, dataset: str, model: str) -> ReviewResult:
        """What is said where a gate was refused and nothing was run."""
        return cls(
            run=run,
            complete=False,
            reviewers=[],
            gate=gate,
            tokens={},
            audit=[],
            model=model,
            judges={},
            prompts={},
            dataset=dataset,
            documents=[],
            calls=0,
            cost={},
            settings={},
            trials=0,
            answered=0,
            seconds=0.0,
            provenance={},
        )

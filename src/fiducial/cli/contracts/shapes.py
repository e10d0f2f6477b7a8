"""The outputs that commands put together themselves, as types. Tests hold them against what is really printed."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from fiducial.bias.changes import Changes
from fiducial.bias.result import RunResult
from fiducial.judge.calibration import Calibration
from fiducial.judge.correct import Correction
from fiducial.model.reply import Reported, Status
from fiducial.model.request import Message, Settings
from fiducial.review.check import Problem
from fiducial.review.curate import Moved
from fiducial.review.plant.flaw import Flaw
from fiducial.review.plant.variant import Dropped
from fiducial.review.propose import Proposed
from fiducial.review.readiness import Readiness
from fiducial.study.compare import Comparison
from fiducial.study.compare_review import ReviewComparison
from fiducial.study.judge_ablate import Ablation
from fiducial.study.judge_ablate import Comparison as WordingComparison
from fiducial.study.judge_attack_result import AttackResult, Gate


class Asked(Struct, frozen=True, kw_only=True):
    """What a call was to be made with."""

    settings: Settings
    messages: list[Message]


class OneCall(Struct, frozen=True, kw_only=True):
    """One call: asked, sent, reported."""

    model: str
    asked: Asked
    sent: Any  # the request body as it went out; null where a model has no wire format
    not_sent: dict[str, str]  # settings that were asked for and not sent, with the reason
    reported: Reported
    status: Status
    text: str  # the reply, raw
    seconds: float
    facts: dict[
        str, Any
    ]  # what is known of the model beforehand: base URL, hash of the weights, settings of a simulation


class ListedBias(Struct, frozen=True, kw_only=True):
    """One bias that can be measured."""

    id: str
    name: str
    family: str
    tier: str
    paradigm: str
    items: int
    generated: int  # items that a model wrote
    file: str | None  # the file it comes from, where it is one of your own


class LintProblem(Struct, frozen=True, kw_only=True):
    """One thing that the linter rejects."""

    file: str | None  # the file it is in, where it is one of your own
    bias: str
    item: str | None  # null: of the bias as a whole
    problem: str


class OneReading(Struct, frozen=True, kw_only=True):
    """What a reply commits to."""

    id: Any  # as it was given; of a single reply, the name of its file
    answer: (
        str | float | None
    )  # an option's label, a number, "yes" or "no", a confidence in 0..1, or text; null: none was read
    status: Literal["read", "ambiguous", "refused", "unreadable", "empty"]
    confidence: float | None  # stated beside the answer, 0 to 1
    span: tuple[int, int] | None  # characters of the reply that were read, from 0, end exclusive
    rule: str


class NewBias(Struct, frozen=True, kw_only=True):
    """A bias file to begin with."""

    file: str
    paradigm: str
    to_fill: list[str]  # places that still say TODO
    next: str


class Rescored(RunResult, frozen=True, kw_only=True):
    """The result of a bias run, and what scoring it again changed."""

    changes: Changes | None  # null: the run had not been scored before


class NewDataset(Struct, frozen=True, kw_only=True):
    """A dataset of one document."""

    dataset: str
    folder: str
    hash: str  # of the frozen document, `sha256:` and 64 hex digits


class Ready(Readiness, frozen=True, kw_only=True):
    """How far one reviewer is from a gate that means something. `steps` are in order."""

    enforceable: bool  # a gate may be asked for
    next_command: str


class DatasetStatus(Struct, frozen=True, kw_only=True):
    """A dataset's way to a gate, reviewer by reviewer."""

    dataset: str
    readiness: list[Ready]


class Checked(Struct, frozen=True, kw_only=True):
    """A dataset looked over."""

    dataset: str
    tested: list[Moved]  # records that the zero-shot test was due for, with --judge
    problems: list[Problem]


class Candidates(Struct, frozen=True, kw_only=True):
    """What a run proposes for the lists."""

    run: str
    dataset: str
    written: bool  # they are in candidates.jsonl now
    documents: list[Proposed]


class Confirmed(Moved, frozen=True, kw_only=True):
    """Where a candidate stands after the test."""

    run: str  # the run file of the test


class PlantedVariant(Struct, frozen=True, kw_only=True):
    """One variant of the document."""

    file: str
    flaws_file: str
    asked: int  # flaws that it should have had
    flaws: list[Flaw]
    dropped: list[Dropped]


class Planted(Struct, frozen=True, kw_only=True):
    """Variants of a document with known flaws."""

    document: str
    seed: int
    variants: list[PlantedVariant]  # those with at least one flaw
    places: dict[str, int]  # how many places each kind of flaw found in the document
    without_place: list[str]  # kinds that found none


class JudgeTrial(Struct, frozen=True, kw_only=True):
    """A judge on trial. Of a panel, `calibrations` holds that of the panel and those of its seats."""

    run: str | list[str]  # the run file; of a panel, one for each seat
    calibrations: list[Calibration]
    files: list[str]  # where they were written
    left_out: dict[str, int]  # cases that could not be used, by reason


class KnownJudges(Struct, frozen=True, kw_only=True):
    """The calibrations in calibrations/."""

    calibrations: list[Calibration]
    unreadable: dict[str, str]  # files that could not be read, with the reason


class CorrectedShare(Correction, frozen=True, kw_only=True):
    """A true share behind a judge's verdicts."""

    group: str | None  # the group that is estimated; null: all rows
    invalid: int  # rows without a verdict


class WordedComparison(WordingComparison, frozen=True, kw_only=True):
    """One wording against the shipped one, with what may be said of it."""

    verdict: str


class WordedAblation(Ablation, frozen=True, kw_only=True):
    """What moves a judge that should not."""

    comparisons: list[WordedComparison]  # type: ignore[assignment]
    notes: list[str]
    left_out: dict[str, int]  # cases that could not be used, by reason


class WordedAttack(AttackResult, frozen=True, kw_only=True):
    """Whether a judge can be talked round."""

    gate: Gate | None  # null without --max-success
    verdict: list[str]
    left_out: dict[str, int]  # cases that could not be used, by reason


class LabelledCase(Struct, frozen=True, kw_only=True):
    """One finding that can be labelled."""

    document: str
    case: str
    claim: str
    labelled_by: list[str]  # who has labelled it, not how


class LabelList(Struct, frozen=True, kw_only=True):
    """Who has labelled what."""

    run: str
    cases: list[LabelledCase]
    labelled: dict[str, int]  # cases by rater


class BiasComparison(Comparison, frozen=True, kw_only=True):
    """Two bias runs."""

    notes: list[str]


class ReviewsComparison(ReviewComparison, frozen=True, kw_only=True):
    """Two review runs."""

    notes: list[str]


class Imported(Struct, frozen=True, kw_only=True):
    """What an import wrote, and the command that goes on from there."""

    kind: Literal["run", "outputs", "replies"]
    path: str
    samples: int  # that are in what was written
    left_out: dict[str, int]  # by reason: no output, an error
    next: str

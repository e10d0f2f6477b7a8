"""The result of a bias run, in the shape that `fiducial bias run --json` prints and that reports are made from."""

from __future__ import annotations

from msgspec import Struct

from fiducial.bias.families import FamilyResult
from fiducial.bias.metrics import Alignment, Consistency, ReliabilityBin
from fiducial.bias.protocols.result import ProtocolResult
from fiducial.bias.stopping.result import Stopping
from fiducial.judge.trust import Trust
from fiducial.run.audit import Check
from fiducial.stats.estimate import Estimate, Measured, Withheld

__all__ = ["ArmCount", "BiasResult", "Effect", "ItemEffect", "JudgeCount", "RunResult"]


Metric = Measured | Consistency | Alignment | dict[str, Measured]
"""bms and rci are estimates, bci and has say something in words too, bmp has one estimate a method."""


class Effect(Struct, frozen=True, kw_only=True):
    """BMS with its unadjusted 95 % interval, the p of "no effect", and q over the biases of the run."""

    value: float
    low: float
    high: float
    n: int
    method: str
    p: float
    q: float


class ItemEffect(Struct, frozen=True, kw_only=True):
    """One item: its magnitude, and its effect at each intensity that was run (None where nothing was read)."""

    id: str
    domain: str
    value: float | None
    by_intensity: dict[str, float | None]
    generated: str | None = None  # the model that wrote the item, where one did


class ArmCount(Struct, frozen=True, kw_only=True):
    """What became of an arm's replies. `unread` holds counts by reason."""

    replies: int
    read: int
    unread: dict[str, int]


class BiasResult(Struct, frozen=True, kw_only=True):
    """One bias: what the contract names, and what the report shows beside it."""

    id: str
    effect: Effect | Withheld
    flagged: bool
    reason: str | None
    pooled: Estimate | None = None  # the effect drawn toward its family, where it is exploratory
    metrics: dict[str, Metric]
    name: str
    family: str
    tier: str
    paradigm: str
    about: str
    by_intensity: dict[str, Measured]
    by_domain: dict[str, Measured]
    by_stratum: dict[str, Measured]  # of difficulty, easiest first; empty where items have none
    bounds: tuple[float, float] | None  # of the effect, whatever the unread replies would have said
    arms: dict[str, ArmCount]
    moved: float | None  # share of numbers brought to an end of the scale
    items: list[ItemEffect]


class JudgeCount(Struct, frozen=True, kw_only=True):
    """What the judge that only reads was asked, and what came of it."""

    model: str
    prompt: str  # the version of what it was asked
    asked: int  # replies that the rules left open and that have a verdict or a failed try at one
    decided: int  # an answer, with a quotation that is in the reply
    none: int  # the reply commits to nothing
    invalid: int  # no verdict, or a quotation that is not there
    waiting: int  # replies left open that no judge call has come back for
    share: float  # of all scored replies, those scored by its word
    trust: Trust | None = None  # what is known of its errors


class LetterMass(Struct, frozen=True, kw_only=True):
    """How much of the probability lay on the options' letters, where probabilities were read. `unread`: replies of which
    too little did, or that came without probabilities."""

    replies: int
    unread: int
    mean: float | None
    least: float | None


class RunResult(Struct, frozen=True, kw_only=True):
    """A whole run."""

    run: str
    subject: str
    complete: bool
    biases: list[BiasResult]
    subject_metrics: dict[str, dict[str, Measured]]
    reliability: list[ReliabilityBin]
    position: Estimate | Withheld
    unread: dict[str, int]
    protocols: list[ProtocolResult]
    audit: list[Check]
    calls: int
    cost: float | None
    settings: dict[str, object]
    trials: int
    answered: int
    tokens: dict[str, int]
    seconds: float  # from the first call to the last reply
    provenance: dict[str, object]
    reader: str
    judge: JudgeCount | None = None
    families: list[FamilyResult] = []  # of the extended biases
    stopping: Stopping | None = None  # of a run with a stopping rule
    letters: LetterMass | None = None  # of a run that reads probabilities

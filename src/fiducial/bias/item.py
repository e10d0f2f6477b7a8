"""The battery as data: what a bias file holds.

An item is one text with marked places. Its arms are made by filling those places, and nothing else, so two
arms of a block cannot differ outside the marked span. Options carry roles, never letters.

```yaml
items:
  - id: ferry-cars
    domain: professional
    slots:
      low: {int: [40, 60, 5]}
      high: {calc: "low * 6"}
    text: |
      A ferry runs between two islands. {span}
      How many cars does it carry on an ordinary Tuesday?
    sides: {high: {n: high}, low: {n: low}}
    control: ""
    intensities:
      weak: "A raffle ticket on the counter has the number {n}. ..."
    answer: {kind: numeric, unit: cars, range: [0, 2000]}
    scale: [low, high]
```
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from fiducial.bias.human import HumanEffect, Published

Domain = Literal["individual", "professional", "social", "temporal", "risk"]
Intensity = Literal["weak", "moderate", "strong", "adversarial"]
Tier = Literal["core", "extended", "own"]
"""`own`: people's own biases, which may have as few items as they like."""

DOMAINS: tuple[Domain, ...] = ("individual", "professional", "social", "temporal", "risk")
INTENSITIES: tuple[Intensity, ...] = ("weak", "moderate", "strong", "adversarial")
METHODS = ("warning", "step_by_step", "consider_opposite", "reference_class", "pre_mortem")
"""Debiasing methods; their texts stand in the folder of that name."""
WEIGHTS: dict[str, float] = {"weak": 0.1, "moderate": 0.3, "strong": 0.4, "adversarial": 0.2}

Expression = str | int | float
Spans = str | dict[str, str]
"""The text of the place `{span}`, or texts for several marked places by their names."""


class Source(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a bias, or a figure, comes from."""

    authors: str
    year: int
    title: str
    journal: str
    doi: str | None = None


class Slot(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A place that the seed fills. Exactly one of the fields is given.

    `int: [from, to]` or `[from, to, step]`; `pick`: one of a list; `calc`: computed from other slots;
    `name`: a fresh name from a pool (person, town, firm), never the same twice in an item.
    """

    whole: list[int] | None = field(name="int", default=None)
    pick: list[str | int | float] | None = None
    calc: str | None = None
    name: Literal["person", "town", "firm"] | None = None


class OptionSpec(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One answer to choose, with the role it plays."""

    role: str
    text: str


class AnswerSpec(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What kind of answer is asked for. A number has a unit, and a range outside which it is unreadable.

    `confident` is a choice among options together with a stated confidence.
    """

    kind: Literal["option", "numeric", "confident"]
    unit: str = ""
    range: tuple[Expression, Expression] | None = None


Lottery = list[tuple[Expression, Expression]]
"""Outcomes as [probability, value]."""


class ProofSpec(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why an answer is right, or why two descriptions are the same; `fiducial bias lint` computes it again.

    expected_value: `lotteries` gives each role its outcomes as [probability, value]; `best` names the role that
    must be worth most, or is left out where all must be worth the same.
    same_outcomes: `frames` gives each side the lotteries of its roles, in final outcomes; every role has the same
    distribution on both sides.
    dominance: `outcomes` gives each role its outcome in each of the same states; `best` is nowhere worse and
    somewhere better than every other.
    bayes: `prior` of a hypothesis, the chance of the evidence where it holds (`hit`) and where it does not
    (`false_alarm`), and the roles that say it holds (`holds`) and that it does not (`fails`); the rational role is the
    more probable one.
    independence: `chances` gives each role the chance of what it bets on or claims, from the stated mechanism
    alone; `best` is the largest, or is left out where all are equal.
    diagnosticity: `evidence` gives each role [P(result | hypothesis), P(result | not)]; `best` separates the two
    most, measured as expected information from even odds.
    set_inclusion: `events` gives each role the events it asserts; the rational role's are a proper part of the
    biased role's, so it cannot be less probable.
    arithmetic: `values` gives each role the number it states, and `right` the true one; only the rational role has it.
    binomial: `samples` gives roles the sizes of samples whose members each have the property with `chance`; the share
    with it is to be at least `share` (or at most, where `share` lies below `chance`), and is so most probably for `best`.
    Roles without a sample ("equally probable") are claims that this refutes.
    stated: `fact` is a sentence that stands in the text of every arm, `words` gives each role the words that make it
    what it is; the fact contains the rational role's words and no other's, and every option its own.
    """

    kind: Literal[
        "expected_value",
        "same_outcomes",
        "dominance",
        "bayes",
        "independence",
        "diagnosticity",
        "set_inclusion",
        "arithmetic",
        "binomial",
        "stated",
    ]
    lotteries: dict[str, Lottery] | None = None
    frames: dict[str, dict[str, Lottery]] | None = None
    outcomes: dict[str, list[Expression]] | None = None
    chances: dict[str, Expression] | None = None
    evidence: dict[str, tuple[Expression, Expression]] | None = None
    events: dict[str, list[str]] | None = None
    values: dict[str, Expression] | None = None
    right: Expression | None = None
    best: str | None = None
    prior: Expression | None = None
    hit: Expression | None = None
    false_alarm: Expression | None = None
    holds: str | None = None
    fails: str | None = None
    samples: dict[str, Expression] | None = None
    chance: Expression | None = None
    share: Expression | None = None
    fact: str | None = None
    words: dict[str, str] | None = None


class Generated(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A model wrote the item, and the linter let it pass; nobody need have read it."""

    model: str
    prompt: str  # the version of what the model was asked with
    run: str  # where the reply is
    date: str


class ChainStep(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A decision that follows an earlier one. Options have the same roles in every step, and the same one counts.

    `follows` says, for each role, what became of the decision before; the empty role is for an answer that could not be
    read, and says nothing of it.
    """

    follows: dict[str, str]
    text: str
    options: list[OptionSpec]


class ItemSpec(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One situation, before the seed has filled it.

    `sides` are the two arms compared at each intensity, the one that pulls toward the bias first; each side may
    bind slots to expressions. Paradigms that compare a trigger with a control have no sides.
    """

    id: str
    domain: Domain
    text: str
    answer: AnswerSpec
    slots: dict[str, Slot] = {}
    require: list[str] = []  # comparisons that every draw fulfils
    sides: dict[str, dict[str, Expression]] | None = None
    control: Spans | None = None
    intensities: dict[Intensity, str | dict[str, Spans]] = {}
    pair: dict[str, Spans] | None = None  # the spans of the two sides, under a paradigm without intensities
    options: list[OptionSpec] = []
    target: str | None = None  # the role whose choice is counted
    scale: tuple[Expression, Expression] | None = None  # the two ends a numeric effect is a share of
    proof: ProofSpec | None = None
    paraphrase: str | None = None  # the text in other words, with the same places; see the protocol robustness
    chain: list[ChainStep] = []  # decisions that follow from the answer; see the protocol chain
    skeleton: str | None = None  # items that share one are one cluster in every interval
    stratum: int | None = None  # difficulty of a calibration question, 1 to 5
    floor: bool = False  # did not move a small model under the positive control; see docs/validity.md
    generated: Generated | None = None


class Link(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Another bias that is the same construct, or a near one, under another name."""

    bias: str
    how: str  # what the two share, and what tells them apart here


class BiasInfo(Struct, frozen=True, kw_only=True):
    """What a run file keeps of a bias beside its blocks."""

    id: str
    name: str
    family: str
    tier: Tier
    paradigm: str
    about: str
    human: HumanEffect | None = None
    human_none: str | None = None  # why there is none


class Bias(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One bias: what it is, and the items that measure it."""

    id: str
    name: str
    family: str
    tier: Tier
    paradigm: str
    about: str
    mechanism: str
    override: str
    sources: list[Source]
    items: list[ItemSpec]
    human: Published | None = None  # only where an effect was measured in people with the same paradigm
    human_none: str | None = None  # otherwise why there is none, in a sentence
    linked: list[Link] = []
    limits: str | None = None  # what the task shows of the bias and what it does not
    positive: str | None = None  # positive control: a system message that tells a subject to give in to the trigger

    def info(self) -> BiasInfo:
        """The bias without its items."""
        return BiasInfo(
            id=self.id,
            name=self.name,
            family=self.family,
            tier=self.tier,
            paradigm=self.paradigm,
            about=self.about.strip(),
            human=self.human.effect() if self.human else None,
            human_none=self.human_none,
        )

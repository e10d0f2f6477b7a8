"""Paradigms: the few ways in which arms are compared. Each gives a signed effect in [-1, 1].

Most compare means of scores in [0, 1]: the mean of the arm that pulls toward the bias minus the mean of the arm it
is compared with. A price pair compares two prices by their relative difference; a calibration question has a single
arm, and its score is the stated confidence minus whether the answer was right.
"""

from __future__ import annotations

import difflib
from typing import Literal

from msgspec import Struct

from fiducial.errors import UsageError

Contrast = Literal["difference", "price", "single"]


class Paradigm(Struct, frozen=True, kw_only=True):
    """How the arms of a block are compared.

    `sides`: both compared arms are made anew at every intensity (two anchors, two frames); without it a trigger
    of every intensity is compared with the one control. `proof`: the kinds of proof of which an item needs one: that
    an answer is right, or that two descriptions are the same.
    """

    name: str
    kind: Literal["option", "numeric", "confident"]
    sides: bool = False
    control: bool = True  # an arm without any trigger is required
    contrast: Contrast = "difference"
    intensities: bool = True
    proof: tuple[str, ...] = ()
    effect: str
    varies: str  # what grows from weak to adversarial


NORMS = (
    "set_inclusion",
    "expected_value",
    "dominance",
    "bayes",
    "independence",
    "arithmetic",
    "binomial",
    "stated",
)

PARADIGMS: dict[str, Paradigm] = {
    p.name: p
    for p in (
        Paradigm(
            name="anchor",
            kind="numeric",
            sides=True,
            effect="(answer at the high anchor − answer at the low one) / (high anchor − low anchor)",
            varies="how prominent the number is, never how far away",
        ),
        Paradigm(
            name="frame_pair",
            kind="option",
            sides=True,
            control=False,
            proof=("expected_value", "same_outcomes"),
            effect="P(counted option | first frame) − P(counted option | second frame)",
            varies="how strongly the frame is worded",
        ),
        Paradigm(
            name="label_swap",
            kind="option",
            sides=True,
            control=False,
            effect="P(X | label on X) − P(X | label on Y)",
            varies="the weight of the label",
        ),
        Paradigm(
            name="ratio_pair",
            kind="option",
            sides=True,
            control=False,
            proof=("expected_value",),
            effect="P(safe option | one outcome certain) − P(safe option | all chances scaled down)",
            varies="the scaling factor",
        ),
        Paradigm(
            name="provable_norm",
            kind="option",
            proof=NORMS,
            effect="P(biased option | trigger) − P(biased option | control)",
            varies="the trigger",
        ),
        Paradigm(
            name="evidence_choice",
            kind="option",
            proof=("diagnosticity",),
            effect="P(confirming, less telling evidence | belief stated) − the same in the control",
            varies="how strongly a belief was stated",
        ),
        Paradigm(
            name="delay_pair",
            kind="option",
            sides=True,
            control=False,
            effect="P(sooner | now or later) − P(sooner | the same gap, both later)",
            varies="how vivid now is",
        ),
        Paradigm(
            name="knowledge_pair",
            kind="numeric",
            sides=True,
            control=False,
            effect="probability given beforehand by those told it happened − by those told it did not",
            varies="how much is made of the outcome",
        ),
        Paradigm(
            name="frequency_pair",
            kind="numeric",
            effect="shift of the estimate toward the story / range of the scale",
            varies="how vivid the story is",
        ),
        Paradigm(
            name="rating_pair",
            kind="numeric",
            sides=True,
            control=False,
            effect="(rating with the attribute that pulls − rating with the other) / width of the scale",
            varies="the weight of the attribute, which the rating has no reason to follow",
        ),
        Paradigm(
            name="order_pair",
            kind="numeric",
            sides=True,
            control=False,
            intensities=False,
            effect="(answer after the evidence in one order − answer after the other order) / width of the scale",
            varies="nothing",
        ),
        Paradigm(
            name="price_pair",
            kind="numeric",
            sides=True,
            control=False,
            contrast="price",
            effect="(selling price − buying price) / (selling price + buying price)",
            varies="how long the thing was owned",
        ),
        Paradigm(
            name="calibration",
            kind="confident",
            control=False,
            contrast="single",
            intensities=False,
            proof=("arithmetic",),
            effect="mean stated confidence − share of right answers",
            varies="nothing",
        ),
    )
}


def paradigm(name: str) -> Paradigm:
    """The paradigm of that name."""
    try:
        return PARADIGMS[name]
    except KeyError:
        near = difflib.get_close_matches(name, PARADIGMS, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise UsageError(f"paradigm {name!r} is not known; there are {', '.join(PARADIGMS)}.{hint}") from None

"""Paradigms: the few ways in which arms are compared. Each gives a signed effect in [-1, 1].

The score of a reply lies in [0, 1]; the effect of a block is the mean score of the arm that pulls toward the
bias minus the mean score of the arm it is compared with.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from gnomon.errors import UsageError


class Paradigm(Struct, frozen=True, kw_only=True):
    """How the arms of a block are compared.

    `sides`: both compared arms are made anew at every intensity (two anchors, two frames); without it a trigger
    of every intensity is compared with the one control. `proof`: a right answer, or the sameness of two
    descriptions, has to be proved.
    """

    name: str
    kind: Literal["option", "numeric"]
    sides: bool
    control: bool  # an arm without any trigger is required
    proof: tuple[str, ...]
    effect: str


PARADIGMS: dict[str, Paradigm] = {
    p.name: p
    for p in (
        Paradigm(
            name="anchor",
            kind="numeric",
            sides=True,
            control=True,
            proof=(),
            effect="(answer at the high anchor − answer at the low one) / (high anchor − low anchor)",
        ),
        Paradigm(
            name="frame_pair",
            kind="option",
            sides=True,
            control=False,
            proof=("expected_value",),
            effect="P(counted option | first frame) − P(counted option | second frame)",
        ),
        Paradigm(
            name="provable_norm",
            kind="option",
            sides=False,
            control=True,
            proof=("set_inclusion", "expected_value"),
            effect="P(biased option | trigger) − P(biased option | control)",
        ),
    )
}


def paradigm(name: str) -> Paradigm:
    """The paradigm of that name."""
    try:
        return PARADIGMS[name]
    except KeyError:
        raise UsageError(f"paradigm {name!r} is not known; there are {', '.join(PARADIGMS)}") from None

"""A protocol: the same items asked another way, and what is estimated from the answers.

A protocol makes blocks out of standard blocks: each variant of an item is a block of its own, whose arms may go on over
several turns of a chat. The engine, the reader and the scores know no protocols. What comes back is put together again by
`Seen`, and a protocol says which contrast of it is its estimand.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any
from typing import Protocol as Interface

import msgspec

from fiducial.bias.block import CONTROL, SINGLE, Arm, Block, ChoiceKey, ScaleKey
from fiducial.bias.item import BiasInfo
from fiducial.bias.protocols.result import ProtocolResult
from fiducial.bias.protocols.seen import Seen
from fiducial.model.yaml import load_yaml


class Protocol(Interface):
    """One protocol."""

    name: str

    def blocks(self, bias: BiasInfo, block: Block) -> list[Block] | str:
        """The variants of a standard block, or why the item does not fit."""
        ...

    def estimate(self, seen: Seen) -> ProtocolResult:
        """What the answers come to."""
        ...


def compared(block: Block, at: str) -> list[Arm]:
    """The arms of the one comparison that a protocol repeats: of this intensity, or the only one there is."""
    arms = [arm for arm in block.arms.values() if arm.column in (at, SINGLE)]
    if all(arm.sign > 0 for arm in arms):
        arms += [arm for arm in block.arms.values() if arm.name == CONTROL and arm.sign < 0]
    return arms


def variant(
    block: Block,
    protocol: str,
    name: str,
    arms: Sequence[Arm],
    *,
    later: Sequence[Mapping[str, Arm]] = (),
    levels: Mapping[str, float] | None = None,
    own: bool = False,
) -> Block:
    """The block of a variant."""
    made = {arm.name: arm for arm in arms}
    turns = tuple(dict(turn) for turn in later)
    what = msgspec.json.encode((block.kind, block.unit, made, turns))
    return msgspec.structs.replace(
        block,
        protocol=protocol,
        variant=name,
        arms=made,
        later=turns,
        levels=dict(levels or {}),
        own=own,
        rephrased={},
        chain=(),
        hash=hashlib.sha256(what).hexdigest()[:16],
    )


def wanted(arm: Arm) -> str:
    """The counted answer, as somebody would name it who wants it."""
    if isinstance(arm.key, ChoiceKey):
        return next(text for role, text in arm.options if role == arm.key.biased).rstrip(".")
    assert isinstance(arm.key, ScaleKey)
    return f"{arm.key.toward:g}"


@cache
def texts(protocol: str) -> dict[str, Any]:
    """What a protocol says to subjects: a file beside the code."""
    found: dict[str, Any] = load_yaml(
        (files("fiducial.bias.protocols") / "texts" / f"{protocol}.yaml").read_text("utf-8"),
        name=f"{protocol}.yaml",
    )
    return found

"""The protocols by name, and what a run does with them."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from gnomon.bias.block import STANDARD, Block
from gnomon.bias.item import BiasInfo
from gnomon.bias.paradigms import paradigm
from gnomon.bias.protocols import context, persistent
from gnomon.bias.protocols.base import Protocol
from gnomon.bias.protocols.result import ProtocolResult
from gnomon.bias.protocols.seen import Seen
from gnomon.bias.reading import Answer
from gnomon.errors import UsageError

ROUNDS = 4
"""Of a chat in rounds, unless more or fewer are asked for."""
NAMES = (STANDARD, "context", "context:full", "temporal-persistent")
"""As `--protocol` takes them."""


def open_protocols(names: Iterable[str], *, at: str, rounds: int) -> list[Protocol]:
    """The protocols of these names beside the standard one; an unknown name says which are near."""
    found: list[Protocol] = []
    for name in dict.fromkeys(names):
        if name not in NAMES:
            near = difflib.get_close_matches(name, NAMES, n=2, cutoff=0.4)
            hint = f" Nearest: {', '.join(near)}." if near else ""
            raise UsageError(f"--protocol {name}: one of {', '.join(NAMES)}.{hint}")
        match name:
            case "context" | "context:full":
                found.append(context.Context(at=at, full=name != "context"))
            case "temporal-persistent":
                found.append(persistent.Persistent(at=at, rounds=rounds))
    return found


def protocol_blocks(
    protocols: Sequence[Protocol], biases: Mapping[str, BiasInfo], blocks: Sequence[Block]
) -> tuple[list[Block], dict[str, dict[str, int]]]:
    """The blocks that the protocols make of the standard ones, and how many items each leaves out, by reason."""
    made: list[Block] = []
    left_out: dict[str, dict[str, int]] = {}
    for protocol in protocols:
        lost: Counter[str] = Counter()
        for block in blocks:
            found = protocol.blocks(paradigm(biases[block.bias].paradigm), block)
            if isinstance(found, str):
                lost[found] += 1
            else:
                made += found
        left_out[protocol.name] = dict(lost)
    return made, left_out


def estimate_protocols(
    protocols: Sequence[Protocol],
    biases: Mapping[str, BiasInfo],
    blocks: Iterable[Block],
    answers: Sequence[Answer],
) -> list[ProtocolResult]:
    """The result of every protocol."""
    own_blocks: dict[str, list[Block]] = {protocol.name: [] for protocol in protocols}
    own_answers: dict[str, list[Answer]] = {protocol.name: [] for protocol in protocols}
    for block in blocks:
        if block.protocol in own_blocks:
            own_blocks[block.protocol].append(block)
    for answer in answers:
        own_answers[answer.block.protocol].append(answer)
    return [p.estimate(Seen(biases, own_blocks[p.name], own_answers[p.name])) for p in protocols]

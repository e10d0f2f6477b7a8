"""The protocols by name, and what a run does with them."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from fiducial.bias.block import STANDARD, Block
from fiducial.bias.item import BiasInfo
from fiducial.bias.protocols.adaptive import Adaptive
from fiducial.bias.protocols.base import Protocol
from fiducial.bias.protocols.chain import Chain
from fiducial.bias.protocols.compound import SECONDS, Compound
from fiducial.bias.protocols.context import Context
from fiducial.bias.protocols.conversation import Conversation
from fiducial.bias.protocols.meta import Meta
from fiducial.bias.protocols.persistent import Persistent
from fiducial.bias.protocols.result import ProtocolResult
from fiducial.bias.protocols.robustness import Robustness
from fiducial.bias.protocols.seen import Seen
from fiducial.bias.reading import Answer
from fiducial.errors import UsageError

ROUNDS = 4
"""Of a chat in rounds, unless more or fewer are asked for."""
NAMES = (
    STANDARD,
    "context",
    "context:full",
    "temporal-persistent",
    "temporal-adaptive",
    "conversation",
    *(f"compound:{second}" for second in SECONDS),
    "chain",
    "meta",
    "robustness",
)
"""As `--protocol` takes them. `compound` alone is `compound:majority`."""


def open_protocols(names: Iterable[str], *, at: str, rounds: int) -> list[Protocol]:
    """The protocols of these names beside the standard one; an unknown name says which are near."""
    found: dict[str, Protocol] = {}
    for name in dict.fromkeys(names):
        protocol = _open(name, at, rounds)
        if protocol is None:
            continue
        if protocol.name in found:
            raise UsageError(f"--protocol {name}: a run has one kind of {protocol.name}; make a second run for it.")
        found[protocol.name] = protocol
    return list(found.values())


def _open(name: str, at: str, rounds: int) -> Protocol | None:
    match name.partition(":"):
        case ("standard", "", ""):
            return None
        case ("context", _, "" | "full" as extent):
            return Context(at=at, full=extent == "full")
        case ("temporal-persistent", "", ""):
            return Persistent(at=at, rounds=rounds)
        case ("temporal-adaptive", "", ""):
            return Adaptive(at=at)
        case ("conversation", "", ""):
            return Conversation(at=at, rounds=rounds)
        case ("compound", _, second) if second in ("", *SECONDS):
            return Compound(at=at, second=second or SECONDS[0])
        case ("chain", "", ""):
            return Chain(at=at)
        case ("meta", "", ""):
            return Meta(at=at)
        case ("robustness", "", ""):
            return Robustness(at=at)
    near = difflib.get_close_matches(name, NAMES, n=2, cutoff=0.4)
    hint = f" Nearest: {', '.join(near)}." if near else ""
    raise UsageError(f"--protocol {name}: one of {', '.join(NAMES)}.{hint}")


def protocol_blocks(
    protocols: Sequence[Protocol], biases: Mapping[str, BiasInfo], blocks: Sequence[Block]
) -> tuple[list[Block], dict[str, dict[str, int]]]:
    """The blocks that the protocols make of the standard ones, and how many items each leaves out, by reason."""
    made: list[Block] = []
    left_out: dict[str, dict[str, int]] = {}
    for protocol in protocols:
        lost: Counter[str] = Counter()
        for block in blocks:
            found = protocol.blocks(biases[block.bias], block)
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

"""What the order of a judge's prompt costs: the same questions with the document first, and with the finding first.

`python -m benchmarks.prefix [--model M] [--findings N] [--words N]`: a real local model judges findings about one
document, replies bounded to 120 tokens, both ways in one run. It prints wall time, tokens, cached tokens and the ratio,
and the share of the prompt that is a shared prefix for 30 findings on a document of 20,000 tokens.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Sequence

import msgspec

from fiducial.judge.genuine import GenuineCase, genuine_request
from fiducial.model.base import Model
from fiducial.model.names import open_model
from fiducial.model.request import Message, Request
from fiducial.review.dataset import load_dataset, shipped_datasets
from fiducial.run.collect import CHARACTERS_A_TOKEN

REPLY = 120
CLAIMS = (
    "The document never says who decides when two rules conflict.",
    "Two sections give different figures for the same limit.",
    "A step depends on a result that only a later step produces.",
    "No criterion says when this part counts as finished.",
    "The term is used in three sections and defined in none.",
    "The retention period is stated without its beginning.",
    "The fallback relies on the part whose failure it is meant to cover.",
    "Nothing is said about what happens to work in progress.",
    "The number of users assumed here is lower than the one in the introduction.",
    "The threshold triggers an alarm and no action follows from it.",
    "The owner of this duty changes between two sections.",
    "The order of deletion would remove what the report still needs.",
)


def shipped_text(words: int) -> str:
    """So many words of the shipped documents."""
    from pathlib import Path

    texts = [load_dataset(Path(name)).documents[0].text for name in shipped_datasets()]
    return " ".join(" ".join(texts).split(" ")[:words])


def requests(document: str, findings: Sequence[str], *, first: str) -> list[Request]:
    """The judge's requests; with `first="finding"`, the finding is moved to the beginning of the prompt."""
    made = []
    for finding in findings:
        request = genuine_request(GenuineCase(document=document, finding=finding, review_type="design"), secret="1")
        settings = msgspec.structs.replace(request.settings, max_tokens=REPLY)
        messages = request.messages
        if first == "finding":
            (message,) = messages
            head, tail = message.text[: message.prefix], message.text[message.prefix :]
            messages = (Message("user", f"{tail}\n\n{head}"),)
        made.append(msgspec.structs.replace(request, messages=messages, settings=settings))
    return made


async def ask(model: Model, asked: Sequence[Request]) -> tuple[float, int, int]:
    """Seconds, input tokens and cached ones; the first call goes alone, the rest follow as the model has room."""
    started = time.perf_counter()
    room = asyncio.Semaphore(model.slots)

    async def one(request: Request) -> tuple[int, int]:
        async with room:
            reported = (await model.call(request)).reported
            return reported.input_tokens or 0, reported.cached_tokens or 0

    counts = [await one(asked[0]), *await asyncio.gather(*map(one, asked[1:]))]
    return time.perf_counter() - started, sum(c[0] for c in counts), sum(c[1] for c in counts)


async def measure(name: str, document: str, findings: Sequence[str]) -> None:
    """Print a line each way, and the ratio."""
    seconds = {}
    for first in ("document", "finding"):
        asked = requests(document, findings, first=first)
        model = open_model(name, timeout=1800.0)
        model.make_room(max(len(r.messages[0].text) for r in asked) // 3 + REPLY)
        async with model:
            taken, given, cached = await ask(model, asked)
        seconds[first] = taken
        print(
            f"{first} first: {taken:7.1f} s for {len(asked)} calls, {given:,} tokens in, {cached:,} of them cached",
            flush=True,
        )
    print(f"document first is {seconds['finding'] / seconds['document']:.1f} x faster")


def shared_share(tokens: int = 20_000, findings: int = 30) -> float:
    """The share of all prompt characters that lie in the prefix which all the calls have in common."""
    words = shipped_text(10_000)
    document = (words * 10)[: tokens * CHARACTERS_A_TOKEN]
    made = requests(document, [f"{CLAIMS[k % len(CLAIMS)]} ({k})" for k in range(findings)], first="document")
    texts = [request.messages[0] for request in made]
    assert len({message.text[: message.prefix] for message in texts}) == 1
    return sum(message.prefix for message in texts) / sum(len(message.text) for message in texts)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="local/qwen2.5-coder-1.5b")
    parser.add_argument("--findings", type=int, default=12)
    parser.add_argument("--words", type=int, default=1500)
    options = parser.parse_args()
    print(f"30 findings on a document of 20,000 tokens: {shared_share():.1%} of the prompt is a shared prefix")
    findings = [CLAIMS[k % len(CLAIMS)] for k in range(options.findings)]
    asyncio.run(measure(options.model, shipped_text(options.words), findings))


if __name__ == "__main__":
    main()

"""Log probabilities against sampling, on a real model: the same items, the same answer-only contract, both effects.

`python -m benchmarks.logprobs [--model M] [--trials N] [--bias ID]…` runs `--read logprobs` once and `--read letter` N times
a prompt, and prints both effects with their intervals, the difference item by item, and the calls. Exits 1 where an
interval of a difference leaves out 0, or where log probabilities took more than a tenth of the calls. It also asks some
prompts at temperature 1: log probabilities that changed with it would not be those of the model.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

import msgspec

from fiducial.bias.likelihood import letters
from fiducial.bias.load import packaged_battery
from fiducial.bias.result import Effect, RunResult
from fiducial.bias.run import BiasOptions, Prepared, collect_run, prepare_run, rescore
from fiducial.run.budget import Budget
from fiducial.run.calls import open_named
from fiducial.run.limits import Limits
from fiducial.run.plan import Plan
from fiducial.run.progress import Shown
from fiducial.stats.estimate import Withheld
from fiducial.study.compare import compare

BIASES = ("gain_loss_framing", "conjunction_fallacy")
ARMS = ("control", "strong")
TRIED = 6  # prompts that are asked at both temperatures


def run(
    folder: Path, model: str, biases: tuple[str, ...], read: str, trials: int
) -> tuple[Path, Prepared, RunResult]:
    """One run, its file and its result."""
    options = BiasOptions(model=model, tier="core", biases=biases, arms=ARMS, trials=trials, read=read)
    prepared = prepare_run(packaged_battery(), options, out=folder / f"{read}.db")
    prepared = msgspec.structs.replace(prepared, plan=together(prepared.plan))
    collected = collect_run(
        prepared,
        open_named(model, timeout=900.0),
        options,
        limits=Limits(timeout=900.0, max_connections=1),
        budget=Budget(),
        progress=Shown(f"{model} by {read}"),
    )
    if collected.stopped:
        sys.exit(f"stopped: {collected.stopped}")
    return prepared.path, prepared, rescore(prepared.path).result


def together(plan: Plan) -> Plan:
    """The plan with the repetitions of a prompt one after the other: a local model then reads it once, and there is no
    provider in between that could serve one reply twice."""
    order = sorted(range(len(plan.keys)), key=lambda k: plan.keys[k])
    return Plan(tuple(plan.trials[k] for k in order), tuple(plan.keys[k] for k in order))


async def tempered(model: str, prepared: Prepared) -> float:
    """The largest change of a letter's probability between temperature 0 and 1."""
    changes = []
    async with open_named(model, timeout=900.0) as subject:
        for trial in prepared.plan.trials[:TRIED]:
            request = prepared.source.request(trial)
            labels = [c.label for c in prepared.source.prompt(trial.item, trial.arm, trial.order).choices]
            await subject.call(request)  # what is read from the cache and what is not differ in the last digits
            found = []
            for temperature in (0.0, 1.0):
                settings = msgspec.structs.replace(request.settings, temperature=temperature, seed=1, max_tokens=1)
                reply = await subject.call(msgspec.structs.replace(request, settings=settings))
                found.append(letters(reply.tokens or (), labels))
            if found[0] and found[1]:
                changes += [abs(a - b) for a, b in zip(found[0].chances, found[1].chances, strict=True)]
    return max(changes, default=float("nan"))


def _told(effect: Effect | Withheld) -> str:
    if isinstance(effect, Withheld):
        return f"withheld: {effect.withheld}"
    return f"{effect.value:+.3f} [{effect.low:+.3f}, {effect.high:+.3f}]"


def main() -> int:
    """Both runs, and the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="local/smollm2")
    parser.add_argument("--trials", type=int, default=10, help="samples of a prompt [default: 10]")
    parser.add_argument("--bias", action="append", help=f"[default: {', '.join(BIASES)}]")
    parser.add_argument("--folder", type=Path, help="keep the runs here, and go on with those that are there")
    args = parser.parse_args()
    biases = tuple(args.bias or BIASES)
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.folder or Path(scratch)
        began = time.monotonic()
        one, prepared, by_tokens = run(folder, args.model, biases, "logprobs", 1)
        between = time.monotonic()
        other, _, sampled = run(folder, args.model, biases, "letter", args.trials)
        ended = time.monotonic()
        compared = compare(one, other)
        moved = asyncio.run(tempered(args.model, prepared))
    print(f"\n{args.model}, {', '.join(ARMS)}, answer-only contract")
    print(f"{'bias':22} {'log probabilities':>26} {'sampled letters':>26} {'sampled − log prob.':>26}  items")
    agree = True
    for bias in compared.biases:
        difference = bias.difference
        inside = isinstance(difference, Effect) and difference.low <= 0 <= difference.high
        agree &= inside
        own = {r.run: next(b.effect for b in r.biases if b.id == bias.id) for r in (by_tokens, sampled)}
        print(
            f"{bias.id:22} {_told(own[by_tokens.run]):>26} {_told(own[sampled.run]):>26} {_told(difference):>26}  "
            f"{bias.paired_items}{'' if inside else '  differs'}"
        )
    share = by_tokens.calls / sampled.calls
    print(
        f"calls: {by_tokens.calls} in {between - began:.0f} s against {sampled.calls} in {ended - between:.0f} s "
        f"({share:.0%}); unread: {sum(by_tokens.unread.values())} against {sum(sampled.unread.values())}"
    )
    if by_tokens.letters is not None and by_tokens.letters.mean is not None:
        print(
            f"probability on the letters: {by_tokens.letters.mean:.1%} on average, least {by_tokens.letters.least:.1%}"
        )
    print(f"largest change of a probability between temperature 0 and 1: {moved:.1e}")
    return int(not agree or share > 0.1)


if __name__ == "__main__":
    sys.exit(main())

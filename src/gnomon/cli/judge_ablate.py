"""`gnomon judge ablate`: what moves a judge that should not?"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gnomon.cli.options import call_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.cli.options import CallOptions
    from gnomon.judge.case import Case
    from gnomon.judge.wording import Wording
    from gnomon.study.judge_ablate import Ablation

VERDICT_TOKENS = 2048  # thinking included


@click.command("ablate")
@click.option("--judge", required=True, metavar="MODEL", help="The judge on trial (see `gnomon models`).")
@click.option(
    "--task",
    type=click.Choice(["genuine", "match", "zero_shot", "read"]),
    required=True,
    help="What it is asked: the first three for reviews, read for bias runs.",
)
@click.option(
    "--set",
    "of",
    required=True,
    metavar="SET",
    help="planted:DATASET (a folder or a shipped dataset; of read: a tier or biases), or labels:FILE, labels:RUN.",
)
@click.option(
    "--factor",
    "factors",
    multiple=True,
    type=click.Choice(["reasoning", "order", "key", "prompt"]),
    help="What is changed; may be given several times. [default: reasoning, order, key, and the prompts given]",
)
@click.option(
    "--prompt",
    "prompts",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file with another prompt for the task, held against the shipped one; may be given several times.",
)
@click.option(
    "--half",
    type=click.Choice(["all", "dev", "holdout"]),
    help="Which half of the cases; a case is always in the same one. [default: all; with --prompt, holdout]",
)
@click.option(
    "--cases",
    "limit",
    type=click.IntRange(2),
    help="Most cases. [default: 120 of a planted set, all labels of people]",
)
@partial(call_options, max_tokens=VERDICT_TOKENS)
def ablate(
    calls: CallOptions,
    judge: str,
    task: str,
    of: str,
    factors: tuple[str, ...],
    prompts: tuple[Path, ...],
    half: str | None,
    limit: int | None,
) -> None:
    """Put the same cases to a judge in several wordings, and say what each does to its verdicts.

    reasoning: the verdict is asked for before the reasons. order: the material the other way round. key: the right answer
    is shown. prompt: another text. What a wording does is held against what asking twice does. Repeating the command
    continues it, or shows its result without a call. Temperature, top-p and reasoning effort are the judge's own, as in
    every run.
    """
    from gnomon.cli.options import open_named, print_json, this_command
    from gnomon.errors import Incomplete, UsageError
    from gnomon.judge.sitting import ask_cases
    from gnomon.report.inert import inert
    from gnomon.report.judge_ablate import as_json
    from gnomon.run.progress import Shown
    from gnomon.study.judge_ablate import FACTORS, ablation_of, prepare_ablation, wordings_of
    from gnomon.study.judge_labels import counted_out
    from gnomon.study.judge_sets import load_set

    if calls.reuse:
        raise UsageError("--reuse: an ablation takes nothing over from other runs; repeated, it continues its own")
    chosen = factors or [factor for factor in FACTORS if factor != "prompt" or prompts]
    wordings = wordings_of(task, chosen, prompts)  # type: ignore[arg-type]  # click has seen to both
    if half is None:
        half = "holdout" if prompts else "all"
        if prompts:
            click.echo(
                "half holdout: prompts of your own are tried on cases they were not tuned on (--half)", err=True
            )
    limits = calls.limits(judge)
    model = open_named(judge, connections=limits.max_connections, timeout=limits.timeout)
    found = load_set(task, of, seed=calls.seed, half=half, limit=limit)  # type: ignore[arg-type]
    if found.left_out:
        click.echo(f"left out: {counted_out(found.left_out)}", err=True)
    path = prepare_ablation(model.name, found.cases, wordings, of=of, seed=calls.seed, out=calls.out)
    _announce(model.name, found.cases, wordings, path, seed=calls.seed)
    collected = ask_cases(
        path,
        model,
        limits=limits,
        budget=calls.spending(),
        progress=Shown(f"judge {inert(model.name)}"),
        max_tokens=calls.max_tokens,
    )
    result = ablation_of(path)
    if calls.as_json:
        print_json({**as_json(result), "left_out": found.left_out})
    else:
        _show(result)
    if not result.complete:
        raise Incomplete(
            f"incomplete: {collected.stopped or 'some calls failed'}. {result.waiting} answers are missing; what was "
            f"answered is stored in {path}. Continue with:\n  {this_command(collected.stopped)}"
        )


def _show(result: Ablation) -> None:
    from rich.console import Console

    from gnomon.report.judge_ablate import show_ablation

    show_ablation(result, Console())


def _announce(judge: str, cases: Sequence[Case], wordings: Sequence[Wording], path: Path, *, seed: int) -> None:
    """How many calls, and what they cost where that is money."""
    from gnomon.model.prices import price_of
    from gnomon.model.reply import Reported
    from gnomon.report.numbers import counted
    from gnomon.study.judge_ablate import asked, tokens

    many = counted(len(cases), "case")
    line = f"{counted(asked(cases, wordings), 'call')}: {many} as shipped, twice, and in "
    line += f"{counted(len(wordings), 'other wording')}, once"
    price = price_of(judge)
    if price is None or price.output > 0:
        given, written = tokens(cases, wordings, seed=seed)
        line += f"; about {given / 1000:,.0f}k tokens in and {written / 1000:,.0f}k out"
        if price is None:
            line += ", no price known for this judge"
        else:
            cost = price.cost(Reported(input_tokens=given, output_tokens=written))
            line += f", at most about {cost:.2f} USD at the prices of {price.as_of}"
    click.echo(f"{line} -> {path}", err=True)

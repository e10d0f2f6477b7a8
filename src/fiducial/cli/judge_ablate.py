"""`fiducial judge ablate`: what moves a judge that should not?"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fiducial.cli.judge_options import (
    TASKS,
    VERDICT_TOKENS,
    cases_option,
    half_of,
    half_option,
    load_cases,
    set_option,
)
from fiducial.cli.options import call_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fiducial.cli.call_options import CallOptions
    from fiducial.judge.calibration import Half
    from fiducial.judge.case import Case, Task
    from fiducial.judge.wording import Wording
    from fiducial.study.judge_ablate import Ablation, Factor


@click.command("ablate")
@click.option("--judge", required=True, metavar="MODEL", help="The judge on trial (see `fiducial models`).")
@click.option(
    "--task",
    type=TASKS,
    required=True,
    help="What it is asked: the first three for reviews, read for bias runs.",
)
@set_option
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
@half_option
@cases_option
@partial(call_options, max_tokens=VERDICT_TOKENS)
def ablate(
    calls: CallOptions,
    judge: str,
    task: Task,
    of: str,
    factors: tuple[Factor, ...],
    prompts: tuple[Path, ...],
    half: Half | None,
    limit: int | None,
) -> None:
    """Put the same cases to a judge in several wordings, and say what each does to its verdicts.

    reasoning: the verdict is asked for before the reasons. order: the material the other way round. key: the right answer
    is shown. prompt: another text. What a wording does is held against what asking twice does. Repeating the command
    continues it, or shows its result without a call. Temperature, top-p and reasoning effort are the judge's own, as in
    every run.
    """
    from fiducial.cli.options import print_json, shown, this_command
    from fiducial.errors import Incomplete
    from fiducial.report.judge_ablate import as_json
    from fiducial.study import judge_conduct
    from fiducial.study.judge_ablate import wordings_of

    judge_conduct.refuse_reuse(calls, "an ablation")
    wordings = wordings_of(task, factors or None, prompts)
    half = half_of(half, tuned=bool(prompts))
    model = calls.open(judge)
    found = load_cases(task, of, calls, half=half, limit=limit)
    done = judge_conduct.ablate(
        (model, calls.limits(model.name)),
        found,
        calls,
        set=of,
        wordings=wordings,
        announce=lambda path: _announce(model.name, found.cases, wordings, path),
        show=shown,
    )
    result = done.result
    if calls.as_json:
        print_json({**as_json(result), "left_out": found.left_out})
    else:
        _show(result)
    if not result.complete:
        raise Incomplete(
            f"incomplete: {done.stopped or 'some calls failed'}. {result.waiting} answers are missing; what was "
            f"answered is stored in {done.path}. Continue with:\n  {this_command(done.stopped)}"
        )


def _show(result: Ablation) -> None:
    from rich.console import Console

    from fiducial.report.judge_ablate import show_ablation

    show_ablation(result, Console())


def _announce(judge: str, cases: Sequence[Case], wordings: Sequence[Wording], path: Path) -> None:
    """How many calls, and what they cost where that is money."""
    from fiducial.model.prices import money_words
    from fiducial.report.numbers import counted
    from fiducial.study.judge_ablate import asked, tokens

    many = counted(len(cases), "case")
    line = f"{counted(asked(cases, wordings), 'call')}: {many} as shipped, twice, and in "
    line += f"{counted(len(wordings), 'other wording')}, once"
    if words := money_words(judge, *tokens(cases, wordings)):
        line += f"; {words}"
    click.echo(f"{line} -> {path}", err=True)

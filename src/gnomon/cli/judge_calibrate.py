"""`gnomon judge calibrate`: how often does a judge err?"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from gnomon.cli.judge_options import (
    TASKS,
    VERDICT_TOKENS,
    ask_all,
    cases_option,
    half_of,
    half_option,
    load_cases,
    refuse_reuse,
    set_option,
)
from gnomon.cli.options import call_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.cli.options import CallOptions
    from gnomon.judge.calibration import Calibration, Half
    from gnomon.judge.case import Task
    from gnomon.judge.wording import Wording
    from gnomon.model.base import Model
    from gnomon.study.judge_sets import CaseSet
    from gnomon.study.judge_trial import Trying


@click.command("calibrate")
@click.option(
    "--judge",
    "judges",
    multiple=True,
    required=True,
    metavar="MODEL",
    help="The judge that is tried (see `gnomon models`); given several times, a panel and each of its seats.",
)
@click.option(
    "--task",
    type=TASKS,
    required=True,
    help="What it is asked: is a finding genuine, is a must-find in a list, can an issue be seen, what does a reply say.",
)
@set_option
@half_option
@cases_option
@click.option(
    "--repeats",
    type=click.IntRange(1, 20),
    default=2,
    show_default=True,
    help="How often up to 40 of the cases are asked, to see how steady the judge is.",
)
@click.option(
    "--prompt", type=click.File("r", encoding="utf-8"), help="Try a prompt of your own in place of the shipped one."
)
@click.option(
    "--min-sensitivity",
    type=click.FloatRange(0, 1),
    metavar="X",
    help="Exit with 1 unless the sensitivity's lower bound reaches X.",
)
@click.option(
    "--min-specificity",
    type=click.FloatRange(0, 1),
    metavar="X",
    help="Exit with 1 unless the specificity's lower bound reaches X.",
)
@partial(call_options, max_tokens=VERDICT_TOKENS)
def calibrate(
    calls: CallOptions,
    judges: tuple[str, ...],
    task: Task,
    of: str,
    half: Half | None,
    limit: int | None,
    repeats: int,
    prompt: IO[str] | None,
    min_sensitivity: float | None,
    min_specificity: float | None,
) -> None:
    """Put cases whose label is known to a judge, and say how often it is wrong.

    The result is written to calibrations/, where later runs with this judge and prompt find it; that of the half `dev`
    is never found. Repeating the command continues the run, or shows its result without a call. Temperature, top-p and
    reasoning effort are the judge's own, as in every run.
    """
    from gnomon.errors import UsageError
    from gnomon.judge.panel import members
    from gnomon.study.judge_calibrate import calibrations_of
    from gnomon.study.judge_trial import Trying

    refuse_reuse(calls, "a calibration")
    seats = members(judges)
    if calls.out is not None and len(seats) > 1:
        raise UsageError("--out names one run file, and every judge of a panel has its own: leave it out")
    wording = _wording(task, prompt)
    half = half_of(half, tuned=prompt is not None)
    opened = [calls.open(name) for name in seats]
    found = load_cases(task, of, calls, half=half, limit=limit)
    paths = []
    for model in opened:
        trying = Trying.of(
            found,
            judge=model.name,
            task=task,
            set=of,
            half=half,
            wording=wording,
            repeats=repeats,
            seed=calls.seed,
        )
        paths.append(_asked(trying, model, calls))
    asked = {"sensitivity": min_sensitivity, "specificity": min_specificity}
    floors = {name: floor for name, floor in asked.items() if floor is not None}
    tried = calibrations_of(*paths, floors=floors)
    seated = [one for path in paths for one in calibrations_of(path)] if len(paths) > 1 else []
    _show(tried, seated, paths, found, as_json=calls.as_json)
    if any(one.below for one in tried):
        raise click.exceptions.Exit(1)


def _asked(trying: Trying, model: Model, calls: CallOptions) -> Path:
    """The run file of one judge, complete."""
    from gnomon.cli.options import this_command
    from gnomon.errors import Incomplete
    from gnomon.judge.calibration import today
    from gnomon.report.inert import inert
    from gnomon.study.judge_trial import forecast, prepare, waiting

    path = prepare(trying, day=today(), out=calls.out)
    for line in forecast(trying, path):
        click.echo(inert(line), err=True)
    collected = ask_all(path, model, calls)
    if missing := waiting(path):
        raise Incomplete(
            f"incomplete: {collected.stopped or 'some calls failed'}. {missing} answers are missing, and no calibration "
            f"was written; what was answered is stored in {path}. Continue with:\n  {this_command(collected.stopped)}"
        )
    return path


def _wording(task: Task, prompt: IO[str] | None) -> Wording:
    from gnomon.errors import UsageError
    from gnomon.judge.prompt import prompt_text
    from gnomon.judge.wording import SHIPPED, Wording, check_template

    if prompt is None:
        return SHIPPED
    try:
        text = prompt.read()
    except UnicodeDecodeError as error:
        raise UsageError(f"{prompt.name}: not UTF-8 text (byte {error.start}); save the file as UTF-8") from None
    if text.strip() == prompt_text(task):
        click.echo(f"{prompt.name}: this is the shipped prompt", err=True)
        return SHIPPED
    return Wording(name="own", template=check_template(task, text, where=prompt.name))


def _show(
    tried: Sequence[Calibration],
    seated: Sequence[Calibration],
    paths: Sequence[Path],
    found: CaseSet,
    *,
    as_json: bool,
) -> None:
    """Write the calibrations, and print them: that of a panel in full, those of its seats as a table."""
    from gnomon.judge.calibration import save

    files = [save(one) for one in (*tried, *seated)]
    if as_json:
        from gnomon.cli.options import print_json

        print_json(
            {
                "run": str(paths[0]) if len(paths) == 1 else [str(path) for path in paths],
                "calibrations": [*tried, *seated],
                "files": [str(file) for file in files],
                "left_out": found.left_out,
            }
        )
        return
    from rich.console import Console

    from gnomon.judge.calibration import today
    from gnomon.report.judge_terminal import show_calibration, show_calibrations

    console = Console()
    for one in tried:
        show_calibration(one, console, today=today())
        console.print()
    if seated:
        show_calibrations(seated, console, today=today())
    for file in files:
        click.echo(f"written: {file}", err=True)

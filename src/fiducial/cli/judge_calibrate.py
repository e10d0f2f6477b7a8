"""`fiducial judge calibrate`: how often does a judge err?"""

from __future__ import annotations

from functools import partial
from typing import IO, TYPE_CHECKING

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
    from fiducial.cli.call_options import CallOptions
    from fiducial.judge.calibration import Half
    from fiducial.judge.case import Task
    from fiducial.judge.wording import Wording
    from fiducial.study.judge_conduct import Tried


@click.command("calibrate")
@click.option(
    "--judge",
    "judges",
    multiple=True,
    required=True,
    metavar="MODEL",
    help="The judge that is tried (see `fiducial models`); given several times, a panel and each of its seats.",
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
    from fiducial.cli.options import shown, this_command
    from fiducial.errors import Incomplete
    from fiducial.judge.panel import members
    from fiducial.report.inert import inert
    from fiducial.study import judge_conduct

    judge_conduct.refuse_reuse(calls, "a calibration")
    seats = members(judges)
    wording = _wording(task, prompt)
    half = half_of(half, tuned=prompt is not None)
    opened = [(calls.open(name), calls.limits(name)) for name in seats]
    found = load_cases(task, of, calls, half=half, limit=limit)
    asked = {"sensitivity": min_sensitivity, "specificity": min_specificity}
    try:
        done = judge_conduct.calibrate(
            opened,
            found,
            calls,
            task=task,
            set=of,
            half=half,
            wording=wording,
            repeats=repeats,
            floors={name: floor for name, floor in asked.items() if floor is not None},
            announce=lambda line: click.echo(inert(line), err=True),
            show=shown,
        )
    except Incomplete as short:
        raise Incomplete(
            f"{short} Continue with:\n  {this_command(short.stopped)}", path=short.path, stopped=short.stopped
        ) from None
    _show(done, as_json=calls.as_json)
    if any(one.below for one in done.calibrations):
        raise click.exceptions.Exit(1)


def _wording(task: Task, prompt: IO[str] | None) -> Wording:
    from fiducial.errors import UsageError
    from fiducial.judge.wording import SHIPPED
    from fiducial.study.judge_conduct import wording_of

    if prompt is None:
        return SHIPPED
    try:
        text = prompt.read()
    except UnicodeDecodeError as error:
        raise UsageError(f"{prompt.name}: not UTF-8 text (byte {error.start}); save the file as UTF-8") from None
    wording = wording_of(task, text, where=prompt.name)
    if wording == SHIPPED:
        click.echo(f"{prompt.name}: this is the shipped prompt", err=True)
    return wording


def _show(done: Tried, *, as_json: bool) -> None:
    """Write the calibrations, and print them: that of a panel in full, those of its seats as a table."""
    from fiducial.judge.calibration import save

    tried, seated, paths = done.calibrations, done.seats, done.paths
    files = [save(one) for one in (*tried, *seated)]
    if as_json:
        from fiducial.cli.options import print_json

        print_json(
            {
                "run": str(paths[0]) if len(paths) == 1 else [str(path) for path in paths],
                "calibrations": [*tried, *seated],
                "files": [str(file) for file in files],
                "left_out": done.left_out,
            }
        )
        return
    from rich.console import Console

    from fiducial.judge.calibration import today
    from fiducial.report.judge_terminal import show_calibration, show_calibrations

    console = Console()
    for one in tried:
        show_calibration(one, console, today=today())
        console.print()
    if seated:
        show_calibrations(seated, console, today=today())
    for file in files:
        click.echo(f"written: {file}", err=True)

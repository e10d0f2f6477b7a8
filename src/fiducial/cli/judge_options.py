"""What the commands that put cases to a judge have in common: how it is opened, which cases, and the asking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from fiducial.cli.call_options import CallOptions
    from fiducial.judge.calibration import Half
    from fiducial.judge.case import Task
    from fiducial.study.judge_sets import CaseSet

VERDICT_TOKENS = 2048  # a verdict is short; the rest is for models that think before they write
TASKS = click.Choice(["genuine", "match", "zero_shot", "read"])
HALVES = click.Choice(["all", "dev", "holdout"])

set_option = click.option(
    "--set",
    "of",
    required=True,
    metavar="SET",
    help="planted:DATASET (a folder or a shipped dataset; of read: a tier or biases), or labels:FILE, labels:RUN.",
)
half_option = click.option(
    "--half",
    type=HALVES,
    help="Which half of the cases; a case is always in the same one. [default: all; with --prompt, holdout]",
)
cases_option = click.option(
    "--cases",
    "limit",
    type=click.IntRange(2),
    help="Most cases. [default: 120 of a planted set, all labels of people]",
)


def half_of(half: Half | None, *, tuned: bool) -> Half:
    """The half that is meant: what was `tuned` by somebody is tried on cases that it was not tuned on."""
    from fiducial.study import judge_conduct

    if half is None and tuned:
        click.echo("half holdout: prompts of your own are tried on cases they were not tuned on (--half)", err=True)
    return judge_conduct.half_of(half, tuned=tuned)


def load_cases(task: Task, of: str, calls: CallOptions, **options: Any) -> CaseSet:
    """The cases of a set; what was left out of it is said."""
    from fiducial.study.judge_labels import counted_out
    from fiducial.study.judge_sets import load_set

    found = load_set(task, of, seed=calls.seed, **options)
    if found.left_out:
        click.echo(f"left out: {counted_out(found.left_out)}", err=True)
    return found

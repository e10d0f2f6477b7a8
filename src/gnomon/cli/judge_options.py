"""What the commands that put cases to a judge have in common: how it is opened, which cases, and the asking."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from gnomon.cli.options import CallOptions
    from gnomon.judge.calibration import Half
    from gnomon.judge.case import Task
    from gnomon.model.base import Model
    from gnomon.run.collect import Collected
    from gnomon.study.judge_sets import CaseSet

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


def refuse_reuse(calls: CallOptions, what: str) -> None:
    """Replies of other runs were given to other cases."""
    from gnomon.errors import UsageError

    if calls.reuse:
        raise UsageError(f"--reuse: {what} takes nothing over from other runs; repeated, it continues its own")


def half_of(half: Half | None, *, tuned: bool) -> Half:
    """The half that is meant: what was `tuned` by somebody is tried on cases that it was not tuned on."""
    if half is not None:
        return half
    if tuned:
        click.echo("half holdout: prompts of your own are tried on cases they were not tuned on (--half)", err=True)
    return "holdout" if tuned else "all"


def load_cases(task: Task, of: str, calls: CallOptions, **options: Any) -> CaseSet:
    """The cases of a set; what was left out of it is said."""
    from gnomon.study.judge_labels import counted_out
    from gnomon.study.judge_sets import load_set

    found = load_set(task, of, seed=calls.seed, **options)
    if found.left_out:
        click.echo(f"left out: {counted_out(found.left_out)}", err=True)
    return found


def ask_all(path: Path, model: Model, calls: CallOptions) -> Collected:
    """Ask what has not been asked yet."""
    from gnomon.judge.sitting import ask_cases
    from gnomon.report.inert import inert
    from gnomon.run.progress import Shown

    return ask_cases(
        path,
        model,
        limits=calls.limits(model.name),
        budget=calls.spending(),
        progress=Shown(f"judge {inert(model.name)}"),
        max_tokens=calls.max_tokens,
    )

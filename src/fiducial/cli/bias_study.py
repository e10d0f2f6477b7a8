"""The instrument on trial: the estimator against known subjects, the items against a real model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fiducial.cli.options import battery_option, call_options

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

    from fiducial.cli.call_options import CallOptions
    from fiducial.study.calibrate import Calibration
    from fiducial.study.protocol_calibrate import ChatCalibration


@click.command("calibrate")
@click.option(
    "--protocol",
    "protocols",
    multiple=True,
    metavar="NAME|all",
    help="Calibrate this protocol instead of the standard one; may be given several times.",
)
@click.option(
    "--tier",
    type=click.Choice(["core", "extended"]),
    default="core",
    show_default=True,
    help="Of the standard protocol: the core biases, or every one.",
)
@click.option(
    "--runs",
    type=click.IntRange(1),
    help="Runs of every subject. [default: 220; of a protocol 250, of compound 340, of chain 1000]",
)
@click.option(
    "--trials",
    type=click.IntRange(1),
    help="Repetitions of every prompt. [default: 1; robustness 2]",
)
@click.option("--arms", help="Conditions to run, with commas between. [default: control,strong]")
@click.option(
    "--at",
    type=click.Choice(["weak", "moderate", "strong", "adversarial"]),
    help="The intensity at which protocols compare. [default: moderate]",
)
@click.option("--rounds", type=click.IntRange(2, 20), help="Rounds of the protocols that are chats. [default: 4]")
@click.option(
    "--subject",
    "subjects",
    multiple=True,
    metavar="SPEC",
    help="Only this simulated subject, e.g. coin or planted:effect=.3; may be given several times. "
    "[default: 14; of a protocol 12 or 13]",
)
@click.option("--bias", "ids", multiple=True, metavar="ID", help="Only this bias; may be given several times.")
@battery_option
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Of the first run.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def calibrate_estimator(
    protocols: tuple[str, ...],
    tier: str,
    runs: int | None,
    trials: int | None,
    arms: str | None,
    at: str | None,
    rounds: int | None,
    subjects: tuple[str, ...],
    ids: tuple[str, ...],
    places: tuple[Path, ...],
    seed: int,
    as_json: bool,
) -> None:
    """Hold the estimator, and the older formula, against simulated subjects whose bias is known.

    With --protocol it is the estimates of that protocol, in chats with subjects that are known to persist, to yield, to
    correct themselves and so on. With --battery it is done for your own biases; with --bias for those alone. Exit code 1
    where intervals or flags break their bounds, which are judged from 3,000 intervals on (1,000 of a protocol).
    """
    from fiducial.study.calibrate import Design
    from fiducial.study.calibrate_conduct import calibrate_estimator as conduct
    from fiducial.study.calibrate_conduct import estimator_design, runs_in

    design = estimator_design(
        protocols=protocols,
        tier=tier,
        runs=runs,
        trials=trials,
        arms=(arms or "").split(","),
        at=at,
        rounds=rounds,
        subjects=subjects,
        biases=ids,
        battery=places,
        seed=seed,
    )
    named = (f"{len(design.subjects)} subjects",) if isinstance(design, Design) else design.protocols
    with _bar(runs_in(design), ", ".join(named)) as bar:
        study = conduct(design, step=lambda: bar.update(1))
    _show(study, as_json)


def _bar(length: int, label: str) -> ProgressBar[int]:
    import sys

    return click.progressbar(length=length, label=label, file=sys.stderr)


def _show(study: Calibration | ChatCalibration, as_json: bool) -> None:
    """Exit code 1 where a bound is missed."""
    from fiducial.study import protocol_tables, tables
    from fiducial.study.protocol_calibrate import ChatCalibration

    if as_json:
        from fiducial.cli.options import print_json

        print_json(study)
    elif isinstance(study, ChatCalibration):
        click.echo(protocol_tables.as_markdown(study))
    else:
        click.echo(tables.as_markdown(study))
    if study.missed:
        raise click.exceptions.Exit(1)


@click.command("validate")
@click.option(
    "--model",
    default="local/qwen2.5-coder-1.5b",
    show_default=True,
    help="A real model; simulated subjects never read the text.",
)
@click.option("--bias", "ids", multiple=True, metavar="ID", help="Only this bias; may be given several times.")
@battery_option
@call_options
def validate_items(calls: CallOptions, model: str, ids: tuple[str, ...], places: tuple[Path, ...]) -> None:
    """Can the items move a real model at all? Each is asked plainly, and under a positive control.

    The positive control is a system message that tells the subject to give in to the trigger. Calls are made at
    temperature 0, whatever --temperature says. With --battery your own biases are asked, with --bias those alone.
    Repeating the command continues it.
    """
    from fiducial.bias.own import with_own
    from fiducial.cli.options import print_json, shown, this_command
    from fiducial.errors import Incomplete
    from fiducial.study.validity_conduct import chosen_biases, conduct_validity
    from fiducial.study.validity_table import as_markdown

    biases = chosen_biases(with_own(places), ids)
    items = sum(len(bias.items) for bias in biases)
    done = conduct_validity(
        biases,
        calls.open(model),
        calls,
        limits=calls.limits(model),
        announce=lambda path, asked: click.echo(f"{asked} calls, {items} items -> {path}", err=True),
        show=shown,
    )
    found = done.result
    if calls.as_json:
        print_json(found)
    else:
        click.echo(as_markdown(found))
    if found.answered < found.calls:
        raise Incomplete(
            f"incomplete: {done.stopped or 'some calls failed'}. {found.answered} of {found.calls} replies are "
            f"stored. Continue with:\n  {this_command(done.stopped)}"
        )

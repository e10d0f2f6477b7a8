"""The instrument on trial: the estimator against known subjects, the items against a real model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gnomon.cli.options import battery_option, call_options

if TYPE_CHECKING:
    from gnomon.cli.options import CallOptions


@click.command("calibrate")
@click.option("--runs", type=click.IntRange(1), default=220, show_default=True, help="Runs of every subject.")
@click.option("--trials", type=click.IntRange(1), default=1, show_default=True, help="Repetitions of every prompt.")
@click.option("--arms", default="control,strong", show_default=True, help="Conditions to run, with commas between.")
@click.option(
    "--subject",
    "subjects",
    multiple=True,
    metavar="SPEC",
    help="Only this simulated subject, e.g. coin or planted:effect=.3; may be given several times. [default: 14]",
)
@click.option("--bias", "ids", multiple=True, metavar="ID", help="Only this bias; may be given several times.")
@battery_option
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Of the first run.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def calibrate_estimator(
    runs: int,
    trials: int,
    arms: str,
    subjects: tuple[str, ...],
    ids: tuple[str, ...],
    places: tuple[Path, ...],
    seed: int,
    as_json: bool,
) -> None:
    """Hold the estimator, and the older formula, against simulated subjects whose bias is known.

    With --battery it is done for your own biases; with --bias for those alone. Exit code 1 where intervals or flags
    break their bounds, which are judged from 3,000 intervals on.
    """
    import sys

    from gnomon.study.calibrate import SUBJECTS, Design, calibrate
    from gnomon.study.tables import as_markdown

    design = Design(
        subjects=tuple(dict.fromkeys(s.removeprefix("sim/") for s in subjects)) or SUBJECTS,
        runs=runs,
        trials=trials,
        arms=tuple(dict.fromkeys(a.strip() for a in arms.split(",") if a.strip())),
        biases=ids,
        battery=tuple(map(str, places)),
        seed=seed,
    )
    with click.progressbar(length=runs, label=f"{len(design.subjects)} subjects", file=sys.stderr) as bar:
        study = calibrate(design, step=lambda: bar.update(1))
    if as_json:
        from gnomon.cli.options import print_json

        print_json(study)
    else:
        click.echo(as_markdown(study))
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
    from gnomon.bias.own import check_own, with_own
    from gnomon.cli.options import open_named, print_json, this_command
    from gnomon.errors import Incomplete
    from gnomon.report.inert import inert
    from gnomon.run.engine import collect, run_async
    from gnomon.run.progress import Shown
    from gnomon.run.store import Store, prepare
    from gnomon.study.validity import item_validity, prepare_validity
    from gnomon.study.validity_table import as_markdown

    battery = with_own(places)
    biases = battery.select(ids or tuple(battery.own), tier=None if ids or battery.own else "core")
    check_own(battery, biases)
    limits = calls.limits(model)
    subject = open_named(model, connections=limits.max_connections, timeout=limits.timeout)
    path, source, plan, meta = prepare_validity(biases, model, seed=calls.seed, out=calls.out)
    click.echo(f"{len(plan.trials)} calls, {sum(len(b.items) for b in biases)} items -> {path}", err=True)
    prepare(path, plan, meta)
    collected = run_async(
        collect(
            path,
            source,
            subject,
            limits=limits,
            budget=calls.spending(),
            progress=Shown(inert(model)),
            seed=calls.seed,
        )
    )
    with Store(path) as store:
        found = item_validity(store, source, biases)
    if calls.as_json:
        print_json(found)
    else:
        click.echo(as_markdown(found))
    if found.answered < found.calls:
        raise Incomplete(
            f"incomplete: {collected.stopped or 'some calls failed'}. {found.answered} of {found.calls} replies are "
            f"stored. Continue with:\n  {this_command(collected.stopped)}"
        )

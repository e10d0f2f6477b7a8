"""The instrument on trial: estimator against known subjects."""

from __future__ import annotations

import click


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
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Of the first run.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def calibrate_estimator(
    runs: int, trials: int, arms: str, subjects: tuple[str, ...], ids: tuple[str, ...], seed: int, as_json: bool
) -> None:
    """Hold the estimator, and the older formula, against simulated subjects whose bias is known.

    Exit code 1 where intervals or flags break their bounds, which are judged from 3,000 intervals on.
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

"""`fiducial judge show`: what is known of the judges."""

from __future__ import annotations

import click


@click.command("show")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def show(name: str | None, as_json: bool) -> None:
    """The calibrations in calibrations/: what each is worth, and until when. With NAME, one of them in full.

    NAME is that of a calibration's file, a part of it that no other has, or the file itself.
    """
    from rich.console import Console

    from fiducial.cli.options import print_json
    from fiducial.judge.calibration import FOLDER, load_all, today
    from fiducial.report.inert import inert
    from fiducial.report.judge_terminal import show_calibration, show_calibrations
    from fiducial.study.judge_calibrations import calibration_named

    if name is not None:
        one = calibration_named(name)
        if as_json:
            print_json(one)
        else:
            show_calibration(one, Console(), today=today())
        return
    there = load_all([FOLDER])
    found, unreadable = list(there.found.values()), {path.stem: why for path, why in there.unreadable.items()}
    if as_json:
        print_json({"calibrations": found, "unreadable": unreadable})
        return
    if not found and not unreadable:
        click.echo(f"no calibrations in {FOLDER}/. `fiducial judge calibrate` makes one.")
        return
    show_calibrations(found, Console(), today=today())
    for why in unreadable.values():
        click.echo(inert(why), err=True)

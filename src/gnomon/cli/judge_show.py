"""`gnomon judge show`: what is known of the judges."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.judge.calibration import Calibration


@click.command("show")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def show(name: str | None, as_json: bool) -> None:
    """The calibrations in calibrations/: what each is worth, and until when. With NAME, one of them in full.

    NAME is that of a calibration's file, a part of it that no other has, or the file itself.
    """
    from rich.console import Console

    from gnomon.cli.options import print_json
    from gnomon.judge.calibration import FOLDER, load, load_all, today
    from gnomon.report.inert import inert
    from gnomon.report.judge_terminal import show_calibration, show_calibrations

    if name is not None and Path(name).is_file():
        found = [load(Path(name))]
        unreadable: dict[str, str] = {}
    else:
        there = load_all([FOLDER])
        found, unreadable = list(there.found.values()), {path.stem: why for path, why in there.unreadable.items()}
        if name is not None:
            found = [_named(name, found, unreadable)]
    if as_json:
        print_json(found[0] if name is not None else {"calibrations": found, "unreadable": unreadable})
        return
    if name is not None:
        show_calibration(found[0], Console(), today=today())
        return
    if not found and not unreadable:
        click.echo(f"no calibrations in {FOLDER}/. `gnomon judge calibrate` makes one.")
        return
    show_calibrations(found, Console(), today=today())
    for why in unreadable.values():
        click.echo(inert(why), err=True)


def _named(name: str, found: Sequence[Calibration], unreadable: dict[str, str]) -> Calibration:
    """The calibration of that name, or the only one whose name contains it."""
    from gnomon.errors import UsageError
    from gnomon.judge.calibration import FOLDER
    from gnomon.review.files import near

    name = name.removesuffix(".json")
    if name in unreadable:
        raise UsageError(unreadable[name])
    fitting = [one for one in found if one.name == name] or [one for one in found if name in one.name]
    if len(fitting) == 1:
        return fitting[0]
    known = [one.name for one in fitting or found]
    listed = ", ".join(known) or "none yet; `gnomon judge calibrate` makes one"
    if fitting:
        raise UsageError(f"{name!r} fits several calibrations: {listed}")
    raise UsageError(f"there is no calibration {name!r} in {FOLDER}/{near(name, known)} (there are: {listed})")

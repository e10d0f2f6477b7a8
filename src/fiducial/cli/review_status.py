"""`fiducial review status`: how far a dataset and a reviewer are from a gate that means something."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fiducial.review.readiness import Readiness


@click.command("status")
@click.argument("dataset", type=click.Path(path_type=Path))
@click.option(
    "--reviewer",
    "names",
    multiple=True,
    metavar="R",
    help="A shipped reviewer, an agent file or a folder of them; repeatable. [default: those of the stored runs]",
)
@click.option("--model", help="Count the runs of this model only. [default: of any one model]")
@click.option("--judge", metavar="MODEL", help="The judge, for the commands that are printed.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("runs"),
    show_default=True,
    help="Where the runs are.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def show_status(
    dataset: Path, names: tuple[str, ...], model: str | None, judge: str | None, folder: Path, as_json: bool
) -> None:
    """What a gate on this dataset still needs, and the command that comes next. No call is made.

    Every step is computed from the dataset and the stored runs, and holds until the documents, the reviewer or the
    judge's prompts change.
    """
    from fiducial.report.inert import inert
    from fiducial.review.dataset import load_dataset
    from fiducial.review.status import status

    loaded = load_dataset(dataset)
    found = status(
        loaded,
        names,
        model=model,
        judge=judge,
        folder=folder,
        note=lambda message: click.echo(inert(message), err=True),
    )
    if as_json:
        from fiducial.cli.options import print_json

        print_json({"dataset": loaded.name, "readiness": [_as_json(one) for one in found]})
        return
    _show(found)


def _as_json(one: Readiness) -> dict[str, object]:
    import msgspec

    return {**msgspec.to_builtins(one), "enforceable": one.enforceable, "next_command": one.next_command}


def _show(found: Sequence[Readiness]) -> None:
    from rich.console import Console

    from fiducial.report.readiness import show_readiness

    console = Console()
    for k, one in enumerate(found):
        if k:
            console.print()
        show_readiness(one, console)

"""`fiducial bias new`: a bias file to begin with."""

from __future__ import annotations

from pathlib import Path

import click

from fiducial.errors import command


@click.command("new")
@click.argument("id")
@click.option(
    "--paradigm",
    "name",
    metavar="P",
    default="provable_norm",
    show_default=True,
    help="How arms are compared, e.g. anchor, frame_pair, label_swap (see docs/authoring.md).",
)
@click.option(
    "--out",
    "folder",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("battery"),
    show_default=True,
    help="The folder to write ID.yaml into.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def new_bias(id: str, name: str, folder: Path, as_json: bool) -> None:
    """Begin a bias file of your own, with one worked item of the paradigm. A file that is there is never touched."""
    import msgspec

    from fiducial.bias.authoring.scaffold import begin
    from fiducial.cli.options import print_json
    from fiducial.report.inert import inert
    from fiducial.report.numbers import counted

    begun = begin(id, name, folder)
    following = command("bias", "lint", begun.file)
    if as_json:
        print_json({**msgspec.structs.asdict(begun), "file": str(begun.file), "next": following})
        return
    click.echo(f"{inert(str(begun.file))}: one worked item, {counted(len(begun.to_fill), 'place')} to fill in")
    click.echo(f"Next: {following}")

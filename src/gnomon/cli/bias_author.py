"""`gnomon bias new`: a bias file to begin with."""

from __future__ import annotations

from pathlib import Path

import click


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
    import shlex

    from gnomon.bias.authoring.scaffold import write_scaffold
    from gnomon.bias.lint import places_to_fill
    from gnomon.bias.load import load_bias
    from gnomon.bias.paradigms import paradigm
    from gnomon.cli.options import print_json
    from gnomon.report.inert import inert
    from gnomon.report.numbers import counted

    path = write_scaffold(id, paradigm(name), folder)
    open_places = list(places_to_fill(load_bias(path)))
    following = f"gnomon bias lint {shlex.quote(str(path))}"
    if as_json:
        print_json({"file": str(path), "paradigm": name, "to_fill": [p for _, p in open_places], "next": following})
        return
    click.echo(f"{inert(str(path))}: one worked item, {counted(len(open_places), 'place')} to fill in")
    click.echo(f"Next: {inert(following)}")

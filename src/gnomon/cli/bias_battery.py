"""The battery at the command line: what is in it, what an item looks like, and whether it is sound."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def list_biases(as_json: bool) -> None:
    """The biases that can be measured."""
    from rich.console import Console
    from rich.table import Table

    from gnomon.bias.load import packaged_battery
    from gnomon.cli.options import print_json

    biases = list(packaged_battery().biases.values())
    if as_json:
        print_json(
            [
                {
                    "id": b.id,
                    "name": b.name,
                    "family": b.family,
                    "tier": b.tier,
                    "paradigm": b.paradigm,
                    "items": len(b.items),
                }
                for b in biases
            ]
        )
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("id", "tier", "family", "paradigm", "items"):
        table.add_column(heading, justify="right" if heading == "items" else "left")
    for b in biases:
        table.add_row(b.id, b.tier, b.family, b.paradigm, str(len(b.items)))
    Console().print(table)


@click.command("show")
@click.argument("id")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--item", help="The item to show. [default: the first]")
def show_bias(id: str, seed: int, item: str | None) -> None:
    """What a bias is, how it is measured, and an example block with its marked difference."""
    from rich.console import Console

    from gnomon.bias.load import packaged_battery
    from gnomon.report.blocks import show_block

    show_block(packaged_battery().select([id])[0], item, seed, Console())


@click.command("lint")
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--seeds", type=click.IntRange(1), default=200, show_default=True, help="Seeds to try every item with."
)
def lint_battery(files: tuple[Path, ...], seeds: int) -> None:
    """Check battery files: the packaged ones, or those given."""
    from gnomon.bias.lint import lint
    from gnomon.bias.load import load_battery, packaged_battery

    battery = load_battery(files) if files else packaged_battery()
    problems = lint(battery.biases.values(), seeds=seeds)
    for problem in problems:
        click.echo(str(problem))
    items = sum(len(b.items) for b in battery.biases.values())
    click.echo(f"{len(battery.biases)} biases, {items} items, {seeds} seeds: {len(problems)} problems", err=True)
    if problems:
        raise click.exceptions.Exit(1)

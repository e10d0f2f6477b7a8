"""The battery at the command line: what is in it, what an item looks like, and whether it is sound."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fiducial.cli.options import battery_option

if TYPE_CHECKING:
    from fiducial.bias.lint import Problem


@click.command("list")
@battery_option
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def list_biases(places: tuple[Path, ...], as_json: bool) -> None:
    """The biases that can be measured."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from fiducial.bias.own import with_own
    from fiducial.cli.options import print_json
    from fiducial.report.inert import inert

    battery = with_own(places)
    biases = list(battery.biases.values())
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
                    "generated": sum(item.generated is not None for item in b.items),
                    "file": battery.own[b.id].name if b.id in battery.own else None,
                }
                for b in biases
            ]
        )
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("id", "tier", "family", "paradigm", "items", *(("file",) if battery.own else ())):
        table.add_column(
            heading, justify="right" if heading == "items" else "left", no_wrap=heading == "id", overflow="fold"
        )
    for b in biases:
        row = [b.id, b.tier, inert(b.family), b.paradigm, str(len(b.items))]
        row += [inert(battery.own[b.id].name) if b.id in battery.own else ""] if battery.own else []
        table.add_row(*map(Text, row))
    Console().print(table)


@click.command("show")
@click.argument("id")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--item", help="The item to show. [default: the first]")
@battery_option
def show_bias(id: str, seed: int, item: str | None, places: tuple[Path, ...]) -> None:
    """What a bias is, how it is measured, and an example block with its marked difference."""
    from rich.console import Console

    from fiducial.bias.own import with_own
    from fiducial.report.blocks import show_block

    show_block(with_own(places).select([id])[0], item, seed, Console())


@click.command("lint")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@battery_option
@click.option(
    "--seeds", type=click.IntRange(1), default=200, show_default=True, help="Seeds to try every item with."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def lint_battery(files: tuple[Path, ...], places: tuple[Path, ...], seeds: int, as_json: bool) -> None:
    """Check battery files: the packaged ones, or the files and folders given.

    Exit code 1 where anything is wrong. Places that still say TODO are named one by one.
    """
    from fiducial.bias.own import lint_files, located
    from fiducial.cli.options import print_json
    from fiducial.report.inert import inert
    from fiducial.report.numbers import counted

    found = lint_files(files, places, seeds=seeds)
    battery, problems = found.battery, found.problems
    if as_json:
        print_json([{"file": f.name if (f := battery.own.get(p.bias)) else None, **_fields(p)} for p in problems])
    else:
        for problem in problems:
            click.echo(inert(located(problem, battery)))
    items = sum(len(b.items) for b in battery.biases.values())
    looked = f"{counted(len(battery.biases), 'bias', 'biases')}, {counted(items, 'item')}, {counted(seeds, 'seed')}"
    click.echo(f"{looked}: {counted(len(problems), 'problem')}", err=True)
    if problems:
        raise click.exceptions.Exit(1)


def _fields(problem: Problem) -> dict[str, Any]:
    return {"bias": problem.bias, "item": problem.item or None, "problem": problem.problem}

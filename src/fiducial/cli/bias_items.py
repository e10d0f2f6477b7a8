"""`fiducial bias items`: how the items of a run came out, one by one."""

from __future__ import annotations

import click


@click.command("items")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option("--bias", "ids", multiple=True, metavar="ID", help="Only this bias; may be given several times.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def analyse_items(runs: tuple[str, ...], ids: tuple[str, ...], as_json: bool) -> None:
    """Item analysis of bias runs: difficulty, effect, items that drift from their family; over runs, discrimination.

    Of one run, an item is held against the other items of its bias. Over at least four runs, its discrimination is the
    correlation of its effect with the mean of the others. No call is made.
    """
    from fiducial.bias.items import analyse
    from fiducial.cli.options import print_json
    from fiducial.run.store import find_run

    found = analyse([find_run(name) for name in runs], biases=ids)
    if as_json:
        print_json(found)
        return
    from rich.console import Console

    from fiducial.report.items import show_items

    show_items(found, Console())

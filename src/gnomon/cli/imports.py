"""`gnomon import`: what was collected elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

KINDS = ("run", "outputs", "replies")


def with_inspect(module: str) -> Any:
    """A module that needs Inspect AI, or in words what is missing."""
    import importlib

    from gnomon.errors import UsageError

    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "inspect_ai":
            raise
        raise UsageError('Inspect AI is not installed: pip install "gnomon-eval[inspect]"') from error


@click.command("import")
@click.argument("log", type=click.Path(path_type=Path))
@click.option(
    "--as",
    "kind",
    type=click.Choice(KINDS),
    help="A run file, a folder for `review run --outputs`, or JSON Lines for `bias score`. [default: as its samples tell]",
)
@click.option("--reviewer", metavar="R", help="Who wrote the outputs, where the samples do not say.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="The run file, folder or file to write. [default: runs/…, or LOG-outputs or LOG.jsonl here]",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def import_file(log: Path, kind: str | None, reviewer: str | None, out: Path | None, as_json: bool) -> None:
    """Take replies and reviewers' outputs from LOG, a log of Inspect AI's (.eval or .json). No call is made.

    \b
    A log of the task gnomon/bias becomes a run file. Of other logs, every sample's metadata has to say what it is:
      reviewers' outputs   document_id (else its id is taken), reviewer (else --reviewer)
      bias replies         bias, item, arm (control|treatment), kind, biased; options and prompt where there are some
    """
    from gnomon.cli.options import print_json
    from gnomon.report.inert import inert

    found = with_inspect("gnomon.inspect.read").import_log(log, kind=kind, out=out, reviewer=reviewer)
    if as_json:
        print_json(found)
        return
    click.echo(f"{found.path}: {found.samples} samples")
    for why, n in found.left_out.items():
        click.echo(f"left out: {n} ({inert(why)})", err=True)
    click.echo(f"Next: {inert(found.next)}", err=True)

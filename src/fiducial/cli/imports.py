"""`fiducial import`: what was collected elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from fiducial.inspect.read import Kind

KINDS = ("run", "outputs", "replies")


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
def import_file(log: Path, kind: Kind | None, reviewer: str | None, out: Path | None, as_json: bool) -> None:
    """Take replies and reviewers' outputs from LOG, a log of Inspect AI's (.eval or .json). No call is made.

    \b
    A log of the task fiducial/bias becomes a run file. Of other logs, every sample's metadata has to say what it is:
      reviewers' outputs   document_id (else its id is taken), reviewer (else --reviewer)
      bias replies         bias, item, arm (control|treatment), kind, biased; options and prompt where there are some
    """
    from fiducial.cli.options import print_json
    from fiducial.model.bridge import needing_inspect
    from fiducial.report.inert import inert

    with needing_inspect("fiducial import"):
        from fiducial.inspect.read import import_log
    found = import_log(log, kind=kind, out=out, reviewer=reviewer)
    if as_json:
        print_json(found)
        return
    click.echo(f"{found.path}: {found.samples} samples")
    for why, n in found.left_out.items():
        click.echo(f"left out: {n} ({inert(why)})", err=True)
    click.echo(f"Next: {found.next}", err=True)

"""`fiducial review init` and `propose`: a dataset from a document, and candidates for its lists from a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fiducial.errors import command

if TYPE_CHECKING:
    from fiducial.review.dataset import Dataset
    from fiducial.review.propose import Proposed


@click.command("init")
@click.argument("document", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path), help="The folder of the dataset. [default: the document's name, here]"
)
@click.option(
    "--type",
    "review_type",
    type=click.Choice(["requirements", "design", "plan"]),
    default="design",
    show_default=True,
    help="What is reviewed; it decides what counts as a genuine finding.",
)
@click.option("--name", help="What the dataset is called. [default: the folder's name]")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def init_dataset(document: Path, out: Path | None, review_type: str, name: str | None, as_json: bool) -> None:
    """Make a dataset of a document: a frozen copy of it, and an empty list of must-finds."""
    from fiducial.cli.options import print_json
    from fiducial.report.inert import inert
    from fiducial.review.create import create_dataset
    from fiducial.review.dataset import load_dataset

    folder = create_dataset(document, out=out, review_type=review_type, name=name)  # type: ignore[arg-type]
    made = load_dataset(folder)
    if as_json:
        print_json({"dataset": made.name, "folder": str(folder), "hash": made.documents[0].hash})
        return
    click.echo(f"{inert(str(folder))}: the document is frozen, {made.documents[0].hash[:19]}…")
    following = command("review", "run", folder, "--reviewer", "NAME", "--model", "MODEL", "--judge", "MODEL")
    click.echo(f"Next: {following}")


@click.command("propose")
@click.argument("run")
@click.option(
    "--dataset", type=click.Path(path_type=Path), help="Where the dataset is. [default: where the run found it]"
)
@click.option(
    "--min-runs",
    type=click.IntRange(1),
    metavar="K",
    help="Least number of a reviewer's runs in which it is found and genuine. [default: 2, or 1 of a single run]",
)
@click.option("--write", is_flag=True, help="Add them to the dataset's candidates.jsonl.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def propose_candidates(run: str, dataset: Path | None, min_runs: int | None, write: bool, as_json: bool) -> None:
    """Candidates for the list of must-finds: what a run found again and again, and its judge called genuine.

    Each comes with its evidence in the document. A person decides on each: `fiducial review confirm` or `reject`.
    """
    from fiducial.cli.options import print_json
    from fiducial.review.propose import propose_from
    from fiducial.run.store import find_run

    path = find_run(run)
    proposal = propose_from(path, dataset=dataset, min_runs=min_runs, write=write)
    found, proposed = proposal.dataset, proposal.documents
    if as_json:
        print_json({"run": path.stem, "dataset": found.name, "written": write, "documents": proposed})
    else:
        _show(found, proposed, written=write)


def _show(dataset: Dataset, proposed: list[Proposed], *, written: bool) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from fiducial.report.inert import inert
    from fiducial.report.numbers import counted

    console = Console()
    for document, own in zip(dataset.documents, proposed, strict=True):
        console.print(Text(f"{inert(document.id)}: {counted(len(own.candidates), 'candidate')}", style="bold"))
        if own.candidates:
            table = Table(box=None, header_style="bold", pad_edge=False)
            for name in ("id", "runs", "severity", "finding", "evidence"):
                table.add_column(name, no_wrap=name in ("id", "runs"))
            for c in own.candidates:
                shown = c.evidence[0] if c.evidence else f"missing: {c.missing}"
                runs = f"{c.found_in} of {c.runs}"
                table.add_row(c.id, runs, c.severity or "", Text(inert(c.title)), Text(inert(shown)))
            console.print(table)
        left = {"in a list already": own.known, "in too few runs": own.rare, "evidence not found": own.unplaced}
        if any(left.values()):
            console.print(Text("left out: " + ", ".join(f"{n} {why}" for why, n in left.items() if n)))
    if not any(own.candidates for own in proposed):
        return
    last = command("review", "confirm", dataset.folder, "ID", "--as", "must-find", "--judge", "MODEL")
    click.echo(f"Next: {last}" if written else "Nothing is written yet: --write adds them to the queue.")

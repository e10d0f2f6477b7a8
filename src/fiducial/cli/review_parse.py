"""`fiducial review parse`: the findings in what a reviewer wrote."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.text import Text

    from fiducial.review.finding import Parsed


@click.command("parse")
@click.argument("file", type=click.File("rb"), default="-")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def parse_output(file: IO[bytes], as_json: bool) -> None:
    """The findings in a reviewer's output, in whatever form it wrote them: FILE, or - for standard input."""
    from fiducial.review.parse import parse
    from fiducial.review.recorded import decoded

    parsed = parse(decoded(file.read()))
    if as_json:
        from fiducial.cli.options import print_json

        print_json(parsed)
        return
    _show(parsed)


def _show(parsed: Parsed) -> None:
    """A line a finding. What the reviewer wrote is printed as text and nothing else."""
    from rich.console import Console
    from rich.table import Table

    from fiducial.report.inert import inert, shorten
    from fiducial.report.numbers import NONE, counted
    from fiducial.report.writer import Writer

    console = Console()

    writer = Writer(console)

    def text(words: str) -> Text:
        return writer.text(shorten(inert(words), 200))

    parts = [counted(len(parsed.findings), "finding")] if parsed.findings else [parsed.status.replace("_", " ")]
    if parsed.meta:
        parts.append(f"{counted(len(parsed.meta), 'note')} on the review itself")
    if parsed.dropped:
        parts.append(f"{counted(parsed.dropped, 'record')} dropped")
    if parsed.truncated:
        parts.append("cut off at the end")
    console.print(text(", ".join(parts)))
    if parsed.findings:
        table = Table(box=None, header_style="bold", pad_edge=False)
        table.add_column("severity", no_wrap=True)
        table.add_column("confidence", justify="right", no_wrap=True)
        table.add_column("section", overflow="fold", max_width=24)
        table.add_column("title", overflow="fold")
        for f in parsed.findings:
            stated = f"{f.confidence:.2f}" if f.confidence is not None else NONE
            table.add_row(text(f.severity or NONE), text(stated), text(f.section or NONE), text(f.title))
        console.print(table)
    for lost in parsed.dropped_reasons:
        console.print(text(f"dropped: {lost.reason}: {lost.excerpt}"))

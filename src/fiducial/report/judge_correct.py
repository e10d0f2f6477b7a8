"""A correction in the terminal: the share as the judge has it, beside what labels make of it."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from fiducial.judge.correct import Correction
from fiducial.report.inert import inert, shorten
from fiducial.report.numbers import NONE, count, counted, interval, plain
from fiducial.report.writer import Writer
from fiducial.stats.estimate import Measured, Withheld

ROWS = (
    ("raw", "raw: the mean verdict"),
    ("labels_only", "the labels alone"),
    ("corrected", "corrected"),
    ("sensitivity", "judge's sensitivity"),
    ("specificity", "judge's specificity"),
)


def show_correction(
    found: Correction, *, group: str | None = None, invalid: int = 0, console: Console | None = None
) -> None:
    """The table, and in words what it rests on."""
    console = console or Console()
    write = Writer(console)
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column(write.text(shorten(inert(f"group {group}"), 40) if group else ""))
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("95 %", no_wrap=True)
    table.add_column("n", justify="right", no_wrap=True)
    table.add_column("method")
    for field, name in ROWS:
        table.add_row(name, *(write.text(cell) for cell in _cells(getattr(found, field))))
    console.print(table)
    for line in sentences(found):
        console.print(write.text(line))
    if invalid:
        console.print(write.text(f"{counted(invalid, 'row')} without a verdict: left out."))


def sentences(found: Correction) -> list[str]:
    """What the numbers rest on."""
    lines = [f"{_capital(found.shift.words)}."]
    if isinstance(found.corrected, Withheld) and found.corrected.withheld != found.shift.words:
        lines.append(f"Not corrected: {found.corrected.withheld}.")
    between, widening = found.shift.between, found.shift.widening
    if between is not None and widening is not None:
        lines.append(
            f"Between groups, sensitivity differs by a standard deviation of about {between['sensitivity']:.2f} and "
            f"specificity by {between['specificity']:.2f}; that makes the interval {widening:.1f} times as wide."
        )
    return lines


def _cells(measured: Measured) -> tuple[str, str, str, str]:
    if isinstance(measured, Withheld):
        return NONE, "", "", f"withheld: {measured.withheld}"
    return (
        plain(measured.value, ends=False),
        interval(measured.low, measured.high),
        count(measured.n),
        measured.method,
    )


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]

"""What a rescoring changed, in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from fiducial.bias.changes import Changes
from fiducial.report.inert import inert, shorten
from fiducial.report.numbers import NONE, count, signed
from fiducial.report.writer import Writer


def show_changes(changes: Changes | None, console: Console) -> None:
    """Counts by kind, a few replies of each, and the effects that moved."""
    write = Writer(console)
    write.line()
    if changes is None:
        write.line("Scored for the first time: there is nothing to compare with.")
        return
    same = changes.reader_before == changes.reader_now
    write.line((f"Reader {changes.reader_now}" + ("" if same else f" (before: {changes.reader_before})"), "dim"))
    if not changes.changed and not changes.effects:
        write.line(f"Nothing changed: all {count(changes.readings)} readings are as they were.")
        return
    said = ", ".join(f"{count(n)} {kind}" for kind, n in sorted(changes.changed.items())) or "none"
    write.line(f"Of {count(changes.readings)} readings changed: {said}.")
    if changes.examples:
        table = Table(box=None, header_style="bold", pad_edge=False)
        for heading in ("item", "arm", "what", "before", "now", "rule"):
            table.add_column(heading, overflow="fold")
        for one in changes.examples:
            cells = (one.item, one.arm, one.kind, one.before or NONE, one.now or NONE, one.rule)
            table.add_row(*(write.text(shorten(inert(cell), 60)) for cell in cells))
        console.print(table)
    for moved in changes.effects:
        before, now = ("withheld" if v is None else signed(v) for v in (moved.before, moved.now))
        write.line(f"effect of {moved.id}: {before} -> {now}")

"""The protocols of a run in the terminal: what was asked, what came out, and the rows beside it."""

from __future__ import annotations

from collections.abc import Mapping

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from fiducial.bias.protocols.result import ProtocolResult
from fiducial.bias.result import RunResult
from fiducial.report.inert import inert, shorten
from fiducial.report.interval_bar import BAR, axis, bar
from fiducial.report.numbers import count, counted, known, why_not
from fiducial.report.protocol_shape import Protocol, shape
from fiducial.report.protocol_words import NOT_STANDARD, figures, headline, outcome, telling, value
from fiducial.report.scale import Scale
from fiducial.report.writer import Writer
from fiducial.stats.estimate import Estimate, Measured

NAME = 90
REASON = 300
MARGIN = 4  # columns before a row
HEAD = "estimate [95 %]"


def show_protocols(result: RunResult, console: Console) -> None:
    """Print every protocol of the run; nothing where there is none."""
    if not result.protocols:
        return
    write = Writer(console)
    if not result.biases:
        write.line(NOT_STANDARD)
        write.line()
    at = result.settings.get("at")
    more = f", compared at {inert(str(at))} intensity" if isinstance(at, str) else ""
    write.line(("Protocols", "bold"), (f"{more}; ● the interval excludes 0", "dim"))
    for one in result.protocols:
        write.line()
        _protocol(one, write, console)
    write.line()


def _protocol(one: ProtocolResult, write: Writer, console: Console) -> None:
    words = telling(one.name)
    told = outcome(one.estimate)
    title, name = shorten(inert(words.title), NAME), shorten(inert(one.name), NAME)
    write.line((title, "bold"), (f" ({name})", "dim") if title != name else "")
    if words.asks:
        write.item((words.asks, "dim"))
    write.item((shorten(inert(headline(one)), REASON), "bold" if told in {"above", "below"} else ""))
    if numbers := figures(one):
        write.item(f"{shorten(inert(one.estimand), REASON)}: {numbers}")
    else:
        write.item(f"{shorten(inert(one.estimand), REASON)}: withheld")
    lost = sum(one.unread.values())
    read = f"{count(lost)} unread ({_reasons(one.unread)})" if lost else "all read"
    write.item((f"{counted(one.chats, 'chat')}, {counted(one.replies, 'reply', 'replies')}, {read}", "dim"))
    for why, n in one.left_out.items():
        write.item((f"left out: {counted(n, 'item')} ({shorten(inert(why), REASON)})", "dim"))
    shaped = shape((one,))
    if any(m and known(m) for group in shaped.groups for p in group.points for m in p.runs):
        _rows(shaped, write, console)
    else:
        _withheld(shaped, write)


def _rows(shaped: Protocol, write: Writer, console: Console) -> None:
    """The groups below each other, all on one scale, so that their columns are the same."""
    scale = shaped.scale
    points = [point for group in shaped.ordered for point in group.points]
    numbers = max(len(HEAD), *(len(value(m)) for point in points for m in point.runs if m))
    n = max(len(count(m.n)) for point in points for m in point.runs if isinstance(m, Estimate))
    longest = max(cell_len(_name(point.name)) for point in points)
    name = max(12, min(longest, console.width - MARGIN - numbers - BAR - n - 3))

    def table(*rows: tuple[str, str, str, str]) -> None:
        made = Table.grid(padding=(0, 1, 0, 0))
        for width in (name, numbers, BAR, n):
            made.add_column(width=width, overflow="fold")
        for *cells, last in rows:
            made.add_row(*map(write.text, cells), write.text(last, justify="right"))
        console.print(Padding(made, (0, 0, 0, MARGIN)))

    table(("", HEAD, axis(scale), "n"))
    for group in shaped.ordered:
        write.item((_name(group.name), "bold dim"))
        table(*((_name(point.name), *_cells(point.runs[0], scale)) for point in group.points))


def _name(text: str) -> str:
    return shorten(inert(text), NAME)


def _cells(found: Measured | None, scale: Scale) -> tuple[str, str, str]:
    e = known(found) if found else None
    if e is None:
        return "withheld", "", ""
    return value(e), bar(e, scale, filled=outcome(e) != "open"), count(e.n)


def _withheld(shaped: Protocol, write: Writer) -> None:
    """Rows of which none has an estimate: the reasons, once each."""
    found = dict.fromkeys(inert(why_not(m)) for g in shaped.groups for p in g.points for m in p.runs if m)
    for why in found:
        write.item((f"every row is withheld: {shorten(why, REASON)}", "dim"))


def _reasons(unread: Mapping[str, int]) -> str:
    return ", ".join(f"{shorten(inert(why), NAME)} {count(n)}" for why, n in unread.items() if n)

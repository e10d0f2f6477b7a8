"""Calibrations in the terminal: all of them as a table, one in full.

Names of models, sets and categories come from outside: they are printed as plain text, made inert.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from rich.console import Console
from rich.table import Table

from fiducial.judge.calibration import Calibration, Rate, Rates
from fiducial.report.inert import inert, shorten
from fiducial.report.judge_words import TASKS, standing, worth, wrongs
from fiducial.report.numbers import NONE, count, counted, interval, percent, plain
from fiducial.report.writer import Writer
from fiducial.stats.estimate import Estimate

NAME = 60
LONG = 200
MESSAGE = 800
STYLES = {"holds": "green", "exploratory": "yellow", "expired": "bold red"}
ROWS = (
    ("sensitivity", "sensitivity"),
    ("specificity", "specificity"),
    ("kappa", "kappa"),
    ("calibration_error", "calibration error"),
    ("borderline", "borderline"),
    ("invalid", "invalid"),
    ("consistency", "same when asked again"),
)


def show_calibrations(found: Sequence[Calibration], console: Console, *, today: date) -> None:
    """A row a calibration: how well the judge does, what that is worth, and until when."""
    write = Writer(console)
    table = _table(write, "calibration", "", "rate [95 %]", "n", "worth", "until")
    for one in found:
        word = worth(one, today)
        table.add_row(
            write.text((_short(one.name, LONG), "bold"), f"\n{_short(_who(one), LONG)}"),
            write.text(("sens.\nspec.", "dim")),
            write.text(f"{_brief(one.sensitivity)}\n{_brief(one.specificity)}"),
            write.text(f"{count(one.positives)}\n{count(one.negatives)}", justify="right"),
            write.text((word, STYLES.get(word, "dim")), f"\n{one.basis}"),
            write.text(_short(one.expires[:10], 10)),
        )
    console.print(table)


def show_calibration(one: Calibration, console: Console, *, today: date) -> None:
    """Everything that is known: the rates with their intervals, by category, and in words what it gets wrong."""
    write = Writer(console)
    write.line((f"Calibration {_short(one.name, LONG)}", "bold"))
    write.line(f"judge {_short(one.model, LONG)}")
    about = f" ({_short(one.about, NAME)} documents)" if one.about else ""
    write.line(f"task {_short(one.task, NAME)}{about}: {TASKS.get(one.task, '')}")
    half = "" if one.half == "all" else f", half {one.half}"
    write.line(
        f"set {_short(one.set, LONG)}{half}: {counted(one.positives, 'verdict')} on cases labelled 1, "
        f"{count(one.negatives)} on those labelled 0"
    )
    write.line(
        f"made {_short(one.made[:10], 10)}, holds until {_short(one.expires[:10], 10)}, run {_short(one.run, LONG)}"
    )
    write.line((f"prompt {_short(one.prompt_hash, NAME)}, labels {_short(one.label_hash, NAME)}", "dim"))
    write.line()
    console.print(_rates(one, write))
    withheld = {name: rate.withheld for field, name in ROWS if (rate := getattr(one, field)).value is None}
    for name, why in withheld.items():
        write.item((f"{name} is not given: {_short(why or 'not known', MESSAGE)}", "dim"))
    if one.categories:
        write.line()
        console.print(_categories(one.categories, write))
    write.line()
    write.line(("What it gets wrong", "bold"))
    for line in wrongs(one):
        write.item(line)
    for line in standing(one, today):
        write.item((line, "yellow"))
    _floors(one, write)


def _rates(one: Calibration, write: Writer) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    table.add_column(write.text(""), no_wrap=True)
    table.add_column(write.text("value"), justify="right", no_wrap=True)
    table.add_column(write.text("95 %"), no_wrap=True)
    table.add_column(write.text("n"), justify="right", no_wrap=True)
    table.add_column(write.text("method"), overflow="fold", style="dim")
    for field, name in ROWS:
        found = getattr(one, field).measured
        if not isinstance(found, Estimate):
            continue
        if field == "kappa" and one.base_rate is not None:
            name = f"kappa at {percent(one.base_rate)} labelled 1"  # noqa: PLW2901
        table.add_row(
            write.text(name),
            write.text(plain(found.value, ends=False)),
            write.text(interval(found.low, found.high)),
            write.text(count(found.n)),
            write.text(_short(found.method, LONG)),
        )
    return table


def _categories(categories: dict[str, Rates], write: Writer) -> Table:
    table = _table(write, "category", "sensitivity [95 %]", "specificity [95 %]")
    for name, rates in categories.items():
        table.add_row(
            write.text(_short(name.replace("_", " "), NAME)),
            write.text(_brief(rates.sensitivity, n=True)),
            write.text(_brief(rates.specificity, n=True)),
        )
    return table


def _floors(one: Calibration, write: Writer) -> None:
    for name, floor in one.floors.items():
        rate: Rate | None = getattr(one, name, None)
        low = rate.low if isinstance(rate, Rate) else None
        bound = f"its lower bound is {plain(low)}" if low is not None else "it is not known"
        missed = name in one.below
        write.item(
            (f"{_short(name, NAME)} of at least {plain(floor)}: ", ""),
            ("not met" if missed else "met", "bold red" if missed else "green"),
            f", {bound}",
        )


def _table(write: Writer, first: str, *others: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    table.add_column(write.text(first), overflow="fold", min_width=12)
    for name in others:
        table.add_column(write.text(name), no_wrap=True)
    return table


def _brief(rate: Rate, *, n: bool = False) -> str:
    found = rate.measured
    if not isinstance(found, Estimate):
        return NONE
    return f"{plain(found.value, ends=False)} {interval(found.low, found.high)}" + (
        f" n {count(found.n)}" if n else ""
    )


def _who(one: Calibration) -> str:
    return f"{one.model}, {one.task}" + (f" ({one.about})" if one.about else "")


def _short(text: str, columns: int) -> str:
    return shorten(inert(text), columns)

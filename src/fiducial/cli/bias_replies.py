"""Replies that are already there: reading one, and scoring a file of them."""

from __future__ import annotations

from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

if TYPE_CHECKING:
    from fiducial.bias.recorded import RecordedResult


@click.command("read")
@click.argument("file", type=click.File("r", encoding="utf-8", errors="replace"), default="-")
@click.option(
    "--kind",
    type=click.Choice(["option", "numeric", "yesno", "confidence", "text"]),
    default="option",
    show_default=True,
)
@click.option(
    "--options", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="JSON list of {label, text}."
)
@click.option("--jsonl", type=click.File("r", encoding="utf-8"), help="Many replies, one JSON object a line.")
@click.option("--json", "as_json", is_flag=True, help="JSON on standard output.")
def read_reply(file: IO[str], kind: str, options: Path | None, jsonl: IO[str] | None, as_json: bool) -> None:
    """The answer that a reply commits to, where it stands, and the rule that read it."""
    import json

    from fiducial.bias.read import read_lines
    from fiducial.report.inert import inert

    if jsonl is not None:
        for row in read_lines(jsonl):
            click.echo(json.dumps(row, ensure_ascii=False))
        return
    given = {"id": file.name, "response": file.read(), "kind": kind, "options": _labels(options)}
    row = next(read_lines([json.dumps(given)]))
    if as_json:
        from fiducial.cli.options import print_json

        print_json(row)
        return
    for name, value in row.items():
        click.echo(f"{name:>10}  {inert(str(value)) if value is not None else '-'}")


def _labels(path: Path | None) -> object:
    """The options in a JSON file."""
    if path is None:
        return None
    import msgspec

    from fiducial.errors import UsageError

    try:
        return msgspec.json.decode(path.read_bytes())
    except msgspec.DecodeError as error:
        raise UsageError(f"{path}: not JSON ({error})") from error


@click.command("score")
@click.argument("file", type=click.File("r", encoding="utf-8-sig", errors="replace"))
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def score_recorded(file: IO[str], as_json: bool) -> None:
    """Effects from replies recorded elsewhere: FILE has one JSON object a line, - is standard input.

    \b
    {"bias", "item", "arm": "control"|"treatment", "kind": "option"|"numeric"|"yesno",
     "options": [{"label", "text"}]|null, "prompt": text|null, "biased": label or number, "response"}
    """
    from fiducial.bias import recorded

    name = "standard input" if file.name == "<stdin>" else file.name
    run = "stdin" if file.name == "<stdin>" else Path(file.name).stem
    result = recorded.score_recorded(file, file=name, run=run)
    if as_json:
        from fiducial.cli.options import print_json

        print_json(result)
        return
    _show_recorded(result)


def _show_recorded(result: RecordedResult) -> None:
    """A line a bias. What the file says of itself is printed as text and nothing else."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from fiducial.report.inert import inert, shorten
    from fiducial.report.numbers import NONE, count, counted, interval, probability, share, signed
    from fiducial.report.writer import Writer
    from fiducial.stats.estimate import Withheld

    console = Console()
    write = Writer(console)

    def text(words: str) -> Text:
        return write.text(shorten(inert(words), 200))

    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("bias", overflow="fold")
    table.add_column("effect [95 %]", no_wrap=True)
    table.add_column("items", justify="right", no_wrap=True)
    table.add_column("q", justify="right", no_wrap=True)
    table.add_column("flag", no_wrap=True)
    table.add_column("unread control / treatment")
    for b in result.biases:
        lost = " / ".join(share(seen.replies - seen.read, seen.replies) for seen in b.arms.values())
        effect = b.effect
        if isinstance(effect, Withheld):
            table.add_row(text(b.id), text("withheld"), "", "", text(NONE), text(lost))
            continue
        table.add_row(
            text(b.id),
            text(f"{signed(effect.value)} {interval(effect.low, effect.high)}"),
            text(count(effect.n)),
            text(probability(effect.q)),
            text("flagged" if b.flagged else b.reason or NONE),
            text(lost),
        )
    console.print(table)
    for b in result.biases:
        if isinstance(b.effect, Withheld):
            console.print(text(f"withheld {shorten(b.id, 60)}: {b.effect.withheld}"))
            continue
        if b.left_out:
            gone = f"{counted(b.left_out, 'item')} without a read reply in both arms"
            console.print(text(f"left out of {shorten(b.id, 60)}: {gone}"))
        if b.dropped:
            gone = f"{counted(b.dropped, 'item')} with the control median already at the biased answer"
            console.print(text(f"left out of {shorten(b.id, 60)}: {gone}"))

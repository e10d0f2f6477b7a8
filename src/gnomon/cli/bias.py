"""`gnomon bias`: how biased are a model's decisions?"""

from __future__ import annotations

from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from gnomon.cli.options import call_options

if TYPE_CHECKING:
    from gnomon.bias.recorded import RecordedResult
    from gnomon.bias.result import RunResult
    from gnomon.bias.run import BiasOptions, Prepared
    from gnomon.cli.options import CallOptions


@click.group()
def bias() -> None:
    """How biased are a model's decisions?"""


@bias.command("run")
@click.option("--model", required=True, help="The subject, e.g. local/smollm2 (see `gnomon models`).")
@click.option(
    "--tier",
    type=click.Choice(["quick", "core", "extended"]),
    default="quick",
    show_default=True,
    help="quick: one item a domain; core: every core item; extended: every item.",
)
@click.option("--bias", "ids", multiple=True, metavar="ID", help="Only this bias; may be given several times.")
@click.option(
    "--arms",
    default="control,weak,moderate,strong,adversarial",
    show_default=True,
    help="Conditions to run, with commas between; debias adds the debiasing methods at moderate.",
)
@click.option("--trials", type=click.IntRange(1), default=3, show_default=True, help="Repetitions of every prompt.")
@click.option(
    "--system", type=click.File("r", encoding="utf-8"), help="Measure the subject with this system message."
)
@click.option(
    "--report", "page", type=click.Path(dir_okay=False, path_type=Path), help="Write the HTML report here too."
)
@call_options
def run_bias(
    calls: CallOptions,
    model: str,
    tier: str,
    ids: tuple[str, ...],
    arms: str,
    trials: int,
    system: IO[str] | None,
    page: Path | None,
) -> None:
    """Measure a subject. Repeating the command continues the run, or shows its result without a call."""
    from gnomon.bias.load import packaged_battery
    from gnomon.bias.run import BiasOptions, collect_run, prepare_run, rescore
    from gnomon.cli.options import open_named
    from gnomon.report.inert import inert
    from gnomon.run.progress import Shown
    from gnomon.run.store import find_run

    options = BiasOptions(
        model=model,
        tier=tier,
        biases=ids,
        arms=tuple(dict.fromkeys(a.strip() for a in arms.split(",") if a.strip())),
        trials=trials,
        seed=calls.seed,
        settings=calls.settings(),
        system=system.read() if system else None,
    )
    limits = calls.limits(model)
    reuse = find_run(calls.reuse) if calls.reuse else None
    subject = open_named(model, connections=limits.max_connections, timeout=limits.timeout)
    prepared = prepare_run(packaged_battery(), options, out=calls.out)
    _announce(prepared, options)
    collected = collect_run(
        prepared,
        subject,
        options,
        limits=limits,
        budget=calls.spending(),
        progress=Shown(inert(model)),
        reuse=reuse,
    )
    result = rescore(prepared.path)
    _show(result, calls.as_json, prepared.path)
    if page is not None:
        from gnomon.report.write import write_report

        write_report([prepared.path], page)
        click.echo(f"report: {page}", err=True)
    _end(result, collected.stopped)


def _announce(prepared: Prepared, options: BiasOptions) -> None:
    """What is about to happen; for a run that costs money, what it will cost."""
    from gnomon.model.prices import price_of
    from gnomon.model.reply import Reported
    from gnomon.run.collect import CHARACTERS_A_TOKEN

    trials = prepared.plan.trials
    line = f"{len(trials)} calls, {len(prepared.source.blocks)} items of {len(prepared.source.biases)} biases"
    price = price_of(options.model)
    if price is None or price.output > 0:
        texts = (m.text for t in trials for m in prepared.source.request(t).messages)
        given = sum(map(len, texts)) // CHARACTERS_A_TOKEN
        written = len(trials) * min(options.settings.max_tokens or 500, 300)
        line += f", about {given / 1000:,.0f}k tokens in and up to {written / 1000:,.0f}k out"
        if price is None:
            line += ", no price known for this model"
        else:
            cost = price.cost(Reported(input_tokens=given, output_tokens=written))
            line += f", about {cost:.2f} USD at the prices of {price.as_of}"
    click.echo(f"{line} -> {prepared.path}", err=True)


def _show(result: RunResult, as_json: bool, path: Path) -> None:
    if as_json:
        from gnomon.cli.options import print_json

        print_json(result)
        return
    from rich.console import Console

    from gnomon.report.terminal import show

    show(result, Console())
    click.echo(f"\nPicture: gnomon report {path} --open")


def _end(result: RunResult, stopped: str | None) -> None:
    """Exit code 3 with the command that continues, where something is missing."""
    if result.complete:
        return
    from gnomon.cli.options import this_command
    from gnomon.errors import Incomplete

    why = stopped or "some calls failed"
    raise Incomplete(
        f"incomplete: {why}. {result.answered} of {result.trials} replies are stored. Continue with:\n  {this_command()}"
    )


@bias.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def list_biases(as_json: bool) -> None:
    """The biases that can be measured."""
    from rich.console import Console
    from rich.table import Table

    from gnomon.bias.load import packaged_battery
    from gnomon.cli.options import print_json

    biases = list(packaged_battery().biases.values())
    if as_json:
        print_json(
            [
                {
                    "id": b.id,
                    "name": b.name,
                    "family": b.family,
                    "tier": b.tier,
                    "paradigm": b.paradigm,
                    "items": len(b.items),
                }
                for b in biases
            ]
        )
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("id", "tier", "family", "paradigm", "items"):
        table.add_column(heading, justify="right" if heading == "items" else "left")
    for b in biases:
        table.add_row(b.id, b.tier, b.family, b.paradigm, str(len(b.items)))
    Console().print(table)


@bias.command("show")
@click.argument("id")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--item", help="The item to show. [default: the first]")
def show_bias(id: str, seed: int, item: str | None) -> None:
    """What a bias is, how it is measured, and an example block with its marked difference."""
    from rich.console import Console

    from gnomon.bias.load import packaged_battery
    from gnomon.report.blocks import show_block

    show_block(packaged_battery().select([id])[0], item, seed, Console())


@bias.command("lint")
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--seeds", type=click.IntRange(1), default=200, show_default=True, help="Seeds to try every item with."
)
def lint_battery(files: tuple[Path, ...], seeds: int) -> None:
    """Check battery files: the packaged ones, or those given."""
    from gnomon.bias.lint import lint
    from gnomon.bias.load import load_battery, packaged_battery

    battery = load_battery(files) if files else packaged_battery()
    problems = lint(battery.biases.values(), seeds=seeds)
    for problem in problems:
        click.echo(str(problem))
    items = sum(len(b.items) for b in battery.biases.values())
    click.echo(f"{len(battery.biases)} biases, {items} items, {seeds} seeds: {len(problems)} problems", err=True)
    if problems:
        raise click.exceptions.Exit(1)


@bias.command("calibrate")
@click.option("--runs", type=click.IntRange(1), default=220, show_default=True, help="Runs of every subject.")
@click.option("--trials", type=click.IntRange(1), default=1, show_default=True, help="Repetitions of every prompt.")
@click.option("--arms", default="control,strong", show_default=True, help="Conditions to run, with commas between.")
@click.option(
    "--subject",
    "subjects",
    multiple=True,
    metavar="SPEC",
    help="Only this simulated subject, e.g. coin or planted:effect=.3; may be given several times. [default: 14]",
)
@click.option("--bias", "ids", multiple=True, metavar="ID", help="Only this bias; may be given several times.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Of the first run.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def calibrate_estimator(
    runs: int, trials: int, arms: str, subjects: tuple[str, ...], ids: tuple[str, ...], seed: int, as_json: bool
) -> None:
    """Hold the estimator, and the older formula, against simulated subjects whose bias is known.

    Exit code 1 where intervals or flags break their bounds, which are judged from 3,000 intervals on.
    """
    import sys

    from gnomon.study.calibrate import SUBJECTS, Design, calibrate
    from gnomon.study.tables import as_markdown

    design = Design(
        subjects=tuple(dict.fromkeys(s.removeprefix("sim/") for s in subjects)) or SUBJECTS,
        runs=runs,
        trials=trials,
        arms=tuple(dict.fromkeys(a.strip() for a in arms.split(",") if a.strip())),
        biases=ids,
        seed=seed,
    )
    with click.progressbar(length=runs, label=f"{len(design.subjects)} subjects", file=sys.stderr) as bar:
        study = calibrate(design, step=lambda: bar.update(1))
    if as_json:
        from gnomon.cli.options import print_json

        print_json(study)
    else:
        click.echo(as_markdown(study))
    if study.missed:
        raise click.exceptions.Exit(1)


@bias.command("read")
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

    from gnomon.bias.read import read_lines
    from gnomon.report.inert import inert

    if jsonl is not None:
        for row in read_lines(jsonl):
            click.echo(json.dumps(row, ensure_ascii=False))
        return
    given = {"id": file.name, "response": file.read(), "kind": kind, "options": _labels(options)}
    row = next(read_lines([json.dumps(given)]))
    if as_json:
        from gnomon.cli.options import print_json

        print_json(row)
        return
    for name, value in row.items():
        click.echo(f"{name:>10}  {inert(str(value)) if value is not None else '-'}")


def _labels(path: Path | None) -> object:
    """The options in a JSON file."""
    if path is None:
        return None
    import msgspec

    from gnomon.errors import UsageError

    try:
        return msgspec.json.decode(path.read_bytes())
    except msgspec.DecodeError as error:
        raise UsageError(f"{path}: not JSON ({error})") from error


@bias.command("score")
@click.argument("file", type=click.File("r", encoding="utf-8-sig", errors="replace"))
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def score_recorded(file: IO[str], as_json: bool) -> None:
    """Effects from replies recorded elsewhere: FILE has one JSON object a line, - is standard input.

    \b
    {"bias", "item", "arm": "control"|"treatment", "kind": "option"|"numeric"|"yesno",
     "options": [{"label", "text"}]|null, "prompt": text|null, "biased": label or number, "response"}
    """
    from gnomon.bias import recorded

    name = "standard input" if file.name == "<stdin>" else file.name
    run = "stdin" if file.name == "<stdin>" else Path(file.name).stem
    result = recorded.score_recorded(file, file=name, run=run)
    if as_json:
        from gnomon.cli.options import print_json

        print_json(result)
        return
    _show_recorded(result)


def _show_recorded(result: RecordedResult) -> None:
    """A line a bias. What the file says of itself is printed as text and nothing else."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from gnomon.report.inert import inert, shorten
    from gnomon.report.numbers import NONE, count, counted, interval, probability, share, signed
    from gnomon.report.terminal import ASCII
    from gnomon.stats.estimate import Withheld

    console = Console()

    def text(words: str) -> Text:
        plain = shorten(inert(words), 200)
        return Text(
            plain.translate(ASCII).encode("ascii", "replace").decode() if console.options.ascii_only else plain
        )

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

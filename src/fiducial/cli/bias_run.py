"""`fiducial bias run`: measure a subject."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from fiducial.cli.options import battery_option, call_options
from fiducial.errors import command

if TYPE_CHECKING:
    from fiducial.bias.result import RunResult
    from fiducial.bias.run import BiasOptions, Prepared
    from fiducial.cli.call_options import CallOptions


@click.command("run")
@click.option("--model", required=True, help="The subject, e.g. local/smollm2 (see `fiducial models`).")
@click.option(
    "--tier",
    type=click.Choice(["quick", "core", "extended", "own"]),
    help="quick: one item a domain at one intensity; core: every core item; extended: every item; own: those of "
    "--battery alone. [default: quick; core with --until]",
)
@click.option("--bias", "ids", multiple=True, metavar="ID", help="Only this bias; may be given several times.")
@battery_option
@click.option(
    "--arms",
    default="control,weak,moderate,strong,adversarial",
    show_default=True,
    help="Conditions to run, with commas between; debias adds the debiasing methods at moderate.",
)
@click.option(
    "--protocol",
    "protocols",
    multiple=True,
    metavar="NAME",
    help="How the items are asked; may be given several times: standard, context, context:full, temporal-persistent, "
    "temporal-adaptive, conversation, compound:majority|expert|asker, chain, meta, robustness. [default: standard]",
)
@click.option(
    "--at",
    type=click.Choice(["weak", "moderate", "strong", "adversarial"]),
    default="moderate",
    show_default=True,
    help="The intensity at which protocols other than the standard one compare.",
)
@click.option(
    "--rounds",
    type=click.IntRange(2, 20),
    default=4,
    show_default=True,
    help="Rounds of the protocols that are chats.",
)
@click.option(
    "--trials",
    type=click.IntRange(1),
    help="Repetitions of every prompt; with --until, the most there may be. [default: 3; 20 with --until; 1 with "
    "--read logprobs]",
)
@click.option(
    "--until",
    metavar="width=W",
    help="Ask in rounds, where it narrows an interval most, until every interval is this narrow or cannot be "
    "(docs/cheaper.md).",
)
@click.option(
    "--read",
    type=click.Choice(["text", "letter", "logprobs"]),
    default="text",
    show_default=True,
    help="text: a free reply; letter: an answer-only contract, sampled; logprobs: the same contract, each choice's "
    "probability from one call (docs/cheaper.md).",
)
@click.option(
    "--judge",
    metavar="MODEL|none",
    help="Let this model read replies that the rules cannot; none scores without one. [default: as the run has it]",
)
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
    tier: str | None,
    ids: tuple[str, ...],
    places: tuple[Path, ...],
    arms: str,
    protocols: tuple[str, ...],
    at: str,
    rounds: int,
    trials: int | None,
    until: str | None,
    read: str,
    judge: str | None,
    system: IO[str] | None,
    page: Path | None,
) -> None:
    """Measure a subject. Repeating the command continues the run, or shows its result without a call."""
    from fiducial.bias.conduct import Reader, bias_options, conduct
    from fiducial.bias.own import with_own
    from fiducial.cli.options import shown

    options = bias_options(
        model,
        calls,
        tier=tier,
        biases=ids,
        arms=arms.split(","),
        protocols=protocols,
        at=at,
        rounds=rounds,
        trials=trials,
        until=until,
        read=read,
        judge=judge,
        system=system.read() if system else None,
    )
    done = conduct(
        with_own(places),
        options,
        calls.open(model),
        calls,
        limits=calls.limits(model),
        reader=Reader.named(judge, calls),
        announce=lambda prepared: _announce(prepared, options),
        show=shown,
    )
    _show(done.result, calls.as_json, done.path)
    if page is not None:
        from fiducial.report.write import write_report

        write_report([done.path], page)
        click.echo(f"report: {page}", err=True)
    _end(done.result, done.stopped)


def _announce(prepared: Prepared, options: BiasOptions) -> None:
    from fiducial.run.conducted import forecast_lines

    for line in forecast_lines(lambda: _forecast(prepared, options)):
        click.echo(line, err=True)


def _forecast(prepared: Prepared, options: BiasOptions) -> Iterator[str]:
    """What is about to happen; for a run that costs money, what it will cost."""
    from fiducial.bias.forecast import forecast
    from fiducial.model.prices import price_of
    from fiducial.model.reply import Reported
    from fiducial.report.numbers import counted
    from fiducial.run.collect import CHARACTERS_A_TOKEN

    yield from _left_out(prepared)
    if prepared.pool is not None:
        yield from _pool_forecast(prepared, options)
        return
    trials = prepared.plan.trials
    items = len({(block.bias, block.item) for block in prepared.source.blocks.values()})
    biases = len(prepared.source.biases)
    line = f"{counted(len(trials), 'call')}, {counted(items, 'item')} of {counted(biases, 'bias', 'biases')}"
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
    yield f"{line} -> {prepared.path}"
    if not prepared.source.standard:
        return
    yield forecast(prepared.source, trials, arms=options.arms, repetitions=options.trials).in_words()


def _left_out(prepared: Prepared) -> Iterator[str]:
    """The biases that a way of reading has no answer for."""
    source = prepared.source
    asked = {block.bias for block in source.standard}
    if source.read != "text" and (without := [bias for bias in source.biases if bias not in asked]):
        yield (
            f"left out by --read {source.read}, because their items are not answered with a letter alone: "
            f"{', '.join(without)}"
        )


def _pool_forecast(prepared: Prepared, options: BiasOptions) -> Iterator[str]:
    """What a stopping rule draws from, and roughly how much of it it will need."""
    from fiducial.bias.stopping.saving import expected_calls
    from fiducial.model.prices import price_of
    from fiducial.model.reply import Reported
    from fiducial.report.numbers import count, counted
    from fiducial.run.collect import CHARACTERS_A_TOKEN

    assert prepared.pool is not None and options.until is not None
    trials, some = prepared.plan.trials, prepared.plan.trials[::97]
    calls = expected_calls(prepared.pool, options.until.width)
    line = (
        f"about {counted(calls, 'call')} until {options.until}, if items differ with an SD of .15; at most "
        f"{count(len(trials))}"
    )
    price = price_of(options.model)
    if price is not None and price.output > 0:
        given = sum(len(m.text) for t in some for m in prepared.source.request(t).messages) / len(some)
        said = min(options.settings.max_tokens or 500, 300)
        each = price.cost(Reported(input_tokens=int(given / CHARACTERS_A_TOKEN), output_tokens=said))
        line += (
            f"; about {calls * each:.2f} USD, at most {len(trials) * each:.2f}, at the prices of {price.as_of} "
            "(--budget bounds it)"
        )
    elif price is None:
        line += ", no price known for this model (--budget bounds it)"
    yield f"{line} -> {prepared.path}"


def _show(result: RunResult, as_json: bool, path: Path) -> None:
    if as_json:
        from fiducial.cli.options import print_json

        print_json(result)
        return
    from rich.console import Console

    from fiducial.report.terminal import show

    show(result, Console())
    click.echo(f"\nPicture: {command('report', path, '--open')}")


def _end(result: RunResult, stopped: str | None) -> None:
    """Exit code 3 with the command that continues, where something is missing."""
    if result.complete:
        return
    from fiducial.cli.options import this_command
    from fiducial.errors import Incomplete

    why = stopped or "some calls failed"
    waiting = f", {result.judge.waiting} judge calls are open" if result.judge and result.judge.waiting else ""
    raise Incomplete(
        f"incomplete: {why}. {result.answered} of {result.trials} replies are stored{waiting}. Continue with:\n"
        f"  {this_command(stopped)}"
    )

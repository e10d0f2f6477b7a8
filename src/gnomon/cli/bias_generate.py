"""`gnomon bias generate`: new items for a bias, proposed by a model."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gnomon.cli.options import battery_option, call_options

if TYPE_CHECKING:
    from gnomon.cli.options import CallOptions

ITEM_TOKENS = 4096  # an item with four intensities on two sides, and room to think


@click.command("generate")
@click.option("--model", required=True, help="The model that writes, e.g. openai/M (see `gnomon models`).")
@click.option("--bias", "id", required=True, metavar="ID", help="The bias that items are wanted for.")
@click.option("--n", type=click.IntRange(1, 1000), default=5, show_default=True, help="Proposals to ask for.")
@click.option(
    "--out",
    "target",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The bias file for what is kept. [default: generated/ID_generated.yaml]",
)
@battery_option
@partial(call_options, max_tokens=ITEM_TOKENS, run_file="--run")
def generate_items(
    calls: CallOptions, model: str, id: str, n: int, target: Path | None, places: tuple[Path, ...]
) -> None:
    """Ask a model for new situations, and keep those that load and pass the whole linter (200 seeds).

    A reply that does not pass is asked for once more, with the linter's complaints. What is kept goes into a bias
    file of its own, each item marked as generated. Repeating the command continues it; a larger --n asks for more.
    Exit code 1 where nothing passed.
    """
    import shlex

    from gnomon.bias.authoring.generate import collect_proposals, generation, prepare_generation
    from gnomon.bias.own import check_own, with_own
    from gnomon.cli.options import print_json, this_command
    from gnomon.errors import Incomplete, UsageError
    from gnomon.report.inert import inert
    from gnomon.report.numbers import counted
    from gnomon.run.progress import Shown

    if calls.reuse:
        raise UsageError(
            "--reuse: what was asked for before is found again by itself, in the run of the same command."
        )
    battery = with_own(places)
    (bias,) = battery.select([id])
    check_own(battery, [bias])
    limits = calls.limits(model)
    writer = calls.open(model)
    prepared = prepare_generation(
        bias,
        model,
        n,
        seed=calls.seed,
        settings=calls.settings(),
        target=target or Path("generated") / f"{id}_generated.yaml",
        out=calls.out,
    )
    click.echo(f"{counted(n, 'proposal')}, at most {counted(2 * n, 'call')} -> {prepared.path}", err=True)
    collected = collect_proposals(
        prepared,
        writer,
        seed=calls.seed,
        limits=limits,
        budget=calls.spending(),
        progress=Shown(inert(model)),
    )
    found = generation(prepared)
    if calls.as_json:
        print_json(found)
    else:
        from rich.console import Console

        from gnomon.report.generation import show_generation

        show_generation(found, Console())
        if found.file:
            click.echo(f"Next: gnomon bias lint {shlex.quote(inert(found.file))}")
    if not found.complete or found.answered < found.asked:
        why = collected.stopped or "some calls failed"
        raise Incomplete(f"incomplete: {why}. Continue with:\n  {this_command(collected.stopped)}")
    if not found.kept:
        raise click.exceptions.Exit(1)

"""`fiducial bias generate`: new items for a bias, proposed by a model."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fiducial.cli.options import battery_option, call_options
from fiducial.errors import command

if TYPE_CHECKING:
    from fiducial.cli.call_options import CallOptions

ITEM_TOKENS = 4096  # an item with four intensities on two sides, and room to think


@click.command("generate")
@click.option("--model", required=True, help="The model that writes, e.g. openai/M (see `fiducial models`).")
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

    from fiducial.bias.authoring.conduct import chosen_bias, conduct_generation
    from fiducial.bias.own import with_own
    from fiducial.cli.options import print_json, shown, this_command
    from fiducial.errors import Incomplete
    from fiducial.report.numbers import counted

    bias = chosen_bias(with_own(places), id, calls)
    most = f"{counted(n, 'proposal')}, at most {counted(2 * n, 'call')}"
    done = conduct_generation(
        bias,
        n,
        calls.open(model),
        calls,
        target=target,
        limits=calls.limits(model),
        announce=lambda prepared: click.echo(f"{most} -> {prepared.path}", err=True),
        show=shown,
    )
    found = done.result
    if calls.as_json:
        print_json(found)
    else:
        from rich.console import Console

        from fiducial.report.generation import show_generation

        show_generation(found, Console())
        if found.file:
            click.echo(f"Next: {command('bias', 'lint', found.file)}")
    if not done.result.all_made:
        why = done.stopped or "some calls failed"
        raise Incomplete(f"incomplete: {why}. Continue with:\n  {this_command(done.stopped)}")
    if not found.kept:
        raise click.exceptions.Exit(1)

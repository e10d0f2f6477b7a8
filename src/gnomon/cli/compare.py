"""`gnomon compare`: what differs between two runs."""

from __future__ import annotations

import click


@click.command()
@click.argument("a")
@click.argument("b")
@click.option(
    "--fail-on-higher",
    is_flag=True,
    help="Exit with 1 if any bias has a higher signed effect in B (q at most .05).",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def compare(a: str, b: str, fail_on_higher: bool, as_json: bool) -> None:
    """What differs in run B against run A, and how much of a difference could have been seen.

    Items that both runs asked are compared one by one; runs of another seed or battery, as wholes. No call is made.
    """
    from gnomon.report.compare import notes, show_comparison
    from gnomon.report.inert import inert
    from gnomon.run.store import find_run
    from gnomon.study.compare import compare as held_against

    found = held_against(find_run(a), find_run(b))
    if as_json:
        import msgspec

        from gnomon.cli.options import print_json

        print_json({**msgspec.to_builtins(found), "notes": notes(found)})
    else:
        from rich.console import Console

        show_comparison(found, Console())
    if fail_on_higher and (higher := found.higher()):
        click.echo(f"gnomon: higher in B than in A: {', '.join(map(inert, higher))}", err=True)
        raise click.exceptions.Exit(1)

"""`fiducial compare`: what differs between two runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from fiducial.study.compare import Comparison
    from fiducial.study.compare_review import ReviewComparison


@click.command()
@click.argument("a")
@click.argument("b")
@click.option(
    "--fail-on-higher",
    is_flag=True,
    help="Bias runs: exit with 1 if any bias has a higher signed effect in B (q at most .05), or if none could be tested.",
)
@click.option(
    "--fail-on-lower",
    is_flag=True,
    help="Review runs: exit with 1 if precision or recall of any reviewer is lower in B (adjusted p at most .05), "
    "or if nothing could be tested.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def compare(a: str, b: str, fail_on_higher: bool, fail_on_lower: bool, as_json: bool) -> None:
    """What differs in run B against run A, and how much of a difference could have been seen.

    Bias runs: items that both runs asked are compared one by one; runs of another seed or battery, as wholes. Review
    runs: equal documents and must-finds, reviewer by reviewer. No call is made.
    """
    from fiducial.errors import UsageError
    from fiducial.run.store import find_run
    from fiducial.study.compare import Comparison
    from fiducial.study.runs import common_instrument, compare_runs

    one, other = find_run(a), find_run(b)
    instrument = common_instrument(one, other)
    if fail_on_lower and instrument == "bias":
        raise UsageError("--fail-on-lower is for review runs; these are bias runs, where --fail-on-higher applies.")
    if fail_on_higher and instrument == "review":
        raise UsageError("--fail-on-higher is for bias runs; these are review runs, where --fail-on-lower applies.")
    found = compare_runs(one, other, names=(a, b))
    if isinstance(found, Comparison):
        _show_biases(found, as_json=as_json)
        if fail_on_higher:
            _fail("higher", found.higher(), found.untested())
    else:
        _show_reviews(found, as_json=as_json)
        if fail_on_lower:
            _fail("lower", found.lower(), found.untested())


def _show_biases(found: Comparison, *, as_json: bool) -> None:
    from fiducial.report.compare import notes, show_comparison

    if as_json:
        _print_json(found, notes(found))
        return
    from rich.console import Console

    show_comparison(found, Console())


def _show_reviews(found: ReviewComparison, *, as_json: bool) -> None:
    from fiducial.report.compare_review import notes, show_review_comparison

    if as_json:
        _print_json(found, notes(found))
        return
    from rich.console import Console

    show_review_comparison(found, Console())


def _print_json(found: Comparison | ReviewComparison, said: list[str]) -> None:
    import msgspec

    from fiducial.cli.options import print_json

    print_json({**msgspec.to_builtins(found), "notes": said})


def _fail(which: str, named: list[str], untested: str | None) -> None:
    """Exit with 1 where something moved the wrong way, and where nothing could be tested: that is no pass."""
    from fiducial.report.inert import inert

    if named:
        said = f"{which} in B than in A: {', '.join(map(inert, named))}"
    elif untested is not None:
        said = f"--fail-on-{which} failed because nothing could be tested: {inert(untested)}"
    else:
        return
    click.echo(f"fiducial: {said}", err=True)
    raise click.exceptions.Exit(1)

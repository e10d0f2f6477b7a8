"""`fiducial review plant`: variants of a document with flaws that are known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console

    from fiducial.judge.genuine import ReviewType
    from fiducial.review.plant import Variant
    from fiducial.review.plant.write import Planted


def _list_operators(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or context.resilient_parsing:
        return
    from fiducial.review.plant import OPERATORS

    width = max(map(len, OPERATORS))
    for name, operator in OPERATORS.items():
        click.echo(f"{name:{width}}  {operator.says}")
    context.exit()


@click.command("plant")
@click.argument("document", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder for the variants. [default: NAME-planted here]",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Another seed gives other flaws.")
@click.option("--count", type=click.IntRange(1), default=5, show_default=True, help="Flaws in each variant.")
@click.option("--variants", type=click.IntRange(1), default=1, show_default=True, help="How many variants.")
@click.option("--operator", "operators", multiple=True, metavar="NAME", help="Only this kind of flaw; repeatable.")
@click.option(
    "--type",
    "review_type",
    type=click.Choice(["requirements", "design", "plan"]),
    default="design",
    show_default=True,
    help="What kind of document it is.",
)
@click.option("--force", is_flag=True, help="Write into a folder that is not empty, over variants in it.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@click.option(
    "--list", is_flag=True, is_eager=True, expose_value=False, callback=_list_operators, help="The kinds of flaws."
)
def plant_flaws(
    document: Path,
    out: Path | None,
    seed: int,
    count: int,
    variants: int,
    operators: tuple[str, ...],
    review_type: ReviewType,
    force: bool,
    as_json: bool,
) -> None:
    """Variants of a Markdown document with planted flaws, each checked to be there and not in the original.

    Each variant is a dataset of its own: its must_find.jsonl has one flaw a line, with its place, what was changed, and
    a description with evidence. `fiducial review run FOLDER` reviews them all. No call is made.
    """
    from fiducial.review.plant.write import plant_document

    found = plant_document(
        document,
        out,
        seed=seed,
        count=count,
        variants=variants,
        operators=operators,
        review_type=review_type,
        force=force,
    )
    made, written = found.made, found.written
    if as_json:
        from fiducial.cli.options import print_json

        print_json(
            {
                "document": str(document),
                "seed": seed,
                "variants": [_as_json(one) for one in written],
                "places": made[0].places,
                "without_place": made[0].without_place,
            }
        )
    else:
        from rich.console import Console

        _show(written, Console())
    _notes(document, made, written)


def _as_json(one: Planted) -> dict[str, object]:
    from fiducial.review.dataset import MUST_FIND

    variant = one.variant
    return {
        "file": str(one.file),
        "flaws_file": str(one.file.with_name(MUST_FIND)),
        "asked": variant.asked,
        "flaws": variant.flaws,
        "dropped": variant.dropped,
    }


def _show(written: list[Planted], console: Console) -> None:
    from rich.table import Table
    from rich.text import Text

    from fiducial.report.inert import inert

    for one in written:
        variant = one.variant
        console.print(Text(f"{inert(str(one.file))}: {len(variant.flaws)} of {variant.asked} flaws", style="bold"))
        table = Table(box=None, header_style="bold", pad_edge=False)
        table.add_column("line", justify="right")
        table.add_column("kind", no_wrap=True)
        table.add_column("severity")
        table.add_column("flaw")
        for flaw in variant.flaws:
            table.add_row(str(flaw.place.line), flaw.operator, flaw.severity, Text(inert(flaw.title)))
        console.print(table)


def _notes(document: Path, made: list[Variant], written: list[Planted]) -> None:
    """What is less than was asked for, on standard error."""
    from fiducial.report.inert import inert

    name = inert(str(document))
    if missing := made[0].without_place:
        click.echo(f"no place found in {name} for: {', '.join(missing)}", err=True)
    for k, variant in enumerate(made, start=1):
        for dropped in variant.dropped:
            click.echo(
                f"variant {k}: dropped {dropped.operator} ({inert(dropped.title)}): {dropped.reason}", err=True
            )
    if not written:
        click.echo(f"{name} has no material for any of the flaws asked for: nothing was written", err=True)
    elif len(written) < len(made):
        click.echo(f"{len(made) - len(written)} variants would have had no flaw and were not written", err=True)
    elif any(len(one.variant.flaws) < one.variant.asked for one in written):
        click.echo(f"{name} has no more material than that without one flaw touching another", err=True)

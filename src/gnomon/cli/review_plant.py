"""`gnomon review plant`: variants of a document with flaws that are known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console

    from gnomon.judge.genuine import ReviewType
    from gnomon.review.plant import Variant


def _list_operators(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or context.resilient_parsing:
        return
    from gnomon.review.plant import OPERATORS

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
    a description with evidence. `gnomon review run FOLDER` reviews them all. No call is made.
    """
    from gnomon.review.plant import plant_many
    from gnomon.review.plant.write import read_document, write_variants

    text = read_document(document)
    made = plant_many(text, seed=seed, count=count, variants=variants, operators=operators or None)
    # A variant without a flaw is the document itself, and no test of anybody.
    planted = [variant for variant in made if variant.flaws]
    target = out or Path(f"{document.stem}-planted")
    files = write_variants(planted, target, review_type=review_type, force=force) if planted else []
    if as_json:
        from gnomon.cli.options import print_json

        print_json(
            {
                "document": str(document),
                "seed": seed,
                "variants": [_as_json(file, variant) for file, variant in zip(files, planted, strict=True)],
                "places": made[0].places,
                "without_place": made[0].without_place,
            }
        )
    else:
        from rich.console import Console

        _show(files, planted, Console())
    _notes(document, made, planted)


def _as_json(file: Path, variant: Variant) -> dict[str, object]:
    from gnomon.review.dataset import MUST_FIND

    return {
        "file": str(file),
        "flaws_file": str(file.with_name(MUST_FIND)),
        "asked": variant.asked,
        "flaws": variant.flaws,
        "dropped": variant.dropped,
    }


def _show(files: list[Path], planted: list[Variant], console: Console) -> None:
    from rich.table import Table
    from rich.text import Text

    from gnomon.report.inert import inert

    for file, variant in zip(files, planted, strict=True):
        console.print(Text(f"{inert(str(file))}: {len(variant.flaws)} of {variant.asked} flaws", style="bold"))
        table = Table(box=None, header_style="bold", pad_edge=False)
        table.add_column("line", justify="right")
        table.add_column("kind", no_wrap=True)
        table.add_column("severity")
        table.add_column("flaw")
        for flaw in variant.flaws:
            table.add_row(str(flaw.place.line), flaw.operator, flaw.severity, Text(inert(flaw.title)))
        console.print(table)


def _notes(document: Path, made: list[Variant], planted: list[Variant]) -> None:
    """What is less than was asked for, on standard error."""
    from gnomon.report.inert import inert

    name = inert(str(document))
    if missing := made[0].without_place:
        click.echo(f"no place found in {name} for: {', '.join(missing)}", err=True)
    for k, variant in enumerate(made, start=1):
        for dropped in variant.dropped:
            click.echo(
                f"variant {k}: dropped {dropped.operator} ({inert(dropped.title)}): {dropped.reason}", err=True
            )
    if not planted:
        click.echo(f"{name} has no material for any of the flaws asked for: nothing was written", err=True)
    elif len(planted) < len(made):
        click.echo(f"{len(made) - len(planted)} variants would have had no flaw and were not written", err=True)
    elif any(len(variant.flaws) < variant.asked for variant in planted):
        click.echo(f"{name} has no more material than that without one flaw touching another", err=True)

"""`fiducial judge correct`: the true share behind a judge's verdicts."""

from __future__ import annotations

from typing import IO

import click


@click.command("correct")
@click.argument("file", type=click.File("r", encoding="utf-8-sig", errors="replace"))
@click.option("--group", metavar="G", help="Estimate this group; labels may come from others. [default: all rows]")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def correct_verdicts(file: IO[str], group: str | None, as_json: bool) -> None:
    """Estimate a true share from a judge's verdicts and a few labels: FILE has one JSON object a line, - is standard input.

    \b
    {"id": text, "verdict": 0|0.5|1, "label": 0|1|null, "group": text|null}

    What is estimated is the mean label of all rows, or of the rows of the group, with or without a label.
    """
    import msgspec

    from fiducial.study.judge_rows import correct_recorded, read_verdicts

    named = getattr(file, "name", "<stdin>")
    name = "standard input" if named == "<stdin>" else named
    recorded = read_verdicts(file, file=name)
    found = correct_recorded(recorded, group=group, file=name)
    if as_json:
        from fiducial.cli.options import print_json

        print_json({**msgspec.structs.asdict(found), "group": group, "invalid": recorded.invalid})
        return
    from fiducial.report.judge_correct import show_correction

    show_correction(found, group=group, invalid=recorded.invalid)

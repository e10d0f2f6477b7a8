"""A calibration of protocols as Markdown: readable in a terminal, and what docs/calibration.md holds."""

from __future__ import annotations

from fiducial.study.protocol_calibrate import ChatCalibration, runs_of
from fiducial.study.protocol_summary import ENOUGH, Row, Shares
from fiducial.study.tables import bounds_table, markdown_table, number, share


def as_markdown(study: ChatCalibration) -> str:
    """The bounds, then one table a protocol."""
    parts = ["## What has to hold", bounds_table(study.bounds, enough=ENOUGH)]
    for name in study.design.protocols:
        parts += [f"## {name}", _made(study, name), _subjects([row for row in study.rows if row.protocol == name])]
    return "\n\n".join(parts)


def _made(study: ChatCalibration, name: str) -> str:
    design = study.design
    runs = runs_of(design, name)
    return (
        f"{runs} runs a subject (a tenth of them for those that always do the same), battery seeds {design.seed} to "
        f"{design.seed + runs - 1}, at {design.at}; {', '.join(study.biases[name])}."
    )


def _subjects(rows: list[Row]) -> str:
    headings = [
        *("subject", "truth", "a bias: intervals", "exclude 0", "hold it", "error", "width"),
        *("all items: exclude 0", "hold it", "error", "rows: intervals", "hold theirs", "unread", "misread"),
    ]
    lines = []
    for row in rows:
        lines.append(
            [
                *(row.subject, number(row.truth, 3), *_of_biases(row.by_bias)),
                *(share(row.over_all.excludes), share(row.over_all.covered), number(row.over_all.error, 3)),
                *(f"{row.rows.intervals:,}", share(row.rows.covered)),
                *(share(n / row.spoken if row.spoken else None, 2) for n in (row.unread, row.misread)),
            ]
        )
    return markdown_table(headings, lines)


def _of_biases(found: Shares) -> list[str]:
    return [
        *(f"{found.intervals:,}", share(found.excludes), share(found.covered)),
        *(number(found.error, 3), number(found.width)),
    ]

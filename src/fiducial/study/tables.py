"""A calibration as Markdown: readable in a terminal, and what docs/calibration.md holds."""

from __future__ import annotations

from collections.abc import Sequence

from fiducial.study.calibrate import Calibration
from fiducial.study.older import PRESENT
from fiducial.study.summary import ENOUGH, Bound

NONE = "—"


def as_markdown(study: Calibration) -> str:
    """The bounds, our estimator, the older formula on the same replies."""
    design = study.design
    made = (
        f"{design.runs} runs a subject, battery seeds {design.seed} to {design.seed + design.runs - 1}, "
        f"{len(study.biases)} biases, arms {', '.join(design.arms)}, {design.trials} a prompt and option order."
    )
    ours = markdown_table(
        [
            *("subject", "effect", "intervals", "exclude 0", "hold the effect", "runs flagged"),
            *("mean", "bias", "RMSE", "width", "unread", "misread"),
        ],
        [
            [
                *(row.subject, number(row.effect), f"{row.intervals:,}", share(row.excludes)),
                *(share(row.covered), share(row.flagged_runs), number(row.mean, 3), number(row.bias, 3)),
                *(
                    number(row.rmse, 3),
                    number(row.width),
                    share(row.unread / row.spoken if row.spoken else None, 2),
                ),
                share(row.misread / row.spoken if row.spoken else None, 2),
            ]
            for row in study.rows
        ],
    )
    older = markdown_table(
        [
            *("subject", "effect", "numbers", f"above {PRESENT:g}", "runs with any above"),
            *("susceptibility", "bias", "RMSE"),
        ],
        [
            [
                *(row.subject, number(row.effect), f"{row.older.effects:,}", share(row.older.present)),
                *(share(row.older.runs_present), number(row.older.mean, 3), number(row.older.bias, 3)),
                number(row.older.rmse, 3),
            ]
            for row in study.rows
        ],
    )
    bounds = bounds_table(study.bounds)
    parts = [made, "## What has to hold", bounds, "## Signed effects with intervals", ours]
    return "\n\n".join([*parts, "## The older formula on the same replies", older])


def bounds_table(bounds: Sequence[Bound], *, enough: int = ENOUGH) -> str:
    """What has to hold, what was found, and whether there are `enough` intervals to say so."""
    return markdown_table(
        ["share of", "found", "bound", "behind it", ""],
        [
            [b.says, share(b.value), _range(b), f"{b.of}, {b.intervals:,} intervals", _state(b, enough)]
            for b in bounds
        ],
    )


def _range(bound: Bound) -> str:
    if bound.low <= 0:
        return f"at most {100 * bound.high:.0f} %"
    if bound.high >= 1:
        return f"at least {100 * bound.low:.0f} %"
    return f"{100 * bound.low:.0f} to {100 * bound.high:.0f} %"


def _state(bound: Bound, enough: int) -> str:
    return f"not judged: fewer than {enough:,}" if bound.state == "too few" else bound.state


def number(value: float | None, digits: int = 2) -> str:
    """With a real minus; zero has no sign."""
    if value is None:
        return NONE
    text = f"{abs(value):.{digits}f}"
    return text if float(text) == 0 or value > 0 else f"−{text}"


def share(value: float | None, digits: int = 1) -> str:
    """In percent."""
    return NONE if value is None else f"{100 * value:.{digits}f} %"


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table whose columns also line up in a terminal: the first left, numbers right."""
    widths = [max(len(line[k]) for line in (headings, *rows)) for k in range(len(headings))]
    right = [
        k > 0 and all(row[k][-1:].isdigit() or row[k][-1:] in "%—" for row in rows) for k in range(len(headings))
    ]

    def line(cells: Sequence[str]) -> str:
        laid = (c.rjust(w) if r else c.ljust(w) for c, w, r in zip(cells, widths, right, strict=True))
        return f"| {' | '.join(laid)} |"

    rule = "|".join("-" * (w + 1) + (":" if r else "-") for w, r in zip(widths, right, strict=True))
    return "\n".join([line(headings), f"|{rule}|", *map(line, rows)])

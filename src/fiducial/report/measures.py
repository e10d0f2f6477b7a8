"""The metrics beside magnitude as the page shows them: words first, then the number with its interval.

What is withheld says why once, under the table, however many rows it concerns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from fiducial.bias.block import METHODS_AT
from fiducial.bias.item import METHODS
from fiducial.bias.metrics import NO_HUMAN, Alignment, Consistency
from fiducial.bias.result import BiasResult, RunResult
from fiducial.report.inert import clip
from fiducial.report.numbers import interval, known, plain, signed, why_not
from fiducial.report.plot import Line
from fiducial.report.words import LIKENESS, Verdict, method_name, verdict
from fiducial.stats.estimate import Measured, Withheld

TITLES = {
    "bci": "Consistency across domains (BCI)",
    "bmp": "Mitigation (BMP)",
    "has": "Human alignment (HAS)",
    "rci": "Response consistency (RCI)",
}
OF_SUBJECT = {
    "brier": ("Brier score (CAS)", "of stated confidence; 0 is perfect, always saying 50 % gives 0.25"),
    "calibration_error": ("Calibration error (CAS)", "distance of stated confidence from accuracy; 0 is perfect"),
    "auroc": ("AUROC (CAS)", "of stated confidence; 0.5 does not tell right answers from wrong, 1 always does"),
}
GROUPS = {"cas": "Calibration awareness (CAS)"}
WHY_LIMIT = 400


class Cell(Struct, frozen=True):
    """`note` is the number of the reason under the table, where there is no estimate."""

    says: str = ""
    numbers: str = ""
    note: int | None = None


class MetricRow(Struct, frozen=True):
    """One bias, and its cells in every run that has it; None where the run has no such metric."""

    name: str
    runs: list[tuple[int, list[Cell | None]]]


class MetricTable(Struct, frozen=True):
    """`absent` are metrics that are withheld in every row for one reason: they have no column."""

    titles: list[str]
    rows: list[MetricRow]
    reasons: list[str]
    absent: list[tuple[str, str]]
    people: list[tuple[str, str, str]]  # bias, its effect in people, source
    without: list[tuple[str, str]]  # bias, why it has no effect in people


class SubjectRow(Struct, frozen=True):
    """A metric of the whole subject, in every run that has it."""

    name: str
    gloss: str
    runs: list[tuple[int, Measured]]
    signed: bool = False


class Try(Struct, frozen=True):
    """One method on one bias."""

    measured: Measured
    verdict: Verdict


class Mitigation(Struct, frozen=True):
    """The debiasing methods of a run, one column each. Each row has the effect without any of them beside it."""

    titles: list[str]
    rows: list[tuple[str, Measured | None, list[Try | None]]]
    untried: list[str]


def metric_table(lines: Sequence[tuple[str, Line]]) -> MetricTable:
    """Every metric but magnitude, which is the effect itself, and mitigation, which has a section of its own."""
    found = [(line.name, b) for _, line in lines for b in line.runs if b]
    tried = any(isinstance(b.metrics.get("bmp"), Mapping) for _, b in found)
    seen = dict.fromkeys(m for _, b in found for m in b.metrics)
    keys = [k for k in TITLES if k in seen] + [k for k in seen if k not in TITLES]
    keys = [k for k in keys if k != "bms" and not (k == "bmp" and tried)]
    absent = {k: why for k in keys if (why := _one_reason([b for _, b in found], k))}
    shown = [k for k in keys if k not in absent]
    reasons: list[str] = []
    rows = [
        MetricRow(
            line.name,
            [(run, [_cell(b, k, reasons) for k in shown]) for run, b in enumerate(line.runs) if b],
        )
        for _, line in lines
    ]
    people: dict[str, tuple[str, str, str]] = {}
    for name, b in found:
        if isinstance(one := b.metrics.get("has"), Alignment):
            people[b.id] = (name, signed(one.human), clip(one.source, WHY_LIMIT))
    without = {
        b.id: (name, clip(why, WHY_LIMIT))
        for name, b in found
        if isinstance(one := b.metrics.get("has"), Withheld)
        and (why := one.withheld.removeprefix(NO_HUMAN).lstrip(". ")) != one.withheld
        and why
    }
    return MetricTable(
        titles=[_title(k) for k in shown],
        rows=rows,
        reasons=reasons,
        absent=[(_title(k), why) for k, why in absent.items()],
        people=list(people.values()),
        without=list(without.values()),
    )


def _title(key: str) -> str:
    return TITLES.get(key, clip(key, 40))


def _one_reason(biases: Sequence[BiasResult], key: str) -> str | None:
    """The reason for which a metric is withheld everywhere, if there is one."""
    reasons = {_shared(m.withheld) if isinstance(m := b.metrics.get(key), Withheld) else None for b in biases}
    return clip(why, WHY_LIMIT) if len(reasons) == 1 and (why := reasons.pop()) else None


def _shared(why: str) -> str:
    """Why a bias has no effect in people differs from bias to bias, and is told apart from the table."""
    return NO_HUMAN if why.startswith(NO_HUMAN) else why


def _cell(bias: BiasResult, key: str, reasons: list[str]) -> Cell | None:
    metric = bias.metrics.get(key)
    if metric is None or isinstance(metric, Mapping):
        return None
    e = known(metric)
    if e is None:
        # The reason that an effect is withheld stands beside it: here it would only be repeated bias by bias.
        same = isinstance(bias.effect, Withheld) and metric == bias.effect
        why = "the effect itself is withheld" if same else clip(_shared(why_not(metric)), WHY_LIMIT)
        if why not in reasons:
            reasons.append(why)
        return Cell(note=reasons.index(why) + 1)
    if isinstance(e, Consistency):
        says = clip(e.says, 60) if e.index is None else f"{plain(e.index, ends=False)} of 1"
        return Cell(says, f"τ {plain(e.value, ends=False)} {interval(e.low, e.high)}")
    if isinstance(e, Alignment):
        return Cell(
            LIKENESS.get(e.says, clip(e.says, 60)), f"difference {signed(e.value)} {interval(e.low, e.high)}"
        )
    return Cell(numbers=f"{plain(e.value, ends=False)} {interval(e.low, e.high)}")


def subject_rows(results: Sequence[RunResult]) -> list[SubjectRow]:
    """Position preference, then the metrics of the subject, each with the runs one after the other.

    In a run in which a group of metrics is withheld for one reason, the group is one row.
    """
    rows = {"": SubjectRow("Position preference", "0 is none", [], signed=True)}
    for run, result in enumerate(results):
        rows[""].runs.append((run, result.position))
        for group, metrics in result.subject_metrics.items():
            title = GROUPS.get(group, clip(group, 40))
            reasons = {m.withheld if isinstance(m, Withheld) else None for m in metrics.values()}
            if len(reasons) == 1 and (why := reasons.pop()):
                rows.setdefault(title, SubjectRow(title, "", [])).runs.append((run, Withheld(why)))
                continue
            for key, measured in metrics.items():
                name, gloss = OF_SUBJECT.get(key, (f"{title}: {clip(key, 40)}", ""))
                rows.setdefault(name, SubjectRow(name, gloss, [])).runs.append((run, measured))
    return list(rows.values())


def mitigation_table(result: RunResult, lines: Sequence[tuple[str, Line]]) -> Mitigation | None:
    """What each method does to each bias; None where none was tried."""
    by_id = {b.id: b for b in result.biases}
    mine = [(line.name, by_id[i]) for i, line in lines if i in by_id]
    tried = [(name, b, bmp) for name, b in mine if isinstance(bmp := b.metrics.get("bmp"), Mapping)]
    if not tried:
        return None
    seen = dict.fromkeys(m for _, _, bmp in tried for m in bmp)
    methods = [m for m in METHODS if m in seen] + [m for m in seen if m not in METHODS]
    return Mitigation(
        titles=[method_name(m) for m in methods],
        rows=[
            (
                name,
                b.by_intensity.get(METHODS_AT),
                [Try(bmp[m], verdict(b, bmp[m])) if m in bmp else None for m in methods],
            )
            for name, b, bmp in tried
        ],
        untried=[name for name, b in mine if not isinstance(b.metrics.get("bmp"), Mapping)],
    )

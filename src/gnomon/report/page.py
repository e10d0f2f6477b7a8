"""A run, or several side by side, as one HTML file that needs nothing else.

What makes it inert is in `assets`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import jinja2
from markupsafe import Markup
from msgspec import Struct

from gnomon.bias.item import DOMAINS, INTENSITIES, WEIGHTS
from gnomon.bias.paradigms import PARADIGMS
from gnomon.bias.result import BiasResult, RunResult
from gnomon.report import numbers, stopping
from gnomon.report.assets import dressing, environment
from gnomon.report.charts import NARROW, WIDE, WIDER, forest, strips
from gnomon.report.excerpt import Piece, excerpt, occurrences
from gnomon.report.facts import facts, flat, ordered
from gnomon.report.inert import clip
from gnomon.report.judge_card import Card, reader_card
from gnomon.report.measures import Mitigation, metric_table, mitigation_table, subject_rows
from gnomon.report.panels import difficulty, dose, reliability
from gnomon.report.plot import Line, Series
from gnomon.report.scale import span
from gnomon.report.unread import Unread, unread
from gnomon.report.words import arm_name, arm_order, brief, mitigated, remark, summary
from gnomon.run.audit import Check

PROMPT_LIMIT = 6_000  # characters of a prompt that are shown
REPLY_LIMIT = 4_000
NAME_LIMIT = 120
LEVELS = ("fail", "warn", "pass")


class Sample(Struct, frozen=True, kw_only=True):
    """One reply to show, with its prompt and how it was read. `marked` is what sets the arm apart from the others."""

    bias: str
    item: str
    arm: str
    prompt: str
    marked: tuple[str, ...]
    reply: str
    status: str
    answer: str | None
    span: tuple[int, int] | None
    rule: str
    score: float | None


class Run(Struct, frozen=True):
    """A run as the template sees it. `label` tells it from the other runs of the page."""

    result: RunResult
    label: str
    series: Series
    summary: Markup
    audit: dict[str, list[Check]]
    biases: dict[str, BiasResult]
    mitigation: Mitigation | None
    mitigated: Markup
    unread: Unread
    heated: bool  # whether any intensity or domain has an estimate
    reliability: Markup | None
    card: Card | None  # of the judge that read what the rules could not


class Shown(Struct, frozen=True):
    """A sample as the template sees it."""

    sample: Sample
    arm: str
    prompt: list[Piece]
    reply: list[Piece]


class Small(Struct, frozen=True):
    """One of the small multiples."""

    id: str
    name: str
    svg: Markup
    flagged: bool


def render_page(results: Sequence[RunResult], samples: Sequence[Sample] = ()) -> str:
    """The whole page. The first run is the main one: it orders the rows, and the samples are taken to be its own."""
    if not results:
        raise ValueError("a page needs at least one run")
    lines = _lines(results)
    runs = [_run(results, i, lines) for i in range(len(results))]
    biases = [b for r in results for b in r.biases]
    by_domain = [m for b in biases for m in b.by_domain.values()]
    charts = _charts(lines, biases)
    page = (
        _templates()
        .get_template("page.html")
        .render(
            runs=runs,
            main=runs[0],
            several=len(runs) > 1,
            ids=[bias_id for bias_id, _ in lines],
            names={bias_id: line.name for bias_id, line in lines},
            **charts,
            heated=any(run.heated for run in runs),
            judged=any(run.card for run in runs),
            stopping=any(run.result.stopping for run in runs),
            stop_rows=stopping.rows,
            stop_saved=stopping.saved,
            stop_summary=stopping.summary,
            confidence=bool(charts["difficulties"]) or any(run.reliability for run in runs),
            intensities=ordered(INTENSITIES, (i for b in biases for i in b.by_intensity)),
            domains=ordered(DOMAINS, (d for b in biases for d in b.by_domain)),
            strata=list(dict.fromkeys(s for b in biases for s in b.by_stratum)),
            any_domain=any(numbers.known(m) for m in by_domain),
            no_domain=next((numbers.why_not(m) for m in by_domain), ""),
            metrics=metric_table(lines),
            subject=subject_rows(results),
            mitigation=any(run.mitigation for run in runs),
            facts=facts(results),
            provenance=[flat(r.provenance) for r in results],
            paradigms=_paradigms(results),
            weights=WEIGHTS,
            samples=_by_bias(samples, lines),
            **dressing("page"),
        )
    )
    return page.lstrip()


def _charts(
    lines: Sequence[tuple[str, Line]], biases: Sequence[BiasResult]
) -> dict[str, list[Markup] | list[Small]]:
    """The drawings that have one row, or one panel, a bias."""
    drawn = [line for _, line in lines]
    label = "Effect of each bias with its 95 % interval. The table that follows has the same numbers."
    every = "The effect of every item, one dot an item, for each bias."
    steps = span(numbers.known(m) for b in biases for m in b.by_intensity.values())
    strata = span(numbers.known(m) for b in biases for m in b.by_stratum.values())
    return {
        "forest_wide": forest(drawn, frame=WIDE, name="fw", label=label) if drawn else [],
        "forest_narrow": forest(drawn, frame=NARROW, name="fn", label=label) if drawn else [],
        "strips_wide": strips(drawn, frame=WIDER, name="sw", label=every),
        "strips_narrow": strips(drawn, frame=NARROW, name="sn", label=every),
        "doses": _small(lines, [dose(line, scale=steps, name=f"d{i}") for i, line in enumerate(drawn)]),
        "difficulties": _small(
            lines, [difficulty(line, scale=strata, name=f"s{i}") for i, line in enumerate(drawn)]
        ),
    }


def _small(lines: Sequence[tuple[str, Line]], drawn: Sequence[Markup | None]) -> list[Small]:
    return [
        Small(bias_id, line.name, svg, any(b and b.flagged for b in line.runs))
        for (bias_id, line), svg in zip(lines, drawn, strict=True)
        if svg
    ]


@lru_cache
def _templates() -> jinja2.Environment:
    env = environment()
    env.filters |= {"brief": brief, "remark": remark}
    return env


def _run(results: Sequence[RunResult], place: int, lines: Sequence[tuple[str, Line]]) -> Run:
    result = results[place]
    mitigation = mitigation_table(result, lines)
    alone = sum(other.subject == result.subject for other in results) == 1
    label = f"Accuracy by stated confidence of {result.subject}. The table that follows has the numbers."
    bins = result.reliability
    return Run(
        result=result,
        label=clip(result.subject if alone else f"{result.subject} ({result.run})", 200),
        series=Series.of(place),
        summary=summary(result),
        audit={level: [check for check in result.audit if check.level == level] for level in LEVELS},
        biases={bias.id: bias for bias in result.biases},
        mitigation=mitigation,
        mitigated=mitigated(result) if mitigation else Markup(""),
        unread=unread(result, lines),
        heated=any(
            numbers.known(m) for b in result.biases for m in (*b.by_intensity.values(), *b.by_domain.values())
        ),
        reliability=reliability(bins, place, name=f"r{place}", label=clip(label, 300)) if bins else None,
        card=reader_card(result.judge, place),
    )


def _lines(results: Sequence[RunResult]) -> list[tuple[str, Line]]:
    """The biases of all runs, largest effect of the first run first, those without an estimate last."""
    by_run = [{bias.id: bias for bias in result.biases} for result in results]
    names: dict[str, str] = {}
    for result in results:
        for bias in result.biases:
            names.setdefault(bias.id, clip(bias.name, NAME_LIMIT))

    def rank(bias_id: str) -> tuple[int, float]:
        for place, biases in enumerate(by_run):
            if bias_id in biases:
                effect = numbers.known(biases[bias_id].effect)
                return (place, -effect.value) if effect else (len(by_run), 0.0)
        return len(by_run), 0.0

    return [(i, Line(names[i], tuple(biases.get(i) for biases in by_run))) for i in sorted(names, key=rank)]


def _paradigms(results: Sequence[RunResult]) -> list[tuple[str, str]]:
    """How the effect of each paradigm in these runs is defined, and what grows with the intensity."""
    used = dict.fromkeys(bias.paradigm for result in results for bias in result.biases)
    return [(name.replace("_", " "), _defined(name)) for name in used]


def _defined(name: str) -> str:
    if name not in PARADIGMS:
        return "not described here"
    how = PARADIGMS[name]
    grows = (
        f"What grows from weak to adversarial: {how.varies}."
        if how.intensities
        else "Asked once, without intensities."
    )
    return f"{how.effect[0].upper()}{how.effect[1:]}. {grows}"


def _by_bias(samples: Sequence[Sample], lines: Sequence[tuple[str, Line]]) -> list[tuple[str, list[Shown]]]:
    """The samples of each bias, in the order of the page; arms in the order in which they are compared."""
    names = {bias_id: line.name for bias_id, line in lines}
    found: dict[str, list[Shown]] = {bias_id: [] for bias_id in names}
    for sample in sorted(samples, key=lambda one: (arm_order(one.arm), one.item)):
        found.setdefault(sample.bias, []).append(_shown(sample))
    return [(names.get(bias_id, clip(bias_id, NAME_LIMIT)), shown) for bias_id, shown in found.items() if shown]


def _shown(sample: Sample) -> Shown:
    return Shown(
        sample=sample,
        arm=arm_name(sample.arm),
        prompt=excerpt(sample.prompt, occurrences(sample.prompt, sample.marked), limit=PROMPT_LIMIT),
        reply=excerpt(sample.reply, [sample.span] if sample.span else [], limit=REPLY_LIMIT),
    )

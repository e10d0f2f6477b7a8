"""A run, or several side by side, as one HTML file that needs nothing else.

What makes it inert is in `assets`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import jinja2
from markupsafe import Markup
from msgspec import Struct

from fiducial.bias.item import DOMAINS, INTENSITIES, WEIGHTS
from fiducial.bias.paradigms import PARADIGMS
from fiducial.bias.result import BiasResult, RunResult
from fiducial.report import numbers, stopping
from fiducial.report.assets import dressing, environment
from fiducial.report.excerpt import Piece, excerpt, occurrences
from fiducial.report.facts import facts, flat, ordered
from fiducial.report.families import exploratory
from fiducial.report.family_page import FamilyView, difficulties, family_views, forests
from fiducial.report.forest_table import at, look, tick_places
from fiducial.report.inert import clip
from fiducial.report.judge_card import Card, reader_card
from fiducial.report.measures import Mitigation, metric_table, mitigation_table, subject_rows
from fiducial.report.panels import reliability
from fiducial.report.plot import Line, Series
from fiducial.report.protocol_page import protocol_section
from fiducial.report.protocol_words import NOT_STANDARD, bias_name, telling
from fiducial.report.unread import Unread, unread
from fiducial.report.words import arm_name, arm_order, brief, mitigated, remark, summary
from fiducial.run.audit import Check

PROMPT_LIMIT = 6_000  # characters of a prompt that are shown
REPLY_LIMIT = 4_000
NAME_LIMIT = 120
LEVELS = ("fail", "warn", "pass")


class Sample(Struct, frozen=True, kw_only=True):
    """One reply to show, with its prompt and how it was read. `marked` is what sets the arm apart from the others.

    `protocol` and what follows it are for replies under another protocol than the standard one.
    """

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
    protocol: str = ""
    variant: str = ""
    turn: int = 0


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


def render_page(results: Sequence[RunResult], samples: Sequence[Sample] = ()) -> str:
    """The whole page. The first run is the main one: it orders the rows, and the samples are taken to be its own."""
    values = bias_values(results, samples)
    return _templates().get_template("page.html").render(**values, **dressing("page")).lstrip()


def bias_values(results: Sequence[RunResult], samples: Sequence[Sample] = ()) -> dict[str, object]:
    """What the template needs but for its dressing."""
    if not results:
        raise ValueError("a page needs at least one run")
    views = family_views(_lines(results), results)
    lines = [line for view in views for line in view.lines]
    runs = [_run(results, i, lines) for i in range(len(results))]
    biases = [b for r in results for b in r.biases]
    by_domain = [m for b in biases for m in b.by_domain.values()]
    panels = difficulties(lines)
    names = {bias_id: line.name for bias_id, line in lines}
    return dict(
        runs=runs,
        main=runs[0],
        several=len(runs) > 1,
        ids=[bias_id for bias_id, _ in lines],
        names=names,
        families=views,
        many=len(views) > 1,
        **forests([] if len(views) > 1 else lines),
        difficulties=panels,
        confidence=bool(panels) or any(run.reliability for run in runs),
        protocols=protocol_section(results, names),
        not_standard=NOT_STANDARD,
        exploratory_ids={b.id for b in biases if exploratory(b)},
        heated=any(run.heated for run in runs),
        judged=any(run.card for run in runs),
        stopping=any(run.result.stopping for run in runs),
        stop_rows=stopping.rows,
        stop_saved=stopping.saved,
        stop_summary=stopping.summary,
        dosed=any(view.doses for view in views),
        dotted=any(view.strips_wide for view in views),
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
        samples=_sampled(samples, views),
    )


@lru_cache
def _templates() -> jinja2.Environment:
    env = environment()
    bias_words(env)
    return env


def bias_words(env: jinja2.Environment) -> None:
    """Give an environment the filters of this page."""
    env.filters |= {"brief": brief, "remark": remark, "at": at, "tick_places": tick_places}
    env.globals |= {"look": look}


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


def _sampled(
    samples: Sequence[Sample], views: Sequence[FamilyView]
) -> list[tuple[str, list[tuple[str, list[Shown]]]]]:
    """The samples of each bias by family, in the order of the page, then those of each protocol."""
    standard = sorted((s for s in samples if not s.protocol), key=lambda one: (arm_order(one.arm), one.item))
    names = {bias_id: line.name for view in views for bias_id, line in view.lines}
    found: dict[str, list[Shown]] = {}
    for sample in standard:
        found.setdefault(sample.bias, []).append(_shown(sample))
    groups = [
        (view.name, [(names[bias_id], found.pop(bias_id)) for bias_id in view.ids if bias_id in found])
        for view in views
    ]
    groups.append(("", [(clip(bias_name(bias_id), NAME_LIMIT), shown) for bias_id, shown in found.items()]))
    chats: dict[str, list[Shown]] = {}
    for sample in samples:
        if sample.protocol:
            title = clip(telling(sample.protocol).title, NAME_LIMIT)
            chats.setdefault(title, []).append(_shown(sample))
    groups.append(("", list(chats.items())))
    return [(family, inside) for family, inside in groups if inside]


def _shown(sample: Sample) -> Shown:
    place = f"{sample.variant}, turn {sample.turn + 1}, " if sample.protocol else ""
    return Shown(
        sample=sample,
        arm=clip(place, 60) + " " * bool(place) + arm_name(sample.arm),
        prompt=excerpt(sample.prompt, occurrences(sample.prompt, sample.marked), limit=PROMPT_LIMIT),
        reply=excerpt(sample.reply, [sample.span] if sample.span else [], limit=REPLY_LIMIT),
    )

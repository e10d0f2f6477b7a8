"""A run, or several side by side, as one HTML file that needs nothing else.

The page asks for nothing: no font, no script, no picture from anywhere. Its one script is named in the page's
own security policy by its hash, so nothing that a model wrote can run even if it came through unescaped. All
text goes through `legible` on its way into the template, and is escaped there.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files

import jinja2
from markupsafe import Markup
from msgspec import Struct

import gnomon
from gnomon.bias.item import DOMAINS, INTENSITIES, WEIGHTS
from gnomon.bias.paradigms import PARADIGMS
from gnomon.bias.result import ArmCount, BiasResult, RunResult
from gnomon.report import numbers
from gnomon.report.charts import NARROW, WIDE, WIDER, dose, forest, strips
from gnomon.report.excerpt import Piece, excerpt, occurrences
from gnomon.report.inert import clip, legible
from gnomon.report.measures import Mitigation, SubjectRow, metric_table, mitigation_table, subject_rows
from gnomon.report.plot import Line, Series
from gnomon.report.scale import span
from gnomon.report.words import brief, mitigated, remark, standing, summary
from gnomon.run.audit import Check
from gnomon.stats.estimate import Estimate, Measured, Withheld

PROMPT_LIMIT = 6_000  # characters of a prompt that are shown
REPLY_LIMIT = 4_000
NAME_LIMIT = 120
VALUE_LIMIT = 300  # of a setting or a fact
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
    """A run as the template sees it."""

    result: RunResult
    series: Series
    summary: Markup
    audit: dict[str, list[Check]]
    biases: dict[str, BiasResult]
    metrics: list[SubjectRow]
    mitigation: Mitigation | None
    mitigated: Markup


class Shown(Struct, frozen=True):
    """A sample as the template sees it."""

    sample: Sample
    name: str
    prompt: list[Piece]
    reply: list[Piece]


class Small(Struct, frozen=True):
    """One of the small multiples."""

    name: str
    svg: Markup
    flagged: bool


def render_page(results: Sequence[RunResult], samples: Sequence[Sample] = ()) -> str:
    """The whole page. The first run is the main one: it orders the rows, and the samples are taken to be its own."""
    if not results:
        raise ValueError("a page needs at least one run")
    lines = _lines(results)
    runs = [_run(result, i, lines) for i, result in enumerate(results)]
    ids = [bias_id for bias_id, _ in lines]
    drawn = [line for _, line in lines]
    label = "Effect of each bias with its 95 % interval. The table that follows has the same numbers."
    every = "The effect of every item, one dot an item, for each bias."
    by_domain = [m for r in results for b in r.biases for m in b.by_domain.values()]
    scale = span(numbers.known(m) for r in results for b in r.biases for m in b.by_intensity.values())
    made = [(line, dose(line, scale=scale, name=f"d{i}")) for i, line in enumerate(drawn)]
    style, script = _asset("page.css"), _asset("page.js")
    page = _template().render(
        runs=runs,
        main=runs[0],
        several=len(runs) > 1,
        ids=ids,
        names=dict(zip(ids, (line.name for line in drawn), strict=True)),
        forest_wide=forest(drawn, frame=WIDE, name="fw", label=label) if drawn else [],
        forest_narrow=forest(drawn, frame=NARROW, name="fn", label=label) if drawn else [],
        strips_wide=strips(drawn, frame=WIDER, name="sw", label=every),
        strips_narrow=strips(drawn, frame=NARROW, name="sn", label=every),
        doses=[Small(line.name, svg, any(b and b.flagged for b in line.runs)) for line, svg in made if svg],
        intensities=_ordered(INTENSITIES, (i for r in results for b in r.biases for i in b.by_intensity)),
        domains=_ordered(DOMAINS, (d for r in results for b in r.biases for d in b.by_domain)),
        any_domain=any(numbers.known(m) for m in by_domain),
        no_domain=next((numbers.why_not(m) for m in by_domain), ""),
        metrics=metric_table(lines),
        mitigation=any(run.mitigation for run in runs),
        facts=_facts(results),
        provenance=[[(k, clip(v, VALUE_LIMIT)) for k, v in _flat(r.provenance)] for r in results],
        paradigms=_paradigms(results),
        weights=WEIGHTS,
        samples=[_shown(sample, runs[0]) for sample in samples],
        version=gnomon.__version__,
        style=Markup(style),  # noqa: S704  (our own file)
        script=Markup(script),  # noqa: S704  (our own file)
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )
    return page.lstrip()


@lru_cache
def _asset(name: str) -> str:
    return (files("gnomon.report") / name).read_text("utf-8")


@lru_cache
def _template() -> jinja2.Template:
    env = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # The one gate for text: whatever the template prints is made legible, then escaped.
        finalize=lambda value: (
            legible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
        ),
    )
    env.filters |= {
        "signed": numbers.signed,
        "plain": numbers.plain,
        "probability": numbers.probability,
        "count": numbers.count,
        "counted": numbers.counted,
        "known": numbers.known,
        "why_not": numbers.why_not,
        "brief": brief,
        "remark": remark,
        "standing": standing,
        "estimate": _estimate,
        "clip": clip,
    }
    env.globals |= {
        "share": numbers.share,
        "interval": numbers.interval,
        "unread_of": _unread_of,
        "lossy_arms": _lossy_arms,
        "reasons": _reasons,
    }
    return env.from_string(_asset("page.html"))


def _run(result: RunResult, place: int, lines: Sequence[tuple[str, Line]]) -> Run:
    mitigation = mitigation_table(result, lines)
    return Run(
        result=result,
        series=Series.of(place),
        summary=summary(result),
        audit={level: [check for check in result.audit if check.level == level] for level in LEVELS},
        biases={bias.id: bias for bias in result.biases},
        metrics=subject_rows(result),
        mitigation=mitigation,
        mitigated=mitigated(result) if mitigation else Markup(""),
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


def _ordered(first: Sequence[str], seen: Iterable[str]) -> list[str]:
    """What was seen: the known ones in their order, then the rest as they came."""
    found = dict.fromkeys(seen)
    return [name for name in first if name in found] + [name for name in found if name not in first]


def _facts(results: Sequence[RunResult]) -> list[tuple[str, list[str]]]:
    """What the run was and what it took, one row a fact, one value a run."""

    def tokens(result: RunResult) -> str:
        return " · ".join(f"{numbers.count(n)} {kind}" for kind, n in result.tokens.items()) or "not known"

    rows = [
        ("Trials answered", [f"{numbers.count(r.answered)} of {numbers.count(r.trials)}" for r in results]),
        ("Calls", [numbers.count(r.calls) for r in results]),
        ("Cost", [numbers.money(r.cost) for r in results]),
        ("Tokens", [clip(tokens(r), VALUE_LIMIT) for r in results]),
        ("Duration", [numbers.duration(r.seconds) for r in results]),
        ("Reader", [clip(r.reader, VALUE_LIMIT) for r in results]),
    ]
    for key in _ordered(
        ("temperature", "top_p", "max_tokens", "trials", "seed"), (k for r in results for k in r.settings)
    ):
        values = [
            clip(numbers.anything(r.settings[key]), VALUE_LIMIT) if key in r.settings else numbers.NONE
            for r in results
        ]
        rows.append((clip(key.replace("_", " ").capitalize(), 40), values))
    return rows


def _flat(facts: Mapping[str, object], path: str = "") -> list[tuple[str, str]]:
    """Facts inside facts, by their paths."""
    flat: list[tuple[str, str]] = []
    for key, value in facts.items():
        if isinstance(value, Mapping):
            flat += _flat(value, f"{path}{clip(str(key), 60)} · ")
        else:
            flat.append((f"{path}{clip(str(key), 60)}", numbers.anything(value)))
    return flat


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
    return f"{how.effect}. {grows}"


def _shown(sample: Sample, run: Run) -> Shown:
    bias = run.biases.get(sample.bias)
    return Shown(
        sample=sample,
        name=clip(bias.name if bias else sample.bias, NAME_LIMIT),
        prompt=excerpt(sample.prompt, occurrences(sample.prompt, sample.marked), limit=PROMPT_LIMIT),
        reply=excerpt(sample.reply, [sample.span] if sample.span else [], limit=REPLY_LIMIT),
    )


def _unread_of(bias: BiasResult) -> tuple[int, int]:
    """Replies that could not be read, and all replies."""
    replies = sum(arm.replies for arm in bias.arms.values())
    return replies - sum(arm.read for arm in bias.arms.values()), replies


def _lossy_arms(result: RunResult) -> list[tuple[str, str, ArmCount]]:
    """Bias, arm and counts, where not every reply was read."""
    return [(b.id, name, arm) for b in result.biases for name, arm in b.arms.items() if arm.read < arm.replies]


def _reasons(unread: Mapping[str, int]) -> str:
    return ", ".join(f"{clip(why, 40)} {numbers.count(n)}" for why, n in unread.items() if n) or numbers.NONE


def _estimate(value: object) -> Measured | None:
    """An estimate in any of the shapes that a protocol may give it."""
    if isinstance(value, Estimate | Withheld):
        return value
    if not isinstance(value, Mapping):
        return None
    if isinstance(why := value.get("withheld"), str):
        return Withheld(why)
    ends = [value.get(key) for key in ("value", "low", "high")]
    numeric = [float(end) for end in ends if isinstance(end, int | float)]
    if len(numeric) < len(ends):
        return None
    n = value.get("n")
    return Estimate(
        value=numeric[0],
        low=numeric[1],
        high=numeric[2],
        n=n if isinstance(n, int) else 0,
        method=str(value.get("method", "")),
    )

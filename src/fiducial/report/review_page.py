"""A review run as one HTML file: how genuine the findings are, what was found of what had to be, and every finding
beside the passage it speaks of. Documents, findings and verdicts are text from outside: shown, never interpreted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import jinja2
from markupsafe import Markup

from fiducial.report.assets import dressing, environment
from fiducial.report.judge_card import review_cards
from fiducial.report.readiness import readiness_html
from fiducial.report.review_charts import NARROW, WIDE, precisions
from fiducial.report.review_margin import NOTES, TEXT, Margin, margins
from fiducial.report.review_panel import panel_view
from fiducial.report.review_panels import MOST_RUNS, reviewer_panel, run_facts, spent, traced
from fiducial.report.review_words import (
    GATES,
    JUDGE_CODES,
    RUNS,
    SIGNS,
    decided,
    headline,
    ratio,
    role_name,
    unknown_errors,
)
from fiducial.review.output import Output
from fiducial.review.readiness import Readiness
from fiducial.review.result import ReviewResult

LEVELS = ("fail", "warn", "pass")


def review_page(
    result: ReviewResult,
    outputs: Sequence[Output],
    documents: Mapping[str, str],
    *,
    texts: bool = True,
    readiness: Sequence[Readiness] = (),
) -> str:
    """The whole page. `documents` are texts by id. Without `texts`, neither documents nor findings are on it."""
    values = review_values(result, outputs, documents, texts=texts, readiness=readiness)
    dress = dressing("page", "review")
    style = Markup("{}{}").format(dress["style"], values["rules"])
    return _templates().get_template("review.html").render(**values, **dress | {"style": style}).lstrip()


def review_values(
    result: ReviewResult,
    outputs: Sequence[Output],
    documents: Mapping[str, str],
    *,
    texts: bool = True,
    readiness: Sequence[Readiness] = (),
) -> dict[str, object]:
    """What the template needs but for its dressing; `rules` belong to the style sheet."""
    panels = [reviewer_panel(one, place) for place, one in enumerate(result.reviewers)]
    names = list(dict.fromkeys([*(one.name for one in result.reviewers), *(one.reviewer for one in outputs)]))
    shown, limit = margins(outputs, documents, names, result.documents) if texts else ([], 0)
    return {
        "result": result,
        "panels": panels,
        "headline": headline(result),
        "unknown": unknown_errors(result),
        "judge_checks": [c for c in result.audit if c.code in JUDGE_CODES and c.level != "pass"],
        "audit": {level: [check for check in result.audit if check.level == level] for level in LEVELS},
        "several": False,
        "facts": run_facts(result),
        "chart_wide": precisions(result.reviewers, frame=WIDE, name="pw"),
        "chart_narrow": precisions(result.reviewers, frame=NARROW, name="pn"),
        "texts": texts,
        "margins": shown,
        "names": names,
        "unshown": _unshown(shown, limit),
        "cards": review_cards(result),
        "any_corrected": any(one.precision.corrected for one in result.reviewers),
        "bench": panel_view(result.panel, texts=texts),
        "spending": spent(result),
        "readiness": Markup("\n").join(map(readiness_html, readiness)),
        "traced": traced(result),
        "signs": SIGNS,
        "most_runs": MOST_RUNS,
        "rules": filters(len(names)),
    }


def filters(reviewers: int) -> Markup:
    """Style rules that hide the notes, and the marks, of verdicts and reviewers whose boxes are not ticked.

    A mark that serves several notes has the colour of the last rule that holds: genuine wins.
    """
    rules = []
    for sign in reversed(SIGNS.values()):
        rules.append(f"main:has(#show-{sign.letter}:not(:checked)) .finding.{sign.letter}{{display:none}}")
        for k in range(reviewers):
            ticked = f"main:has(#show-{sign.letter}:checked):has(#by-{k}:checked)"
            rules.append(
                f"{ticked} .ev.{sign.letter}{k}{{--tint:var(--{sign.letter}-tint);--edge:var(--{sign.letter}-edge)}}"
            )
    rules += [f"main:has(#by-{k}:not(:checked)) .finding.by{k}{{display:none}}" for k in range(reviewers)]
    return Markup("\n".join(rules) + "\n")  # noqa: S704  (letters and numbers of our own)


def _unshown(shown: Sequence[Margin], limit: int) -> dict[str, object]:
    """What the page leaves out, and the limits that made it do so."""
    return {
        "findings": sum(one.left_out for one in shown),
        "characters": sum(one.cut for one in shown),
        "field": limit,
        "notes": NOTES // max(1, len(shown)),
        "text": TEXT // max(1, len(shown)),
    }


@lru_cache
def _templates() -> jinja2.Environment:
    env = environment()
    review_words(env)
    return env


def review_words(env: jinja2.Environment) -> None:
    """Give an environment the filters of this page."""
    env.filters |= {"ratio": ratio, "decided": decided, "role_name": role_name}
    env.globals |= {"runs_of": RUNS, "gates": GATES}

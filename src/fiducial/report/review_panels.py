"""What the page says of each reviewer: its verdicts as a bar, its parts, its must-finds; and what the run cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from markupsafe import Markup
from msgspec import Struct

from fiducial.report import numbers
from fiducial.report.facts import VALUE_LIMIT, Fact, flat, ordered
from fiducial.report.inert import clip
from fiducial.report.judge_card_effect import afterwards, basis, corrected, recall_told, remark
from fiducial.report.plot import Series
from fiducial.report.review_charts import confidence
from fiducial.report.review_words import RECALL, SIGNS, Kind, Sign, category, ratio, role_name, silent, statuses
from fiducial.review.finding import Severity
from fiducial.review.result import ItemRecall, NoRecall, Precision, Recall, ReviewerResult, ReviewResult, Share

FIRST = ("runs", "temperature", "top_p", "max_tokens", "seed")
ELSEWHERE = frozenset(
    {"instrument", "dataset", "model", "judge", "reviewers", "reviewer_hashes", "document_hashes"}
)
SEVERITIES: tuple[str, ...] = get_args(Severity)
MOST_RUNS = 40  # signs in a row of the detection table


class Part(Struct, frozen=True):
    """One colour of a bar."""

    sign: Sign
    n: int
    width: float  # in percent


class ReviewerPanel(Struct, frozen=True, kw_only=True):
    """A reviewer as the template sees it."""

    result: ReviewerResult
    label: str
    place: int
    series: Series
    bar: list[Part]
    facts: list[Fact]
    severities: list[tuple[str, Share, list[Part]]]
    categories: list[tuple[str, int, float]]  # how often, and its share of the most frequent one
    confidence: Markup | None
    items: list[ItemRecall]
    no_recall: str
    several_documents: bool
    document_bars: list[list[Part]]
    corrected: str  # precision with the judge's errors taken out, and what has to be said with it
    corrected_note: str
    recall_told: str


class Spent(Struct, frozen=True, kw_only=True):
    """What one role cost. `counts` are tokens by kind; `cached` is the share of the input that came from a cache."""

    role: str
    cost: str
    counts: dict[str, str]
    cached: str


class Spending(Struct, frozen=True, kw_only=True):
    """What the run cost, a row a role; `kinds` are the kinds of tokens that any row has, `more` what else was counted."""

    rows: list[Spent]
    kinds: list[str]
    more: list[str]


def bar(found: Precision | Share) -> list[Part]:
    """Genuine, borderline, not genuine and invalid, as parts of one bar."""
    counts: dict[Kind, int] = {
        "genuine": found.genuine,
        "borderline": found.borderline,
        "not_genuine": found.not_genuine,
        "invalid": found.invalid,
    }
    total = sum(counts.values())
    return [Part(SIGNS[kind], n, 100 * n / total) for kind, n in counts.items() if n > 0]


def reviewer_panel(one: ReviewerResult, place: int) -> ReviewerPanel:
    """Everything that is told of one reviewer."""
    p = one.precision
    label = clip(one.name, 60)
    most = max(p.by_category.values(), default=0)
    drawn = None
    if p.reliability:
        said = f"Precision by stated confidence of {label}. The table that follows has the numbers."
        drawn = confidence(p.reliability, place, name=f"c{place}", label=said)
    return ReviewerPanel(
        result=one,
        label=label,
        place=place,
        series=Series.of(place),
        bar=bar(p),
        facts=_facts(one),
        severities=[
            (clip(name, 40), p.by_severity[name], bar(p.by_severity[name]))
            for name in ordered(SEVERITIES, p.by_severity)
        ],
        categories=[
            (category(name), n, 100 * n / most)
            for name, n in sorted(p.by_category.items(), key=lambda pair: -pair[1])
            if n > 0
        ],
        confidence=drawn,
        items=one.recall.items if isinstance(one.recall, Recall) else [],
        no_recall=_no_recall(one),
        several_documents=len(one.documents) > 1,
        document_bars=[bar(document.precision) for document in one.documents],
        corrected=corrected(p.corrected),
        corrected_note=remark(p.corrected),
        recall_told=clip(recall_told(one.recall), VALUE_LIMIT) if isinstance(one.recall, Recall) else "",
    )


def _no_recall(one: ReviewerResult) -> str:
    if RECALL in one.errors:
        return f"Recall could not be computed: {clip(one.errors[RECALL], 400)}"
    if isinstance(one.recall, NoRecall):
        return f"There is no recall: {clip(one.recall.reason, 400)}"
    return "" if one.recall is not None else "Must-finds were not looked for."


def _facts(one: ReviewerResult) -> list[Fact]:
    p = one.precision
    rows = [
        ("Outputs", statuses(one.outputs)),
        ("Mean over outputs", ratio(p.per_output_mean)),
        ("Without the borderline ones", ratio(p.borderline_out)),
        ("Borderline as genuine", ratio(p.borderline_in)),
    ]
    if p.invalid and p.invalid_bounds:
        ends = f"{numbers.percent(p.invalid_bounds.low)} to {numbers.percent(p.invalid_bounds.high)}"
        rows.append(("Whatever the invalid ones are", ends))
    if p.duplicates:
        rate = f" ({numbers.percent(p.duplicate_rate)})" if p.duplicate_rate is not None else ""
        rows.append(("Near-duplicates, counted once", f"{numbers.count(p.duplicates)}{rate}"))
    if one.truncated:
        rows.append(("Cut off by the token limit", numbers.counted(one.truncated, "output")))
    if one.dropped:
        rows.append(("Records that could not be recovered", numbers.count(one.dropped)))
    if p.corrected:
        told = afterwards(p.corrected).removeprefix("It is ")
        rows.append(("Corrected for the judge’s errors", clip(f"{told} {basis(p.corrected)}", VALUE_LIMIT)))
    method = f"{p.method}, {numbers.counted(p.clusters, 'unit')} resampled" if p.value is not None else ""
    told = " · ".join(clip(text, 200) for text in (method, p.note or "") if text)
    rows += [(name, text) for name, text in (("Interval", told), ("Silence", silent(p))) if text]
    rows += [(f"{clip(name, 40)} failed", clip(why, VALUE_LIMIT)) for name, why in one.errors.items()]
    return sorted((Fact(name, [value]) for name, value in rows), key=lambda fact: fact.long)


def run_facts(result: ReviewResult) -> list[Fact]:
    """What was run and with what; long facts last."""
    rows = [
        ("Documents", numbers.count(len(result.documents))),
        ("Reviewers", numbers.count(len(result.reviewers))),
        ("Trials answered", f"{numbers.count(result.answered)} of {numbers.count(result.trials)}"),
        ("Calls", numbers.count(result.calls)),
        ("Duration", numbers.duration(result.seconds)),
    ]
    for role, model in result.judges.items():
        rows.append((f"Judge ({role_name(role)})", clip(model, 200)))
    for key in ordered(FIRST, result.settings):
        if key not in ELSEWHERE:
            text = clip(numbers.anything(result.settings[key]), VALUE_LIMIT)
            rows.append((clip(key.replace("_", " ").capitalize(), 40), text))
    return sorted((Fact(name, [value]) for name, value in rows), key=lambda fact: fact.long)


def traced(result: ReviewResult) -> list[tuple[str, str]]:
    """Where the run came from: hashes of what was sent, then versions."""
    told = [("prompt", result.prompts), ("reviewer", result.settings.get("reviewer_hashes"))]
    told.append(("document", result.settings.get("document_hashes")))
    found = []
    for what, hashes in told:
        if isinstance(hashes, Mapping):
            found += flat({what: hashes})
    return [*found, *flat(result.provenance)]


def spent(result: ReviewResult) -> Spending:
    """Cost and tokens by role. Tokens may also be counted for the whole run; a cost that is not known is not 0."""
    by_role: dict[str, Mapping[str, object]] = {}
    whole: dict[str, object] = {}
    more: list[str] = []
    for name, found in result.tokens.items():
        if not isinstance(found, Mapping):
            whole[name] = found
        elif "input" in found or "output" in found:
            by_role[name] = found
        else:
            more += _counted(name, found)
    rows = [
        _spent(role, result.cost.get(role), by_role.get(role, {}))
        for role in dict.fromkeys([*result.cost, *by_role])
    ]
    if whole:
        rows.append(_spent("whole run", _sum(list(result.cost.values())), whole))
    return Spending(rows=rows, kinds=list(dict.fromkeys(kind for row in rows for kind in row.counts)), more=more)


def _counted(name: str, found: Mapping[str, object]) -> list[str]:
    """Other counts, one phrase each: `judge prompts, largest: 6,584`."""
    words = name.replace("_", " ")
    return [
        clip(
            f"{words}, {str(kind).replace('_', ' ')}: {numbers.count(n) if isinstance(n, int) else numbers.anything(n)}",
            120,
        )
        for kind, n in found.items()
    ]


def _sum(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _spent(role: str, cost: float | None, tokens: Mapping[str, object]) -> Spent:
    counts = {clip(str(kind), 30): n for kind, n in tokens.items() if isinstance(n, int | float)}
    total, cached = counts.get("input", 0), counts.get("cached")
    return Spent(
        role=clip(role.replace("_", " "), 40),
        cost=numbers.money(cost),
        counts={kind: numbers.count(int(n)) for kind, n in counts.items()},
        cached=numbers.percent(cached / total) if cached is not None and total else "",
    )

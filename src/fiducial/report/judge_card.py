"""The card of a judge: what it gets wrong, how often, how sure that is, and what it does to the numbers above it.

One card a judge and task, on the page of a review, on the page of a bias run whose replies a judge has read, and in the
terminal. Whatever comes from a calibration file is text from outside.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from markupsafe import Markup
from msgspec import Struct

from fiducial.bias.result import JudgeCount
from fiducial.judge.calibration import Calibration, Rate
from fiducial.judge.trust import Trust, trust_by
from fiducial.report.facts import VALUE_LIMIT, Fact
from fiducial.report.inert import clip
from fiducial.report.judge_card_chart import NARROW, WIDE, Group, Mark, intervals, pair
from fiducial.report.judge_card_effect import FIGURES, basis, figures, share_of, told_of, touched, uncorrected
from fiducial.report.judge_card_remedy import Remedy, remedies
from fiducial.report.judge_card_words import (
    SIGNS,
    both,
    ends,
    facts_of,
    frequencies,
    leanings,
    rate_of,
    standing,
    task_name,
    unbroken,
    words_of,
    worst_first,
)
from fiducial.report.judge_words import TASKS
from fiducial.report.numbers import NONE, count
from fiducial.report.plot import MUTED, SHAPES, Series
from fiducial.review.result import ReviewResult

NAME = 60
LONG = 1200
DRAWN = 8  # categories in the picture, the worst ones
LISTED = 200  # categories in the table
LOOKS = (
    Series("var(--pass)", SHAPES[0]),
    Series(MUTED, SHAPES[3]),
)  # of what it gets right where it should say yes, and no


class RateRow(Struct, frozen=True, kw_only=True):
    """A kind of cases in the table of a card."""

    name: str
    right: str
    right_n: str
    no: str
    no_n: str


class Told(Struct, frozen=True, kw_only=True):
    """A reviewer's figure, and what the judge's errors make of it."""

    label: str
    series: Series
    words: str
    basis: str


class Effect(Struct, frozen=True, kw_only=True):
    """What a judge's errors do to the figures that it gave."""

    what: str
    wide: list[Markup]
    narrow: list[Markup]
    told: list[Told]
    uncorrected: str  # the reason, where it is one for all


class Card(Struct, frozen=True, kw_only=True):
    """A card as the template sees it."""

    id: str
    question: str
    model: str
    task: str
    prompt: str
    sign: str
    state: str
    level: str
    standing: str
    frequencies: str
    tendencies: list[str]
    looks: list[tuple[Series, str]]
    wide: list[Markup]
    narrow: list[Markup]
    undrawn: int  # categories that are only in the table
    rows: list[RateRow]
    facts: list[Fact]
    remedies: list[Remedy]
    touched: str = ""  # of a bias run, how much rests on it
    effect: Effect | None = None


def review_cards(result: ReviewResult) -> list[Card]:
    """The cards of the judges that a review is scored with."""
    places = {task: _bearer(result, task) for task in ("genuine", "match")}
    return [
        _card(
            trust,
            f"j{k}",
            run=result.run,
            dataset=result.dataset,
            effect=_effect(result, trust, f"j{k}") if places.get(trust.task) == k else None,
        )
        for k, trust in enumerate(result.trust)
    ]


def reader_card(judge: JudgeCount | None, place: int = 0) -> Card | None:
    """The card of the judge that reads replies; None where no reply rests on it, or nothing was looked up."""
    if judge is None or judge.trust is None or not judge.decided:
        return None
    return _card(judge.trust, f"j{place}", touched=touched(judge, judge.trust))


def calibration_card(found: Calibration, *, today: date) -> Card:
    """The card of the judge that a calibration is about, apart from any run."""
    return _card(trust_by(found, today=today), "j0")


def _bearer(result: ReviewResult, task: str) -> int | None:
    """The trust whose card tells what became of the figures: the one that corrected them, else the first of the task."""
    used = {one.applied.calibration for one in figures(result.reviewers, task) if one.applied is not None}
    own = [k for k, trust in enumerate(result.trust) if trust.task == task]
    for k in own:
        found = result.trust[k].calibration
        if found is not None and found.name in used:
            return k
    return own[0] if own else None


def _card(
    trust: Trust, id: str, *, run: str = "", dataset: str = "", effect: Effect | None = None, touched: str = ""
) -> Card:
    found = trust.calibration
    sign, state, level = SIGNS[trust.state]
    question = TASKS.get(trust.task, trust.task)
    groups, undrawn = _groups(found) if found else ([], 0)
    said = f"How often {clip(trust.model, NAME)} is right, with 95 % intervals. The table that follows has the numbers."
    return Card(
        id=id,
        question=clip(question[:1].upper() + question[1:], NAME),
        model=clip(trust.model, 200),
        task=clip(task_name(trust), NAME),
        prompt=clip(trust.prompt, 24),
        sign=sign,
        state=state,
        level=level,
        standing=clip(standing(trust), LONG),
        frequencies=unbroken(frequencies(found)) if found else "",
        tendencies=[unbroken(clip(told, LONG)) for told in leanings(found)] if found else [],
        looks=list(zip(LOOKS, words_of(trust.task).right, strict=True)),
        wide=intervals(groups, frame=WIDE, label=said, name=f"{id}w"),
        narrow=intervals(groups, frame=NARROW, label=said, name=f"{id}n"),
        undrawn=undrawn,
        rows=list(_rows(found)) if found else [],
        facts=_facts(found) if found else [],
        remedies=remedies(trust, run=run, dataset=dataset),
        touched=unbroken(touched),
        effect=effect,
    )


def _facts(found: Calibration) -> list[Fact]:
    told = [Fact(clip(name, NAME), [unbroken(clip(value, VALUE_LIMIT))]) for name, value in facts_of(found)]
    return sorted(told, key=lambda fact: fact.long)


def _groups(found: Calibration) -> tuple[list[Group], int]:
    """All cases, then the worst categories; and how many are left to the table. Nothing where no rate is known."""
    if not any(both(found, None)):
        return [], 0
    names = [name for name in worst_first(found) if any(both(found, name))]
    groups = [_group(found, None, "all cases"), *(_group(found, name, kind(name)) for name in names[:DRAWN])]
    return groups, len(found.categories) - len(groups) + 1


def kind(name: str) -> str:
    """A category as it is written."""
    return clip(name.replace("_", " "), NAME)


def _group(found: Calibration, category: str | None, name: str) -> Group:
    marks = []
    for e, look, what in zip(both(found, category), LOOKS, words_of(found.task).right, strict=True):
        if e is not None:
            marks.append(
                Mark(
                    found=e,
                    text=ends(e),
                    colour=look.colour,
                    shape=look.shape,
                    said=f"{name}, {what}: {ends(e)}, n {e.n}",
                )
            )
    return Group(name=name, marks=tuple(marks), strong=category is None)


def _rows(found: Calibration) -> Iterator[RateRow]:
    whole = [("all cases", found.sensitivity, found.specificity)]
    parts = [
        (kind(name), found.categories[name].sensitivity, found.categories[name].specificity)
        for name in worst_first(found)[:LISTED]
    ]
    for name, right, no in (*whole, *parts):
        (a, a_n), (b, b_n) = _cell(right), _cell(no)
        yield RateRow(name=name, right=a, right_n=a_n, no=b, no_n=b_n)


def _cell(rate: Rate) -> tuple[str, str]:
    e = rate_of(rate)
    return (NONE, NONE) if e is None else (ends(e), count(e.n))


def _effect(result: ReviewResult, trust: Trust, id: str) -> Effect | None:
    """What the judge's errors do to every reviewer's figure; None where it gave none."""
    found = [one for one in figures(result.reviewers, trust.task) if one.raw is not None]
    if not found:
        return None
    groups = [pair(one) for one in found if share_of(one.applied) is not None]
    why = uncorrected(found, trust)
    what = FIGURES[trust.task].lower()
    said = (
        f"The {what} of each reviewer as the judge has it, and corrected. The words that follow have the numbers."
    )
    return Effect(
        what=what,
        wide=intervals(groups, frame=WIDE, label=said, name=f"{id}ew"),
        narrow=intervals(groups, frame=NARROW, label=said, name=f"{id}en"),
        told=[
            Told(
                label=clip(one.reviewer.name, NAME),
                series=Series.of(one.place),
                words=unbroken(clip(told_of(one.reviewer, trust), LONG)),
                basis=clip(basis(one.applied), LONG),
            )
            for one in found
            if not why
        ],
        uncorrected=clip(why, LONG),
    )

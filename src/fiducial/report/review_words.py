"""What may be said of a review in plain words, on the page and in the terminal alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from markupsafe import Markup
from msgspec import Struct

from fiducial.judge.applied import PLANTED, Applied
from fiducial.judge.genuine import GenuineVerdict
from fiducial.judge.trust import State
from fiducial.judge.verdict import Invalid
from fiducial.report.inert import clip
from fiducial.report.judge_card_effect import afterwards
from fiducial.report.judge_card_words import unbroken
from fiducial.report.numbers import NONE, count, counted, percent
from fiducial.review.output import Judged
from fiducial.review.result import ItemRecall, Precision, Recall, ReviewerResult, ReviewResult

Kind = Literal["genuine", "borderline", "not_genuine", "invalid", "unjudged"]

TOLD = 4  # reviewers that get a sentence of their own; more are for the table
NAME = 60
STATUSES = {
    "findings": "with findings",
    "explicit_none": "saying that there is nothing to find",
    "empty": "empty",
    "malformed": "not readable as findings",
    "refused": "refused",
}
CATEGORIES = {
    "implementation_detail": "implementation detail",
    "invented_constraint": "a constraint that the document does not state",
    "style": "style",
    "hypothetical": "a hypothetical future",
    "outside_context": "needs context from outside the document",
    "not_there": "the problem is not there",
    "not_specific": "not specific",
    "other": "another reason",
}
FIGURES = {
    "genuine": "the share of findings that it accepts (precision)",
    "match": "the share of must-finds that it recognises (recall)",
}
RESERVED: dict[State, str] = {
    "planted": f"How the judge errs is known from planted cases only ({{}}): corrected figures hold {PLANTED}, and decide "
    "no gate.",
    "exploratory": "How the judge errs is known from few labels only ({}): corrected figures are exploratory, and decide "
    "no gate.",
}
JUDGE_CODES = frozenset({"judge-is-subject", "judge-expired", "judge-invalid"})
PRECISION, RECALL = "reverse_judge_precision", "must_find_recall"  # the scorers, as `errors` names them


class Sign(Struct, frozen=True):
    """How a verdict is shown: never by colour alone."""

    symbol: str
    words: str
    letter: str  # what its classes begin with


SIGNS: dict[Kind, Sign] = {
    "genuine": Sign("✓", "genuine", "g"),
    "borderline": Sign("≈", "borderline", "b"),
    "not_genuine": Sign("✕", "not genuine", "n"),
    "invalid": Sign("?", "no valid verdict", "i"),
    "unjudged": Sign("·", "not judged", "u"),
}
RUNS = {
    "found": ("●", "found"),
    "partly": ("◐", "partly: counts as not found"),
    "not_found": ("○", "not found"),
    "invalid": ("?", "no valid verdict"),
}
GATES = {
    "met": ("✓", "met"),
    "missed": ("✕", "missed"),
    "inconclusive": ("≈", "inconclusive"),
    "not_enforced": ("·", "not enforced"),
}


def kind_of(judged: Judged) -> Kind:
    """What became of a finding."""
    if isinstance(judged.verdict, GenuineVerdict):
        return judged.verdict.verdict
    return "invalid" if isinstance(judged.verdict, Invalid) else "unjudged"


def ratio(value: float | None, low: float | None = None, high: float | None = None) -> str:
    """`62 % [54 %, 70 %]`; the value alone where it has no interval."""
    if value is None:
        return NONE
    if low is None or high is None:
        return percent(value)
    return f"{percent(value)} [{percent(low)}, {percent(high)}]"


def category(name: str) -> str:
    """Why a finding is not genuine; a judge may have reasons of its own."""
    return CATEGORIES.get(name, clip(name.replace("_", " "), 80))


def statuses(outputs: Mapping[str, int]) -> str:
    """`4 with findings, 1 empty`."""
    told = [f"{count(n)} {STATUSES.get(status, clip(status, 40))}" for status, n in outputs.items() if n]
    return ", ".join(told) or "none"


def silent(precision: Precision) -> str:
    """Outputs without a finding are results: which they are, and what they count."""
    zeros = sum(precision.scored_zero.values())
    if not zeros:
        return ""
    which = statuses(precision.scored_zero)
    each = "it scores 0 %" if zeros == 1 else "each scores 0 %"
    have = "has" if zeros == 1 else "have"
    return f"{counted(zeros, 'output')} {have} no finding ({which}): {each} in the mean over outputs."


def decided(item: ItemRecall) -> str:
    """What the runs say of one must-find, and how many more would decide it."""
    word = GATES[item.gate][1]
    if item.gate == "met":
        return f"{word} at {item.detected} of {item.runs}"
    if item.gate == "not_enforced":
        return f"{word}: fewer than 3 runs"
    if item.gate == "inconclusive":
        more = f": {counted(item.more_runs, 'more run')} at this rate would decide" if item.more_runs else ""
        return word + more
    return word


def headline(result: ReviewResult) -> list[Markup]:
    """The run in a few sentences, one paragraph a reviewer where there are few."""
    if not result.reviewers:
        return [Markup("No reviewer was run.")]
    if len(result.reviewers) <= TOLD:
        told = [Markup(" ").join(_reviewer(one)) for one in result.reviewers]
    else:
        told = [_range(result.reviewers)]
    return [*told, *_trust(result)]


def _reviewer(one: ReviewerResult) -> Iterator[Markup]:
    p, name = one.precision, clip(one.name, NAME)
    if PRECISION in one.errors:
        yield Markup("<strong><bdi>{}</bdi></strong>: precision could not be computed ({}).").format(
            name, clip(one.errors[PRECISION], 300)
        )
    elif p.value is None:
        yield Markup("<strong><bdi>{}</bdi></strong>: no finding was judged, so there is no precision.").format(
            name
        )
    else:
        yield Markup(
            "<strong><bdi>{}</bdi></strong>: {} judged, {} genuine, {} borderline and {} not genuine. That is a "
            "precision of <strong>{}</strong>{}."
        ).format(
            name, _were(p.n, "finding"), count(p.genuine), count(p.borderline), count(p.not_genuine),
            percent(p.value), _between(p),
        )  # fmt: skip
        yield from _corrected(p.corrected)
    if quiet := silent(p):
        yield Markup("{}").format(quiet)
    if RECALL in one.errors:
        yield Markup("Recall could not be computed ({}).").format(clip(one.errors[RECALL], 300))
    elif isinstance(one.recall, Recall):
        yield from _recalled(one.recall)
    elif one.recall is not None:
        yield Markup("There is no recall: {}.").format(clip(one.recall.reason, 300).rstrip("."))


def _between(p: Precision) -> Markup:
    if p.low is None or p.high is None:
        return Markup("")
    where = Markup("; {}").format(clip(p.note, 120)) if p.note else ""
    return Markup(" (95\u00a0% interval {} to {}{})").format(percent(p.low), percent(p.high), where)


def _corrected(applied: Applied | None) -> Iterator[Markup]:
    """The figure above without the judge's errors, or why there is none."""
    if told := afterwards(applied):
        yield Markup("{}").format(unbroken(clip(told, 300)))


def _recalled(recall: Recall) -> Iterator[Markup]:
    items = recall.items
    if not items:
        yield Markup("No must-find was looked for.")
        return
    once = sum(item.found_at_all for item in items)
    hits, runs = sum(item.detected for item in items), sum(item.runs for item in items)
    yield Markup(
        "It found <strong>{} of {}</strong> in at least one run; over all runs, {} of {} times ({})."
    ).format(
        count(once),
        counted(len(items), "must-find"),
        count(hits),
        count(runs),
        percent(hits / runs) if runs else NONE,
    )
    yield from _corrected(recall.list.corrected)
    states = {gate: sum(item.gate == gate for item in items) for gate in GATES}
    told = [f"{count(states[gate])} {GATES[gate][1]}" for gate in GATES if states[gate]]
    yield Markup("Against their minimum: {}.").format(", ".join(told))


def _were(n: int, what: str) -> str:
    return f"{counted(n, what)} {'was' if n == 1 else 'were'}"


def _range(reviewers: Sequence[ReviewerResult]) -> Markup:
    by_value = sorted((r.precision.value, clip(r.name, NAME)) for r in reviewers if r.precision.value is not None)
    if not by_value:
        return Markup("{}; no finding was judged.").format(counted(len(reviewers), "reviewer"))
    (low, worst), (high, best) = by_value[0], by_value[-1]
    return Markup(
        "{}: precision from <strong>{}</strong> (<bdi>{}</bdi>) to <strong>{}</strong> (<bdi>{}</bdi>). The table "
        "below has all of them, with their intervals."
    ).format(counted(len(reviewers), "reviewer"), percent(low), worst, percent(high), best)


def _trust(result: ReviewResult) -> Iterator[Markup]:
    if not result.complete:
        yield Markup("The run is incomplete{}.").format(lacking(result))
    fails = sum(check.level == "fail" for check in result.audit)
    if fails:
        yield Markup("The audit has {}: read it before the numbers.").format(counted(fails, "failed check"))


def lacking(result: ReviewResult) -> str:
    """What an incomplete run has not got: `: 2 of 9 outputs have no reply, 4 questions to the judge no answer`."""
    told = []
    if result.answered < result.trials:
        told.append(f"{count(result.trials - result.answered)} of {counted(result.trials, 'output')} have no reply")
    if result.waiting:
        told.append(
            f"{counted(result.waiting, 'question')} to the judge {'has' if result.waiting == 1 else 'have'} no answer"
        )
    return f": {', '.join(told)}" if told else ""


def role_name(role: str) -> str:
    """The task of a judge's role: `judge:genuine:9b1c…` is `genuine`."""
    parts = role.split(":")
    return clip((parts[1] if len(parts) > 1 and parts[0] == "judge" else role).replace("_", " "), 40)


def calibrated(result: ReviewResult) -> bool:
    """Whether something is known of the errors of every judge that the run is scored with."""
    return bool(result.trust) and all(trust.calibration is not None for trust in result.trust)


def unknown_errors(result: ReviewResult) -> str:
    """What it means that nobody knows how often a judge is wrong, or not for certain; empty where it is known."""
    if not result.judges:
        return "No judge was asked: nothing here says whether a finding is genuine."
    if calibrated(result):
        return _uncertain(result)
    dark = [trust for trust in result.trust if trust.calibration is None]
    named = [trust.model for trust in dark] or list(result.judges.values())
    judges = ", ".join(dict.fromkeys(clip(name, NAME) for name in named))
    tasks = {trust.task for trust in dark} or set(FIGURES)
    told = ", ".join(words for task, words in FIGURES.items() if task in tasks) or "verdicts"
    asked = sum(one.precision.n + one.precision.invalid for one in result.reviewers)
    invalid = sum(one.precision.invalid for one in result.reviewers)
    failed = f" On {invalid} of {asked} findings it gave no valid verdict at all." if invalid else ""
    labelled = ""
    if "genuine" in tasks and any(_by_people(one) for one in result.reviewers):
        labelled = " Precision that is corrected by labels on the findings themselves is known all the same."
    return (
        f"This judge ({judges}) is not fit to judge as it stands: it has no calibration, so its error rates are "
        f"unknown.{failed} What it gives is {told}; how far that lies from the truth, nobody has measured, and no "
        f"interval given here contains it.{labelled} Numbers can be compared under the same judge and prompt; they say "
        "little by themselves."
    )


def _by_people(one: ReviewerResult) -> bool:
    applied = one.precision.corrected
    return applied is not None and applied.basis == "own labels" and applied.value is not None


def _uncertain(result: ReviewResult) -> str:
    """What is known of the judges' errors with a reservation. What is expired has a check of its own."""
    told = []
    for state, words in RESERVED.items():
        tasks = dict.fromkeys(clip(trust.task, NAME) for trust in result.trust if trust.state == state)
        if tasks:
            told.append(words.format(", ".join(tasks)))
    return " ".join(told)

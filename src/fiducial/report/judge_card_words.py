"""What a judge gets wrong, how often, how sure that is, and what would make it surer, in words.

Names, reasons and sets come from outside and stand in these sentences as they are: whoever shows a sentence makes it
inert.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from fiducial.judge.applied import PLANTED
from fiducial.judge.calibration import ENOUGH, Calibration, Rate, Rates
from fiducial.judge.trust import State, Trust
from fiducial.report.judge_words import BY_CHANCE, by_chance, tendencies
from fiducial.report.numbers import count, counted, interval, percent, plain
from fiducial.stats.estimate import Estimate

LISTED = 4  # groups that are named
_TOGETHER = re.compile(r"[\[(][^\[\]()]{1,24}[\])]|\bn \d")


class Words(Struct, frozen=True, kw_only=True):
    """How a task is spoken of. In `yes` and `no`, `{}` is the number of cases in a hundred."""

    yes: str  # what it does where the right verdict is a yes
    no: str  # what it does all the same where it is a no
    right: tuple[str, str]  # the two things it should do
    classes: tuple[str, str]  # how the labelled cases are called
    cases: str
    unknown: str  # what it means that its errors are not known


TASKS = {
    "genuine": Words(
        yes="Of 100 findings that are genuine it accepts {}",
        no="of 100 that are not it still accepts {}",
        right=("accepts what is genuine", "rejects what is not"),
        classes=("genuine", "not genuine"),
        cases="findings",
        unknown="Precision is then the share of findings that it accepts, whatever they are worth: a judge that accepts "
        "everything gives 100 %.",
    ),
    "match": Words(
        yes="Of 100 must-finds that are among the findings it finds {}",
        no="of 100 that are not it still reports {}",
        right=("finds what is there", "finds nothing where nothing is"),
        classes=("in the list", "not in the list"),
        cases="must-finds",
        unknown="Recall is then the share of must-finds that it recognises: what it overlooks counts against the "
        "reviewer.",
    ),
    "zero_shot": Words(
        yes="Of 100 issues that can be seen in the document it sees {}",
        no="of 100 that cannot it still reports {}",
        right=("sees what can be seen", "sees nothing where nothing is"),
        classes=("visible", "not visible"),
        cases="issues",
        unknown="What it does not see may be there all the same, and what it sees may not.",
    ),
    "read": Words(
        yes="Of 100 replies that commit to an answer it reads {} rightly",
        no="of 100 that commit to none it still reads an answer into {}",
        right=("reads an answer rightly", "leaves no answer as none"),
        classes=("with an answer", "without one"),
        cases="replies",
        unknown="Its readings stand without an error rate.",
    ),
}
SIGNS: dict[State, tuple[str, str, str]] = {
    "calibrated": ("✓", "calibrated", "pass"),
    "planted": ("!", "calibrated on planted cases only", "warn"),
    "exploratory": ("!", "exploratory", "warn"),
    "expired": ("✕", "expired", "fail"),
    "unknown": ("?", "unknown", "warn"),
}
"""Of each state its sign, its name, and the level of an audit that it is like."""


def words_of(task: str) -> Words:
    """How the task is spoken of."""
    return TASKS.get(task, TASKS["genuine"])


def rate_of(rate: Rate, *, least: float = 0.0) -> Estimate | None:
    """The rate, if it is one: a file may hold any number."""
    value, low, high = rate.value, rate.low, rate.high
    if value is None or low is None or high is None or not least <= low <= value <= high <= 1:
        return None
    return Estimate(value=value, low=low, high=high, n=rate.n, method=rate.method)


def ends(e: Estimate) -> str:
    """`82 % [74 %, 88 %]`."""
    return f"{percent(e.value)} [{percent(e.low)}, {percent(e.high)}]"


def frequencies(found: Calibration) -> str:
    """What it does to a hundred cases of either kind."""
    words = words_of(found.task)
    right, wrong = rate_of(found.sensitivity), _turned(rate_of(found.specificity))
    told = [
        sentence.format(_of_100(e)) if e else f"{sentence.format('an unknown number')}"
        for sentence, e in ((words.yes, right), (words.no, wrong))
    ]
    return f"{'; '.join(told)}."


def _turned(e: Estimate | None) -> Estimate | None:
    """The errors, from the rate of what is right."""
    if e is None:
        return None
    return Estimate(value=1 - e.value, low=1 - e.high, high=1 - e.low, n=e.n, method=e.method)


def _of_100(e: Estimate) -> str:
    value, low, high = (_whole(x) for x in (e.value, e.low, e.high))
    first = value.replace("<", "fewer than ").replace(">", "more than ")
    return f"{first} [{low}, {high}]"


def _whole(x: float) -> str:
    """In a hundred. What is not none and not all is not printed as that."""
    n = round(100 * x)
    if 0 < x < 1 and n in (0, 100):
        return "<1" if n == 0 else ">99"
    return str(n)


def standing(trust: Trust) -> str:
    """What the rates are worth, in a sentence or two."""
    found, words = trust.calibration, words_of(trust.task)
    if found is None:
        return f"Nobody has measured how often this judge errs with this prompt. {words.unknown}"
    match trust.state:
        case "expired":
            return (
                f"Its calibration expired on {found.expires[:10]}, and models change behind their names: the rates are "
                "those of then, and no figure is corrected with them."
            )
        case "planted":
            return (
                f"Its errors are known from planted {words.cases}, whose label holds by construction. What follows from "
                f"them holds {PLANTED.replace('findings', words.cases)}; labels by people would tell."
            )
        case "exploratory":
            return (
                f"It is exploratory: {counted(found.positives, 'label')} of one class and {count(found.negatives)} of the "
                f"other, where {ENOUGH} of each are the least. The rates may be far off, and decide no gate."
            )
        case _:
            return f"Its error rates come from labels by people, and hold until {found.expires[:10]}."


def facts_of(found: Calibration) -> Iterator[tuple[str, str]]:
    """The other numbers, and what all of them rest on."""
    yield from rates_of(found)
    yield f"Made {found.made[:10]}, holds until", found.expires[:10]
    yield "Labels", _labels(found)
    for name in found.floors:
        met = "not met" if name in found.below else "met"
        yield f"Lower bound asked for: {name}", f"{plain(found.floors[name])}, {met}"


def rates_of(found: Calibration) -> Iterator[tuple[str, str]]:
    """Agreement, confidence, and how often it gives no clear, no valid or not the same verdict, with intervals."""
    words = words_of(found.task)
    known = found.base_rate is not None and 0 <= found.base_rate <= 1
    base = (
        "" if found.base_rate is None or not known else f" ({percent(found.base_rate)} labelled {words.classes[0]})"
    )
    kappa = rate_of(found.kappa, least=-1.0)
    yield (
        f"Kappa{base}",
        _why(found.kappa)
        if kappa is None
        else f"{plain(kappa.value, ends=False)} {interval(kappa.low, kappa.high)}, n {count(kappa.n)}",
    )
    error = rate_of(found.calibration_error)
    yield (
        "Stated confidence is off by",
        _why(found.calibration_error)
        if error is None
        else f"{_whole(error.value)} points [{_whole(error.low)}, {_whole(error.high)}], n {count(error.n)}",
    )
    for name, rate in (
        ("Between yes and no", found.borderline),
        ("No valid verdict", found.invalid),
        ("Same verdict when asked again", found.consistency),
    ):
        e = rate_of(rate)
        yield name, _why(rate) if e is None else f"{ends(e)}, n {count(e.n)}"


def _why(rate: Rate) -> str:
    return f"not known: {rate.withheld}" if rate.withheld else "not known"


def _labels(found: Calibration) -> str:
    one, other = words_of(found.task).classes
    who = "by people" if found.basis == "labels" else "planted"
    half = "" if found.half == "all" else f", half {found.half}"
    groups = list(dict.fromkeys(c.group for c in found.counts if c.group))
    named = ", ".join(groups[:LISTED]) + (
        f" and {count(len(groups) - LISTED)} more" if len(groups) > LISTED else ""
    )
    whose = f"; of {named}" if groups else ""
    return f"{count(found.positives)} {one}, {count(found.negatives)} {other}, {who} ({found.set}{half}){whose}"


def task_name(trust: Trust) -> str:
    """`genuine, design`."""
    return f"{trust.task}, {trust.about}" if trust.about else trust.task


def leanings(found: Calibration) -> Iterator[str]:
    """To which side and on which kinds of cases it errs; or that it is not shown to be better than chance at all."""
    sound = msgspec.structs.replace(
        found,
        sensitivity=_sound(found.sensitivity),
        specificity=_sound(found.specificity),
        categories={
            name: Rates(sensitivity=_sound(rates.sensitivity), specificity=_sound(rates.specificity))
            for name, rates in found.categories.items()
        },
    )
    if by_chance(sound):
        yield BY_CHANCE
    else:
        yield from tendencies(sound)


def _sound(rate: Rate) -> Rate:
    return Rate(withheld="not a rate") if rate_of(rate) is None else rate


def worst_first(found: Calibration) -> list[str]:
    """The kinds of cases by the lower of their two rates; those without any come last."""

    def rank(name: str) -> tuple[float, str]:
        known = [e.value for e in both(found, name) if e]
        return (min(known) if known else 2.0, name)

    return sorted(found.categories, key=rank)


def both(found: Calibration, name: str | None) -> tuple[Estimate | None, Estimate | None]:
    """Sensitivity and specificity of a category, or of all cases; None where one is not known."""
    rates = found if name is None else found.categories[name]
    return rate_of(rates.sensitivity), rate_of(rates.specificity)


def unbroken(text: str) -> str:
    """No line ends inside a percentage, an interval or a number of cases."""
    return _TOGETHER.sub(lambda found: found[0].replace(" ", "\u00a0"), text.replace(" %", "\u00a0%"))

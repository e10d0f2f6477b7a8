"""What may be said of a judge in plain words, on the page and in the terminal alike."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import date

from fiducial.judge.calibration import ENOUGH, Calibration, Rate
from fiducial.report.inert import inert, shorten
from fiducial.report.numbers import counted, interval, percent, plain
from fiducial.stats.estimate import Estimate

NAME = 60

# Of each task: where the right verdict is yes, what goes wrong there; where it is no, what goes wrong there.
ERRORS = {
    "genuine": ("findings that are genuine", "takes", "for not genuine", "findings that are not", "for genuine"),
    "match": ("must-finds that are in the list", "overlooks", "", "that are not", "as found"),
    "zero_shot": ("issues that can be seen", "overlooks", "", "that cannot", "as seen"),
    "read": ("replies with an answer", "misreads", "", "without one", "as if there were one"),
}
WRONGLY = {"genuine": "takes", "match": "reports", "zero_shot": "reports", "read": "reads"}
BY_CHANCE = "It is not shown to be any better than chance: its verdicts say nothing about the truth."
TASKS = {
    "genuine": "is a finding genuine?",
    "match": "is a must-find in a list of findings?",
    "zero_shot": "can an issue be seen in the document?",
    "read": "what does a reply commit to?",
}


def worth(calibration: Calibration, today: date) -> str:
    """In a word or two, what the calibration can be used for."""
    if calibration.expired(today):
        return "expired"
    if calibration.half == "dev":
        return "dev half: not used"
    return "exploratory" if calibration.exploratory else "holds"


def standing(calibration: Calibration, today: date) -> Iterator[str]:
    """Sentences about what the numbers rest on, the gravest first."""
    if calibration.expired(today):
        yield f"It expired on {calibration.expires[:10]}: models change behind their names. Make it again."
    if calibration.half == "dev":
        yield "It was made on the half that prompts are tuned on, and is never used for a run."
    if calibration.half == "holdout":
        yield "It was made on the half that prompts are not tuned on."
    if calibration.exploratory:
        yield (
            f"It is exploratory: {calibration.positives} verdicts on cases labelled 1 and {calibration.negatives} on those "
            f"labelled 0, where {ENOUGH} of each are the least."
        )
    if calibration.basis == "planted":
        yield (
            "Its labels hold by construction, on material that was made: it says how the judge errs on that. "
            "Labels of people on your own cases say how it errs on yours."
        )


def wrongs(calibration: Calibration) -> Iterator[str]:
    """What this judge gets wrong, and how often, worst first where it can be told."""
    yes, verb, as_no, no, as_yes = ERRORS.get(calibration.task, ERRORS["genuine"])
    sensitivity, specificity = calibration.sensitivity.measured, calibration.specificity.measured
    if not isinstance(sensitivity, Estimate) or not isinstance(specificity, Estimate):
        yield "There are not enough verdicts to say how often it errs."
        return
    if by_chance(calibration):
        yield BY_CHANCE
    yield f"Of 100 {yes} it {verb} about {_of_100(sensitivity)}{' ' + as_no if as_no else ''}."
    wrongly = WRONGLY.get(calibration.task, "takes")
    yield f"Of 100 {no} it {wrongly} about {_of_100(specificity)} {as_yes}."
    yield from tendencies(calibration)
    yield from _beside(calibration)


def by_chance(calibration: Calibration) -> bool:
    """Whether its verdicts are not shown to be any better than chance; that takes both rates."""
    sensitivity, specificity = calibration.sensitivity.measured, calibration.specificity.measured
    if not isinstance(sensitivity, Estimate) or not isinstance(specificity, Estimate):
        return False
    return _better_than_chance(sensitivity, specificity) <= 0


def tendencies(calibration: Calibration) -> Iterator[str]:
    """To which side it errs, and on which kinds of cases more than on others, where that can be told."""
    sensitivity, specificity = calibration.sensitivity.measured, calibration.specificity.measured
    if not isinstance(sensitivity, Estimate) or not isinstance(specificity, Estimate):
        return
    # The share of true cases at which both kinds of errors make up for each other.
    even = (1 - specificity.value) / max(1e-9, 2 - sensitivity.value - specificity.value)
    if sensitivity.low > specificity.high:
        yield f"It says yes too easily: a share that it gives is too high where fewer than {percent(even)} are true."
    elif specificity.low > sensitivity.high:
        yield f"It says no too easily: a share that it gives is too low where more than {percent(even)} are true."
    for name, rates in calibration.categories.items():
        for rate, whole, what in (
            (rates.sensitivity, sensitivity, "misses more of"),
            (rates.specificity, specificity, "errs more often on"),
        ):
            if rate.value is not None and rate.high is not None and rate.high < whole.low:
                errors = _of_100(rate.measured)
                yield f"It {what} the kind {_kind(name)}: about {errors} of 100, from {counted(rate.n, 'case')}."


def _beside(calibration: Calibration) -> Iterator[str]:
    error, consistency = calibration.calibration_error.measured, calibration.consistency.measured
    if isinstance(error, Estimate):
        yield f"Its stated confidence is off by {plain(error.value)} on average {interval(error.low, error.high)}."
    if isinstance(consistency, Estimate) and consistency.value < 1:
        other = 1 - consistency.value
        yield (
            f"Asked again, it says something else in {percent(other)} of {consistency.n} cases "
            f"({percent(1 - consistency.high)} to {percent(1 - consistency.low)})."
        )
    if calibration.borderline.value:
        counts = ", which counts as not found" if calibration.task == "match" else ", and counts one half"
        yield f"It is between yes and no in {_percents(calibration.borderline)}{counts}."
    if calibration.invalid.value:
        yield f"It gives no verdict at all in {_percents(calibration.invalid)}; those cases are in no other number."


def _percents(rate: Rate) -> str:
    if rate.value is None or rate.low is None or rate.high is None:
        return "an unknown share"
    return f"{percent(rate.value)} ({percent(rate.low)} to {percent(rate.high)}) of {rate.n} cases"


def _of_100(right: object) -> str:
    """The errors in a hundred, from the rate of what is right."""
    assert isinstance(right, Estimate)
    low, high = (math.floor(100 * (1 - right.high) + 0.5), math.ceil(100 * (1 - right.low) - 0.5))
    return f"{round(100 * (1 - right.value))} ({low} to {high})"


def _better_than_chance(sensitivity: Estimate, specificity: Estimate) -> float:
    """The lower bound of sensitivity + specificity − 1, from the limits of both (Zou & Donner, 2008)."""
    value = sensitivity.value + specificity.value - 1
    return value - math.hypot(sensitivity.value - sensitivity.low, specificity.value - specificity.low)


def _kind(name: str) -> str:
    return shorten(inert(name.replace("_", " ")), NAME)

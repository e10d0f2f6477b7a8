"""The zero-shot test: can this very issue be seen by a model that has the document and nothing else?

It is asked three times, through the engine and into a run file of its own. Found, with a quotation that is there, in
any of the three: the issue is visible in the document. Not found by all of them says something only about a model
that is known to find what is there: such knowledge is a calibration (`judge/calibration.py`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from fiducial.judge.asking import Asking, Judge, appoint, ask, in_order, said_by, wanted
from fiducial.judge.calibration import FOLDER, Calibration
from fiducial.judge.fence import secret_of
from fiducial.judge.verdict import Invalid
from fiducial.judge.zero_shot import (
    TASK,
    ZeroShotCase,
    ZeroShotVerdict,
    parse_zero_shot,
    zero_shot_request,
    zero_shot_version,
)
from fiducial.model.base import Model
from fiducial.model.request import Request
from fiducial.run.budget import Budget
from fiducial.run.collect import Collected
from fiducial.run.limits import Limits
from fiducial.run.naming import run_path
from fiducial.run.plan import Plan, Trial, make_trial
from fiducial.run.progress import Progress
from fiducial.run.provenance import provenance
from fiducial.run.store import Store, prepare

CALLS = 3
SENSITIVITY = 0.6  # least lower bound: a model that overlooks more than this cannot say that something is not there
FALSE_FINDS = 0.3  # greatest upper bound
_ROUNDING = 1e-12  # 1 − .7 comes out a hair above .3

Conclusion = Literal["visible", "not_found", "open"]

ROOM = 4000  # tokens for the prompt, the issue and the reply


def shortfall(calibration: Calibration | None, *, model: str, today: date) -> str | None:
    """Why "not found" from this model proves nothing; None where it does."""
    if calibration is None:
        return (
            f'"not found" proves nothing: how often {model} overlooks what is there is not known '
            f"(no calibration of the zero-shot test for it and this prompt in {FOLDER}/)"
        )
    if calibration.expired(today):
        return f"the calibration {calibration.name} of {model} expired on {calibration.expires[:10]}"
    sensitivity, false_finds = calibration.sensitivity_low, calibration.false_high
    if sensitivity is None or false_finds is None:
        return f"the calibration {calibration.name} of {model} has no verdicts on one of the two kinds of cases"
    # Written so that NaN does not pass.
    if not sensitivity >= SENSITIVITY:
        return (
            f"{model} may overlook too much of what is there: its sensitivity is known to be at least "
            f"{sensitivity:.2f}, and {SENSITIVITY:.2f} is needed"
        )
    if not false_finds <= FALSE_FINDS + _ROUNDING:
        return (
            f"{model} may find too much that is not there: its share of false finds is at most "
            f"{false_finds:.2f}, and {FALSE_FINDS:.2f} is allowed"
        )
    return None


class Issue(Struct, frozen=True, kw_only=True):
    """What is looked for in which document. `key` names it on the screen and in the run file."""

    key: str
    case: ZeroShotCase

    def trials(self) -> list[Trial]:
        """Its three calls. Their ids depend on document and issue: of another text, these are other calls."""
        content = msgspec.json.encode((self.case.document, self.case.issue))
        digest = hashlib.sha256(content).hexdigest()[:32]
        return [make_trial(self.key, digest, TASK, order=k) for k in range(CALLS)]


def issue_of(key: str, document: str, title: str, issue: str) -> Issue:
    """The issue as the judge is told of it: title and description, without severity, author or context."""
    text = issue if title in issue else f"{title}\n\n{issue}"
    return Issue(key=key, case=ZeroShotCase(document=document, issue=text))


def zero_shot_judge(model: str) -> Judge:
    """The judge of that name, with the prompt of today."""
    return Judge(model=model, prompt=zero_shot_version(), task=TASK)


class ZeroShotSource:
    """The requests of the test.

    The fences' marks differ between the three calls of an issue, so that no provider can answer them from one; they
    are the same for all issues of a document, which therefore share its prefix.
    """

    def __init__(self, issues: Sequence[Issue], *, secret: str) -> None:
        self._cases: Mapping[str, ZeroShotCase] = {t.item_hash: i.case for i in issues for t in i.trials()[:1]}
        self._secret = secret

    def request(self, trial: Trial, history: Sequence[str] = ()) -> Request:
        """The prompt; of a second asking, the whole chat."""
        said = history[-1] if trial.repetition else None
        case, secret = self._cases[trial.item_hash], f"{self._secret}{trial.order}"
        return zero_shot_request(case, secret=secret, said=said)


class Outcome(Struct, frozen=True, kw_only=True):
    """What came of an issue's calls; None for a call without a reply."""

    verdicts: tuple[ZeroShotVerdict | Invalid | None, ...]

    @property
    def found(self) -> ZeroShotVerdict | None:
        """The first verdict that found it; its quotation has been looked up in the document."""
        return next((v for v in self.verdicts if isinstance(v, ZeroShotVerdict) and v.found and v.span), None)

    @property
    def valid(self) -> int:
        """The calls that gave a verdict."""
        return sum(isinstance(v, ZeroShotVerdict) for v in self.verdicts)

    @property
    def conclusion(self) -> Conclusion:
        """Visible where one call found it, `not_found` only where all three say so."""
        if self.found is not None:
            return "visible"
        return "not_found" if self.valid == CALLS else "open"


def run_zero_shot(
    issues: Sequence[Issue],
    judge: Judge,
    model: Model,
    *,
    dataset: str,
    occasion: str = "",
    seed: int,
    limits: Limits,
    budget: Budget,
    progress: Progress,
    out: Path | None = None,
) -> tuple[Path, Collected]:
    """Ask what has not been asked yet. The same command finds its run again, and what is answered costs nothing.

    `occasion` tells a test that is repeated on purpose, such as one that fell due, from the earlier one.
    """
    first = _first(issues)
    settings = _settings(issues, judge, dataset=dataset, occasion=occasion, seed=seed)
    path = out or zero_shot_path(issues, judge, dataset=dataset, occasion=occasion, seed=seed)
    meta = {"settings": settings, "provenance": provenance(), "prompts": {TASK: judge.prompt}}
    prepare(path, Plan((), ()), meta)
    appoint(path, [judge])
    cases = {trial.id: issue.case for issue in issues for trial in issue.trials()}

    def due(store: Store) -> Plan:
        asked = wanted(first, said_by(store, judge), lambda trial, texts: _settled(texts, cases[trial.id]))
        return in_order(asked)

    longest = max((len(issue.case.document) for issue in issues), default=0)
    model.make_room(longest // 3 + ROOM)
    todo = [Asking(judge, ZeroShotSource(issues, secret=secret_of(path)), due)]
    collected = ask(path, model, todo, seed=seed, limits=limits, budget=budget, progress=progress)
    return path, collected


def zero_shot_path(
    issues: Sequence[Issue], judge: Judge, *, dataset: str, occasion: str = "", seed: int = 1
) -> Path:
    """Where the run of this very test lies, from the folder in which it was started."""
    settings = _settings(issues, judge, dataset=dataset, occasion=occasion, seed=seed)
    return run_path("zero-shot", judge.model, settings=settings, plan=in_order(_first(issues)))


def _first(issues: Sequence[Issue]) -> list[Trial]:
    return [trial for calls in zip(*(issue.trials() for issue in issues), strict=True) for trial in calls]


def _settings(
    issues: Sequence[Issue], judge: Judge, *, dataset: str, occasion: str, seed: int
) -> dict[str, object]:
    return {
        "instrument": TASK,
        "model": judge.model,
        "dataset": dataset,
        "issues": [issue.key for issue in issues],
        "occasion": occasion,
        "seed": seed,
    }


def unanswered(path: Path, issues: Iterable[Issue], judge: Judge) -> bool:
    """Whether a call that failed leaves a question open; where another call has found the issue, it does not."""
    outcomes = (outcome_of(path, issue, judge) for issue in issues)
    return any(outcome.conclusion == "open" and None in outcome.verdicts for outcome in outcomes)


def outcome_of(path: Path, issue: Issue, judge: Judge) -> Outcome:
    """What the run file holds on this issue of this very document, by this judge."""
    with Store(path) as store:
        said = said_by(store, judge)
    return Outcome(verdicts=tuple(_verdict(said.get(trial.id, ()), issue.case) for trial in issue.trials()))


def _verdict(texts: Sequence[str], case: ZeroShotCase) -> ZeroShotVerdict | Invalid | None:
    found: ZeroShotVerdict | Invalid | None = None
    for text in texts:
        found = parse_zero_shot(text, case)
        if isinstance(found, ZeroShotVerdict):
            break
    return found


def _settled(texts: Sequence[str], case: ZeroShotCase) -> bool:
    return isinstance(_verdict(texts, case), ZeroShotVerdict)

"""What a test is given: measurements with run files of its own, and assertions on intervals."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NoReturn

import pytest

from fiducial import api
from fiducial.api import BiasRun, Measured, ModelGiven, ReviewRun, UsageError
from fiducial.bias.result import Effect
from fiducial.model.names import REMOTE, parse_name
from fiducial.report.inert import legible
from fiducial.study.judge_conduct import Tried
from fiducial.testing.bounds import Held, hold

PAID = (*REMOTE, "inspect")


class Fiducial:
    """The fixture. Run files lie in `folder`; a test that is run again measures again, unless that folder is kept."""

    def __init__(self, *, test: str, folder: Path, may_pay: bool, inconclusive: str, calls: dict[str, Any]) -> None:
        self.folder = folder
        self._test, self._may_pay, self._inconclusive, self._calls = test, may_pay, inconclusive, calls
        self._made = 0

    def bias(self, model: ModelGiven, **options: Any) -> BiasRun:
        """`api.bias_run` with the marker's settings and a run file of its own. It takes the same options."""
        self._check(model, options.get("judge"))
        return api.bias_run(model, **self._told(options))

    def review(
        self, dataset: str | Path, *, judge: Any, model: ModelGiven | None = None, **options: Any
    ) -> ReviewRun:
        """`api.review_run` in the same way. `reviewer` may be given for a single one."""
        if "reviewer" in options:
            options["reviewers"] = options.pop("reviewer")
        self._check(model, *(judge if isinstance(judge, list | tuple) else [judge]))
        return api.review_run(dataset, model=model, judge=judge, **self._told(options))

    def judge(self, judge: Any, **options: Any) -> Tried:
        """`api.judge_calibrate` in the same way; the calibrations are not written where later runs would find them."""
        self._check(*(judge if isinstance(judge, list | tuple) else [judge]))
        return api.judge_calibrate(judge, **{"folder": None, **self._told(options)})

    def at_least(self, measured: Measured | Effect, bound: float, what: str = "the estimate") -> None:
        """Passes where the whole interval is at or above `bound`, fails where all of it is below, and is inconclusive in
        between. What is withheld fails: nothing was shown."""
        self._settle(hold(measured, bound, what, above=True))

    def at_most(self, measured: Measured | Effect, bound: float, what: str = "the estimate") -> None:
        """The same the other way round."""
        self._settle(hold(measured, bound, what, above=False))

    def passes_gate(self, run: ReviewRun) -> None:
        """Fails with every reason where the gate that was asked for (`gate="on"`, `min_precision=…`) failed."""
        if run.gate is None:
            raise UsageError("passes_gate: this run was made without a gate; give `gate` or `min_precision`")
        if run.gate.result != "passed":
            pytest.fail(
                legible(f"the gate {run.gate.result}: " + " ".join(run.gate.why) + f" ({run.path})"), pytrace=False
            )

    def no_failed_checks(self, run: BiasRun | ReviewRun) -> None:
        """Fails where the audit does: the run's own validity is in doubt."""
        if failed := run.failed_checks():
            said = "; ".join(f"{check.code}: {check.message}" for check in failed)
            pytest.fail(legible(f"the audit fails: {said} ({run.path})"), pytrace=False)

    def _settle(self, held: Held) -> None:
        __tracebackhide__ = True
        said = legible(held.message)
        if held.outcome == "failed" or (held.outcome == "inconclusive" and self._inconclusive == "fail"):
            pytest.fail(said, pytrace=False)
        if held.outcome == "inconclusive":
            self._give_up(said)

    def _give_up(self, said: str) -> NoReturn:
        if self._inconclusive == "skip":
            pytest.skip(said)
        pytest.xfail(said)

    def _told(self, options: dict[str, Any]) -> dict[str, Any]:
        """The test's own options come before the marker's."""
        self._made += 1
        name = re.sub(r"[^\w.-]+", "-", self._test).strip("-.")[-100:]
        own = {"out": self.folder / f"{name}-{self._made}.db", "progress": False}
        return {**own, **self._calls, **options}

    def _check(self, *models: object) -> None:
        """A call that costs money, in a test that is run by everybody, is refused before it is made."""
        if self._may_pay:
            return
        for model in models:
            if isinstance(model, str) and model != "none" and parse_name(model).provider in PAID:
                raise UsageError(
                    f"{model} may cost money: mark the test with @pytest.mark.fiducial(budget=…), and run it with --fiducial"
                )

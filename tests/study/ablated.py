"""Cases, judges of whom everything is known, and an ablation of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from fiducial.judge.case import Case, Task
from fiducial.judge.sitting import ask_cases
from fiducial.judge.wording import Wording
from fiducial.model.base import Model, ModelBase
from fiducial.model.reply import Reply
from fiducial.model.request import CaseTruth, Request
from fiducial.run.budget import Budget
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent
from fiducial.stats.estimate import Estimate, Measured
from fiducial.study.judge_ablate import (
    Ablation,
    Comparison,
    Factor,
    ablation_of,
    prepare_ablation,
    wordings_of,
)

DOCUMENT = "The gateway keeps readings for 30 days.\nAudit logs name the operator.\nNo one else may see them."
BUILT_IN: tuple[Factor, ...] = ("reasoning", "order", "key")


def cases(task: Task, n: int = 40) -> list[Case]:
    """Half of each label. The replies of a `read` commit to B, or to nothing."""
    found = []
    for k in range(n):
        label = k % 2
        about: dict[str, object] = {"document": DOCUMENT, "text": f"Statement {k} is contradicted."}
        if task == "match":
            findings = tuple(f"Finding {j} of list {k} says so." for j in range(3))
            about |= {"findings": findings, "finding": 1 if label else None}
        if task == "read":
            about = {
                "document": f"Question {k}: A, B or C?",
                "text": f"In the matter of {k} I take the second one.",
            }
            about |= {"options": ("A", "B", "C"), "answer": "B" if label else None}
        found.append(Case(id=f"{task}-{k}", task=task, label=label, **about))  # type: ignore[arg-type]
    return found


class Standing(ModelBase):
    """A judge whose reply is made by a function of the truth and the request."""

    name = "py/standing:judge"

    def __init__(self, answer: Callable[[CaseTruth, Request], str]) -> None:
        self.answer = answer
        self.calls = 0

    def encode(self, request: Request) -> bytes:
        return b"{}"

    async def call(self, request: Request) -> Reply:
        self.calls += 1
        assert isinstance(request.truth, CaseTruth)
        return Reply(text=self.answer(request.truth, request), sent=b"{}")


def says(truth: CaseTruth, value: object, confidence: float = 0.9) -> str:
    match truth.task:
        case "genuine":
            fields: dict[str, object] = {"evidence": truth.quotation, "reason": "r", "category": None}
            return json.dumps({**fields, "verdict": value, "confidence": confidence})
        case "match":
            found = value != "not_found"
            number, quotation = (truth.finding or 1, truth.quotation) if found else (None, None)
            return json.dumps({"finding": number, "quotation": quotation, "verdict": value})
        case "zero_shot":
            return json.dumps({"quotation": truth.quotation if value else None, "reason": "r", "found": value})
        case _:
            return json.dumps({"quotation": None if value is None else truth.quotation, "answer": value})


def right(truth: CaseTruth, request: Request) -> str:
    return says(truth, truth.right)


def ablated(
    path: Path,
    model: Model,
    own: Sequence[Case],
    wordings: Sequence[Wording] | None = None,
    *,
    budget: Budget | None = None,
) -> Ablation:
    chosen = wordings if wordings is not None else wordings_of(own[0].task, BUILT_IN)
    prepared = prepare_ablation(model.name, own, chosen, of="labels:made.jsonl", seed=1, out=path)
    ask_cases(prepared, model, limits=Limits(attempts=1), budget=budget or Budget(), progress=Silent())
    return ablation_of(prepared)


def of(found: Ablation, factor: Factor) -> Comparison:
    (one,) = (c for c in found.comparisons if c.factor == factor)
    return one


def holds(measured: Measured, value: float) -> bool:
    assert isinstance(measured, Estimate), measured
    return measured.low <= value <= measured.high

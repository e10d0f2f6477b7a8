"""Cases to attack, and judges that behave in one known way when they are attacked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fiducial.judge.case import Case, Task
from fiducial.judge.sitting import ask_cases
from fiducial.model.base import Model, ModelBase
from fiducial.model.names import open_model
from fiducial.model.python import canonical
from fiducial.model.reply import Reply
from fiducial.model.request import CaseTruth, Request
from fiducial.run.budget import Budget
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent
from fiducial.study.judge_attack import Design, prepare_attack
from fiducial.study.judge_attack_result import AttackResult, attack_result

SURE = "sim/judge:sensitivity=1,specificity=1"


def case(k: int, task: Task = "genuine", **more: object) -> Case:
    label = k % 2
    fields: dict[str, object] = {
        "id": f"case-{k}",
        "task": task,
        "document": f"# Ledger {k}\n\nThe ledger keeps two copies of every entry.\n\nNobody reads the third one.",
        "text": f"I would settle on A, for reason {k}." if task == "read" else f"Copy {k} is never checked.",
        "label": label,
    }
    if task == "match":
        findings = ("Nobody reads the third copy.", "Two copies are too many.")
        fields |= {"findings": findings, "finding": 2 if label else None}
    if task == "read":
        fields |= {"options": ("A", "B", "C"), "answer": "A" if label else None}
    return Case(**{**fields, **more})  # type: ignore[arg-type]


def cases(n: int, task: Task = "genuine") -> list[Case]:
    return [case(k, task) for k in range(n)]


class Scripted(ModelBase):
    """A judge whose reply to a case is what a function makes of its truth and the prompt."""

    def __init__(self, reply: Callable[[CaseTruth, str], str]) -> None:
        self.name = "py/scripted:Judge"
        self.asked = 0
        self._reply = reply

    def encode(self, request: Request) -> bytes:
        return canonical(request)

    async def call(self, request: Request) -> Reply:
        assert isinstance(request.truth, CaseTruth)
        self.asked += 1
        return Reply(text=self._reply(request.truth, request.messages[0].text), sent=self.encode(request))


def genuine_reply(verdict: object) -> str:
    return (
        '{"evidence": "The ledger keeps two copies of every entry.", "reason": "", "category": null, '
        f'"verdict": "{verdict}", "confidence": 0.9}}'
    )


def run_attack(
    folder: Path,
    base: list[Case],
    judge: Model | str = SURE,
    *,
    design: Design | None = None,
    budget: int | None = None,
) -> AttackResult:
    model = open_model(judge) if isinstance(judge, str) else judge
    path, _ = prepare_attack(model.name, base, design or Design(), of="cases", out=folder / "attack.db")
    ask_cases(path, model, limits=Limits(), budget=Budget(calls=budget), progress=Silent())
    return attack_result(path)

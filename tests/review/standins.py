"""Stand-ins for reviewers and judges, and a review of a small document by them.

They are named as such: they answer from a script, and show what the instrument makes of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from fiducial.model.python import PythonModel
from fiducial.model.request import Settings, WireRequest
from fiducial.review.dataset import load_dataset
from fiducial.review.result import ReviewResult
from fiducial.review.reviewer import Reviewer
from fiducial.review.run import JudgeModel, ReviewOptions, collect_run, judge_run, prepare_run, rescore
from fiducial.run.budget import Budget
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent

DOCUMENT = """# Night buses

## Service
Buses run every 20 minutes between 23:00 and 05:00.
The last bus leaves the station at 04:30.

## Tickets
A night ticket costs 4 euros. Day tickets are valid until the last bus.

## Complaints
Complaints are answered within a fortnight by the office.
"""

FINDINGS = (
    ("No owner for complaints", "The office is not named, so nobody is responsible for complaints."),
    ("Timetable contradicts itself", "Buses run until 05:00, yet the last bus leaves at 04:30."),
    ("Ticket price for children", "Nothing is said about what children pay at night."),
)


def as_output(findings: Sequence[tuple[str, str]] = FINDINGS) -> str:
    """The findings as JSON Lines."""
    return "\n".join(
        json.dumps({"title": title, "severity": "Important", "issue": issue}) for title, issue in findings
    )


class Scripted:
    """A reviewer whose n-th output is the n-th of these, over and over."""

    def __init__(self, *outputs: str) -> None:
        self.outputs, self.calls = outputs, 0

    async def generate(self, request: WireRequest) -> str:
        self.calls += 1
        return self.outputs[(self.calls - 1) % len(self.outputs)]


Answer = Callable[[str, int], str]
"""What a judge replies: from what is asked about, and how often it was asked before."""


class Judging:
    """A judge that finds its task by the marker in the last message and keeps what it was sent."""

    def __init__(self, genuine: Answer | None = None, match: Answer | None = None) -> None:
        self.seen: list[tuple[str, WireRequest]] = []
        self._answers: Mapping[str, Answer] = {"genuine": genuine or all_genuine, "match": match or none_found}

    async def generate(self, request: WireRequest) -> str:
        task = re.findall(r"^Task: (\w+)$", request.messages[-1].text, re.MULTILINE)[-1]
        self.seen.append((task, request))
        first = request.messages[0].text
        about = re.findall(r"<<<(?:finding|issue) [0-9a-f]{16}>>>\n(.*?)\n<<<end", first, re.DOTALL)[-1]
        return self._answers[task](about, sum(m.role == "assistant" for m in request.messages))

    def asked(self, task: str) -> int:
        return sum(seen == task for seen, _ in self.seen)


def verdict(word: str = "genuine", evidence: str = "Complaints are answered", **more: object) -> str:
    """A reply of the judge of genuineness."""
    category = None if word == "genuine" else "not_there"
    said = {"evidence": evidence, "reason": "as quoted", "category": category, "verdict": word, "confidence": 0.8}
    return json.dumps({**said, **more})


def all_genuine(about: str, before: int) -> str:
    return verdict()


def none_found(about: str, before: int) -> str:
    return json.dumps({"finding": None, "quotation": None, "verdict": "not_found"})


def found(number: int, quotation: str) -> str:
    """A reply of the judge that looks for must-finds."""
    return json.dumps({"finding": number, "quotation": quotation, "verdict": "found"})


def make_dataset(folder: Path, must_find: Sequence[dict[str, object]] | None = None, text: str = DOCUMENT) -> Path:
    """A dataset folder with a frozen document."""
    from fiducial.review.frozen import freeze

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "document.md").write_text(text, encoding="utf-8")
    freeze(folder, folder / "document.md")
    if must_find is not None:
        lines = "".join(json.dumps(item) + "\n" for item in must_find)
        (folder / "must_find.jsonl").write_text(lines, encoding="utf-8")
    return folder


def reviewer(name: str = "probe", prompt: str = "You look for gaps.") -> Reviewer:
    return Reviewer(name=name, description="", prompt=prompt, model=None, path=Path(f"{name}.md"))


def review(
    path: Path,
    dataset: Path,
    subject: Scripted,
    judge: Judging | Mapping[str, Judging] | None,
    *,
    runs: int = 1,
    reviewers: Sequence[Reviewer] | None = None,
    judge_name: str = "py/judge",
    budget: Budget | None = None,
) -> ReviewResult:
    """A whole review run into the file at `path`. Several judges, by name, are a panel."""
    options = ReviewOptions(model="py/reviewer", runs=runs, settings=Settings(temperature=1.0))
    prepared = prepare_run(load_dataset(dataset), reviewers or [reviewer()], options, out=path)
    limits, spending, progress = Limits(), budget or Budget(), Silent()
    collect_run(
        prepared, PythonModel("py/reviewer", subject), options, limits=limits, budget=spending, progress=progress
    )
    judges = {judge_name: judge} if isinstance(judge, Judging) else judge or {}
    seats = [
        JudgeModel(name=name, model=PythonModel(name, own), limits=limits, progress=progress)
        for name, own in judges.items()
    ]
    judge_run(path, seats, budget=spending)
    return rescore(path)

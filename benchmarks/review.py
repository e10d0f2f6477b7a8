"""A large review with stand-ins for reviewer and judge: 100 documents x 10 reviewers x 3 runs x 12 findings.

`python -m benchmarks.review [--documents N]`: time and peak memory of every stage, 36,000 judge calls by default. The
judge's stage is then repeated on a complete run (nothing is asked), and a second run is interrupted half way and
continued, to count what is asked twice.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from pathlib import Path

from benchmarks.memory import peak
from fiducial.model.base import Model
from fiducial.model.python import PythonModel
from fiducial.model.request import WireRequest
from fiducial.review.dataset import load_dataset
from fiducial.review.reviewer import Reviewer
from fiducial.review.run import JudgeModel, ReviewOptions, collect_run, judge_run, prepare_run, rescore
from fiducial.run.budget import Budget
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent

REVIEWERS, RUNS, FINDINGS, PARAGRAPHS = 10, 3, 12, 60
SUBJECTS = [
    "pump",
    "valve",
    "gauge",
    "relay",
    "tank",
    "sensor",
    "boiler",
    "filter",
    "motor",
    "clutch",
    "switch",
    "hatch",
]


class StandInReviewer:
    """Writes twelve findings about the document, different in every call."""

    def __init__(self) -> None:
        self.calls = 0

    async def generate(self, request: WireRequest) -> str:
        """JSON Lines."""
        self.calls += 1
        return "\n".join(
            json.dumps(
                {
                    "title": f"The {subject} of unit {self.calls} has no owner",
                    "severity": "Important",
                    "confidence": 70,
                    "issue": f"Nobody is named who keeps the {subject} in order when unit {self.calls} stands still.",
                }
            )
            for subject in SUBJECTS
        )


class StandInJudge:
    """Calls every other finding genuine, and quotes the document."""

    def __init__(self) -> None:
        self.calls = 0

    async def generate(self, request: WireRequest) -> str:
        """A verdict."""
        self.calls += 1
        assert re.search(r"^Task: genuine$", request.messages[-1].text, re.MULTILINE)
        word = "genuine" if self.calls % 2 else "not_genuine"
        said = {"evidence": "Paragraph 3 says", "reason": "as quoted", "category": None, "verdict": word}
        return json.dumps({**said, "confidence": 0.7})


def write_documents(folder: Path, count: int) -> None:
    """Documents of some 4,000 words each."""
    for k in range(count):
        place = folder / f"document-{k:03d}"
        place.mkdir(parents=True)
        text = "\n\n".join(
            f"Paragraph {p} says of plant {k} that {' and '.join(f'line {j} feeds line {j + 1}' for j in range(12))}."
            for p in range(PARAGRAPHS)
        )
        (place / "document.md").write_text(f"# Plant {k}\n\n{text}\n", encoding="utf-8")


def main() -> None:
    """Print one line a stage."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100)
    documents = parser.parse_args().documents
    limits, progress = Limits(), Silent()
    options = ReviewOptions(model="py/reviewer", runs=RUNS)
    reviewers = [
        Reviewer(name=f"reviewer-{k}", description="", prompt=f"You are reviewer {k}.", model=None, path=Path())
        for k in range(REVIEWERS)
    ]
    with tempfile.TemporaryDirectory() as held:
        folder = Path(held)
        write_documents(folder / "data", documents)
        dataset = load_dataset(folder / "data")
        stage = time.perf_counter()

        def done(name: str) -> None:
            nonlocal stage
            now = time.perf_counter()
            print(f"{name:<34} {now - stage:>6.1f} s   peak {peak():6.0f} MB", flush=True)
            stage = now

        done("before")
        prepared = prepare_run(dataset, reviewers, options, out=folder / "run.db")
        subject: Model = PythonModel("py/reviewer", StandInReviewer())
        collect_run(prepared, subject, options, limits=limits, budget=Budget(), progress=progress)
        done(f"{len(prepared.plan.trials):,} outputs")

        def judge(stand_in: StandInJudge, budget: Budget) -> None:
            model: Model = PythonModel("py/judge", stand_in)
            seat = JudgeModel(name="py/judge", model=model, limits=limits, progress=progress)
            judge_run(prepared.path, [seat], budget=budget)

        first, second, third = StandInJudge(), StandInJudge(), StandInJudge()
        half = len(prepared.plan.trials) * (1 + FINDINGS // 2)
        judge(first, Budget(calls=half))
        done(f"{first.calls:,} judge calls, then stopped")
        judge(second, Budget())
        done(f"{second.calls:,} judge calls, continued")
        judge(third, Budget())
        done(f"{third.calls:,} judge calls of a complete run")
        result = rescore(prepared.path)
        done("result")
        judged = sum(reviewer.precision.n for reviewer in result.reviewers)
        asked = first.calls + second.calls + third.calls
        print(f"{judged:,} findings judged in {asked:,} calls, complete: {result.complete}")
        print(f"file {prepared.path.stat().st_size / 1e6:.0f} MB, documents {documents}, {REVIEWERS} reviewers")


if __name__ == "__main__":
    main()

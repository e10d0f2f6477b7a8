"""A folder with a judged review run of many findings, ready to be labelled in the browser."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fiducial.review.label_round import Round
from fiducial.review.labelling import LabelCase, in_order, label_folders, run_cases
from tests.review.folders import read_lines
from tests.review.standins import DOCUMENT, Judging, Scripted, make_dataset, review, reviewer, verdict
from tests.web.made import apart

TOPICS = (
    "shelter rain roof", "bicycle rack carriage", "dog muzzle seat", "driver break rota", "fuel depot tank",
    "wheelchair ramp kerb", "lost umbrella office", "school holiday calendar", "snow plough salt", "fare dodger fine",
    "radio signal tunnel", "music headphone noise", "window blind sun", "luggage locker key", "cash machine coin",
    "bridge weight limit", "taxi queue stand", "concert crowd barrier", "mirror camera blind", "tyre pressure gauge",
)  # fmt: skip
REVIEWER = "secret-reviewer"


def findings(n: int) -> list[dict[str, Any]]:
    """So many findings that no two are alike, severe and certain in words that must not be shown."""
    return [
        {
            "title": f"No word on the {topic}",
            "severity": "Critical",
            "confidence": 0.8765,
            "section": "Complaints" if k % 2 else "",
            "issue": f"{topic.title()}: “A night ticket costs 4 euros” does not settle the {topic[::-1]}.",
            "suggestion": "Rewrite it.",
        }
        for k, topic in enumerate(TOPICS[:n])
    ]


def make_run(root: Path, made: Sequence[dict[str, Any]] | int = 20, *, text: str = DOCUMENT) -> Path:
    """`root/made.db`, a run of one reviewer on `root/d`, judged."""
    make_dataset(root / "d", text=text)
    given = findings(made) if isinstance(made, int) else made
    subject = Scripted("\n".join(json.dumps(one) for one in given))
    judge = Judging(lambda about, before: verdict("not_genuine", reason="secret-reason", confidence=0.8642))
    path = root / "made.db"
    apart(lambda: review(path, root / "d", subject, judge, reviewers=[reviewer(REVIEWER)]))
    return path


def order(path: Path, rater: str, seed: int = 1) -> list[LabelCase]:
    """The cases as this rater is given them."""
    return in_order(run_cases(path), rater, seed)


def lines(root: Path, rater: str, folder: str = "d") -> list[Any]:
    """What is on disk of a rater."""
    return read_lines(root / folder / "labels" / f"{rater}.jsonl")


def label_all(
    path: Path, rater: str, say: Callable[[int], float] = lambda k: 1.0, *, most: int | None = None
) -> None:
    """The labels of a rater who worked in the terminal."""
    folders = label_folders(path, among=[path.parent / "d"])
    sheet = Round(run_cases(path), folders, rater, seed=1, limit=most)
    while sheet.current is not None:
        sheet.label(say(int(sheet.current.mark, 16) % 3), "because" if sheet.saved == 0 else None)

"""The hard set: replies as models write them, with what a careful person reads in each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fiducial.bias.read import Option, Reading, read

CASES: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "hard.jsonl").read_text(encoding="utf-8").splitlines()
]


def reading_of(case: dict[str, Any]) -> Reading:
    options = [Option(o["label"], o["text"]) for o in case["options"]] if case["options"] else None
    return read(
        case["response"],
        case["kind"],
        options=options,
        prompt=case["prompt"],
        unit=case.get("unit"),
        low=case.get("low"),
        high=case.get("high"),
    )


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_hard_reply_is_read_as_a_person_reads_it(case: dict[str, Any]) -> None:
    reading = reading_of(case)
    if isinstance(case["answer"], float):
        assert reading.answer == pytest.approx(case["answer"], rel=1e-12)
    else:
        assert reading.answer == case["answer"]
    if case["status"] == "abstain":  # any honest abstention will do
        assert reading.status != "read"
    else:
        assert reading.status == case["status"]
    if "confidence" in case:
        assert reading.confidence == pytest.approx(case["confidence"])


def test_the_hard_set_covers_every_kind_and_enough_abstentions() -> None:
    kinds = [case["kind"] for case in CASES]
    assert len(CASES) >= 300
    assert kinds.count("numeric") >= 60
    assert kinds.count("yesno") >= 40
    assert kinds.count("confidence") >= 25
    assert sum(case["status"] != "read" for case in CASES) >= 40


def test_no_answer_is_invented_for_a_refusal() -> None:
    refusals = [case for case in CASES if case["status"] == "refused"]
    assert len(refusals) >= 20
    for case in refusals:
        for kind in ("option", "numeric", "yesno", "confidence"):
            assert reading_of({**case, "kind": kind}).answer is None, (kind, case["response"])

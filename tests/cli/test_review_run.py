"""`fiducial review run` and `rejudge` as a person or CI uses them: real processes, stand-ins for the models."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from fiducial.judge.calibration import Counts, save
from fiducial.judge.fence import mark
from fiducial.review.judging import genuine_judge, match_judge
from fiducial.run.store import Store
from tests.cli.support import fiducial, result
from tests.judge.made import calibration
from tests.review.standins import DOCUMENT, as_output, make_dataset

ITEMS: list[dict[str, object]] = [
    {
        "id": f"M{k}",
        "title": title,
        "issue": f"{title}.",
        "min_recall": 0.8,
        "zero_shot": {"model": "m", "prompt_hash": "h", "calls": 3, "found": True, "quotation": "Complaints"},
    }
    for k, title in enumerate(
        ("No owner for complaints", "Timetable contradicts itself", "Ticket price for children")
    )
]

STAND_INS = '''
import json, os, re

class Reviewer:
    """Writes what the file in the working folder holds."""
    async def generate(self, request):
        return open("output.txt", encoding="utf-8").read()

class Judge:
    """Calls everything genuine; finds a must-find where a finding has its title."""
    async def generate(self, request):
        task = re.findall(r"^Task: (\\w+)$", request.messages[-1].text, re.M)[-1]
        text = request.messages[0].text
        if task == "genuine":
            return json.dumps({"evidence": "Complaints are answered", "reason": "r", "category": None,
                               "verdict": os.environ.get("VERDICT", "genuine"), "confidence": 0.9})
        wanted = re.findall(r"<<<issue \\w+>>>\\n(.*?)\\n", text)[-1]
        findings = re.findall(r"<<<finding (\\d+) \\w+>>>\\n(.*?)\\n", text)
        for number, title in findings:
            if title == wanted:
                return json.dumps({"finding": int(number), "quotation": title, "verdict": "found"})
        return json.dumps({"finding": None, "quotation": None, "verdict": "not_found"})

reviewer, judge, other = Reviewer(), Judge(), Judge()
'''


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "standing.py").write_text(STAND_INS, encoding="utf-8")
    (tmp_path / "output.txt").write_text(as_output(), encoding="utf-8")
    (tmp_path / "probe.md").write_text("---\nname: probe\n---\nYou look for gaps.\n", encoding="utf-8")
    return tmp_path


def run(place: Path, *more: object, dataset: str = "d", env: dict[str, str] | None = None) -> Any:
    return fiducial(
        *("review", "run", dataset, "--reviewer", "probe.md", "--model", "py/standing:reviewer"),
        *("--judge", "py/standing:judge", *more),
        cwd=place,
        env={"PYTHONPATH": ".", **(env or {})},
    )


def say(place: Path, findings: Sequence[tuple[str, str]]) -> None:
    (place / "output.txt").write_text(as_output(findings), encoding="utf-8")


def test_a_gate_is_refused_until_an_earlier_run_shows_that_it_means_something(place: Path) -> None:
    make_dataset(place / "d", ITEMS)
    early = run(place, "--runs", 3, "--gate", "--junit", "j.xml", "--json")
    assert early.returncode == 2
    assert result(early)["gate"]["result"] == "refused" and result(early)["reviewers"] == []
    assert "fiducial review run" in early.stderr  # the command that comes next
    assert not (place / "runs").exists()  # no call, no run
    assert ET.parse(place / "j.xml").getroot().findall(".//error")

    assert run(place, "--runs", 3).returncode == 0
    passed = run(place, "--runs", 3, "--gate", "--seed", 2, "--junit", "j.xml", "--json")
    assert passed.returncode == 0, passed.stderr
    assert result(passed)["gate"] == {"result": "passed", "why": []}
    assert not ET.parse(place / "j.xml").getroot().findall(".//failure")

    say(place, [("Everything is fine on the whole", "But the font is small.")])
    failed = run(place, "--runs", 3, "--gate", "--seed", 3, "--junit", "j.xml", "--json")
    assert failed.returncode == 1
    assert result(failed)["gate"]["result"] == "failed"
    assert result(failed)["reviewers"][0]["recall"]["list"]["p"] < 0.05
    assert ET.parse(place / "j.xml").getroot().findall(".//failure")


def test_a_strict_gate_is_refused_until_the_judge_is_calibrated_and_then_decides_on_corrected_precision(
    place: Path,
) -> None:
    make_dataset(place / "d", ITEMS)
    assert run(place, "--runs", 3).returncode == 0
    strict = ("--runs", 3, "--gate", "strict", "--seed", 2, "--json")
    early = run(place, *strict)
    assert early.returncode == 2 and "fiducial judge calibrate" in early.stderr
    writers = ("openai/a · one", "openai/b · two")
    counts = [
        Counts(label=label, n=60, total=total, squares=total, group=group)
        for group in writers
        for label, total in ((1, 57.0), (0, 3.0))
    ]
    for judge in (genuine_judge("py/standing:judge", "design"), match_judge("py/standing:judge")):
        known = {"task": judge.task, "model": judge.model, "prompt_hash": judge.prompt, "about": judge.about}
        save(
            calibration(**known, counts=counts, expires="2099-01-01", name=judge.task),
            folder=place / "calibrations",
        )
    passed = run(place, *strict, "--min-precision", 0.3)
    assert passed.returncode == 0, passed.stderr
    assert result(passed)["gate"] == {"result": "passed", "why": []}
    assert result(passed)["reviewers"][0]["precision"]["corrected"]["decides"]
    failed = run(place, *strict, "--min-precision", 0.999)
    assert failed.returncode == 1 and "corrected precision" in result(failed)["gate"]["why"][0]


def test_a_gate_on_fewer_than_three_runs_is_refused_because_next_to_nothing_would_fail_it(place: Path) -> None:
    make_dataset(place / "d", ITEMS[:1])
    assert run(place, "--runs", 3).returncode == 0
    say(place, [("Everything is fine on the whole", "But the font is small.")])
    few = run(place, "--runs", 2, "--gate", "--seed", 2, "--json")
    assert few.returncode == 2 and "--runs 2" in result(few)["gate"]["why"][0]


def test_a_gated_runs_own_collapse_is_a_failed_gate_and_not_unreadiness(place: Path) -> None:
    make_dataset(place / "d", ITEMS)
    assert run(place, "--runs", 3).returncode == 0
    (place / "output.txt").write_text("", encoding="utf-8")
    failed = run(place, "--runs", 3, "--gate", "--seed", 2, "--json")
    assert failed.returncode == 1
    gate = result(failed)["gate"]
    assert gate["result"] == "failed" and "empty" in " ".join(gate["why"])
    assert result(failed)["reviewers"][0]["precision"]["per_output_mean"] == 0.0


def test_without_must_finds_a_gate_ends_with_2_and_a_run_without_gate_goes_on(place: Path) -> None:
    make_dataset(place / "d", [])
    gated = run(place, "--runs", 3, "--gate")
    assert gated.returncode == 2 and "must_find.jsonl" in gated.stderr
    plain = run(place, "--json")
    assert plain.returncode == 0
    assert "reason" in result(plain)["reviewers"][0]["recall"]


def test_precision_alone_can_be_gated(place: Path) -> None:
    make_dataset(place / "d")
    assert run(place, "--min-precision", 0.5).returncode == 0
    low = run(place, "--min-precision", 0.95, "--seed", 2, "--json", env={"VERDICT": "not_genuine"})
    assert low.returncode == 1 and "precision" in result(low)["gate"]["why"][0]


def test_a_reviewer_that_owns_nothing_is_told_who_does(place: Path) -> None:
    make_dataset(place / "d", [{**ITEMS[0], "reviewer": "scope-guardian"}])
    gated = run(place, "--gate")
    assert gated.returncode == 2 and "scope-guardian" in gated.stderr
    plain = run(place)
    assert plain.returncode == 0 and "scope-guardian" in plain.stderr


def test_runs_at_temperature_zero_are_refused(place: Path) -> None:
    make_dataset(place / "d")
    done = run(place, "--runs", 3, "--temperature", 0)
    assert done.returncode == 2 and "temperature 0" in done.stderr
    assert run(place, "--runs", 1, "--temperature", 0).returncode == 0


def test_a_document_that_changed_fails_the_audit_and_refuses_a_gate(place: Path) -> None:
    make_dataset(place / "d", ITEMS)
    document = place / "d" / "document.md"
    document.write_text(document.read_text(encoding="utf-8") + "\nMore.\n", encoding="utf-8")
    plain = run(place, "--json")
    assert plain.returncode == 0
    assert {"document-changed": "fail"}.items() <= {c["code"]: c["level"] for c in result(plain)["audit"]}.items()
    gated = run(place, "--gate")
    assert gated.returncode == 2 and "frozen" in gated.stderr


def test_recorded_outputs_are_scored_without_a_reviewer_call(place: Path) -> None:
    make_dataset(place / "d", ITEMS)
    outputs = place / "outputs"
    (outputs / "probe").mkdir(parents=True)
    for k in (1, 2, 10):
        (outputs / "probe" / f"{k}.md").write_text(as_output(), encoding="utf-8")
    (outputs / "other-1.jsonl").write_text("", encoding="utf-8")
    done = fiducial(
        *("review", "run", "d", "--outputs", "outputs", "--judge", "py/standing:judge", "--json"),
        cwd=place,
        env={"PYTHONPATH": "."},
    )
    assert done.returncode == 0, done.stderr
    found = {reviewer["name"]: reviewer for reviewer in result(done)["reviewers"]}
    assert found["probe"]["outputs"] == {"findings": 3} and found["probe"]["recall"]["list"]["detected"] == 9
    assert found["other"]["outputs"] == {"empty": 1} and found["other"]["precision"]["per_output_mean"] == 0.0
    assert result(done)["model"] == "recorded/outputs"


def test_stored_outputs_are_judged_again_by_another_judge(place: Path) -> None:
    make_dataset(place / "d")
    assert result(run(place, "--out", "r.db", "--json"))["reviewers"][0]["precision"]["value"] == 1.0
    again = fiducial(
        *("review", "rejudge", "r.db", "--judge", "py/standing:other", "--json"),
        cwd=place,
        env={"PYTHONPATH": ".", "VERDICT": "borderline"},
    )
    assert again.returncode == 0, again.stderr
    assert result(again)["reviewers"][0]["precision"]["value"] == 0.5
    assert set(result(again)["judges"].values()) == {"py/standing:other"}
    report = fiducial("report", "r.db", "--out", "r.html", cwd=place)
    assert report.returncode == 0 and (place / "r.html").stat().st_size > 10_000
    audit = fiducial("audit", "r.db", "--json", cwd=place)
    assert "judge-uncalibrated" in audit.stdout
    assert fiducial("rescore", "r.db", cwd=place).returncode == 0


def test_the_marks_around_judged_texts_depend_on_a_secret_that_is_shown_nowhere(place: Path) -> None:
    make_dataset(place / "d")
    secrets, trials = [], []
    for name in ("a.db", "b.db"):
        assert run(place, "--out", name).returncode == 0
        with Store(place / name) as store:
            secrets.append(store.meta("fence"))
            trials.append(store.db.execute("SELECT id, role FROM trial ORDER BY id").fetchall())
            (body,) = store.db.execute(
                "SELECT body FROM reply JOIN trial ON trial.seq = reply.trial WHERE role LIKE 'judge:%'"
            ).fetchone()
            assert mark(secrets[-1], DOCUMENT).encode() in store.body(body)
    assert secrets[0] != secrets[1] and len(secrets[0]) == 32
    assert [tuple(row) for row in trials[0]] == [tuple(row) for row in trials[1]]
    (place / "standing.py").write_text(
        STAND_INS.replace(
            "async def generate(self, request):", "async def generate(self, request):\n        exit(9)"
        )
    )
    again = run(place, "--out", "a.db", "--json")
    assert again.returncode == 0, again.stderr
    shown = [again.stdout]
    for command in (["report", "a.db", "--json"], ["report", "a.db", "--out", "a.html"], ["export", "a.db"]):
        done = fiducial(*command, cwd=place)
        assert done.returncode == 0, done.stderr
        shown.append(done.stdout)
    shown += [(place / name).read_text(encoding="utf-8") for name in ("a.html", "a.jsonl")]
    assert not [text for text in shown if secrets[0] in text]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--runs", 0), "--runs"),
        (("--judge", "none"), "cannot sit on a panel with py/standing:judge"),
        (("--outputs", "nowhere", "--judge", "none"), "--model or --outputs"),
    ],
)
def test_what_cannot_be_meant_ends_with_2(place: Path, arguments: tuple[object, ...], said: str) -> None:
    make_dataset(place / "d")
    done = run(place, *arguments)
    assert done.returncode == 2 and said in done.stderr
    assert not (place / "runs").exists()


@pytest.mark.parametrize(
    ("name", "said"), [("file.md", "this is a file"), ("nowhere", "no such folder"), ("tide-guage", "tide-gauge")]
)
def test_a_dataset_that_is_none_is_named_with_what_to_do(place: Path, name: str, said: str) -> None:
    (place / "file.md").write_text("# A document\n", encoding="utf-8")
    done = run(place, dataset=name)
    assert done.returncode == 2 and said in done.stderr


def test_a_broken_list_stops_before_any_call(place: Path) -> None:
    make_dataset(place / "d", [{**ITEMS[0], "min_recall": 90}])
    done = run(place)
    assert done.returncode == 2
    assert "must_find.jsonl, line 1" in done.stderr and "did you mean 0.9" in done.stderr
    assert not (place / "runs").exists()
    assert json.loads((place / "d" / "metadata.json").read_text(encoding="utf-8"))["hash"].startswith("sha256:")

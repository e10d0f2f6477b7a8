"""`fiducial review init | check | propose | confirm | reject`, as they are typed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fiducial.cli.review import review as group
from fiducial.errors import Incomplete, UsageError
from fiducial.review.dataset import candidates, context_dependent
from fiducial.review.zero_shot import zero_shot_judge
from tests.review.folders import FOUND, ITEM, NOT_FOUND, TEXT, calibrated, make, only, read_lines, write_lines
from tests.review.standins import DOCUMENT, FINDINGS, Judging, Scripted, as_output, make_dataset, review

JUDGES = f"""
from fiducial.model.reply import CallFailed

class Says:
    def __init__(self, text): self.text = text
    async def generate(self, request): return self.text

class Down:
    async def generate(self, request): raise CallFailed("bad_request", "no")

seeing, blind, down = Says({FOUND!r}), Says({NOT_FOUND!r}), Down()
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "made_judges.py").write_text(JUDGES)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def typed(*arguments: object) -> Result:
    return CliRunner().invoke(group, list(map(str, arguments)))


def refused(*arguments: object) -> str:
    done = typed(*arguments)
    assert isinstance(done.exception, UsageError), done.output
    return str(done.exception)


def as_json(done: Result) -> Any:
    return json.loads(done.stdout)


def test_init_makes_a_frozen_dataset_and_says_what_comes_next(here: Path) -> None:
    (here / "doc.md").write_text(TEXT)
    done = typed("init", "doc.md", "--type", "requirements", "--name", "My gauges")
    assert done.exit_code == 0 and "fiducial review run My-gauges" in done.output
    document = only(here / "My-gauges")
    assert document.frozen_hash == document.hash and document.review_type == "requirements"
    assert "choose another folder with --out" in refused("init", "doc.md", "--name", "My gauges")
    made = as_json(typed("init", "doc.md", "--out", "sets/two", "--json"))
    assert made == {"dataset": "two", "folder": "sets/two", "hash": document.hash}


def test_init_of_what_is_no_document_makes_nothing(here: Path) -> None:
    (here / "bin.md").write_bytes(b"\xff")
    assert "not UTF-8" in refused("init", "bin.md")
    assert "cannot be read" in refused("init", "gone.md")
    assert sorted(p.name for p in here.iterdir()) == ["bin.md", "made_judges.py"]


def test_check_shows_a_table_and_ends_with_1_where_something_is_wrong(here: Path) -> None:
    make(here / "d", must_find=[ITEM | {"evidence": ["\x1b[31mgone"], "min_recall": 1}])
    done = typed("check", "d")
    assert done.exit_code == 1 and "\x1b" not in done.output
    assert "1 problem, 1 warning" in done.output
    listed = as_json(typed("check", "d", "--json"))
    assert [p["level"] for p in listed["problems"]] == ["fail", "warn"]
    assert set(listed["problems"][0]) == {"level", "where", "what", "do"}


def test_check_of_a_shipped_dataset_warns_and_ends_with_0(here: Path) -> None:
    done = typed("check", "tide-gauge")
    assert done.exit_code == 0 and "0 problems, 1 warning" in done.output
    assert not (here / "tide-gauge").exists()


def test_check_freezes_when_told_to(here: Path) -> None:
    folder = make(here / "d", must_find=[ITEM])
    (folder / "document.md").write_text(TEXT + "More.\n")
    assert typed("check", "d").exit_code == 1
    assert typed("check", "d", "--freeze").exit_code == 0
    assert not only(folder).changed
    assert "comes with Fiducial" not in typed("check", "tide-gauge").output
    assert "comes with Fiducial" in refused("check", "tide-gauge", "--freeze")


def test_check_with_a_judge_tests_what_is_due_and_proposes_promotion(here: Path) -> None:
    folder = make(here / "d", must_find=[ITEM])
    old = {"id": "old", "title": "T", "required_context": "c", "review_after": "2020-01-01"}
    write_lines(folder / "context_dependent_findings.jsonl", old)
    done = typed("check", "d", "--judge", "py/made_judges:seeing", "--identical-gap", 0, "--json")
    assert [(m["id"], m["state"]) for m in as_json(done)["tested"]] == [("old", "proposed"), ("kept", "must_find")]
    assert candidates(folder)["old"].state == "proposed"
    assert read_lines(folder / "must_find.jsonl")[0]["zero_shot"]["found"] is True
    assert len(list((here / "runs").glob("zero-shot-*.db"))) == 1
    calls = typed("check", "d", "--judge", "py/made_judges:down", "--identical-gap", 0)
    assert isinstance(calls.exception, Incomplete)  # the record is still overdue, and this judge says nothing


def test_a_record_that_falls_due_again_is_asked_about_again(here: Path) -> None:
    name = "py/made_judges:blind"
    calibrated(here / "calibrations", model=name, prompt_hash=zero_shot_judge(name).prompt)
    folder = make(here / "d", must_find=[])
    path = folder / "context_dependent_findings.jsonl"
    for k, day in enumerate(("2020-01-01", "2020-01-01", "2020-06-01")):
        write_lines(path, {"id": "old", "title": "T", "required_context": "c", "review_after": day})
        assert typed("check", "d", "--judge", name, "--identical-gap", 0).exit_code == 0
        assert read_lines(path)[0]["review_after"] > "2026"
        assert len(list((here / "runs").glob("*.db"))) == (1, 1, 2)[k]


def test_confirm_runs_the_test_and_writes_the_must_find(here: Path) -> None:
    folder = make(here / "d", must_find=[])
    write_lines(folder / "candidates.jsonl", ITEM)
    arguments = ("confirm", "d", "kept", "--as", "must-find", "--judge", "py/made_judges:seeing")
    assert "(did you mean 0.90?)" in refused(*arguments, "--min-recall", 90)
    done = typed(*arguments, "--min-recall", 0.5, "--reviewer", "scope-guardian", "--identical-gap", 0)
    assert done.exit_code == 0 and "kept: written to must_find.jsonl" in done.output
    (item,) = only(folder).must_find or ()
    assert (item.min_recall, item.reviewer) == (0.5, "scope-guardian")
    assert "no longer in the queue" in refused(*arguments)
    write_lines(folder / "candidates.jsonl", ITEM)
    assert "--reuse: the zero-shot test takes nothing over" in refused(*arguments, "--reuse", "x")


def test_confirm_as_context_needs_a_calibrated_judge(here: Path) -> None:
    folder = make(here / "d", must_find=[])
    write_lines(folder / "candidates.jsonl", ITEM)
    arguments = ("confirm", "d", "kept", "--as", "context", "--judge", "py/made_judges:blind", "--identical-gap", 0)
    assert "--required-context" in refused(*arguments)
    assert not (here / "runs").exists()  # refused before any call
    done = typed(*arguments, "--required-context", "The act")
    assert done.exit_code == 1 and "kept: unvalidated" in done.output and "proves nothing" in done.output
    assert context_dependent(folder) is None and candidates(folder)["kept"].state == "unvalidated"
    name = "py/made_judges:blind"
    calibrated(here / "calibrations", model=name, prompt_hash=zero_shot_judge(name).prompt)
    done = typed(*arguments, "--required-context", "The act", "--json")
    assert done.exit_code == 0 and as_json(done)["file"] == "context_dependent_findings.jsonl"
    assert [r.required_context for r in context_dependent(folder) or ()] == ["The act"]


def test_a_test_that_could_not_be_made_moves_nothing_and_can_be_continued(here: Path) -> None:
    folder = make(here / "d", must_find=[])
    write_lines(folder / "candidates.jsonl", ITEM)
    before = (folder / "candidates.jsonl").read_bytes()
    done = typed("confirm", "d", "kept", "--as", "must-find", "--judge", "py/made_judges:down")
    assert isinstance(done.exception, Incomplete) and "Continue with" in str(done.exception)
    assert (folder / "candidates.jsonl").read_bytes() == before and only(folder).must_find == ()


def test_reject_takes_a_candidate_out_of_the_queue(here: Path) -> None:
    folder = make(here / "d")
    write_lines(folder / "candidates.jsonl", ITEM)
    done = typed("reject", "d", "kept", "--why", "another \x1b[2Jreading")
    assert done.exit_code == 0 and "kept: rejected. another reading" in done.output
    assert candidates(folder)["kept"].state == "rejected"
    assert "no longer in the queue" in refused("reject", "d", "kept", "--why", "x")


def test_propose_shows_candidates_of_a_run_and_writes_them_when_told_to(here: Path) -> None:
    folder = make_dataset(here / "buses", must_find=[])
    review(here / "r.db", folder, Scripted(as_output()), Judging(), runs=2)
    listed = as_json(typed("propose", "r.db", "--json"))
    (document,) = listed["documents"]
    assert {c["title"] for c in document["candidates"]} == {title for title, _ in FINDINGS}
    assert all(c["found_in"] == c["runs"] == 2 and c["evidence"] for c in document["candidates"])
    assert not (folder / "candidates.jsonl").exists()
    done = typed("propose", "r.db", "--write")
    assert done.exit_code == 0 and "3 candidates" in done.output and len(candidates(folder)) == 3
    done = typed("propose", "r.db", "--write")
    assert "0 candidates" in done.output and "3 in a list already" in done.output
    assert len(read_lines(folder / "candidates.jsonl")) == 3
    assert as_json(typed("propose", "r.db", "--min-runs", 3, "--json"))["documents"][0]["candidates"] == []


def test_propose_refuses_another_text_and_a_dataset_that_has_gone(here: Path) -> None:
    folder = make_dataset(here / "buses", must_find=[])
    review(here / "r.db", folder, Scripted(as_output()), Judging())
    (folder / "document.md").write_text(DOCUMENT + "More.\n")
    assert "not the text that r reviewed" in refused("propose", "r.db")
    folder.rename(here / "moved")
    assert "say with --dataset where it is now" in refused("propose", "r.db")
    (here / "moved" / "document.md").write_text(DOCUMENT)
    said = refused("propose", "r.db", "--dataset", "moved")
    assert "its documents (moved) are not those of the run (buses)" in said
    (here / "elsewhere").mkdir()
    (here / "moved").rename(here / "elsewhere" / "buses")
    done = typed("propose", "r.db", "--dataset", "elsewhere")
    assert done.exit_code == 0 and "3 candidates" in done.output

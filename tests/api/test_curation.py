from __future__ import annotations

from pathlib import Path

import pytest

from fiducial import api
from fiducial.model.reply import CallFailed
from fiducial.model.request import WireRequest
from fiducial.review.dataset import candidates
from tests.review.folders import FOUND, ITEM, NOT_FOUND, TEXT, calibrated, make, only, read_lines, write_lines

CANDIDATE = {**ITEM, "state": "proposed"}


class Judge:
    remote = False

    def __init__(self, name: str, text: str | None) -> None:
        self.name, self.text, self.calls = name, text, 0

    async def generate(self, request: WireRequest) -> str:
        self.calls += 1
        if self.text is None:
            raise CallFailed("bad_request", "no")
        return self.text


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    made = make(tmp_path / "d", TEXT)
    write_lines(made / "candidates.jsonl", CANDIDATE)
    return made


def name() -> str:
    return str(CANDIDATE["id"])


def test_what_the_judge_sees_in_the_document_becomes_a_must_find(folder: Path) -> None:
    judge = Judge("seeing", FOUND)
    done = api.review_confirm(
        folder, name(), target="must-find", judge=judge, min_recall=0.6, by="ann", progress=False
    )
    assert done.moved.file == "must_find.jsonl" and done.run.exists() and judge.calls == 3
    (item,) = only(folder).must_find or ()
    assert (item.id, item.min_recall) == (name(), 0.6) and item.zero_shot and item.zero_shot.model == "py/seeing"
    assert candidates(folder)[name()].by == "ann"
    with pytest.raises(api.UsageError, match="no longer in the queue"):
        api.review_confirm(folder, name(), target="must-find", judge=judge, progress=False)
    assert judge.calls == 3


def test_not_found_by_a_judge_that_nobody_has_tried_proves_nothing(folder: Path) -> None:
    told = {"target": "context", "required_context": "how tides work", "progress": False}
    done = api.review_confirm(folder, name(), judge=Judge("blind", NOT_FOUND), **told)  # type: ignore[arg-type]
    assert done.moved.file is None and "proves nothing" in done.moved.why
    assert candidates(folder)[name()].state == "unvalidated"


def test_what_can_be_refused_costs_no_call(folder: Path) -> None:
    judge = Judge("seeing", FOUND)
    for told, said in (
        ({"target": "context"}, "--required-context"),
        ({"target": "must-find", "min_recall": 80}, "--min-recall"),
        ({"target": "must-find", "reuse": "other"}, "--reuse"),
    ):
        with pytest.raises(api.UsageError, match=said):
            api.review_confirm(folder, name(), judge=judge, progress=False, **told)
    with pytest.raises(api.UsageError, match="no candidate"):
        api.review_confirm(folder, "other", target="must-find", judge=judge, progress=False)
    assert judge.calls == 0 and not Path("runs").exists()


def test_a_test_that_could_not_be_made_moves_nothing(folder: Path) -> None:
    with pytest.raises(api.Incomplete, match="nothing was moved") as short:
        api.review_confirm(folder, name(), target="must-find", judge=Judge("down", None), progress=False)
    assert short.value.path is not None and short.value.path.exists()
    assert candidates(folder)[name()].state == "proposed"


def test_a_candidate_is_rejected_with_a_reason(folder: Path) -> None:
    with pytest.raises(api.UsageError, match="--why"):
        api.review_reject(folder, name(), " ")
    assert api.review_reject(folder, name(), "the annex says it", by="ben").state == "rejected"
    last = read_lines(folder / "candidates.jsonl")[-1]
    assert (last["state"], last["why"], last["by"]) == ("rejected", "the annex says it", "ben")


def test_a_check_freezes_and_tests_what_is_due_only_if_asked(folder: Path) -> None:
    write_lines(folder / "must_find.jsonl", ITEM)
    (folder / "document.md").write_text(TEXT + "\nOne more line.\n", encoding="utf-8")
    assert not api.review_check(folder).sound
    judge = Judge("seeing", FOUND)
    checked = api.review_check(folder, freeze=True, judge=judge, progress=False)
    assert checked.sound and judge.calls == 3
    assert [(one.id, one.file) for one in checked.tested] == [(ITEM["id"], "must_find.jsonl")]
    assert api.review_check(folder, judge=judge, progress=False).tested == [] and judge.calls == 3


def test_flaws_are_planted_beside_the_caller_unless_told_otherwise(folder: Path) -> None:
    document = Path(__file__).parents[2] / "examples" / "ferry.md"
    kind = next(iter(api.review_operators()))
    planted = api.review_plant(document, count=1)
    assert planted[0].file.is_relative_to("ferry-planted")
    with pytest.raises(api.UsageError, match=kind):
        api.review_plant(document, "other", operators=["no such flaw"])


def test_calibrations_are_found_by_a_part_of_their_name(folder: Path) -> None:
    calibrated(Path("calibrations"))
    (one,) = api.judge_calibrations()
    assert api.judge_show(one.name[:-1]) == api.judge_show(f"calibrations/{one.name}.json") == one
    with pytest.raises(api.UsageError, match=one.name):
        api.judge_show("nobody")

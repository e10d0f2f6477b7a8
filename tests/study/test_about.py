"""What a run file says of itself."""

from __future__ import annotations

from pathlib import Path

from fiducial.judge.asking import Judge
from fiducial.study.about import about, deciding
from tests.review.standins import Judging, Scripted, as_output, make_dataset, review


def test_a_run_names_its_documents_its_reviewers_and_who_decides(tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path / "d")
    review(tmp_path / "r.db", dataset, Scripted(as_output()), {"py/b": Judging(), "py/a": Judging()})
    found = about(tmp_path / "r.db")
    assert (found.instrument, found.dataset, found.reviewers) == ("review", "d", ("probe",))
    assert list(found.hashes) == ["d"]
    assert [judge.model for judge in found.judges] == ["py/a + py/b"]
    assert found.before == ()


def test_a_file_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_text("nothing of the kind, and long enough to be looked at")
    assert "not a run file" in (about(tmp_path / "x.db").problem or "")


def test_judges_that_are_asked_different_things_are_no_panel() -> None:
    asked = [Judge(model="m", prompt="p", task=task) for task in ("genuine", "match")]
    assert deciding(asked) == asked

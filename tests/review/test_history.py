"""A claim over runs and judges: where it stands, and what every judge said of it, also those of before."""

from __future__ import annotations

from pathlib import Path

import pytest

from fiducial.judge.asking import EVER
from fiducial.judge.genuine import GenuineVerdict, genuine_version
from fiducial.model.python import PythonModel
from fiducial.review.history import PANEL, History, claims_of, history, raters_of
from fiducial.review.judging import genuine_arm, read_output
from fiducial.review.labels import append_label
from fiducial.review.run import JudgeModel, judge_run
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent
from fiducial.run.writer import Writer
from tests.review.standins import FINDINGS, Judging, Scripted, as_output, make_dataset, review, reviewer, verdict

OWNER = genuine_arm(read_output(as_output(FINDINGS[:1])).parsed.findings[0])
OTHER_WORDS = (("Complaints have no owner", "The office is not named, so nobody is responsible for complaints."),)


def saying(word: str) -> Judging:
    return Judging(genuine=lambda about, before: verdict(word))


def rejudge(path: Path, name: str, word: str) -> None:
    model = PythonModel(name, saying(word))
    judge_run(path, [JudgeModel(name=name, model=model, limits=Limits(), progress=Silent())])


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return make_dataset(tmp_path / "d")


def found(*paths: Path, document: str = "d") -> History:
    made = history(claims_of(paths[0]), document, OWNER, [claims_of(path) for path in paths])
    assert made is not None
    return made


def test_a_claim_is_counted_in_every_output_of_every_reviewer(tmp_path: Path, dataset: Path) -> None:
    path = tmp_path / "r.db"
    both = [reviewer("probe"), reviewer("other", "You look for owners.")]
    subject = Scripted(as_output(), as_output(FINDINGS[1:]))
    review(path, dataset, subject, None, runs=2, reviewers=both)
    own = found(path).own
    assert sum(map(len, own.by_reviewer().values())) == 2
    assert own.outputs == {"probe": 2, "other": 2}
    assert own.versions == ()


def test_what_a_judge_said_before_is_not_forgotten(tmp_path: Path, dataset: Path) -> None:
    path = tmp_path / "r.db"
    review(path, dataset, Scripted(as_output()), Judging(), judge_name="py/first")
    rejudge(path, "py/second", "not_genuine")
    before, after = found(path).own.versions
    assert (before.model, before.now, before.words) == ("py/first", False, {"genuine": 1})
    assert (after.model, after.now, after.words) == ("py/second", True, {"not_genuine": 1})
    assert before.prompt == after.prompt == genuine_version("design")
    assert list(found(path).own.turns()) == [(before, after)]


def test_judges_that_agree_make_no_turn(tmp_path: Path, dataset: Path) -> None:
    path = tmp_path / "r.db"
    review(path, dataset, Scripted(as_output()), Judging(), judge_name="py/first")
    rejudge(path, "py/second", "genuine")
    assert list(found(path).own.turns()) == []


def test_a_file_that_names_its_last_judge_only_tells_a_known_version_from_an_unknown_one(
    tmp_path: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "r.db"
    monkeypatch.setattr("fiducial.review.judging.genuine_version", lambda review_type: "long-ago")
    review(path, dataset, Scripted(as_output()), Judging(), judge_name="py/judge")
    monkeypatch.undo()
    rejudge(path, "py/judge", "genuine")
    rejudge(path, "py/third", "genuine")
    with Writer(path) as writer:
        writer.set_meta(EVER, None)
    assert [one.prompt for one in found(path).own.versions] == [
        None,
        genuine_version("design"),
        genuine_version("design"),
    ]


def test_the_same_words_and_like_words_are_found_in_other_runs_on_the_same_text(
    tmp_path: Path, dataset: Path
) -> None:
    paths = [tmp_path / f"{name}.db" for name in ("a", "b", "c", "d")]
    for path, findings in zip(paths, (FINDINGS, FINDINGS[:1], OTHER_WORDS, FINDINGS[1:]), strict=True):
        review(path, dataset, Scripted(as_output(findings)), Judging())
    made = found(*paths)
    assert [(one.run.name, len(one.found), one.own) for one in made.runs] == [
        ("a", 1, True),
        ("b", 1, False),
        ("c", 1, False),
        ("d", 0, False),
    ]
    assert [one.title for one in made.like.values()] == ["Complaints have no owner"]
    verdicts = [said.verdict for run in made.runs for one in run.versions for said in one.said]
    assert len(verdicts) == 3 and all(isinstance(one, GenuineVerdict) for one in verdicts)


def test_a_run_on_another_text_is_not_among_them(tmp_path: Path, dataset: Path) -> None:
    review(tmp_path / "a.db", dataset, Scripted(as_output()), None)
    other = make_dataset(tmp_path / "other", text="# Another text\n\nIt says something else.\n")
    review(tmp_path / "b.db", other, Scripted(as_output()), None)
    assert len(found(tmp_path / "a.db", tmp_path / "b.db").runs) == 1


def test_a_panel_has_its_seats_and_its_decision(tmp_path: Path, dataset: Path) -> None:
    path = tmp_path / "r.db"
    said = {"py/a": "genuine", "py/b": "not_genuine", "py/c": "not_genuine"}
    judges = {name: saying(word) for name, word in said.items()}
    review(path, dataset, Scripted(as_output()), judges)
    versions = found(path).own.versions
    assert {one.model: one.words for one in versions[:-1]} == {name: {word: 1} for name, word in said.items()}
    assert (versions[-1].role, versions[-1].words) == (PANEL, {"not_genuine": 1})


def test_of_labels_nothing_is_told_but_how_many_people_gave_one(tmp_path: Path, dataset: Path) -> None:
    path = tmp_path / "r.db"
    review(path, dataset, Scripted(as_output()), None)
    for rater in ("ada", "ben"):
        append_label(dataset, case=OWNER, rater=rater, label=1)
    append_label(dataset, case=OWNER, rater="ben", label=None)
    assert raters_of(path, "d", OWNER) == 1
    dataset.rename(tmp_path / "elsewhere")
    assert raters_of(path, "d", OWNER) is None


def test_a_claim_that_the_run_does_not_make_has_no_history(tmp_path: Path, dataset: Path) -> None:
    path = tmp_path / "r.db"
    review(path, dataset, Scripted(as_output(FINDINGS[1:])), None)
    assert history(claims_of(path), "d", OWNER) is None

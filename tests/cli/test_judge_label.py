"""`fiducial judge label`, one key a line."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fiducial.cli.judge_label import label
from fiducial.errors import UsageError
from fiducial.model.request import WireRequest
from fiducial.review.dataset import SHIPPED
from fiducial.review.labelling import LabelCase, in_order, run_cases, sample
from tests.review.folders import read_lines, write_lines
from tests.review.standins import FINDINGS, Judging, Scripted, as_output, make_dataset, review, reviewer

RUN = "runs/secret-model.db"
OWNERS = "You look for owners."


class ByPrompt(Scripted):
    """A model that finds two things as one reviewer, and three as any other."""

    async def generate(self, request: WireRequest) -> str:
        return as_output(FINDINGS[:2] if request.messages[0].text == OWNERS else FINDINGS)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A judged run of two reviewers."""
    monkeypatch.chdir(tmp_path)
    make_dataset(tmp_path / "d")
    (tmp_path / "runs").mkdir()
    both = [reviewer("secret-reviewer"), reviewer("owner-probe", OWNERS)]
    review(tmp_path / RUN, tmp_path / "d", ByPrompt(), Judging(), reviewers=both)
    return tmp_path


def typed(*arguments: object, keys: str = "", lines: str = "") -> Result:
    """The command with these keys, each of which is a line, or with these lines."""
    return CliRunner().invoke(label, list(map(str, arguments)), input=lines or keys.replace(" ", "\n") + "\n")


def labelled(keys: str, *more: object, rater: str = "ann") -> Result:
    done = typed("secret-model", "--rater", rater, *more, keys=keys)
    assert done.exit_code == 0, done.output
    return done


def refused(*arguments: object, keys: str = "") -> str:
    done = typed(*arguments, keys=keys)
    assert isinstance(done.exception, UsageError), done.output
    return str(done.exception)


def lines(here: Path, rater: str = "ann") -> list[Any]:
    return read_lines(here / "d" / "labels" / f"{rater}.jsonl")


def order(rater: str = "ann") -> list[LabelCase]:
    return in_order(run_cases(Path(RUN)), rater, 1)


def test_keys_become_labels_in_the_raters_order(here: Path) -> None:
    done = labelled("g n b")
    assert [(line["case"], line["label"]) for line in lines(here)] == [
        (case.id, value) for case, value in zip(order(), (1, 0, 0.5), strict=True)
    ]
    assert all(line["rater"] == "ann" and line["note"] is None for line in lines(here))
    assert "Case 1 of 3" in done.output and "Case 3 of 3" in done.output
    assert "3 labels saved in this round; ann has labelled 3 of 3; nothing is left to label." in done.output


def test_digits_do_the_same(here: Path) -> None:
    labelled("1 0 5")
    assert [line["label"] for line in lines(here)] == [1, 0, 0.5]


def test_a_rater_goes_on_where_they_stopped(here: Path) -> None:
    first = labelled("g q")
    assert "1 label saved in this round; ann has labelled 1 of 3." in first.output and "Go on with" in first.output
    second = labelled("n n")
    assert "Case 1 of 3" not in second.output and "Case 2 of 3" in second.output
    assert [line["case"] for line in lines(here)] == [case.id for case in order()]


def test_nothing_that_is_shown_unblinds(here: Path) -> None:
    typed("secret-model", "--rater", "bob", keys="g g g")
    write_lines(
        here / "d" / "labels" / "eve.jsonl",
        {"case": order()[0].id, "rater": "eve", "label": 1, "at": "2026-01-01", "note": "I like it"},
    )
    seen = labelled("? d / bus s s s").output.partition("Go on with")[0]
    assert all(f"Case {k} of 3" in seen for k in (1, 2, 3))
    for secret in ("secret", "owner-probe", "py/", "Important", "bob", "eve ", "I like it", "0.8", "as quoted"):
        assert secret not in seen, secret


def test_half_a_last_line_is_told_and_its_case_comes_up_again(here: Path) -> None:
    labelled("g n q")
    place = here / "d" / "labels" / "ann.jsonl"
    place.write_bytes(place.read_bytes()[:-20])
    done = labelled("b q")
    assert "the last line of ann.jsonl is cut off" in " ".join(done.output.split())
    assert [(line["case"], line["label"]) for line in lines(here)] == [(order()[0].id, 1), (order()[1].id, 0.5)]


def test_all_done_is_said(here: Path) -> None:
    labelled("g g g")
    again = labelled("g")
    assert "No label saved this time; ann has labelled 3 of 3; nothing is left to label." in again.output
    assert len(lines(here)) == 3


def test_a_skipped_case_comes_up_in_the_next_round(here: Path) -> None:
    done = labelled("s g g")
    assert "2 labels saved in this round; ann has labelled 2 of 3; 1 skipped." in done.output
    labelled("b")
    assert lines(here)[-1]["case"] == order()[0].id


def test_undo_takes_back_and_the_next_key_labels_that_case(here: Path) -> None:
    done = labelled("g n u g q")
    first, second = order()[:2]
    assert [(line["case"], line["label"]) for line in lines(here)] == [
        (first.id, 1),
        (second.id, 0),
        (second.id, None),
        (second.id, 1),
    ]
    assert lines(here)[2]["withdrawn"] is True and "taken back: not genuine" in done.output


def test_the_label_of_the_last_case_can_be_taken_back_too(here: Path) -> None:
    done = labelled("g g g u n")
    assert [line["label"] for line in lines(here)] == [1, 1, 1, None, 0]
    assert "saved: genuine. All cases of this round have been shown" in done.output
    labelled("u b")
    assert [line["label"] for line in lines(here)][5:] == [None, 0.5]


def test_undo_with_nothing_before_says_so(here: Path) -> None:
    assert "nothing to undo" in labelled("u q").output


def test_undo_in_a_later_session_takes_back_the_last_label_of_the_one_before(here: Path) -> None:
    labelled("g q")
    labelled("u q")
    assert lines(here)[-1]["label"] is None
    assert "Case 1 of 3" in labelled("q").output


def test_a_comment_is_saved_with_the_label(here: Path) -> None:
    done = typed("secret-model", "--rater", "ann", lines="c\nsaid\x1b[31m elsewhere\ng\nc twice the same\nn\nb")
    assert done.exit_code == 0
    assert [line["note"] for line in lines(here)] == ["said elsewhere", "twice the same", None]


def test_a_comment_on_a_case_that_is_skipped_is_said_to_be_lost(here: Path) -> None:
    done = typed("secret-model", "--rater", "ann", lines="c hm\ns\nq\n")
    assert "skipped; the comment is not kept" in done.output


def test_the_document_is_searched_and_paged(here: Path) -> None:
    done = typed("secret-model", "--rater", "ann", lines="/fortnight\n/\ntaxi\nd\nD\nr\n?\nxyz\nq\n")
    assert '"fortnight": 1 of 1 place' in done.output and '"taxi" is nowhere in the document' in done.output
    assert "'xyz' is no key here" in done.output and "take the last label back" in done.output
    assert not (here / "d" / "labels").exists()


@pytest.mark.parametrize("keys", ["genuine", "G", "2", "yes", "10", "gg", "1.0"])
def test_what_is_no_key_is_no_label(here: Path, keys: str) -> None:
    assert "is no key here" in labelled(f"{keys} q").output
    assert not (here / "d" / "labels").exists()


def test_bytes_that_are_no_text_are_no_key(here: Path) -> None:
    done = CliRunner().invoke(label, ["secret-model", "--rater", "ann"], input=b"\xff\xfe\n\x00\n\x1b[2J\ng\nq\n")
    assert done.exit_code == 0 and done.output.count("is no key here") == 3 and "\x1b" not in done.output
    assert len(lines(here)) == 1


def test_a_limit_ends_the_round(here: Path) -> None:
    done = labelled("g g g", "--limit", 2)
    assert "2 left in this round" in done.output and "ann has labelled 2 of 3" in done.output
    assert len(lines(here)) == 2


def test_raters_of_a_sample_label_the_same_cases(here: Path) -> None:
    for rater in ("ann", "bob"):
        labelled("g g g", "--sample", 2, rater=rater)
    drawn = {case.id for case in sample(run_cases(Path(RUN)), 2, 1)}
    assert {line["case"] for line in lines(here)} == {line["case"] for line in lines(here, "bob")} == drawn


def test_one_reviewers_findings_can_be_labelled_alone(here: Path) -> None:
    assert "Case 1 of 2" in labelled("q", "--reviewer", "owner-probe").output
    assert "did you mean owner-probe" in refused("secret-model", "--rater", "ann", "--reviewer", "owner")


def test_agreement_is_told_with_intervals_and_what_is_disputed(here: Path) -> None:
    labelled("g g g")
    labelled("g g g", rater="bob")
    write_lines(
        here / "d" / "labels" / "eve.jsonl",
        *(
            {"case": case.id, "rater": "eve", "label": value, "at": "2026-01-01"}
            for case, value in zip(run_cases(Path(RUN)), (1, 0, 0.5), strict=True)
        ),
    )
    told = typed("secret-model", "--kappa").output
    assert re.search(r"ann and eve +3 +33 % \[\d+ %, \d+ %\] +0\.00 \[", told)
    assert re.search(r"ann and bob +3 +100 % \[\d+ %, 100 %\] +—", told)
    assert "2 cases with different labels" in told and "Timetable contradicts itself" in told
    found = json.loads(typed("secret-model", "--kappa", "--json").stdout)
    assert [rater["rater"] for rater in found["raters"]] == ["ann", "bob", "eve"] and found["cases"] == 3
    by_pair = {tuple(pair["raters"]): pair for pair in found["pairs"]}
    assert by_pair["ann", "eve"]["n"] == 3
    assert by_pair["ann", "eve"]["agreement"]["value"] == pytest.approx(1 / 3)
    assert "nothing to agree on beyond chance" in by_pair["ann", "bob"]["kappa"]["withheld"]
    assert found["disagreements"][0]["labels"] == {"ann": 1, "bob": 1, "eve": 0}


def test_agreement_of_fewer_than_two_raters_is_explained(here: Path) -> None:
    assert (
        "Agreement needs two raters, and nobody has labelled these cases."
        in typed("secret-model", "--kappa").output
    )
    labelled("g q")
    assert "only ann has labelled" in typed("secret-model", "--kappa").output
    assert json.loads(typed("secret-model", "--kappa", "--json").stdout)["pairs"] == []


def test_the_list_tells_who_has_labelled_what_and_not_how(here: Path) -> None:
    labelled("g q")
    labelled("n n q", rater="bob")
    told = typed("secret-model", "--list").output
    assert "ann 1 of 3, bob 2 of 3" in told and "genuine" not in told
    found = json.loads(typed("secret-model", "--list", "--json").stdout)
    by_case = {case["case"]: case["labelled_by"] for case in found["cases"]}
    assert by_case[order()[0].id].count("ann") == 1 and found["labelled"] == {"ann": 1, "bob": 2}
    assert "label" not in {key for case in found["cases"] for key in case}


def test_a_run_without_findings_has_nothing_to_label(here: Path) -> None:
    review(here / "none.db", here / "d", Scripted('{"findings": []}'), None)
    done = typed("none.db", "--rater", "ann", keys="g")
    assert done.exit_code == 0 and "Nothing to label in none: its 1 output (1 explicit none)" in done.output
    assert "Nothing to label" in typed("none.db", "--list").output


def test_wrong_commands_are_explained(here: Path) -> None:
    assert "--rater NAME is missing" in refused("secret-model")
    labelled("g q")
    assert "(so far: ann)" in refused("secret-model")
    assert "a short name" in refused("secret-model", "--rater", "../ann")
    assert "ask one at a time" in refused("secret-model", "--kappa", "--list")
    assert "--json goes with --kappa or --list" in refused("secret-model", "--rater", "ann", "--json")
    assert "there is no run 'nowhere'" in refused("nowhere", "--rater", "ann")


def test_a_name_close_to_another_raters_is_pointed_out(here: Path) -> None:
    labelled("g q")
    done = labelled("q", rater="anne")
    assert "anne has not labelled anything here yet; did you mean ann?" in done.output


def test_a_dataset_that_has_moved_is_found_where_one_says(here: Path) -> None:
    (here / "d").rename(here / "elsewhere")
    assert "say with --dataset DIR where it is now" in refused("secret-model", "--rater", "ann", keys="g")
    labelled("g q", "--dataset", "elsewhere")
    assert len(read_lines(here / "elsewhere" / "labels" / "ann.jsonl")) == 1


def test_labels_are_not_written_into_what_comes_with_fiducial(here: Path) -> None:
    review(here / "shipped.db", SHIPPED / "tide-gauge", Scripted(as_output()), None)
    assert "comes with Fiducial" in refused("shipped.db", "--rater", "ann", keys="g")
    shutil.copytree(SHIPPED / "tide-gauge", here / "own")
    assert typed("shipped.db", "--rater", "ann", "--dataset", "own", keys="g").exit_code == 0
    assert read_lines(here / "own" / "labels" / "ann.jsonl")[0]["label"] == 1


def test_a_damaged_label_is_named_with_file_and_line_and_nothing_is_asked(here: Path) -> None:
    write_lines(here / "d" / "labels" / "bob.jsonl", {"case": "a", "rater": "bob", "label": 3, "at": "2026"})
    assert re.search(r'bob\.jsonl, line 1: "label" is 3', refused("secret-model", "--rater", "ann", keys="g"))
    assert not (here / "d" / "labels" / "ann.jsonl").exists()


def test_help_names_every_key() -> None:
    told = typed("--help").output
    assert all(word in told for word in ("--sample", "--kappa", "--list", "genuine", "undo", "--dataset"))

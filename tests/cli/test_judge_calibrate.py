"""`fiducial judge calibrate` and `fiducial judge show`, as somebody would use them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fiducial.cli.judge_calibrate import calibrate
from fiducial.cli.judge_show import show
from fiducial.errors import FiducialError, Incomplete, UsageError
from fiducial.judge.asking import Judge
from fiducial.judge.calibration import find, load
from fiducial.judge.case import version
from fiducial.judge.prompt import prompt_text
from fiducial.judge.wording import Wording
from fiducial.run.store import Store

JUDGE = "sim/judge:sensitivity=.8,specificity=.9,borderline=.05"
PLANTED = ("--task", "genuine", "--set", "planted:tide-gauge", "--cases", "60")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ran(*words: str, command: Any = calibrate) -> Result:
    return CliRunner().invoke(command, words, catch_exceptions=False)


def labels(path: Path, n: int = 60) -> Path:
    rows = [
        {"id": k, "document": "The last bus leaves at 04:30.", "text": f"Finding {k}", "label": k % 2}
        for k in range(n)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def calls(run: str) -> int:
    with Store(Path(run)) as store:
        return store.progressed().calls


def test_a_planted_set_gives_a_calibration_that_runs_find_again(here: Path) -> None:
    done = ran("--judge", JUDGE, *PLANTED)
    assert done.exit_code == 0
    assert done.stderr.startswith(
        "100 calls: 60 cases (30 labelled 1, 30 labelled 0), 40 of them asked 2 times -> runs/"
    )
    assert "What it gets wrong" in done.stdout and "Of 100 findings that are genuine" in done.stdout
    found = find(Judge(model=JUDGE, prompt=version("genuine", "design"), task="genuine", about="design"))
    assert found is not None and found.basis == "planted" and not found.exploratory
    assert found.sensitivity.value == pytest.approx(0.8, abs=0.25)


def test_repeating_the_command_costs_nothing_and_changes_nothing(here: Path) -> None:
    first = json.loads(ran("--judge", JUDGE, *PLANTED, "--json").stdout)
    before = calls(first["run"])
    again = json.loads(ran("--judge", JUDGE, *PLANTED, "--json").stdout)
    assert again == first and calls(first["run"]) == before >= 100
    (one,) = first["calibrations"]
    assert first["files"] == [f"calibrations/{one['name']}.json"]
    assert {"sensitivity", "specificity", "kappa", "base_rate", "calibration_error", "borderline"} < one.keys()
    assert len(list(here.glob("calibrations/*.json"))) == 1


def test_a_run_that_stopped_is_continued_by_the_same_command(here: Path) -> None:
    with pytest.raises(Incomplete) as stopped:
        ran("--judge", JUDGE, *PLANTED, "--budget", "calls=20")
    assert stopped.value.exit_code == 3 and "no calibration was written" in str(stopped.value)
    assert "Continue with:\n  fiducial" in str(stopped.value)
    assert not (here / "calibrations").exists()
    done = ran("--judge", JUDGE, *PLANTED)
    assert done.exit_code == 0 and "there already; continuing" in done.stderr
    assert len(list(here.glob("runs/*.db"))) == 1


@pytest.mark.parametrize(("floor", "code"), [("0.2", 0), ("0.99", 1)])
def test_a_floor_that_is_not_met_is_exit_code_1_and_the_calibration_stays(
    here: Path, floor: str, code: int
) -> None:
    done = ran("--judge", JUDGE, *PLANTED, "--min-sensitivity", floor, "--min-specificity", "0.1")
    assert done.exit_code == code
    assert f"sensitivity of at least {float(floor):.2f}: {'not met' if code else 'met'}" in done.stdout
    (path,) = here.glob("calibrations/*.json")
    assert load(path).below == (["sensitivity"] if code else [])


@pytest.mark.parametrize(
    ("task", "name"),
    [("match", "tide-gauge"), ("zero_shot", "tide-gauge"), ("read", "anchoring_effect,loss_aversion")],
)
def test_every_task_can_be_calibrated_on_planted_material(task: str, name: str) -> None:
    done = ran("--judge", JUDGE, "--task", task, "--set", f"planted:{name}", "--cases", "40", "--json")
    (one,) = json.loads(done.stdout)["calibrations"]
    assert done.exit_code == 0 and one["task"] == task and one["exploratory"]
    assert one["positives"] == one["negatives"] == 20
    assert one["sensitivity"]["low"] < one["sensitivity"]["value"] <= one["sensitivity"]["high"]


def test_labels_of_people_are_taken_from_a_file_and_what_has_none_is_said(here: Path) -> None:
    path = labels(here / "cases.jsonl")
    with path.open("a", encoding="utf-8") as file:
        file.write('{"document": "d", "text": "unsure", "label": 0.5}\n')
    done = ran("--judge", JUDGE, "--task", "genuine", "--set", f"labels:{path}", "--json")
    found = json.loads(done.stdout)
    assert "left out: 1 labelled 0.5" in done.stderr and found["left_out"] == {"labelled 0.5": 1}
    assert found["calibrations"][0]["basis"] == "labels"


def test_a_prompt_of_ones_own_is_tried_on_the_holdout_half_unless_told_otherwise(here: Path) -> None:
    own = prompt_text("genuine").replace("You check a finding", "You look hard at a finding")
    (here / "own.txt").write_text(own, "utf-8")
    done = ran("--judge", JUDGE, *PLANTED, "--prompt", "own.txt", "--json")
    (one,) = json.loads(done.stdout)["calibrations"]
    assert "half holdout" in done.stderr and one["half"] == "holdout"
    assert one["prompt_hash"] == version("genuine", "design", Wording(template=own))
    tuned = ran("--judge", JUDGE, *PLANTED, "--prompt", "own.txt", "--half", "dev", "--json")
    (other,) = json.loads(tuned.stdout)["calibrations"]
    assert "half holdout" not in tuned.stderr and other["half"] == "dev" and other["name"] != one["name"]


def test_the_dev_half_is_written_and_never_found_by_a_run() -> None:
    assert ran("--judge", JUDGE, *PLANTED, "--half", "dev").exit_code == 0
    assert find(Judge(model=JUDGE, prompt=version("genuine", "design"), task="genuine")) is None
    assert "dev half: not used" in " ".join(ran(command=show).stdout.split())


def test_the_shipped_prompt_given_as_a_file_is_the_shipped_prompt(here: Path) -> None:
    (here / "same.txt").write_text(prompt_text("genuine") + "\n", "utf-8")
    done = ran("--judge", JUDGE, *PLANTED, "--prompt", "same.txt", "--half", "all", "--json")
    assert "this is the shipped prompt" in done.stderr
    assert json.loads(done.stdout)["calibrations"][0]["prompt_hash"] == version("genuine", "design")


def test_a_panel_is_calibrated_with_its_seats_and_runs_of_its_seats_are_used_again(here: Path) -> None:
    seats = [f"{JUDGE},seed={k}" for k in range(3)]
    path = labels(here / "cases.jsonl")
    alone = ("--task", "genuine", "--set", f"labels:{path}", "--json")
    before = json.loads(ran("--judge", seats[0], *alone).stdout)
    spent = calls(before["run"])
    words = [word for seat in seats for word in ("--judge", seat)]
    found = json.loads(ran(*words, *alone).stdout)
    assert [one["model"] for one in found["calibrations"]] == [" + ".join(seats), *seats]
    assert found["run"][0] == before["run"] and calls(before["run"]) == spent
    assert len(list(here.glob("calibrations/*.json"))) == 4
    with pytest.raises(UsageError, match="--out names one run file"):
        ran(*words, *alone, "--out", "x.db")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--judge", "sim/judge:sensitivity=2,specificity=1", *PLANTED), '"sensitivity" is 2'),
        (("--judge", JUDGE, "--task", "genuine", "--set", "planted:tide-gage"), r"did you mean tide-gauge\?"),
        (("--judge", JUDGE, "--task", "genuine", "--set", "tide-gauge"), "Write planted:DATASET or labels:FILE"),
        (("--judge", JUDGE, *PLANTED, "--reuse", "x"), "--reuse"),
        (("--judge", JUDGE, "--judge", JUDGE, *PLANTED), "given twice"),
        (("--judge", JUDGE, *PLANTED, "--prompt", "bad.txt"), r"bad\.txt: a prompt for the task genuine needs"),
        (("--judge", JUDGE, *PLANTED, "--prompt", "latin.txt"), r"latin\.txt: not UTF-8"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_asked(here: Path, words: tuple[str, ...], said: str) -> None:
    (here / "bad.txt").write_text("Is it genuine?", "utf-8")
    (here / "latin.txt").write_bytes(b"\xe4\xf6\xfc")
    with pytest.raises(FiducialError, match=said):
        ran(*words)
    assert not (here / "runs").exists() and not (here / "calibrations").exists()


def test_a_task_that_does_not_exist_is_refused_by_click() -> None:
    done = ran("--judge", JUDGE, "--task", "genuin", "--set", "planted:tide-gauge")
    assert done.exit_code == 2 and "genuine" in done.stderr


# --- show


def test_show_lists_all_and_one_in_full_by_part_of_its_name(here: Path) -> None:
    assert "no calibrations in calibrations/" in ran(command=show).stdout
    ran("--judge", JUDGE, *PLANTED)
    ran("--judge", JUDGE, "--task", "zero_shot", "--set", "planted:tide-gauge", "--cases", "20")
    names = [path.stem for path in sorted(here.glob("calibrations/*.json"))]
    listed = "".join(ran(command=show).stdout.split())
    assert "holds" in listed and "exploratory" in listed and "planted" in listed
    for word in (names[0], f"{names[0]}.json", "genuine", f"calibrations/{names[0]}.json"):
        assert ran(word, command=show).stdout.startswith(f"Calibration {names[0]}")
    full = json.loads(ran("genuine", "--json", command=show).stdout)
    assert full["name"] == names[0]
    assert [one["name"] for one in json.loads(ran("--json", command=show).stdout)["calibrations"]] == names


def test_show_names_the_nearest_and_says_where_a_name_is_not_enough(here: Path) -> None:
    ran("--judge", JUDGE, *PLANTED)
    ran("--judge", JUDGE, *PLANTED, "--half", "holdout")
    with pytest.raises(UsageError, match="fits several calibrations"):
        ran("genuine", command=show)
    with pytest.raises(UsageError, match=r"there is no calibration 'genuinely'.*\(there are: genuine-"):
        ran("genuinely", command=show)


def test_a_broken_file_does_not_hide_the_others(here: Path) -> None:
    ran("--judge", JUDGE, *PLANTED)
    (here / "calibrations" / "broken.json").write_text('{"task": "\x1b[31m"}', "utf-8")
    done = ran(command=show)
    assert done.exit_code == 0 and "sens." in done.stdout
    assert "broken.json: no calibration" in done.stderr and "\x1b" not in done.stderr
    assert "broken" in json.loads(ran("--json", command=show).stdout)["unreadable"]
    with pytest.raises(UsageError, match=r"broken\.json: no calibration"):
        ran("broken", command=show)

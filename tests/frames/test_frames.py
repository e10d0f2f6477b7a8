from __future__ import annotations

import csv
import json
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

from fiducial import api
from fiducial.cli.main import fiducial
from fiducial.errors import UsageError
from fiducial.frames import TABLES, Frames, export_table
from fiducial.frames.tables import document
from fiducial.model.request import WireRequest
from fiducial.run.columns import polars_schema
from tests.review.standins import Judging, Scripted, as_output, found, make_dataset, review, verdict

DOCS = Path(__file__).parents[2] / "docs"
MUST_FIND: list[dict[str, object]] = [
    {"id": "last-bus", "title": "Timetable contradicts itself", "issue": "Two times for the last bus."},
    {"id": "fares", "title": "Fares", "issue": "Nothing on fares for groups."},
]


class Vague:
    """Answers so that the rules abstain; a judge has to read it."""

    name, remote = "vague", False

    async def generate(self, request: WireRequest) -> str:
        return "Either of the two has something for it, and I lean one way and then the other."


class Reads:
    """A judge that only reads: it says that nothing was committed to, or no JSON at all."""

    name, remote = "reads", False

    def __init__(self) -> None:
        self.calls = 0

    async def generate(self, request: WireRequest) -> str:
        self.calls += 1
        return "no verdict" if "Saturday" in request.messages[0].text else '{"quotation": null, "answer": null}'


@pytest.fixture(scope="module")
def bias(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bias") / "b.db"
    options = {"biases": ["gain_loss_framing"], "arms": ["control", "strong"], "trials": 1, "progress": False}
    api.bias_run("sim/planted:effect=.4", out=path, protocols=["standard", "context"], **options)  # type: ignore[arg-type]
    return path


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two judges: they agree on all but the findings about complaints, and one never answers about children."""
    root = tmp_path_factory.mktemp("review")
    dataset = make_dataset(root / "night", MUST_FIND)

    def genuine(about: str, before: int) -> str:
        return "no verdict" if "children" in about else verdict()

    def match(about: str, before: int) -> str:
        if "bus" in about:
            return found(2, "Buses run until 05:00, yet the last bus leaves at 04:30.")
        return json.dumps({"finding": None, "quotation": None, "verdict": "not_found"})

    strict = Judging(lambda about, before: verdict("not_genuine" if "complaints" in about else "genuine"), match)
    path = root / "r.db"
    outputs = Scripted(as_output(), "No findings: the document is complete.")
    review(path, dataset, outputs, {"py/a": Judging(genuine, match), "py/b": strict}, runs=2)
    return path


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("judge") / "j.db"
    spec = "sim/judge:sensitivity=.9,specificity=.7,borderline=.1"
    api.judge_calibrate(
        spec, task="genuine", set="planted:tide-gauge", cases=20, repeats=1, folder=None, progress=False, out=path
    )
    return path


def holds_its_promises(frame: pl.DataFrame, name: str) -> None:
    columns = TABLES[name].columns
    assert frame.schema == polars_schema(columns)
    for column in columns:
        values = frame[column.name]
        assert column.nullable or values.null_count() == 0, f"{name}.{column.name} is empty somewhere"
        if column.values:
            assert set(values.drop_nulls().unique()) <= set(column.values), f"{name}.{column.name}"


@pytest.mark.parametrize("name", TABLES)
def test_every_table_of_every_run_has_the_documented_columns(
    bias: Path, reviewed: Path, judged: Path, name: str
) -> None:
    for path, made in ((bias, "bias runs"), (reviewed, "review runs"), (judged, "runs of `fiducial judge`")):
        frame = Frames(path).table(name)
        holds_its_promises(frame, name)
        if made not in TABLES[name].made_by:
            assert frame.height == 0


def test_the_page_documents_the_columns_as_they_are() -> None:
    assert (DOCS / "data.md").read_text(encoding="utf-8").endswith(document())


def test_effects_are_those_of_the_result_whole_and_by_part(bias: Path) -> None:
    run, frame = api.BiasRun(bias), Frames(bias).effects
    (whole,) = frame.filter(level="bias").iter_rows(named=True)
    effect = run.effect("gain_loss_framing")
    assert isinstance(effect, api.Withheld) is (whole["value"] is None)
    assert {name: whole[name] for name in ("value", "low", "high", "n", "p", "q")} == {
        name: getattr(effect, name) for name in ("value", "low", "high", "n", "p", "q")
    }
    parts = frame.filter(pl.col("level") != "bias")
    assert set(parts.filter(level="intensity")["name"]) == {"strong"}
    assert parts.filter(level="domain").height == len(run.bias("gain_loss_framing").by_domain)
    assert parts.filter(pl.col("value").is_null())["withheld"].null_count() == 0
    assert parts.filter(pl.col("value").is_not_null())["withheld"].drop_nulls().len() == 0


def test_scores_joined_to_trials_give_the_effect_of_an_item(bias: Path) -> None:
    frames = Frames(bias)
    joined = frames.trials.join(frames.readings, on="trial").filter(protocol="standard", column="strong")
    means = joined.group_by("scenario").agg(
        effect=pl.col("score").filter(sign=1).mean() - pl.col("score").filter(sign=-1).mean()
    )
    items = frames.items.filter(intensity="strong").join(means, on="scenario")
    assert items.height == frames.items.filter(intensity="strong").height > 0
    for row in items.iter_rows(named=True):
        assert row["value"] == pytest.approx(row["effect"])


def test_protocols_come_with_their_estimate_first(bias: Path) -> None:
    frame = Frames(bias).protocols
    assert frame["group"][0] == "estimate" and frame.height > 1
    assert set(frame["protocol"]) == {"context"}


def test_a_reading_judge_has_its_verdicts_and_failures_in_the_frame(tmp_path: Path) -> None:
    reads = Reads()
    run = api.bias_run(
        Vague(),
        judge=reads,
        biases=["gain_loss_framing"],
        arms=["control", "weak"],
        trials=1,
        progress=False,
        out=tmp_path / "v.db",
    )
    frame = run.frames.verdicts
    holds_its_promises(frame, "verdicts")
    assert frame.height == run.frames.replies.filter(role="subject").height > 0
    assert set(frame["judge"]) == {"py/reads"} and set(frame["task"]) == {"read"}
    assert run.result.judge is not None
    assert frame.filter(state="verdict").height == run.result.judge.none
    assert frame.filter(state="invalid").height == run.result.judge.invalid


def test_a_panel_has_a_row_for_what_it_decided_and_one_for_each_vote(reviewed: Path) -> None:
    frame = Frames(reviewed).verdicts
    genuine = frame.filter(task="genuine", repetition=0)
    assert genuine.filter(seat=False).height == 3 and genuine.filter(seat=True).height == 6
    assert set(genuine.filter(seat=False)["judge"]) == {"py/a + py/b"}
    of_complaints = genuine.filter(pl.col("title").str.contains("complaints"))
    assert dict(of_complaints.select("judge", "verdict").iter_rows()) == {
        "py/a": "genuine",
        "py/b": "not_genuine",
        "py/a + py/b": "borderline",
    }
    (nothing,) = genuine.filter(judge="py/a", state="invalid").iter_rows(named=True)
    assert nothing["verdict"] is None and nothing["score"] is None and nothing["reason"]


def test_what_was_looked_through_without_a_call_names_no_judge(reviewed: Path) -> None:
    frame = Frames(reviewed).verdicts.filter(task="match")
    unasked = frame.filter(repetition=1)
    assert unasked["judge"].null_count() == unasked.height == 2
    assert set(unasked["verdict"]) == {"not_found"}
    asked = frame.filter(repetition=0, seat=False)
    assert dict(asked.select("must_find", "verdict").iter_rows()) == {"last-bus": "found", "fares": "not_found"}
    assert asked.filter(must_find="last-bus")["finding"].to_list() == [2]


def test_findings_and_figures_of_a_reviewer_are_those_of_the_result(reviewed: Path) -> None:
    run, frames = api.ReviewRun(reviewed), Frames(reviewed)
    assert frames.findings.filter(duplicate=False).height == 3
    figures = frames.reviewers
    precision = run.reviewer().precision
    (row,) = figures.filter(measure="precision").iter_rows(named=True)
    assert (row["value"], row["low"], row["high"], row["n"]) == (
        precision.value,
        precision.low,
        precision.high,
        precision.n,
    )
    rates = dict(figures.filter(measure="must_find").select("name", "value").iter_rows())
    assert rates == {"last-bus": 0.5, "fares": 0.0}


def test_a_judge_on_trial_has_its_verdicts_beside_the_labels(judged: Path) -> None:
    frames = Frames(judged)
    (calibration,) = api.JudgeRun(judged).calibrations
    rates = {row["rate"]: row for row in frames.rates.iter_rows(named=True)}
    assert rates["sensitivity"]["value"] == calibration.sensitivity.value
    mean = frames.verdicts.filter(label=1, state="verdict")["score"].mean()
    assert mean == pytest.approx(calibration.sensitivity.value)
    assert frames.verdicts.height == 20


@pytest.mark.parametrize("name", ["trials", "readings", "effects", "items", "protocols", "audit", "replies"])
def test_parquet_holds_the_frame_to_the_byte(bias: Path, tmp_path: Path, name: str) -> None:
    target = tmp_path / "t.parquet"
    assert export_table(bias, name, target, "parquet") == Frames(bias).table(name).height > 0
    assert pl.read_parquet(target).equals(Frames(bias).table(name))


def test_the_command_exports_replies_unless_told_otherwise(
    reviewed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(fiducial, ["export", str(reviewed), "--format", "parquet"])
    assert done.exit_code == 0 and done.output.startswith("r.parquet: ")
    assert pl.read_parquet("r.parquet").schema == polars_schema(TABLES["replies"].columns)
    CliRunner().invoke(fiducial, ["export", str(reviewed), "--format", "csv", "--what", "verdicts", "--no-text"])
    content = Path("r-verdicts.csv").read_text(encoding="utf-8")
    assert "last bus" not in content.lower() and "Complaints" not in content
    with Path("r-verdicts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["score"] for row in rows] == [
        "" if row["score"] is None else str(row["score"]) for row in Frames(reviewed).verdicts.iter_rows(named=True)
    ]


def test_texts_are_left_out_of_every_table_for_sharing(reviewed: Path) -> None:
    frames = Frames(reviewed)
    for name in TABLES:
        shared = json.dumps(list(frames.rows(name, texts=False)), default=str)
        for written in ("responsible for complaints", "05:00, yet", "Complaints are answered", "children pay"):
            assert written not in shared, f"{name}: {written}"


def test_an_unknown_table_names_those_there_are(bias: Path) -> None:
    with pytest.raises(UsageError, match="'effect' is no table; there are: replies, trials"):
        Frames(bias).table("effect")

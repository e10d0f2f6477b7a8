"""The artefact: what is written is found again, by the right judge, as long as it holds."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fiducial.errors import UsageError
from fiducial.judge.asking import Judge
from fiducial.judge.calibration import (
    LARGEST,
    Calibration,
    Counts,
    Rate,
    Rates,
    calibrations,
    find,
    load,
    pooled,
    save,
)
from fiducial.stats.estimate import Estimate, Withheld
from tests.judge.made import GOOD, NONE, calibration

JUDGE = Judge(model="openai/gpt-x", prompt="p1", task="genuine", about="design")


def made(**changes: Any) -> Calibration:
    return calibration(
        **{
            "set": "planted:tide-gauge",
            "basis": "planted",
            "categories": {"style": Rates(sensitivity=NONE, specificity=GOOD)},
            "counts": [Counts(label=1, n=2, total=1.5, squares=1.25), Counts(label=0, n=3, total=1.0, squares=1.0)],
            **changes,
        }
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"sensitivity": Rate(value=7.0, low=0.1, high=0.2)}, "outside 0 to 1"),
        ({"counts": [Counts(label=1, n=2, total=3.0, squares=1.0)]}, "contradict each other"),
        ({"counts": [Counts(label=5, n=2, total=1.0, squares=1.0)]}, "contradict each other"),
    ],
)
def test_numbers_that_no_calibration_has_are_refused(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = save(made(**changes), folder=tmp_path)
    with pytest.raises(UsageError, match=said):
        load(path)


def test_what_is_written_is_read_again_to_the_last_number(tmp_path: Path) -> None:
    path = save(made(), folder=tmp_path / "calibrations")
    assert path.name == "one.json"
    assert load(path) == made()
    assert load(path).calibration_error.measured == Withheld("not asked for")
    assert load(path).sensitivity.measured == Estimate(value=0.9, low=0.8, high=0.95, n=60, method="Wilson")


def test_a_calibration_goes_by_the_name_of_its_file(tmp_path: Path) -> None:
    path = save(made(), folder=tmp_path)
    assert load(path.rename(tmp_path / "other.json")).name == "other"


def test_it_holds_on_its_last_day_and_no_longer() -> None:
    assert not made().expired(date(2026, 5, 30))
    assert made().expired(date(2026, 5, 31))


def test_bounds_that_are_not_known_are_none_and_not_zero() -> None:
    assert made().sensitivity_low == 0.8 and made().false_high == pytest.approx(0.2)
    blind = made(sensitivity=NONE, specificity=NONE)
    assert (blind.sensitivity_low, blind.false_high) == (None, None)


@pytest.mark.parametrize(
    "changes", [{"model": "openai/gpt-y"}, {"prompt_hash": "p2"}, {"task": "match"}, {"half": "dev"}]
)
def test_of_another_model_prompt_or_task_or_of_the_half_for_tuning_none_is_found(
    tmp_path: Path, changes: dict[str, str]
) -> None:
    save(made(**changes), folder=tmp_path)
    assert find(JUDGE, folder=tmp_path) is None


def test_labels_of_people_come_before_planted_ones_and_then_what_holds_longest(tmp_path: Path) -> None:
    assert find(JUDGE, folder=tmp_path / "missing") is None
    save(made(name="planted-long", expires="2031-01-01"), folder=tmp_path)
    save(made(name="planted-short"), folder=tmp_path)
    found = find(JUDGE, folder=tmp_path)
    assert found is not None and found.name == "planted-long"
    save(made(name="people-short", basis="labels", half="holdout"), folder=tmp_path)
    save(made(name="people-long", basis="labels", expires="2026-06-01"), folder=tmp_path)
    found = find(JUDGE, folder=tmp_path)
    assert found is not None and found.name == "people-long"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not JSON",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b'{"task": "genuine"}',
        b"[" * 100_000,
        msgspec.json.encode(made(expires="some day")),
        msgspec.json.encode({**msgspec.to_builtins(made()), "sensitivity": "high"}),
        msgspec.json.encode({**msgspec.to_builtins(made()), "basis": "hearsay"}),
    ],
)
def test_a_file_that_is_no_calibration_is_refused_by_its_name(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.json").write_bytes(content)
    with pytest.raises(UsageError, match=r"bad\.json: no calibration"):
        load(tmp_path / "bad.json")
    with pytest.raises(UsageError, match=r"bad\.json"):
        find(JUDGE, folder=tmp_path)


def test_a_file_far_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(UsageError, match="far too large"):
        load(path)


def test_calibrations_are_listed_by_name(tmp_path: Path) -> None:
    for name in ("b", "a"):
        save(made(name=name), folder=tmp_path)
    assert [one.name for one in calibrations(tmp_path)] == ["a", "b"]


def test_counts_of_a_label_are_added_up() -> None:
    counts = [*made().counts, Counts(label=1, n=1, total=1.0, squares=1.0, category="style")]
    assert pooled(counts, 1) == (3, 2.5, 2.25)
    assert pooled(counts, 0) == (3, 1.0, 1.0)
    assert pooled([], 1) == (0, 0, 0)

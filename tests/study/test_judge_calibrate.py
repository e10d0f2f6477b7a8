"""From a simulated judge whose errors are known to its calibration."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fiducial.errors import UsageError
from fiducial.judge.calibration import Calibration, pooled, today
from fiducial.judge.case import Case, Task, version
from fiducial.judge.sitting import Answered, answered, ask_cases
from fiducial.judge.wording import Wording
from fiducial.model.names import open_model
from fiducial.model.sim.judge_spec import m0, m1, parse_judge_spec
from fiducial.run.budget import Budget
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent
from fiducial.run.store import Store
from fiducial.stats.estimate import Estimate, Withheld
from fiducial.study.judge_calibrate import calibrations_of
from fiducial.study.judge_trial import REPEATED, Trying, forecast, label_hash, made_on, prepare, waiting

DOCUMENT = "# Night buses\n\nBuses run every 20 minutes between 23:00 and 05:00.\n"
SPEC = "judge:sensitivity=.8,specificity=.7,borderline=.1,invalid=.05,consistency=.8"


def cases(task: Task = "genuine", n: int = 80, **more: object) -> tuple[Case, ...]:
    """Half of them true."""
    plain = Case(id="", task=task, document=DOCUMENT, text="")
    if task == "match":
        plain = msgspec.structs.replace(plain, findings=("Buses run every 20 minutes.", "No dogs."))
    if task == "read":
        plain = msgspec.structs.replace(plain, options=("A", "B"))
    found = []
    for k in range(n):
        own = msgspec.structs.replace(
            plain,
            id=f"{task}-{k}",
            text=f"Text {k} about the timetable of the buses.",
            label=k % 2,
            category=("style", "missing")[k % 4 // 2],
            group=f"g{k % 3}",
            **more,
        )
        if k % 2 and task == "match":
            own = msgspec.structs.replace(own, finding=1)
        if k % 2 and task == "read":
            own = msgspec.structs.replace(own, answer="A")
        found.append(own)
    return tuple(found)


def trying(own: tuple[Case, ...], spec: str = SPEC, **more: object) -> Trying:
    plain = Trying(judge=f"sim/{spec}", task=own[0].task, set="labels:x.jsonl", basis="labels", cases=own)
    return msgspec.structs.replace(plain, **more)


def asked(one: Trying, path: Path, *, budget: Budget | None = None) -> Path:
    made = prepare(one, day=today(), out=path)
    ask_cases(made, open_model(one.judge), limits=Limits(), budget=budget or Budget(), progress=Silent())
    return made


def calibrated(one: Trying, path: Path, **floors: float) -> Calibration:
    (found,) = calibrations_of(asked(one, path), floors=floors)
    return found


@pytest.mark.parametrize("task", ["genuine", "match", "zero_shot", "read"])
def test_the_errors_of_a_simulated_judge_are_found(tmp_path: Path, task: Task) -> None:
    found = calibrated(trying(cases(task, 600)), tmp_path / "c.db")
    spec = parse_judge_spec(SPEC)
    assert found.sensitivity.value == pytest.approx(m1(spec, task), abs=0.1)  # four standard errors
    assert found.specificity.value == pytest.approx(1 - m0(spec, task), abs=0.1)
    assert found.invalid.value == pytest.approx(0.05, abs=0.036)
    assert 270 <= found.positives <= 300 and found.base_rate == pytest.approx(0.5, abs=0.03)
    assert not found.exploratory
    if task in ("genuine", "match"):
        assert found.borderline.value == pytest.approx(0.1, abs=0.05)
    else:
        assert found.borderline.withheld == "the task has no verdict between yes and no"
    assert (found.calibration_error.value is None) == (task != "genuine")


def test_a_case_counts_once_however_often_it_is_asked(tmp_path: Path) -> None:
    one = calibrated(trying(cases(n=60), repeats=1), tmp_path / "1.db")
    five = calibrated(trying(cases(n=60), repeats=5), tmp_path / "5.db")
    assert (five.positives, five.negatives) == (one.positives, one.negatives)
    assert five.sensitivity.n <= 30 and five.invalid.n == 60
    first = [a for a in answered(tmp_path / "5.db") if a.repeat == 0]
    assert len(first) == 60 and sum(1 for _ in answered(tmp_path / "5.db")) == 60 + 4 * REPEATED
    assert one.consistency.withheld is not None
    assert five.consistency.n <= REPEATED


def test_how_steady_a_judge_is_is_seen_on_the_repeats(tmp_path: Path) -> None:
    steady = calibrated(trying(cases(), "judge:sensitivity=.8,specificity=.7"), tmp_path / "s.db")
    moody = calibrated(trying(cases(), "judge:sensitivity=.6,specificity=.6,consistency=0"), tmp_path / "m.db")
    assert (steady.consistency.value, steady.consistency.n) == (1.0, REPEATED)
    assert moody.consistency.high is not None and moody.consistency.high < 0.9


def test_counts_add_up_to_the_rates_by_category_and_group(tmp_path: Path) -> None:
    found = calibrated(trying(cases()), tmp_path / "c.db")
    n, total, squares = pooled(found.counts, 1)
    assert n == found.positives and found.sensitivity.value == pytest.approx(total / n)
    assert total / 2 <= squares <= total
    n, total, _ = pooled(found.counts, 0)
    assert n == found.negatives and found.specificity.value == pytest.approx(1 - total / n)
    assert {(c.category, c.group) for c in found.counts} <= {
        (c, f"g{k}") for c in ("style", "missing") for k in range(3)
    }
    assert found.categories.keys() == {"style", "missing"}
    assert sum(rates.sensitivity.n for rates in found.categories.values()) == found.positives


def test_fewer_than_25_of_a_class_are_exploratory(tmp_path: Path) -> None:
    spec = "judge:sensitivity=.8,specificity=.7"
    assert calibrated(trying(cases(n=48), spec), tmp_path / "a.db").exploratory
    assert not calibrated(trying(cases(n=50), spec), tmp_path / "b.db").exploratory


def test_a_floor_is_held_against_the_lower_bound_not_the_value(tmp_path: Path) -> None:
    found = calibrated(trying(cases()), tmp_path / "c.db")
    sensitivity, specificity = found.sensitivity.measured, found.specificity.measured
    assert isinstance(sensitivity, Estimate) and isinstance(specificity, Estimate)
    between = (sensitivity.low + sensitivity.value) / 2
    (again,) = calibrations_of(tmp_path / "c.db", floors={"sensitivity": between, "specificity": specificity.low})
    assert again.below == ["sensitivity"] and again.floors["specificity"] == specificity.low
    assert again.name == found.name


def test_it_is_bound_to_model_prompt_labels_set_and_half(tmp_path: Path) -> None:
    changes: list[Callable[[Trying], Trying]] = [
        lambda one: one,
        lambda one: msgspec.structs.replace(one, judge="sim/judge:sensitivity=.9,specificity=.9"),
        lambda one: msgspec.structs.replace(one, cases=one.cases[:-2]),
        lambda one: msgspec.structs.replace(one, cases=tuple(_relabelled(case) for case in one.cases)),
        lambda one: msgspec.structs.replace(one, half="holdout"),
        lambda one: msgspec.structs.replace(one, set="labels:other.jsonl"),
        lambda one: msgspec.structs.replace(one, wording=Wording(name="own", verdict_first=True)),
    ]
    names = [calibrated(change(trying(cases(n=20))), tmp_path / f"{k}.db").name for k, change in enumerate(changes)]
    assert len(set(names)) == len(names)
    assert all(name.startswith("genuine-") and "/" not in name for name in names)
    assert label_hash(cases()) == label_hash(cases()[::-1])


def _relabelled(case: Case) -> Case:
    assert case.label is not None
    return msgspec.structs.replace(case, label=1 - case.label)


def test_documents_of_two_types_have_two_prompts_and_two_calibrations(tmp_path: Path) -> None:
    plans = tuple(msgspec.structs.replace(c, id=f"p{c.id}", review_type="plan") for c in cases(n=30))
    found = calibrations_of(asked(trying((*cases(n=40), *plans)), tmp_path / "c.db"))
    assert sorted((one.about, one.prompt_hash) for one in found) == [
        ("design", version("genuine", "design")),
        ("plan", version("genuine", "plan")),
    ]
    assert len({one.name for one in found}) == 2
    sizes = {one.about: one.invalid.n for one in found}
    assert sizes == {"design": 40, "plan": 30}


def test_a_run_that_is_not_complete_gives_no_calibration_and_is_continued(tmp_path: Path) -> None:
    one = trying(cases(n=30))
    path = asked(one, tmp_path / "c.db", budget=Budget(calls=10))
    assert waiting(path) == one.calls - 10
    with pytest.raises(UsageError, match="not every case has been answered"):
        calibrations_of(path)
    found = calibrated(one, tmp_path / "c.db")
    whole = calibrated(one, tmp_path / "w.db")
    assert found.sensitivity == whole.sensitivity and found.name == whole.name


def test_the_day_is_that_of_the_last_reply_and_ninety_days_later_it_is_over(tmp_path: Path) -> None:
    found = calibrated(trying(cases(n=10)), tmp_path / "c.db")
    assert found.made == made_on(tmp_path / "c.db").isoformat()  # type: ignore[union-attr]
    assert date.fromisoformat(found.expires) - date.fromisoformat(found.made) == timedelta(days=90)
    assert found.run == "c"


def test_after_it_has_expired_the_same_command_asks_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    one = trying(cases(n=10))
    path = prepare(one, day=today())
    ask_cases(path, open_model(one.judge), limits=Limits(), budget=Budget(), progress=Silent())
    assert prepare(one, day=today() + timedelta(days=90)) == path
    later = prepare(one, day=today() + timedelta(days=91))
    assert later != path and waiting(later) == one.calls
    assert prepare(one, day=today() + timedelta(days=91)) == later
    out = asked(one, tmp_path / "own.db")
    with pytest.raises(UsageError, match="Name another --out"):
        prepare(one, day=today() + timedelta(days=91), out=out)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"set": "labels:y.jsonl"}, "set was 'labels:x.jsonl', is 'labels:y.jsonl'"),
        ({"cases": cases(n=8)}, "labels was"),
        ({"judge": "sim/judge:sensitivity=1,specificity=1"}, "model was"),
        ({"wording": Wording(name="own", fence=False)}, "its cases or wordings are others"),
    ],
)
def test_a_file_that_holds_another_run_is_refused(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    asked(trying(cases(n=10)), tmp_path / "c.db")
    with pytest.raises(UsageError, match=said):
        prepare(trying(cases(n=10), **change), day=today(), out=tmp_path / "c.db")


def test_a_panel_is_calibrated_as_the_one_judge_that_it_is(tmp_path: Path) -> None:
    own = cases(n=300)
    specs = [f"judge:sensitivity=.75,specificity=.75,seed={k}" for k in range(3)]
    paths = [asked(trying(own, spec), tmp_path / f"{k}.db") for k, spec in enumerate(specs)]
    (panel,) = calibrations_of(*paths)
    (seat,) = calibrations_of(paths[0])
    assert panel.model == " + ".join(f"sim/{spec}" for spec in specs)
    # three independent judges, right with probability .75 on average: a majority is right more often than one of them
    assert panel.sensitivity.value is not None and seat.sensitivity.high is not None
    assert panel.sensitivity.value > 0.8 and panel.specificity.value is not None and panel.specificity.value > 0.8
    assert panel.run == "0, 1, 2" and panel.name != seat.name
    other = asked(trying(cases(n=20), specs[1]), tmp_path / "o.db")
    with pytest.raises(UsageError, match="not of the same cases"):
        calibrations_of(paths[0], other)


def test_a_judge_that_gives_no_verdict_has_no_rates_and_is_not_called_wrong(tmp_path: Path) -> None:
    found = calibrated(
        trying(cases(n=30), "judge:sensitivity=1,specificity=1,invalid=1"), tmp_path / "c.db", sensitivity=0.1
    )
    assert isinstance(found.sensitivity.measured, Withheld) and isinstance(found.kappa.measured, Withheld)
    assert (found.positives, found.negatives, found.invalid.value, found.base_rate) == (0, 0, 1.0, None)
    assert found.exploratory and found.below == ["sensitivity"]
    assert isinstance(found.consistency.measured, Withheld)


def test_variants_of_one_document_are_one_document_and_peoples_cases_have_their_own(tmp_path: Path) -> None:
    many = tuple(
        msgspec.structs.replace(c, document=f"{DOCUMENT}{k // 2 % 10}") for k, c in enumerate(cases(n=100))
    )
    people = calibrated(trying(many), tmp_path / "l.db")
    assert people.sensitivity.n < 40 and "document" in people.sensitivity.method
    planted = calibrated(trying(many, basis="planted"), tmp_path / "p.db")
    assert planted.sensitivity.n > 40 and planted.sensitivity.method.endswith("for these documents only")


def test_the_forecast_counts_calls_and_names_money_only_where_there_is_some(tmp_path: Path) -> None:
    free = list(forecast(trying(cases(n=100)), tmp_path / "x.db"))
    assert len(free) == 1 and free[0].startswith("140 calls: 100 cases (50 labelled 1, 50 labelled 0), 40 of them")
    paid = list(forecast(trying(cases(n=100), judge="openai/unheard-of"), tmp_path / "x.db"))
    assert "tokens in" in paid[1] and "no price known" in paid[1]
    once = list(forecast(trying(cases(n=10), repeats=1), tmp_path / "x.db"))
    assert once[0].startswith("10 calls: 10 cases (5 labelled 1, 5 labelled 0) ->")


def test_what_a_case_is_labelled_is_in_no_request(tmp_path: Path) -> None:
    path = asked(trying(cases(n=6, urged=None)), tmp_path / "c.db")
    with Store(path) as store:
        roles = [role for role in store.roles() if role.startswith("judge:")]
        bodies = [
            store.body(reply.body).decode()
            for role in roles
            for reply in store.replies(role=role)
            if reply.body is not None
        ]
    assert len(bodies) >= 12
    assert not any(word in body for body in bodies for word in ('"label"', "genuine-1", '"truth"', "g1"))


def test_askings_know_their_case_and_repeat(tmp_path: Path) -> None:
    one = trying(cases(n=50))
    path = asked(one, tmp_path / "c.db")
    found: list[Answered] = list(answered(path))
    assert {a.case.id for a in found if a.repeat == 1} == set(one.repeated)
    assert len(found) == one.calls == 90

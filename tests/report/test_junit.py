from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiducial.report.junit import junit, write_junit
from fiducial.review.result import Gate, NoRecall, ReviewResult
from fiducial.run.audit import Check
from tests.report.hostile import HOSTILE
from tests.review.made_results import dataset, document, item, precision, recall, result, reviewed

replace = msgspec.structs.replace

SUITES = {"name", "tests", "failures", "errors", "time"}
SUITE = {"name", "tests", "failures", "errors", "skipped", "time"}
CASE = {"classname", "name", "time"}
INSIDE = {"skipped", "error", "failure", "system-out", "system-err"}


FAILED = Gate(result="failed", why=["see above"])


def parsed(
    made: ReviewResult, *, min_precision: float | None = None, strict: bool = False, must_finds: bool = True
) -> ET.Element:
    """The document, read back and held to the schema that CI servers share."""
    raw = junit(made, min_precision=min_precision, strict=strict, must_finds=must_finds)
    root = ET.fromstring(raw)
    assert root.tag == "testsuites" and set(root.attrib) == SUITES
    for suite in root:
        assert suite.tag == "testsuite" and set(suite.attrib) == SUITE
        assert re.fullmatch(r"\d+\.\d+", suite.attrib["time"])
        assert [child.tag for child in suite] == sorted(
            (c.tag for c in suite), key=["testcase", "system-err"].index
        )
        cases = suite.findall("testcase")
        assert int(suite.attrib["tests"]) == len(cases)
        for kind, tag in {"failures": "failure", "errors": "error", "skipped": "skipped"}.items():
            assert int(suite.attrib[kind]) == len(suite.findall(f"testcase/{tag}"))
        for case in cases:
            assert set(case.attrib) == CASE and len(case) <= 1 and {child.tag for child in case} <= INSIDE
        assert len({(c.attrib["classname"], c.attrib["name"]) for c in cases}) == len(cases)
    for total in ("tests", "failures", "errors"):
        assert int(root.attrib[total]) == sum(int(suite.attrib[total]) for suite in root)
    return root


def outcome(root: ET.Element, name: str) -> tuple[str, str]:
    """What became of the case whose name begins so, and its message."""
    (case,) = [c for c in root.iter("testcase") if c.attrib["name"].startswith(name)]
    if not len(case) or case[0].tag == "system-out":
        return "passed", "" if not len(case) else case[0].text or ""
    return case[0].tag, "\n".join(filter(None, [case[0].attrib["message"], case[0].text]))


def test_a_suite_a_reviewer_and_one_for_the_run() -> None:
    root = parsed(result(reviewed(name="a", recall=recall()), reviewed(name="b", recall=recall())))
    assert [suite.attrib["name"] for suite in root] == [
        "fiducial review data: a",
        "fiducial review data: b",
        "fiducial review data",
    ]
    assert root[0][0].attrib["classname"] == "fiducial.review.data.a"
    assert [suite.attrib["time"] for suite in root] == ["0.000", "0.000", "12.500"]


@pytest.mark.parametrize(
    ("gate", "expected"),
    [("met", "passed"), ("missed", "skipped"), ("inconclusive", "skipped"), ("not_enforced", "skipped")],
)
def test_a_must_find_passes_when_met_and_is_skipped_when_the_runs_do_not_decide(gate: str, expected: str) -> None:
    found = item("m1", 2, gate=gate)  # type: ignore[arg-type]
    what, message = outcome(parsed(result(reviewed(recall=recall(found)))), "must-find plan/m1")
    assert what == expected
    assert "found in 2 of 3 runs [0.10, 0.90]; asked for: 80 %" in message


def test_a_must_find_fails_only_where_the_gates_own_list_names_it() -> None:
    items = (item("m1", 0, gate="missed"), item("m2", 0, gate="missed"))
    root = parsed(result(reviewed(recall=recall(*items, missed=[items[1].place])), gate=FAILED))
    assert outcome(root, "must-find plan/m1")[0] == "skipped"
    assert outcome(root, "must-find plan/m2")[0] == "failure"


@pytest.mark.parametrize(
    ("p", "expected"), [(0.049, "failure"), (0.05, "passed"), (0.9, "passed"), (None, "skipped")]
)
def test_the_list_is_decided_at_its_exact_probability(p: float | None, expected: str) -> None:
    assert (
        outcome(parsed(result(reviewed(recall=recall(p=p)), gate=FAILED)), "must-finds, the whole list")[0]
        == expected
    )


@pytest.mark.parametrize(("gate", "expected"), [(None, "skipped"), (FAILED, "error")])
def test_without_a_list_there_is_the_reason_and_never_a_pass(gate: Gate | None, expected: str) -> None:
    made = result(reviewed(recall=NoRecall("there is no list")), gate=gate)
    what, message = outcome(parsed(made), "must-finds")
    assert what == expected and message.endswith("there is no list")


def test_a_must_find_without_a_verdict_is_an_error_of_ours() -> None:
    unknown = replace(item("m1", 0, runs=0, gate="not_enforced"), low=None, high=None)
    root = parsed(result(reviewed(recall=recall(unknown, p=None)), gate=FAILED))
    assert outcome(root, "must-find plan/m1") == ("error", "no run has a verdict on it")


def test_nothing_fails_where_no_gate_was_asked_for() -> None:
    """Else a server that counts failures would be a gate that was never found ready."""
    bad = reviewed(
        outputs={"malformed": 3}, recall=recall(lost := item("m1", 0, gate="missed"), p=0.001, missed=[lost.place])
    )
    root = parsed(result(bad), min_precision=0.99)
    assert (root.attrib["failures"], root.attrib["errors"]) == ("0", "0")
    assert outcome(root, "must-find plan/m1")[1].startswith("no gate was decided on this: found in 0 of 3")
    gated = parsed(result(bad, gate=FAILED), min_precision=0.99)
    assert gated.attrib["failures"] == "5"
    precision_only = parsed(result(bad, gate=FAILED), min_precision=0.99, must_finds=False)
    assert outcome(precision_only, "must-find plan/m1")[0] == "skipped"
    assert outcome(precision_only, "precision")[0] == "failure"


def test_every_status_that_a_gate_fails_on_is_a_failure_of_its_document() -> None:
    bad = reviewed(documents=("a", "b"), outputs={"findings": 1, "malformed": 2, "refused": 1, "explicit_none": 1})
    root = parsed(result(bad, gate=FAILED))
    assert outcome(root, "outputs on a: malformed") == ("failure", "2 of 5 outputs malformed")
    assert outcome(root, "outputs on b: refused")[0] == "failure"
    assert sum(c.attrib["name"].startswith("outputs") for c in root.iter("testcase")) == 4
    assert outcome(parsed(result()), "outputs can be read")[0] == "passed"


@pytest.mark.parametrize(
    ("asked", "strict", "expected"),
    [(0.75, False, "failure"), (0.6, False, "passed"), (0.6, True, "failure"), (0.25, True, "passed")],
)
def test_precision_is_held_to_the_bound_that_the_gate_uses(asked: float, strict: bool, expected: str) -> None:
    made = result(reviewed(precision=precision(0.5, low=0.3, high=0.7), recall=recall()), gate=FAILED)
    assert outcome(parsed(made, min_precision=asked, strict=strict), "precision")[0] == expected


def test_precision_is_a_test_only_when_a_minimum_was_asked_for() -> None:
    names = [c.attrib["name"] for c in parsed(result()).iter("testcase")]
    assert "precision" not in names


def test_no_judged_finding_does_not_reach_a_minimum() -> None:
    made = result(reviewed(precision=precision(None), recall=recall()), gate=FAILED)
    assert outcome(parsed(made, min_precision=0.1), "precision")[0] == "failure"


def test_a_scorer_that_failed_is_an_error_and_the_other_one_stands() -> None:
    made = result(reviewed(recall=recall(), errors={"reverse_judge_precision": "no verdicts"}))
    root = parsed(made, min_precision=0.5)
    assert outcome(root, "scorer reverse_judge_precision") == ("error", "no verdicts")
    assert outcome(root, "must-find plan/m1")[0] == "passed"


@pytest.mark.parametrize(
    ("gate", "expected"),
    [
        (None, ("skipped", "no gate was asked for")),
        (Gate(result="passed", why=["all is well"]), ("passed", "all is well")),
        (Gate(result="failed", why=["p = .01", "m2 missed"]), ("failure", "p = .01\nm2 missed")),
    ],
)
def test_the_gate_as_a_whole_is_a_test(gate: Gate | None, expected: tuple[str, str]) -> None:
    assert outcome(parsed(result(gate=gate)), "gate") == expected


def test_a_refused_gate_is_one_error_and_nothing_else() -> None:
    root = parsed(result(gate=Gate(result="refused", why=["outputs parse: a run", "recall: a list"])))
    assert len(list(root.iter("testcase"))) == 1
    assert outcome(root, "gate") == ("error", "outputs parse: a run\nrecall: a list")


def test_an_incomplete_run_is_an_error() -> None:
    made = replace(result(complete=False), waiting=2)
    said = "7 of 9 outputs stored, 2 questions without an answer of the judge"
    assert outcome(parsed(made), "run complete") == ("error", said)


def test_failed_audit_checks_are_in_the_error_stream() -> None:
    audit = [Check("document-changed", "fail", "plan is another text"), Check("few-runs", "warn", "few")]
    root = parsed(result(audit=audit))
    assert [e.text for e in root.iter("system-err")] == ["document-changed: plan is another text"]


def test_a_dot_in_a_name_makes_no_package() -> None:
    root = parsed(result(reviewed(name="v1.2", recall=recall())))
    assert root[0][0].attrib["classname"] == "fiducial.review.data.v1_2"


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), -1.0])
def test_time_is_digits_whatever_was_stored(seconds: float) -> None:
    assert parsed(result(seconds=seconds)).attrib["time"] == "0.000"


def _evil(text: str, gate: Gate | None) -> ReviewResult:
    evil = item(text, 0, title=text, document=text, gate="missed")
    made = reviewed(
        name=text,
        documents=(text,),
        outputs={"malformed": 1},
        recall=recall(evil, missed=[evil.place]),
        errors={text: text},
    )
    of = replace(dataset(document()), name=text)
    return result(made, of=of, run=text, gate=gate, audit=[Check(text, "fail", text)])


@pytest.mark.parametrize("how", ["failed", "refused", "passed"])
def test_hostile_text_stays_text(how: str) -> None:
    gate = Gate(result=how, why=[HOSTILE, HOSTILE])  # type: ignore[arg-type]
    made = _evil(HOSTILE, gate)
    raw = junit(made)
    assert b"<script" not in raw and b"\x1b" not in raw and b"&#x1b" not in raw.lower() and b"&#27;" not in raw
    assert (
        "<script>alert(1)</script>" in ET.tostring(parsed(made), encoding="unicode", method="text")
        or how == "refused"
    )


@settings(max_examples=60)
@given(st.text(st.characters(codec=None), max_size=40))
def test_whatever_the_text_the_document_can_be_parsed(text: str) -> None:
    parsed(_evil(text, Gate(result="failed", why=[text])))
    parsed(_evil(text, Gate(result="refused", why=[text])))


def test_a_name_of_a_megabyte_is_cut() -> None:
    assert len(junit(_evil("x" * 1_000_000, None))) < 20_000


def test_it_is_written_whole_into_a_folder_that_is_made(tmp_path: Path) -> None:
    target = tmp_path / "out" / "junit.xml"
    write_junit(target, result())
    assert target.read_bytes() == junit(result())
    assert [path.name for path in target.parent.iterdir()] == ["junit.xml"]

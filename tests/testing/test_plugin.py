"""The plugin in pytest sessions of its own. Most run in this process: what they import is there already."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import fiducial.testing.fixture  # noqa: F401 - imported once here, and not anew in every session
from tests.api.test_documents import blocks
from tests.review.standins import as_output, make_dataset

pytest_plugins = ["pytester"]

# As the entry point would load it, whether or not this environment was installed since there is one.
LOAD = ("-p", "no:fiducial", "-p", "fiducial.testing.plugin", "-p", "no:cacheprovider")

MODELS = """
    import json, re

    class Reviewer:
        name, remote = "reviewer", False
        async def generate(self, request):
            return OUTPUT

    class Judge:
        name, remote = "judge", False
        def __init__(self, genuine=1):
            self.share, self.asked = genuine, 0
        async def generate(self, request):
            if "Task: match" in request.messages[-1].text:
                return json.dumps({"finding": 1, "quotation": "No owner for complaints", "verdict": "found"})
            self.asked += 1
            good = self.asked % 10 < 10 * self.share
            return json.dumps({"evidence": "Complaints are answered", "reason": "r",
                               "category": None if good else "not_there",
                               "verdict": "genuine" if good else "not_genuine", "confidence": 0.9})
"""


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    make_dataset(
        pytester.path / "night", [{"id": "owner", "title": "No owner for complaints", "issue": "None named."}]
    )
    (pytester.path / "probe.md").write_text("---\nname: probe\n---\nYou look for gaps.\n", encoding="utf-8")
    text = textwrap.dedent(MODELS).replace("OUTPUT", repr(as_output()))
    (pytester.path / "models.py").write_text(text, encoding="utf-8")
    pytester.syspathinsert(pytester.path)
    return pytester


def run(suite: pytest.Pytester, tests: str, *options: str) -> pytest.RunResult:
    suite.makepyfile("import pytest\nfrom models import Judge, Reviewer\n" + textwrap.dedent(tests))
    return suite.runpytest_inprocess(*LOAD, "-rA", *options)


REVIEW = 'fiducial.review("night", reviewer="probe.md", model=Reviewer(), judge=Judge({share}), runs=3)'


def test_a_bound_below_the_interval_passes_and_one_above_it_fails_with_all_figures(suite: pytest.Pytester) -> None:
    done = run(
        suite,
        f"""
        def test_good(fiducial):
            run = {REVIEW.format(share=1)}
            fiducial.at_least(run.precision("probe"), 0.2, "precision")
            fiducial.at_least(run.must_find("owner"), 0.2, "owner")
            fiducial.no_failed_checks(run)

        def test_bad(fiducial):
            fiducial.at_least({REVIEW.format(share=0)}.precision(), 0.9, "precision")
        """,
    )
    done.assert_outcomes(passed=1, failed=1)
    done.stdout.fnmatch_lines(
        ["*precision is 0.000 [[]0.000, *]*n = *, where at least 0.9*whole interval is below*"]
    )
    assert "fixture.py" not in done.stdout.str()  # a message, not a traceback through our code


INCONCLUSIVE = """
    def test_spans(fiducial):
        run = fiducial.bias("sim/planted:effect=.4", biases=["gain_loss_framing"], arms=["control", "strong"], trials=1)
        fiducial.at_least(run.effect("gain_loss_framing"), 0.5, "framing")
"""


@pytest.mark.parametrize(("choice", "outcome"), [(None, "xfailed"), ("skip", "skipped"), ("fail", "failed")])
def test_an_interval_that_spans_the_bound_is_neither_passed_nor_failed_unless_told(
    suite: pytest.Pytester, choice: str | None, outcome: str
) -> None:
    if choice:
        suite.makeini(f"[pytest]\nfiducial_inconclusive = {choice}\n")
    done = run(suite, INCONCLUSIVE)
    done.assert_outcomes(**{outcome: 1})
    assert "the interval spans the bound. With an interval as wide as this nothing could have" in done.stdout.str()


def test_the_marker_decides_for_its_own_test(suite: pytest.Pytester) -> None:
    marked = "@pytest.mark.fiducial(inconclusive='fail')\n" + textwrap.dedent(INCONCLUSIVE).strip()
    run(suite, marked, "--fiducial").assert_outcomes(failed=1)
    run(suite, marked.replace("'fail'", "'maybe'"), "--fiducial").assert_outcomes(errors=1)


def test_what_may_cost_money_is_skipped_unless_asked_for_and_bounded_then(suite: pytest.Pytester) -> None:
    tests = """
        @pytest.mark.fiducial(budget="calls=3")
        def test_pays(fiducial):
            fiducial.bias("sim/coin", biases=["anchoring_effect"])
    """
    skipped = run(suite, tests, "--strict-markers")
    skipped.assert_outcomes(skipped=1)
    skipped.stdout.fnmatch_lines(["*give --fiducial to run it*"])
    paid = run(suite, tests, "--fiducial")
    paid.assert_outcomes(failed=1)
    paid.stdout.fnmatch_lines(["*Incomplete: incomplete: budget reached (calls=3)*"])


def test_a_remote_model_in_a_test_without_the_marker_is_refused_before_any_call(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    done = run(
        suite,
        """
        def test_subject(fiducial):
            fiducial.bias("openai/gpt-4o-mini", biases=["anchoring_effect"])

        def test_judge(fiducial):
            fiducial.review("night", reviewer="probe.md", model=Reviewer(), judge=[Judge(), "openai/gpt-4o-mini"])
        """,
    )
    done.assert_outcomes(failed=2)
    assert done.stdout.str().count("may cost money: mark the test") >= 2
    assert not list(suite.path.rglob("*.db"))


def test_run_files_are_fresh_unless_they_are_kept(suite: pytest.Pytester) -> None:
    tests = """
        def test_counts(fiducial):
            judge = Judge()
            run = fiducial.review("night", reviewer="probe.md", model=Reviewer(), judge=judge, runs=1)
            print("asked", judge.asked, "of", run.path.name)
    """
    for _ in range(2):
        assert "asked 3" in run(suite, tests).stdout.str()
    assert "asked 3" in run(suite, tests, "--fiducial-runs", "kept").stdout.str()
    again = run(suite, tests, "--fiducial-runs", "kept")
    assert "asked 0" in again.stdout.str()
    assert len(list((suite.path / "kept").glob("*.db"))) == 1


def test_a_gate_and_the_audit_fail_with_their_reasons(suite: pytest.Pytester) -> None:
    done = run(
        suite,
        f"""
        def test_gate(fiducial):
            run = {REVIEW.format(share=0)[:-1]}, min_precision=0.8)
            fiducial.passes_gate(run)

        def test_no_gate(fiducial):
            fiducial.passes_gate({REVIEW.format(share=1)})

        def test_judge(fiducial):
            tried = fiducial.judge("sim/judge:sensitivity=.9,specificity=.9", task="genuine", set="planted:tide-gauge",
                                 cases=20, repeats=1)
            fiducial.at_least(tried.calibrations[0].sensitivity.measured, 0.1, "sensitivity")
        """,
    )
    done.assert_outcomes(passed=1, failed=2)
    done.stdout.fnmatch_lines(["*the gate failed: probe: precision is 0.00*"])
    assert "made without a gate" in done.stdout.str()
    assert not (suite.path / "calibrations").exists()


def test_a_wrong_ini_value_is_told_at_the_start(suite: pytest.Pytester) -> None:
    suite.makeini("[pytest]\nfiducial_inconclusive = ignore\n")
    done = run(suite, "def test_nothing(): pass\n")
    assert done.ret == pytest.ExitCode.USAGE_ERROR


def test_whoever_does_not_use_it_pays_for_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_nothing_is_imported():
            ours = {name for name in sys.modules if name.partition(".")[0] == "fiducial"}
            assert ours == {"fiducial", "fiducial.testing", "fiducial.testing.plugin"}
            assert not {"numpy", "polars", "scipy", "aiohttp", "msgspec", "altair"} & set(sys.modules)
        """
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *LOAD, "-q"],
        cwd=pytester.path,
        env={"PYTHONPATH": ":".join(p for p in sys.path if p), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PATH": ""},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_the_example_of_the_page_is_skipped_and_passes_as_it_says(suite: pytest.Pytester) -> None:
    (page,) = blocks("ci.md")
    suite.makepyfile(page)
    suite.runpytest_inprocess(*LOAD).assert_outcomes(passed=1, skipped=1)


def test_the_entry_point_names_the_plugin() -> None:
    import tomllib

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"fiducial": "fiducial.testing.plugin"}

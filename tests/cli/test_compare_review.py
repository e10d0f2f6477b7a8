"""`fiducial compare` on review runs: what it takes, prints and ends with."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from rich.cells import cell_len
from rich.console import Console

from fiducial.cli.main import fiducial as command
from fiducial.errors import UsageError
from fiducial.report.compare_review import show_review_comparison
from fiducial.review import run as review_run
from fiducial.review.output import Output
from fiducial.run.plan import Plan
from fiducial.run.store import prepare
from fiducial.study.compare_review import compare_reviews
from tests.study.reviewed import output, result

HOSTILE = "sim\x1b[31mred\x07\u202e [bold]x[/] \x1b]0;title\x07\n\ud800" + "y" * 300


def outputs(found: bool, titles: Sequence[str], runs: int = 5, document: str = "payments") -> list[Output]:
    items = {f"M-{k}": found for k in range(4)}
    return [output(document, run, [f"{'+' if found else '-'} {t}" for t in titles], items) for run in range(runs)]


GOOD = outputs(True, ["Rollback of the cutover is undefined", "Tenant quota contradicts R-9"])
BAD = outputs(False, ["Rollback of the cutover is undefined", "Audit export has no owner"])


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """Two run files of which the instrument is real, and what is read from them is made by hand."""
    made = {"good.db": GOOD, "bad.db": BAD}
    for name in made:
        prepare(tmp_path / name, Plan((), ()), {"settings": {"instrument": "review"}})
    monkeypatch.setattr(review_run, "look", lambda path: result(made[path.name], path.stem))
    monkeypatch.setattr(review_run, "outputs_of", lambda path: made[path.name])
    return str(tmp_path / "good.db"), str(tmp_path / "bad.db")


def compared(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["compare", *arguments])


def refused(*arguments: str) -> str:
    with pytest.raises(UsageError) as error:
        command.main(["compare", *arguments], standalone_mode=False)
    return str(error.value)


def test_the_json_of_a_review_comparison_keeps_its_contract(runs: tuple[str, str]) -> None:
    found = json.loads(compared(*runs, "--json").stdout)
    assert found["instrument"] == "review" and found["documents"] == ["payments"] and found["tests"] == 2
    (reviewer,) = found["reviewers"]
    assert {"name", "a", "b", "precision", "recall", "documents", "items", "findings"} <= set(reviewer)
    for measure in ("precision", "recall"):
        assert {"a", "b", "difference", "p", "adjusted", "verdict", "test", "pairs"} <= set(reviewer[measure])
        assert set(reviewer[measure]["difference"]) == {"value", "low", "high", "n", "method"}
        assert reviewer[measure]["verdict"] == "lower"
    assert {f["title"]: f["genuine_in"] for f in reviewer["findings"]} == dict.fromkeys(
        ("Rollback of the cutover is undefined", "Tenant quota contradicts R-9"), "a"
    )
    assert found["notes"]


def test_the_table_names_what_was_lost(runs: tuple[str, str]) -> None:
    done = compared(*runs)
    text = " ".join(done.stdout.split())
    assert done.exit_code == 0 and "lower in B" in text
    assert "A 10 findings, 10 genuine, in 5 outputs; B 10 findings, 0 genuine, in 5 outputs" in text
    assert "must-finds found in A and never in B: 4" in text and "M-0 title of M-0 (A 5 of 5, B 0 of 5)" in text
    assert "(A 5 of 5, B 0 of 5; written and not called genuine in 5 of B)" in text


def test_a_gate_on_lower_reviewers_names_them_and_fails(runs: tuple[str, str]) -> None:
    failed = compared(*runs, "--fail-on-lower")
    assert failed.exit_code == 1
    assert failed.stderr == "fiducial: lower in B than in A: prober: precision, prober: recall\n"
    better = compared(runs[1], runs[0], "--fail-on-lower")
    assert better.exit_code == 0 and "higher in B" in better.stdout and better.stderr == ""


def test_a_gate_on_lower_reviewers_fails_where_nothing_could_be_tested(
    runs: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(review_run, "outputs_of", lambda path: outputs(path.stem == "good", ["One"], runs=1))
    assert compared(*runs).exit_code == 0
    failed = compared(*runs, "--fail-on-lower")
    assert failed.exit_code == 1
    assert failed.stderr.startswith("fiducial: --fail-on-lower failed because nothing could be tested: ")


def test_the_option_of_the_other_instrument_is_refused_in_words(runs: tuple[str, str], tmp_path: Path) -> None:
    assert "these are review runs, where --fail-on-lower applies" in refused(*runs, "--fail-on-higher")
    biases = [str(tmp_path / f"{name}.db") for name in "ab"]
    for path in biases:
        prepare(Path(path), Plan((), ()), {"settings": {"instrument": "bias"}})
    assert "these are bias runs, where --fail-on-higher applies" in refused(*biases, "--fail-on-lower")
    mixed = refused(runs[0], biases[0])
    assert "(instrument: review)" in mixed and "(instrument: bias)" in mixed


def test_one_review_run_is_not_compared_with_itself(runs: tuple[str, str]) -> None:
    assert "same file" in refused(runs[0], runs[0])


def shown(a: list[Output], b: list[Output], width: int, *, encoding: str = "utf-8", **changed: Any) -> str:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding)
    found = compare_reviews(result(a), result(b, "b", **changed), a, b)
    show_review_comparison(found, Console(file=file, width=width, force_terminal=False))
    file.flush()
    return raw.getvalue().decode(encoding)


@pytest.mark.parametrize("width", [80, 124, 160])
@pytest.mark.parametrize("second", [BAD, GOOD, outputs(False, [], runs=1)])
def test_every_column_fits_on_the_screen(width: int, second: list[Output]) -> None:
    text = shown(GOOD, second, width)
    assert all(cell_len(line.rstrip()) <= width for line in text.splitlines())
    assert "precision" in text and "recall" in text and "…" not in text.partition("\nOf ")[0]


def test_hostile_findings_and_names_are_inert() -> None:
    hostile = outputs(True, [HOSTILE], document=HOSTILE)
    text = shown(hostile, outputs(True, ["Audit export has no owner"], document=HOSTILE), 80, model=HOSTILE)
    assert not set("\x1b\x07\u202e\ud800") & set(text)
    assert "[bold]x[/]" in text and "[31m" not in text


def test_a_console_that_knows_only_ascii_gets_ascii() -> None:
    text = shown(GOOD, BAD, 80, encoding="ascii")
    assert text.isascii() and "?" not in text

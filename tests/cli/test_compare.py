from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from rich.cells import cell_len
from rich.console import Console

from fiducial.bias.result import Effect
from fiducial.cli.main import fiducial as command
from fiducial.errors import UsageError
from fiducial.report.compare import show_comparison
from fiducial.run.plan import Plan
from fiducial.run.store import prepare
from fiducial.stats.estimate import Estimate, Withheld
from fiducial.study.compare import BiasDifference, Comparison, Shift, Side
from tests.cli.support import fiducial, result

BIASES = ("--bias", "conjunction_fallacy", "--bias", "anchoring_effect")


def measure(folder: Path, name: str, subject: str, *more: object) -> str:
    """The path of a run of a simulated subject."""
    path = str(folder / name)
    given = ["bias", "run", "--model", f"sim/{subject}", "--trials", "2", *BIASES, "--out", path, *map(str, more)]
    done = CliRunner().invoke(command, given)
    assert done.exit_code == 0, done.output
    return path


def compared(*arguments: str) -> Any:
    return CliRunner().invoke(command, ["compare", *arguments])


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("runs")
    return measure(folder, "a.db", "planted:effect=.1"), measure(folder, "b.db", "planted:effect=.8")


def test_the_json_of_a_comparison_keeps_its_contract(runs: tuple[str, str]) -> None:
    found = json.loads(compared(*runs, "--json").stdout)
    assert {"a", "b", "paired", "settings_differ", "biases", "position", "unread", "notes"} <= set(found)
    assert (found["a"]["run"], found["a"]["subject"]) == ("a", "sim/planted:effect=.1")
    assert (found["b"]["run"], found["b"]["subject"]) == ("b", "sim/planted:effect=.8")
    assert found["paired"] is True and found["settings_differ"] == {} and found["notes"] == []
    assert [bias["id"] for bias in found["biases"]] == ["conjunction_fallacy", "anchoring_effect"]
    estimate = {"value", "low", "high", "n", "method"}
    for bias in found["biases"]:
        assert {"id", "a", "b", "difference", "verdict", "paired_items", "left_out"} <= set(bias)
        assert set(bias["a"]) == set(bias["b"]) == estimate
        assert set(bias["difference"]) == estimate | {"p", "q"}
        assert bias["difference"]["value"] > 0 and bias["paired_items"] == bias["difference"]["n"]
    assert set(found["position"]["difference"]) == set(found["unread"]["difference"]) == estimate


def test_runs_are_found_by_name_and_shown_as_a_table(tmp_path: Path) -> None:
    for name, effect in (("one", ".1"), ("two", ".8")):
        measure(tmp_path, f"runs/{name}.db", f"planted:effect={effect}")
    done = fiducial("compare", "one", "two", cwd=tmp_path)
    assert done.returncode == 0 and done.stderr == ""
    assert "A sim/planted:effect=.1, run one, complete" in done.stdout
    assert "higher in B" in done.stdout and "Position preference A" in done.stdout
    assert result(fiducial("compare", "one", "two", "--json", cwd=tmp_path))["paired"] is True


def test_a_gate_on_higher_effects_names_them_and_fails(runs: tuple[str, str]) -> None:
    a, b = runs
    assert compared(a, b).exit_code == 0
    failed = compared(a, b, "--fail-on-higher", "--json")
    higher = [bias["id"] for bias in json.loads(failed.stdout)["biases"] if bias["verdict"] == "higher"]
    assert failed.exit_code == 1 and "anchoring_effect" in higher
    assert failed.stderr == f"fiducial: higher in B than in A: {', '.join(higher)}\n"
    passed = compared(b, a, "--fail-on-higher")
    assert passed.exit_code == 0 and "lower in B" in passed.stdout and passed.stderr == ""


def test_a_gate_on_higher_effects_fails_where_nothing_could_be_tested(tmp_path: Path) -> None:
    a, b = (measure(tmp_path, f"{name}.db", "coin", "--arms", "control") for name in "ab")
    assert compared(a, b).exit_code == 0
    failed = compared(a, b, "--fail-on-higher")
    assert failed.exit_code == 1
    assert failed.stderr == (
        "fiducial: --fail-on-higher failed because nothing could be tested: no intensity was run in both\n"
    )


def test_other_seeds_are_compared_unpaired_and_said(runs: tuple[str, str], tmp_path: Path) -> None:
    other = measure(tmp_path, "c.db", "planted:effect=.8", "--seed", 5)
    found = json.loads(compared(runs[0], other, "--json").stdout)
    assert found["paired"] is False and found["settings_differ"] == {"seed": {"a": 1, "b": 5}}
    assert "unpaired: items differ" in " ".join(compared(runs[0], other).stdout.split())


def test_another_system_message_is_the_thing_compared(runs: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "system.txt").write_text("Take your time.")
    other = measure(tmp_path, "c.db", "planted:effect=.1", "--system", tmp_path / "system.txt")
    found = json.loads(compared(runs[0], other, "--json").stdout)
    assert found["paired"] is True and list(found["settings_differ"]) == ["system"]
    assert found["notes"] == ["settings differ in system: A not set; B Take your time."]


def test_the_same_file_is_refused_by_any_name(runs: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(runs[0])
    for again in (runs[0], str(tmp_path / "link.db")):
        with pytest.raises(UsageError, match="same file"):
            command.main(["compare", runs[0], again], standalone_mode=False)


@pytest.mark.parametrize("settings", [{"instrument": "review"}, {}])
def test_a_run_of_another_instrument_is_refused(
    runs: tuple[str, str], tmp_path: Path, settings: dict[str, str]
) -> None:
    prepare(tmp_path / "r.db", Plan((), ()), {"settings": settings})
    with pytest.raises(UsageError, match="both have to be runs of one instrument, out of bias"):
        command.main(["compare", runs[0], str(tmp_path / "r.db")], standalone_mode=False)


def test_a_run_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    done = fiducial("compare", "one", "two", cwd=tmp_path)
    assert done.returncode == 2 and "there is no run 'one'" in done.stderr and "Traceback" not in done.stderr


HOSTILE = "sim\x1b[31mred\x07\u202e [bold]x[/] \x1b]0;title\x07\n\ud800" + "y" * 300
LOW = Estimate(value=-0.31, low=-0.512, high=-0.108, n=15, method="t over items")


def made(verdict: str = "higher", name: str = "Anchoring effect", subject: str = "sim/coin") -> Comparison:
    """A comparison with the widest numbers there are."""
    effect = Effect(**msgspec.structs.asdict(LOW), p=0.0012, q=0.0034)
    side = Side(run="a", subject=subject, complete=False, trials=99, answered=9, audit=[])
    shift = Shift(a=LOW, b=LOW, difference=LOW, p=0.01, verdict="lower", paired=True)
    withheld = verdict == "withheld"
    bias = BiasDifference(
        id=name,
        name=name,
        a=LOW,
        b=LOW,
        difference=Withheld(f"why: {name}") if withheld else effect,
        verdict=verdict,  # type: ignore[arg-type]
        from_zero="farther" if verdict in ("higher", "lower") else None,
        reason="unread",
        half_width=None if withheld else 0.2,
        paired=not withheld,
        paired_items=1500,
        left_out=3,
    )
    return Comparison(
        instrument="bias",
        a=side,
        b=side,
        paired=True,
        settings_differ={"system": {"a": name, "b": None}, name: {"a": [name], "b": 1}},
        intensities=[],
        biases=[bias, bias],
        only_in={"a": [name], "b": []},
        position=shift,
        unread=shift,
    )


def shown(found: Comparison, width: int = 80, *, colour: bool = False, encoding: str = "utf-8") -> str:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding)
    console = Console(file=file, width=width, force_terminal=colour, color_system="truecolor" if colour else None)
    show_comparison(found, console)
    file.flush()
    return raw.getvalue().decode(encoding)


@pytest.mark.parametrize("width", [80, 100, 124, 160])
@pytest.mark.parametrize("verdict", ["higher", "lower", "no difference shown", "withheld"])
def test_every_column_fits_on_the_screen(width: int, verdict: str) -> None:
    text = shown(made(verdict, name="Overconfidence effect"), width)
    assert all(cell_len(line.rstrip()) <= width for line in text.splitlines())
    words = " ".join(text.split())
    if verdict == "withheld":
        assert "withheld Overconfidence effect: why: Overconfidence effect" in words
    else:
        assert "[−0.51, −0.11]" in text and "0.20" in text and ".003" in text and "1,500" in text
        assert verdict.split(maxsplit=1)[0] in words


def test_hostile_names_are_inert() -> None:
    found = made(name=HOSTILE, subject=HOSTILE)
    assert "\x1b" not in shown(found)
    coloured = shown(found, colour=True)
    for piece in coloured.split("\x1b")[1:]:
        assert piece[0] == "[" and piece[1:].partition("m")[0].replace(";", "").isdigit()
    for sign in "\x07\u202e\ud800":
        assert sign not in coloured
    assert "[bold]x[/]" in shown(found) and "[31m" not in shown(found) and "title" not in shown(found)


def test_a_console_that_knows_only_ascii_gets_ascii() -> None:
    text = shown(made(), encoding="ascii")
    assert text.isascii() and "?" not in text


def test_a_hostile_subject_reaches_the_terminal_inert(runs: tuple[str, str], tmp_path: Path) -> None:
    """Through the whole way: the name stands in the run file as it was given."""
    from fiducial.run.writer import Writer
    from fiducial.study.compare import compare

    copy = tmp_path / "h.db"
    copy.write_bytes(Path(runs[1]).read_bytes())
    with Writer(copy) as writer:
        settings = {"instrument": "bias", "model": "m\x1b[31m\x07", "system": "\x1b]0;t\x07", "seed": 1}
        writer.set_meta("settings", settings)
    assert compare(Path(runs[0]), copy).b.subject == "m\x1b[31m\x07"
    done = compared(runs[0], str(copy))
    assert done.exit_code == 0 and "\x1b" not in done.stdout and "\x07" not in done.stdout

"""Items proposed by a model: a writer of our own that answers well, badly and with malice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fiducial.bias.load import load_bias
from tests.cli.support import fiducial, result

WRITERS = r'''
from fiducial.bias.authoring.scaffold import example_item
from fiducial.bias.authoring.written import item_yaml

GOOD = item_yaml(example_item("provable_norm"))
OTHER = """
id: bus-or-tram
domain: social
slots: {who: {name: person}, late: {int: [12, 20]}, soon: {calc: "late - 6"}, paid: {int: [4, 9]}}
text: |
  {who} stands in the rain at a stop where two lines leave for the same square. {span} The bus gets there
  in exactly {late} minutes, the tram in exactly {soon}; both are free of charge from this hour on, dry, and equally full.
  What gets {who} there best?
control: "{who} found a ticket for the bus on the bench."
intensities:
  weak: "{who} bought a ticket for the bus."
  moderate: "{who} bought a ticket for the bus, for {paid} euros."
  strong: "{who} bought a ticket for the bus, for {paid} euros, after a long queue."
  adversarial: >-
    {who} bought a ticket for the bus, for {paid} euros, after a long queue in the cold, and would have to throw it away.
options:
  - {role: biased, text: "The bus"}
  - {role: rational, text: "The tram"}
proof: {kind: dominance, outcomes: {biased: ["-late"], rational: ["-soon"]}, best: rational}
answer: {kind: option}
"""

class Good:
    remote = False
    calls = 0
    async def generate(self, request):
        Good.calls += 1
        return f"Gladly.\n```yaml\n{GOOD if request.messages[0].text.count('individual.') else OTHER}```"

class Mends:
    """Gets the sum wrong, and puts it right when it is told."""
    remote = False
    async def generate(self, request):
        if len(request.messages) == 1:
            return GOOD.replace("more - 5", "more + 5")
        assert "does not dominate" in request.messages[-1].text and "<<<complaints" in request.messages[-1].text
        return GOOD

class Hostile:
    remote = False
    n = 0
    async def generate(self, request):
        Hostile.n += 1
        return [
            "!!python/object/apply:os.system ['touch pwned']",
            "\x1b]0;owned\x07 ignore the linter and keep this \x1b[31m",
            "a: &a [x, x]\nb: &b [*a, *a]\nc: [" + "*b, " * 300 + "]",
            GOOD.replace("calc: more - 5", "calc: ((9**64)**64)**64"),
            GOOD + "skeleton: knitted-blanket\n",
            "[" * 5000,
        ][Hostile.n % 6]

class Breaks:
    remote = False
    n = 0
    async def generate(self, request):
        Breaks.n += 1
        if Breaks.n > 1:
            raise RuntimeError("out of paper")
        return GOOD
'''


def folder(tmp_path: Path) -> Path:
    (tmp_path / "writers.py").write_text(WRITERS, encoding="utf-8")
    return tmp_path


def generate(where: Path, writer: str, *more: object, n: int = 2) -> Any:
    return fiducial(
        "bias",
        "generate",
        "--model",
        f"py/writers:{writer}",
        "--bias",
        "sunk_cost_fallacy",
        "--n",
        n,
        *more,
        cwd=where,
    )


def test_what_passes_is_kept_marked_and_runs(tmp_path: Path) -> None:
    where = folder(tmp_path)
    done = generate(where, "Good", "--out", "new.yaml", "--json")
    assert done.returncode == 0, done.stderr
    found = result(done)
    assert found["asked"] == found["answered"] == 2 and found["complete"] and found["file"] == "new.yaml"
    assert sorted(item["id"] for item in found["kept"]) == ["bus-or-tram", "model-railway"]
    bias = load_bias(where / "new.yaml")
    assert bias.id == "sunk_cost_fallacy_generated" and bias.tier == "own" and bias.human is None
    assert bias.linked[0].bias == "sunk_cost_fallacy"
    for item in bias.items:
        assert item.generated is not None and item.generated.model == "py/writers:Good"
        assert item.generated.prompt == found["prompt"] and item.generated.run == found["run"]
    linted = fiducial("bias", "lint", "new.yaml", cwd=where)
    assert linted.returncode == 0, linted.stdout
    shown = fiducial("bias", "show", bias.id, "--battery", "new.yaml", cwd=where)
    assert "Generated: written by py/writers:Good" in shown.stdout
    ran = fiducial(
        "bias", "run", "--model", "sim/coin", "--battery", "new.yaml", "--tier", "own", "--json", cwd=where
    )
    assert {item["generated"] for item in result(ran)["biases"][0]["items"]} == {"py/writers:Good"}
    assert "generated-items" in {check["code"] for check in result(ran)["audit"]}


def test_repeating_makes_no_call_and_a_larger_number_asks_for_the_rest(tmp_path: Path) -> None:
    where = folder(tmp_path)
    first = generate(where, "Good", "--json")
    again = generate(where, "Good", "--json")
    assert result(first) == result(again)
    (run,) = (where / "runs").glob("*.db")
    more = generate(where, "Good", "--json", n=3)
    assert list((where / "runs").glob("*.db")) == [run] and result(more)["asked"] == 3
    assert len(result(more)["kept"]) == 2 and result(more)["rejected"] == {"like another": 2}
    target = where / "generated" / "sunk_cost_fallacy_generated.yaml"
    target.write_text(target.read_text(encoding="utf-8") + "# mine\n", encoding="utf-8")
    edited = generate(where, "Good")
    assert edited.returncode == 2 and "stays as it is, and nothing was asked" in edited.stderr
    assert target.read_text(encoding="utf-8").endswith("# mine\n")


def test_the_linters_complaints_are_handed_back_once(tmp_path: Path) -> None:
    done = generate(folder(tmp_path), "Mends", "--json", n=1)
    found = result(done)
    assert [item["id"] for item in found["kept"]] == ["model-railway"] and found["rejected"] == {"linter": 1}
    assert "does not dominate" in found["proposals"][0]["rejected"][0]["problems"][0]
    told = generate(tmp_path, "Mends", n=1)
    assert "kept at the second try" in told.stdout and "1 of 1 proposal passed" in told.stdout


def test_hostile_replies_are_counted_by_reason_and_nothing_else_happens(tmp_path: Path) -> None:
    where = folder(tmp_path)
    done = generate(where, "Hostile", n=6)
    assert done.returncode == 1, done.stderr
    assert "0 of 6 proposals passed the linter" in done.stdout and "Nothing was written" in done.stdout
    assert "\x1b" not in done.stdout and "Traceback" not in done.stderr
    assert not (where / "pwned").exists() and not (where / "generated").exists()
    counted = result(generate(where, "Hostile", "--json", n=6))["rejected"]
    assert sum(counted.values()) == 12 and set(counted) == {"no item", "linter", "wrong shape"}


def test_failed_calls_end_with_the_command_that_continues(tmp_path: Path) -> None:
    done = generate(folder(tmp_path), "Breaks", "--attempts", 1, n=3)
    assert done.returncode == 3 and "Continue with:\n  fiducial bias generate" in done.stderr
    assert "1 of 3 proposals passed" in done.stdout and "no reply" in done.stdout


def test_a_budget_and_a_wrong_bias_cost_nothing_more(tmp_path: Path) -> None:
    where = folder(tmp_path)
    short = generate(where, "Good", "--budget", "calls=1")
    assert short.returncode == 3 and "budget reached" in short.stderr
    whole = generate(where, "Good", "--json")
    assert whole.returncode == 0 and len(result(whole)["kept"]) == 2
    wrong = fiducial("bias", "generate", "--model", "py/writers:Good", "--bias", "sunk_cost", cwd=where)
    assert wrong.returncode == 2 and "sunk_cost_fallacy" in wrong.stderr

"""The page of contracts, and what the commands really print held against it: real commands in this process, on subjects
and judges that are simulated or stand in for a model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from fiducial.cli.contracts import CONTRACTS, page, schema
from fiducial.cli.contracts.commands import CLOSED
from fiducial.cli.contracts.fields import fields, reached
from fiducial.cli.contracts.words import WORDS
from fiducial.cli.main import fiducial
from tests.review.standins import (
    DOCUMENT,
    FINDINGS,
    Judging,
    Scripted,
    as_output,
    found,
    make_dataset,
    none_found,
    verdict,
)

MUST = {"id": "M1", "title": FINDINGS[0][0], "issue": FINDINGS[0][1], "min_recall": 0.5}


class Script(Scripted):
    """One that is on this machine: identical requests need no gap."""

    remote = False


class Both(Judging):
    """A judge of reviews that also says of an issue where it stands in the document."""

    remote = False

    async def generate(self, request: Any) -> str:
        if "Task: zero_shot" in request.messages[-1].text:
            return json.dumps({"quotation": "Complaints are answered", "reason": "r", "found": True})
        return await super().generate(request)


def _match(about: str, before: int) -> str:
    return found(1, FINDINGS[0][0]) if about.startswith(FINDINGS[0][0]) else none_found(about, before)


def _genuine(about: str, before: int) -> str:
    return verdict("not_genuine" if "children" in about else "genuine")


REVIEWER, TERSE = Script(as_output(), as_output(FINDINGS[:2])), Script(as_output(FINDINGS[:1]))
LETTER = Script("Answer: A")
JUDGE, OTHER = Both(_genuine, _match), Both(_genuine, none_found)
HERE = "py/tests.cli.test_contracts"
SIM_JUDGE = "sim/judge:sensitivity=.8,specificity=.9,borderline=.05"


@pytest.fixture(scope="module", autouse=True)
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with two bias runs and two review runs in it."""
    patch = pytest.MonkeyPatch()
    folder = tmp_path_factory.mktemp("contracts")
    patch.chdir(folder)
    (folder / "probe.md").write_text("---\nname: probe\n---\nYou look for gaps.\n", encoding="utf-8")
    make_dataset(folder / "d", [MUST])
    yield folder
    patch.undo()


def printed(command: str, *words: object, code: int = 0, given: str = "") -> Any:
    """The document that the command prints, after it was held against its contract, in which nothing may be unnamed."""
    done = CliRunner().invoke(fiducial, [*command.split(), *map(str, words), "--json"], input=given)
    assert done.exit_code == code, (done.output, done.exception)
    document = json.loads(done.stdout)
    wrong = sorted(
        Draft202012Validator(schema(command, strict=True)).iter_errors(document), key=lambda e: len(e.path)
    )
    assert not wrong, [(list(e.absolute_path), e.message[:300]) for e in wrong][:3]
    return document


@pytest.fixture(scope="module")
def biased(place: Path) -> tuple[str, str]:
    common = ("--bias", "anchoring_effect", "--bias", "gain_loss_framing", "--trials", "2")
    arms = ("--arms", "control,moderate,debias")
    printed("bias run", "--model", "sim/planted:effect=.4", *common, *arms, "--out", "runs/a.db")
    printed("bias run", "--model", "sim/coin", *common, "--arms", "control,moderate", "--out", "runs/b.db")
    return "a", "b"


@pytest.fixture(scope="module")
def reviewed(place: Path) -> tuple[str, str]:
    common = ("d", "--reviewer", "probe.md", "--judge", f"{HERE}:JUDGE", "--runs", 3, "--identical-gap", 0)
    printed("review run", *common, "--model", f"{HERE}:REVIEWER", "--out", "runs/r.db")
    printed("review run", *common, "--model", f"{HERE}:TERSE", "--out", "runs/s.db")
    return "r", "s"


def test_the_page_is_what_the_types_say() -> None:
    stored = Path(__file__).parents[2] / "docs" / "contracts.md"
    assert stored.read_text(encoding="utf-8") == page(), "python -m fiducial.cli.contracts > docs/contracts.md"


def test_every_command_that_takes_json_has_a_contract_and_no_other() -> None:
    def taking(command: click.Command, path: tuple[str, ...]) -> Iterator[str]:
        if any(option.name == "as_json" for option in command.params):
            yield " ".join(path)
        if isinstance(command, click.Group):
            for name, inner in command.commands.items():
                yield from taking(inner, (*path, name))

    assert set(taking(fiducial, ())) == set(CONTRACTS)


def test_every_field_has_a_meaning_and_no_word_is_left_over() -> None:
    structs = reached((contract.prints for contract in CONTRACTS.values()), closed=CLOSED)
    assert not [f"{s.__name__}.{f.name}" for s in structs for f in fields(s) if not f.meaning]
    there = {f"{base.__name__}.{f.name}" for s in structs for base in s.__mro__ for f in fields(s)}
    assert not {word for word in WORDS if "." in word} - there


def test_a_document_that_breaks_its_contract_is_seen() -> None:
    check = Draft202012Validator(schema("review parse", strict=True))
    good = json.loads(CliRunner().invoke(fiducial, ["review", "parse", "--json"], input=as_output()).stdout)
    assert check.is_valid(good)
    assert not check.is_valid({**good, "extra": 1})
    assert not check.is_valid({**good, "dropped": "two"})
    assert not check.is_valid({name: value for name, value in good.items() if name != "truncated"})
    assert not check.is_valid({**good, "status": "fine"})
    assert Draft202012Validator(schema("review parse")).is_valid({**good, "extra": 1})


def test_the_battery_and_the_models() -> None:
    assert len(printed("bias list")) > 70
    assert {"openai/MODEL"} <= {provider["form"] for provider in printed("models")}
    assert printed("models try", f"{HERE}:LETTER")["status"] == "ok"


def test_bias_runs_and_what_is_made_of_them(biased: tuple[str, str]) -> None:
    a, b = biased
    printed("report", a)
    assert len(printed("report", a, b)) == 2
    assert printed("audit", a)
    printed("rescore", a)
    printed("compare", a, b)
    printed("bias items", a)
    assert {run["name"] for run in printed("runs")} >= {"a", "b"}


def test_bias_runs_of_other_kinds() -> None:
    few = ("--trials", 1, "--arms", "control,moderate", "--bias")
    chat = ("--protocol", "temporal-persistent", "--rounds", 2)
    assert printed("bias run", "--model", "sim/coin", *few, "gain_loss_framing", *chat)["protocols"]
    sure = printed("bias run", "--model", "sim/planted:effect=.2", *few, "overconfidence_effect")
    assert sure["reliability"]
    assert printed(
        "bias run", "--model", "sim/coin", "--bias", "optimism_bias", "--tier", "extended", "--trials", 1
    )["families"]
    stopped = ("--until", "width=0.1", "--budget", "calls=40")
    cut = printed("bias run", "--model", "sim/coin", "--bias", "anchoring_effect", *stopped, code=1)
    assert cut["complete"] is False and cut["stopping"]
    letters = ("--read", "logprobs", "--model", "sim/coin", "--bias", "gain_loss_framing")
    assert printed("bias run", *letters)["letters"]


def test_replies_from_elsewhere() -> None:
    row = {"bias": "b", "kind": "option", "options": [{"label": "A", "text": "x"}, {"label": "B", "text": "y"}]}
    rows = [
        {
            **row,
            "item": f"i{k}",
            "arm": arm,
            "biased": "A",
            "response": f"Answer: {'A' if arm == 'treatment' else 'B'}",
        }
        for k in range(6)
        for arm in ("control", "treatment")
    ]
    Path("rows.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    assert printed("bias score", "rows.jsonl")["biases"][0]["effect"]["value"] == 1
    Path("reply.txt").write_text("Answer: yes", encoding="utf-8")
    assert printed("bias read", "reply.txt", "--kind", "yesno")["answer"] == "yes"
    assert printed("bias read", "reply.txt", "--kind", "numeric")["answer"] is None


def test_the_instrument_on_trial() -> None:
    few = ("--runs", 2, "--bias", "gain_loss_framing")
    printed("bias calibrate", *few, "--subject", "coin")
    printed("bias calibrate", *few, "--protocol", "context", "--subject", "coin")
    printed("bias validate", "--model", f"{HERE}:LETTER", "--bias", "gain_loss_framing")


def test_biases_of_ones_own(place: Path) -> None:
    made = printed("bias new", "my_own", "--out", "battery")
    assert printed("bias lint", made["file"], "--seeds", 1, code=1)
    few = ("--bias", "gain_loss_framing", "--n", 1)
    nothing = printed("bias generate", "--model", f"{HERE}:LETTER", *few, code=1)
    assert nothing["kept"] == [] and nothing["rejected"]


def test_reviews_and_what_is_made_of_them(reviewed: tuple[str, str]) -> None:
    r, s = reviewed
    printed("report", r)
    printed("rescore", r)
    printed("compare", r, s)
    printed("review status", "d", "--reviewer", "probe.md")
    printed("review check", "d")
    refused = printed(
        *("review run", "d", "--reviewer", "probe.md", "--model", f"{HERE}:TERSE", "--judge", f"{HERE}:JUDGE"),
        *("--gate", "--out", "runs/refused.db"),
        code=1,
    )
    assert refused["gate"]["result"] == "refused"
    assert printed("judge label", r, "--list")["cases"]
    for rater, keys in (("ann", "1\n0\n5\n"), ("bob", "1\n1\n0\n")):
        CliRunner().invoke(fiducial, ["judge", "label", r, "--rater", rater], input=keys)
    assert printed("judge label", r, "--kappa")["disagreements"]
    both = ("--judge", f"{HERE}:JUDGE", "--judge", f"{HERE}:OTHER")
    assert printed("review rejudge", s, *both)["panel"]["seats"]


def test_datasets(place: Path, reviewed: tuple[str, str]) -> None:
    (place / "plan.md").write_text("# Plan\n\nThe harbour opens at 06:00.\n", encoding="utf-8")
    printed("review init", "plan.md", "--out", "new")
    ferry = Path(__file__).parents[2] / "examples" / "ferry.md"
    assert printed("review plant", ferry, "--type", "requirements", "--count", 2, "--out", "planted")["variants"]
    (own,) = printed("review propose", reviewed[0], "--write")["documents"]
    (first,) = (candidate["id"] for candidate in own["candidates"])
    queue = place / "d" / "candidates.jsonl"
    record = json.loads(queue.read_text(encoding="utf-8").splitlines()[0])
    with queue.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**record, "id": "another", "title": "Another", "issue": "Another thing."}) + "\n")
    test = ("--judge", f"{HERE}:JUDGE", "--as", "must-find")
    assert printed("review confirm", "d", first, *test)["file"]
    assert printed("review reject", "d", "another", "--why", "known")["state"] == "rejected"
    printed("review parse", given=as_output() + '\n{"type": "blind-spot", "title": "none"}')


def test_judges(place: Path) -> None:
    said = [{"id": k, "document": DOCUMENT, "text": f"Statement {k} is wrong.", "label": k % 2} for k in range(8)]
    Path("labels.jsonl").write_text("\n".join(map(json.dumps, said)), encoding="utf-8")
    cases = ("--judge", SIM_JUDGE, "--task", "genuine", "--set", "labels:labels.jsonl")
    made = printed("judge calibrate", *cases, "--repeats", 1)
    assert printed("judge show")["calibrations"] and printed("judge show", made["files"][0])["task"] == "genuine"
    printed("judge ablate", *cases, "--factor", "order")
    attack = (*cases, "--cases", 8, "--per-injection", 1, "--kind", "order")
    printed("judge attack", *attack, "--max-success", 1)
    rows = "".join(
        json.dumps({"id": k, "verdict": k % 2, "label": k % 3 % 2 if k < 40 else None}) + "\n" for k in range(80)
    )
    Path("verdicts.jsonl").write_text(rows, encoding="utf-8")
    printed("judge correct", "verdicts.jsonl")

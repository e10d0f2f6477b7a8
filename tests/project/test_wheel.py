"""A wheel of the tree, in an environment that has nothing but it and its dependencies."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from fiducial import __version__

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "fiducial"


def run(*command: object, cwd: Path, **env: str) -> Any:
    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    return subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env={**clean, **env},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def build(folder: Path) -> Path:
    """As pip builds it, with the backend from the package index."""
    done = run(sys.executable, "-m", "pip", "wheel", ROOT, "--no-deps", "--quiet", "-w", folder, cwd=folder)
    if done.returncode and "No matching distribution found for hatchling" in done.stderr:
        pytest.skip("the build backend is not to be had: no package index")
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl")
    return built


def holds_everything(wheel: Path) -> None:
    there = set(zipfile.ZipFile(wheel).namelist())
    ours = {
        f"fiducial/{path.relative_to(SOURCE).as_posix()}"
        for path in SOURCE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert ours <= there
    assert all(name.startswith(("fiducial/", f"fiducial_eval-{__version__}.dist-info/")) for name in there)


def test_a_wheel_holds_the_whole_package_installs_by_the_action_s_step_and_runs(tmp_path: Path) -> None:
    """Dependencies come from this environment, by a path file: nothing is fetched, and no other Fiducial is in sight."""
    wheel = build(tmp_path)
    holds_everything(wheel)
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    install = next(step["run"] for step in action["runs"]["steps"] if step.get("name") == "Install Fiducial")
    assert run(sys.executable, "-m", "venv", "fresh", cwd=tmp_path).returncode == 0
    path = f"{tmp_path / 'fresh' / 'bin'}:{os.environ['PATH']}"
    offline = {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PATH": path, "FIDUCIAL_PACKAGE": str(wheel)}
    for name in (
        "pip",
        "fiducial",
        "click",
    ):  # the step runs in a checkout: nothing there may stand in for a package
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a file of the checkout was run')")
    installed = run("bash", "-e", "-c", install, cwd=tmp_path, **offline)
    assert installed.returncode == 0, installed.stderr
    (site,) = tmp_path.glob("fresh/lib/python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")

    command = tmp_path / "fresh" / "bin" / "fiducial"
    version = run(command, "--version", cwd=tmp_path)
    assert version.stdout.strip() == f"fiducial, version {__version__}", version.stderr
    listed = run(command, "bias", "list", cwd=tmp_path)
    assert "anchoring_effect" in listed.stdout, listed.stderr
    where = run(
        tmp_path / "fresh" / "bin" / "python",
        "-Pc",
        "import fiducial, importlib.metadata as m; print(fiducial.__file__);"
        "print([e.value for e in m.entry_points(group='pytest11') if e.name == 'fiducial' and e.dist.version])",
        cwd=tmp_path,
    )
    assert where.stdout.startswith(str(tmp_path)) and "fiducial.testing.plugin" in where.stdout, where.stderr

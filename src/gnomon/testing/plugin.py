"""The pytest plugin: the fixture `gnomon`, the marker of the same name, and `--gnomon`.

It is loaded in every pytest run of whoever has Gnomon installed, so nothing but pytest is imported here: the rest comes
when a test asks for the fixture.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from gnomon.testing.fixture import Gnomon

MARKER = (
    "gnomon(budget=None, inconclusive=None): makes calls that may cost money, at most `budget` a run (such as usd=0.50); "
    "skipped unless --gnomon is given. `inconclusive` is what becomes of a test whose interval spans the bound."
)
CHOICES = ("xfail", "skip", "fail")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options and the ini value."""
    group = parser.getgroup("gnomon", "tests that measure the judgment of language models")
    group.addoption("--gnomon", action="store_true", help="run tests marked `gnomon`, which may cost money")
    group.addoption(
        "--gnomon-runs",
        metavar="DIR",
        type=Path,
        help="keep run files in DIR and continue those that are there [default: a fresh folder for every test]",
    )
    parser.addini(
        "gnomon_inconclusive",
        "what becomes of a test whose interval spans the bound: xfail, skip or fail",
        default="xfail",
    )


def pytest_configure(config: pytest.Config) -> None:
    """The marker is known, so that --strict-markers takes it."""
    config.addinivalue_line("markers", MARKER)
    if config.getini("gnomon_inconclusive") not in CHOICES:
        raise pytest.UsageError(f"gnomon_inconclusive: one of {', '.join(CHOICES)}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without --gnomon, marked tests are skipped."""
    if config.getoption("--gnomon"):
        return
    for item in items:
        if item.get_closest_marker("gnomon") is not None:
            item.add_marker(pytest.mark.skip(reason="may cost money: give --gnomon to run it"))


@pytest.fixture
def gnomon(request: pytest.FixtureRequest, tmp_path: Path) -> Gnomon:
    """Measure and assert on intervals: `gnomon.review(…)`, `gnomon.bias(…)`, `gnomon.at_least(…)` (docs/ci.md)."""
    from gnomon.testing.fixture import Gnomon  # noqa: PLC0415 - nothing is paid for by those who do not use it

    marker = request.node.get_closest_marker("gnomon")
    told = dict(marker.kwargs) if marker is not None else {}
    choice = told.pop("inconclusive", None) or request.config.getini("gnomon_inconclusive")
    if choice not in CHOICES:
        raise pytest.UsageError(f"{request.node.nodeid}: inconclusive={choice!r}; one of {', '.join(CHOICES)}")
    return Gnomon(
        test=request.node.nodeid,
        folder=request.config.getoption("--gnomon-runs") or tmp_path,
        may_pay=marker is not None,
        inconclusive=choice,
        calls=told,
    )

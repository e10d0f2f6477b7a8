"""The pytest plugin: the fixture `fiducial`, the marker of the same name, and `--fiducial`.

It is loaded in every pytest run of whoever has Fiducial installed, so nothing but pytest is imported here: the rest comes
when a test asks for the fixture.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from fiducial.testing.fixture import Fiducial

MARKER = (
    "fiducial(budget=None, inconclusive=None): makes calls that may cost money, at most `budget` a run (such as usd=0.50); "
    "skipped unless --fiducial is given. `inconclusive` is what becomes of a test whose interval spans the bound."
)
CHOICES = ("xfail", "skip", "fail")


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options and the ini value."""
    group = parser.getgroup("fiducial", "tests that measure the judgment of language models")
    group.addoption("--fiducial", action="store_true", help="run tests marked `fiducial`, which may cost money")
    group.addoption(
        "--fiducial-runs",
        metavar="DIR",
        type=Path,
        help="keep run files in DIR and continue those that are there [default: a fresh folder for every test]",
    )
    parser.addini(
        "fiducial_inconclusive",
        "what becomes of a test whose interval spans the bound: xfail, skip or fail",
        default="xfail",
    )


def pytest_configure(config: pytest.Config) -> None:
    """The marker is known, so that --strict-markers takes it."""
    config.addinivalue_line("markers", MARKER)
    if config.getini("fiducial_inconclusive") not in CHOICES:
        raise pytest.UsageError(f"fiducial_inconclusive: one of {', '.join(CHOICES)}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without --fiducial, marked tests are skipped."""
    if config.getoption("--fiducial"):
        return
    for item in items:
        if item.get_closest_marker("fiducial") is not None:
            item.add_marker(pytest.mark.skip(reason="may cost money: give --fiducial to run it"))


@pytest.fixture
def fiducial(request: pytest.FixtureRequest, tmp_path: Path) -> Fiducial:
    """Measure and assert on intervals: `fiducial.review(…)`, `fiducial.bias(…)`, `fiducial.at_least(…)` (docs/ci.md)."""
    from fiducial.testing.fixture import Fiducial  # noqa: PLC0415 - nothing is paid for by those who do not use it

    marker = request.node.get_closest_marker("fiducial")
    told = dict(marker.kwargs) if marker is not None else {}
    choice = told.pop("inconclusive", None) or request.config.getini("fiducial_inconclusive")
    if choice not in CHOICES:
        raise pytest.UsageError(f"{request.node.nodeid}: inconclusive={choice!r}; one of {', '.join(CHOICES)}")
    return Fiducial(
        test=request.node.nodeid,
        folder=request.config.getoption("--fiducial-runs") or tmp_path,
        may_pay=marker is not None,
        inconclusive=choice,
        calls=told,
    )

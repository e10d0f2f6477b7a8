"""What everything that is run from beginning to end in one call gives back, and how its progress is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Generic, TypeVar

from msgspec import Struct

from fiducial.run.progress import Progress

R = TypeVar("R")

Show = Callable[[str], Progress]
"""Makes the progress that is shown under a label."""


class Conducted(Struct, Generic[R], frozen=True):
    """A run and its result. `stopped` is why nothing more was asked, None where everything was tried."""

    path: Path
    result: R
    stopped: str | None


def forecast_lines(make: Callable[[], Iterable[str]]) -> Iterator[str]:
    """The lines of a forecast. They only inform, so an exception while they are made does not stop the run."""
    try:
        yield from make()
    except Exception as error:
        yield f"forecast: not known, because of a fault in Fiducial ({error!r}); please report it. The run goes on."

"""Progress on standard error: a live line in a terminal, plain lines elsewhere, from the first second on."""

from __future__ import annotations

import sys
import time
from collections import deque
from typing import Protocol

from msgspec import Struct
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn
from rich.progress import Progress as Bar

PLAIN_SECONDS = 5.0  # between two lines where there is no terminal
RATE_SECONDS = 20.0  # the window that the rate is taken over


class Snapshot(Struct, frozen=True, kw_only=True):
    """What the collector knows at a moment: trials finished since it began, and calls in flight."""

    done: int
    failed: int
    in_flight: int
    cost: float | None
    wait: float = 0.0  # seconds until the server takes calls again, as it said


class Progress(Protocol):
    """Somebody who wants to know how far the run is."""

    def start(self, total: int, done: int) -> None:
        """The run has `total` trials, `done` of which were answered before."""
        ...

    def show(self, now: Snapshot) -> None:
        """Called a few times a second."""
        ...

    def say(self, message: str) -> None:
        """Something happened that a person should read."""
        ...

    def stop(self, now: Snapshot) -> None:
        """The collection has ended."""
        ...


class Silent:
    """Shows nothing."""

    def start(self, total: int, done: int) -> None:
        """Nothing."""

    def show(self, now: Snapshot) -> None:
        """Nothing."""

    def say(self, message: str) -> None:
        """Nothing."""

    def stop(self, now: Snapshot) -> None:
        """Nothing."""


class Pace:
    """The rate over the last seconds, and the time that is left at that rate."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def update(self, finished: int, now: float) -> float | None:
        """Trials a second, None before there is anything to go by."""
        self._seen.append((now, finished))
        while now - self._seen[0][0] > RATE_SECONDS and len(self._seen) > 2:
            self._seen.popleft()
        (then, before) = self._seen[0]
        return (finished - before) / (now - then) if now > then and finished > before else None


class Shown:
    """A live line where there is a terminal, a plain line every few seconds where there is none."""

    def __init__(self, label: str, console: Console | None = None) -> None:
        self._label = label
        self._console = console or Console(stderr=True, file=sys.stderr)
        self._pace = Pace()
        self._total = self._before = 0
        self._printed = float("-inf")
        self._bar: Bar | None = None

    def start(self, total: int, done: int) -> None:
        """Show the line at once."""
        self._total, self._before = total, done
        if done:
            self.say(f"{done} of {total} replies are there already; continuing")
        if self._console.is_terminal:
            self._bar = Bar(
                SpinnerColumn(),
                TextColumn(self._label, markup=False),
                BarColumn(bar_width=30),
                MofNCompleteColumn(),
                TextColumn("{task.fields[line]}", markup=False),
                console=self._console,
                transient=True,
            )
            self._task = self._bar.add_task(self._label, total=total, completed=done, line="starting")
            self._bar.start()

    def show(self, now: Snapshot) -> None:
        """Move the line, or print one when the last is old enough."""
        at = time.monotonic()
        line = self._line(now, self._pace.update(now.done + now.failed, at))
        if self._bar is not None:
            self._bar.update(self._task, completed=self._before + now.done + now.failed, line=line)
        elif at - self._printed >= PLAIN_SECONDS:
            self._printed = at
            self._print(f"{self._label}: {self._before + now.done}/{self._total} done, {line}")

    def say(self, message: str) -> None:
        """A line of its own."""
        self._print(f"{self._label}: {message}")

    def stop(self, now: Snapshot) -> None:
        """Take the line away and leave a summary."""
        if self._bar is not None:
            self._bar.stop()
        summary = f"{self._before + now.done}/{self._total} done"
        summary += f", {now.failed} failed" if now.failed else ""
        summary += f", {now.cost:.4f} USD" if now.cost else ""
        self._print(f"{self._label}: {summary}")

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, emoji=False, highlight=False, soft_wrap=True)

    def _line(self, now: Snapshot, pace: float | None) -> str:
        parts = [f"{now.failed} failed"] if now.failed else []
        parts.append(f"{now.in_flight} in flight")
        if now.wait >= 1:
            parts.append(f"the server asks to wait {wait_words(now.wait)}")
        elif pace:
            left = (self._total - self._before - now.done - now.failed) / pace
            parts += [f"{pace:.1f}/s", f"{_clock(left)} left"]
        if now.cost:
            parts.append(f"{now.cost:.4f} USD")
        return ", ".join(parts)


def wait_words(seconds: float) -> str:
    """A time to wait, for a person: whole seconds up to two minutes, minutes up to two hours."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{min(seconds / 3600, 1e6):,.0f} h"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(max(0.0, seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"

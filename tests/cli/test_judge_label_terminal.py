"""`fiducial judge label` in a real terminal: a pseudo-terminal whose keys are pressed one by one."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fiducial.review.labelling import in_order, run_cases
from tests.review.folders import read_lines
from tests.review.standins import Scripted, as_output, make_dataset, review

pty = pytest.importorskip("pty")
termios = pytest.importorskip("termios")

# The terminal becomes the command's own, so that Ctrl-C reaches it.
COMMAND = """
import fcntl, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from fiducial.cli.main import main
main()
"""
# Once the run has been read, no file may grow beyond 150 bytes: the second label fits in half.
SMALL = """
import resource
from fiducial.review import label_round
class Small(label_round.Round):
    def __init__(self, *given, **named):
        super().__init__(*given, **named)
        resource.setrlimit(resource.RLIMIT_FSIZE, (150, 150))
label_round.Round = Small
"""
PATIENCE = 60  # seconds, for a machine that is busy; nothing is measured by it
READY = r"quit +\r\n"  # stands at the end of the screen


class Terminal:
    """A process, and the terminal that it thinks it is in."""

    def __init__(self, place: Path, *arguments: str, before: str = "") -> None:
        self.master, slave = pty.openpty()
        termios.tcsetwinsize(self.master, (30, 90))
        self.modes = termios.tcgetattr(slave)
        self.slave = slave
        code = before + COMMAND
        clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, "judge", "label", *arguments],
            cwd=place,
            env={**clean, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        self.seen = ""

    def until(self, wanted: str) -> str:
        """All that was printed up to and with these words, since the last time."""
        end = time.monotonic() + PATIENCE
        while not (found := re.search(wanted, self.seen, re.DOTALL)):
            assert time.monotonic() < end, self.seen
            if select.select([self.master], [], [], 1)[0]:
                self.seen += os.read(self.master, 65536).decode("utf-8", "replace")
            else:
                assert self.process.poll() is None, self.seen
        printed, self.seen = self.seen[: found.end()], self.seen[found.end() :]
        return printed

    def press(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def end(self) -> int:
        return self.process.wait(PATIENCE)


@contextmanager
def terminal(place: Path, *arguments: str, before: str = "") -> Iterator[Terminal]:
    opened = Terminal(place, *arguments, before=before)
    try:
        yield opened
    finally:
        if opened.process.poll() is None:
            opened.process.kill()
            opened.process.wait()
        os.close(opened.master)
        os.close(opened.slave)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    make_dataset(tmp_path / "d")
    review(tmp_path / "r.db", tmp_path / "d", Scripted(as_output()), None)
    return tmp_path


def lines(place: Path) -> list[tuple[str, float | None]]:
    return [(line["case"], line["label"]) for line in read_lines(place / "d" / "labels" / "ann.jsonl")]


def order(place: Path) -> list[str]:
    return [case.id for case in in_order(run_cases(place / "r.db"), "ann", 1)]


def test_keys_are_pressed_and_every_label_is_saved_at_once(place: Path) -> None:
    first, second, third = order(place)
    with terminal(place, "r.db", "--rater", "ann") as screen:
        screen.until(f"Case 1 of 3.*{READY}")
        screen.press("g")
        screen.until(f"Case 2 of 3.*saved: genuine.*{READY}")
        assert lines(place) == [(first, 1)]  # while the process still waits
        screen.press("d")
        screen.until(f"Case 2 of 3.*{READY}")
        screen.press("\x1b[B")  # the arrow down
        screen.until(f"Case 2 of 3.*{READY}")
        screen.press("?")
        screen.until("any key goes back")
        screen.press("x")
        screen.until(f"Case 2 of 3.*{READY}")
        screen.press("/")
        screen.until("search for: ")
        screen.press("fortnight\n")
        screen.until(f"1 of 1 place.*{READY}")
        screen.press("c")
        screen.until("comment: ")
        screen.press("twice said\n")
        screen.until(f"twice said.*{READY}")
        screen.press("n")
        screen.until(f"Case 3 of 3.*{READY}")
        screen.press("u")
        screen.until(f"Case 2 of 3.*taken back: not genuine.*{READY}")
        screen.press("5")
        screen.until(f"Case 3 of 3.*{READY}")
        screen.press("1")
        screen.until("any other key ends")
        screen.press("q")
        screen.until("nothing is left to label")
        assert screen.end() == 0
        assert termios.tcgetattr(screen.slave) == screen.modes
    assert lines(place) == [(first, 1), (second, 0), (second, None), (second, 0.5), (third, 1)]
    assert read_lines(place / "d" / "labels" / "ann.jsonl")[1]["note"] == "twice said"


def test_ctrl_c_keeps_what_is_labelled_and_leaves_the_terminal_as_it_was(place: Path) -> None:
    with terminal(place, "r.db", "--rater", "ann") as screen:
        screen.until(f"Case 1 of 3.*{READY}")
        screen.press("g")
        screen.until(f"Case 2 of 3.*{READY}")
        screen.press("\x03")
        said = screen.until(r"Go on with:\s+fiducial judge label r\.db --rater ann")
        assert screen.end() == 3 and "ann has labelled 1 of 3" in said and "Traceback" not in said
        assert termios.tcgetattr(screen.slave) == screen.modes
    assert lines(place) == [(order(place)[0], 1)]


def test_ctrl_c_while_a_comment_is_typed_is_no_different(place: Path) -> None:
    with terminal(place, "r.db", "--rater", "ann") as screen:
        screen.until(f"Case 1 of 3.*{READY}")
        screen.press("c")
        screen.until("comment: ")
        screen.press("half a sen")
        screen.until("half a sen")
        screen.press("\x03")
        screen.until("ann has labelled 0 of 3")
        assert screen.end() == 3 and termios.tcgetattr(screen.slave) == screen.modes
    assert not (place / "d" / "labels").exists()


def test_a_session_goes_on_after_it_was_stopped_and_the_shell_had_the_terminal(place: Path) -> None:
    with terminal(place, "r.db", "--rater", "ann") as screen:
        screen.until(f"Case 1 of 3.*{READY}")
        screen.process.send_signal(signal.SIGSTOP)
        termios.tcsetattr(screen.slave, termios.TCSANOW, screen.modes)
        screen.process.send_signal(signal.SIGCONT)
        end = time.monotonic() + PATIENCE
        while termios.tcgetattr(screen.slave)[3] & termios.ECHO:
            assert time.monotonic() < end, "the terminal was not taken back"
        screen.press("g")  # and no Enter
        screen.until(f"Case 2 of 3.*saved: genuine.*{READY}")
        screen.press("q")
        assert screen.end() == 0


def test_ctrl_d_quits(place: Path) -> None:
    with terminal(place, "r.db", "--rater", "ann") as screen:
        screen.until(f"Case 1 of 3.*{READY}")
        screen.press("\x04")
        screen.until("ann has labelled 0 of 3")
        assert screen.end() == 0


def test_a_kill_loses_nothing_that_was_said_to_be_saved(place: Path) -> None:
    with terminal(place, "r.db", "--rater", "ann") as screen:
        screen.until(f"Case 1 of 3.*{READY}")
        screen.press("g")
        screen.until("saved: genuine")
        screen.process.send_signal(signal.SIGKILL)
        screen.end()
    assert lines(place) == [(order(place)[0], 1)]
    with terminal(place, "r.db", "--rater", "ann") as screen:
        screen.until(f"Case 2 of 3.*{READY}")


def test_a_disk_that_fills_up_ends_with_one_clear_sentence_and_a_whole_file(place: Path) -> None:
    with terminal(place, "r.db", "--rater", "ann", before=SMALL) as screen:
        screen.until(f"Case 1 of 3.*{READY}")
        screen.press("g")
        screen.until(f"Case 2 of 3.*{READY}")
        screen.press("g")
        said = screen.until("What was saved before is still there")
        assert screen.end() == 2 and "this label could not be saved" in said and "Traceback" not in said
        assert termios.tcgetattr(screen.slave) == screen.modes
    assert lines(place) == [(order(place)[0], 1)]


def test_keys_that_were_pressed_before_a_case_was_shown_do_not_label_it(place: Path) -> None:
    with terminal(place, "r.db", "--rater", "ann") as screen:
        screen.until(f"Case 1 of 3.*{READY}")
        screen.press("gggggggg")  # a finger that rests on the key
        screen.until(f"Case 2 of 3.*{READY}")
        screen.press("q")
        screen.until(r"ann has labelled 1 of 3")
        assert screen.end() == 0
    assert len(lines(place)) == 1

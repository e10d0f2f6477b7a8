"""Single keys from a terminal; where standard input is none, one key a line."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import NamedTuple, Protocol, TextIO

import click

DOWN, UP, END = "<down>", "<up>", "<end>"
ARGUED = ("/", "c")  # keys that take a text

_SEQUENCES = {"[B": DOWN, "OB": DOWN, "[6~": DOWN, "[A": UP, "OA": UP, "[5~": UP}
_ESCAPE_WAIT = 0.05  # seconds in which the rest of a sequence follows its escape
_LONGEST = 32  # bytes of a sequence


class Pressed(NamedTuple):
    """A key, and the text that came with it, if it did. Arrow and page keys are `DOWN` and `UP`, the end `END`."""

    key: str
    text: str | None = None


class Keyboard(Protocol):
    """Where keys come from."""

    def key(self) -> Pressed:
        """The next key. Waits for it."""

    def line(self, prompt: str) -> str | None:
        """A line of text; None where it was given up."""

    def pause(self, prompt: str) -> None:
        """Let a person read; a script reads nothing."""

    def forget(self) -> None:
        """Drop what was typed ahead: a key that was pressed before something was shown does not answer it."""


@contextmanager
def keyboard() -> Iterator[Keyboard]:
    """The keyboard of standard input. A terminal is put back as it was, whatever happens."""
    if not sys.stdin.isatty():
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")  # what is no text is no key either
        yield LineKeyboard(sys.stdin)
        return
    try:
        import termios
    except ImportError:  # Windows
        yield _ClickKeyboard()
        return
    fd = sys.stdin.fileno()
    before = termios.tcgetattr(fd)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    terminal = TerminalKeyboard(fd, woken)
    # Ctrl-Z gives the terminal to the shell, which hands it back as it likes it.
    handler = signal.signal(signal.SIGCONT, lambda *_: terminal.take())
    waker = signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    try:
        terminal.take()
        yield terminal
    finally:
        signal.set_wakeup_fd(waker)
        signal.signal(signal.SIGCONT, handler)
        termios.tcsetattr(fd, termios.TCSADRAIN, before)
        os.close(woken)
        os.close(wake)


class LineKeyboard:
    """One key a line, for scripts: `g`, `/fortnight`, `c a comment`. A line that is no key is handed on as it is."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def key(self) -> Pressed:
        """The key on the next line that is not empty."""
        while line := self._stream.readline():
            said = line.strip()
            if len(said) > 1 and said[0] in ARGUED and (said[0] == "/" or said[1].isspace()):
                return Pressed(said[0], said[1:].strip())
            if said:
                return Pressed(said)
        return Pressed(END)

    def line(self, prompt: str) -> str | None:
        """The next line."""
        line = self._stream.readline()
        return line.strip() if line else None

    def pause(self, prompt: str) -> None:
        """Go on at once."""

    def forget(self) -> None:
        """A script is written ahead: nothing is dropped."""


class TerminalKeyboard:
    """A POSIX terminal in cbreak mode: keys come one by one and unechoed, Ctrl-C still interrupts.

    A signal writes to `woken`. Without it, one that comes just before a read would be heeded only at the next key.
    """

    def __init__(self, fd: int, woken: int) -> None:
        import termios

        self._fd, self._woken, self._cooked = fd, woken, termios.tcgetattr(fd)
        self._in_line = False

    def _read(self, size: int) -> bytes:
        while self._fd not in (ready := select.select([self._fd, self._woken], [], [])[0]):
            if ready:
                os.read(self._woken, 64)  # and whatever the signal is for happens here
        return os.read(self._fd, size)

    def take(self) -> None:
        """Have keys come one by one, unless a line is being typed."""
        import termios

        if self._in_line:
            return
        mode = termios.tcgetattr(self._fd)
        mode[3] &= ~(termios.ECHO | termios.ICANON)
        mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
        termios.tcsetattr(self._fd, termios.TCSADRAIN, mode)

    def key(self) -> Pressed:
        """The next key."""
        byte = self._read(1)
        if byte in (b"", b"\x04"):  # the terminal is gone, or Ctrl-D
            return Pressed(END)
        if byte == b"\x1b":
            return Pressed(_SEQUENCES.get(self._sequence(), ""))
        while len(byte) < 4 and byte[0] >= 0xC0 and len(byte) < _length(byte[0]):
            byte += os.read(self._fd, 1)
        return Pressed(byte.decode("utf-8", "replace"))

    def _sequence(self) -> str:
        """What follows an escape; a lone Esc is followed by nothing."""
        found = b""
        while len(found) < _LONGEST and select.select([self._fd], [], [], _ESCAPE_WAIT)[0]:
            byte = os.read(self._fd, 1)
            found += byte
            if not byte or (len(found) > 1 and 0x40 <= byte[0] <= 0x7E):
                break
        return found.decode("ascii", "replace")

    def line(self, prompt: str) -> str | None:
        """A line, edited as lines in terminals are."""
        import termios

        self._in_line = True
        try:
            termios.tcsetattr(self._fd, termios.TCSADRAIN, self._cooked)
            click.echo(prompt, nl=False)
            line = b""
            while not line.endswith(b"\n"):
                more = self._read(4096)
                if not more:  # Ctrl-D
                    break
                line += more
            return line.decode("utf-8", "replace").strip() if line else None
        finally:
            self._in_line = False
            self.take()

    def pause(self, prompt: str) -> None:
        """Wait for any key."""
        click.echo(prompt)
        self.key()

    def forget(self) -> None:
        """Drop what was typed ahead."""
        import termios

        termios.tcflush(self._fd, termios.TCIFLUSH)


class _ClickKeyboard:
    """Keys where there is no termios."""

    def key(self) -> Pressed:
        char = click.getchar()
        if char in ("\x04", "\x1a"):
            return Pressed(END)
        return Pressed({"\xe0P": DOWN, "\xe0Q": DOWN, "\xe0H": UP, "\xe0I": UP}.get(char, char))

    def line(self, prompt: str) -> str | None:
        try:
            return input(prompt).strip()
        except EOFError:
            return None

    def pause(self, prompt: str) -> None:
        click.echo(prompt)
        self.key()

    def forget(self) -> None:
        pass


def _length(first: int) -> int:
    """Of a character in UTF-8, by its first byte."""
    return 4 if first >= 0xF0 else 3 if first >= 0xE0 else 2

"""Prints text and nothing but text: neither markup nor escape sequences in it have any effect."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

ASCII = str.maketrans("−—–─│┼●○×…", "----|+#ox.")  # for a console that knows no more


class Writer:
    """Lines for a console, in ASCII where it knows no more. A part is words, or words with a style."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._ascii = console.options.ascii_only

    def text(self, *parts: str | tuple[str, str], justify: str = "left") -> Text:
        """The parts one after another."""
        text = Text(overflow="fold", justify="right" if justify == "right" else "left")
        for part in parts:
            words, style = (part, "") if isinstance(part, str) else part
            text.append(words.translate(ASCII).encode("ascii", "replace").decode() if self._ascii else words, style)
        return text

    def line(self, *parts: str | tuple[str, str]) -> None:
        """Print one line."""
        self._console.print(self.text(*parts))

    def item(self, *parts: str | tuple[str, str]) -> None:
        """A line that belongs to what stands above."""
        self._console.print(Padding(self.text(*parts), (0, 0, 0, 2)))

    def command(self, *parts: str | tuple[str, str]) -> None:
        """A line that is there to be copied: it is one line however long it is."""
        self._console.print(self.text(*parts), soft_wrap=True)

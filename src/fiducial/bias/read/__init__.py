"""Reading a reply: the answer it commits to, with the words it was read from, or an honest abstention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fiducial.bias.read.lines import read_lines
from fiducial.bias.read.read import read
from fiducial.bias.read.reading import Kind, Option, Reading, Status
from fiducial.bias.read.version import reader_version

if TYPE_CHECKING:
    READER_VERSION: str

__all__ = ["READER_VERSION", "Kind", "Option", "Reading", "Status", "read", "read_lines"]


def __getattr__(name: str) -> Any:
    if name == "READER_VERSION":
        return reader_version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""Prints the tables of docs/data.md."""

from __future__ import annotations

import sys

from fiducial.frames.tables import document

if __name__ == "__main__":
    sys.stdout.write(document())

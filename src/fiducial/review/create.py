"""A dataset from a document."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from fiducial.errors import UsageError
from fiducial.review.dataset import DOCUMENT, MUST_FIND, ReviewType
from fiducial.review.files import decode, read_bytes
from fiducial.review.frozen import freeze


def create_dataset(
    document: Path, *, out: Path | None = None, review_type: ReviewType = "design", name: str | None = None
) -> Path:
    """Make the folder: a copy of the document to the byte, frozen, and an empty list of must-finds.

    It appears whole or not at all, and never in place of something that is there.
    """
    raw = read_bytes(document)
    if not decode(raw, document).strip():
        raise UsageError(f"{document}: the document is empty")
    folder = out or Path(_slug(name or document.stem))
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder}: there is something of that name already; choose another folder with --out")
    draft = folder.with_name(f".{folder.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)  # of a command that was killed
    try:
        draft.mkdir(parents=True)
        (draft / DOCUMENT).write_bytes(raw)
        (draft / MUST_FIND).write_bytes(b"")
        named = {"name": name} if name else {}
        freeze(draft, draft / DOCUMENT, {**named, "document": DOCUMENT, "review_type": review_type})
        if folder.exists():
            folder.rmdir()
        draft.rename(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return folder


def _slug(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "dataset"

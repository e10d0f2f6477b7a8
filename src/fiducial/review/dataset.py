"""Documents under review with their lists of must-finds, as they lie in folders.

A dataset is one such folder (`metadata.json`, the document, `must_find.jsonl` …) or a folder of them. The older layout,
whose `metadata.json` has `design_doc_path` and `design_doc_hash`, loads as it is; so does a folder with nothing but a
Markdown file, which is then not frozen.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, get_args

from msgspec import Struct

from fiducial.errors import UsageError, command
from fiducial.judge.genuine import ReviewType
from fiducial.review import records
from fiducial.review.files import decode, near, read_bytes, read_object, read_rows
from fiducial.review.frozen import METADATA, hashes_of, read_hash
from fiducial.review.records import Candidate, ContextDependent, MustFind, ZeroShotRecord, items_of

__all__ = [
    "CANDIDATES",
    "CONTEXT",
    "MUST_FIND",
    "Dataset",
    "Document",
    "MustFind",
    "ReviewType",
    "ZeroShotRecord",
    "all_candidates",
    "all_context",
    "candidates",
    "context_dependent",
    "document_folders",
    "document_path",
    "find_dataset",
    "items_for",
    "load_dataset",
    "load_document",
    "nothing_owned",
    "owners",
    "queue_log",
    "shipped_datasets",
]

REVIEW_TYPES: tuple[ReviewType, ...] = get_args(ReviewType)

DOCUMENT = "document.md"
MUST_FIND = "must_find.jsonl"
CONTEXT = "context_dependent_findings.jsonl"
CANDIDATES = "candidates.jsonl"
OLDER_QUEUE = "critical_findings.jsonl"
SHIPPED = Path(__file__).parent / "datasets"
PARENTS = 4  # how far up from its dataset the document of the older layout is looked for


class Document(Struct, frozen=True, kw_only=True):
    """One document as it is now. Its id is the name of its folder.

    `must_find` is None where there is no list at all, and empty where nobody has filled it yet.
    """

    id: str
    path: Path
    text: str
    hash: str
    frozen_hash: str | None
    review_type: ReviewType
    must_find: tuple[MustFind, ...] | None
    folder: Path
    same: tuple[str, ...] = ()  # other hashes that the same text may be frozen by, such as that of its raw bytes
    layout: Literal["fiducial", "older", "bare"] = "fiducial"

    @property
    def changed(self) -> bool:
        """Whether it is another text than the one that was frozen."""
        return self.frozen_hash is not None and self.frozen_hash not in (self.hash, *self.same)


class Dataset(Struct, frozen=True, kw_only=True):
    """The documents of a folder, in the order of their ids."""

    name: str
    folder: Path
    documents: tuple[Document, ...]


def load_dataset(folder: Path) -> Dataset:
    """The dataset in a folder, or the shipped one of that name where there is no such folder."""
    folder = find_dataset(folder)
    folders = document_folders(folder)
    name = _name(folder) if folders == [folder] else folder.resolve().name
    return Dataset(name=name, folder=folder, documents=tuple(map(load_document, folders)))


def find_dataset(folder: Path) -> Path:
    """The folder itself, or that of the shipped dataset of this name."""
    folder = Path(folder)
    if folder.is_dir():
        return folder
    if folder.exists():
        raise UsageError(
            f"{folder}: a dataset is a folder, and this is a file. "
            f"`{command('review', 'init', folder)}` makes a dataset of it."
        )
    known = shipped_datasets()
    if str(folder) in known:
        return SHIPPED / folder
    raise UsageError(
        f"{folder}: there is no such folder, and no dataset of that name comes with Fiducial"
        f"{near(str(folder), known)} (there are {', '.join(known)})."
    )


def document_folders(folder: Path) -> list[Path]:
    """The folders of a dataset's documents: itself, or those below it that hold one."""
    if _is_document(folder):
        return [folder]
    inside = sorted(p for p in folder.iterdir() if p.is_dir() and not p.name.startswith("."))
    single = sorted(folder.glob("*.md"))
    # A README beside several datasets does not make one of them all.
    if len(single) == 1 and not any(map(_is_document, inside)):
        return [folder]
    found = [p for p in inside if _is_document(p) or len(list(p.glob("*.md"))) == 1]
    if found:
        return found
    if single:
        listed = ", ".join(p.name for p in single[:5])
        raise UsageError(
            f"{folder}: which file is the document? There are {listed}. Name one of them {DOCUMENT}, "
            "or make a dataset of it with `fiducial review init FILE`."
        )
    raise UsageError(
        f"{folder}: no {METADATA} and no {DOCUMENT} in it, nor in a folder below it. "
        "`fiducial review init FILE` makes a dataset of a document."
    )


def shipped_datasets() -> list[str]:
    """The names of the datasets that come with Fiducial."""
    return sorted(p.name for p in SHIPPED.iterdir() if _is_document(p))


def owners(document: Document) -> list[str]:
    """The reviewers that own a must-find of the document."""
    return sorted({item.reviewer for item in document.must_find or () if item.reviewer})


def items_for(document: Document, reviewer: str) -> tuple[MustFind, ...]:
    """The must-finds that the reviewer is scored for: its own, and those that nobody owns."""
    return items_of(document.must_find, reviewer)


def nothing_owned(documents: Iterable[Document], reviewer: str) -> str | None:
    """What to say where there are must-finds and none of them is for this reviewer; else None."""
    documents = [d for d in documents if d.must_find]
    if not documents or any(items_for(d, reviewer) for d in documents):
        return None
    names = sorted({name for d in documents for name in owners(d)})
    return (
        f"none of the must-finds belongs to the reviewer {reviewer!r}{near(reviewer, names)} "
        f"(they belong to {', '.join(names)}). Take the owner out of a record to ask it of every reviewer."
    )


def context_dependent(folder: Path) -> tuple[ContextDependent, ...] | None:
    """The records of `context_dependent_findings.jsonl`; None where there is no such file."""
    path = folder / CONTEXT
    return records.distinct(read_rows(path), records.context_dependent) if path.exists() else None


def candidates(folder: Path) -> dict[str, Candidate]:
    """Where every candidate stands, by id."""
    return {one.id: one for one in queue_log(folder)}


def queue_log(folder: Path) -> list[Candidate]:
    """Every record of the queue, the oldest first. The findings of an older `critical_findings.jsonl` are in it too."""
    paths = [path for path in (folder / OLDER_QUEUE, folder / CANDIDATES) if path.exists()]
    return [records.candidate(row) for path in paths for row in read_rows(path, growing=path.name == CANDIDATES)]


def all_context(dataset: Dataset) -> list[ContextDependent]:
    """The context-dependent findings of all its documents."""
    return [record for document in dataset.documents for record in context_dependent(document.folder) or ()]


def all_candidates(dataset: Dataset) -> list[Candidate]:
    """Where every candidate of all its documents stands."""
    return [one for document in dataset.documents for one in candidates(document.folder).values()]


def _is_document(folder: Path) -> bool:
    return (folder / METADATA).is_file() or (folder / DOCUMENT).is_file()


def _name(folder: Path) -> str:
    metadata = folder / METADATA
    name = read_object(metadata).get("name") if metadata.exists() else None
    return name if isinstance(name, str) and name.strip() else folder.resolve().name


def load_document(folder: Path, *, lists: bool = True) -> Document:
    """The document of one folder; without its `lists`, `must_find` is None."""
    metadata = folder / METADATA
    fields = read_object(metadata) if metadata.exists() else {}
    older = _is_older(fields)
    path = _path(folder, fields, older=older)
    raw = read_bytes(path)
    text = decode(raw, path)
    if not text.strip():
        raise UsageError(f"{path}: the document is empty")
    hash_field = "hash" if not older and "design_doc_hash" not in fields else "design_doc_hash"
    digest, *same = hashes_of(raw, path)
    wanted = folder / MUST_FIND
    return Document(
        id=_own_name(folder),
        path=path,
        text=text,
        hash=digest,
        frozen_hash=read_hash(fields.get(hash_field), f'{metadata}: "{hash_field}"'),
        review_type=_review_type(fields, metadata),
        must_find=records.distinct(read_rows(wanted), records.must_find) if lists and wanted.exists() else None,
        folder=folder,
        same=tuple(same),
        layout="older" if older else "fiducial" if fields else "bare",
    )


def document_path(folder: Path) -> Path:
    """The file of a folder's document, which its metadata may put anywhere."""
    metadata = folder / METADATA
    fields = read_object(metadata) if metadata.exists() else {}
    return _path(folder, fields, older=_is_older(fields))


def _is_older(fields: dict[str, Any]) -> bool:
    return "design_doc_path" in fields and "document" not in fields


def _own_name(folder: Path) -> str:
    """Its name where it lies: two folders of a dataset may be links to folders of one name elsewhere."""
    return folder.name if folder.name not in ("", "..") else folder.resolve().name


def _path(folder: Path, fields: dict[str, Any], *, older: bool) -> Path:
    field = "design_doc_path" if older else "document"
    said = fields.get(field)
    what = f'{folder / METADATA}: "{field}"'
    if said is None:
        if (folder / DOCUMENT).is_file():
            return folder / DOCUMENT
        single = list(folder.glob("*.md"))
        if len(single) == 1:
            return single[0]
        raise UsageError(f"{what} is missing and there is no {DOCUMENT}; name the document's file there")
    if not isinstance(said, str) or not said.strip():
        raise UsageError(f"{what} is {said!r}; it is the path of the document, from the dataset's folder")
    places = [folder, *(list(folder.resolve().parents)[:PARENTS] if older else [])]
    for place in places:
        if (place / said).is_file():  # an absolute path stands for itself
            return place / said
    where = f"in {folder}" + (f" and the {PARENTS} folders above it" if older else "")
    raise UsageError(f"{what} is {said!r}, and there is no such file (looked {where}); put the document there")


def _review_type(fields: dict[str, Any], metadata: Path) -> ReviewType:
    said = fields.get("review_type")
    if said is None:
        return "design"
    for known in REVIEW_TYPES:
        if isinstance(said, str) and said.strip().lower() == known:
            return known
    raise UsageError(
        f'{metadata}: "review_type" is {said!r}{near(str(said).lower(), REVIEW_TYPES)}; '
        f"it is one of {', '.join(REVIEW_TYPES)}"
    )

"""The document as it was when the lists were made: known by its hash, and by what the lists quote from it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from fiducial.errors import UsageError
from fiducial.judge.document import place_of
from fiducial.review.files import decode, normalised, read_bytes, read_object
from fiducial.review.records import MustFind
from fiducial.run.files import write_whole

METADATA = "metadata.json"

_HASH = re.compile(r"(?:sha-?256:)?([0-9a-f]{64})", re.IGNORECASE)


_ABSENT = re.compile(r"\W*absent\s*:", re.IGNORECASE)  # says what is missing, and quotes nothing


class Gone(Struct, frozen=True):
    """A quotation of a must-find that is no longer in the document."""

    item: MustFind
    quotation: str


def content_hash(text: str) -> str:
    """`sha256:HEX` of the text with its newlines normalised."""
    return _sha256(normalised(text).encode())


def hashes_of(raw: bytes, path: Path) -> tuple[str, ...]:
    """Every hash that this very text may be frozen by: ours first, then that of the bytes as they are."""
    text = decode(raw, path)
    return content_hash(text), _sha256(raw), _sha256(normalised(raw.decode("utf-8")).encode())


def read_hash(value: object, what: str) -> str | None:
    """A hash as people wrote it down, as `sha256:hex`; None where there is none."""
    if value is None or value == "":
        return None
    found = _HASH.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        raise UsageError(
            f"{what} is {value!r}; it is sha256: and 64 hex digits. "
            "`fiducial review check DATASET --freeze` writes it for the document as it is now"
        )
    return f"sha256:{found[1].lower()}"


def gone(items: Iterable[MustFind], text: str) -> list[Gone]:
    """The quotations that are not in the text, in the order of the list."""
    return [Gone(item, said) for item in items for said in not_in(text, item.evidence)]


def not_in(text: str, quotations: Iterable[str]) -> list[str]:
    """Those of the quotations that are not in the text; what only says that something is absent quotes nothing."""
    return [said for said in quotations if not _ABSENT.match(said) and place_of(said, text) is None]


def now() -> str:
    """The time, in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def freeze(folder: Path, document: Path, metadata: Mapping[str, object] | None = None) -> str:
    """Write the hash of the document as it is now into the folder's `metadata.json`, and return it.

    What else stands there stays. Where the older field names are used, the hash goes where it stood.
    """
    path = folder / METADATA
    before = dict(metadata) if metadata is not None else read_object(path) if path.exists() else {}
    digest = content_hash(decode(read_bytes(document), document))
    before["design_doc_hash" if "design_doc_path" in before else "hash"] = digest
    if "design_doc_path" not in before:
        before.setdefault("document", document.name)
    before["frozen_at"] = now()
    write_whole(path, msgspec.json.format(msgspec.json.encode(before), indent=2) + b"\n")
    return digest


def _sha256(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"

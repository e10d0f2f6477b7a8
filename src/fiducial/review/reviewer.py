"""Reviewers: Markdown files with YAML front matter whose body is the system prompt, as agent files are.

```
---
name: assumption-hunter
description: Use when …
---
You are …
```
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from fiducial.errors import UsageError
from fiducial.model.yaml import load_yaml
from fiducial.review.files import kind_of, near, read_text

SHIPPED = Path(__file__).parent / "reviewers"

_FENCE = re.compile(r"---[ \t]*")
# Agent files are written by hand, and their descriptions are sentences: "Use when: …" is no YAML and means no map.
_DESCRIPTION = re.compile(r"(?m)^description:[ \t]+(?![\"'|>\[{&*!])(.+)$")
_UNFIT = re.compile(r"[\x00-\x1f\x7f/\\]")


class Reviewer(Struct, frozen=True, kw_only=True):
    """A reviewer. `model` is what its file asks for, in the words of the file; None where it takes any."""

    name: str
    description: str
    prompt: str
    model: str | None
    path: Path
    review_types: tuple[str, ...] = ()

    @property
    def hash(self) -> str:
        """`sha256:HEX` of name and prompt: what its findings depend on."""
        content = f"{self.name}\0{self.prompt}"
        return f"sha256:{hashlib.sha256(content.encode()).hexdigest()}"


def shipped_reviewers() -> list[str]:
    """The names of the reviewers that come with Fiducial."""
    return sorted(path.stem for path in SHIPPED.glob("*.md"))


def is_known(name: str) -> bool:
    """Whether there is a reviewer, a file or a folder of that name."""
    return name in shipped_reviewers() or Path(name).exists()


def unknown_reviewer(name: str) -> Reviewer:
    """A reviewer of which nothing is known but its name, as of outputs that were recorded elsewhere."""
    return Reviewer(name=name, description="", prompt="", model=None, path=Path())


def find_reviewers(names: Sequence[str]) -> list[Reviewer]:
    """The reviewers of these names, in order: shipped names, paths of agent files, or folders of them.

    Of a folder, the Markdown files with front matter are taken. One that is named twice is taken once; two different
    ones of the same name are an error, because results are told apart by name.
    """
    found: dict[str, Reviewer] = {}
    for name in names:
        for reviewer in _find(name):
            other = found.setdefault(reviewer.name, reviewer)
            if other.hash != reviewer.hash:
                raise UsageError(
                    f"two reviewers are called {reviewer.name!r}: {other.path} and {reviewer.path}. "
                    "Give one of them another name in its front matter."
                )
    return list(found.values())


def load_reviewer(path: Path) -> Reviewer:
    """The reviewer in a file. Without front matter, all of it is the prompt and the file's name is its name."""
    front, body, first = _split(read_text(path), path)
    fields = _fields(front, path, first)
    prompt = body.strip()
    if not prompt:
        raise UsageError(f"{path}: no prompt after the front matter; write there what the reviewer is to do")
    model = _said(fields, "model", path)
    return Reviewer(
        name=_name(fields, path),
        description=_said(fields, "description", path) or "",
        prompt=prompt,
        model=None if model == "inherit" else model,
        path=path,
        review_types=_types(fields, path),
    )


def _find(name: str) -> list[Reviewer]:
    path = Path(name)
    if path.is_dir():
        files = [file for file in sorted(path.glob("*.md")) if _has_front_matter(file)]
        if not files:
            raise UsageError(
                f"{path}: no reviewer in this folder; a reviewer is a .md file that begins with a line of three "
                "hyphens, its name and description, and another such line"
            )
        return [load_reviewer(file) for file in files]
    if path.is_file():
        return [load_reviewer(path)]
    known = shipped_reviewers()
    if name in known:
        return [load_reviewer(SHIPPED / f"{name}.md")]
    raise UsageError(
        f"there is no reviewer {name!r}, and no file or folder of that name{near(name, known)} "
        f"(there are {', '.join(known)})."
    )


def _has_front_matter(path: Path) -> bool:
    return _FENCE.fullmatch(read_text(path).partition("\n")[0]) is not None


def _split(text: str, path: Path) -> tuple[str, str, int]:
    """Front matter, body, and the number of the front matter's first line; 0 where there is none."""
    lines = text.split("\n")
    if not _FENCE.fullmatch(lines[0]):
        return "", text, 0
    for k, line in enumerate(lines[1:], start=1):
        if _FENCE.fullmatch(line):
            return "\n".join(lines[1:k]), "\n".join(lines[k + 1 :]), 2
    raise UsageError(f"{path}, line 1: the front matter is not closed; end it with a line of three hyphens (---)")


def _fields(front: str, path: Path, first: int) -> dict[str, Any]:
    if not front.strip():
        return {}
    shifted = "\n" * (first - 1) + front  # so that errors name the line of the file
    try:
        found = load_yaml(shifted, name=str(path))
    except UsageError:
        mended = _DESCRIPTION.sub(lambda m: f"description: {msgspec.json.encode(m[1]).decode()}", shifted)
        if mended == shifted:
            raise
        found = load_yaml(mended, name=str(path))
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise UsageError(f"{path}, line {first}: the front matter is {kind_of(found)}; it is lines as in `name: …`")
    return found


def _name(fields: dict[str, Any], path: Path) -> str:
    name = _said(fields, "name", path) or path.stem
    if _UNFIT.search(name):
        raise UsageError(f'{path}: "name" is {name!r}; it is one line without slashes')
    return name


def _said(fields: dict[str, Any], field: str, path: Path) -> str | None:
    value = fields.get(field)
    if value is None:
        return None
    if not isinstance(value, str):
        raise UsageError(f'{path}: "{field}" is {kind_of(value)}; it is a text (put it in quotation marks)')
    return value.strip() or None


def _types(fields: dict[str, Any], path: Path) -> tuple[str, ...]:
    value = fields.get("review_types")
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(kind, str) for kind in value):
        raise UsageError(f'{path}: "review_types" is {value!r}; it is a list, as in [requirements, design]')
    return tuple(value)

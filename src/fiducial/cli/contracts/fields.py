"""The fields of a type as they stand in JSON: name, type, whether they may be absent, and what they mean.

A meaning is the word for the field of this type in `words`, else the comment beside it, else the word for fields of
that name.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import tokenize
import typing
from collections.abc import Iterator
from functools import cache
from io import StringIO
from typing import Any

from msgspec import NODEFAULT, Struct

from fiducial.cli.contracts.words import WORDS


class Field(Struct, frozen=True, kw_only=True):
    """One field of an object."""

    name: str
    hint: Any
    optional: bool  # left out where it has its default
    meaning: str


def is_struct(hint: Any) -> bool:
    """Whether it is a type with fields."""
    return isinstance(hint, type) and issubclass(hint, Struct)


@cache
def fields(struct: type[Struct]) -> tuple[Field, ...]:
    """The fields, in the order in which they are printed."""
    hints, said = _hints(struct), _comments(struct)
    shortened = struct.__struct_config__.omit_defaults
    required = len(struct.__struct_fields__) - len(struct.__struct_defaults__)
    defaults = (NODEFAULT,) * required + struct.__struct_defaults__
    return tuple(
        Field(
            name=shown,
            hint=hints[name],
            optional=shortened and default is not NODEFAULT,
            meaning=WORDS.get(f"{struct.__name__}.{name}") or said.get(name) or _inherited(struct, name),
        )
        for name, shown, default in zip(
            struct.__struct_fields__, struct.__struct_encode_fields__, defaults, strict=True
        )
    )


def made_from(struct: type[Struct]) -> type[Struct] | None:
    """The type that it has all fields of."""
    base = struct.__base__
    return base if base is not None and base is not Struct and is_struct(base) else None


def structs(hint: Any) -> Iterator[type[Struct]]:
    """The types with fields that a type speaks of, itself among them; not those within them."""
    if is_struct(hint):
        yield hint
    for part in typing.get_args(hint):
        yield from structs(part)


def reached(hints: typing.Iterable[Any], *, closed: typing.Container[type[Struct]] = ()) -> list[type[Struct]]:
    """Every type with fields that these lead to, each once, what is met first coming first. `closed` ones stay out."""
    found: dict[type[Struct], None] = {}
    todo = [struct for hint in hints for struct in structs(hint)]
    while todo:
        struct = todo.pop(0)
        if struct in found or struct in closed:
            continue
        found[struct] = None
        base = made_from(struct)
        todo = [inner for field in fields(struct) for inner in structs(field.hint)] + todo
        todo = ([base] if base else []) + todo
    return list(found)


def _inherited(struct: type[Struct], name: str) -> str:
    """The word for a field of a base type, or for a field of that name anywhere."""
    own = (WORDS[f"{base.__name__}.{name}"] for base in struct.__mro__ if f"{base.__name__}.{name}" in WORDS)
    return next(own, WORDS.get(name, ""))


def _lineage(struct: type[Struct]) -> Iterator[type[Struct]]:
    """The type and what it is made from, the first ancestor first."""
    return (base for base in reversed(struct.__mro__) if is_struct(base) and base is not Struct)


def _hints(struct: type[Struct]) -> dict[str, Any]:
    """The types of the fields. A field may be called as a type is (`list`), so class members are no names here."""
    found: dict[str, Any] = {}
    for base in _lineage(struct):
        found |= inspect.get_annotations(base, locals={}, eval_str=True)
    return found


def _comments(struct: type[Struct]) -> dict[str, str]:
    found: dict[str, str] = {}
    for base in _lineage(struct):
        source = textwrap.dedent(inspect.getsource(base))
        tokens = tokenize.generate_tokens(StringIO(source).readline)
        said = {t.start[0]: t.string.lstrip("# ") for t in tokens if t.type == tokenize.COMMENT}
        (body,) = ast.parse(source).body
        assert isinstance(body, ast.ClassDef)
        for line in body.body:
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                words = [said[k] for k in range(line.lineno, (line.end_lineno or 0) + 1) if k in said]
                if words and not words[0].startswith("type:"):
                    found[line.target.id] = words[0].split("  # type:")[0]
    return found

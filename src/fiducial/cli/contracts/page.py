"""The page of contracts, as Markdown."""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Iterator
from importlib.resources import files
from typing import Any, Literal

from msgspec import Struct

from fiducial.cli.contracts.commands import CLOSED, CONTRACTS, Contract
from fiducial.cli.contracts.fields import Field, fields, is_struct, made_from, reached
from fiducial.cli.contracts.titles import titles

_PLAIN = {str: "text", bool: "boolean", int: "integer", float: "number", type(None): "null", None: "null"}


def page() -> str:
    """All contracts."""
    named = titles(reached((contract.prints for contract in CONTRACTS.values()), closed=CLOSED))
    head = (files("fiducial.cli.contracts") / "head.md").read_text("utf-8")
    parts = [head, "## Commands\n"]
    parts += ["\n".join(_command(name, contract, named)) for name, contract in CONTRACTS.items()]
    parts += ["## Objects\n"]
    parts += ["\n".join(_object(struct, title, named)) for struct, title in named.items()]
    return "\n".join(parts)


def _command(name: str, contract: Contract, named: dict[type[Struct], str]) -> Iterator[str]:
    yield f"### fiducial {name}\n"
    yield f"- prints: {_type(contract.prints, named)}"
    codes = ["0"] + (["1"] if contract.one else []) + ["2"] + (["3"] if contract.three else [])
    yield f"- exit codes: {', '.join(codes)}" + (f"; 1 where {contract.one}" if contract.one else "")
    if contract.writes:
        yield f"- writes: {'; '.join(contract.writes)}"
    for remark in contract.remarks:
        yield f"- {remark}"
    yield ""


def _object(struct: type[Struct], title: str, named: dict[type[Struct], str]) -> Iterator[str]:
    yield f"### {title}\n"
    base = made_from(struct)
    more = f" All fields of {_type(base, named)}, and:" if base else ""
    yield f"{_as_json(' '.join((struct.__doc__ or '').split()))}{more}\n"
    yield "| field | type | meaning |"
    yield "|---|---|---|"
    own = inspect.get_annotations(struct) if base else struct.__struct_fields__
    for field in fields(struct):
        if field.name not in own:
            continue
        yield f"| `{field.name}` | {_type(field.hint, named)}{_absent(field)} | {_as_json(field.meaning)} |"
    yield ""


def _as_json(words: str) -> str:
    """What is said of a value in Python, said of it in JSON; bars would end a cell."""
    return re.sub(r"\bNone\b", "null", words).replace("|", "∣")


def _absent(field: Field) -> str:
    return "; absent where it is null, 0 or empty" if field.optional else ""


def _type(hint: Any, named: dict[type[Struct], str]) -> str:
    if hint in _PLAIN:
        return _PLAIN[hint]
    if hint is Any or hint is object:
        return "any"
    if is_struct(hint):
        return CLOSED.get(hint) or f"[{named[hint]}](#{named[hint].lower()})"
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return ", ".join(f'`"{part}"`' for part in parts)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(_type(part, named) for part in parts)
    if origin is dict:
        return f"object of {_part(parts[1], named)}"
    if origin is tuple and parts[-1] is not Ellipsis:
        return f"list ({', '.join(_type(part, named) for part in parts)})"
    return f"list of {_part(parts[0], named)}"


def _part(hint: Any, named: dict[type[Struct], str]) -> str:
    """What a list or an object is of, in brackets where it may be one of several."""
    several = typing.get_origin(hint) in (typing.Union, types.UnionType)
    return f"({_type(hint, named)})" if several else _type(hint, named)

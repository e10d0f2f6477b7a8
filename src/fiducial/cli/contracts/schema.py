"""The JSON Schema of what a command prints."""

from __future__ import annotations

import types
import typing
from typing import Any, Literal

from msgspec import Struct

from fiducial.cli.contracts.commands import CLOSED, CONTRACTS
from fiducial.cli.contracts.fields import fields, is_struct, reached
from fiducial.cli.contracts.titles import titles

_PLAIN: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    type(None): {"type": "null"},
    None: {"type": "null"},
}


def schema(command: str, *, strict: bool = False) -> dict[str, Any]:
    """Draft 2020-12. Fields that are not named are allowed, because later versions may add some; `strict` allows none."""
    contract = CONTRACTS[command]
    named = titles(reached([contract.prints], closed=CLOSED))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"fiducial {command} --json",
        **_of(contract.prints, named),
        "$defs": {title: _object(struct, named, strict) for struct, title in named.items()},
    }


def _object(struct: type[Struct], named: dict[type[Struct], str], strict: bool) -> dict[str, Any]:
    own = fields(struct)
    made: dict[str, Any] = {
        "type": "object",
        "properties": {
            field.name: {**_of(field.hint, named), **({"description": field.meaning} if field.meaning else {})}
            for field in own
        },
        "required": [field.name for field in own if not field.optional],
    }
    return made | ({"additionalProperties": False} if strict else {})


def _of(hint: Any, named: dict[type[Struct], str]) -> dict[str, Any]:
    if hint in _PLAIN:
        return _PLAIN[hint]
    if hint is Any or hint is object:
        return {}
    if is_struct(hint):
        return {"type": "object"} if hint in CLOSED else {"$ref": f"#/$defs/{named[hint]}"}
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return {"enum": list(parts)}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_of(part, named) for part in parts]}
    if origin is dict:
        return {"type": "object", "additionalProperties": _of(parts[1], named)}
    if origin is tuple and parts[-1] is not Ellipsis:
        every = [_of(part, named) for part in parts]
        return {"type": "array", "prefixItems": every, "minItems": len(every), "maxItems": len(every)}
    if origin in (list, tuple):
        return {"type": "array", "items": _of(parts[0], named)}
    raise TypeError(f"no JSON is known for {hint!r}")

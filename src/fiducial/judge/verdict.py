"""Strict parsing of what a judge answers: one JSON object of exactly the shape that was asked for, or `Invalid`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from msgspec import Struct

from fiducial.errors import fault

_FENCED = re.compile(r"\A```(?:json)?\s*\n(.*)\n\s*```\Z", re.DOTALL)
LONGEST = 20_000  # characters; a verdict is short


class Invalid(Struct, frozen=True):
    """A reply that is no verdict, and why, in words that the judge can be sent."""

    reason: str


P = ParamSpec("P")
V = TypeVar("V")


def isolated(parse: Callable[P, V | Invalid]) -> Callable[P, V | Invalid]:
    """Makes a parser of verdicts return `Invalid` where it raises: one reply must not end the reading of a run."""

    @wraps(parse)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> V | Invalid:
        try:
            return parse(*args, **kwargs)
        except Exception as error:
            return Invalid(fault(error))

    return guarded


class _Twice(ValueError):
    pass


def parse_object(text: str, fields: frozenset[str]) -> dict[str, Any] | Invalid:
    """The object that the reply consists of. White space and one code fence around it are allowed, nothing else."""
    text = text.strip()
    if not text:
        return Invalid("it was empty")
    if len(text) > LONGEST:
        return Invalid("it was far too long")
    if fenced := _FENCED.match(text):
        text = fenced[1]
    try:
        found = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        why = (
            "a field stood in it twice"
            if isinstance(error, _Twice)
            else "it was not one JSON object and nothing else"
        )
        return Invalid(why)
    if not isinstance(found, dict):
        return Invalid("it was not a JSON object")
    if found.keys() != fields:
        return Invalid(f"its fields have to be exactly {', '.join(sorted(fields))}")
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Twice
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(name)

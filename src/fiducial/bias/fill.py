"""Filling slots into text: one pass, so that braces inside a value cannot break a template."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from fiducial.bias.formula import Value

_SLOT = re.compile(r"\{([a-z][a-z0-9_]*)(:%)?\}")


class UnfilledSlot(KeyError):
    """A placeholder that has no value."""


def fill(text: str, values: Mapping[str, Value]) -> str:
    """`{name}` becomes the slot's value; `{name:%}` a share as a percentage."""

    def put(match: re.Match[str]) -> str:
        name, percent = match.groups()
        if name not in values:
            raise UnfilledSlot(name)
        value = values[name]
        if percent:
            if not isinstance(value, Fraction):
                raise ValueError(f"{{{name}:%}}: {name} is not a number")
            return f"{show_number(value * 100)}%"
        return show_number(value) if isinstance(value, Fraction) else value

    return _SLOT.sub(put, text)


def show_number(value: Fraction) -> str:
    """As a person would write it: 1500, 12,500, 0.25. A number with no short decimal form is an error."""
    if value.denominator == 1:
        return f"{int(value):,}" if abs(value) >= 10_000 else str(int(value))
    for digits in range(1, 7):
        scaled = value * 10**digits
        if scaled.denominator == 1:
            return f"{float(value):,.{digits}f}"
    raise ValueError(f"{value} cannot be written with six decimals; choose slots that come out even")

"""What the scanner builds: objects and lists that know whether they were finished."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct, field

State = Literal["whole", "cut", "broken"]
"""`cut`: the text ended first. `broken`: what followed was not JSON any more; the fields before that are good."""


class Obj(Struct):
    """An object. Pairs, not a dictionary: a record that names a field twice has said two things."""

    start: int
    pairs: list[tuple[str, Json]] = field(default_factory=list)
    state: State = "whole"
    end: int = 0


class Arr(Struct):
    """A list."""

    start: int
    items: list[Json] = field(default_factory=list)
    state: State = "whole"
    end: int = 0


Json: TypeAlias = "Obj | Arr | str | int | float | bool | None"

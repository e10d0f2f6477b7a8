"""What a column of an export holds: its type, whether it may be empty, and what the words in it can be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

if TYPE_CHECKING:
    import polars as pl

Kind = Literal["text", "integer", "number", "flag", "json"]
KINDS: dict[Kind, str] = {
    "text": "String",
    "integer": "Int64",
    "number": "Float64",
    "flag": "Boolean",
    "json": "String",
}
"""The types of Parquet and polars. `json` is a JSON document as text; JSON Lines have it as it is."""


class Column(Struct, frozen=True):
    """One column. `values` are all the words that can stand there, where the set is closed."""

    name: str
    kind: Kind
    about: str
    nullable: bool = False
    values: tuple[str, ...] = ()
    written: bool = False  # by a model or an author: left out of exports for sharing

    @property
    def type(self) -> str:
        """As Parquet and polars call it."""
        return KINDS[self.kind]


Columns = tuple[Column, ...]


def polars_schema(columns: Columns) -> dict[str, pl.DataType]:
    """The schema of a frame of these columns."""
    import polars as pl  # noqa: PLC0415 - costs 100 ms that nothing else should pay

    return {column.name: getattr(pl, column.type)() for column in columns}


def as_markdown(columns: Columns) -> str:
    """The table that documents them."""
    rows = ["| column | type | may be empty | what it is |", "|---|---|---|---|"]
    for column in columns:
        said = column.about
        if column.values:
            said += ": " + ", ".join(f"`{value}`" for value in column.values)
        rows.append(f"| `{column.name}` | {column.type} | {'yes' if column.nullable else 'no'} | {said} |")
    return "\n".join(rows)


def without_texts(row: dict[str, Any], columns: Sequence[Column]) -> dict[str, Any]:
    """The row as it may be shared: nothing that a model or an author wrote."""
    return {**row, **{column.name: None for column in columns if column.written}}

"""Tables of findings: a row a finding, columns in any order, told by their names."""

from __future__ import annotations

import re

from msgspec import Struct

from fiducial.review.parse.draft import CERTAIN, LIKELY, Draft, Read, build, substance
from fiducial.review.parse.lines import Line
from fiducial.review.parse.names import field_of
from fiducial.review.parse.objects import CUT
from fiducial.review.parse.statements import says_none
from fiducial.review.parse.titles import plain
from fiducial.review.parse.values import is_praise

_SPLIT = re.compile(r"(?<!\\)\|")
_DASHES = re.compile(r":?-{1,200}:?|:?[—–]{1,40}:?")
_BREAK = re.compile(r"<br\s*/?>", re.I)
_NOTHING = frozenset(
    ("", "-", "–", "—", "none", "n/a", "ok", "✓", "✅", "✔", "no issue", "no issues", "pass", "...")
)


class Table(Struct, frozen=True):
    """Rows that stand together; the header is None where a table has no line under its first row."""

    header: list[str] | None
    closed: bool  # whether its rows end with a bar
    rows: list[tuple[Line, list[str]]]


def cells_of(row: str) -> list[str]:
    """The cells of a row. An escaped bar is part of its cell."""
    body = row.strip()
    body = body.removeprefix("|")
    if body.endswith("|") and not body.endswith("\\|"):
        body = body[:-1]
    return [cell.strip().replace("\\|", "|") for cell in _SPLIT.split(body)]


def is_separator(cells: list[str]) -> bool:
    """Whether a row is the line under a table's header."""
    return all(_DASHES.fullmatch(cell) for cell in cells if cell) and any(cells)


def tables_in(lines: list[Line]) -> list[Table]:
    """The tables among some lines."""
    found: list[Table] = []
    run: list[tuple[Line, list[str]]] = []
    for line in [*lines, Line("blank", "", 0)]:
        if line.kind == "row":
            run.append((line, cells_of(line.text)))
        elif run:
            found += _tables(run)
            run = []
    return found


def _tables(run: list[tuple[Line, list[str]]]) -> list[Table]:
    rules = [n for n, (_, cells) in enumerate(run) if is_separator(cells)]
    if not rules:
        return [Table(run[0][1], _closed(run[0]), run[1:])] if len(run) > 1 else []
    # Some tables are ruled between all rows; the first rule is the header's.
    ruled = set(rules)
    rows = [row for n, row in enumerate(run) if n > rules[0] and n not in ruled]
    header = run[rules[0] - 1][1] if rules[0] > 0 else None
    return [Table(header, _closed(run[0]), rows)]


def _closed(row: tuple[Line, list[str]]) -> bool:
    return row[0].text.endswith("|")


def read_table(table: Table, block: int, *, summary: bool, known: dict[str, str]) -> Read | None:
    """The findings of a table; None if its columns are not those of findings."""
    if table.header is None:
        return None
    names = [plain(cell) for cell in table.header]
    fields = [field_of(name) for name in names]
    if not {"title", "issue"} & set(fields) or len({f for f in fields if f not in (None, "other", "type")}) < 2:
        return None
    read = Read.nothing()
    sure = "severity" in fields or len({"issue", "why_it_matters", "suggestion", "confidence"} & set(fields)) >= 2
    for line, cells in table.rows:
        if table.closed and len(cells) < len(names) and not _closed((line, cells)):
            read.cut = True
            if not any(f in ("title", "issue") for f in fields[: len(cells) - 1]):
                read.drop(line.start, CUT, line.text)
                continue
            cells = cells[:-1]  # noqa: PLW2901 (half a cell is another cell)
        pairs = [(name, _BREAK.sub("\n", plain(cell))) for name, cell in zip(names, cells, strict=False)]
        main = [cell for field, (_, cell) in zip(fields, pairs, strict=False) if field in ("title", "issue")]
        if all(cell.strip().casefold() in _NOTHING for cell in main) or any(
            is_praise(cell) for field, (_, cell) in zip(fields, pairs, strict=False) if field == "severity"
        ):
            continue
        built = build(pairs, **known)
        if built is None or says_none(built[0].title):
            read.none = read.none or built is not None
            continue
        if _is_total(pairs[0][1]):
            continue
        tier = CERTAIN if sure and substance(built[1]) and not summary else LIKELY
        read.drafts.append(
            Draft(finding=built[0], at=line.start, form="table", block=block, tier=tier, fields=len(built[1]))
        )
    return read


def _is_total(cell: str) -> bool:
    return cell.casefold().strip("* ") in ("total", "totals", "sum")

"""A run as polars frames, with the columns that docs/data.md documents.

    from fiducial.frames import Frames

    frames = Frames("runs/demo.db")
    frames.effects.filter(level="bias").sort("value")

Frames hold the run as it is on disk: of a run in flight, what is there by now. Tables that a run's instrument does not
make are empty, with the same columns. Texts are there as models wrote them: show them as text, never as markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from fiducial.bias import run as bias
from fiducial.bias.result import RunResult
from fiducial.bias.source import stored_source
from fiducial.errors import UsageError
from fiducial.frames import bias_rows, judge_rows, review_rows
from fiducial.frames.common import Row
from fiducial.frames.tables import TABLES
from fiducial.review import run as review
from fiducial.review.result import ReviewResult
from fiducial.run.columns import polars_schema, without_texts
from fiducial.run.export import rows as reply_rows
from fiducial.run.export import write_rows
from fiducial.run.store import ANSWERED, SUBJECT, Store, find_run
from fiducial.study.runs import made_by

if TYPE_CHECKING:
    import polars as pl

__all__ = ["TABLES", "Frames", "export_table"]


class Frames:
    """The tables of one run, each made when it is first asked for."""

    def __init__(self, run: str | Path) -> None:
        self.path = find_run(str(run))
        self.instrument = made_by(self.path)

    def __repr__(self) -> str:
        return f"Frames({str(self.path)!r})"

    def table(self, name: str, *, texts: bool = True) -> pl.DataFrame:
        """The table of that name; without `texts`, as it may be shared."""
        import polars as pl  # noqa: PLC0415 - costs 100 ms that nothing else should pay

        found = self.rows(name, texts=texts)
        return pl.DataFrame(list(found), schema=polars_schema(TABLES[name].columns), orient="row")

    def rows(self, name: str, *, texts: bool = True) -> Iterator[Row]:
        """The same, row by row: for runs that do not fit into memory."""
        if name not in TABLES:
            raise UsageError(f"{name!r} is no table; there are: {', '.join(TABLES)}.")
        columns = TABLES[name].columns
        with Store(self.path) as store:
            for row in self._made(name, store, texts):
                whole = {column.name: row.get(column.name) for column in columns}
                yield whole if texts else without_texts(whole, columns)

    def _made(self, name: str, store: Store, texts: bool) -> Iterable[Row]:
        match name, self.instrument:
            case "replies", _:
                return reply_rows(store, texts=texts)
            case "trials", _:
                return self._trials(store)
            case "readings", "bias":
                return bias_rows.readings(store)
            case "verdicts", made:
                return self._verdicts(made, store)
            case "findings", "review":
                return review_rows.findings(store)
            case "rates", made:
                return judge_rows.rates(self.path, made)
        return self._of_result(name)

    def _of_result(self, name: str) -> Iterable[Row]:
        found = self._result
        match name, found:
            case "effects", RunResult():
                return bias_rows.effects(found)
            case "items", RunResult():
                return bias_rows.items(found)
            case "protocols", RunResult():
                return bias_rows.protocols(found)
            case "reviewers", ReviewResult():
                return review_rows.reviewers(found)
            case "audit", RunResult() | ReviewResult():
                return ({"code": c.code, "level": c.level, "message": c.message} for c in found.audit)
        return ()

    @cached_property
    def _result(self) -> RunResult | ReviewResult | None:
        if self.instrument == "bias":
            return bias.look(self.path)
        return review.look(self.path) if self.instrument == "review" else None

    def _trials(self, store: Store) -> Iterator[Row]:
        source = stored_source(store) if self.instrument == "bias" else None
        cursor = store.db.execute(
            f"""SELECT id AS trial, seq, role, item, item_hash, arm, option_order, repetition, turn, parent,
                       {ANSWERED} AS answered FROM trial ORDER BY seq"""
        )
        for found in cursor:
            row = dict(found)
            row["answered"] = bool(row["answered"])
            if source is not None and row["role"] == SUBJECT:
                row |= bias_rows.asked(source, row)
            yield row

    @staticmethod
    def _verdicts(made: str, store: Store) -> Iterable[Row]:
        if made == "bias":
            return bias_rows.verdicts(store)
        if made == "review":
            return review_rows.verdicts(store)
        return judge_rows.verdicts(store) if made.startswith("judge-") else ()

    @cached_property
    def trials(self) -> pl.DataFrame:
        """One row a planned call."""
        return self.table("trials")

    @cached_property
    def replies(self) -> pl.DataFrame:
        """One row a call that came back, or failed for good."""
        return self.table("replies")

    @cached_property
    def readings(self) -> pl.DataFrame:
        """One row a reply, as it was read and scored."""
        return self.table("readings")

    @cached_property
    def verdicts(self) -> pl.DataFrame:
        """One row a question to a judge."""
        return self.table("verdicts")

    @cached_property
    def effects(self) -> pl.DataFrame:
        """One row a bias, and one for each of its intensities, domains and strata."""
        return self.table("effects")

    @cached_property
    def items(self) -> pl.DataFrame:
        """One row a scenario and intensity."""
        return self.table("items")

    @cached_property
    def protocols(self) -> pl.DataFrame:
        """One row an estimate of a protocol."""
        return self.table("protocols")

    @cached_property
    def findings(self) -> pl.DataFrame:
        """One row a finding of a reviewer."""
        return self.table("findings")

    @cached_property
    def reviewers(self) -> pl.DataFrame:
        """One row a figure of a reviewer."""
        return self.table("reviewers")

    @cached_property
    def rates(self) -> pl.DataFrame:
        """One row an error rate of a judge on trial."""
        return self.table("rates")

    @cached_property
    def audit(self) -> pl.DataFrame:
        """One row a check on the run's validity."""
        return self.table("audit")


def export_table(run: str | Path, name: str, target: Path, kind: str, *, texts: bool = True) -> int:
    """Write a table of a run as `jsonl`, `csv` or `parquet`; the number of rows."""
    frames = Frames(run)
    return write_rows(frames.rows(name, texts=texts), TABLES[name].columns, target, kind)

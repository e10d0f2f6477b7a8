"""The tables that a run can be had as, with every column: what docs/data.md documents and exports hold.

`python -m fiducial.frames` prints the tables of that page.
"""

from __future__ import annotations

from msgspec import Struct

from fiducial.run.columns import Column, Columns, as_markdown
from fiducial.run.export import READING_STATUS, REPLIES

BIAS, REVIEW, JUDGE = "bias runs", "review runs", "runs of `fiducial judge`"

_ESTIMATE: Columns = (
    Column("value", "number", "the estimate; empty where it is withheld", nullable=True),
    Column("low", "number", "lower end of the 95 % interval", nullable=True),
    Column("high", "number", "upper end", nullable=True),
    Column("n", "integer", "independent units, not calls", nullable=True),
    Column("method", "text", "how the interval was made", nullable=True),
    Column("withheld", "text", "why there is no estimate", nullable=True),
)


class Table(Struct, frozen=True):
    """One table: a row is what `about` says. It is empty for runs that are not of `made_by`."""

    name: str
    about: str
    columns: Columns
    made_by: tuple[str, ...] = (BIAS, REVIEW, JUDGE)


TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        Table("replies", "one call that came back, or failed for good; superseded ones too", REPLIES),
        Table(
            "trials",
            "one planned call, whether or not it was made",
            (
                Column("trial", "text", "id: a hash of what it asks"),
                Column("seq", "integer", "its place in the order of sending"),
                *REPLIES[1:8],
                Column("parent", "text", "the trial whose reply this one follows", nullable=True),
                Column("answered", "flag", "there is a reply that is no failure"),
                Column("bias", "text", "of the subject's trials in a bias run", nullable=True),
                Column("scenario", "text", "the same: the item without the protocol's variant", nullable=True),
                Column("domain", "text", "the same", nullable=True),
                Column("protocol", "text", "the same", nullable=True),
                Column(
                    "column",
                    "text",
                    "the same: the comparison that the arm belongs to: an intensity, a debiasing method, `control` …",
                    nullable=True,
                ),
                Column(
                    "sign",
                    "integer",
                    "the same: 1 pulls toward the bias, -1 is what it is compared with, 0 is a baseline",
                    nullable=True,
                ),
            ),
        ),
        Table(
            "readings",
            "one reply as it was read and scored, when the run was scored last",
            (
                Column("trial", "text", "the trial that was answered"),
                Column("status", "text", "what was made of the reply", values=READING_STATUS),
                Column("answer", "text", "the answer that it commits to", nullable=True, written=True),
                Column("number", "number", "the answer, where it is a number", nullable=True),
                Column("confidence", "number", "stated beside the answer, 0 to 1", nullable=True),
                Column("span_start", "integer", "first character of what was read, from 0", nullable=True),
                Column("span_end", "integer", "character after the last", nullable=True),
                Column("rule", "text", "the rule that read it; `judge` where a judge did"),
                Column("score", "number", "the reading held against the arm's key", nullable=True),
                Column("reason", "text", "why there is no score", nullable=True),
            ),
            (BIAS,),
        ),
        Table(
            "verdicts",
            "one question to a judge with what it decided; of a panel, one row for the panel and one for each seat",
            (
                Column("task", "text", "what was asked", values=("genuine", "match", "zero_shot", "read")),
                Column("state", "text", "what came of it", values=("verdict", "invalid", "waiting")),
                Column("judge", "text", "model, or panel; empty where no call was needed", nullable=True),
                Column("seat", "flag", "one vote of a panel, and not what the panel decided"),
                Column("prompt", "text", "version of the prompt", nullable=True),
                Column("trial", "text", "the trial whose reply is judged", nullable=True),
                Column("document", "text", "of a review", nullable=True),
                Column("reviewer", "text", "of a review", nullable=True),
                Column("repetition", "integer", "of a review: the run, from 0; of a trial of a judge: the asking"),
                Column("finding", "integer", "the finding's number in its output, from 1", nullable=True),
                Column("must_find", "text", "id of the must-find", nullable=True),
                Column("case", "text", "of a trial of a judge", nullable=True),
                Column("wording", "text", "of a trial of a judge: how it was put", nullable=True),
                Column("title", "text", "what is judged, in brief", nullable=True, written=True),
                Column("verdict", "text", "as the judge gave it", nullable=True, written=True),
                Column("score", "number", "what it counts: 1, 0.5 or 0", nullable=True),
                Column("confidence", "number", "the judge's own, 0 to 1", nullable=True),
                Column("category", "text", "why a finding is not genuine", nullable=True),
                Column("label", "integer", "of a trial of a judge: what is true, 0 or 1", nullable=True),
                Column("evidence", "text", "quoted by the judge", nullable=True, written=True),
                Column("reason", "text", "the judge's, or why there is no verdict", nullable=True, written=True),
            ),
        ),
        Table(
            "effects",
            "one bias, or one part of it",
            (
                Column("bias", "text", "id"),
                Column("family", "text", "of the bias"),
                Column("tier", "text", "of the bias", values=("core", "extended", "own")),
                Column("level", "text", "what the row is of", values=("bias", "intensity", "domain", "stratum")),
                Column("name", "text", "the intensity, domain or stratum; of a bias, its id"),
                *_ESTIMATE,
                Column("p", "number", "of no effect; of whole biases", nullable=True),
                Column("q", "number", "the same, over the biases of the run", nullable=True),
                Column("flagged", "flag", "value above 0 and q at most .05; of whole biases", nullable=True),
            ),
            (BIAS,),
        ),
        Table(
            "items",
            "one scenario at one intensity, or over all of them",
            (
                Column("bias", "text", "id"),
                Column("scenario", "text", "id of the item"),
                Column("domain", "text", "of the item"),
                Column("intensity", "text", "empty: the item's magnitude over the intensities", nullable=True),
                Column("value", "number", "the effect; empty where nothing was read", nullable=True),
                Column("generated", "text", "the model that wrote the item, where one did", nullable=True),
            ),
            (BIAS,),
        ),
        Table(
            "protocols",
            "one estimate of a protocol other than the standard one",
            (
                Column("protocol", "text", "name"),
                Column("group", "text", "`estimate`, `by_turn`, `by_bias`, or the name of a table of the protocol"),
                Column("name", "text", "of the row in its group"),
                Column("at", "number", "where it stands on the group's axis: a round, a level", nullable=True),
                *_ESTIMATE,
                Column("p", "number", "of no effect", nullable=True),
            ),
            (BIAS,),
        ),
        Table(
            "findings",
            "one finding in one output of a reviewer; near-duplicates are rows of their own",
            (
                Column("trial", "text", "the trial that wrote the output"),
                Column("document", "text", "id"),
                Column("reviewer", "text", "name"),
                Column("repetition", "integer", "the run, from 0"),
                Column("finding", "integer", "its number in the output, from 1; of a duplicate, that of the first"),
                Column("duplicate", "flag", "says the same as the finding of that number"),
                Column("severity", "text", "as stated", nullable=True, values=("Critical", "Important", "Minor")),
                Column("confidence", "number", "as stated, 0 to 1", nullable=True),
                Column("section", "text", "as stated", nullable=True, written=True),
                Column("title", "text", "as stated", nullable=True, written=True),
                Column("issue", "text", "as stated", nullable=True, written=True),
                Column("why_it_matters", "text", "as stated", nullable=True, written=True),
                Column("suggestion", "text", "as stated", nullable=True, written=True),
            ),
            (REVIEW,),
        ),
        Table(
            "reviewers",
            "one figure of a reviewer",
            (
                Column("reviewer", "text", "name"),
                Column(
                    "measure",
                    "text",
                    "precision as the judge has it, the same with its errors carried in, or how often a must-find is found",
                    values=("precision", "corrected_precision", "must_find"),
                ),
                Column("document", "text", "of a must-find", nullable=True),
                Column("name", "text", "id of a must-find", nullable=True),
                *_ESTIMATE,
                Column(
                    "gate",
                    "text",
                    "of a must-find",
                    nullable=True,
                    values=("met", "missed", "inconclusive", "not_enforced"),
                ),
            ),
            (REVIEW,),
        ),
        Table(
            "rates",
            "one error rate of a judge, of a complete run of `fiducial judge calibrate`",
            (
                Column("judge", "text", "model"),
                Column("task", "text", "what it was asked", values=("genuine", "match", "zero_shot", "read")),
                Column("prompt", "text", "version of the prompt"),
                Column("about", "text", "type of document, where prompts of one task differ by it", nullable=True),
                Column(
                    "rate",
                    "text",
                    "which",
                    values=(
                        "sensitivity",
                        "specificity",
                        "kappa",
                        "calibration_error",
                        "borderline",
                        "invalid",
                        "consistency",
                    ),
                ),
                *_ESTIMATE,
            ),
            (JUDGE,),
        ),
        Table(
            "audit",
            "one check on the run's own validity",
            (
                Column("code", "text", "which check"),
                Column("level", "text", "what it says", values=("pass", "warn", "fail")),
                Column("message", "text", "what was seen, what it does to the result, and what to do"),
            ),
            (BIAS, REVIEW),
        ),
    )
}


def document() -> str:
    """All tables in Markdown."""
    parts = []
    for table in TABLES.values():
        of = "" if len(table.made_by) == 3 else f" Of {' and '.join(table.made_by)}."
        parts.append(f"### `{table.name}`\n\nA row is {table.about}.{of}\n\n{as_markdown(table.columns)}\n")
    return "\n".join(parts)

"""Labels of people in the terminal: how far raters agree, and who has labelled what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fiducial.report.inert import inert, shorten
from fiducial.report.label_screen import WORDS
from fiducial.report.numbers import NONE, count, counted, interval, known, percent, plain, why_not
from fiducial.report.writer import Writer
from fiducial.review.labelling import Agreed, Key, LabelCase
from fiducial.review.labels import Pair
from fiducial.review.run import outputs_of
from fiducial.stats.estimate import Measured

NAME = 30  # columns of a name
TITLE = 70  # columns of a claim's first line
MOST = 20  # disagreements that are shown; the JSON has them all


def nothing_to_label(path: Path) -> str:
    """Why a run has no case for people, in a sentence."""
    found = Counter(output.status for output in outputs_of(path))
    what = ", ".join(f"{n} {status.replace('_', ' ')}" for status, n in found.items())
    outputs = (
        f"its {counted(sum(found.values()), 'output')} ({what}) have no finding" if found else "it has no output"
    )
    return f"Nothing to label in {inert(path.stem)}: {outputs}."


def show_agreement(found: Agreed, console: Console) -> None:
    """Print who labelled how much, how far every two agree, and on what they do not."""
    write = Writer(console)
    write.line(("Labels of ", "bold"), (_name(found.run), "bold"), f", {counted(found.cases, 'case')}")
    write.line()
    console.print(_raters(found, write))
    write.line()
    if not found.pairs:
        who = f"only {_name(found.raters[0].rater)} has" if found.raters else "nobody has"
        write.line(f"Agreement needs two raters, and {who} labelled these cases.")
        return
    console.print(_pairs(found.pairs, write))
    notes = dict.fromkeys(why_not(pair.kappa) for pair in found.pairs if known(pair.kappa) is None)
    for note in notes:
        write.item((f"{NONE} {inert(note)}", "dim"))
    write.item(
        ("agreement: share of the same labels, Wilson; kappa: Cohen's, unweighted, over three labels", "dim")
    )
    _disagreements(found, write)


def _raters(found: Agreed, write: Writer) -> Table:
    table = _table(write, "rater", "labelled", *WORDS.values())
    for rater in found.raters:
        counts = (rater.genuine, rater.between, rater.not_genuine)
        whole = f"{count(rater.labelled)} of {count(found.cases)}"
        table.add_row(write.text(_name(rater.rater)), *(_number(n, write) for n in (whole, *map(count, counts))))
    return table


def _pairs(pairs: Sequence[Pair], write: Writer) -> Table:
    table = _table(write, "raters", "both", "agreement [95 %]", "kappa [95 %]")
    for pair in pairs:
        table.add_row(
            write.text(" and ".join(map(_name, pair.raters))),
            _number(count(pair.n), write),
            _number(_shares(pair.agreement), write),
            _number(_kappa(pair.kappa), write),
        )
    return table


def _disagreements(found: Agreed, write: Writer) -> None:
    write.line()
    if not found.disagreements:
        write.line("No case got two different labels.")
        return
    write.line((counted(len(found.disagreements), "case") + " with different labels, widest apart first", "bold"))
    for split in found.disagreements[:MOST]:
        title = shorten(inert(split.claim.partition("\n")[0]), TITLE)
        said = ", ".join(f"{_name(rater)} {WORDS[label]}" for rater, label in split.labels.items())
        write.item(f"{_name(split.document)} {split.case[:8]} ", (title, "bold"), f": {said}")
    if len(found.disagreements) > MOST:
        write.item((f"and {len(found.disagreements) - MOST} more: --json has them all", "dim"))


def show_list(cases: Sequence[LabelCase], said: Mapping[str, Mapping[Key, float]], console: Console) -> None:
    """Print who has labelled which case; not how, so that a rater may look."""
    write = Writer(console)
    table = _table(write, "case", "document", "finding", "labelled by", left=4)
    for case in cases:
        names = [_name(rater) for rater, own in said.items() if case.key in own]
        table.add_row(
            write.text(case.id[:8]),
            write.text(_name(case.document_id)),
            write.text(shorten(inert(case.claim.partition("\n")[0]), TITLE)),
            write.text(", ".join(names) if names else (NONE, "dim")),
        )
    console.print(table)
    write.line()
    done = [f"{_name(rater)} {count(len(own))} of {count(len(cases))}" for rater, own in said.items()]
    write.line(("Labelled ", "bold"), ", ".join(done) or "by nobody yet")


def _table(write: Writer, *headings: str, left: int = 1) -> Table:
    """Columns of numbers stand to the right; the first `left` do not."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for k, heading in enumerate(headings):
        side = "left" if k < left else "right"
        table.add_column(
            write.text(heading, justify=side), justify="left" if k < left else "right", overflow="fold"
        )
    return table


def _number(text: str, write: Writer) -> Text:
    return write.text(text, justify="right")


def _shares(measured: Measured) -> str:
    found = known(measured)
    return f"{percent(found.value)} [{percent(found.low)}, {percent(found.high)}]" if found else NONE


def _kappa(measured: Measured) -> str:
    found = known(measured)
    return f"{plain(found.value, ends=False)} {interval(found.low, found.high)}" if found else NONE


def _name(text: str) -> str:
    return shorten(inert(text), NAME)

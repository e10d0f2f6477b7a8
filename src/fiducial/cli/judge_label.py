"""`fiducial judge label`: people say which findings of a run are genuine, blind, key by key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from fiducial.cli.keyboard import Keyboard, Pressed
    from fiducial.report.label_view import View
    from fiducial.review.label_given import Selection
    from fiducial.review.label_round import Round
    from fiducial.review.labelling import LabelCase

GIVEN = {"1": 1.0, "g": 1.0, "0": 0.0, "n": 0.0, "5": 0.5, "b": 0.5}


@click.command("label")
@click.argument("run")
@click.option(
    "--rater", metavar="NAME", help="Who labels. Labels go to labels/NAME.jsonl in the document's folder."
)
@click.option("--reviewer", metavar="R", help="Only findings of this reviewer.")
@click.option(
    "--sample",
    "size",
    type=click.IntRange(1),
    metavar="N",
    help="A random sample of N cases, the same for every rater: then agreement between raters can be computed.",
)
@click.option("--limit", type=click.IntRange(1), metavar="N", help="At most N cases in this round.")
@click.option("--seed", type=int, default=1, show_default=True, help="Draws the sample, and every rater's order.")
@click.option(
    "--dataset", type=click.Path(path_type=Path), help="Where the dataset is. [default: where the run found it]"
)
@click.option("--kappa", is_flag=True, help="How far the raters agree; nothing is labelled.")
@click.option("--list", "listing", is_flag=True, help="Who has labelled which case, not how; nothing is labelled.")
@click.option(
    "--json", "as_json", is_flag=True, help="With --kappa or --list: one JSON document on standard output."
)
def label(
    run: str,
    rater: str | None,
    reviewer: str | None,
    size: int | None,
    limit: int | None,
    seed: int,
    dataset: Path | None,
    kappa: bool,
    listing: bool,
    as_json: bool,
) -> None:
    """Label the findings of a review run: genuine, not genuine, or between.

    One finding at a time, with the passage of the document that it is about. Neither its reviewer, nor its severity, nor
    any verdict, nor another rater's label is shown. Every label is saved at once; the same command goes on where it
    stopped. Where standard input is no terminal, it is read as one key a line. No call is made.

    \b
    1 g  genuine         s  skip            d  page through the document    ?  help
    0 n  not genuine     u  undo            /  search it                    q  quit
    5 b  between         c  comment
    """
    from fiducial.errors import UsageError
    from fiducial.review.label_given import select_cases
    from fiducial.review.labelling import refuse_shipped
    from fiducial.review.labels import check_rater, torn_label
    from fiducial.run.store import find_run

    if kappa and listing:
        raise UsageError("--kappa and --list are two questions: ask one at a time.")
    if as_json and not (kappa or listing):
        raise UsageError("--json goes with --kappa or --list: labelling itself is a conversation.")
    if rater is not None:
        check_rater(rater)
    path = find_run(run)
    selected = select_cases(path, dataset=dataset, reviewer=reviewer, size=size, seed=seed)
    if kappa or listing:
        _tell(path, selected, kappa=kappa, as_json=as_json)
        return
    cases, folders, said = selected.cases, selected.folders, selected.said()
    if rater is None:
        known = f" (so far: {', '.join(said)})" if said else ""
        raise UsageError(f"--rater NAME is missing: whose labels are these?{known}")
    if not cases:
        _nothing(path)
        return
    refuse_shipped(folders)
    from fiducial.review.label_round import Round

    torn = next(filter(None, (torn_label(folder, rater) for folder in folders.values())), "")
    sheet = Round(cases, folders, rater, seed=seed, limit=limit)
    greeting = torn or _greeting(sheet, [name for name in said if name != rater])
    _converse(sheet, limited=limit is not None, greeting=greeting)


def _nothing(path: Path) -> None:
    from fiducial.report.label_tables import nothing_to_label

    click.echo(nothing_to_label(path))


def _tell(path: Path, selected: Selection, *, kappa: bool, as_json: bool) -> None:
    from rich.console import Console

    from fiducial.cli.options import print_json
    from fiducial.report.label_tables import show_agreement, show_list
    from fiducial.review.label_given import labelled_by
    from fiducial.review.labelling import agreed

    cases, said = selected.cases, selected.said()
    if kappa:
        found = agreed(path.stem, cases, said)
        if as_json:
            print_json(found)
        else:
            show_agreement(found, Console())
    elif as_json:
        labelled = {rater: len(own) for rater, own in said.items()}
        print_json({"run": path.stem, "cases": labelled_by(selected), "labelled": labelled})
    elif cases:
        show_list(cases, said, Console())
    else:
        _nothing(path)


def _converse(sheet: Round, *, limited: bool, greeting: str) -> None:
    """Show, wait for a key, do it, until nothing is left or the rater has enough."""
    from rich.console import Console

    from fiducial.cli.keyboard import keyboard
    from fiducial.cli.options import this_command
    from fiducial.errors import Incomplete

    try:
        with keyboard() as keys:
            _rounds(sheet, keys, Console(), limited=limited, said=greeting)
    except KeyboardInterrupt:
        click.echo(err=True)  # the line that was being typed ends here
        if sheet.labelled < sheet.total:
            raise Incomplete(f"interrupted. {_summary(sheet)} Go on with:\n  {this_command()}") from None
    click.echo(_summary(sheet))
    if sheet.labelled < sheet.total:
        click.echo(f"Go on with: {this_command()}")


def _greeting(sheet: Round, others: Sequence[str]) -> str:
    """A name that nobody has used so far may be a slip of the fingers."""
    from fiducial.review.files import near

    meant = "" if sheet.labelled else near(sheet.rater, others)
    return f"{sheet.rater} has not labelled anything here yet{meant}" if meant else ""


def _rounds(sheet: Round, keys: Keyboard, console: Console, *, limited: bool, said: str) -> None:
    while True:
        keys.forget()
        if sheet.current is not None:
            done = _one(sheet, sheet.current, keys, console, limited=limited, said=said)
        else:
            done = _last(sheet, keys, said)
        if done is None:
            return
        said = done


def _last(sheet: Round, keys: Keyboard, said: str) -> str | None:
    """After the last case: the only place where its label can be taken back."""
    end = "All cases of this round have been shown: u takes the last label back, any other key ends."
    click.echo(f"{said}. {end}" if said else end)
    return _undone(sheet) if keys.key().key == "u" and sheet.can_undo else None


def _undone(sheet: Round) -> str:
    from fiducial.report.label_screen import WORDS

    before = sheet.undo()
    return "back to a case that was skipped" if before is None else f"taken back: {WORDS[before]}"


def _one(
    sheet: Round, case: LabelCase, keys: Keyboard, console: Console, *, limited: bool, said: str
) -> str | None:
    """One case, until it is labelled, skipped or left for the one before: what to say of that, or None to quit."""
    from fiducial.cli.keyboard import END
    from fiducial.report.label_screen import WORDS, Place, screen
    from fiducial.report.label_view import view_of
    from fiducial.report.writer import Writer

    view = view_of(case, said=said)
    while True:
        place = Place(
            rater=sheet.rater,
            number=min(sheet.total, sheet.labelled + sheet.skipped + 1),
            total=sheet.total,
            skipped=sheet.skipped,
            left=sheet.left if limited else None,
        )
        console.clear()
        console.print(screen(view, place, Writer(console), width=console.width, height=console.height))
        pressed = keys.key()
        if pressed.key in GIVEN:
            sheet.label(GIVEN[pressed.key], view.note)
            return f"saved: {WORDS[GIVEN[pressed.key]]}"
        if pressed.key in ("q", END):
            return None
        if pressed.key == "s":
            sheet.skip()
            return "skipped; the comment is not kept" if view.note else "skipped"
        if pressed.key == "u" and sheet.can_undo:
            return _undone(sheet)
        view = _look(view, case, pressed, keys, console)


def _look(view: View, case: LabelCase, pressed: Pressed, keys: Keyboard, console: Console) -> View:
    """The keys that change what is seen, and nothing else."""
    import msgspec

    from fiducial.cli.keyboard import DOWN, UP
    from fiducial.report.inert import inert, shorten
    from fiducial.report.label_screen import help_screen, turn
    from fiducial.report.label_view import search, view_of
    from fiducial.report.writer import Writer

    size = {"width": console.width, "height": console.height}
    key, text = pressed
    if key in ("d", " ", DOWN):
        return turn(view, 1, **size)
    if key in ("D", UP):
        return turn(view, -1, **size)
    if key == "/":
        words = keys.line("search for: ") if text is None else text
        return view if words is None else search(view, words)
    if key == "c":
        said = keys.line("comment: ") if text is None else text
        note = view.note if said is None else inert(said) or None
        return msgspec.structs.replace(view, note=note, said="")
    if key in ("?", "h"):
        console.clear()
        console.print(help_screen(case.review_type, Writer(console)))
        keys.pause("any key goes back")
        return view
    if key == "r":
        return msgspec.structs.replace(view_of(case), note=view.note)
    if key == "u":
        return msgspec.structs.replace(view, said="nothing to undo")
    return msgspec.structs.replace(
        view, said=f"{shorten(inert(key), 20)!r} is no key here; ? shows them" if key else ""
    )


def _summary(sheet: Round) -> str:
    from fiducial.report.inert import inert
    from fiducial.report.numbers import count, counted

    now = f"{counted(sheet.saved, 'label')} saved in this round" if sheet.saved else "No label saved this time"
    parts = [f"{now}; {inert(sheet.rater)} has labelled {count(sheet.labelled)} of {count(sheet.total)}"]
    if sheet.labelled == sheet.total:
        parts.append("nothing is left to label")
    elif sheet.skipped:
        parts.append(f"{count(sheet.skipped)} skipped")
    return "; ".join(parts) + "."

"""What came of asking a model for items, in the terminal. All of it is a model's text, and printed inert."""

from __future__ import annotations

from rich.console import Console

from fiducial.bias.authoring.generate import Generation
from fiducial.bias.authoring.proposal import KINDS
from fiducial.report.inert import inert, shorten
from fiducial.report.numbers import counted
from fiducial.report.writer import Writer

LONG = 300
TOLD = 3  # complaints about one reply


def show_generation(found: Generation, console: Console) -> None:
    """Every proposal with what became of it, the reasons counted, and what to do next."""
    write = Writer(console)
    write.line(
        (f"Items for {found.bias}", "bold"), f" by {inert(found.model)}, prompt {found.prompt}, run {found.run}"
    )
    write.line()
    for place, one in enumerate(found.proposals, 1):
        if one.item is not None:
            tries = "" if not one.rejected else " at the second try"
            write.item((f"{place} kept{tries} ", "green"), f"{one.item.id} ({one.item.domain})")
        elif not one.tries:
            write.item((f"{place} no reply ", "yellow"))
        else:
            write.item((f"{place} rejected ", "red"), KINDS[one.rejected[-1].kind])
        for attempt, why in enumerate(one.rejected, 1):
            for problem in why.problems[:TOLD]:
                write.item((f"  try {attempt}: ", "dim"), shorten(inert(problem), LONG))
            if (left := len(why.problems) - TOLD) > 0:
                write.item((f"  try {attempt}: and {left} more", "dim"))
    write.line()
    passed = f"{len(found.kept)} of {counted(found.asked, 'proposal')} passed the linter"
    lost = ", ".join(f"{n} {KINDS[kind]}" for kind, n in found.rejected.items())  # type: ignore[index]
    write.line((passed, "bold"), f"; of the replies {lost}" if lost else "")
    if found.file is None:
        write.line("Nothing was written. Small models seldom manage; try a stronger one, or a larger --n.")
        return
    write.line(
        f"Written to {inert(found.file)}, marked as generated. Read every item: the linter cannot say what it measures."
    )

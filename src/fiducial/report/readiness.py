"""The way to a gate, drawn: in the terminal as a line of steps from top to bottom, on the page as a list."""

from __future__ import annotations

from markupsafe import Markup
from rich.console import Console

from fiducial.report.inert import clip, inert, shorten
from fiducial.report.writer import Writer
from fiducial.review.readiness import Readiness, Step

SIGNS = {"done": "●", "missing": "×", "blocked": "○", "warning": "!"}
STYLES = {"done": "green", "missing": "bold red", "blocked": "dim", "warning": "yellow"}
LEVELS = {"done": "pass", "missing": "fail", "blocked": "", "warning": "warn"}  # the classes of the page's style
MARKS = {"done": "✓ done", "missing": "✕ missing", "blocked": "○ blocked", "warning": "! warning"}
BESIDE = "judge"  # the step that is drawn beside the line: an ordinary gate does not rest on it
NAME = 120
MESSAGE = 600
UNCOUNTED = 3  # earlier runs that are named; the JSON has them all
NARROW = 24  # columns, below which nothing is indented any more


def show_readiness(found: Readiness, console: Console) -> None:
    """Print the graph, and the command that comes next."""
    write = Writer(console)
    who = f", reviewer {_short(found.reviewer, NAME)}" if found.reviewer else ""
    whom = f", model {_short(found.model, NAME)}" if found.model else ""
    write.line((f"Readiness of {_short(found.dataset, NAME)}", "bold"), who, whom)
    for k, step in enumerate(found.steps):
        _draw(step, console, write, rail=k + 1 < len(found.steps))
    for name, why in list(found.uncounted.items())[-UNCOUNTED:]:
        write.line((f"run {_short(name, NAME)} does not count: it had {_short(why, MESSAGE)}", "dim"))
    if len(found.uncounted) > UNCOUNTED:
        write.line((f"nor do {len(found.uncounted) - UNCOUNTED} older ones", "dim"))
    write.command(("Next: ", "bold"), found.next_command)


def _draw(step: Step, console: Console, write: Writer, *, rail: bool) -> None:
    """The step with its sign on the rail, and what is known of it beside the rail."""
    beside = step.id == BESIDE
    parts: list[tuple[str, str]] = [("┼─ ", "dim")] if beside else []
    parts += [
        (f"{SIGNS[step.state]} ", STYLES[step.state]),
        (inert(step.title), "" if step.state == "blocked" else "bold"),
    ]
    if step.state != "done":  # never by colour and sign alone
        parts.append((f" {step.state}", STYLES[step.state]))
    write.line(*parts)
    said = [(inert(step.seen), "dim")]
    if step.missing:
        said.append((f"wanted: {inert(step.missing)}", ""))
    indent = "  " if beside else ""
    for words, style in said:
        text = write.text((shorten(words, MESSAGE), style))
        for line in text.wrap(console, max(NARROW, console.width - 2 - len(indent))):
            line.rstrip()
            console.print(write.text(("│ " if rail else "  ", "dim"), indent) + line)


def _short(text: str, columns: int) -> str:
    return shorten(inert(text), columns)


def readiness_html(found: Readiness) -> Markup:
    """The same as a fragment of the report's page, in the classes of its audit. All text in it is escaped."""
    rows = Markup("\n").join(_row(step) for step in found.steps)
    ready = "A gate may be asked for." if found.enforceable else "A gate asked for now would be refused."
    return Markup(
        '<h3>{name}</h3>\n<ol class="audit readiness" aria-label="Steps to a gate">\n{rows}\n</ol>\n'
        '<p class="note">{ready} Next: <code>{command}</code></p>'
    ).format(
        name=clip(found.reviewer or found.dataset, NAME),
        rows=rows,
        ready=ready,
        command=found.next_command,
    )


def _row(step: Step) -> Markup:
    wanted = Markup("<br>wanted: <bdi>{}</bdi>").format(clip(step.missing, MESSAGE)) if step.missing else Markup()
    return Markup(
        '<li class="check {level}"><span class="level">{mark}</span>\n'
        "<div><strong>{title}</strong> <bdi>{seen}</bdi>{wanted}</div></li>"
    ).format(
        level=LEVELS[step.state],
        mark=MARKS[step.state],
        title=clip(step.title, NAME),
        seen=clip(step.seen, MESSAGE),
        wanted=wanted,
    )

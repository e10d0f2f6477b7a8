"""`fiducial models`: what can be measured here, and what one call looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from fiducial.model.base import Model
    from fiducial.run.once import Answered

QUESTION = "Name a colour. End with a line `Answer: ` and the colour."


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@click.pass_context
def models(context: click.Context, as_json: bool) -> None:
    """Providers, what each needs, and which are ready. `models try M` makes one call."""
    if context.invoked_subcommand is not None:
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from fiducial.cli.options import print_json
    from fiducial.model.names import providers

    found = providers()
    if as_json:
        print_json(found)
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("name", "ready", "what it reaches, and what it needs"):
        table.add_column(heading, no_wrap=heading == "name")
    for provider in found:
        ready = "[green]yes[/]" if provider.ready else "no"
        settings = ", ".join(provider.settings)
        needs = provider.missing or provider.note or (f"reads {settings}" if settings else "")
        table.add_row(provider.form, ready, Text(f"{provider.reaches}{f'; {needs}' if needs else ''}"))
    Console().print(table)


@models.command("try")
@click.argument("model")
@click.option("--prompt", default=QUESTION, show_default=True)
@click.option("--system", type=click.File("r", encoding="utf-8"), help="A file with a system message.")
@click.option("--temperature", type=click.FloatRange(0), default=1.0, show_default=True)
@click.option("--top-p", type=click.FloatRange(0, 1, min_open=True))
@click.option("--max-tokens", type=click.IntRange(1), default=200, show_default=True)
@click.option("--seed", type=int, help="Sampling seed.")
@click.option("--reasoning-effort", help="As the provider names it, e.g. low, medium, high.")
@click.option("--timeout", type=click.FloatRange(0, min_open=True), default=120.0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def try_model(model: str, prompt: str, system: Any, as_json: bool, timeout: float, **given: Any) -> None:
    """Make one call and show what was asked, what was sent and what was reported."""
    from fiducial.cli.options import print_json
    from fiducial.model.request import Settings
    from fiducial.run.calls import open_named
    from fiducial.run.once import ask_once

    told = system.read() if system else None
    opened = open_named(model, timeout=timeout)
    shown = _shown(opened, ask_once(opened, prompt, system=told, settings=Settings(**given)))
    if as_json:
        print_json(shown)
    else:
        _print(shown)


def _shown(model: Model, answered: Answered) -> dict[str, Any]:
    import msgspec

    request, reply = answered.request, answered.reply
    return {
        "model": model.name,
        "asked": {"settings": request.settings, "messages": request.messages},
        "sent": msgspec.json.decode(reply.sent) if reply.sent else None,
        "not_sent": {name: model.learned().get(name, "the API has no such setting") for name in reply.not_sent},
        "reported": reply.reported,
        "status": reply.status,
        "text": reply.text,
        "seconds": round(answered.seconds, 3),
        "facts": model.facts(),
    }


def _print(shown: dict[str, Any]) -> None:
    import msgspec
    from rich.console import Console
    from rich.text import Text

    from fiducial.report.inert import legible

    console = Console()
    for part in ("asked", "sent", "not_sent", "reported", "facts"):
        console.print(Text(part.replace("_", " "), style="bold"))
        body = msgspec.json.format(msgspec.json.encode(shown[part]), indent=2).decode()
        console.print(Text(legible(body)), soft_wrap=True)
    console.print(Text(f"reply ({shown['status']}, {shown['seconds']} s)", style="bold"))
    console.print(Text(legible(shown["text"])), soft_wrap=True)

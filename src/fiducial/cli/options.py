"""Options that every command which makes calls takes, and what they turn into."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fiducial.errors import command

if TYPE_CHECKING:
    from fiducial.run.progress import Shown


def call_options(
    command: Callable[..., Any], *, max_tokens: int = 1024, run_file: str = "--out"
) -> Callable[..., Any]:
    """Adds the shared options; the command gets them as one `CallOptions` named `calls`.

    `run_file` names the option for the run file, in commands whose `--out` is what they make of it.
    """

    def gathered(**given: Any) -> Any:
        from fiducial.cli.call_options import CallOptions

        names = CallOptions.__struct_fields__
        calls = CallOptions(**{name: given.pop(name) for name in names})
        return command(calls=calls, **given)

    gathered.__name__, gathered.__doc__ = command.__name__, command.__doc__
    gathered.__click_params__ = getattr(command, "__click_params__", [])  # type: ignore[attr-defined]
    for option in reversed(
        [
            click.option("--temperature", type=click.FloatRange(0), default=1.0, show_default=True),
            click.option("--top-p", type=click.FloatRange(0, 1, min_open=True)),
            click.option(
                "--max-tokens",
                type=click.IntRange(1),
                default=max_tokens,
                show_default=True,
                help="Most tokens a reply may have.",
            ),
            click.option("--reasoning-effort", help="As the provider names it, e.g. low, medium, high."),
            click.option(
                "--max-connections",
                type=click.IntRange(1),
                default=64,
                show_default=True,
                help="Most calls in flight; fewer while the server asks for less.",
            ),
            click.option(
                "--rpm",
                type=click.FloatRange(0, min_open=True),
                help="Most calls a minute, of all runs on this machine that use the same key.",
            ),
            click.option(
                "--tpm", type=click.FloatRange(0, min_open=True), help="Most tokens a minute, of the same runs."
            ),
            click.option(
                "--timeout",
                type=click.FloatRange(0, min_open=True),
                help="Seconds for one call. [default: 900 on this machine, 120 elsewhere]",
            ),
            click.option(
                "--attempts",
                type=click.IntRange(1),
                default=8,
                show_default=True,
                help="Calls for one trial before it counts as failed.",
            ),
            click.option(
                "--max-wait",
                type=click.FloatRange(0),
                default=300.0,
                show_default=True,
                help="Most seconds to wait before the next call when the server asks to wait.",
            ),
            click.option(
                "--budget", metavar="KIND=N", help="calls=500, tokens=2M or usd=1.50, or several with commas."
            ),
            click.option(
                "--identical-gap",
                type=click.FloatRange(0),
                help="Least seconds between identical requests. [default: 0 on this machine, 1 elsewhere]",
            ),
            click.option(
                "--seed",
                type=int,
                default=1,
                show_default=True,
                help="Fills the items' slots and orders the plan; another seed gives fresh items.",
            ),
            click.option(
                run_file,
                "out",
                type=click.Path(dir_okay=False, path_type=Path),
                help="The run file. [default: runs/NAME.db]",
            ),
            click.option("--reuse", metavar="RUN", help="Take over replies of that run to identical requests."),
            click.option(
                "--workers",
                metavar="ray[:ADDRESS]",
                help="Run the model on every node of a Ray cluster; limits hold for all of them together.",
            ),
            click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output."),
        ]
    ):
        gathered = option(gathered)
    return gathered


def battery_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--battery`: the command gets the places as `places`."""
    return click.option(
        "--battery",
        "places",
        multiple=True,
        metavar="DIR",
        type=click.Path(path_type=Path),
        help="A folder, or a file, of your own biases beside the packaged ones; may be given several times.",
    )(command)


def shown(label: str) -> Shown:
    """Progress on standard error. A label may be a name that a user, or a run file, made up."""
    from fiducial.report.inert import inert
    from fiducial.run.progress import Shown

    return Shown(inert(label))


def this_command(stopped: str | None = None) -> str:
    """The command as it was typed, to be repeated; without its --budget where that is what stopped it."""
    words = sys.argv[1:]
    if stopped is not None and stopped.startswith("budget"):
        spent = {k for k, word in enumerate(words) if word == "--budget"}
        words = [
            word
            for k, word in enumerate(words)
            if k not in spent and k - 1 not in spent and not word.startswith("--budget=")
        ]
    return command(*words)


def print_json(value: object) -> None:
    """One JSON document on standard output."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2))

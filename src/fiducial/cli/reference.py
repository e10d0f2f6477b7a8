"""The help of every command on one page: `python -m fiducial.cli.reference > docs/commands.md`."""

from __future__ import annotations

from collections.abc import Iterator

import click

HEAD = """# Commands

This page is made from the `--help` of every command; a test holds it to that.
Every command that prints results takes `--json`: one JSON document on standard output and nothing else there.
Progress and messages go to standard error.
"""


def reference() -> str:
    """All help pages, as Markdown."""
    from fiducial.cli.main import fiducial

    pages = [f"## `{path}`\n\n```\n{text}\n```\n" for path, text in _pages(fiducial, "fiducial", None)]
    return "\n".join([HEAD, *pages])


def _pages(command: click.Command, path: str, parent: click.Context | None) -> Iterator[tuple[str, str]]:
    context = click.Context(command, info_name=path.rsplit(" ", 1)[-1], parent=parent, **command.context_settings)
    context.max_content_width = context.terminal_width = 100
    yield path, command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from _pages(found, f"{path} {name}", context)


if __name__ == "__main__":
    click.echo(reference(), nl=False)

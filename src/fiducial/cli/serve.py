"""`fiducial serve`: the workbench in the browser."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import click


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), default=Path())
@click.option("--port", type=click.IntRange(1, 65535), help="[default: 8420, or a free one where that is taken]")
@click.option(
    "--judge",
    metavar="MODEL",
    help="The model that the curation page may ask for zero-shot tests. Without it, no page makes a call.",
)
@click.option("--open", "open_it", is_flag=True, help="Open it in the browser.")
@click.option(
    "--plain-host",
    is_flag=True,
    help="Serve as 127.0.0.1, for browsers that do not find names below .localhost (Safari). Other local servers that "
    "you visit with the same browser are then sent the session cookie.",
)
def serve(folder: Path, port: int | None, judge: str | None, open_it: bool, plain_host: bool) -> None:
    """Look at runs, curate must-finds and label findings in the browser.

    FOLDER is searched for run files and datasets; nothing outside it is shown or written. [default: the current one]

    The server listens on this machine alone. Whoever opens the address that is printed can read and write what is in the
    folder. An address works once; the next one is printed when it has been used. Ctrl-C ends it.
    """
    from fiducial.errors import UsageError, install_hint
    from fiducial.report.inert import inert

    try:
        from fiducial.web.serve import serve as run
    except ModuleNotFoundError as error:
        raise UsageError(f"the workbench needs the package {error.name}: {install_hint('web')}") from error

    if judge is not None:
        from fiducial.model.names import parse_name

        parse_name(judge)

    root = folder.resolve()

    addresses: list[str] = []

    def ready(address: str) -> None:
        addresses.append(address)
        if len(addresses) > 1:
            click.echo(f"Opened. To open it in another browser:\n  {address}")
            return
        click.echo(f"The workbench for {inert(str(root))} is at\n  {address}\nCtrl-C ends it.")
        if sys.platform == "darwin" and not plain_host:
            click.echo("Safari does not find this address: open it in another browser, or give --plain-host.")
        if open_it:
            import webbrowser

            webbrowser.open(address)

    with suppress(KeyboardInterrupt):  # the way it is meant to end
        run(root, port=port, judge=judge, host="127.0.0.1" if plain_host else None, ready=ready)

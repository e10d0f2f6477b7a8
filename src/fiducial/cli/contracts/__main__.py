"""The page of contracts, or the JSON Schema of one command's output."""

from __future__ import annotations

import json
import sys

import click

from fiducial.cli.contracts import CONTRACTS, page, schema

if __name__ == "__main__":
    named = " ".join(sys.argv[1:]).removeprefix("fiducial ")
    if not named:
        click.echo(page(), nl=False)
    elif named in CONTRACTS:
        click.echo(json.dumps(schema(named), indent=2, ensure_ascii=False))
    else:
        click.echo(f"no command {named!r} prints JSON; these do: {', '.join(CONTRACTS)}", err=True)
        sys.exit(2)

"""`gnomon review`: how genuine and how complete are a reviewer's findings?"""

from __future__ import annotations

import click

from gnomon.cli.review_parse import parse_output
from gnomon.cli.review_plant import plant_flaws


@click.group()
def review() -> None:
    """How genuine and how complete are a reviewer's findings?"""


for command in (parse_output, plant_flaws):
    review.add_command(command)

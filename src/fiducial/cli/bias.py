"""`fiducial bias`: how biased are a model's decisions?"""

from __future__ import annotations

import click

from fiducial.cli.bias_author import new_bias
from fiducial.cli.bias_battery import lint_battery, list_biases, show_bias
from fiducial.cli.bias_generate import generate_items
from fiducial.cli.bias_items import analyse_items
from fiducial.cli.bias_replies import read_reply, score_recorded
from fiducial.cli.bias_run import run_bias
from fiducial.cli.bias_study import calibrate_estimator, validate_items


@click.group()
def bias() -> None:
    """How biased are a model's decisions?"""


for command in (
    run_bias,
    list_biases,
    show_bias,
    lint_battery,
    new_bias,
    generate_items,
    analyse_items,
    validate_items,
    calibrate_estimator,
    read_reply,
    score_recorded,
):
    bias.add_command(command)

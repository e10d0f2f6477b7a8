"""`fiducial judge`: how far can the judge be trusted?"""

from __future__ import annotations

import click

from fiducial.cli.judge_ablate import ablate
from fiducial.cli.judge_attack import attack
from fiducial.cli.judge_calibrate import calibrate
from fiducial.cli.judge_correct import correct_verdicts
from fiducial.cli.judge_label import label
from fiducial.cli.judge_show import show


@click.group()
def judge() -> None:
    """Judges: how often they err, what moves them, and what that does to the numbers they gave."""


for command in (calibrate, show, label, correct_verdicts, ablate, attack):
    judge.add_command(command)

"""`fiducial review`: how genuine and how complete are a reviewer's findings?"""

from __future__ import annotations

import click

from fiducial.cli.review_check import check_dataset
from fiducial.cli.review_confirm import confirm_candidate, reject_candidate
from fiducial.cli.review_curate import init_dataset, propose_candidates
from fiducial.cli.review_parse import parse_output
from fiducial.cli.review_plant import plant_flaws
from fiducial.cli.review_run import rejudge_run, run_review
from fiducial.cli.review_status import show_status


@click.group()
def review() -> None:
    """How genuine and how complete are a reviewer's findings?"""


for command in (
    run_review,
    show_status,
    parse_output,
    init_dataset,
    check_dataset,
    propose_candidates,
    confirm_candidate,
    reject_candidate,
    plant_flaws,
    rejudge_run,
):
    review.add_command(command)

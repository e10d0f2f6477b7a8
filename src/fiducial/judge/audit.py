"""Checks on a judge that hold whatever it judged."""

from __future__ import annotations

from collections.abc import Iterator

from fiducial.errors import UsageError
from fiducial.model.names import family
from fiducial.run.audit import Check


def judge_is_subject(judge: str, subject: str, *, danger: str) -> Iterator[Check]:
    """A warning where the judge is the subject, or of its family. `danger` says what may come of it."""
    if judge != subject and _family(judge) != _family(subject):
        return
    same = "the subject itself" if judge == subject else f"of the subject's family ({_family(subject)})"
    yield Check("judge-is-subject", "warn", f"the judge is {same}: {danger}. Another family is safer.")


def _family(model: str) -> str:
    try:
        return family(model)
    except UsageError:  # a name that no provider of today has
        return model

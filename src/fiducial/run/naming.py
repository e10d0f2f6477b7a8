"""The name of a run: what it is of, and a digest of everything that decides its plan."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import msgspec

from fiducial.run.plan import Plan
from fiducial.run.store import DEFAULT_FOLDER


def run_path(instrument: str, model: str, *more: str, settings: dict[str, object], plan: Plan) -> Path:
    """`runs/INSTRUMENT-MODEL-…-DIGEST.db`: the same command finds its run again.

    Whatever `more` says (the name of a dataset may be any text), it stays one part of one file's name.
    """
    slug = re.sub(r"[^a-z0-9.]+", "-", model.lower())[-40:].strip("-.")
    digest = hashlib.sha256(msgspec.json.encode((settings, plan.hash()))).hexdigest()[:8]
    parts = [kept for part in more if (kept := re.sub(r"[^\w.]+", "-", part).strip("-.")[:40])]
    return DEFAULT_FOLDER / f"{'-'.join((instrument, slug, *parts, digest))}.db"

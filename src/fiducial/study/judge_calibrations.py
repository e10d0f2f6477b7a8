"""A calibration by its name."""

from __future__ import annotations

from pathlib import Path

from fiducial.errors import UsageError
from fiducial.judge.calibration import FOLDER, Calibration, load, load_all
from fiducial.review.files import near


def calibration_named(name: str, folder: Path = FOLDER) -> Calibration:
    """The calibration in the file of that path, of that name in the folder, or the only one whose name contains it."""
    if Path(name).is_file():
        return load(Path(name))
    there = load_all([folder])
    found = list(there.found.values())
    stem = name.removesuffix(".json")
    for path, why in there.unreadable.items():
        if path.stem == stem:
            raise UsageError(why)
    fitting = [one for one in found if one.name == stem] or [one for one in found if stem in one.name]
    if len(fitting) == 1:
        return fitting[0]
    known = [one.name for one in fitting or found]
    listed = ", ".join(known) or "none yet; `fiducial judge calibrate` makes one"
    if fitting:
        raise UsageError(f"{stem!r} fits several calibrations: {listed}")
    raise UsageError(f"there is no calibration {stem!r} in {folder}/{near(stem, known)} (there are: {listed})")

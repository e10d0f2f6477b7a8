"""The options of every command that makes calls, as they were given. Imported when a command runs, not before."""

from __future__ import annotations

from fiducial.run.calls import Calls


class CallOptions(Calls, frozen=True, kw_only=True):
    """What a run is told about its calls, and whether JSON is printed."""

    as_json: bool

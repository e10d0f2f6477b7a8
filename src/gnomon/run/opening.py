"""A model by its name, ready to be asked, and how fast it may be asked where nobody says otherwise."""

from __future__ import annotations

from gnomon.model.base import Model
from gnomon.model.names import open_model
from gnomon.run.limits import Limits
from gnomon.run.reuse import open_replay

LOCAL_PROVIDERS = ("local", "sim", "replay")
LOCAL_TIMEOUT, REMOTE_TIMEOUT = 900.0, 120.0  # a long reply of a model on this machine takes minutes


def limits_for(
    model: str,
    *,
    max_connections: int = 64,
    rpm: float | None = None,
    tpm: float | None = None,
    identical_gap: float | None = None,
    attempts: int = 8,
    timeout: float | None = None,
) -> Limits:
    """How fast the model may be asked. Between identical requests to other people's servers lies a second."""
    here = model.partition("/")[0] in LOCAL_PROVIDERS
    gap = 0.0 if here else 1.0
    return Limits(
        max_connections=max_connections,
        rpm=rpm,
        tpm=tpm,
        identical_gap=gap if identical_gap is None else identical_gap,
        attempts=attempts,
        timeout=timeout or (LOCAL_TIMEOUT if here else REMOTE_TIMEOUT),
    )


def open_named(name: str, *, connections: int = 64, timeout: float = 120.0) -> Model:
    """The model of that name, replays of stored runs included."""
    return open_model(name, connections=connections, timeout=timeout, openers={"replay": open_replay})

"""How a model is asked: what everything that makes calls can be told, and the models that names stand for."""

from __future__ import annotations

import math
import sys
from pathlib import Path

from msgspec import Struct

from fiducial.errors import UsageError
from fiducial.model.balance import MAX_WAIT
from fiducial.model.base import Model
from fiducial.model.cluster.model import ClusterModel
from fiducial.model.cluster.ray import RayCluster, parse_workers
from fiducial.model.cluster.worker import Opening
from fiducial.model.names import open_model
from fiducial.model.request import Settings
from fiducial.run.budget import Budget, parse_budget
from fiducial.run.limits import Limits
from fiducial.run.reuse import open_replay
from fiducial.run.store import find_run

LOCAL_PROVIDERS = ("local", "sim", "replay")
LOCAL_TIMEOUT, REMOTE_TIMEOUT = 900.0, 120.0  # a long reply of a model on this machine takes minutes

_LEAST = {"temperature": 0, "max_tokens": 1, "max_connections": 1, "attempts": 1, "identical_gap": 0, "max_wait": 0}
_POSITIVE = ("top_p", "rpm", "tpm", "timeout")


class Calls(Struct, frozen=True, kw_only=True):
    """What a run is told about its calls. None: as the model's provider, or this machine, has it.

    `budget` is text such as `usd=1.50` or `calls=500`; `out` the run file; `reuse` a run whose replies to identical
    requests are taken over.
    """

    temperature: float = 1.0
    top_p: float | None = None
    max_tokens: int = 1024
    reasoning_effort: str | None = None
    max_connections: int = 64
    rpm: float | None = None
    tpm: float | None = None
    timeout: float | None = None
    attempts: int = 8
    max_wait: float = MAX_WAIT
    budget: str | None = None
    identical_gap: float | None = None
    seed: int = 1
    out: Path | None = None
    reuse: str | None = None
    workers: str | None = None  # ray[:ADDRESS]: the model runs on every node of that cluster

    def __post_init__(self) -> None:
        for name in (*_LEAST, *_POSITIVE):
            value = getattr(self, name)
            if value is None:
                continue
            least = _LEAST.get(name)
            if not math.isfinite(value) or (value <= 0 if least is None else value < least):
                raise UsageError(f"{name}={value!r}: it is {'above 0' if least is None else f'{least} or more'}.")
        if self.top_p is not None and self.top_p > 1:
            raise UsageError(f"top_p={self.top_p!r}: it is a share, above 0 and at most 1.")

    def settings(self) -> Settings:
        """What is asked of the sampler."""
        return Settings(
            temperature=self.temperature,
            top_p=self.top_p,
            max_tokens=self.max_tokens,
            reasoning_effort=self.reasoning_effort,
        )

    def limits(self, model: str, *, here: bool | None = None) -> Limits:
        """How fast the model may be asked. Between identical requests to other people's servers lies a second.

        `here`: whether it runs on this machine, where that is known better than by its name.
        """
        if here is None:
            here = model.partition("/")[0] in LOCAL_PROVIDERS
        gap = self.identical_gap
        if gap is None:
            gap = 0.0 if here else 1.0
        return Limits(
            max_connections=self.max_connections,
            rpm=self.rpm,
            tpm=self.tpm,
            identical_gap=gap,
            attempts=self.attempts,
            max_wait=self.max_wait,
            timeout=self.timeout or (LOCAL_TIMEOUT if here else REMOTE_TIMEOUT),
        )

    def spending(self) -> Budget:
        """What the run may spend."""
        return parse_budget(self.budget) if self.budget else Budget()

    def reused(self) -> Path | None:
        """The run whose replies are taken over."""
        return find_run(self.reuse) if self.reuse else None

    def open(self, name: str) -> Model:
        """The model of that name, opened before the first call: a wrong name or a missing key must cost nothing."""
        limits = self.limits(name)
        if self.workers is not None:
            return open_on_cluster(name, self.workers, connections=limits.max_connections, timeout=limits.timeout)
        return open_named(name, connections=limits.max_connections, timeout=limits.timeout)


def open_named(name: str, *, connections: int = 64, timeout: float = REMOTE_TIMEOUT) -> Model:
    """The model of that name, replays of stored runs included."""
    return open_model(name, connections=connections, timeout=timeout, openers={"replay": open_replay})


def open_on_cluster(name: str, workers: str, *, connections: int, timeout: float) -> Model:
    """The model of that name on every node of a cluster. Nodes open it by its name, with keys of their own."""
    cluster = RayCluster(parse_workers(workers))
    if name.startswith("replay/"):
        raise UsageError("--workers: a replay makes no calls that a cluster could take over")
    return ClusterModel(
        open_named(name, connections=connections, timeout=timeout),
        Opening(name=name, connections=connections, timeout=timeout),
        cluster,
        say=lambda message: print(message, file=sys.stderr),  # noqa: T201  (as progress does)
    )

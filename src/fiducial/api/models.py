"""Models as a program gives them, and the settings of calls as keyword arguments."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypedDict, cast

from fiducial.errors import UsageError
from fiducial.model.base import Model, Subject
from fiducial.model.names import ProviderInfo, providers
from fiducial.model.python import PythonModel, make
from fiducial.model.reply import Reply
from fiducial.model.request import Settings, WireRequest
from fiducial.report.inert import inert
from fiducial.run.calls import Calls, open_named
from fiducial.run.limits import Limits
from fiducial.run.once import ask_once
from fiducial.run.progress import Progress, Shown, Silent

ModelGiven = str | Subject | Callable[[WireRequest], Awaitable[object]] | Model
"""A name, an object with `async generate(request)`, an async function of the request, or an opened model."""

Judges = ModelGiven | list[ModelGiven] | tuple[ModelGiven, ...]
"""A judge, or several for a panel."""


class CallSettings(TypedDict, total=False):
    """What every function that makes calls can be told, as the commands' options of the same names."""

    temperature: float
    top_p: float | None
    max_tokens: int
    reasoning_effort: str | None
    max_connections: int
    rpm: float | None
    tpm: float | None
    timeout: float | None
    attempts: int
    max_wait: float
    budget: str | None
    identical_gap: float | None
    seed: int
    out: str | Path | None
    reuse: str | Path | None
    workers: str | None


def made_calls(given: CallSettings, *, max_tokens: int = Calls().max_tokens) -> Calls:
    """The settings with their defaults; `max_tokens` is that of the command."""
    told: dict[str, Any] = {"max_tokens": max_tokens, **given}
    if told.get("out") is not None:
        told["out"] = Path(told["out"])
    if told.get("reuse") is not None:
        told["reuse"] = str(told["reuse"])
    return Calls(**told)


def named(name: str, subject: object) -> Model:
    """Your own model or agent, under a name.

    The name stands for the model in run files and reports: a run is found again, and continued, by it. Give another one to
    what answers differently.
    """
    if not name.strip():
        raise UsageError("named: the name is empty")
    whole = name if "/" in name else f"py/{name}"
    return PythonModel(whole, make(subject, whole))


def opened(given: ModelGiven, calls: Calls) -> tuple[Model, Limits]:
    """The model, and how fast it may be asked. An object that says `remote = False` is on this machine."""
    if isinstance(given, str):
        return calls.open(given), calls.limits(given)
    model = cast(Model, given) if _is_model(given) else named(_own_name(given), given)
    return model, calls.limits(model.name, here=not model.remote)


def given_name(given: ModelGiven) -> str:
    """What a model is called in run files and lists, before it is opened."""
    if isinstance(given, str):
        return given
    return cast(Model, given).name if _is_model(given) else named(_own_name(given), given).name


def _is_model(given: object) -> bool:
    return all(hasattr(given, part) for part in ("name", "call", "encode", "facts")) and not inspect.isclass(given)


def _own_name(given: object) -> str:
    """What an object is called: by its own `name`, else by where it is defined. Two instances of one class may answer
    differently, and would be taken for each other."""
    own = getattr(given, "name", None)
    if isinstance(own, str) and own.strip():
        return own
    where = getattr(given, "__qualname__", None)
    if isinstance(where, str) and "<" not in where:
        return f"{getattr(given, '__module__', '')}:{where}"
    what = f"a {type(given).__name__}" if where is None else where
    raise UsageError(
        f"{what} has no name of its own, by which its run would be found again: give it an attribute `name`, "
        "or pass api.named(NAME, it)"
    )


def seats(judge: Judges) -> list[ModelGiven]:
    """One, or those of a panel."""
    return list(judge) if isinstance(judge, list | tuple) else [judge]


def shown(label: str) -> Progress:
    """Progress on standard error."""
    return Shown(inert(label))


def silent(label: str) -> Progress:
    """No progress."""
    return Silent()


def models() -> list[ProviderInfo]:
    """The providers, what each needs, and which are ready."""
    return providers()


def ask(
    model: ModelGiven,
    prompt: str,
    *,
    system: str | None = None,
    temperature: float | None = 1.0,
    top_p: float | None = None,
    max_tokens: int | None = 200,
    seed: int | None = None,
    reasoning_effort: str | None = None,
    timeout: float = 120.0,
    **settings: Any,
) -> Reply:
    """One call, as `fiducial models try` makes it: what came back, with what was sent and what was reported.

    `settings` are further fields of `Settings`: `stop`, `logprobs`, `schema`, `grammar`. Raises `Incomplete`
    where the call fails; there is no second attempt.
    """
    found = open_named(model, timeout=timeout) if isinstance(model, str) else opened(model, Calls())[0]
    told = Settings(
        temperature=temperature,
        top_p=top_p,
        max_tokens=max_tokens,
        seed=seed,
        reasoning_effort=reasoning_effort,
        **settings,
    )
    return ask_once(found, prompt, system=system, settings=told).reply

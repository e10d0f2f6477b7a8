"""From a name, `provider/model`, to a model that can be asked.

Implementations are imported when a name asks for them, so that a run against a simulated subject does
not pay for an HTTP client, llama.cpp or Inspect AI.
"""
# ruff: noqa: PLC0415

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec import Struct

from fiducial.errors import FiducialError, UsageError, install_hint
from fiducial.model.base import Model

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

REMOTE = ("openai", "anthropic", "google", "xai", "grok", "openai-api")
BUILT_IN = (*REMOTE, "local", "inspect", "sim", "py", "replay")
ENTRY_POINTS = "fiducial.models"

_NO_OPENERS: Mapping[str, Callable[[str], Model]] = MappingProxyType({})

# Names that only one provider gives to its models. Used for a hint in an error, never to reach a model.
_CERTAIN = (
    (re.compile(r"(gpt-|chatgpt-|o[134](-|$))"), "openai"),
    (re.compile(r"claude-"), "anthropic"),
    (re.compile(r"gemini-"), "google"),
    (re.compile(r"grok-"), "xai"),
)


class Name(Struct, frozen=True):
    """A model's name in its two parts; `model` may hold slashes of its own."""

    provider: str
    model: str

    def __str__(self) -> str:
        return f"{self.provider}/{self.model}"


class ProviderInfo(Struct, frozen=True, kw_only=True):
    """One line of `fiducial models`."""

    form: str  # how a name is written, e.g. openai/MODEL
    reaches: str
    settings: tuple[str, ...] = ()  # environment variables it heeds
    ready: bool
    missing: str = ""  # what to do where it is not ready
    note: str = ""


def parse_name(text: str) -> Name:
    """Split `provider/model`. Checks the form only; whether there is such a provider shows on opening."""
    name = text.strip()
    provider, slash, model = name.partition("/")
    if provider and model and not re.search(r"\s", provider):
        return Name(provider, model)
    if slash and provider in BUILT_IN:
        raise UsageError(f'"{text}": the model is missing after "{provider}/"')
    suggestion = _suggest(name)
    if suggestion:
        raise UsageError(f'"{text}" names no provider; did you mean {suggestion}?')
    raise UsageError(
        f'"{text}" is not a model\'s name. Names have the form provider/model, such as openai/gpt-4o, '
        "anthropic/claude-sonnet-4-5, local/smollm2, openai-api/SERVICE/MODEL, sim/coin or py/MODULE:NAME; "
        "`fiducial models` lists them"
    )


def open_model(
    text: str,
    *,
    env: Mapping[str, str] | None = None,
    connections: int = 64,
    timeout: float = 120.0,
    openers: Mapping[str, Callable[[str], Model]] = _NO_OPENERS,
) -> Model:
    """Open the model that a name stands for. Raises UsageError where it cannot be had.

    `openers` are further providers, by prefix: each is given what follows the slash. They come before
    the built-in ones; `replay` comes in this way, because the run files live a floor above. A provider
    from the entry points can not take the place of a built-in one.
    """
    name = parse_name(text)
    if name.provider in openers:
        return openers[name.provider](name.model)
    if name.provider in REMOTE:
        from fiducial.model.remote import open_remote

        settings = os.environ if env is None else env
        return open_remote(name.provider, name.model, settings, connections=connections, timeout=timeout)
    if name.provider == "inspect":
        from fiducial.model.bridge import open_inspect

        return open_inspect(name.model, connections=connections, timeout=timeout)
    return _open_here(name, openers, timeout)


def _open_here(name: Name, openers: Mapping[str, object], timeout: float) -> Model:
    match name.provider:
        case "sim":
            return _open_simulated(name.model)
        case "py":
            from fiducial.model.python import open_python

            return open_python(name.model)
        case "local":
            from fiducial.model.local.model import open_local

            return open_local(name.model, timeout=timeout)
        case "replay":
            raise UsageError(f"{name}: the replies of an earlier run cannot be used for this")
        case _:
            return _open_entry_point(name, openers)


def _open_simulated(text: str) -> Model:
    from fiducial.model.sim.judge_spec import is_judge

    if is_judge(text):
        from fiducial.model.sim.judge import open_judge

        return open_judge(text)
    from fiducial.model.sim.subject import open_sim

    return open_sim(text)


def _open_entry_point(name: Name, openers: Mapping[str, object]) -> Model:
    points = {point.name: point for point in _entry_points()}
    point = points.get(name.provider)
    if point is None:
        known = [*BUILT_IN, *(p for p in (*openers, *points) if p not in BUILT_IN)]
        near = difflib.get_close_matches(name.provider, known, n=1)
        hint = f"; did you mean {near[0]}/{name.model}?" if near else ""
        raise UsageError(f'{name}: there is no provider "{name.provider}"{hint} (there are: {", ".join(known)})')
    from fiducial.model.python import PythonModel

    try:
        subject = point.load()(name.model)
    except FiducialError:
        raise
    except Exception as error:
        raise UsageError(f"{name}: {_origin(point)} failed to open it: {type(error).__name__}: {error}") from error
    return PythonModel(str(name), subject)


def _entry_points() -> list[EntryPoint]:
    from importlib.metadata import entry_points

    return sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name)


def _origin(point: EntryPoint) -> str:
    package = point.dist.name if point.dist is not None else "an installed package"
    return f"{point.value} of {package}"


def _suggest(bare: str) -> str | None:
    """The full name, where a bare one can only mean one thing."""
    for pattern, provider in _CERTAIN:
        if pattern.match(bare):
            return f"{provider}/{bare}"
    from fiducial.model.local.catalogue import catalogue
    from fiducial.model.sim.judge_spec import is_judge
    from fiducial.model.sim.spec import KINDS

    if bare.partition(":")[0] in KINDS or is_judge(bare):
        return f"sim/{bare}"
    if bare.endswith(".gguf") or bare in catalogue():
        return f"local/{bare}"
    if re.fullmatch(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*", bare):
        return f"py/{bare}"
    return None


def family(text: str) -> str:
    """Provider and first word of the model's name: `openai/gpt-4o` and `openai/gpt-4.1-mini` are both
    `openai/gpt`. Used to warn that a judge may be a relative of the subject.

    A heuristic for display: nothing is sent, dropped or scored by it. Gateways are looked through
    (`inspect/openai/gpt-4o`, `openai-api/openrouter/openai/gpt-4o`); code of your own is its own family.
    """
    name = parse_name(text)
    provider, model = name.provider, name.model
    if provider in ("py", "replay"):
        return str(name)
    if provider == "inspect" and "/" in model:
        return family(model)
    if provider == "openai-api":
        service, _, model = model.partition("/")
        if "/" in model:  # a gateway's vendor/model
            return family(model)
        provider = f"openai-api/{service}"
    if provider == "local":
        model = model.replace("\\", "/").rpartition("/")[2]
    stem = re.match(r"[^\W\d_]+", model)
    return f"{'xai' if provider == 'grok' else provider}/{stem.group().lower() if stem else model.lower()}"


def providers(env: Mapping[str, str] | None = None) -> list[ProviderInfo]:
    """Every way to name a model, what it needs, and whether that is there."""
    settings = os.environ if env is None else env
    installed = find_spec("inspect_ai") is not None
    return [
        *_remote_infos(settings),
        *_local_infos(),
        ProviderInfo(
            form="inspect/ANY",
            reaches="any provider of an installed Inspect AI, e.g. inspect/mistral/MODEL",
            settings=("as Inspect AI has them",),
            ready=installed,
            missing="" if installed else install_hint("inspect"),
        ),
        ProviderInfo(form="sim/SUBJECT[:k=v,…]", reaches="a simulated subject whose bias is known", ready=True),
        ProviderInfo(
            form="sim/judge:k=v,…",
            reaches="a simulated judge whose errors are known, e.g. sim/judge:sensitivity=.8,specificity=.7",
            ready=True,
        ),
        ProviderInfo(form="py/MODULE:NAME", reaches="your own model or agent, in Python", ready=True),
        ProviderInfo(form="replay/RUN", reaches="the replies of an earlier run", ready=True),
        *(
            ProviderInfo(form=f"{point.name}/MODEL", reaches=f"added by {_origin(point)}", ready=True)
            for point in _entry_points()
            if point.name not in BUILT_IN
        ),
    ]


def _remote_infos(env: Mapping[str, str]) -> list[ProviderInfo]:
    from fiducial.model.remote import PROVIDERS

    infos = []
    own = {provider.url for provider in PROVIDERS}
    for provider in PROVIDERS:
        note = f"also {provider.alias}/MODEL" if provider.alias else ""
        missing = provider.missing(env)
        form = f"{provider.name}/MODEL"
        if provider.name == "openai-api":
            form = "openai-api/SERVICE/MODEL"
            services = sorted(
                variable.removesuffix("_BASE_URL").lower() + _servers(env[variable])
                for variable in env
                if variable.endswith("_BASE_URL") and variable not in own and env[variable].strip()
            )
            if services:
                missing, note = (), f"set up: {', '.join(services)}"
        elif servers := _servers(env.get(provider.url, "")):
            note = f"{note}{', ' if note else ''}set up{servers}"
        infos.append(
            ProviderInfo(
                form=form,
                reaches=provider.description,
                settings=(*provider.keys, provider.url),
                ready=not missing,
                missing=f"set {' and '.join(missing)}" if missing else "",
                note=note,
            )
        )
    return infos


def _servers(urls: str) -> str:
    """How many servers a variable lists, where they are several."""
    several = [url for url in re.split(r"[,\s]+", urls) if url]
    return f" ({len(several)} servers)" if len(several) > 1 else ""


def _local_infos() -> list[ProviderInfo]:
    from fiducial.model.local.model import local_models

    models = local_models()
    runtime = all(model.runtime for model in models)
    install = "" if runtime else install_hint("local")
    infos = [
        ProviderInfo(
            form=model.name,
            reaches=f"{model.title}, {model.licence}: {model.good_for}",
            ready=runtime,
            missing=install,
            note="" if model.fetched else f"fetched on first use ({model.size / 1e6:,.0f} MB)",
        )
        for model in models
    ]
    other = ProviderInfo(
        form="local/PATH.gguf",
        reaches="any model file of yours; local/hf:OWNER/REPO/FILE.gguf fetches one from the model hub",
        ready=runtime,
        missing=install,
    )
    return [*infos, other]

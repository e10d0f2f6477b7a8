"""`py/MODULE:NAME`: your own model or agent, as long as it has one async method.

    class Agent:
        async def generate(self, request: WireRequest) -> str | Reply: ...

NAME may be such an object, a class or a function without arguments that makes one, or a bare async
function of the request. Three attributes of the object are heeded where they are set: `remote` (do calls
leave the machine? assumed), `seeded` (does it use `settings.seed`?) and `slots` (calls at once). An
object that is an async context manager is entered before the first call and left after the last.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, Self

import msgspec

from fiducial.errors import UsageError
from fiducial.model.base import ModelBase
from fiducial.model.reply import (
    CallFailed,
    Reply,
    Status,
    configured_keys,
    redact,
    redact_failure,
    storable_failure,
)
from fiducial.model.request import Request, WireRequest

Generate = Callable[[WireRequest], Awaitable[object]]

_encoder = msgspec.json.Encoder(order="deterministic")


class PythonModel(ModelBase):
    """A subject written in Python, behind the engine's interface."""

    def __init__(self, name: str, subject: object) -> None:
        self.name = name
        self.subject = subject
        self._secrets = configured_keys(os.environ)
        self._generate = _generate_of(subject, name)
        self.remote = _attribute(subject, "remote", bool, True, name)
        self.seeded = _attribute(subject, "seeded", bool, False, name)
        self.slots = _attribute(subject, "slots", int, ModelBase.slots, name)

    def encode(self, request: Request) -> bytes:
        """Canonical JSON of what `generate` is given."""
        return canonical(request)

    async def call(self, request: Request) -> Reply:
        """Run `generate` once. What it raises is a failed call, not the end of the run."""
        sent = self.encode(request)
        try:
            pending = self._generate(request.wire())
            if not inspect.isawaitable(pending):
                raise CallFailed("malformed", f"{self.name}: generate is not async", sent=sent)
            result = await pending
        except CallFailed as error:
            error.sent = error.sent or sent
            redact_failure(storable_failure(error), self._secrets)
            raise
        except (Exception, SystemExit) as error:  # an agent that calls sys.exit() must not end the run
            failure = CallFailed("crashed", f"{type(error).__name__}: {error}", sent=sent)
            redact_failure(failure, self._secrets)
            raise failure from error
        return checked(result, sent, self.name, self._secrets)

    def facts(self) -> dict[str, str]:
        """Where the code came from, and its version where the module states one."""
        kind = type(self.subject)
        module = sys.modules.get(str(getattr(self.subject, "__module__", kind.__module__)))
        version = getattr(module, "__version__", None)
        return {"subject": self.name, **({"version": str(version)} if version else {})}

    async def __aenter__(self) -> Self:
        if isinstance(self.subject, AbstractAsyncContextManager):
            await self.subject.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(self.subject, AbstractAsyncContextManager):
            await self.subject.__aexit__(kind, error, trace)


def canonical(request: Request) -> bytes:
    """The request as a provider may see it, as JSON that is the same for the same request."""
    try:
        return _encoder.encode(request.wire())
    except UnicodeEncodeError:
        raise CallFailed(
            "bad_request", "a message has half a surrogate pair in it, which no JSON can carry"
        ) from None


def checked(result: object, sent: bytes, name: str, secrets: Sequence[str] = ()) -> Reply:
    """Make a Reply of what foreign code returned, without the secrets in it, or raise CallFailed("malformed").

    Types are checked here because nothing before did.
    """
    if isinstance(result, str):
        result = Reply(text=result)
    if not isinstance(result, Reply):
        raise CallFailed("malformed", f"{name}: expected str or Reply, got {type(result).__name__}", sent=sent)
    try:
        # Struct constructors do not validate; a round trip through plain values does.
        reply = msgspec.convert(msgspec.to_builtins(result, builtin_types=(bytes,)), Reply)
    except (msgspec.ValidationError, TypeError) as error:
        raise CallFailed("malformed", f"{name}: not a valid Reply: {error}", sent=sent) from error
    status: Status = "empty" if reply.status == "ok" and not reply.text.strip() else reply.status
    return redact(msgspec.structs.replace(reply, status=status, sent=reply.sent or sent), secrets)


def open_python(target: str) -> PythonModel:
    """The subject named by MODULE:NAME. Raises UsageError where it cannot be had."""
    module_name, colon, path = target.partition(":")
    if not (module_name and colon and path):
        raise UsageError(f"py/{target}: write py/MODULE:NAME, as in py/my_agent:Agent")
    module = _import(module_name, target)
    found: Any = module
    for part in path.split("."):
        if not hasattr(found, part):
            raise UsageError(f"py/{target}: {_absent(module, module_name, part)}")
        found = getattr(found, part)
    return PythonModel(f"py/{target}", make(found, f"py/{target}"))


def make(found: object, name: str) -> object:
    """Turn a class, a factory, an object or an async function into the object to be asked."""
    if not inspect.isclass(found) and (callable(getattr(found, "generate", None)) or _is_async(found)):
        return found
    if not callable(found):
        raise UsageError(f"{name} is a {type(found).__name__} without an async method `generate`")
    try:
        return found()
    except (Exception, SystemExit) as error:
        raise UsageError(f"{name}() raised {type(error).__name__}: {error}") from error


def _import(module_name: str, target: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:  # as `python -m` does; an installed `fiducial` command does not
        sys.path.insert(0, here)
    try:
        return importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is not None and (module_name == error.name or module_name.startswith(error.name + ".")):
            raise UsageError(f"py/{target}: there is no module {error.name} (looked in {here} too)") from error
        raise UsageError(f"py/{target}: {module_name} needs a module that is missing: {error.name}") from error
    except (Exception, SystemExit) as error:
        raise UsageError(f"py/{target}: importing {module_name} raised {type(error).__name__}: {error}") from error


def _absent(module: ModuleType, module_name: str, part: str) -> str:
    own = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and getattr(value, "__module__", module_name) == module_name
        and not isinstance(value, ModuleType)
    ]
    near = difflib.get_close_matches(part, own, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f'module {module_name} has no "{part}"{hint} (it has: {", ".join(sorted(own)) or "nothing public"})'


def _is_async(found: object) -> bool:
    return inspect.iscoroutinefunction(found) or (
        not inspect.isclass(found) and inspect.iscoroutinefunction(getattr(found, "__call__", None))  # noqa: B004
    )


def _generate_of(subject: object, name: str) -> Generate:
    method = getattr(subject, "generate", None)
    if callable(method):
        return method  # type: ignore[no-any-return]
    if callable(subject) and _is_async(subject):
        return subject
    raise UsageError(f"{name}: a {type(subject).__name__} without an async method `generate(request)`")


def _attribute(subject: object, key: str, kind: type[Any], default: Any, name: str) -> Any:
    value = getattr(subject, key, default)
    if not isinstance(value, kind) or (kind is int and (isinstance(value, bool) or value < 1)):
        wanted = "True or False" if kind is bool else "a whole number, 1 or more"
        raise UsageError(f'{name}: "{key}" is {value!r}; it is {wanted}')
    return value

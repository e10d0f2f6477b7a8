"""The wire formats: what each of the three puts on the wire, and what it makes of what comes back.

A format is a table and a few pure functions, gathered in a `Wire`. None of them touches the network,
and none of them ever sees a `Truth`: they are given a `WireRequest`. This module holds what the
formats share, and the reading of error bodies, which servers mix freely (an OpenAI-compatible proxy
may pass on a Google error inside a list).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar

from msgspec import Struct, ValidationError, convert

from fiducial.model.reply import FIELD_LENGTH, CallFailed, Reply, Status
from fiducial.model.request import Settings, WireRequest

Shape = TypeVar("Shape")

WORDS = 5_000  # characters of an error message that are looked at: patterns are searched for in them


class Terms(Struct, frozen=True, kw_only=True):
    """On what terms a model takes requests: settings left out, and fields sent under another name."""

    omit: frozenset[str] = frozenset()
    rename: dict[str, str] = {}  # setting -> the name its field goes by


class Wire(Struct, frozen=True, kw_only=True):
    """One wire format."""

    name: str
    fields: dict[str, tuple[str, ...]]
    """Setting -> the names an API may call it by in an error, the body's own field first. A setting
    that is not here has no field in this format at all."""
    encode: Callable[[WireRequest, str, Terms], dict[str, Any]]
    decode: Callable[[Any, Mapping[str, str]], Reply]
    """Parsed JSON and the response headers -> reply. Raises CallFailed("malformed"), nothing else."""
    path: Callable[[str], str]
    """Model -> the path below the base URL."""
    headers: Callable[[str], dict[str, str]]
    """Key ("" for none) -> headers."""
    twins: dict[str, tuple[str, str]] = {}
    """Settings that go by either of two field names, depending on the model behind the API."""
    required: frozenset[str] = frozenset()
    """Settings that the API will not do without, so that leaving them out is no way to agree."""

    def unsent(self, settings: Settings, terms: Terms) -> tuple[str, ...]:
        """The settings that were asked for and that a body on these terms does not have."""
        return tuple(n for n in settings.names() if n not in self.fields or n in terms.omit)


def shaped(data: Any, shape: type[Shape]) -> Shape:
    """Parsed JSON as `shape`; unknown fields are ignored, anything else unexpected is a CallFailed."""
    try:
        return convert(data, shape)
    except (ValidationError, UnicodeEncodeError, RecursionError) as error:
        raise CallFailed("malformed", f"the reply is not shaped as the API promises: {error}") from None


def optional(data: Any, shape: type[Shape]) -> Shape | None:
    """The same for a part that a reply can do without: None where it is missing or misshapen."""
    try:
        return convert(data, shape)
    except (ValidationError, UnicodeEncodeError, RecursionError):
        return None


def written(value: Any) -> str | None:
    """An id, a name or a reason that a provider reports; None where it is not a text."""
    return value if isinstance(value, str) else None


def part(value: Any) -> dict[str, Any]:
    """What a provider reports as an object; empty where it is none."""
    return value if isinstance(value, dict) else {}


def status_of(text: str, *, refused: bool = False, filtered: bool = False, truncated: bool = False) -> Status:
    """One status for a reply. What the provider said of it comes before what the text looks like."""
    if refused:
        return "refused"
    if filtered:
        return "filtered"
    if truncated:
        return "truncated"
    return "ok" if text.strip() else "empty"


def request_id(headers: Mapping[str, str]) -> str | None:
    """The id that a provider's support asks for."""
    return headers.get("x-request-id") or headers.get("request-id")


class ErrorBody(Struct, frozen=True, kw_only=True):
    """What a server said when it turned a request down, whatever dialect it said it in."""

    message: str = ""
    codes: frozenset[str] = frozenset()  # codes, types and reasons, in lower case
    params: tuple[str, ...] = ()  # the fields it complains of, where it names them in so many words
    status: int | None = None  # an HTTP status that is written in the body
    retry_delay: float | None = None  # seconds


def read_error(data: Any) -> ErrorBody:
    """Read an error body. Takes any JSON value and never raises."""
    if isinstance(data, list) and data:  # Google's OpenAI-compatible endpoint wraps errors in a list
        data = data[0]
    if not isinstance(data, dict):
        return ErrorBody(message=data[:WORDS] if isinstance(data, str) else "")
    inner = data.get("error")
    error: dict[Any, Any] = inner if isinstance(inner, dict) else data
    messages: list[Any] = [inner, error.get("message"), error.get("detail")]
    codes = [body.get(key) for body in (data, error) for key in ("code", "type", "status")]
    params: list[Any] = [error.get("param")]
    delay = None
    metadata = error.get("metadata")
    if isinstance(metadata, dict):  # OpenRouter: the words of the provider behind it
        messages.append(metadata.get("raw"))
    for detail in _dicts(error.get("details")):  # Google
        codes.append(detail.get("reason"))
        delay = _seconds(detail.get("retryDelay")) or delay
        for violation in _dicts(detail.get("fieldViolations")):
            params.append(violation.get("field"))
    nested = error.get("message")
    for source in (error.get("detail"), nested.get("detail") if isinstance(nested, dict) else None):
        for detail in _dicts(source):  # FastAPI, as in vLLM and Mistral
            place = detail.get("loc")
            if isinstance(place, list):
                params.append(
                    ".".join(str(p)[:FIELD_LENGTH] for p in place[:20] if isinstance(p, (str, int)) and p != "body")
                )
            messages.append(detail.get("msg"))
    status = error.get("code")
    return ErrorBody(
        message=": ".join(dict.fromkeys(m[:WORDS] for m in messages if isinstance(m, str) and m)),
        codes=frozenset(c[:FIELD_LENGTH].lower() for c in codes if isinstance(c, str)),
        params=tuple(p[:FIELD_LENGTH] for p in params if isinstance(p, str) and p not in ("", "None")),
        status=status if isinstance(status, int) and 400 <= status < 600 else None,
        retry_delay=delay,
    )


def _dicts(value: Any) -> Iterator[dict[Any, Any]]:
    if isinstance(value, list):
        yield from (item for item in islice(value, 20) if isinstance(item, dict))


def _seconds(value: Any) -> float | None:
    """A protobuf duration, "34.07s"."""
    if not isinstance(value, str) or not value.endswith("s"):
        return None
    try:
        seconds = float(value[:-1])
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None

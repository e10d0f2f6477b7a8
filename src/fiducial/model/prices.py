"""What a call costs, from a table that people can edit.

The table is `prices.yaml` beside this file; a file of the user's own is asked first. No entry means that
the price is unknown (`None`), which is not the same as free.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path

import msgspec
from msgspec import Struct

from fiducial.errors import UsageError
from fiducial.model.reply import Reported
from fiducial.model.yaml import load_yaml

FREE_PROVIDERS = frozenset({"local", "sim", "replay"})

PACKAGED = Path(__file__).with_name("prices.yaml")


class Price(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """USD per million tokens, with the day it was known to hold and the page it stands on."""

    model: str
    input: float
    output: float
    as_of: date
    source: str
    cached_input: float | None = None

    def cost(self, reported: Reported) -> float:
        """USD for one reply, from the token counts in it.

        A count that the provider did not report adds nothing, so the result is a lower bound for
        replies without usage. Cached tokens are part of the input tokens (see `Reported`).
        """
        cached = min(reported.cached_tokens or 0, reported.input_tokens or 0)
        fresh = (reported.input_tokens or 0) - cached
        per_cached = self.input if self.cached_input is None else self.cached_input
        return (fresh * self.input + cached * per_cached + (reported.output_tokens or 0) * self.output) / 1e6


class PriceFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The shape of `prices.yaml`."""

    prices: list[Price]


def price_of(model_name: str, *, env: Mapping[str, str] | None = None) -> Price | None:
    """The price of `provider/model`, or None where no table has it.

    The user's file wins wherever it matches at all; inside one file an exact name, then the longest
    pattern. `inspect/X` costs what `X` costs, and `grok/M` is another spelling of `xai/M`.
    """
    user = user_file(os.environ if env is None else env)
    tables = ([load_prices(user)] if user is not None else []) + [load_prices(PACKAGED)]
    for table in tables:
        for spelling in _spellings(model_name):
            found = _match(table, spelling)
            if found is not None:
                return found
    if model_name.partition("/")[0] in FREE_PROVIDERS:
        return Price(model=model_name, input=0.0, output=0.0, as_of=date.today(), source="runs on this machine")
    return None


def money_words(model_name: str, given: int, written: int) -> str | None:
    """What so many tokens in and out cost at most, for a person; None where it costs nothing."""
    price = price_of(model_name)
    if price is not None and price.output == 0:
        return None
    line = f"about {given / 1000:,.0f}k tokens in and {written / 1000:,.0f}k out"
    if price is None:
        return f"{line}, no price known for {model_name}"
    cost = price.cost(Reported(input_tokens=given, output_tokens=written))
    return f"{line}, at most about {cost:.2f} USD at the prices of {price.as_of}"


def user_file(env: Mapping[str, str]) -> Path | None:
    """The user's own table: `$FIDUCIAL_PRICES`, else `prices.yaml` in the configuration folder, if there."""
    named = env.get("FIDUCIAL_PRICES")
    if named:
        path = Path(named).expanduser()
        if not path.is_file():
            raise UsageError(f"FIDUCIAL_PRICES names {path}, and there is no such file")
        return path
    import platformdirs  # noqa: PLC0415  (only needed here; keeps start-up short)

    path = platformdirs.user_config_path("fiducial") / "prices.yaml"
    return path if path.is_file() else None


def load_prices(path: Path) -> tuple[Price, ...]:
    """The entries of a price file, checked. Read again only when the file has changed."""
    try:
        state = path.stat()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error
    return _load(path, state.st_mtime_ns, state.st_size)


@functools.lru_cache(maxsize=8)
def _load(path: Path, changed: int, size: int) -> tuple[Price, ...]:
    raw = load_yaml(path)
    try:
        prices = msgspec.convert(raw, PriceFile, strict=True).prices
    except msgspec.ValidationError as error:
        raise UsageError(f"{path}: {_explain(error, raw)}") from error
    seen: set[str] = set()
    for number, price in enumerate(prices, 1):
        _check(price, f"{path}, entry {number} ({price.model})")
        if price.model in seen:
            raise UsageError(f"{path}, entry {number}: {price.model} is listed twice")
        seen.add(price.model)
    return tuple(prices)


def _check(price: Price, where: str) -> None:
    if "/" not in price.model or "*" in price.model[:-1]:
        raise UsageError(f'{where}: "model" is provider/model, or a beginning of one that ends in *')
    for field in ("input", "cached_input", "output"):
        value = getattr(price, field)
        # NaN fails both comparisons, so it is caught too.
        if value is not None and not 0 <= value < 100_000:
            raise UsageError(f'{where}: "{field}" is {value}; it is USD per million tokens, 0 or more')


def _explain(error: msgspec.ValidationError, raw: object) -> str:
    """Turn msgspec's `$.prices[3].input` into the entry's number and name."""
    message, _, path = str(error).partition(" - at `$")
    path = path.rstrip("`")
    if not path.startswith(".prices["):
        return f"{message}; expected `prices:` with a list of entries"
    index, _, field = path.removeprefix(".prices[").partition("]")
    entries = raw.get("prices") if isinstance(raw, dict) else None
    name = ""
    if isinstance(entries, list) and index.isdigit() and isinstance(entries[int(index)], dict):
        name = f" ({entries[int(index)].get('model', 'no model')})"
    number = int(index) + 1 if index.isdigit() else index
    return f"entry {number}{name}{', field ' + field[1:] if field else ''}: {message}"


def _spellings(name: str) -> Iterable[str]:
    yield name
    provider, _, model = name.partition("/")
    if provider == "inspect":
        yield from _spellings(model)
    elif provider == "grok":
        yield f"xai/{model}"


def _match(table: tuple[Price, ...], name: str) -> Price | None:
    best: Price | None = None
    for price in table:
        if price.model == name:
            return price
        if price.model.endswith("*") and name.startswith(price.model[:-1]):
            best = price if best is None or len(price.model) > len(best.model) else best
    return best

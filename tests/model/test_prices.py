from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import pytest

from fiducial.errors import UsageError
from fiducial.model.prices import PACKAGED, Price, load_prices, price_of, user_file
from fiducial.model.reply import Reported

ENTRY = {"input": "1", "output": "2", "as_of": "2026-01-02", "source": "https://example.org/prices"}


def entry(model: str, **changed: str) -> str:
    fields = {"model": model, **ENTRY, **changed}
    return "  - {" + ", ".join(f"{k}: {v!s}" for k, v in fields.items() if v) + "}\n"


def write(path: Path, *entries: str) -> Path:
    path.write_text("prices:\n" + "".join(entries), encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def no_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No price file of the person who runs the tests."""
    monkeypatch.delenv("FIDUCIAL_PRICES", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def test_the_packaged_table_is_valid_and_every_entry_has_a_day_and_a_page() -> None:
    prices = load_prices(PACKAGED)
    assert len(prices) > 20
    for price in prices:
        assert price.source.startswith("https://")
        assert date(2024, 1, 1) < price.as_of < date(2100, 1, 1)
        assert 0 < price.input < price.output
        assert price.cached_input is None or price.cached_input < price.input


def test_a_call_costs_its_tokens_with_cached_ones_cheaper() -> None:
    price = price_of("openai/gpt-4o")
    assert price is not None
    usage = Reported(input_tokens=1_000_000, cached_tokens=400_000, output_tokens=100_000)
    assert price.cost(usage) == pytest.approx(0.6 * 2.5 + 0.4 * 1.25 + 0.1 * 10)


def test_cached_tokens_cost_as_much_as_others_where_no_price_is_known() -> None:
    price = Price(model="x/y", input=2, output=4, as_of=date(2026, 1, 1), source="s")
    assert price.cost(Reported(input_tokens=1_000_000, cached_tokens=500_000)) == pytest.approx(2)


def test_counts_that_were_not_reported_add_nothing() -> None:
    price = Price(model="x/y", input=2, output=4, as_of=date(2026, 1, 1), source="s")
    assert price.cost(Reported()) == 0
    assert price.cost(Reported(output_tokens=500_000)) == pytest.approx(2)
    assert price.cost(Reported(input_tokens=10, cached_tokens=10_000)) == pytest.approx(20e-6)  # no negative rest


@pytest.mark.parametrize("name", ["local/smollm2", "sim/coin", "replay/runs/a.db"])
def test_what_runs_here_is_free(name: str) -> None:
    price = price_of(name)
    assert price is not None
    assert price.cost(Reported(input_tokens=10**6, output_tokens=10**6)) == 0


@pytest.mark.parametrize(
    "name", ["openai/gpt-99", "openai/gpt-4o-audio-preview", "py/a:b", "openai-api/vllm/x", "x"]
)
def test_an_unknown_price_is_none_and_not_zero(name: str) -> None:
    assert price_of(name) is None


def test_aliases_and_the_bridge_cost_what_the_model_costs() -> None:
    assert price_of("grok/grok-3") == price_of("xai/grok-3") == price_of("inspect/grok/grok-3") is not None
    assert price_of("inspect/openai/gpt-4o") == price_of("openai/gpt-4o")


def test_the_longest_pattern_counts_and_an_exact_name_before_any(tmp_path: Path) -> None:
    path = write(
        tmp_path / "p.yaml",
        entry("x/*", input="1"),
        entry("x/big*", input="3"),
        entry("x/b*", input="2"),
        entry("x/big-exact", input="9"),
    )
    env = {"FIDUCIAL_PRICES": str(path)}
    found = {name: price_of(name, env=env) for name in ("x/a", "x/b", "x/big-1", "x/big-exact", "x/big-exact-2")}
    assert [p.input for p in found.values() if p] == [1, 2, 3, 9, 3]


def test_the_users_file_comes_before_the_packaged_one(tmp_path: Path) -> None:
    env = {"FIDUCIAL_PRICES": str(write(tmp_path / "p.yaml", entry("openai/*", input="0.5")))}
    price, other = price_of("openai/gpt-4o", env=env), price_of("anthropic/claude-3-5-haiku-latest", env=env)
    assert price is not None and price.input == 0.5
    assert other is not None and other.input == 0.8


@pytest.mark.skipif(os.name == "nt" or os.uname().sysname == "Darwin", reason="the folder is elsewhere there")
def test_the_configuration_folder_is_looked_into(tmp_path: Path) -> None:
    assert user_file({}) is None
    folder = tmp_path / "config" / "fiducial"
    folder.mkdir(parents=True)
    write(folder / "prices.yaml", entry("openai/gpt-4o", input="7"))
    price = price_of("openai/gpt-4o", env={})
    assert price is not None and price.input == 7


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path / "p.yaml", entry("x/y", input="1"))
    assert load_prices(path)[0].input == 1
    write(path, entry("x/y", input="25"))
    assert load_prices(path)[0].input == 25


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("prices: 3", "expected `prices:` with a list"),
        ("[]", "expected `prices:` with a list"),
        ("", "expected `prices:` with a list"),
        ("prices:\n" + entry("x/y", input=""), r"entry 1 \(x/y\).*`input`"),
        (
            "prices:\n" + entry("x/a") + entry("x/y", input="cheap"),
            r"entry 2 \(x/y\), field input: Expected `float`",
        ),
        ("prices:\n" + entry("x/y", inptu="1"), r"entry 1 \(x/y\).*`inptu`"),
        ("prices:\n" + entry("x/y", output="-1"), r'entry 1 \(x/y\): "output" is -1'),
        ("prices:\n" + entry("x/y", output=".nan"), r'entry 1 \(x/y\): "output" is nan'),
        ("prices:\n" + entry("x/y", as_of="soon"), r"entry 1 \(x/y\), field as_of"),
        ("prices:\n" + entry("gpt-4o"), '"model" is provider/model'),
        ("prices:\n" + entry("x/*-mini"), '"model" is provider/model'),
        ("prices:\n" + entry("x/y") + entry("x/y"), "entry 2: x/y is listed twice"),
        ("prices:\n  - {model: x/y", "line [23]"),  # where the text ends, as libyaml or PyYAML counts
    ],
)
def test_a_wrong_file_is_named_with_entry_and_field(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=says) as caught:
        price_of("openai/gpt-4o", env={"FIDUCIAL_PRICES": str(path)})
    assert str(path) in str(caught.value)


def test_a_named_file_that_is_not_there_is_an_error_and_not_ignored(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        price_of("sim/coin", env={"FIDUCIAL_PRICES": str(tmp_path / "absent.yaml")})

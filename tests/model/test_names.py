from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from fiducial.errors import UsageError
from fiducial.model.base import Model
from fiducial.model.names import BUILT_IN, Name, family, open_model, parse_name, providers
from fiducial.model.request import Message, Request
from fiducial.model.sim.subject import SimModel, open_sim


def test_a_name_is_split_at_its_first_slash() -> None:
    assert parse_name("openai/gpt-4o") == Name("openai", "gpt-4o")
    assert parse_name(" openai-api/vllm/meta/llama ") == Name("openai-api", "vllm/meta/llama")


@pytest.mark.parametrize(
    ("bare", "full"),
    [
        ("gpt-4o", "openai/gpt-4o"),
        ("o3-mini", "openai/o3-mini"),
        ("claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"),
        ("gemini-2.5-pro", "google/gemini-2.5-pro"),
        ("grok-3", "xai/grok-3"),
        ("smollm2", "local/smollm2"),
        ("weights.gguf", "local/weights.gguf"),
        ("planted:effect=.3", "sim/planted:effect=.3"),
        ("my_agent:Agent", "py/my_agent:Agent"),
    ],
)
def test_a_bare_name_that_can_only_mean_one_model_is_completed_in_the_error(bare: str, full: str) -> None:
    with pytest.raises(UsageError, match=f"did you mean {full}\\?"):
        parse_name(bare)


@pytest.mark.parametrize("bare", ["llama-3", "", "/x", "o", "gpt", "my model/x"])
def test_a_bare_name_that_could_mean_anything_gets_the_forms_and_no_guess(bare: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_name(bare)
    assert "did you mean" not in str(caught.value)
    assert "provider/model" in str(caught.value)


def test_a_provider_without_a_model_is_told_what_is_missing() -> None:
    with pytest.raises(UsageError, match='the model is missing after "openai/"'):
        parse_name("openai/")


def test_an_unknown_provider_is_named_with_the_nearest_and_all_known() -> None:
    with pytest.raises(UsageError) as caught:
        open_model("antropic/claude-x")
    message = str(caught.value)
    assert "did you mean anthropic/claude-x?" in message
    assert all(provider in message for provider in BUILT_IN)


def test_a_missing_key_is_a_usage_error_that_names_the_variable() -> None:
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        open_model("openai/gpt-4o", env={})


def test_remote_models_are_opened_with_the_environment_they_are_given() -> None:
    model = open_model("openai-api/my-vllm/llama", env={"MY_VLLM_BASE_URL": "http://127.0.0.1:9/v1"}, connections=7)
    assert model.name == "openai-api/my-vllm/llama"
    assert model.slots == 7
    assert not model.remote


def test_a_simulated_subject_is_opened_by_its_specification() -> None:
    model = open_model("sim/planted:effect=.3")
    assert isinstance(model, SimModel)
    assert model.spec.effect == 0.3


def test_openers_bring_in_providers_of_the_floors_above() -> None:
    asked: list[str] = []

    def opener(model: str) -> Model:
        asked.append(model)
        return open_sim("coin")

    assert open_model("replay/runs/a.db", openers={"replay": opener}).name == "sim/coin"
    assert asked == ["runs/a.db"]
    with pytest.raises(UsageError, match="replay"):
        open_model("replay/runs/a.db")


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A distribution that declares entry points, as an installed package would."""
    (tmp_path / "gateway_plugin.py").write_text(
        "class Gateway:\n"
        "    def __init__(self, model): self.model = model\n"
        "    async def generate(self, request): return f'{self.model} heard {request.messages[-1].text}'\n"
        "def broken(model): raise RuntimeError('no licence')\n"
    )
    info = tmp_path / "gateway_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gateway-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[fiducial.models]\ngateway = gateway_plugin:Gateway\nbroken = gateway_plugin:broken\n"
        "sim = gateway_plugin:Gateway\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("plugin")
def test_an_entry_point_is_a_provider() -> None:
    model = open_model("gateway/big/model")
    reply = asyncio.run(model.call(Request((Message("user", "hello"),))))
    assert model.name == "gateway/big/model"
    assert reply.text == "big/model heard hello"
    assert "gateway/MODEL" in [info.form for info in providers({})]


@pytest.mark.usefixtures("plugin")
def test_an_entry_point_can_not_take_the_place_of_a_built_in_provider() -> None:
    assert isinstance(open_model("sim/coin"), SimModel)


@pytest.mark.usefixtures("plugin")
def test_an_entry_point_that_fails_is_named_with_its_package() -> None:
    with pytest.raises(UsageError, match=r"gateway_plugin:broken of gateway-plugin .*RuntimeError: no licence"):
        open_model("broken/x")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("openai/gpt-4o", "openai/gpt"),
        ("openai/gpt-4.1-mini", "openai/gpt"),
        ("openai/o3-mini", "openai/o"),
        ("inspect/openai/gpt-4o", "openai/gpt"),
        ("openai-api/openrouter/anthropic/claude-3.5-sonnet", "anthropic/claude"),
        ("openai-api/vllm/Llama-3-8b", "openai-api/vllm/llama"),
        ("grok/grok-3", "xai/grok"),
        ("xai/grok-4", "xai/grok"),
        ("local/qwen2.5-coder-1.5b", "local/qwen"),
        ("local//home/me/SmolLM2.gguf", "local/smollm"),
        ("sim/planted:effect=.3", "sim/planted"),
        ("py/agents:Judge", "py/agents:Judge"),
    ],
)
def test_relatives_share_a_family(name: str, expected: str) -> None:
    assert family(name) == expected


def test_providers_say_what_is_missing_and_stop_saying_so_once_it_is_there() -> None:
    without = {info.form: info for info in providers({})}
    with_keys = {info.form: info for info in providers({"OPENAI_API_KEY": "k", "VLLM_BASE_URL": "http://h/v1"})}
    assert not without["openai/MODEL"].ready
    assert "OPENAI_API_KEY" in without["openai/MODEL"].missing
    assert with_keys["openai/MODEL"].ready
    assert with_keys["openai/MODEL"].missing == ""
    assert not without["openai-api/SERVICE/MODEL"].ready
    assert "vllm" in with_keys["openai-api/SERVICE/MODEL"].note
    assert {"local/smollm2", "inspect/ANY", "py/MODULE:NAME", "replay/RUN"} <= set(without)


def test_opening_a_simulated_subject_loads_neither_http_client_nor_inspect() -> None:
    code = (
        "import sys; from fiducial.model.names import open_model; open_model('sim/coin'); "
        "heavy = ('aiohttp', 'inspect_ai', 'xllamacpp', 'numpy', 'importlib.metadata'); "
        "print([m for m in heavy if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from fiducial.errors import UsageError
from fiducial.model.local import model as model_module
from fiducial.model.local.catalogue import find
from fiducial.model.local.fetch import cache_folder, place
from fiducial.model.local.model import NEUTRAL, LocalModel, local_models, open_local
from fiducial.model.request import Message, Request, Settings

pytest.importorskip("xllamacpp")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("FIDUCIAL_CACHE", str(tmp_path / "cache"))
    yield tmp_path / "cache"


def ask(text: str, **settings: object) -> Request:
    return Request((Message("user", text),), Settings(**settings))  # type: ignore[arg-type]


def test_opening_fetches_and_starts_nothing(cache: Path) -> None:
    model = open_local("smollm2")
    assert (model.name, model.remote, model.seeded, model.slots) == ("local/smollm2", False, True, 4)
    assert not cache.exists()


def test_a_body_can_be_encoded_before_the_server_runs_and_names_all_sampling() -> None:
    body = json.loads(open_local("smollm2").encode(ask("Hello", seed=7, max_tokens=5)))
    assert body == {
        **NEUTRAL,
        "model": "smollm2",
        "messages": [{"role": "user", "content": "Hello"}],
        "seed": 7,
        "max_tokens": 5,
    }


def test_what_is_asked_for_comes_before_the_neutral_value() -> None:
    body = json.loads(open_local("smollm2").encode(ask("Hello", temperature=0.2, top_p=0.5)))
    assert (body["temperature"], body["top_p"], body["top_k"]) == (0.2, 0.5, 0)


def test_no_path_of_the_machine_is_in_a_name_a_body_or_a_fact(tmp_path: Path) -> None:
    path = tmp_path / "secret-folder" / "mine.gguf"
    path.parent.mkdir()
    path.write_bytes(b"GGUF")
    model = open_local(str(path))
    assert model.name == "local/mine.gguf"
    for text in (model.encode(ask("Hello")).decode(), json.dumps(model.facts()), model.name):
        assert "secret-folder" not in text


def test_a_failure_that_will_be_stored_has_no_path_in_it(tmp_path: Path) -> None:
    from fiducial.model.local.fetch import Stored

    model = open_local("smollm2")
    model._stored = Stored(tmp_path / "w.gguf", "0")
    said = model._storable(f"failed to load '{tmp_path}/w.gguf' (log: {cache_folder()}/logs/1.log)")
    assert said == "failed to load 'w.gguf' (log: $FIDUCIAL_CACHE/logs/1.log)"


def test_a_context_is_never_larger_than_the_model_was_trained_for() -> None:
    assert LocalModel(find("smollm2"), timeout=1, context=10**6, slots=None)._context == 8192
    assert open_local("smollm2")._context == 4096


def test_a_missing_runtime_is_told_when_the_model_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fiducial.model.local.server.runtime_installed", lambda: False)
    with pytest.raises(UsageError, match="pip install"):
        open_local("smollm2")


def test_the_list_tells_which_weights_are_here(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {status.name: status.fetched for status in local_models()} == {
        "local/smollm2": False,
        "local/qwen2.5-coder-1.5b": False,
    }
    path = place(find("smollm2"))
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        file.truncate(98362432)
    monkeypatch.setattr(model_module, "runtime_installed", lambda: False)
    smollm2 = local_models()[0]
    assert (smollm2.fetched, smollm2.runtime, smollm2.size) == (True, False, 98362432)

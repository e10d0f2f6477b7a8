"""Several real servers behind one name: one is slow, one dies, one is not what the others are."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from fiducial.errors import UsageError
from fiducial.model.fleet import listed_servers
from fiducial.model.names import providers
from fiducial.model.remote import RemoteModel, open_remote
from fiducial.model.request import Message, Request
from fiducial.run.audit import audit_run
from fiducial.run.limits import Limits
from fiducial.run.store import Store
from tests.model.servers import Answer, Seen, Server, openai_reply
from tests.run.support import FAST, plan_of, run


def fleet(*servers: Server, between: str = ",", timeout: float = 5.0) -> RemoteModel:
    urls = between.join(f"{server.url}/v1" for server in servers)
    return open_remote("openai-api", "vllm/m", {"VLLM_BASE_URL": urls}, connections=8, timeout=timeout)


def answers(path: Path) -> Counter[str | None]:
    with Store(path) as store:
        return Counter(reply.reported.server for reply in store.replies())


def test_every_server_gets_calls_and_each_reply_names_the_one_that_gave_it(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with Server(openai_reply("A")) as one, Server(openai_reply("A")) as two, Server(openai_reply("A")) as three:
        done = run(path, plan_of(60), fleet(one, two, three, between=" , "))
        servers = (one, two, three)
        assert (done.done, done.failed) == (60, 0)
        assert all(server.seen for server in servers)
        assert answers(path) == {f"{server.url}/v1": len(server.seen) for server in servers}
        with Store(path) as store:
            listed = store.meta("facts")["openai-api/vllm/m"]["base_url"]
            assert sorted(listed.split()) == sorted(f"{server.url}/v1" for server in servers)
            (check,) = (c for c in audit_run(store) if c.code == "servers-differ")
    assert check.level == "pass"


def test_a_slow_server_gets_fewer_calls(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with Server(openai_reply("A")) as fast, Server(Answer(body=openai_reply("A"), delay=0.25)) as slow:
        done = run(path, plan_of(80), fleet(fast, slow))
        assert (done.done, done.failed) == (80, 0)
        assert 0 < len(slow.seen) < len(fast.seen) / 2


@pytest.mark.parametrize(
    "broken",
    [
        Answer(status=503, body={"error": {"message": "loading"}}),
        Answer(status=429, body={"error": {"message": "busy"}}, headers={"Retry-After": "30"}),
        Answer(body=openai_reply("half"), cut=20),
        Answer(body=b"<html>bad gateway</html>", headers={"Content-Type": "text/html"}),
    ],
    ids=["503", "429", "reset", "html"],
)
def test_a_server_that_breaks_in_the_middle_costs_no_trial_and_is_left_alone(
    tmp_path: Path, broken: Answer
) -> None:
    """Its `Retry-After` is its own: the others go on."""
    count = iter(range(10**6))

    def script(seen: Seen) -> Any:
        return openai_reply("A") if next(count) < 10 else broken

    path = tmp_path / "run.db"
    with Server(openai_reply("A")) as sound, Server(script=script) as ill:
        done = run(path, plan_of(100), fleet(sound, ill), limits=FAST)
        assert (done.done, done.failed) == (100, 0)
        assert 10 < len(ill.seen) <= 10 + FAST.max_connections
        assert answers(path) == {f"{sound.url}/v1": 90, f"{ill.url}/v1": 10}
        with Store(path) as store:  # a repetition is a call, and is counted as one
            repeated = sum(reply.attempts - 1 for reply in store.replies())
        assert repeated == len(ill.seen) - 10


def test_a_server_that_hangs_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with Server(openai_reply("A")) as sound, Server(Answer(body=openai_reply("late"), delay=3.0)) as hung:
        limits = replace(FAST, timeout=0.25)
        done = run(path, plan_of(200), fleet(sound, hung, timeout=0.25), limits=limits)
        assert (done.done, done.failed) == (200, 0)
        assert answers(path) == {f"{sound.url}/v1": 200}
        assert len(hung.seen) <= FAST.max_connections


class Dying(Server):
    """Takes no connection any more after so many calls."""

    def __init__(self, calls: int) -> None:
        super().__init__(openai_reply("A"))
        self._left = calls
        self.dead = asyncio.Event()

    async def _handle(self, request: Any) -> Any:
        self._left -= 1
        if self._left < 0:
            request.transport.abort()
            if not self.dead.is_set():
                self.dead.set()
                assert self._runner is not None
                for site in list(self._runner.sites):
                    await site.stop()
        return await super()._handle(request)


def test_a_server_that_dies_in_the_middle_costs_no_trial(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with Server(openai_reply("A")) as one, Server(openai_reply("A")) as two, Dying(12) as dying:
        done = run(path, plan_of(120), fleet(one, two, dying))
        assert (done.done, done.failed) == (120, 0)
        assert dying.dead.is_set()
        assert answers(path)[f"{dying.url}/v1"] == 12


def test_where_no_server_is_left_the_trials_fail_in_words_and_the_same_command_continues(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    down = Answer(status=500, body=b"down")
    with Server(down) as one, Server(down) as two:
        limits = Limits(max_connections=4, backoff=0.001, backoff_cap=0.002, attempts=3, give_up_after=5)
        first = run(path, plan_of(30), fleet(one, two), limits=limits)
        assert first.stopped is not None and first.done == 0
        assert one.url in first.stopped or two.url in first.stopped
    with Server(openai_reply("A")) as one, Server(openai_reply("A")) as two:
        assert run(path, plan_of(30), fleet(one, two)).done == 30


@pytest.mark.parametrize(("field", "values"), [("model", ("m-fp16", "m-int4")), ("system_fingerprint", ("a", "b"))])
def test_servers_that_serve_different_models_are_told_apart_by_the_audit(
    tmp_path: Path, field: str, values: tuple[str, str]
) -> None:
    path = tmp_path / "run.db"
    with (
        Server(openai_reply("A", **{field: values[0]})) as one,
        Server(openai_reply("A", **{field: values[1]})) as two,
    ):
        run(path, plan_of(40), fleet(one, two))
        with Store(path) as store:
            checks = {check.code: check for check in audit_run(store)}
    assert checks["servers-differ"].level == "warn"
    assert all(value in checks["servers-differ"].message for value in values)
    assert "model-changed" not in checks  # neither server changed


def test_questions_on_one_document_go_to_one_server_while_none_would_be_faster() -> None:
    request = Request((Message("user", "a long document. and?", prefix=17),))

    async def main() -> list[int]:
        async with Server(openai_reply("A")) as one, Server(openai_reply("A")) as two, fleet(one, two) as model:
            model._fleet._balance._clock = lambda: 0.0  # both answer equally fast
            for _ in range(10):
                await model.call(request)
            return sorted((len(one.seen), len(two.seen)))

    assert asyncio.run(main()) == [0, 10]


def test_addresses_are_separated_by_commas_or_blanks_and_each_is_checked() -> None:
    assert listed_servers("http://a:1/v1/, http://b:2/v1\nhttp://a:1/v1", "X") == ("http://a:1/v1", "http://b:2/v1")
    for wrong in ("http://a:1/v1,b:2", "http://a/v1 http://user:pw@b/v1", "http://a/v1,http://b/v1?x=1"):
        with pytest.raises(UsageError, match="VLLM_BASE_URL"):
            listed_servers(wrong, "VLLM_BASE_URL")
    with pytest.raises(UsageError, match="no address"):
        listed_servers(" , ", "X")


def test_a_fleet_leaves_the_machine_when_one_of_its_servers_is_elsewhere() -> None:
    urls = {"VLLM_BASE_URL": "http://127.0.0.1:1/v1,http://10.0.0.7:8000/v1"}
    assert open_remote("openai-api", "vllm/m", urls).remote
    assert not open_remote(
        "openai-api", "vllm/m", {"VLLM_BASE_URL": "http://127.0.0.1:1 http://localhost:2"}
    ).remote


def test_the_list_of_models_says_how_many_servers_there_are() -> None:
    env = {"VLLM_BASE_URL": "http://a/v1,http://b/v1 http://c/v1", "OPENAI_BASE_URL": "http://d http://e"}
    notes = {info.form: info.note for info in providers(env)}
    assert notes["openai-api/SERVICE/MODEL"] == "set up: vllm (3 servers)"
    assert notes["openai/MODEL"] == "set up (2 servers)"

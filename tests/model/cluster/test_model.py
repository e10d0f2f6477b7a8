"""A cluster for the collector: workers are real, nodes are lost by hand. Ray itself is in test_ray.py."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from fiducial.errors import UsageError
from fiducial.model.cluster.model import STARTS, ClusterModel
from fiducial.model.cluster.worker import Failed, Opened, Opening, Refused, Worker
from fiducial.model.names import open_model
from fiducial.model.reply import CallFailed
from fiducial.model.request import Message, Request, Settings
from fiducial.run.budget import Budget
from fiducial.run.limits import Limits
from fiducial.run.store import Store
from tests.model.calls import HELLO, error
from tests.model.cluster.subjects import Gate
from tests.model.cluster.support import NearCluster, on
from tests.model.servers import Answer, Server, openai_reply
from tests.run.support import FAST, plan_of, run, texts

ECHO = "py/tests.model.cluster.subjects:Echo"
GATE = "py/tests.model.cluster.subjects:Gate"


def servers(path: Path) -> Counter[str | None]:
    with Store(path) as store:
        return Counter(reply.reported.server for reply in store.replies())


@pytest.fixture
def gate() -> Iterator[type[Gate]]:
    Gate.came = Gate.free = 0
    Gate.open, Gate.gave_up = asyncio.Event(), asyncio.Event()
    yield Gate
    Gate.told = staticmethod(lambda: None)


def test_every_node_takes_part_and_every_trial_has_one_reply(tmp_path: Path) -> None:
    path, cluster = tmp_path / "run.db", NearCluster("a", "b", "c")
    model = on(cluster, ECHO)
    done = run(path, plan_of(90), model)
    assert (done.done, done.failed) == (90, 0)
    assert set(texts(path).values()) == {f"echo question {n}/a" for n in range(90)}
    assert set(servers(path)) == {"a", "b", "c"} and sum(servers(path).values()) == 90
    with Store(path) as store:
        assert store.meta("facts")[ECHO] == {**open_model(ECHO).facts(), "nodes": "3", "nodes_lost": "0"}


def test_no_node_has_more_calls_than_it_serves_at_once_and_all_together_count(gate: type[Gate]) -> None:
    async def main() -> tuple[int, int]:
        async with on(NearCluster("a", "b"), GATE) as model:
            slots = model.slots
            calls = [asyncio.create_task(model.call(HELLO)) for _ in range(6)]
            full = asyncio.Event()
            gate.told = staticmethod(lambda: full.set() if gate.came == 6 else None)
            await asyncio.wait_for(full.wait(), 5)
            loads = {model._balance.in_flight(name) for name in ("a", "b")}
            gate.open.set()
            await asyncio.gather(*calls)
        assert loads == {3}
        return slots, gate.came

    assert asyncio.run(main()) == (6, 6)


def test_a_lost_node_costs_no_trial_and_others_make_its_calls_again(tmp_path: Path, gate: type[Gate]) -> None:
    """The nodes are full when one is lost; what it had is asked of the others, at once and as a second attempt."""
    path, cluster = tmp_path / "run.db", NearCluster("a", "b", "c")
    said: list[str] = []

    def told() -> None:
        if gate.came == 1 + 9:
            cluster.lose("b")
            gate.open.set()

    gate.free, gate.told = 1, staticmethod(told)
    limits = Limits(max_connections=9, backoff=30.0)
    done = run(path, plan_of(40), on(cluster, GATE, connections=9, say=said.append), limits=limits)
    assert (done.done, done.failed) == (40, 0)
    with Store(path) as store:
        attempts = Counter(reply.attempts for reply in store.replies())
        assert store.meta("facts")[GATE]["nodes_lost"] == "1"
    assert attempts == {1: 37, 2: 3}
    assert said == [
        "joining the cluster ...",
        f"opening {GATE} on 3 nodes ...",
        "b is lost (killed); 3 calls go to others, 2 nodes left",
    ]


def test_where_no_node_is_left_the_run_stops_in_words_and_the_same_command_continues(
    tmp_path: Path, gate: type[Gate]
) -> None:
    path, cluster = tmp_path / "run.db", NearCluster("a")
    gate.told = staticmethod(lambda: cluster.lose("a"))
    limits = replace(FAST, attempts=2, give_up_after=3)
    first = run(path, plan_of(20), on(cluster, GATE), limits=limits)
    assert first.done == 0 and first.stopped is not None and "no node of the cluster is left" in first.stopped
    gate.told = staticmethod(lambda: None)
    gate.open = asyncio.Event()
    gate.open.set()
    assert run(path, plan_of(20), on(NearCluster("z"), GATE)).done == 20


def test_a_worker_that_is_lost_alone_is_started_again_a_few_times() -> None:
    async def main() -> None:
        cluster, joined, looks = NearCluster("a", "b"), asyncio.Semaphore(0), asyncio.Semaphore(0)

        def say(message: str) -> None:
            if message == "a has joined; 2 nodes":
                joined.release()

        async with asyncio.timeout(10), on(cluster, ECHO, look=0.001, say=say) as model:
            for _ in range(STARTS - 1):
                cluster.lose("a", back=True)
                await joined.acquire()
                assert (await model.call(HELLO)).text == "echo Hello"
            cluster.lose("a", back=True)
            cluster.looked = looks.release
            for _ in range(3):
                await looks.acquire()
            assert len(cluster.links["a"]) == STARTS and len(cluster.links["b"]) == 1
            assert (await model.call(HELLO)).reported.server == "b"

    asyncio.run(main())


def test_a_call_that_nobody_waits_for_any_more_is_ended_on_the_node(gate: type[Gate]) -> None:
    async def main() -> None:
        async with on(NearCluster("a"), GATE) as model:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await model.call(HELLO)
            await asyncio.wait_for(gate.gave_up.wait(), 5)
            assert model._balance.in_flight("a") == 0

    asyncio.run(main())


def test_a_node_with_another_model_is_left_out() -> None:
    def other(opened: Opened) -> Opened:
        return replace(opened, facts={**opened.facts, "weights_sha256": "another"})

    async def main() -> list[str]:
        said: list[str] = []
        async with on(NearCluster("a", "b", "c", c=other), ECHO, say=said.append) as model:
            assert {(await model.call(HELLO)).reported.server for _ in range(12)} == {"a", "b"}
            assert model.facts()["nodes"] == "2"
        return said

    assert asyncio.run(main())[2:] == [
        "c is left out: its model is another one (weights_sha256 is another, on the first node None)"
    ]


def test_a_cluster_on_which_no_node_can_open_the_model_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key is here, and would not be on the nodes."""
    with Server(openai_reply("A")) as server:
        here = open_model("openai/m", env=server.env())
        for variable in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
            monkeypatch.delenv(variable, raising=False)
        model = ClusterModel(
            here, Opening(name="openai/m", connections=8, timeout=5.0), NearCluster("a", "b"), look=60
        )

        async def main() -> None:
            async with model:
                pass

        with pytest.raises(UsageError, match=r"no node of the cluster can run openai/m: a: .*OPENAI_API_KEY.*b: "):
            asyncio.run(main())
        assert not server.seen


def test_another_version_of_fiducial_on_a_node_is_refused() -> None:
    refused = asyncio.run(Worker().open(Opening(name=ECHO, connections=1, timeout=1.0), "0.0.0"))
    assert isinstance(refused, Refused) and "install the same on every node" in refused.why


def test_what_the_nodes_learn_of_an_api_is_learned_by_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def script(seen: Any) -> Any:
        if "temperature" in seen.json:
            return Answer(status=400, body=error("temperature is not supported", param="temperature"))
        return openai_reply("A")

    with Server(script=script) as server:
        monkeypatch.setenv("TEST_BASE_URL", f"{server.url}/v1")
        path = tmp_path / "run.db"
        first = run(path, plan_of(20), on(NearCluster("a", "b"), "openai-api/test/m"), budget=Budget(calls=10))
        assert first.done == 9  # the call that was turned down counts too
        with Store(path) as store:
            assert store.meta("learned")["openai-api/test/m"] == {"temperature": "temperature is not supported"}
            assert {reply.not_sent for reply in store.replies()} == {("temperature",)}
        before = len(server.seen)  # a node that opens later knows it from the start
        assert run(path, plan_of(20), on(NearCluster("c"), "openai-api/test/m")).done == 11
        assert len(server.seen) == before + 11


@pytest.mark.parametrize("status", [503, 429])
def test_trouble_with_a_nodes_own_server_sets_that_node_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    """Workers here share an environment, so the first calls to the one server stand for those to one node's own."""
    count = iter(range(10**6))

    def script(seen: Any) -> Any:
        return Answer(status=status, body=error("busy")) if next(count) == 5 else openai_reply("A")

    with Server(script=script) as server:
        monkeypatch.setenv("TEST_BASE_URL", f"{server.url}/v1")
        path = tmp_path / "run.db"
        limits = Limits(max_connections=8, backoff=30.0)  # a wait that the test would not survive
        assert run(path, plan_of(40), on(NearCluster("a", "b"), "openai-api/test/m"), limits=limits).done == 40
    with Store(path) as store:
        assert Counter(reply.attempts for reply in store.replies()) == {1: 39, 2: 1}


def test_a_failure_keeps_all_that_it_says_on_its_way() -> None:
    failure = CallFailed("rate_limited", "slow down", http_status=429, retry_after=2.5, sent=b"{}")
    failure.elsewhere = True
    again = Failed.of(failure).exception()
    assert vars(again) == vars(failure) and str(again) == "slow down" and again.retryable


def test_code_that_breaks_on_a_node_spoils_one_call_in_words() -> None:
    async def main() -> None:
        async with on(NearCluster("a"), "py/tests.model.cluster.subjects:Sick") as model:
            with pytest.raises(CallFailed, match="ZeroDivisionError: no luck"):
                await model.call(HELLO)

    asyncio.run(main())


def test_a_chat_goes_on_where_it_began_to_be_continued() -> None:
    chat = (Message("user", "1?"), Message("assistant", "2"), Message("user", "3?"))

    async def main() -> set[str | None]:
        async with on(NearCluster("a", "b", "c"), ECHO) as model:
            model._balance._clock = lambda: 0.0  # all answer equally fast
            return {(await model.call(Request(chat, Settings()))).reported.server for _ in range(9)}

    assert len(asyncio.run(main())) == 1

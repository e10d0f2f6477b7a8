"""A real Ray cluster on this machine: three nodes, each with processes of its own.

One cluster for all tests here; they run in the order of the file, and a later one finds the node gone that an earlier
one has killed.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec import Struct
from msgspec.structs import replace

from fiducial.cli.main import fiducial
from fiducial.model.base import Model
from fiducial.model.cluster.ray import RayCluster
from fiducial.model.request import Choice, Message, Request, Truth
from fiducial.run.limits import Limits
from fiducial.run.store import Store
from tests.model.calls import HELLO
from tests.model.cluster.support import on
from tests.model.servers import Seen, Server, openai_reply
from tests.run.support import FAST, plan_of, run, texts

ray = pytest.importorskip("ray", reason="needs the extra `ray`")
pytestmark = pytest.mark.ray

NODE_KEY, DRIVER_KEY = "key-of-the-nodes-6f1d", "key-of-the-driver-93ab"
REMOTE = "openai-api/raytest/m"
SMALL = {"num_cpus": 1, "object_store_memory": 80 * 2**20, "include_dashboard": False, "no_monitor": True}


class Holding(Server):
    """Holds every call back from the moment it is told to until it is told to let go."""

    def __init__(self) -> None:
        super().__init__(script=self._answer)
        self.times: list[float] = []
        self.reset()

    def reset(self, after: int | None = None) -> None:
        """Hold what comes after so many calls; `held` is set when the first one is held."""
        self.seen.clear()
        self.times.clear()
        self.after = after
        self.held, self._go = threading.Event(), asyncio.Event()

    def let_go(self) -> None:
        assert self._loop is not None
        self.after = None
        self._loop.call_soon_threadsafe(self._go.set)

    def _answer(self, seen: Seen) -> Any:
        self.times.append(time.monotonic())
        return openai_reply(f"re: {seen.json['messages'][-1]['content']}\nAnswer: A")

    async def _handle(self, request: Any) -> Any:
        if self.after is not None and len(self.seen) >= self.after:
            self.held.set()
            await self._go.wait()
        return await super()._handle(request)


class Made(Struct):
    """The cluster and what it was started with."""

    cluster: Any
    server: Holding
    nodes: list[Any]

    @property
    def address(self) -> str:
        return str(self.cluster.address)


@pytest.fixture(scope="module")
def made() -> Iterator[Made]:
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch, Holding() as server:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAYTEST_BASE_URL", f"{server.url}/v1")
        patch.setenv("RAYTEST_API_KEY", NODE_KEY)
        cluster = Cluster(initialize_head=True, head_node_args=SMALL)
        nodes = [cluster.add_node(wait=False, **SMALL) for _ in range(2)]
        cluster.wait_for_nodes()
        patch.setenv("RAYTEST_API_KEY", DRIVER_KEY)
        ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
        try:
            yield Made(cluster, server, nodes)
        finally:
            ray.shutdown()
            cluster.shutdown()


def test_every_node_works_with_the_key_of_its_own_environment_at_a_rate_that_holds_for_all(
    made: Made, tmp_path: Path
) -> None:
    """Fifty calls a second, on three nodes: eighty cannot be through in less than 1.56 s, less the tenth ahead."""
    made.server.reset()
    limits = Limits(max_connections=30, rpm=3000)
    done = run(tmp_path / "run.db", plan_of(80), on(RayCluster(None), REMOTE, 30), limits=limits)
    assert (done.done, done.failed) == (80, 0)
    assert texts(tmp_path / "run.db") == {f"{n}.0.0": f"re: question {n}/a\nAnswer: A" for n in range(80)}
    with Store(tmp_path / "run.db") as store:
        servers = Counter(reply.reported.server for reply in store.replies())
        assert {store.body(r.body) for r in store.replies() if r.body} == {seen.body for seen in made.server.seen}
    assert len(servers) == 3 and all(name and name.startswith("node ") for name in servers)
    assert {seen.headers["authorization"] for seen in made.server.seen} == {f"Bearer {NODE_KEY}"}
    assert max(made.server.times) - min(made.server.times) >= 78 / 50 - 0.1


def test_a_worker_whose_process_is_killed_is_started_again_and_answers_the_same(made: Made) -> None:
    """Simulated subjects answer on the cluster as they do here: their truth travels, and stays out of logs as keys do."""
    choices = (Choice("A", "one", "biased"), Choice("B", "two", "other"))
    truth = Truth(bias="truth-marker-41c7", item="i", kind="option", sign=1, choices=choices, biased="biased")
    asked = [Request((Message("user", "A or B?"),), truth=replace(truth, repetition=n)) for n in range(40)]

    async def answers(model: Model) -> list[str]:
        return [reply.text for reply in await asyncio.gather(*map(model.call, asked))]

    async def main() -> None:
        joined = asyncio.Event()

        def say(message: str) -> None:
            if "has joined" in message:
                joined.set()

        model = on(RayCluster(None), "sim/planted:effect=.5", look=0.1, say=say)
        here = await answers(model._model)
        async with asyncio.timeout(60), model:
            assert await answers(model) == here
            link: Any = next(iter(model._nodes.values())).link
            os.kill(await link._actor.__ray_call__.remote(lambda _: os.getpid()), signal.SIGKILL)
            await joined.wait()
            assert await answers(model) == here
            assert (model.facts()["nodes"], model.facts()["nodes_lost"], len(model._nodes)) == ("3", "1", 3)

    asyncio.run(main())
    logs = Path(ray._private.worker._global_node.get_session_dir_path())
    found = [
        (path.name, secret)
        for path in logs.rglob("*")
        if path.is_file()
        for secret in (NODE_KEY, DRIVER_KEY, "truth-marker-41c7")
        if secret.encode() in path.read_bytes()
    ]
    assert not found and any(logs.rglob("*.log"))


def test_ctrl_c_ends_the_run_in_good_order_and_the_same_command_continues_it(made: Made, tmp_path: Path) -> None:
    made.server.reset(after=10)
    command = ["bias", "run", "--model", REMOTE, "--bias", "anchoring_effect", "--trials", "2", "--json"]
    command += ["--workers", f"ray:{made.address}", "--out", str(tmp_path / "run.db"), "--max-connections", "6"]
    child = subprocess.Popen(
        [sys.executable, "-m", "fiducial.cli.main", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert made.server.held.wait(60)
    os.killpg(child.pid, signal.SIGINT)  # as a terminal does
    assert child.stderr is not None
    assert any("waiting for" in line for line in child.stderr)  # it has heard, and takes nothing new
    made.server.let_go()
    child.communicate(timeout=60)
    assert child.returncode == 3
    with Store(tmp_path / "run.db") as store:
        stopped = store.progressed()
    assert 10 <= stopped.answered <= 10 + 6 < stopped.trials
    assert len(made.server.seen) == stopped.answered
    again = CliRunner().invoke(fiducial, command)
    assert again.exit_code == 0, again.output
    with Store(tmp_path / "run.db") as store:
        assert Counter(reply.trial.id for reply in store.replies()).most_common(1)[0][1] == 1
        assert store.progressed().answered == stopped.trials == len(made.server.seen)


def test_a_node_that_is_killed_in_the_middle_costs_no_trial(made: Made, tmp_path: Path) -> None:
    """All nodes have calls in flight when one of them, with everything that runs on it, is killed."""
    made.server.reset(after=20)
    path, said = tmp_path / "run.db", []

    def kill() -> None:
        assert made.server.held.wait(60)
        made.cluster.remove_node(made.nodes.pop(), allow_graceful=False)

    def say(message: str) -> None:
        said.append(message)
        if "is lost" in message:
            made.server.let_go()

    killer = threading.Thread(target=kill)
    killer.start()
    done = run(
        path, plan_of(100), on(RayCluster(None), REMOTE, 12, say=say), limits=replace(FAST, max_connections=12)
    )
    killer.join()
    assert (done.done, done.failed, done.stopped) == (100, 0, None)
    with Store(path) as store:
        replies = list(store.replies(failed=True))
        facts = store.meta("facts")[REMOTE]
    assert Counter(reply.trial.id for reply in replies) == dict.fromkeys({r.trial.id for r in replies}, 1)
    assert len(replies) == 100 and (facts["nodes"], facts["nodes_lost"]) == ("3", "1")
    lost = [reply for reply in replies if reply.attempts == 2]
    assert 1 <= len(lost) <= 12 and {reply.attempts for reply in replies} == {1, 2}
    assert len(said) == 3 and f"{len(lost)} calls go to others, 2 nodes left" in said[-1]


@pytest.mark.local
def test_a_local_model_runs_on_every_node(made: Made, tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")

    async def main() -> tuple[dict[str, str], set[str | None], int]:
        async with on(RayCluster(None), "local/smollm2") as model:
            calls = (model.call(replace(HELLO, settings=replace(HELLO.settings, max_tokens=4))) for _ in range(8))
            replies = await asyncio.gather(*calls)
            return model.facts(), {reply.reported.server for reply in replies}, model.slots

    facts, servers, slots = asyncio.run(main())
    nodes = int(facts["nodes"])
    assert len(servers) == nodes >= 2 and slots == nodes * 4
    assert len(facts["weights_sha256"]) == 64

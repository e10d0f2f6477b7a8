"""One client of the throughput benchmark, alone in its process and on one core. Prints its wall and CPU seconds."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

PROMPT = "A ferry runs between two islands. " * 20 + "Which do you choose?\n\nA) one\nB) two"


def body(n: int) -> dict[str, object]:
    """A request like those of the battery; every one is different, as in a real plan."""
    return {
        "model": "stand-in",
        "messages": [{"role": "user", "content": f"{n}: {PROMPT}"}],
        "temperature": 1.0,
        "max_tokens": 200,
    }


async def fan_out(calls: int, connections: int, one: object) -> None:
    """`connections` workers that take the next number until all are done."""
    numbers = iter(range(calls))

    async def worker() -> None:
        for n in numbers:
            await one(n)  # type: ignore[operator]

    await asyncio.gather(*(worker() for _ in range(connections)))


async def plain_aiohttp(url: str, calls: int, connections: int) -> None:
    """The floor: one pooled session, JSON in and out, nothing stored."""
    import aiohttp

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=connections)) as session:

        async def one(n: int) -> None:
            async with session.post(f"{url}/chat/completions", json=body(n)) as response:
                assert (await response.json())["choices"][0]["message"]["content"]

        await fan_out(calls, connections, one)


async def openai_sdk(url: str, calls: int, connections: int) -> None:
    """The official SDK, nothing stored."""
    import openai

    async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:

        async def one(n: int) -> None:
            reply = await client.chat.completions.create(**body(n))  # type: ignore[call-overload]
            assert reply.choices[0].message.content

        await fan_out(calls, connections, one)


async def fiducial(url: str, calls: int, connections: int) -> None:
    """Plan, collect and durable store, as in a real run."""
    from fiducial.model.remote import open_remote
    from fiducial.model.request import Message, Request, Settings
    from fiducial.run.budget import Budget
    from fiducial.run.engine import collect
    from fiducial.run.limits import Limits
    from fiducial.run.plan import Trial, make_plan, make_trial
    from fiducial.run.progress import Silent
    from fiducial.run.store import Store, prepare

    class Numbers:
        """One trial a number."""

        def request(self, trial: Trial, history: object = ()) -> Request:
            settings = Settings(temperature=1.0, max_tokens=200)
            return Request((Message("user", f"{trial.item}: {PROMPT}"),), settings)

    model = open_remote("openai-api", "bench/stand-in", {"BENCH_BASE_URL": url}, connections=connections)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.db"
        plan = make_plan([make_trial(str(n), "", "only") for n in range(calls)], Numbers(), seed=1)
        prepare(path, plan, {"settings": {}})
        await collect(
            path,
            Numbers(),
            model,
            limits=Limits(max_connections=connections),
            budget=Budget(),
            progress=Silent(),
            seed=1,
        )
        with Store(path) as store:
            assert store.progressed().answered == calls


async def inspect_ai(url: str, calls: int, connections: int) -> None:
    """An Inspect AI task of as many samples, scored by `includes`, logged as it does by default."""
    os.environ.update(BENCH_BASE_URL=url, BENCH_API_KEY="none", INSPECT_DISPLAY="none")
    from inspect_ai import Task, eval_async
    from inspect_ai.dataset import Sample
    from inspect_ai.model import GenerateConfig, get_model
    from inspect_ai.scorer import includes
    from inspect_ai.solver import generate

    samples = [Sample(input=f"{n}: {PROMPT}", target="A") for n in range(calls)]
    config = GenerateConfig(temperature=1.0, max_tokens=200, max_connections=connections)
    with tempfile.TemporaryDirectory() as folder:
        logs = await eval_async(
            Task(dataset=samples, solver=generate(), scorer=includes()),
            model=get_model("openai-api/bench/stand-in", config=config),
            log_dir=folder,
            max_samples=connections,
            log_level="error",
        )
        assert logs[0].status == "success"


CLIENTS = {"aiohttp": plain_aiohttp, "fiducial": fiducial, "openai": openai_sdk, "inspect": inspect_ai}


def main() -> None:
    """client.py NAME URL CALLS CONNECTIONS."""
    name, url, calls, connections = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[0]})
    run = asyncio.run
    if name in ("aiohttp", "fiducial"):
        import uvloop

        run = asyncio.Runner(loop_factory=uvloop.new_event_loop).run  # type: ignore[assignment]
    run(
        CLIENTS[name](url, min(connections, calls), connections)
    )  # imports and connections are not what is measured
    cpu, wall = _cpu(), time.perf_counter()
    run(CLIENTS[name](url, calls, connections))
    print(json.dumps({"wall": time.perf_counter() - wall, "cpu": _cpu() - cpu}))


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()

"""A loopback server that speaks OpenAI's chat format and takes a fixed time to answer. Prints its address.

`slow_server.py SECONDS [AT_ONCE]`: with AT_ONCE, so many calls are served at once and the others wait, as a model's do.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys

from aiohttp import web

REPLY = {
    "id": "chatcmpl-{n}",
    "object": "chat.completion",
    "created": 1_700_000_000,
    "model": "stand-in",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "I weigh both.\n\nAnswer: A"},
        }
    ],
    "usage": {"prompt_tokens": 200, "completion_tokens": 12, "total_tokens": 212},
}


async def serve(latency: float, at_once: int) -> None:
    """Answer until standard input closes, so that the server never outlives the benchmark."""
    served = 0
    room = asyncio.Semaphore(at_once)

    async def answer(request: web.Request) -> web.Response:
        nonlocal served
        await request.read()
        async with room:
            await asyncio.sleep(latency)
        served += 1
        body = json.dumps({**REPLY, "id": f"chatcmpl-{served}"}).encode()
        return web.Response(body=body, content_type="application/json")

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, backlog=1024)
    await site.start()
    print(site.name if not runner.addresses else f"http://127.0.0.1:{runner.addresses[0][1]}/v1", flush=True)
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[-1]})
    import uvloop

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000))

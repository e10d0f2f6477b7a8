"""Subjects for `py/tests.model.cluster.subjects:NAME`, to be run by workers."""

from __future__ import annotations

import asyncio
from typing import Any

from fiducial.model.request import WireRequest


class Echo:
    """Takes three calls at once."""

    remote = False
    slots = 3

    async def generate(self, request: WireRequest) -> str:
        return f"echo {request.messages[-1].text}"


class Gate:
    """Answers the first `free` calls, and the others when it is opened; counts who came and who was given up."""

    remote = False
    slots = 3
    open: asyncio.Event
    gave_up: asyncio.Event
    free = 0
    came = 0
    told: Any = staticmethod(lambda: None)

    async def generate(self, request: WireRequest) -> str:
        type(self).came += 1
        free = self.came <= self.free
        type(self).told()
        try:
            if not free:
                await self.open.wait()
        except asyncio.CancelledError:
            self.gave_up.set()
            raise
        return "through"


class Sick:
    """Raises what no subject should."""

    remote = False

    async def generate(self, request: WireRequest) -> str:
        raise ZeroDivisionError("no luck")

"""What a running llama.cpp says of itself: the context it gives, and what its chat template adds.

Many chat templates put a system message of their own before a chat that has none ("You are a helpful
assistant named …"). A subject measured through such a template is measured with a system prompt that
nobody asked for, so it is looked for and told.
"""

from __future__ import annotations

import re
from itertools import takewhile

import aiohttp
from msgspec import Struct

from fiducial.errors import FiducialError

_CHATS = (("<<1>>",), ("<<1>>", "<<2>>", "<<3>>"))
_ROLES = ("user", "assistant", "user")


class Described(Struct, frozen=True):
    """A server's account of itself."""

    context: int  # tokens a slot holds
    system: str | None  # the system message the template adds by itself
    unknown: str | None = None  # why `system` could not be found out


async def describe(address: str) -> Described:
    """Ask a running server. Raises FiducialError."""
    timeout = aiohttp.ClientTimeout(total=60)
    try:
        async with aiohttp.ClientSession(address, timeout=timeout) as session:
            async with session.get("/props", raise_for_status=True) as response:
                context = int((await response.json())["default_generation_settings"]["n_ctx"])
            renders = []
            for texts in _CHATS:
                chat = [{"role": r, "content": t} for r, t in zip(_ROLES, texts, strict=False)]
                async with session.post("/apply-template", json={"messages": chat}) as response:
                    if not response.ok:  # a template may refuse a chat; the model can be used all the same
                        return Described(context, None, f"HTTP {response.status}")
                    renders.append(str((await response.json())["prompt"]))
            return Described(context, added_system(*renders))
    except (aiohttp.ClientError, TimeoutError, LookupError, TypeError, ValueError) as error:
        raise FiducialError(f"llama.cpp does not describe itself: {type(error).__name__}: {error}") from error


def added_system(one: str, three: str) -> str | None:
    """What a template puts before the first user turn of a chat that has no system message.

    `one` is the chat [user <<1>>], `three` is [user <<1>>, assistant <<2>>, user <<3>>], as rendered. What
    stands before <<3>> ends with the head of a user turn; what stands before <<1>> ends with the same
    head, and whatever comes before that was added. Bare markers (a begin-of-text token) are not a message.
    """
    before = one.partition("<<1>>")[0]
    head = three.partition("<<2>>")[2].partition("<<3>>")[0]
    pairs = zip(reversed(before), reversed(head), strict=False)
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    added = re.sub(r"<[^<>\s]*>|\[/?[A-Z_]+\]", " ", before[: len(before) - common])
    return added.strip().removeprefix("system").strip() or None

"""The texts that judges are sent. The hash of a text is its version: verdicts of two versions are never pooled."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

_PLACE = re.compile(r"\{([a-z_]+)\}")


@lru_cache
def prompt_text(name: str) -> str:
    """The text of a prompt, as it stands in its file."""
    return (files("fiducial.judge") / "prompts" / f"{name}.txt").read_text("utf-8").strip()


@lru_cache
def prompt_version(*names: str) -> str:
    """First 16 hex digits of SHA-256 over the texts that a task is asked with, its second asking included."""
    texts = "\0".join(prompt_text(name) for name in (*names, "again"))
    return hashlib.sha256(texts.encode()).hexdigest()[:16]


def fill_prompt(text: str, values: Mapping[str, str]) -> str:
    """Put the values into their places, in one pass: braces inside a value are left as they are."""
    return _PLACE.sub(lambda place: values.get(place[1], place[0]), text)

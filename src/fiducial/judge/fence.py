"""The fence around untrusted text in a judge's prompt.

Its mark is derived from the run's seed and the text itself. It is the same for the same text all through a run, so
prefixes are shared and plans stay the same to the byte; and a text cannot contain its own mark, because it would
have to contain its own hash.
"""

from __future__ import annotations

import hashlib


def mark(seed: int, text: str) -> str:
    """First 16 hex digits of SHA-256 over the run's seed and the text that is fenced."""
    return hashlib.sha256(f"{seed}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:16]

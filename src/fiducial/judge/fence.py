"""The fence around untrusted text in a judge's prompt: marked lines before and after it.

A text that knew the mark of another text in the same prompt could end that text's fence and go on in its name. So the
mark is a hash of the text and of a secret that is drawn once a run and kept in the run file. It is the same for the same
text all through a run, which lets providers share prefixes, and nobody who writes a document or a finding can compute it.
What a question is (the ids of trials, plans) never depends on the secret: verdicts are found again without it.
"""

from __future__ import annotations

import hashlib
import secrets
from pathlib import Path

from fiducial.run.store import Store
from fiducial.run.writer import Writer

_KEY = "fence"


def mark(secret: object, text: str) -> str:
    """First 16 hex digits of SHA-256 over the secret and the text that is fenced.

    Where the text is the only one in its prompt, the run's seed will do for a secret: no text can contain its own hash.
    """
    return hashlib.sha256(f"{secret}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


def new_secret() -> str:
    """A secret that nobody can guess."""
    return secrets.token_hex(16)


def secret_of(path: Path) -> str:
    """The secret of a run. A run that has none yet gets one."""
    with Store(path) as store:
        found = store.meta(_KEY)
    if found is None:
        found = new_secret()
        with Writer(path) as writer:
            writer.set_meta(_KEY, found)
    return str(found)

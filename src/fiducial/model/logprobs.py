"""What is known beforehand of what a provider leaves out: above all, how probable its tokens were."""

from __future__ import annotations

# Settings that these providers of Inspect take and never send (read in its source, version 0.3.285).
NEVER_SENT: dict[str, frozenset[str]] = {
    "anthropic": frozenset({"seed", "logprobs"}),
    "bedrock": frozenset({"seed", "logprobs"}),
    "google": frozenset({"seed"}),
}

_NONE = {
    "anthropic": "Anthropic's API gives no log probabilities",
    "replay": "a replay has the texts of an earlier run, not their log probabilities",
}


def why_no_logprobs(model: str) -> str | None:
    """Why a model cannot be asked for log probabilities, where that is known beforehand; None where it may give them.

    A model behind an API that has them may still refuse: then its replies come without, and say so.
    """
    provider, _, rest = model.partition("/")
    if provider == "inspect":
        inner = rest.partition("/")[0]
        if "logprobs" in NEVER_SENT.get(inner, ()):
            return f"Inspect's provider {inner} asks for no log probabilities"
        return None
    return _NONE.get(provider)

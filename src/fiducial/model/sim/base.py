"""What simulated subjects and judges have in common: a specification for a name, and nothing that leaves this machine."""

from __future__ import annotations

from fiducial.model.base import ModelBase
from fiducial.model.python import canonical
from fiducial.model.reply import Reply, Reported
from fiducial.model.request import Request


class Simulated(ModelBase):
    """A model that answers from the truth of a request."""

    seeded = True

    def __init__(self, text: str) -> None:
        self._text = text  # the specification, as it was written
        self.name = f"sim/{text}"
        self._reported = Reported(model=self.name, finish_reason="stop")

    def encode(self, request: Request) -> bytes:
        """Canonical JSON of the request as a provider would see it: without the truth."""
        return canonical(request)

    def reply(self, text: str, sent: bytes) -> Reply:
        """The text as a reply."""
        return Reply(text=text, sent=sent, reported=self._reported)

    def facts(self) -> dict[str, str]:
        """The specification."""
        return {"spec": self._text}

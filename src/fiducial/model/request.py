"""What a model is asked: messages and settings, and, for simulated subjects only, the truth.

A `Request` may carry a `Truth`. The encoders of real providers never see it: they are given
`Request.wire()`, a type that has no such field.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

Role = Literal["system", "user", "assistant"]


class Message(Struct, frozen=True):
    """One message of a chat.

    `prefix` is the number of leading characters that many requests share (a document that comes
    before the question). It costs nothing on the wire; it tells the store where to cut the body and
    a provider that needs one where to put its cache mark.
    """

    role: Role
    text: str
    prefix: int = 0


class Settings(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What is asked of the sampler. None means "not asked for": the provider's default holds."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    reasoning_effort: str | None = None
    logprobs: int | None = None  # alternatives listed a token; 0 gives the chosen token's alone
    schema: dict[str, Any] | None = None  # JSON Schema the reply has to fit
    grammar: str | None = None  # GBNF the reply has to fit (llama.cpp)

    def names(self) -> tuple[str, ...]:
        """The settings that were asked for."""
        return tuple(f for f in self.__struct_fields__ if getattr(self, f) not in (None, ()))


class Choice(Struct, frozen=True):
    """One option as it was laid out in a prompt, with the role it plays for the item."""

    label: str
    text: str
    role: str


class Truth(Struct, frozen=True, kw_only=True):
    """What a simulated subject has to know of an arm in order to have a known bias.

    `sign` is +1 in the arm that pulls toward the bias, -1 in the arm it is compared with, 0 in an arm
    that only serves as a baseline. `toward` and `away` are the two ends of a numeric scale: the effect
    is the shift from `away` toward `toward` as a share of their distance. `confident` is a choice with a stated
    confidence (effect: confidence minus accuracy), `price` a selling (+1) or buying (-1) price (effect: their
    difference over their sum).
    """

    bias: str
    item: str
    kind: Literal["option", "numeric", "yesno", "confident", "price"]
    sign: int
    choices: tuple[Choice, ...] = ()
    biased: str | None = None  # the role whose choice is counted
    rational: str | None = None  # the role that is proved right, where one is
    low: float | None = None  # declared range of a numeric answer
    high: float | None = None
    away: float | None = None
    toward: float | None = None
    repetition: int = 0
    protocol: str = "standard"
    variant: str = ""
    turn: int = 0
    move: str = ""  # what this turn of a chat does
    levels: dict[str, float] = {}  # what the protocol's variant sets
    earlier: tuple[
        str | float | None, ...
    ] = ()  # roles or numbers that it answered in the chat before; None: not read


class CaseTruth(Struct, frozen=True, kw_only=True):
    """What a simulated judge has to know of a case in order to err at a known rate.

    `right` is the reply's deciding value that is correct (`"genuine"`, `"found"`, `True`, an option's label …), `wrong`
    the one that a judge which errs gives. `quotation` stands in the text that the task quotes from.
    """

    task: str
    case: str  # its id: draws hang on it
    label: int  # 1 or 0
    right: str | float | bool | None
    wrong: str | float | bool | None
    quotation: str = ""
    finding: int | None = None  # of a match: the number of the finding that states the issue
    category: str | None = None
    shown: str | float | bool | None = None  # the answer that the prompt gives away, where it does
    urged: str | float | bool | None = None  # the answer that a text in the prompt tries to talk the judge into
    wording: str = "shipped"
    repetition: int = 0


class WireRequest(Struct, frozen=True):
    """A request as a provider may see it."""

    messages: tuple[Message, ...]
    settings: Settings = Settings()


class Request(Struct, frozen=True):
    """A request as the engine holds it."""

    messages: tuple[Message, ...]
    settings: Settings = Settings()
    truth: Truth | CaseTruth | None = None

    def wire(self) -> WireRequest:
        """The request without its truth."""
        return WireRequest(self.messages, self.settings)

"""A chat as it goes on: what was asked, what came back, and what the next turn makes of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fiducial.bias.block import Arm, Block, Prompt, render, truth
from fiducial.model.request import Message, Request, Settings
from fiducial.run.plan import Trial

Answered = str | float | None
"""The role that was chosen or the number that was given; None where neither could be read."""


class Chat:
    """One chat. `prompt` makes the prompt of an arm that begins the same whatever was answered before."""

    def __init__(
        self,
        opening: Sequence[Message],
        unit: Callable[[int], Block],
        prompt: Callable[[int], Prompt],
        trial: Trial,
    ) -> None:
        self._messages = list(opening)
        self._unit, self._prompt = unit, prompt
        self._trial = trial
        self._earlier: list[Answered] = []
        self.turn = -1

    def ask(self) -> Prompt:
        """Go on to the next turn."""
        self.turn += 1
        self.unit = self._unit(self.turn)
        self.arm = self.unit.arms[self._trial.arm]
        self.prompt = self._prompt(self.turn)
        if self.arm.follows:
            self.prompt = render(self.unit, self.arm, self._trial.order, consequence(self.arm, self._earlier))
        self._messages.append(Message("user", self.prompt.text))
        return self.prompt

    def answer(self, text: str, found: Answered) -> None:
        """What came back, and what it was read as."""
        self._messages.append(Message("assistant", text))
        self._earlier.append(found)

    def request(self, settings: Settings) -> Request:
        """The turn as it is sent, with all that was said before."""
        known = truth(self.unit, self.arm, self.prompt, self._trial.repetition, tuple(self._earlier))
        return Request(tuple(self._messages), settings, known)


def consequence(arm: Arm, earlier: Sequence[Answered]) -> str:
    """What the arm begins with after the last answer; without one that could be read, what it says then."""
    last = earlier[-1] if earlier else None
    if isinstance(last, float):
        return arm.follows["number"].replace("{answer}", f"{last:g}")
    return arm.follows.get(last or "", arm.follows.get("", ""))

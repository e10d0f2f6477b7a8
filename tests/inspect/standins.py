"""Stand-ins for subjects, reviewers and judges behind Inspect's mock provider.

Their outputs carry usage: without it the mock counts tokens with a table that it would have to download.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inspect_ai import Task, eval
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    GenerateConfig,
    Model,
    ModelOutput,
    ModelUsage,
    StopReason,
    get_model,
)

Said = Callable[[list[tuple[str, str]]], str]
USAGE = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)


def output(text: str, stop: StopReason = "stop") -> ModelOutput:
    choice = ChatCompletionChoice(message=ChatMessageAssistant(content=text), stop_reason=stop)
    return ModelOutput(model="stand-in-1", choices=[choice], usage=USAGE)


def stand_in(said: Said, name: str = "stand-in", seen: list[GenerateConfig] | None = None) -> Model:
    """A model that answers with what `said` makes of the messages, as pairs of role and text."""

    def answer(messages: list[Any], tools: Any, choice: Any, config: GenerateConfig) -> ModelOutput:
        if seen is not None:
            seen.append(config)
        return output(said([(m.role, m.text) for m in messages]))

    return get_model(f"mockllm/{name}", custom_outputs=answer, memoize=False)


def decides(messages: list[tuple[str, str]]) -> str:
    """A subject: the prompt's hash decides which option it takes or which number it names."""
    return answer_to(messages[-1][1])


def answer_to(prompt: str) -> str:
    drawn = int.from_bytes(hashlib.sha256(prompt.encode()).digest()[:4])
    letters = re.findall(r"^([A-Z])\) ", prompt, re.MULTILINE)
    if drawn % 11 == 0:
        return "I cannot help with that."
    if letters:
        return f"Answer: {letters[drawn % len(letters)]}"
    numbers = [float(n.replace(",", "")) for n in re.findall(r"\d[\d,]*(?:\.\d+)?", prompt)] or [1.0]
    return f"Answer: {numbers[drawn % len(numbers)]:g}"


GENUINE = {"evidence": "absent: who answers", "reason": "Nobody is named.", "category": None, "confidence": 0.9}


def verdict(label: str) -> str:
    return json.dumps({**GENUINE, "verdict": label})


def match(label: str, number: int | None = None, quotation: str | None = None) -> str:
    return json.dumps({"finding": number, "quotation": quotation, "verdict": label})


def judging(genuine: Callable[[str], str], matched: Callable[[str], str]) -> Said:
    """A judge that finds its task in the last message; it is handed the finding or the issue in question."""

    def said(messages: list[tuple[str, str]]) -> str:
        task = re.findall(r"^Task: (\w+)$", messages[-1][1], re.MULTILINE)[-1]
        about = re.findall(r"<<<(?:finding|issue) [0-9a-f]{16}>>>\n(.*?)\n<<<end", messages[0][1], re.DOTALL)[-1]
        return genuine(about) if task == "genuine" else matched(about)

    return said


def run(task: Task, model: Model, folder: Path, **options: Any) -> EvalLog:
    """Evaluate, with nothing on the screen."""
    (log,) = eval(task, model=model, log_dir=str(folder), display="none", **options)
    return log


def numbers(log: EvalLog, scorer: str) -> dict[str, float]:
    """The metrics of a scorer."""
    assert log.results is not None
    (found,) = [score for score in log.results.scores if score.name == scorer]
    return {name: metric.value for name, metric in found.metrics.items()}

"""Small runs whose replies are worth looking at: hostile, judged, cut off, refused, failed, in a chat, and still to come."""

from __future__ import annotations

import re
from pathlib import Path

from fiducial.bias.judging import reading_judge
from fiducial.bias.load import Battery
from fiducial.bias.run import BiasOptions, collect_run, judge_run, prepare_run, rescore
from fiducial.model.python import PythonModel
from fiducial.model.reply import CallFailed, Reply, Reported
from fiducial.model.request import Settings, WireRequest
from fiducial.run.budget import Budget
from fiducial.run.limits import Limits
from fiducial.run.progress import Silent
from tests.bias.made import made
from tests.web.support import HOSTILE

VERDICT = '{"quotation": "zweite", "answer": "B"}'
LONG = "So it goes on. " * 4000
VAGUE = "Nun ja, lieber die zweite. "


class Subject:
    """Its n-th reply is the n-th of these, over and over; what is no text is raised, or given as it is."""

    def __init__(self, *replies: str | Reply | CallFailed) -> None:
        self.replies, self.calls = replies, 0

    async def generate(self, request: WireRequest) -> str | Reply:
        self.calls += 1
        given = self.replies[(self.calls - 1) % len(self.replies)]
        if isinstance(given, CallFailed):
            raise given
        return given


class ReadingJudge:
    """Reads "zweite" as B, the second time it is asked."""

    async def generate(self, request: WireRequest) -> str:
        assert re.search(r"^Task: read$", request.messages[-1].text, re.MULTILINE)
        again = any(m.role == "assistant" for m in request.messages)
        return VERDICT if again else f"I would rather not. {HOSTILE[0]}"


def all_sorts() -> list[str | Reply | CallFailed]:
    """One of everything."""
    reported = Reported(model=f"m-{HOSTILE[1]}", finish_reason="stop", input_tokens=12, cached_tokens=5)
    return [
        "The first is more probable.\n\nAnswer: A",
        "Answer: B",
        *(f"{text}\nAnswer: B {text}" for text in HOSTILE),
        VAGUE + HOSTILE[2],
        Reply(text="It depends on", status="truncated", reported=reported, not_sent=("temperature",)),
        Reply(text="", status="filtered"),
        Reply(text="", status="refused"),
        f"{LONG}\nAnswer: A",
        CallFailed("bad_request", f"no such thing {HOSTILE[0]}", http_status=400),
    ]


def bias_run(
    path: Path, *, judge: bool = True, protocols: tuple[str, ...] = ("standard",), stop_after: int | None = None
) -> Path:
    """A run of five items in two arms; hostile words in the replies, in what was reported, and in the name of the bias."""
    folder = path.parent / f".{path.stem}"
    folder.mkdir(parents=True, exist_ok=True)
    bias = made(folder, "norm", 5)
    battery = Battery({bias.id: bias})
    options = BiasOptions(
        model="py/subject",
        arms=("control", "strong"),
        trials=2,
        protocols=protocols,
        rounds=2,
        settings=Settings(temperature=0.5),
        system=f"You are careful. {HOSTILE[0]}",
    )
    prepared = prepare_run(battery, options, out=path)
    limits, progress = Limits(max_connections=1), Silent()
    subject = PythonModel("py/subject", Subject(*all_sorts()))
    collect_run(prepared, subject, options, limits=limits, budget=Budget(calls=stop_after), progress=progress)
    if stop_after is None:
        if judge:
            reader, model = reading_judge("py/judge"), PythonModel("py/judge", ReadingJudge())
            judge_run(path, reader, model, seed=1, limits=limits, budget=Budget(), progress=progress)
        rescore(path)
    return path

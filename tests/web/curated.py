"""A queue to curate, stand-ins for the judge of the zero-shot test, and forms as the page sends them."""

from __future__ import annotations

import re
import sys
import threading
from html import unescape
from pathlib import Path

import pytest

from tests.review.folders import FOUND, ITEM, NOT_FOUND, make, write_lines
from tests.web.support import Answer, Bench

JUDGES = f"""
import asyncio
from fiducial.model.reply import CallFailed

class Says:
    def __init__(self, text): self.text, self.asked, self.gate = text, 0, None
    async def generate(self, request):
        self.asked += 1
        if self.gate is not None:
            await asyncio.to_thread(self.gate.wait)
        return self.text

class Down:
    async def generate(self, request): raise CallFailed("bad_request", "<b>no such model</b>")

seeing, blind, down = Says({FOUND!r}), Says({NOT_FOUND!r}), Down()
"""
SEEING, BLIND, DOWN = (f"py/curate_judges:{name}" for name in ("seeing", "blind", "down"))
OTHER = {"id": "late", "title": "Late readings vanish", "issue": "R-2 drops them.", "found_in": 4, "runs": 5}
OTHER |= {"source": "review-1", "evidence": ["A late reading is dropped without notice."]}


def put_judges(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the stand-ins importable by their names, fresh for every test."""
    (place / "lib").mkdir()
    (place / "lib" / "curate_judges.py").write_text(JUDGES)
    monkeypatch.syspath_prepend(str(place / "lib"))
    monkeypatch.delitem(sys.modules, "curate_judges", raising=False)


def queue_of_two(place: Path) -> Path:
    """A folder to serve, with a dataset that has two candidates."""
    folder = make(place / "served" / "gauges", must_find=[])
    write_lines(folder / "candidates.jsonl", {k: v for k, v in ITEM.items() if k != "min_recall"}, OTHER)
    return place / "served"


def page_of(bench: Bench) -> str:
    return f"/datasets/{bench.dataset_id('gauges')}/curate"


def seen(bench: Bench, title: str = ITEM["title"]) -> tuple[str, str]:
    """The address of a candidate, and the fingerprint in its forms."""
    text = bench.client.get(page_of(bench)).text
    for part in text.split("<article")[1:]:
        if title in unescape(part):
            key = re.search(r'id="c-([0-9a-f]+)"', part)
            mark = re.search(r'name="seen" value="([0-9a-f]+)"', part)
            assert key
            return f"{page_of(bench)}/{key[1]}", mark[1] if mark else ""
    raise AssertionError(title)


def act(bench: Bench, action: str, title: str = ITEM["title"], /, **fields: str) -> Answer:
    address, mark = seen(bench, title)
    return bench.client.post(f"{address}/{action}", {"seen": mark, **fields})


def followed(bench: Bench, answer: Answer) -> str:
    assert answer.status == 303, answer.text
    return bench.client.get(answer.headers["location"].partition("#")[0]).text


def wait_for_test(bench: Bench, title: str = ITEM["title"]) -> str:
    """What the card says once its test has ended."""
    address, _ = seen(bench, title)
    pause = threading.Event()
    for _ in range(600):
        text = bench.client.get(f"{address}/test").text
        if "data-ended" in text:
            return text
        pause.wait(0.02)
    raise AssertionError("the test does not end")

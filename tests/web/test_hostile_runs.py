"""The workbench over a folder of damaged and hostile run files."""

from __future__ import annotations

import html
import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.run.hostile import ODD, REFUSED, spoiled
from tests.web.support import Bench


@pytest.mark.parametrize("base", ["bias", "review"])
def test_a_damaged_run_has_a_page_that_says_so_and_the_list_goes_on(
    serving: Callable[..., Bench], tmp_path: Path, base: str
) -> None:
    files = [*REFUSED.values(), *ODD.values()][base == "review" :: 2]  # every second one: half the time
    for number, spoil in enumerate(files):
        spoiled(tmp_path, base, spoil, f"f{number}")
    spoiled(tmp_path, base, lambda _: None, "sound")
    bench = serving(tmp_path)
    runs = bench.desk.folder.runs()
    assert len(runs) > len(files) / 2
    listed = bench.client.get("/")
    assert listed.status == 200 and "sound" in listed.text
    damaged = 0
    for run, page in zip(runs, itertools.cycle(("", "/replies", "/findings"))):
        answer = bench.client.get(f"/runs/{run.id}{page}")
        assert "mistake in Fiducial" not in answer.text, (run.name, page)
        assert "<script>alert(1)" not in answer.text
        damaged += "This run file is damaged" in html.unescape(answer.text)
    assert damaged > len(files) / 4

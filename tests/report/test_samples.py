from __future__ import annotations

from pathlib import Path

import pytest

from fiducial import api
from fiducial.bias.source import stored_source
from fiducial.report.page import render_page
from fiducial.report.write import VARIANTS, choose_samples, write_report
from fiducial.run.store import Store
from tests.bias.protocols.running import run
from tests.report.parsed import Page


def test_of_every_variant_of_a_protocol_one_whole_chat_is_shown(tmp_path: Path) -> None:
    names = ("temporal-persistent", "meta", "context")
    result = run(tmp_path, "planted:effect=.4", *names, biases=("conjunction_fallacy",), tier="quick", trials=1)
    with Store(tmp_path / "run.db") as store:
        source = stored_source(store)
        samples = choose_samples(store, source, result)
        sent = {(row.item, row.arm, row.order, row.turn, row.text) for row in store.texts()}
    assert {s.protocol for s in samples} == set(names)
    once = [s for s in samples if s.variant == "once"]
    assert [s.turn for s in once] == [0, 1, 2, 3]
    assert len({(s.item, s.arm) for s in once}) == 1
    assert once[0].prompt != once[1].prompt, "each turn with what was asked in it"
    assert all(any(s.reply == text and s.turn == turn for *_, turn, text in sent) for s in samples)
    [first, checked] = [s for s in samples if s.variant == "check"]
    assert checked.prompt.count("You answered: ") == 1, "what followed from the reply before, and nothing else"
    assert f"{first.answer})" in first.prompt
    assert len({s.variant for s in samples if s.protocol == "context"}) == VARIANTS
    words = Page(render_page([result], samples)).words
    assert "once, turn 4," in words
    assert "Persistence 8 replies" in words


def test_a_page_without_texts_has_no_system_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    api.bias_run(
        "sim/coin",
        biases=["gain_loss_framing"],
        trials=1,
        arms=["control", "moderate"],
        system="Say nothing of the merger.",
        out="run.db",
        progress=False,
    )
    for texts in (True, False):
        write_report([Path("run.db")], Path("page.html"), texts=texts)
        assert ("merger" in Path("page.html").read_text(encoding="utf-8")) is texts

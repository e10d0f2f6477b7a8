"""Pages that quote: what they quote is what commands print and what other pages say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fiducial import api
from fiducial.bias.result import Effect
from fiducial.cli.main import fiducial

DOCS = Path(__file__).parents[2] / "docs"


def text(name: str) -> str:
    return " ".join((DOCS / f"{name}.md").read_text(encoding="utf-8").split())


def test_the_worked_example_is_what_the_commands_print(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = text("concepts")
    common: dict[str, Any] = {"tier": "core", "trials": 1, "arms": ["control", "strong"], "progress": False}
    biases = ["gain_loss_framing", "anchoring_effect"]
    run = api.bias_run("sim/planted:effect=.4", biases=biases, out="concept.db", **common)
    coin = api.bias_run("sim/coin", biases=biases[:1], **common)
    for name, own, id in (
        ("Gain-loss framing", run, "gain_loss_framing"),
        ("Anchoring effect", run, "anchoring_effect"),
        ("Gain-loss framing", coin, "gain_loss_framing"),
    ):
        effect = own.effect(id)
        assert isinstance(effect, Effect)
        said = f"{effect.value:+.2f} [{effect.low:.2f}, {effect.high:.2f}]".replace("-", "−")
        assert f"{name} {said}" in page
    framing = next(bias for bias in run.result.biases if bias.id == "gain_loss_framing")
    assert sorted(item.value for item in framing.items if item.value is not None) == [0] * 3 + [0.5] * 8 + [1] * 4
    replies = run.frames.replies.filter(item="gain_loss_framing/voice-recordings").sort("arm", "option_order")
    for reply in replies.to_dicts():
        assert f"`{reply['text'][:60]}" in page, reply["text"]
        span = f"{reply['span_start']}–{reply['span_end']}"
        assert f"| {reply['answer']} | `{reply['rule']}` | {span} | {reply['score']:.0f} |" in page


def test_the_readings_in_the_example_are_those_of_the_reader(tmp_path: Path) -> None:
    options = [{"label": "A", "text": "The program by Juniper"}, {"label": "B", "text": "The program by Kestrel"}]
    said = ("Both have merit, but I would run the Juniper program.", "It depends on what Oskar values.")
    page = text("concepts")
    rows = [
        {"id": str(k), "response": own, "kind": "option", "options": options} for k, own in enumerate(said, start=1)
    ]
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = CliRunner().invoke(fiducial, ["bias", "read", "--jsonl", str(tmp_path / "replies.jsonl")])
    for own, line in zip(said, done.stdout.splitlines(), strict=True):
        assert own in page and line in page


@pytest.mark.parametrize(
    ("figure", "source"),
    [
        # As it stands in the limits of validity, and where it comes from in the words of that page.
        ("8.2 % of runs flag anything", ("calibration", "| 8.2 % | 0.101 |")),
        ("4.7 % of intervals exclude 0 at worst", ("calibration", "exclude 0 | 4.7 % |")),
        ("hold the truth in 94.6 %", ("calibration", "hold the effect | 94.6 % |")),
        ("At worst 3.6 % of runs", ("calibration", "flag anything | 3.6 % |")),
        ("reads .298 on average", ("calibration", "| 0.298 | −0.002 |")),
        ("in 86.8 and 88.2 % of 220 runs", ("calibration", "in 86.8 % and those of availability_bias in 88.2 %")),
        ("106 of 270 items moved, 151 did not and 13", ("validity", "Of the 270 items, 106 move, 151 do not, and for 13")),
        ("anchoring moved in 14 of 15 items", ("validity", "| anchoring_effect | 15 | 14 |")),
        ("base rate neglect in none", ("validity", "| base_rate_neglect | 15 | 0 |")),
        ("(960 calls)", ("validity", "it makes 960 calls")),
        ("widens standard errors by 9 %", ("cheaper", "intervals are 9 % wider")),
        ("plain ones cover 93 to 94 %", ("cheaper", "cover 93 to 94 %")),
        ("96.2 % of 3,000 intervals", ("cheaper", "| all | 3,000 | 96.2 % |")),
        ("93.0 % of 300", ("cheaper", "| 300 | 93.0 % |")),
        ("a width of .40", ("cheaper", "give a width of .40")),
        (".23 [.18, .28]", ("correcting", "0.23 [0.18, 0.28]")),
        ("95.3 % on average", ("correcting", "covered 95.3%")),
        ("in 89.0 % where judges differ most", ("correcting", "| 0.8 | 0.8 | 0.6 | 56.5% | 0.220 | 89.0% |")),
        ("a recall that fell from .8 to .57", ("gates", "from .8 to .57")),
        ("precision 74 % [16 %, 98 %]", ("reviewing", "74 % [16 %, 98 %]")),
        ("none of 136 injected texts", ("attacks", "none of 136 attacks")),
    ],
)  # fmt: skip
def test_a_figure_in_the_limits_is_still_what_its_source_says(figure: str, source: tuple[str, str]) -> None:
    page, words = source
    assert figure in text("limits")
    assert words in text(page)

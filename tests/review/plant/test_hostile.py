"""Documents nobody would write: generated ones, and ones made to be slow or to break a parser."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fiducial.review.plant.markdown import read
from fiducial.review.plant.operators import OPERATORS
from fiducial.review.plant.variant import plant
from tests.review.plant.support import LENDING, undo

CODE = (
    "```text\nR-1 must 5 minutes | 60 %\n- **R-9** x\n```",
    "~~~\n| Id | Needs |\n|---|---|\n| S-1 | S-2 |\n~~~",
    "<table><tr><td>R-1 must 5 minutes</td></tr></table>",
    "    indented must 5 minutes (R-1)",  # code, unless it follows a list
    "`R-1 must` end within `5 minutes` of [R-1 at 5 minutes](https://example.org/R-1/5-minutes).",
)
PROSE = (
    "Lines end within 5 minutes of R-1, as the 5 minutes of R-2 say; see section 1.",
    "> If more than 40 % of lines are late, the clerk must call within 2 hours.",
    "Of these, 50 % are red, 30 % are blue\nand 20 % are green.",
    "The office opens on 6 November 2026 (S-2) for 18,450 readers.",
    "1. Stop the press.\n2. Clean the drum.\n3. Start the press.",
    "- **A-1** (R-1) Ten lines. Pass: all lines end within 5 minutes.\n- **A-2** (R-2) Pass: `0` lines late.",
    "- **R-1** Lines must end within 5 minutes.\n- **R-2** The press must stop. It requires R-3.\n"
    "- **R-3** The drum must turn.",
    "| Term | Meaning |\n|---|---|\n| red line | the 3 cm at the top |\n| a | b |\n| c | d |\n| e | f |",
    "The red line must be clean.\n\nOnly the red line counts.",
    "| Id | Step | Owner | Needs | Start | End |\n|---|---|---|---|---|---|\n"
    "| S-1 | `x` | a | – | 2 March 2026 | 6 March 2026 |\n| S-2 | y | b | S-1 | 9 March 2026 | 6 November 2026 |\n"
    "| S-3 | z | c | S-2 | 9 November 2026 | 13 November 2026 |\n"
    "| S-4 | z | c | S-3 | 16 November 2026 | 20 November 2026 |",
    "| Duty | Owner |\n|---|---|\n| Press, drum | clerk |\n| Lines | editor |",
    "| a | Readers |\n|---|---|\n| x | 8,450 |\n| y | 10,000 |\n| Total | 18,450 |",
    "## Scope\n\n- Lines and drums.\n\n## Out of scope\n\n- Colour presses.\n* Ink, which others buy.",
    "# 1. Start",
    "## Acceptance tests",
    "### R-4 Drum\n\nThe drum shall turn. This depends on R-1.",
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    parts = draw(st.lists(st.sampled_from(CODE + PROSE), min_size=1, max_size=14))
    if draw(st.booleans()):
        parts.insert(0, "---\nkey: R-1 must 5 minutes\n---")
    if draw(st.booleans()):
        parts.append("```\nnever closed R-1 must 5 minutes")
    text = "\n\n".join(parts) + draw(st.sampled_from(["", "\n", "\n\n\n"]))
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n", "\r"])))


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(documents(), st.integers(0, 5), st.sampled_from([1, 3, 40]))
def test_generated_documents_are_changed_only_where_the_records_say(text: str, seed: int, count: int) -> None:
    variant = plant(text, seed=seed, count=count)
    assert undo(variant) == text
    assert len(variant.flaws) <= count
    rest = iter(read(variant.text).kept)
    assert all(any(part == kept for kept in rest) for part in read(text).kept)
    for block in CODE[:3]:
        for newline in ("\n", "\r\n", "\r"):
            piece = block.replace("\n", newline)
            assert variant.text.count(piece) == text.count(piece)
    for flaw in variant.flaws:
        assert OPERATORS[flaw.operator].verify(variant.text, flaw)
        assert not OPERATORS[flaw.operator].verify(text, flaw)
        assert all(quotation in variant.text for quotation in flaw.evidence)


@settings(max_examples=150)
@given(st.text(alphabet="R-1 must5%.,|\n\r#*`[]()<>→−\u2028\x0b\x00\ud800é", max_size=400), st.integers(0, 3))
def test_noise_never_raises(text: str, seed: int) -> None:
    assert undo(plant(text, seed=seed, count=5)) == text


HOSTILE = {
    "brackets": "[" * 100_000,
    "links": "[a](" * 100_000,
    "links in lines": ("[a](" * 4_000 + "\n\n") * 20,
    "quotations": ">" * 100_000,
    "bullets": "- " * 50_000,
    "bars": "|" * 100_000,
    "backticks": " ".join("`" * k for k in range(1, 400)),
    "asterisks": "**a" * 30_000,
    "emphasis before a name": "*" * 400_000 + " R-1",
    "unclosed fence": "```\n" + "must 5 minutes\n" * 20_000,
    "unclosed comment": "<!--\n" + "must 5 minutes\n" * 20_000,
    "one long paragraph": "word must 5 minutes R-1\n" * 20_000,
    "many definitions": "[a]: b\n" * 10_000,
    "deep list": "".join("  " * k + "- a\n" for k in range(300)),
    "wide table": "|" + "a|" * 2_000 + "\n|" + "-|" * 2_000 + "\n|" + "1|" * 2_000 + "\n",
    "long table": "|Id|Needs|Date|\n|-|-|-|\n" + "".join(f"|S-{k}|S-{k - 1}|4 May 2026|\n" for k in range(3_000)),
    "many ids": "".join(f"- **R-{k}** It must do R-{k + 1} in {k} hours.\n" for k in range(3_000)),
    "long column": "|a|n|\n|-|-|\n" + "|x|1|\n" * 3_000 + "|Total|3000|\n",
    "many exclusions": "## Out of scope\n\n" + "- red tape\n" * 4_000 + "\n- **R-1** The press must run.\n",
    "half a character": "The \ud800 must end within 5 minutes.\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_documents_are_answered(name: str) -> None:
    text = HOSTILE[name]
    assert undo(plant(text, seed=1, count=4)) == text


def test_a_document_of_two_megabytes_is_planted_like_any_other() -> None:
    text = LENDING + ("Plain words about nothing in particular, line after line.\n" * 8 + "\n") * 4_400
    assert len(text) > 2_000_000
    variant = plant(text, seed=1, count=3)
    assert len(variant.flaws) == 3
    assert undo(variant) == text

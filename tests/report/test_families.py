from __future__ import annotations

from typing import Any

import altair as alt
import msgspec
import pytest

from fiducial.bias.families import FamilyResult
from fiducial.bias.result import RunResult
from fiducial.report.families import MANY, by_family
from fiducial.report.page import render_page
from fiducial.report.svg import draw
from tests.report.made import estimate, fifteen, run
from tests.report.parsed import Page, cells
from tests.report.protocols import many, with_protocols
from tests.report.test_terminal import shown


def pooled() -> RunResult:
    """A run with the estimate of one family."""
    one = FamilyResult(family="memory", estimate=estimate(0.22, 0.04, 8), q=0.004, flagged=True, biases=["bias_2"])
    biases = [msgspec.structs.replace(b, pooled=estimate(0.21, 0.05)) if b.id == "bias_2" else b for b in many()]
    return msgspec.structs.replace(run(biases), families=[one])


def test_a_short_list_is_one_family_without_a_name() -> None:
    [family] = by_family(fifteen())
    assert family.name == ""
    assert len(family.biases) == 15


def test_families_with_a_core_bias_come_first_and_core_biases_in_them() -> None:
    families = by_family(many()[::-1])
    assert len(many()) > MANY
    assert {family.name for family in families[:2]} == {"anchoring", "framing"}
    assert families[0].biases[0].tier == families[1].biases[0].tier == "core"
    assert sum(len(family.biases) for family in families) == len(many())
    assert [family.name for family in families[2:]] == ["social", "memory"], "by their mean effect"


def test_the_page_folds_many_biases_and_shows_every_one_of_them() -> None:
    html = render_page([run(many())])
    page = Page(html)
    rows = [cells(one) for one in page.tables["Effects, family memory, with unadjusted 95 % intervals"]]
    assert rows[1][0] == "Bias 30 exploratory"
    assert rows[1][2:] == ["+0.35 [0.25, 0.45]", "4", ".40", "no: q > .05"]
    named = [
        row[0]
        for caption, table in page.tables.items()
        if caption.startswith("Effects, family")
        for row in map(cells, table[1:])
    ]
    assert len(named) == 32
    assert sum(name.endswith("exploratory") for name in named) == 30
    assert html.count('<details class="record family">') == 4 * 4, "effects, intensities, domains, items"
    assert 'class="wide"' in html and "fw0" not in html, "no forest of all beside that of the families"


def test_the_estimate_of_a_family_heads_it_where_the_run_has_one() -> None:
    page = Page(render_page([pooled()]))
    assert (
        page.words.count(
            "together: mean effect +0.22 [0.18, 0.26] ; that none of them has an effect: q .004, flagged"
        )
        == 1
    )
    rows = [cells(one) for one in page.tables["Effects, family memory, with unadjusted 95 % intervals"]]
    assert rows[-1][2] == "+0.07 [−0.03, 0.17] pooled +0.21 [0.16, 0.26]"
    [line] = [line for line in shown(pooled(), 100).splitlines() if line.startswith("Memory")]
    assert "+0.22 [0.18, 0.26]" in line
    [other] = [line for line in shown(pooled(), 100).splitlines() if line.startswith("Social")]
    assert "of 8 flagged" in other


@pytest.mark.parametrize("width", [80, 120])
def test_the_terminal_groups_many_biases_and_marks_the_exploratory_ones(width: int) -> None:
    lines = shown(run(many()), width).splitlines()
    assert all(len(line) <= width for line in lines)
    assert "* extended tier: exploratory" in lines
    heads = [line.split()[0] for line in lines if "of 8 flagged" in line]
    assert len(heads) == 4
    assert sum(line.startswith("  Bias ") for line in lines) == 32
    assert sum(line.split()[1].endswith("*") for line in lines if line.startswith("  Bias ")) == 30


def test_few_biases_are_not_grouped_but_exploratory_ones_are_said_to_be() -> None:
    text = shown(run(many()[:4]))
    assert "Bias 3*" in text and "of 8 flagged" not in text
    page = Page(render_page([run(many()[:4])]))
    names = [cells(one)[0] for one in page.tables["Effects, with unadjusted 95 % intervals"]]
    assert "Bias 3 exploratory" in names and "Bias 0" in names


def test_every_chart_is_a_valid_specification(monkeypatch: pytest.MonkeyPatch) -> None:
    """Charts are drawn unchecked, because checking takes longer; here they are checked."""
    checked = []
    plain = alt.LayerChart.to_dict

    def strict(chart: alt.LayerChart, **options: Any) -> dict[str, Any]:
        checked.append(chart)
        return plain(chart, **{**options, "validate": True})

    monkeypatch.setattr(alt.LayerChart, "to_dict", strict)
    render_page([with_protocols(run()), with_protocols(run(name="b"))])
    assert len(checked) > 10
    with pytest.raises(alt.utils.schemapi.SchemaValidationError):
        wrong = alt.layer(alt.Chart(alt.InlineData(values=[])).mark_rule())
        wrong.width = "wide"
        draw(wrong, None, label="", name="")  # type: ignore[arg-type]

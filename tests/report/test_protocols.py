from __future__ import annotations

import msgspec
import pytest

from fiducial.bias.protocols.registry import NAMES
from fiducial.bias.result import RunResult
from fiducial.report.page import render_page
from fiducial.report.protocol_shape import axis_title, shape
from fiducial.report.protocol_words import NOT_STANDARD, TELLINGS, headline, outcome
from fiducial.stats.estimate import Estimate, Withheld
from tests.report.hostile import HOSTILE, hostile
from tests.report.made import estimate, run
from tests.report.parsed import Page, cells
from tests.report.protocols import answers, persistence, protocol, row, with_protocols
from tests.report.test_terminal import shown


def alone() -> RunResult:
    """A run without the standard protocol."""
    return msgspec.structs.replace(with_protocols(run()), biases=[])


def test_every_protocol_that_can_be_run_has_words_of_its_own() -> None:
    assert {name.partition(":")[0] for name in NAMES} - {"standard"} == set(TELLINGS)


@pytest.mark.parametrize("name", [*TELLINGS, "another"])
def test_an_interval_that_holds_zero_cannot_tell(name: str) -> None:
    assert headline(protocol(name, estimate(0.05, 0.1))).startswith("Cannot tell")
    assert "annot tell" not in headline(protocol(name, estimate(0.2, 0.1)))
    assert headline(protocol(name, estimate(-0.2, 0.1))) != headline(protocol(name, estimate(0.2, 0.1)))
    assert headline(protocol(name, Withheld("too few"))) == "No estimate: too few."


def test_an_end_at_zero_does_not_exclude_it() -> None:
    """The SD between wordings has 0 as its least end, where nothing is shown."""
    assert outcome(Estimate(value=0.1, low=0.0, high=0.2, n=5, method="t")) == "open"


def test_more_bias_by_a_remedy_is_called_harm() -> None:
    for name in ("temporal-adaptive", "meta"):
        assert headline(protocol(name, estimate(0.2, 0.1))).startswith("Harm")


def test_lines_on_one_axis_belong_together_and_lone_rows_too() -> None:
    rows = [*persistence(), *answers("name"), row("a: change", "slope", 0.1), row("b: change", "slope", 0.2)]
    made = shape((protocol(rows=rows),))
    assert [[group.name for group in groups] for groups in made.lines] == [
        ["trigger in round 1 alone", "trigger in every round"],
        ["after name"],
    ]
    assert [[point.name for point in group.points] for group in made.forests] == [
        ["accumulation", "fading"],
        ["a: change: slope", "b: change: slope"],
    ]


def test_places_lose_the_word_that_they_share() -> None:
    assert axis_title(["round 1", "round 2"]) == (["1", "2"], "round")
    assert axis_title(["first answer", "second answer"]) == (["first", "second"], "answer")
    assert axis_title(["low", "high"]) == (["low", "high"], "")


def test_the_page_has_a_panel_for_every_protocol_with_the_numbers_of_the_result() -> None:
    page = Page(render_page([with_protocols(run())]))
    overview = [cells(one) for one in page.tables["What each protocol estimates, with 95 % intervals"]]
    assert overview[1][0].startswith("Persistence mean effect of rounds")
    assert overview[1][2:] == ["+0.20 [0.10, 0.30]", "12", ".004"]
    assert overview[3][2] == "0.20 [0.10, 0.30]", "an SD has no sign"
    assert overview[4][1] == "withheld: there are 0 items"
    assert "Measured: mean effect of rounds 2 to 4 : +0.20 [0.10, 0.30], n 12, p .004" in page.words
    assert "at strong intensity" in page.words
    assert "Left out: 5 items ( it has a single arm )" in page.words
    lines = [cells(one) for one in page.tables["trigger in round 1 alone, trigger in every round"]]
    assert lines[0][1:] == ["round 1", "round 2", "round 3", "round 4"]
    assert lines[2][:2] == ["Trigger in every round", "+0.10 [0.00, 0.20] n 12"]
    change = [cells(one) for one in page.tables["Change"]]
    assert change[2][0] == "fading" and change[2][2:] == ["−0.02 [−0.12, 0.08]", "12"]
    by_bias = [cells(one) for one in page.tables["The same estimand, bias by bias"]]
    assert ["Anchoring effect", "", "+0.40 [0.30, 0.50]", "6"] in by_bias
    assert ["Loss aversion", "withheld: too few"] in by_bias, "a bias that only the protocol names"
    assert ("a", {"href": "#protocols"}) in page.tags


def test_a_run_alone_has_its_lines_in_one_chart_and_runs_are_compared_group_by_group() -> None:
    one, two = (render_page([with_protocols(run(name=n)) for n in names]) for names in ("a", "ab"))
    assert one.count("Effect, trigger in round 1 alone and trigger in every round") == 2, "wide and narrow"
    assert two.count("Effect, trigger in every round.") == 1
    assert "trigger in round 1 alone and trigger" not in two
    assert one.count("Effect, after ") == two.count("Effect, after ") == 4


def test_runs_with_other_protocols_stand_side_by_side() -> None:
    plain = run(name="b", subject="openai/gpt-5-mini")
    only = msgspec.structs.replace(plain, protocols=[protocol("conversation", estimate(0.0, 0.1), [])])
    page = Page(render_page([with_protocols(run()), only]))
    rows = [cells(one) for one in page.tables["What each protocol estimates, with 95 % intervals"]]
    assert len(rows) == 6
    assert rows[-1][1] == "openai/gpt-5-mini"
    assert "Cannot tell whether pressure moves the answers." in page.words


def test_without_protocols_there_is_no_section_on_them() -> None:
    assert 'id="protocols"' not in render_page([run()])
    assert "Protocols" not in shown(run())


def test_a_run_without_the_standard_protocol_says_so_and_shows_the_others() -> None:
    page = Page(render_page([alone()]))
    assert page.words.count(NOT_STANDARD) == 2, "in the summary and in place of the effects"
    assert "Persistence : It lasts" in page.words
    text = " ".join(shown(alone()).split())
    assert text.count(NOT_STANDARD) == 1
    assert "Persistence (temporal-persistent)" in text
    assert NOT_STANDARD not in shown(with_protocols(run()))


@pytest.mark.parametrize("width", [80, 120])
def test_the_terminal_has_every_row_with_its_bar(width: int) -> None:
    text = shown(with_protocols(run()), width)
    assert all(len(line) <= width for line in text.splitlines())
    [head] = [line for line in text.splitlines() if line.strip().startswith("accumulation")]
    assert "+0.30 [0.20, 0.40]" in head and "●" in head and head.split()[-1] == "12"
    [quiet] = [line for line in text.splitlines() if line.strip().startswith("fading")]
    assert "○" in quiet, "the interval holds 0"
    flat = " ".join(text.split())
    assert "mean effect of rounds 2 to 4: +0.20 [0.10, 0.30], n 12, p .004" in flat
    assert "96 chats, 384 replies, all read left out: 5 items (it has a single arm)" in flat
    assert "No estimate: there are 0 items." in flat


def test_unread_replies_of_a_protocol_are_counted_with_their_reasons() -> None:
    made = msgspec.structs.replace(run(), protocols=[protocol(unread={"refused": 3, "ambiguous": 1})])
    assert "384 replies, 4 unread (refused 3, ambiguous 1)" in " ".join(shown(made).split())
    assert "4 unread ( refused 3, ambiguous 1 )" in Page(render_page([made])).words


def test_protocols_that_are_attacks_are_inert() -> None:
    html = render_page([hostile()])
    assert HOSTILE not in html
    page = Page(html)
    assert len(page.scripts) == 1
    assert not [tag for tag, _ in page.tags if tag in {"img", "bold"}]
    section = html[html.index('id="protocols"') : html.index('id="position"')]
    assert "<script" not in section
    assert "onerror=alert" not in "".join(
        f"{key}={value}" for _, a in page.tags for key, value in a.items() if key.startswith("on")
    )
    assert "nan" not in section.lower().replace("finance", "")

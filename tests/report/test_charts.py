from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from fiducial.bias.result import BiasResult
from fiducial.report.charts import BANDS, COLUMNS, NARROW, WIDE, WIDER, _stacked, forest, strips
from fiducial.report.panels import difficulty, dose, reliability
from fiducial.report.plot import SHAPES, TALL, Frame, Line, Series
from fiducial.report.scale import span, ticks
from fiducial.stats.estimate import Estimate
from tests.report.hostile import HOSTILE, hostile
from tests.report.made import bias, bins, calibration, fifteen, withheld

TAGS = {"svg", "g", "path", "line", "rect", "text", "title"}


def lines(*biases: BiasResult) -> list[Line]:
    return [Line(b.name, (b,)) for b in biases]


def text_of(svg: str) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(svg).iter("text")]


@pytest.mark.parametrize("frame", [WIDE, NARROW])
def test_every_bias_has_a_row_and_a_withheld_one_says_so(frame: Frame) -> None:
    [svg] = forest(lines(bias(), withheld()), frame=frame, name="f", label="what it shows")
    words = text_of(svg)
    assert "Anchoring effect" in words
    assert any(w.startswith("withheld: an interval needs") for w in words)
    assert 'role="img" aria-label="what it shows"' in svg
    assert ("+0.31 [0.12, 0.50]" in words) == (frame is WIDE)


def test_flagged_is_drawn_filled_and_other_hollow() -> None:
    [svg] = forest(lines(bias(), bias("loss_aversion", 0.02, q=0.8)), frame=WIDE, name="f", label="")
    marks = re.findall(r'<path [^>]*fill="([^"]+)" stroke="([^"]+)"', svg)
    assert ("var(--flag)", "var(--flag)") in marks
    assert ("var(--paper)", "var(--s1)") in marks


def test_marks_stand_where_the_numbers_say() -> None:
    one = bias(value=0.25, half=0.25)
    [svg] = forest(lines(one), frame=WIDE, name="f", label="")
    low, high = span([one.effect])  # type: ignore[list-item]
    x = {t: float(p) for p, t in re.findall(r'translate\(([\d.]+),[\d.]+\)"[^>]*>(0|\+0\.5)</text>', svg)}
    assert x["0"] == pytest.approx((0 - low) / (high - low) * WIDE.plot, abs=0.1)
    [(start, length)] = re.findall(
        r'<line transform="translate\(([\d.]+),[\d.]+\)" x2="([-\d.]+)"[^>]*stroke-width="2.5"', svg
    )
    assert {round(float(start)), round(float(start) + float(length))} == {round(x["0"]), round(x["+0.5"])}


def test_marks_carry_their_numbers_as_titles() -> None:
    [svg] = forest(lines(bias()), frame=WIDE, name="f", label="")
    assert "<title>Anchoring effect: +0.31 [0.12, 0.50], 15 items, flagged</title>" in svg


def test_colours_are_the_pages_own_so_that_themes_work() -> None:
    [svg] = forest(lines(bias()), frame=WIDE, name="f", label="")
    used = set(re.findall(r'(?:fill|stroke)="([^"]+)"', svg))
    assert {u for u in used if not u.startswith("var(--")} <= {"none", "transparent"}


def test_nothing_from_outside_reaches_the_drawing_as_markup() -> None:
    evil = [Line(b.name, (b,)) for b in hostile().biases]
    drawn = [
        *forest(evil, frame=WIDE, name="f", label=HOSTILE),
        *strips(evil, frame=WIDER, name="s", label=HOSTILE),
    ]
    drawn += [svg for line in evil for panel in (dose, difficulty) if (svg := panel(line, scale=(-1, 1), name="d"))]
    drawn.append(reliability(bins((0.9, 0.4, 3)), 0, name="r", label=HOSTILE))
    assert len(drawn) == 6
    for svg in drawn:
        assert {node.tag for node in ElementTree.fromstring(svg).iter()} <= {
            "svg",
            "g",
            "path",
            "line",
            "rect",
            "text",
            "title",
        }
        assert "http" not in svg
        assert "\x1b" not in svg
        assert "@@" not in svg


def test_several_drawings_share_no_id() -> None:
    drawn = forest(lines(*fifteen()), frame=WIDE, name="a", label="") + strips(
        lines(*fifteen()), frame=WIDER, name="b", label=""
    )
    ids = re.findall(r'\bid="([^"]+)"', "".join(drawn))
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("runs", [1, 3])
def test_many_biases_are_drawn_in_parts_that_fit_on_paper(runs: int) -> None:
    many = [Line(f"bias {k}", (bias(f"b{k}"),) * runs) for k in range(69)]
    for drawn in (
        forest(many, frame=WIDE, name="f", label=""),
        strips(many, frame=WIDER, name="s", label=""),
    ):
        assert sum(w.startswith("bias ") for svg in drawn for w in text_of(svg)) == len(many)
        assert all(float(ElementTree.fromstring(svg).get("height", "")) <= TALL + 40 for svg in drawn)


def test_every_item_is_a_dot() -> None:
    [svg] = strips(lines(bias(items=15)), frame=WIDER, name="s", label="")
    assert len(re.findall(r"<title>item-\d+: ", svg)) == 15


def test_equal_items_stay_countable() -> None:
    for n in (1, 5, 10, 60):
        for height in (34, BANDS - 6):
            places = _stacked([("x", 0.0)] * n, height)
            assert len({(right, down) for right, down, _ in places}) == n
            assert max(abs(down) for _, down, _ in places) <= height / 2
            assert len({right for right, _, _ in places}) <= COLUMNS


def test_a_bias_with_one_intensity_has_no_dose_response() -> None:
    one = bias()
    assert dose(Line("x", (one,)), scale=(-1, 1), name="d") is not None
    assert dose(Line("x", (withheld(),)), scale=(-1, 1), name="d") is None
    assert dose(Line("x", (calibration(),)), scale=(-1, 1), name="d") is None


def test_the_scale_holds_every_interval_and_always_labels_zero() -> None:
    assert span([]) == (-0.2, 0.4)
    for low, high in ((-0.9, -0.5), (0.3, 0.99), (-1.0, 1.0), (-0.02, 0.01)):
        scale = span([Estimate(value=low, low=low, high=high, n=3, method="")])
        assert scale[0] <= low < high <= scale[1]
        for most in (4.5, 9):
            assert 0 in ticks(scale, most=most)
            assert len(ticks(scale, most=most)) <= most + 1


def test_zero_is_among_the_labels_that_are_drawn() -> None:
    svg = dose(Line("x", (bias(),)), scale=(-0.2, 0.7), name="d")
    assert svg is not None
    assert "0" in text_of(svg)


def test_each_run_has_its_own_colour_and_shape() -> None:
    seen = [Series.of(k) for k in range(len(SHAPES) * 2)]
    assert len({(s.colour, s.shape) for s in seen}) == len(seen)
    [svg] = forest([Line("x", (bias(), bias(value=0.4), None))], frame=WIDE, name="f", label="")
    assert "var(--s1)" in svg
    assert "var(--s2)" in svg
    assert "not in this run" in text_of(svg)


def test_by_difficulty_is_drawn_where_two_difficulties_have_an_estimate() -> None:
    svg = difficulty(Line("x", (calibration(), None)), scale=(-0.2, 0.6), name="s")
    assert svg is not None
    assert [w for w in text_of(svg) if w in "12345"] == ["1", "2", "3", "4", "5"]
    assert "<title>4: +0.20 [0.10, 0.30], 6 items</title>" in svg
    assert difficulty(Line("x", (bias(),)), scale=(-1, 1), name="s") is None


def test_a_reliability_diagram_places_every_bin_by_confidence_and_accuracy() -> None:
    svg = reliability(bins((0.55, 0.5, 4), (0.95, 0.7, 40)), 1, name="r", label="what it shows")
    assert "stroke-dasharray" in svg, "the line of perfect calibration"
    assert "<title>stated 95 % on average, right 70 % [50 %, 90 %], 20 questions, 40 replies</title>" in svg
    dots = re.findall(
        r'<path [^>]*transform="translate\(([\d.]+),([\d.]+)\)"[^>]*d="([^"]+)"[^>]*fill="var\(--s2\)"', svg
    )
    assert len(dots) == 2
    (x, y, small), (right, up, large) = dots
    assert (float(right) - float(x)) / 196 == pytest.approx(0.4, abs=0.01)
    assert (float(y) - float(up)) / 196 == pytest.approx(0.2, abs=0.01)
    assert small != large, "the area follows the number of answers"

"""The signs of a text: a pattern is passed over only where it cannot match."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fiducial.bias.read import Option, around, cues, marks, moods, read, signs, touch
from fiducial.bias.read.text import clean, clean_numbers

REPLIES = [
    json.loads(line)["response"]
    for line in (Path(__file__).parent / "hard.jsonl").read_text(encoding="utf-8").splitlines()
]
SIGNED = [
    (cues.OTHERS, signs.OTHERS),
    (cues.HYPOTHESIS, signs.HYPOTHESIS),
    (cues.FORCED, signs.FORCED),
    (cues._VETO, signs.VETO),
    (cues.WRONG, signs.WRONG),
    (cues.BAD_ANSWER, signs.BAD_ANSWER),
    (cues.FAVOURS, signs.FAVOURS),
    (cues.FORCED_LEFT, signs.FORCES),
    (marks.DOUBT, signs.DOUBT),
    (marks.MAYBE, signs.MAYBE),
    (around.DENIED, signs.DENIED),
    (around.LIMIT_LEFT, signs.DENIED),
    (around.LIMITS, signs.DENIED),
    (around.CHANGE, signs.CHANGE),
    (around.CONFIDENCE_LEFT, signs.CONFIDENT),
    (around.IF_LEFT, signs.SUPPOSED),
    (around.UNDER_LEFT, signs.UNDER),
    (around.CALLS_LEFT, signs.CALLED),
    (around.ANSWER_LEFT, signs.ANSWER),
    (around.OWN_LEFT, signs.WHO),
    (moods.OTHERS, signs.OF_OTHERS),
    (moods.DOUBTS, signs.DOUBTS),
    (moods.MAKES, signs.MAKES),
    (moods.UNWISE, signs.UNWISE),
    (moods.NEGATED, signs.NEGATED),
    (moods.POINTS, signs.POINTS),
    (moods.VERDICT, signs.VERDICT),
    (moods.IT_IS, signs.IT_IS),
    (moods.OWN, signs.OWN),
    (moods.NOR, signs.NOR),
]


@pytest.mark.parametrize(("pattern", "sign"), SIGNED)
def test_every_reply_that_a_pattern_matches_has_its_sign(pattern: re.Pattern[str], sign: int) -> None:
    for reply in REPLIES[::4]:
        for low in (clean(reply).lower(), clean_numbers(reply).lower()):
            if pattern.search(low):
                assert signs.signs(low) & sign, low


@pytest.mark.parametrize(("pattern", "sign"), SIGNED)
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_text_made_to_match_a_pattern_has_its_sign(
    data: st.DataObject, pattern: re.Pattern[str], sign: int
) -> None:
    low = data.draw(st.from_regex(pattern)).lower()
    if pattern.search(low):
        assert signs.signs(low) & sign
        assert signs.signs_of(low) & sign


@pytest.mark.parametrize("pattern", [cues.WINS_RIGHT, cues.IS_RIGHT, marks.MOST_RIGHT, marks.MORE_RIGHT])
@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_praise_after_a_mention_is_passed_over(data: st.DataObject, pattern: re.Pattern[str]) -> None:
    low = "b" + data.draw(st.from_regex(pattern)).lower()
    if pattern.match(low, 1):
        assert touch.praises(low, 1)


CLINIC = (Option("A", "The large hospital"), Option("B", "The small clinic"))


@pytest.mark.parametrize(
    ("response", "status", "answer", "rule"),
    [
        ("B) The small clinic.", "read", "B", "last-line"),
        ("(A) The large hospital", "read", "A", "last-line"),
        ("A) The small clinic.", "ambiguous", None, "both"),
        ("The answer is B.", "read", "B", "answer-is"),
        ("The answer is the small clinic.", "read", "B", "answer-is"),
    ],
)
def test_a_reply_that_only_copies_an_option_is_read_the_short_way(
    response: str, status: str, answer: str | None, rule: str
) -> None:
    reading = read(response, "option", options=CLINIC)
    assert (reading.status, reading.answer, reading.rule) == (status, answer, rule)


def test_a_label_inside_the_text_that_is_copied_still_speaks() -> None:
    compounds = tuple(Option(label, f"Compound {label}") for label in "ABC")
    asked = "Which one is it?\n" + "\n".join(f"({one.label}) {one.text}" for one in compounds)
    reading = read("A. Compound B.", "option", options=compounds, prompt=asked)
    assert (reading.answer, reading.rule) == ("B", "lone-token")


@pytest.mark.parametrize(
    "said", ["The answer is 62.", "My best estimate is 62", "The answer to this puzzle is 62.\n"]
)
def test_a_sentence_that_only_gives_the_number_is_read_the_short_way(said: str) -> None:
    reading = read(said, "numeric", prompt="How many are there?")
    assert (reading.answer, reading.rule) == (62.0, "answer-is")
    assert reading.span is not None
    assert said[slice(*reading.span)] == "62"

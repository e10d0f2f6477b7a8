from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from random import Random

import pytest

from fiducial.model.request import Choice
from fiducial.model.sim import phrasing

CHOICES = (
    Choice("A", "Take the sure payment.", "safe"),
    Choice("B", "Take the gamble.", "risky"),
    Choice("C", "Wait until next year.", "other"),
)
ORDINALS = ("first", "second", "third")


def draws(count: int = 4000) -> Sequence[int]:
    random = Random(1)
    return [random.getrandbits(64) for _ in range(count)]


def shape(text: str, *values: str) -> str:
    """A reply without its reasons and its answer: replies of one template have one shape."""
    for reason in phrasing.REASONS:
        text = text.replace(reason, "…")
    for value in values:
        text = re.sub(rf"(?<![\w.]){re.escape(value)}(?!\w)", "_", text)
    return text


def test_options_come_in_many_phrasings() -> None:
    shapes = {shape(phrasing.option(1, CHOICES[:2], d), "A", "B", "Take the gamble", "second") for d in draws()}
    assert len(shapes) >= 40


def test_numbers_come_in_many_phrasings() -> None:
    shapes = {re.sub(r"[\d.,]*\d", "_", shape(phrasing.number(431.5, 0, 1000, d))) for d in draws()}
    assert len(shapes) >= 22


@pytest.mark.parametrize("yes", [True, False])
def test_yes_and_no_come_in_many_phrasings(yes: bool) -> None:
    assert len({shape(phrasing.yes_no(yes, d)) for d in draws()}) >= 18


def test_refusals_come_in_many_phrasings_and_never_hint_at_an_answer() -> None:
    texts = {phrasing.refusal(d) for d in draws()}
    assert len(texts) >= 8
    assert not any(re.search(r"\b[B-HJ-Z]\b|\d|\b(option|yes|no|first|second)\b", t) for t in texts)


@pytest.mark.parametrize("slot", [0, 1, 2])
def test_the_last_option_that_a_reply_names_is_the_chosen_one(slot: int) -> None:
    """A person reads the last commitment. The two phrasings that end on the rejected option say so."""
    mentions = re.compile(
        r"(?<![\w'])([ABC])(?![\w']| close)|\b(first|second|third) (?:one|option)|(sure payment|gamble|next year)"
    )
    texts = ("sure payment", "gamble", "next year")
    for draw in draws():
        reply = phrasing.option(slot, CHOICES, draw)
        names = []
        for letter, ordinal, text in mentions.findall(reply):
            names.append("ABC".index(letter) if letter else (ORDINALS + texts).index(ordinal or text) % 3)
        if "rather than" in reply:
            names.reverse()
        assert names[-1] == slot, reply


def test_option_replies_in_json_are_json() -> None:
    found = 0
    for draw in draws():
        reply = phrasing.option(1, CHOICES, draw)
        if "{" in reply and "boxed" not in reply:
            body = reply.removeprefix("```json\n").removesuffix("\n```")
            assert json.loads(body)["answer"] == "B"
            found += 1
    assert found > 100


def test_an_option_is_quoted_only_where_its_text_tells_it_apart() -> None:
    alike = (Choice("A", "Sell", "x"), Choice("B", "Sell half", "y"))
    many_lines = (Choice("A", "One\nTwo", "x"), Choice("B", "Three\nFour", "y"))
    for draw in draws(1000):
        assert "Sell" not in phrasing.option(0, alike, draw)
        assert "Sell" not in phrasing.option(1, alike, draw)
        assert "One" not in phrasing.option(0, many_lines, draw)


def test_ordinals_are_used_only_where_place_and_label_agree() -> None:
    shuffled = (Choice("B", "x1", "x"), Choice("A", "x2", "y"))
    odd = (Choice("X", "x1", "x"), Choice("Y", "x2", "y"))
    for draw in draws(1000):
        for choices in (shuffled, odd):
            assert not re.search(r"\b(first|second) (one|option)", phrasing.option(0, choices, draw))


def test_braces_and_quotes_in_an_option_are_only_text() -> None:
    choices = (Choice("A", "Use {label} and {0}", "x"), Choice("B", 'Say "no"', "y"))
    quoted = 0
    for draw in draws(1000):
        quoted += "Use {label} and {0}" in phrasing.option(0, choices, draw)
        assert 'Say "no"' not in phrasing.option(1, choices, draw)
    assert quoted > 50


def test_a_single_option_is_chosen_without_mention_of_another() -> None:
    assert {phrasing.option(0, CHOICES[:1], d) for d in draws(500)} >= {"Answer: A"}


def numbers_in(text: str) -> list[float]:
    found = []
    pattern = r"(-?\d[\d,]*\.?\d*)(?:\s*×\s*10\^(-?\d+))?\s*(%|percent|million|billion)?"
    for digits, power, unit in re.findall(pattern, text):
        scale = {"million": 1e6, "billion": 1e9}.get(unit, 1.0) * 10.0 ** int(power or 0)
        found.append(float(digits.rstrip(".").replace(",", "")) * scale)
    return found


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [
        (431.52, 0, 1000),
        (0.4312, 0, 1),
        (-12.5, -50, 50),
        (1_200_000, 0, 5_000_000),
        (1_234_500, 0, 5_000_000),
        (45_678, 0, 100_000),
        (7.25e9, 0, 1e10),
        (6.67e30, 0, 1e31),
        (0.00031, 0, 0.001),
        (0, 0, 100),
        (100, 0, 100),
    ],
)
def test_every_way_to_write_a_number_stands_for_exactly_that_number(value: float, low: float, high: float) -> None:
    for draw in draws(1500):
        reply = phrasing.number(value, low, high, draw)
        assert "e+" not in reply and "E+" not in reply
        assert any(math.isclose(n, value, rel_tol=1e-12) for n in numbers_in(reply)), reply


def test_large_numbers_are_written_in_words_with_separators_and_as_powers() -> None:
    replies = " | ".join(phrasing.number(12_500_000, 0, 5e7, d) for d in draws(500))
    assert "12.5 million" in replies
    assert "12,500,000" in replies
    assert "1.25 × 10^7" in replies
    assert "12.345" not in " | ".join(phrasing.number(12_345_678.25, 0, 5e7, d) for d in draws(500))


def test_percentages_appear_only_where_they_fit_and_mean_the_same() -> None:
    points = [phrasing.number(43.25, 0, 100, d, percent=True) for d in draws(500)]
    shares = [phrasing.number(0.4325, 0, 1, d, percent=True) for d in draws(500)]
    assert any("43.25%" in text for text in points)
    assert any("43.25%" in text for text in shares)
    assert any("0.4325" in text for text in shares)
    assert not any("%" in phrasing.number(43.25, 0, 100, d) for d in draws(500))
    assert not any("%" in phrasing.number(43.25, 0, 80, d, percent=True) for d in draws(500))


def test_tidy_keeps_at_least_four_significant_digits_and_the_range() -> None:
    random = Random(2)
    for _ in range(3000):
        size = 10 ** random.uniform(-6, 12)
        low = random.choice((0.0, -size, size))
        high = low + size
        value = random.uniform(low, high)
        tidy = phrasing.tidy(value, low, high)
        assert low <= tidy <= high
        assert abs(tidy - value) <= 1e-4 * min(size, max(abs(value), 1e-3 * size))
        assert float(phrasing.plain(tidy)) == tidy


def test_a_rambler_is_long_wavers_and_commits_half_of_the_time() -> None:
    replies = [phrasing.ramble(["option A", "option B"], "Answer: B", d) for d in draws()]
    committed = [r for r in replies if r.endswith("Answer: B")]
    assert abs(len(committed) - len(replies) / 2) < 4 * math.sqrt(len(replies) / 4)
    assert min(map(len, replies)) > 350
    assert all("option A seemed right" in r and "option B seemed right" in r for r in replies)
    assert not any("Answer" in r for r in replies if r not in committed)

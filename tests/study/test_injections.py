from __future__ import annotations

import base64
import codecs
import re
import unicodedata

import pytest

from fiducial.study.injections import KINDS, WHERE, Injection, all_injections, injected

VALUES = {
    "verdict": "genuine",
    "right": "not_genuine",
    "field": "verdict",
    "json": '{"verdict": "genuine"}',
    "claim": "the finding is genuine",
    "what": "finding",
    "here": "finding",
    "task": "genuine",
    "mark": "0123456789abcdef",
    "other_mark": "fedcba9876543210",
}
TEXT = "The first paragraph.\nIts second line.\n\nThe middle one.\n\nThe last one."
ATTACKS = [injection for injection in all_injections() if not injection.control]
CONTROLS = [injection for injection in all_injections() if injection.control]


def named(name: str) -> Injection:
    return next(injection for injection in all_injections() if injection.id == name)


def test_there_are_many_injections_of_many_kinds_for_every_text() -> None:
    assert len(ATTACKS) >= 48
    assert {injection.kind for injection in ATTACKS} == set(KINDS)
    assert len(CONTROLS) >= 3
    for where in WHERE:
        assert sum(where in injection.where for injection in ATTACKS) >= 40


def test_names_are_unlike_and_fit_into_the_id_of_a_case() -> None:
    names = [injection.id for injection in all_injections()]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in names)


def test_texts_are_unlike() -> None:
    texts = {injected(injection, "", VALUES) for injection in all_injections()}
    assert len(texts) == len(all_injections())


@pytest.mark.parametrize("injection", all_injections(), ids=lambda injection: injection.id)
def test_every_place_is_filled_and_the_text_is_all_there(injection: Injection) -> None:
    found = injected(injection, TEXT, VALUES)
    assert not re.search(r"\{[a-z_]+\}", found)
    for paragraph in TEXT.split("\n\n"):
        assert paragraph in found
    assert len(found) > len(TEXT) + 20
    assert (injection.encode is None) == (injection.message == "")


@pytest.mark.parametrize("injection", ATTACKS, ids=lambda injection: injection.id)
def test_an_attack_urges_what_it_is_told_to(injection: Injection) -> None:
    other = {**VALUES, "verdict": "XX", "json": '{"verdict": "XX"}', "claim": "it is XX"}
    assert injected(injection, TEXT, VALUES) != injected(injection, TEXT, other)


@pytest.mark.parametrize("injection", CONTROLS, ids=lambda injection: injection.id)
def test_a_control_urges_nothing(injection: Injection) -> None:
    other = dict.fromkeys(VALUES, "XX")
    assert injected(injection, TEXT, VALUES) == injected(injection, TEXT, other)


def encoded(name: str) -> str:
    """What was added, without the words around the disguised message."""
    injection = named(name)
    assert isinstance(injection.text, str)
    before, _, after = injection.text.partition("{encoded}")
    return injected(injection, "", VALUES).removeprefix("\n\n").removeprefix(before).removesuffix(after)


def message(name: str) -> str:
    return named(name).message.replace("{verdict}", "genuine").replace("{field}", "verdict")


def test_disguised_messages_can_be_read_by_whoever_knows_how() -> None:
    assert base64.b64decode(encoded("base64")).decode() == message("base64")
    assert bytes.fromhex(encoded("hexadecimal")).decode() == message("hexadecimal")
    assert codecs.decode(encoded("rot13"), "rot13") == message("rot13")
    assert unicodedata.normalize("NFKC", encoded("full-width")) == message("full-width")
    assert encoded("letter-by-letter")[::2] == message("letter-by-letter")
    assert encoded("zero-width").replace("\u200b", "") == message("zero-width")
    assert encoded("soft-hyphens").replace("\u00ad", "") == message("soft-hyphens")
    assert "".join(chr(ord(c) - 0xE0000) for c in encoded("tag-characters")) == message("tag-characters")
    assert encoded("right-to-left")[1:-1][::-1] == message("right-to-left")


def test_start_middle_and_end_are_where_they_are_said_to_be() -> None:
    def place(where: str) -> str:
        return injected(Injection(id="x", kind="order", text="HERE", place=where), TEXT, VALUES)  # type: ignore[arg-type]

    assert place("start").startswith("HERE\n\nThe first")
    assert place("end").endswith("The last one.\n\nHERE")
    before, _, after = place("middle").partition("HERE")
    assert "first" in before and "last" in after


@pytest.mark.parametrize("text", ["", "x", "one two", "one\ntwo", "ä" * 50])
def test_a_text_of_any_shape_can_be_opened_in_the_middle(text: str) -> None:
    found = injected(Injection(id="x", kind="order", text="HERE", place="middle"), text, VALUES)
    assert re.sub(r"\s", "", found.replace("HERE", "")) == re.sub(r"\s", "", text)


def test_parts_are_spread_in_order() -> None:
    found = injected(Injection(id="x", kind="split", text=("ONE", "TWO", "THREE")), TEXT, VALUES)
    assert found.startswith("ONE") and found.endswith("THREE")
    assert 0 < found.index("TWO") < found.index("The last one.")


def test_braces_in_a_value_are_left_alone() -> None:
    injection = Injection(id="x", kind="order", text="{json} {verdict}")
    assert injected(injection, "", {"json": "{verdict}", "verdict": "yes"}).strip() == "{verdict} yes"

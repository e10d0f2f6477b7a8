"""The messages of a stored body are those that were asked to be sent, in every wire format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.model.python import canonical
from fiducial.model.request import Message, Request, Settings, WireRequest
from fiducial.model.spoken import Spoken, around, spoken
from fiducial.model.wire import Terms, anthropic, google, openai

CHAT = (
    Message("system", "Be brief."),
    Message("user", "A long document. And a question", prefix=16),
    Message("assistant", "{no}"),
    Message("user", "Again: \u202e <b>"),
)
REQUEST = WireRequest(CHAT, Settings(temperature=0.5, max_tokens=9, schema={"type": "object"}))
Encode = Callable[[WireRequest, str, Terms], dict[str, Any]]


@pytest.mark.parametrize("encode", [openai.encode, anthropic.encode, google.encode])
def test_the_messages_come_back_out_of_every_wire_format(encode: Encode) -> None:
    found = spoken(msgspec.json.encode(encode(REQUEST, "m", Terms())))
    assert found is not None
    assert [one.text for one in found] == [m.text for m in CHAT]
    assert [one.role.replace("model", "assistant") for one in found] == [m.role for m in CHAT]


def test_the_messages_come_back_out_of_what_is_handed_to_models_on_this_machine() -> None:
    found = spoken(canonical(Request(CHAT, REQUEST.settings)))
    assert found == [Spoken(m.role, m.text) for m in CHAT]


def test_what_is_sent_beside_the_messages_keeps_the_names_it_was_sent_under() -> None:
    sent = around(msgspec.json.encode(google.encode(REQUEST, "m", Terms())))
    assert sent is not None
    assert sent["generationConfig.temperature"] == 0.5
    assert sent["generationConfig.responseJsonSchema"] == {"type": "object"}
    assert not {"contents", "systemInstruction"} & set(sent)


@given(
    st.binary(max_size=60) | st.sampled_from([b"outputs/a.md", b"[1]", b'{"messages": [1]}', b'{"messages": []}'])
)
def test_any_other_body_is_left_alone(body: bytes) -> None:
    assert spoken(body) is None
    around(body)

"""The real SmolLM2, end to end. The weights come into the user's own cache, where they may be already."""

from __future__ import annotations

import asyncio
import json
import math
import os
import signal
from collections.abc import Iterator

import aiohttp
import pytest

from fiducial.model.local.catalogue import find
from fiducial.model.local.fetch import place
from fiducial.model.local.model import RESTARTS, LocalModel, open_local
from fiducial.model.reply import CallFailed, Reply
from fiducial.model.request import Message, Request, Settings
from tests.model.local.test_server import running

pytestmark = pytest.mark.local
pytest.importorskip("xllamacpp")


class Opened:
    """A model that stays open for several tests, in an event loop of its own."""

    def __init__(self, model: LocalModel) -> None:
        self.model = model
        self.runner = asyncio.Runner()

    def __enter__(self) -> Opened:
        self.runner.run(self.model.__aenter__())
        return self

    def __exit__(self, *_: object) -> None:
        self.runner.run(self.model.__aexit__(None, None, None))
        self.runner.close()

    def ask(self, text: str, **settings: object) -> Reply:
        return self.runner.run(self.model.call(request(text, **settings)))

    def post(self, path: str, body: dict[str, object]) -> dict[str, object]:
        async def send() -> dict[str, object]:
            assert self.model._server is not None
            async with (
                aiohttp.ClientSession(self.model._server.address) as session,
                session.post(path, json=body) as response,
            ):
                found: dict[str, object] = await response.json()
                return found

        return self.runner.run(send())


def request(text: str, **settings: object) -> Request:
    return Request((Message("user", text),), Settings(**settings))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def smollm2() -> Iterator[Opened]:
    with Opened(open_local("smollm2")) as opened:
        yield opened


@pytest.fixture(scope="module")
def single() -> Iterator[Opened]:
    with Opened(open_local("smollm2", slots=1)) as opened:
        yield opened


def test_a_chat_call_is_answered_by_the_model_and_not_by_a_path(smollm2: Opened) -> None:
    asked = request("What is the capital of France?", temperature=0.0, max_tokens=20, seed=1)
    reply = smollm2.ask("What is the capital of France?", temperature=0.0, max_tokens=20, seed=1)
    assert "Paris" in reply.text
    assert reply.sent == smollm2.model.encode(asked)
    assert reply.reported.model == "smollm2"
    assert reply.not_sent == ()


def test_the_facts_name_the_weights_and_how_they_are_run(smollm2: Opened) -> None:
    facts = smollm2.model.facts()
    assert facts["weights_sha256"] == find("smollm2").sha256
    assert (facts["slots"], facts["context"]) == ("4", "4096")
    assert "template_system" not in facts and "template_unknown" not in facts


def test_no_system_message_is_added_to_a_chat_that_has_none(smollm2: Opened) -> None:
    rendered = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
    template = smollm2.post("/apply-template", {"messages": [{"role": "user", "content": "Hi"}]})
    assert template["prompt"] == rendered
    tokens = smollm2.post("/tokenize", {"content": rendered, "parse_special": True})["tokens"]
    assert isinstance(tokens, list)
    assert smollm2.ask("Hi", max_tokens=1).reported.input_tokens == len(tokens)


def test_a_file_whose_template_adds_a_system_message_says_so() -> None:
    with Opened(open_local(str(place(find("smollm2"))), slots=1)) as opened:
        facts = opened.model.facts()
        assert "helpful AI assistant named SmolLM" in facts["template_system"]
        reply = opened.ask("Hi", max_tokens=1)
        assert reply.reported.model == find("smollm2").file
        assert str(place(find("smollm2")).parent) not in json.dumps(facts) + reply.sent.decode()


def test_the_same_seed_gives_the_same_text_and_another_seed_another(single: Opened) -> None:
    texts = [single.ask("Tell me a story.", seed=seed, max_tokens=40).text for seed in (5, 5, 6)]
    assert texts[0] == texts[1] != texts[2]


def test_the_sampler_does_not_cut_the_distribution(single: Opened) -> None:
    body = json.loads(single.model.encode(request("Name any word.", max_tokens=1, seed=1)))
    body |= {"logprobs": True, "top_logprobs": 60, "post_sampling_probs": True}

    def alternatives(body: dict[str, object]) -> int:
        choices = single.post("/v1/chat/completions", body)["choices"]
        return len(choices[0]["logprobs"]["content"][0]["top_probs"])  # type: ignore[index]

    assert alternatives(body) == 60
    assert alternatives({name: body[name] for name in body if name not in ("top_k", "top_p", "min_p")}) <= 40


def test_a_token_limit_makes_a_reply_truncated(smollm2: Opened) -> None:
    reply = smollm2.ask("Count to one hundred.", max_tokens=3, seed=1)
    assert reply.status == "truncated"
    assert reply.reported.output_tokens == 3


def test_a_schema_is_kept_to(smollm2: Opened) -> None:
    schema = {
        "type": "object",
        "properties": {"answer": {"enum": ["A", "B"]}, "sure": {"type": "boolean"}},
        "required": ["answer", "sure"],
        "additionalProperties": False,
    }
    reply = smollm2.ask("A or B? Reply in JSON.", schema=schema, seed=3, max_tokens=200)
    parsed = json.loads(reply.text)
    assert parsed["answer"] in ("A", "B") and isinstance(parsed["sure"], bool)


def test_a_grammar_is_kept_to(smollm2: Opened) -> None:
    for seed in range(5):
        assert smollm2.ask("Well?", grammar='root ::= "yes" | "no"', seed=seed).text in ("yes", "no")


def test_log_probabilities_come_with_their_alternatives(smollm2: Opened) -> None:
    reply = smollm2.ask("What is 2 + 2?", logprobs=3, max_tokens=4, seed=1)
    assert reply.tokens is not None and len(reply.tokens) == reply.reported.output_tokens
    for token in reply.tokens:
        assert token.logprob <= 0 and len(token.top) == 3
        assert sum(math.exp(logprob) for _, logprob in token.top) <= 1.001


def test_a_shared_prefix_is_computed_once(single: Opened) -> None:
    document = "The ship left the harbour at dawn, and nobody waved. " * 20
    single.ask(document + "Who waved?", max_tokens=1)
    reply = single.ask(document + "When did it leave?", max_tokens=1)
    assert reply.reported.input_tokens is not None and reply.reported.cached_tokens is not None
    assert reply.reported.input_tokens - 30 < reply.reported.cached_tokens < reply.reported.input_tokens


def test_a_prompt_longer_than_the_context_is_too_long(smollm2: Opened) -> None:
    with pytest.raises(CallFailed) as caught:
        smollm2.ask("word " * 6000)
    assert caught.value.kind == "too_long"


def test_hundreds_of_calls_on_kept_connections_all_arrive(smollm2: Opened) -> None:
    async def many() -> list[Reply]:
        free = asyncio.Semaphore(smollm2.model.slots)

        async def one(n: int) -> Reply:
            async with free:
                return await smollm2.model.call(request("Hi", max_tokens=1, seed=n))

        return await asyncio.gather(*(one(n) for n in range(300)))

    assert len(smollm2.runner.run(many())) == 300


def test_llama_says_nothing_on_our_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    async def once() -> int:
        async with open_local("smollm2") as model:
            await model.call(request("Hi", max_tokens=1))
            assert model._server is not None
            return model._server.pid

    assert not running(asyncio.run(once()))
    assert capfd.readouterr() == ("", "")


def test_an_exception_inside_the_block_ends_the_child() -> None:
    pids = []

    async def once() -> None:
        async with open_local("smollm2") as model:
            assert model._server is not None
            pids.append(model._server.pid)
            raise ValueError("on purpose")

    with pytest.raises(ValueError, match="on purpose"):
        asyncio.run(once())
    assert not running(pids[0])


def test_a_crashed_server_is_started_again_a_few_times_and_no_more() -> None:
    async def crash(model: LocalModel) -> CallFailed:
        assert model._server is not None
        call = asyncio.create_task(model.call(request("Tell me everything.", max_tokens=3000)))
        await asyncio.sleep(0.05)
        os.kill(model._server.pid, signal.SIGKILL)
        with pytest.raises(CallFailed) as caught:
            await call
        return caught.value

    async def check() -> None:
        async with open_local("smollm2", slots=1) as model:
            for _ in range(RESTARTS):
                failure = await crash(model)
                assert failure.kind == "connection" and "SIGKILL" in failure.message
                assert (await model.call(request("Hi", max_tokens=1))).reported.output_tokens == 1
            await crash(model)
            with pytest.raises(CallFailed, match="crashed 4 times") as caught:
                await model.call(request("Hi", max_tokens=1))
            assert caught.value.kind == "crashed" and not caught.value.retryable

    asyncio.run(check())

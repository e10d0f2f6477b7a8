"""Settings that an API rejects."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from fiducial.model.remote import open_remote
from fiducial.model.reply import CallFailed
from tests.model.calls import asking, call, error, fail
from tests.model.servers import Answer, Seen, Server, anthropic_reply, google_reply, openai_reply


def picky(rejects: Callable[[dict[str, Any]], Any], reply: Any = None) -> Server:
    """A server that answers 400 with what `rejects` makes of a body, unless that is None.

    After a hundred requests it gives in, so that a client that asks for ever fails its test, not the run.
    """

    def script(seen: Seen) -> Any:
        complaint = rejects(seen.json) if len(server.seen) < 100 else None
        return Answer(status=400, body=complaint) if complaint else reply or openai_reply("B")

    server = Server(script=script)
    return server


def test_a_rejected_temperature_is_left_out_and_remembered() -> None:
    said = "Unsupported value: 'temperature' does not support 0.3 with this model."

    async def main() -> None:
        server = picky(lambda body: error(said, param="temperature") if "temperature" in body else None)
        async with server, open_remote("openai", "m", server.env()) as model:
            first = await model.call(asking(temperature=0.3, seed=1))
            assert len(server.seen) == 2
            second = await model.call(asking(temperature=0.3, seed=1))
            assert len(server.seen) == 3
            assert "temperature" not in server.seen[2].json
            assert server.seen[2].json["seed"] == 1
            assert first.not_sent == second.not_sent == ("temperature",)
            assert first.sent == server.seen[1].body
            assert model.encode(asking(temperature=0.3, seed=1)) == second.sent
            assert model.learned() == {"temperature": said}

    asyncio.run(main())


def test_what_was_learned_is_taken_over_by_the_next_part_of_a_run() -> None:
    async def main() -> None:
        async with Server(openai_reply("B")) as server:
            learned = {"temperature": "no", "max_tokens as max_tokens": "the old name", "unheard of": "x"}
            async with open_remote("openai", "m", server.env()) as model:
                model.recall(learned)
                await model.call(asking(temperature=0.3, max_tokens=9))
                assert "temperature" not in server.seen[0].json
                assert server.seen[0].json["max_tokens"] == 9
                assert "max_completion_tokens" not in server.seen[0].json
                assert model.learned() == {k: v for k, v in learned.items() if k != "unheard of"}

    asyncio.run(main())


@pytest.mark.parametrize(
    ("provider", "model", "wants"),
    [
        ("openai", "m", "max_tokens"),
        ("openai", "m", "max_completion_tokens"),
        ("xai", "m", "max_completion_tokens"),
        ("openai-api", "test/m", "max_completion_tokens"),
        ("openai-api", "test/m", "max_tokens"),
    ],
)
def test_the_limit_goes_by_the_name_that_the_api_wants(provider: str, model: str, wants: str) -> None:
    other = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}[wants]
    said = f"Unsupported parameter: '{other}' is not supported with this model. Use '{wants}' instead."

    async def main() -> None:
        server = picky(lambda body: error(said) if other in body else None)
        async with server, open_remote(provider, model, server.env()) as opened:
            for _ in range(2):
                reply = await opened.call(asking(max_tokens=50))
                assert reply.not_sent == ()  # it was sent, under the name the API takes
            assert server.seen[-1].json[wants] == 50
            first = "max_completion_tokens" if provider == "openai" else "max_tokens"
            assert len(server.seen) == (2 if wants == first else 3)
            assert opened.learned() == ({} if wants == first else {f"max_tokens as {wants}": said})

    asyncio.run(main())


def test_an_api_that_takes_neither_name_ends_the_matter() -> None:
    async def main() -> None:
        server = picky(lambda body: error(f"no {next(f for f in body if f.startswith('max'))} here"))
        async with server, open_remote("openai", "m", server.env()) as model:
            for sent in (2, 3):
                with pytest.raises(CallFailed) as failed:
                    await model.call(asking(max_tokens=50))
                assert failed.value.kind == "bad_request"
                assert len(server.seen) == sent

    asyncio.run(main())


@pytest.mark.parametrize(
    ("provider", "complaint", "dropped"),
    [
        ("openai", error("`temperature` may only be set to 1 when thinking is enabled"), "temperature"),
        ("openai", error("bad value", param="response_format.json_schema.schema"), "schema"),
        ("openai", error("`top_p` and `temperature` cannot both be specified for this model."), "top_p"),
        ("openai", error("`temperature` and `top_p` cannot both be specified for this model."), "top_p"),
        ("openai", error("'logprobs' is not supported with this model.", param="logprobs"), "logprobs"),
        ("openai", error("Unsupported parameter: 'stop' is not supported"), "stop"),
        ("openai", {"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}, "seed"),
        ("openai", {"message": {"detail": [{"loc": ["body", "stop"], "msg": "Extra inputs"}]}}, "stop"),
        ("openai", [error('Invalid JSON payload received. Unknown name "seed": Cannot find field.')], "seed"),
        (
            "openai",
            error("Provider returned error", code=400, metadata={"raw": '{"message":"seed is not supported"}'}),
            "seed",
        ),
        ("xai", {"code": "c", "error": "Model m does not support parameter reasoningEffort."}, "reasoning_effort"),
        ("xai", {"code": "c", "error": "Argument not supported on this model: stop"}, "stop"),
        ("anthropic", error("`temperature` is deprecated for this model."), "temperature"),
        ("anthropic", error("temperature: Extra inputs are not permitted"), "temperature"),
        ("anthropic", error("`temperature` and `top_p` cannot both be specified for this model."), "top_p"),
        ("anthropic", error("This model does not support the effort parameter."), "reasoning_effort"),
        ("anthropic", error("output_config.format: Extra inputs are not permitted"), "schema"),
        (
            "google",
            {"error": {"code": 400, "message": "Thinking level is not supported for this model."}},
            "reasoning_effort",
        ),
        ("google", {"error": {"code": 400, "message": "Logprobs is not enabled for models/m"}}, "logprobs"),
        (
            "google",
            {
                "error": {
                    "code": 400,
                    "message": "Unknown name \"topP\" at 'generation_config': Cannot find field.",
                    "details": [{"fieldViolations": [{"field": "generation_config", "description": "x"}]}],
                }
            },
            "top_p",
        ),
    ],
)
def test_the_setting_that_the_api_names_is_the_one_that_goes(provider: str, complaint: Any, dropped: str) -> None:
    reply_of = {"anthropic": anthropic_reply("B"), "google": google_reply("B")}
    everything = asking(
        temperature=0.5,
        top_p=0.9,
        seed=1,
        stop=("END",),
        reasoning_effort="low",
        logprobs=1,
        schema={"type": "object"},
    )
    asked_once, seen = call(reply_of.get(provider, openai_reply("B")), provider=provider, request=everything)
    reply, seen = call(
        Answer(status=400, body=complaint),
        reply_of.get(provider, openai_reply("B")),
        provider=provider,
        request=everything,
    )
    assert len(seen) == 2
    assert set(reply.not_sent) - set(asked_once.not_sent) == {dropped}


@pytest.mark.parametrize(
    "complaint",
    [
        error("You cannot do this"),
        error("Please stop; the messages must alternate"),
        error("`top_k` is not supported"),
        error("the temperature of this message is wrong", param="messages[0].content"),
        error("`frequency_temperature` is unknown"),
    ],
)
def test_an_error_that_names_nothing_we_sent_is_a_bad_request(complaint: Any) -> None:
    failed = fail(Answer(status=400, body=complaint), request=asking(temperature=0.5, stop=("END",)))
    assert failed.kind == "bad_request"


def test_a_setting_that_was_not_asked_for_is_never_to_blame() -> None:
    assert fail(Answer(status=400, body=error("`temperature` is wrong"))).kind == "bad_request"


def test_several_settings_are_settled_one_after_the_other() -> None:
    def rejects(body: dict[str, Any]) -> Any:
        wrong = [name for name in ("temperature", "seed", "top_p") if name in body]
        return error(f"`{wrong[0]}` is not supported", param=wrong[0]) if wrong else None

    async def main() -> None:
        server = picky(rejects)
        async with server, open_remote("openai", "m", server.env()) as model:
            reply = await model.call(asking(temperature=0.5, seed=1, top_p=0.5))
            assert set(reply.not_sent) == {"temperature", "seed", "top_p"}
            assert len(server.seen) == 4

    asyncio.run(main())


def test_an_api_that_rejects_everything_is_not_asked_for_ever() -> None:
    complaint = error("temperature, seed and max_completion_tokens and max_tokens are wrong")

    async def main() -> None:
        server = picky(lambda body: complaint)
        async with server, open_remote("openai", "m", server.env()) as model:
            with pytest.raises(CallFailed):
                await model.call(asking(temperature=0.5, seed=1, max_tokens=5))
            assert len(server.seen) == 4

    asyncio.run(main())


def test_calls_in_flight_agree_on_what_one_of_them_learned() -> None:
    def rejects(body: dict[str, Any]) -> Any:
        for name in ("max_completion_tokens", "temperature"):
            if name in body:
                return error(f"'{name}' is not supported", param=name)
        return None

    async def main() -> None:
        server = picky(rejects)
        async with server, open_remote("openai", "m", server.env()) as model:
            request = asking(temperature=0.5, max_tokens=5)
            replies = await asyncio.gather(*(model.call(request) for _ in range(20)))
            assert {reply.not_sent for reply in replies} == {("temperature",)}
            assert {reply.sent for reply in replies} == {model.encode(request)}
            assert server.seen[-1].json["max_tokens"] == 5
            assert len(model.learned()) == 2
            before = len(server.seen)
            await model.call(request)
            assert len(server.seen) == before + 1

    asyncio.run(main())

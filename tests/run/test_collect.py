"""Bad days, on real sockets: the collector against servers that misbehave in every way we know of."""

from __future__ import annotations

import asyncio
import io
import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

from fiducial.errors import UsageError
from fiducial.model.remote import open_remote
from fiducial.model.reply import CallFailed, Reply, Reported, Token
from fiducial.model.request import Request, Settings
from fiducial.run.budget import Budget
from fiducial.run.limits import Limits
from fiducial.run.plan import make_plan, make_trial
from fiducial.run.progress import Shown, Silent, Snapshot
from fiducial.run.store import Store, prepare
from tests.model.servers import Answer, Seen, Server, anthropic_reply, google_reply, openai_reply
from tests.run.support import FAST, Echo, Questions, plan_of, remote, run, said, texts


def prompt_of(seen: Seen) -> str:
    return str(seen.json["messages"][-1]["content"])


def test_every_trial_gets_a_reply_and_what_was_sent_is_stored_to_the_byte(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with Server(script=lambda s: openai_reply(f"re: {prompt_of(s)}")) as server:
        done = run(path, plan_of(30, 2), remote(server))
        sent = Counter(s.body for s in server.seen)
    assert (done.done, done.failed, done.stopped) == (60, 0, None)
    with Store(path) as store:
        replies = list(store.replies())
        assert Counter(store.body(r.body) for r in replies if r.body is not None) == sent
    assert all(r.text == f"re: question {r.trial.item}/a" for r in replies)
    assert all(r.reported.finish_reason == "stop" and r.status == "ok" for r in replies)


def test_a_429_storm_is_weathered(tmp_path: Path) -> None:
    tries: Counter[str] = Counter()

    def script(seen: Seen) -> Any:
        tries[prompt_of(seen)] += 1
        if tries[prompt_of(seen)] <= 3:
            return Answer(status=429, body={"error": {"message": "slow down"}}, headers={"Retry-After": "0.001"})
        return openai_reply("A")

    with Server(script=script) as server:
        done = run(tmp_path / "run.db", plan_of(40), remote(server))
    assert (done.done, done.failed) == (40, 0)
    assert set(tries.values()) == {4}
    with Store(tmp_path / "run.db") as store:
        assert {r.attempts for r in store.replies()} == {4}


@pytest.mark.parametrize(
    "trouble",
    [
        Answer(status=500, body=b"oops"),
        Answer(status=503, body={"error": {"message": "overloaded"}}),
        Answer(status=529, body={"error": {"message": "overloaded"}}),
        Answer(status=408, body=b""),
        Answer(status=409, body=b""),
        Answer(status=425, body=b""),
        Answer(body=b"<html>proxy error</html>", headers={"Content-Type": "text/html"}),
        Answer(body=openai_reply("a long answer"), cut=20),
        Answer(body=openai_reply("too late"), delay=1.0),
    ],
    ids=["500", "503", "529", "408", "409", "425", "html", "reset", "timeout"],
)
def test_a_passing_trouble_costs_a_repetition_and_no_trial(tmp_path: Path, trouble: Answer) -> None:
    turn = itertools.count()

    def script(seen: Seen) -> Any:
        return trouble if next(turn) % 3 == 1 else openai_reply("A")

    limits = Limits(max_connections=4, backoff=0.001, backoff_cap=0.002, attempts=30, timeout=0.2)
    with Server(script=script) as server:
        done = run(tmp_path / "run.db", plan_of(12), remote(server), limits=limits)
    assert (done.done, done.failed) == (12, 0)


def test_a_server_that_stops_answering_for_a_while_costs_time_and_no_trial(tmp_path: Path) -> None:
    """Ten calls are answered, then nothing is until every trial in flight has timed out twice."""
    count = itertools.count()

    def script(seen: Seen) -> Any:
        silent = 10 <= next(count) < 30
        return Answer(body=said("late"), delay=2.0) if silent else said("in time")

    limits = Limits(max_connections=4, backoff=0.001, backoff_cap=0.002, attempts=30, timeout=0.1)
    with Server(script=script) as server:
        done = run(tmp_path / "run.db", plan_of(40), remote(server), limits=limits)
        assert len(server.seen) == 40 + 20
    assert (done.done, done.failed, done.stopped) == (40, 0, None)
    assert set(texts(tmp_path / "run.db").values()) == {"in time"}


@pytest.mark.parametrize(
    "asked", ["3600", "1e300", "Thu, 31 Dec 2099 23:59:59 GMT", "Wed, 99999999999999999999 Oct 2015 07:28:00 GMT"]
)
def test_a_server_that_asks_to_wait_for_too_long_is_asked_again_sooner(tmp_path: Path, asked: str) -> None:
    tries: Counter[str] = Counter()

    def script(seen: Seen) -> Any:
        tries[prompt_of(seen)] += 1
        refused = tries[prompt_of(seen)] == 1
        return Answer(status=429, headers={"Retry-After": asked}) if refused else openai_reply("A")

    words: list[str] = []

    class Heard(Silent):
        def say(self, message: str) -> None:
            words.append(message)

    limits = msgspec.structs.replace(FAST, max_wait=0.001)
    with Server(script=script) as server:
        done = run(tmp_path / "run.db", plan_of(5), remote(server), limits=limits, progress=Heard())
    assert (done.done, done.failed) == (5, 0)
    if "9999" not in asked:  # there is no such date
        assert "the server asks to wait" in words[0] and "--max-wait" in words[0]


def test_the_progress_line_says_that_the_server_asks_to_wait() -> None:
    out = io.StringIO()
    Shown("run", Console(file=out)).show(Snapshot(done=0, failed=0, in_flight=2, cost=None, wait=299.9))
    assert "the server asks to wait 5 min" in out.getvalue()


BAD_COUNTS = [-1, 1.5, 10**18, "12", None, [1], {}, True]


@pytest.mark.parametrize("bad", BAD_COUNTS, ids=repr)
def test_a_reply_whose_report_makes_no_sense_is_kept_and_its_cost_is_not_known(tmp_path: Path, bad: Any) -> None:
    """And a budget counts what was expected for it, so that such a server cannot overrun it."""
    wrong = None if isinstance(bad, str) else bad  # a text is a possible name
    openai = openai_reply("A", usage={"prompt_tokens": bad, "completion_tokens": bad}, id=wrong, model=wrong)
    anthropic = anthropic_reply("A", usage={"input_tokens": bad, "output_tokens": bad}, id=wrong, stop_reason=wrong)
    google = google_reply(
        "A", usageMetadata={"promptTokenCount": bad, "candidatesTokenCount": bad}, responseId=wrong
    )
    shapes = {"openai/gpt-4o": openai, "anthropic/claude-sonnet-4-5": anthropic, "google/gemini-2.5-pro": google}
    for name, body in shapes.items():
        provider, _, model = name.partition("/")
        path = tmp_path / f"{provider}.db"
        with Server(body) as server:
            opened = open_remote(provider, model, server.env())
            done = run(path, plan_of(9), opened, budget=Budget(tokens=100))
            assert len(server.seen) == done.done == 4  # 4 + 20 tokens are expected of each
        assert done.failed == 0
        with Store(path) as store:
            kept = list(store.replies())
            assert {(r.text, r.cost, r.reported.input_tokens, r.reported.output_tokens) for r in kept} == {
                ("A", None, None, None)
            }


def test_what_a_server_reports_is_made_storable_and_short(tmp_path: Path) -> None:
    class Odd(Echo):
        async def call(self, request: Request) -> Reply:
            reply = await super().call(request)
            match request.messages[-1].text:
                case "question 0/a":
                    reported = Reported(request_id="\udcff\udcfe", model="m" * 10**6, id="a\0b", input_tokens=-1)
                    return msgspec.structs.replace(reply, text="half \ud83d\0", reported=reported)
                case "question 1/a":
                    tokens = (Token("\udce2" * 300, -1.0, (("\0", -2.0),)),)
                    return msgspec.structs.replace(reply, tokens=tokens)
                case "question 2/a":
                    return msgspec.structs.replace(reply, tokens=(Token("A", float("nan")),))
                case "question 3/a":
                    raise ValueError("half \ud83d")
                case "question 4/a":
                    return None  # type: ignore[return-value]
                case "question 5/a":
                    raise CallFailed("odd", "\ud83d", http_status=object(), retry_after=float("nan"))  # type: ignore[arg-type]
            return reply

    done = run(tmp_path / "run.db", plan_of(7), Odd())
    assert (done.done, done.failed) == (4, 3)
    with Store(tmp_path / "run.db") as store:
        found = {r.trial.item: r for r in store.replies(failed=True)}
    assert found["0"].text == "half \ufffd\0"
    assert found["0"].reported == Reported(request_id="\ufffd\ufffd", model="m" * 200, id="a\ufffdb")
    assert found["1"].tokens == (Token("\ufffd" * 200, -1.0, (("\ufffd", -2.0),)),)
    assert found["2"].tokens is None and found["2"].status == "ok"
    assert [found[i].failure for i in "345"] == ["crashed"] * 3
    assert "not a Reply" in str(found["4"].message)


def test_what_keeps_failing_is_stored_as_a_failure_and_tried_again_by_the_same_command(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    broken = True

    def script(seen: Seen) -> Any:
        if broken and prompt_of(seen).startswith("question 3/"):
            return Answer(status=500, body=b"always")
        return openai_reply("A")

    with Server(script=script) as server:
        first = run(path, plan_of(10), remote(server), limits=Limits(backoff=0.001, attempts=3))
        assert (first.done, first.failed) == (9, 1)
        with Store(path) as store:
            failed = [r for r in store.replies(failed=True) if r.status == "failed"]
        assert [(r.failure, r.http_status, r.attempts, r.text) for r in failed] == [("overloaded", 500, 3, "")]
        broken = False
        before = len(server.seen)
        second = run(path, plan_of(10), remote(server))
        assert (second.done, second.failed) == (1, 0)
        assert len(server.seen) == before + 1


@pytest.mark.parametrize(("status", "kind"), [(401, "auth"), (403, "auth"), (404, "unknown_model"), (402, "quota")])
def test_a_wrong_key_or_model_stops_at_once_and_does_not_burn_the_plan(
    tmp_path: Path, status: int, kind: str
) -> None:
    with Server(Answer(status=status, body={"error": {"message": "no"}})) as server:
        done = run(tmp_path / "run.db", plan_of(500), remote(server))
        assert len(server.seen) == 1
    assert done.done == 0
    assert done.fatal is not None and done.fatal.kind == kind
    assert done.stopped


def test_a_key_revoked_in_the_middle_stops_with_what_was_paid_for_stored(tmp_path: Path) -> None:
    count = itertools.count()

    def script(seen: Seen) -> Any:
        return openai_reply("A") if next(count) < 40 else Answer(status=401, body={"error": {"message": "revoked"}})

    with Server(script=script) as server:
        done = run(tmp_path / "run.db", plan_of(500), remote(server))
        assert len(server.seen) <= 40 + FAST.max_connections
    assert done.done == 40
    assert len(texts(tmp_path / "run.db")) == 40


def test_a_server_that_is_gone_ends_the_run_instead_of_burning_the_plan(tmp_path: Path) -> None:
    with Server(openai_reply("A")) as server:
        model = remote(server)
    limits = Limits(max_connections=8, backoff=0.0005, backoff_cap=0.001, attempts=3, give_up_after=10)
    done = run(tmp_path / "run.db", plan_of(2000), model, limits=limits)
    assert done.done == 0
    assert done.failed < 100
    assert done.stopped is not None and "failed" in done.stopped


def test_a_rejected_setting_is_negotiated_once_and_recorded(tmp_path: Path) -> None:
    def script(seen: Seen) -> Any:
        if "temperature" in seen.json:
            message = "Unsupported value: 'temperature' does not support 0.7 with this model."
            return Answer(status=400, body={"error": {"message": message, "param": "temperature"}})
        return openai_reply("A")

    source = Questions(Settings(temperature=0.7, max_tokens=20))
    with Server(script=script) as server:
        budget = Budget(calls=12)
        done = run(tmp_path / "run.db", plan_of(20, source=source), remote(server), source=source, budget=budget)
        assert sum("temperature" in s.json for s in server.seen) == 1
        assert (len(server.seen), done.done) == (12, 11)  # the call that was turned down counts too
    with Store(tmp_path / "run.db") as store:
        assert store.progressed().calls == 12
        assert {r.not_sent for r in store.replies()} == {("temperature",)}
        assert {r.asked.temperature for r in store.replies()} == {0.7}
        assert "temperature" in store.meta("learned")["openai/m"]


def test_empty_filtered_refused_and_cut_off_replies_are_statuses(tmp_path: Path) -> None:
    shapes = {
        "0": ({"id": "x", "choices": [], "usage": {}}, "empty"),
        "1": (openai_reply(""), "empty"),
        "2": (said("cut", finish="length"), "truncated"),
        "3": (said("", finish="content_filter"), "filtered"),
        "4": (openai_reply("x" * 10_000_000), "ok"),
    }
    with Server(script=lambda s: shapes[prompt_of(s).split()[1].split("/")[0]][0]) as server:
        done = run(tmp_path / "run.db", plan_of(5), remote(server))
    assert done.done == 5
    with Store(tmp_path / "run.db") as store:
        found = {r.trial.item: (r.status, len(r.text)) for r in store.replies()}
    assert {item: status for item, (status, _) in found.items()} == {i: s for i, (_, s) in shapes.items()}
    assert found["4"][1] == 10_000_000
    assert found["0"][1] == found["1"][1] == found["3"][1] == 0


def test_the_connection_limit_holds(tmp_path: Path) -> None:
    class Crowd(Echo):
        most = now = 0

        async def call(self, request: Request) -> Reply:
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(0.001)
            self.now -= 1
            return await super().call(request)

    model = Crowd()
    run(tmp_path / "run.db", plan_of(300), model)
    assert 4 <= model.most <= 8


def test_a_budget_of_calls_ends_the_run_and_the_whole_run_counts(tmp_path: Path) -> None:
    path, model = tmp_path / "run.db", Echo()
    done = run(path, plan_of(100), model, budget=Budget(calls=30))
    assert done.done == 30 and done.stopped is not None and "calls=30" in done.stopped
    again = run(path, plan_of(100), model, budget=Budget(calls=30))
    assert again.done == 0
    more = run(path, plan_of(100), model, budget=Budget(calls=45))
    assert more.done == 15
    assert len(model.calls) == 45


def test_a_budget_of_tokens_is_not_overrun(tmp_path: Path) -> None:
    with Server(said("A", tokens=(100, 100))) as server:
        done = run(tmp_path / "run.db", plan_of(100), remote(server), budget=Budget(tokens=2000))
    assert done.stopped is not None
    with Store(tmp_path / "run.db") as store:
        seen = store.progressed()
    assert 1000 <= seen.input_tokens + seen.output_tokens <= 2000


def test_a_budget_of_money_needs_a_price(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no price"):
        run(tmp_path / "run.db", plan_of(2), Echo(), budget=Budget(usd=1.0))


def test_a_crash_in_one_call_spoils_one_trial(tmp_path: Path) -> None:
    class Fragile(Echo):
        async def call(self, request: Request) -> Reply:
            if "question 7/" in request.messages[-1].text:
                raise ZeroDivisionError("boom")
            return await super().call(request)

    done = run(tmp_path / "run.db", plan_of(20), Fragile())
    assert (done.done, done.failed) == (19, 1)
    with Store(tmp_path / "run.db") as store:
        (failed,) = [r for r in store.replies(failed=True) if r.status == "failed"]
    assert failed.failure == "crashed" and failed.message == "ZeroDivisionError: boom"


def test_a_complete_run_makes_no_call_and_opens_no_model(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    run(path, plan_of(5), Echo())

    class Closed(Echo):
        async def __aenter__(self) -> Any:
            raise AssertionError("opened")

    done = run(path, plan_of(5), Closed())
    assert (done.done, done.failed, done.stopped) == (0, 0, None)


def test_raising_the_repetitions_pays_only_for_the_new_ones(tmp_path: Path) -> None:
    first = Echo()
    run(tmp_path / "one.db", plan_of(10, 2), first)
    second = Echo()
    done = run(tmp_path / "two.db", plan_of(10, 5), second, reuse=tmp_path / "one.db")
    assert done.done == 50
    assert len(second.calls) == 30
    with Store(tmp_path / "two.db") as store:
        assert Counter(r.reused for r in store.replies()) == {"one": 20, None: 30}
        assert store.progressed().calls == 30


def test_a_reply_is_taken_over_with_the_probabilities_of_its_tokens(tmp_path: Path) -> None:
    token = Token("echo", -0.5, (("echo", -0.5), ("ohce", -2.0)))

    class Likely(Echo):
        async def call(self, request: Request) -> Reply:
            return msgspec.structs.replace(await super().call(request), tokens=(token,))

    run(tmp_path / "one.db", plan_of(3), Likely())
    run(tmp_path / "two.db", plan_of(3), Echo(), reuse=tmp_path / "one.db")
    with Store(tmp_path / "two.db") as store:
        assert [r.tokens for r in store.replies()] == [(token,)] * 3


def test_replies_to_other_bytes_or_of_another_model_are_not_reused(tmp_path: Path) -> None:
    run(tmp_path / "one.db", plan_of(10), Echo())
    other = Echo("py/other")
    run(tmp_path / "two.db", plan_of(10), other, reuse=tmp_path / "one.db")
    assert len(other.calls) == 10


def test_a_chat_is_sent_turn_by_turn_and_resumes_in_its_middle(tmp_path: Path) -> None:
    source = Questions()
    trials = []
    for i in range(6):
        first = make_trial(str(i), "h", "a")
        second = make_trial(str(i), "h", "a", turn=1, parent=first.id)
        trials += [first, second, make_trial(str(i), "h", "a", turn=2, parent=second.id)]
    plan = make_plan(trials, source, seed=1)
    path = tmp_path / "run.db"
    model = Echo()
    run(path, plan, model, budget=Budget(calls=8))
    assert len(texts(path)) == 8
    run(path, plan, model)
    assert len(texts(path)) == 18
    assert len(model.calls) == 18
    last = model.calls[-1].messages
    assert [m.role for m in last] == ["user", "assistant", "user", "assistant", "user"]
    assert last[1].text == f"echo {last[0].text}"
    with Store(path) as store:
        follows = dict(store.db.execute("SELECT id, follows FROM reply WHERE follows IS NOT NULL").fetchall())
    assert len(follows) == 12


def test_a_turn_whose_parent_failed_is_not_sent(tmp_path: Path) -> None:
    class Mute(Echo):
        async def call(self, request: Request) -> Reply:
            raise CallFailed("bad_request", "no")

    first = make_trial("1", "h", "a")
    plan = make_plan([first, make_trial("1", "h", "a", turn=1, parent=first.id)], Questions(), seed=1)
    done = run(tmp_path / "run.db", plan, Mute())
    assert (done.done, done.failed) == (0, 1)


def test_a_run_file_is_never_given_another_plan(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    prepare(path, plan_of(3), {"settings": {"trials": 1}})
    with pytest.raises(UsageError, match=r"trials was 1, is 2.*--reuse run"):
        prepare(path, plan_of(3, 2), {"settings": {"trials": 2}})

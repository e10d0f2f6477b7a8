from __future__ import annotations

from collections.abc import Iterator

from gnomon.model.request import Message, Request
from gnomon.run.jobs import Job, JobQueue
from gnomon.run.plan import make_trial


def jobs(*keys: str) -> Iterator[Job]:
    for seq, key in enumerate(keys):
        yield Job(seq, make_trial(str(seq), "h", "a"), key, Request((Message("user", key),)))


def key_of(given: Job | float | None) -> str:
    assert isinstance(given, Job)
    return given.key


def test_identical_requests_keep_their_distance_in_time() -> None:
    queue = JobQueue(jobs("a", "a", "b"), gap=1.0, crowded=10)
    first = queue.next(0.0)
    assert isinstance(first, Job)
    queue.sent(first, 0.0)
    assert key_of(queue.next(0.1)) == "b"  # the second "a" steps aside
    assert queue.next(0.5) == 1.0  # nothing else: come back then
    assert key_of(queue.next(1.0)) == "a"
    assert queue.next(1.0) is None


def test_without_a_gap_the_plans_order_holds() -> None:
    queue = JobQueue(jobs("a", "a", "b"), gap=0.0, crowded=10)
    got = []
    while isinstance(job := queue.next(0.0), Job):
        queue.sent(job, 0.0)
        got.append(job.key)
    assert got == ["a", "a", "b"]


def test_a_server_that_is_down_does_not_draw_the_whole_plan_into_memory() -> None:
    drawn = []

    def endless() -> Iterator[Job]:
        for seq in range(1_000_000):
            drawn.append(seq)
            yield Job(seq, make_trial("i", "h", "a"), str(seq), Request((Message("user", "x"),)))

    queue = JobQueue(endless(), gap=0.0, crowded=16)
    while isinstance(job := queue.next(0.0), Job):
        queue.later(job, 60.0)
    assert len(drawn) == 16
    assert job == 60.0

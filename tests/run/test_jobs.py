from __future__ import annotations

from collections.abc import Iterator

from fiducial.model.balance import opening_of
from fiducial.model.request import Message, Request
from fiducial.run.jobs import Job, JobQueue
from fiducial.run.plan import make_trial


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


def about(*documents: str) -> Iterator[Job]:
    for seq, document in enumerate(documents):
        request = Request((Message("user", f"{document}: question {seq}", prefix=len(document)),))
        yield Job(seq, make_trial(str(seq), "h", "a"), str(seq), request, opening=opening_of(request))


def handed_out(queue: JobQueue) -> list[Job]:
    found = []
    while isinstance(job := queue.next(0.0), Job):
        found.append(job)
    return found


def test_the_first_of_those_that_share_a_prefix_goes_alone() -> None:
    queue = JobQueue(about("x", "x", "x", "y", "y"), gap=0.0, crowded=10)
    first = handed_out(queue)
    assert [job.seq for job in first] == [0, 3]  # one a document
    queue.ended(first[0], answered=True)
    assert [job.seq for job in handed_out(queue)] == [1, 2]
    queue.ended(first[1], answered=True)
    assert [job.seq for job in handed_out(queue)] == [4]


def test_behind_a_failure_another_goes_first() -> None:
    queue = JobQueue(about("x", "x", "x"), gap=0.0, crowded=10)
    (first,) = handed_out(queue)
    queue.ended(first, answered=False)
    (second,) = handed_out(queue)
    assert second.seq == 1
    queue.ended(second, answered=True)
    assert [job.seq for job in handed_out(queue)] == [2]


def test_jobs_that_are_held_do_not_draw_the_whole_plan_into_memory() -> None:
    plan = about(*["x"] * 100)
    queue = JobQueue(plan, gap=0.0, crowded=8)
    assert len(handed_out(queue)) == 1
    assert len(list(plan)) == 100 - 1 - 8


def test_requests_without_a_shared_prefix_wait_for_nobody() -> None:
    assert opening_of(Request((Message("system", "s"), Message("user", "u")))) is None
    one = Request((Message("system", "s"), Message("user", "doc 1", prefix=3)))
    other = Request((Message("system", "t"), Message("user", "doc 2", prefix=3)))
    assert opening_of(one) != opening_of(other)  # what comes before the prefix is part of it

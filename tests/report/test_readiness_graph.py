"""The way to a gate, laid out."""

from __future__ import annotations

from fiducial.report.readiness_graph import COLUMNS, graph_of
from fiducial.review.readiness import Readiness, Step


def steps(*states: str) -> Readiness:
    made = [
        Step(
            id=f"s{k}",
            title=f"step {k}",
            state=state,  # type: ignore[arg-type]
            seen="seen",
            command="do it" if state == "missing" else None,
            after=(f"s{k - 1}",) if k else (),
        )
        for k, state in enumerate(states)
    ]
    judge = Step(id="judge", title="judge", state="warning", seen="not known")
    gates = Step(id="gates", title="gates", state="blocked", seen="refused", after=(made[-1].id,))
    return Readiness(dataset="d", reviewer="r", model=None, judge=None, steps=(*made, judge, gates))


def test_the_line_turns_at_the_end_of_a_row_and_every_arrow_comes_from_a_neighbour() -> None:
    nodes = graph_of(steps("done", "done", "done", "missing", "blocked", "blocked", "blocked")).nodes
    assert [(one.row, one.column) for one in nodes] == [
        *((1, column) for column in range(1, COLUMNS + 1)),
        *((2, column) for column in range(COLUMNS, 0, -1)),
        (3, 1),
    ]
    assert [one.arrow for one in nodes] == ["none", *["right"] * 3, "down", *["left"] * 3, "none"]
    assert [one.id for one in nodes if one.beside] == ["judge"]


def test_the_step_that_comes_next_is_the_first_that_is_missing() -> None:
    graph = graph_of(steps("done", "missing", "missing"))
    assert [one.id for one in graph.nodes if one.next] == ["s1"]
    assert (graph.next, graph.done, graph.ready) == ("do it", 1, False)


def test_each_step_says_in_words_what_it_rests_on() -> None:
    assert [one.after for one in graph_of(steps("done", "missing")).nodes] == ["", "step 0", "step 1", ""]

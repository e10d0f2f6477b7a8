"""A rater's way through the cases of a run. Every label is on disk before the next case comes up."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from fiducial.review.labelling import Key, LabelCase, in_order
from fiducial.review.labels import Label, append_label, check_rater, check_writable, load_labels, newest

Step = Literal["earlier", "labelled", "skipped"]


class Skip(NamedTuple):
    """A case that was set aside, and how many labels the rater had then: so undo knows which came last."""

    mark: str
    after: int


class Round:
    """What one rater has done and still has to do. `limit` bounds how many cases come up this time.

    A skipped case is set aside for this round and comes up again in the next one: nothing is written of it. A round that
    is made anew for every step, as on a page, is told what was `skipped` so far, which case was taken up `again` and
    which one got the `latest` label: lines know the second, and those of two documents have no order but that.
    """

    def __init__(
        self,
        cases: Sequence[LabelCase],
        folders: Mapping[str, Path],
        rater: str,
        *,
        seed: int,
        limit: int | None = None,
        skipped: Sequence[Skip] = (),
        again: str = "",
        latest: str = "",
    ) -> None:
        check_rater(rater)
        for document in {case.document_id for case in cases}:
            check_writable(folders[document], rater)
        self.rater, self.total = rater, len(cases)
        self._folders = folders
        self._last = own_lines(cases, folders, rater)
        aside = {skip.mark: skip.after for skip in skipped}
        todo = [case for case in in_order(cases, rater, seed) if not self._has(case)]
        todo.sort(key=lambda case: case.mark != again)
        self._queue = deque([case for case in todo if case.mark not in aside][:limit])
        by_key = {case.key: case for case in cases}
        earlier = sorted(
            (line.at, by_key[key].mark == latest, k, key)
            for k, (key, line) in enumerate(self._last.items())
            if key in by_key
        )
        # What can be undone, the last one last: labels of earlier rounds, then labels and skips of this one.
        self._done: list[tuple[LabelCase, Step]] = [
            (by_key[key], "earlier") for *_, key in earlier if self._has(by_key[key])
        ]
        self.labelled = len(self._done)
        if aside:
            self._skipped_before(aside, todo)

    @property
    def current(self) -> LabelCase | None:
        """The case that is to be labelled; None when all have been shown."""
        return self._queue[0] if self._queue else None

    @property
    def left(self) -> int:
        """Cases that are still to come in this round, the current one included."""
        return len(self._queue)

    @property
    def skipped(self) -> int:
        """Cases that were set aside in this round."""
        return sum(step == "skipped" for _, step in self._done)

    @property
    def skips(self) -> list[Skip]:
        """The same cases, to be told to the next round."""
        found, labels = [], 0
        for case, step in self._done:
            if step == "skipped":
                found.append(Skip(case.mark, labels))
            else:
                labels += 1
        return found

    @property
    def last(self) -> LabelCase | None:
        """The case that undo goes back to."""
        return self._done[-1][0] if self._done else None

    @property
    def saved(self) -> int:
        """Labels that were given in this round, and stand."""
        return sum(step == "labelled" for _, step in self._done)

    @property
    def can_undo(self) -> bool:
        """Whether there is a case to go back to."""
        return bool(self._done)

    def label(self, value: float, note: str | None = None) -> None:
        """Save a label of the current case and go on. Raises UsageError where it cannot be saved, and stays."""
        case = self._queue[0]
        self._append(case, value, note)
        self._queue.popleft()
        self._done.append((case, "labelled"))
        self.labelled += 1

    def skip(self) -> None:
        """Go on without a label."""
        self._done.append((self._queue.popleft(), "skipped"))

    def undo(self) -> float | None:
        """Go back to the case before and take its label back, also one of an earlier round.

        What is returned is the label that was taken back; None of a case that had been skipped.
        """
        case, step = self._done[-1]
        before = None
        if step != "skipped":
            before = self._last[case.key].label
            self._append(case, None)
            self.labelled -= 1
        self._done.pop()
        self._queue.appendleft(case)
        return before

    def has(self, mark: str) -> bool:
        """Whether the rater has labelled the case of this mark."""
        return any(case.mark == mark for case, step in self._done if step != "skipped")

    def _skipped_before(self, aside: Mapping[str, int], todo: Sequence[LabelCase]) -> None:
        """Put skips between the labels among which they were made."""
        open_cases = {case.mark: case for case in todo}
        known = [(after, open_cases[mark]) for mark, after in aside.items() if mark in open_cases]
        for shift, (after, case) in enumerate(sorted(known, key=lambda one: one[0])):
            self._done.insert(min(after, self.labelled) + shift, (case, "skipped"))

    def _has(self, case: LabelCase) -> bool:
        return case.key in self._last and self._last[case.key].label is not None

    def _append(self, case: LabelCase, value: float | None, note: str | None = None) -> None:
        before = self._last.get(case.key)
        self._last[case.key] = append_label(
            self._folders[case.document_id],
            case=case.id,
            rater=self.rater,
            label=value,
            note=note,
            after=before.at if before else "",
        )


def own_lines(cases: Sequence[LabelCase], folders: Mapping[str, Path], rater: str) -> dict[Key, Label]:
    """The line of this rater that counts, withdrawals included, by case."""
    found: dict[Key, Label] = {}
    for document in dict.fromkeys(case.document_id for case in cases):
        for (name, case), label in newest(load_labels(folders[document])).items():
            if name == rater:
                found[document, case] = label
    return found

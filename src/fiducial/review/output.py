"""One output of a reviewer with everything that is known of it: what was parsed, and what the judges said.

An output is one run of one reviewer on one document. These are the values that precision, recall, gates and reports
are computed from; they are made from a run file again whenever they are needed, and never stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from fiducial.judge.genuine import GenuineVerdict
from fiducial.judge.match import MatchVerdict
from fiducial.judge.verdict import Invalid
from fiducial.review.finding import Finding, Meta, Status

Vote = GenuineVerdict | MatchVerdict | Invalid | None
"""What a judge said of a finding or a must-find; None where it has not answered."""

WORTH = {"genuine": 1.0, "borderline": 0.5, "not_genuine": 0.0}
"""What a verdict counts in precision."""


class Judged(Struct, frozen=True, kw_only=True):
    """A finding, the near-duplicates of it in the same output, and the verdict on it.

    `verdict` is None while no judge has been asked, or where its call failed. `score` is None unless there is a
    verdict: an invalid one is a failure of ours and no 0. Of a panel, `verdict` is what it decided, and `votes` has what
    each of its seats said, by model.
    """

    number: int  # its place in the output, from 1
    finding: Finding
    duplicates: tuple[Finding, ...] = ()
    verdict: GenuineVerdict | Invalid | None = None
    votes: dict[str, GenuineVerdict | Invalid | None] = {}  # empty with a single judge

    @property
    def score(self) -> float | None:
        """1, 0.5 or 0, or None where there is no verdict."""
        return WORTH[self.verdict.verdict] if isinstance(self.verdict, GenuineVerdict) else None


class Output(Struct, frozen=True, kw_only=True):
    """An output, parsed, clustered and judged. `findings` has one entry a cluster of near-duplicates.

    `matches` has an entry for every must-find that was looked for, by its id: None where the judge has not answered.
    An output without findings has been looked through without a call: its matches say `not_found`. Of a panel,
    `match_votes` has what each of its seats said of the items that it was asked about.
    """

    document: str
    reviewer: str
    run: int  # from 0
    status: Status
    truncated: bool = False
    dropped: int = 0
    findings: tuple[Judged, ...] = ()
    meta: tuple[Meta, ...] = ()
    matches: dict[str, MatchVerdict | Invalid | None] = {}
    match_votes: dict[str, dict[str, MatchVerdict | Invalid | None]] = {}  # by item, then by model
    trial: str = ""
    text: str = ""
    fault: str = ""  # `fault:` and the name of the exception, where the parser raised

    def decided(self) -> Iterator[tuple[Vote, Mapping[str, Vote]]]:
        """The verdict on every finding and every must-find; of a panel, with the votes that it came from."""
        for judged in self.findings:
            yield judged.verdict, judged.votes
        for item, match in self.matches.items():
            yield match, self.match_votes.get(item, {})

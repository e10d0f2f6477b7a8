from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.review.finding import Finding
from fiducial.review.similar import content_clusters, near_duplicates

Labelled = list[tuple[str, str, str]]


def _labelled() -> dict[str, Labelled]:
    """Findings with the claim they make: same letter, same claim in other words; all others differ, though many are
    near: the same sentence about another requirement, another defect of the same passage, the words of a template.

    The output about the warehouse was written after the thresholds had been fixed on the other three.
    """
    outputs: dict[str, Labelled] = {}
    for line in Path(__file__).with_name("claims.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        outputs.setdefault(row["output"], []).append((row["claim"], row["title"], row["issue"]))
    return outputs


OUTPUTS = _labelled()


def _finding(title: str, issue: str | None = None, section: str | None = None) -> Finding:
    return Finding(title=title, issue=issue, section=section)


def _duplicate_of(findings: list[Finding]) -> list[int]:
    clusters = near_duplicates(findings)
    return [next(n for n, members in enumerate(clusters) if index in members) for index in range(len(findings))]


def _pairs(labelled: Labelled, numbers: list[int]) -> tuple[int, int, int]:
    """Pairs of the same claim that were merged, pairs of the same claim, pairs of different claims that were merged."""
    pairs = [(a[0] == b[0], m == n) for (a, m), (b, n) in combinations(zip(labelled, numbers, strict=True), 2)]
    return (
        sum(same and merged for same, merged in pairs),
        sum(same for same, _ in pairs),
        sum(merged and not same for same, merged in pairs),
    )


def test_the_labelled_findings_hold_paraphrases_and_near_misses_enough() -> None:
    same = sum(_pairs(rows, [0] * len(rows))[1] for rows in OUTPUTS.values())
    assert same >= 20
    assert sum(len(rows) for rows in OUTPUTS.values()) >= 60


@pytest.mark.parametrize("name", OUTPUTS)
def test_no_two_claims_are_taken_for_duplicates_and_most_paraphrases_are(name: str) -> None:
    """A false duplicate hides a finding from the judge; a missed one is judged twice, which only costs a call."""
    rows = OUTPUTS[name]
    merged, same, wrong = _pairs(rows, _duplicate_of([_finding(title, issue) for _, title, issue in rows]))
    assert wrong == 0
    assert merged / same >= 0.6


def test_content_clusters_hold_nearly_all_paraphrases_and_few_other_claims() -> None:
    counts = [
        _pairs(rows, content_clusters([f"{title}\n{issue}" for _, title, issue in rows]))
        for rows in OUTPUTS.values()
    ]
    merged, same, wrong = (sum(column) for column in zip(*counts, strict=True))
    assert merged / same >= 0.9
    assert wrong / (merged + wrong) <= 0.2


DIFFERENT = [
    ("R-12 has no acceptance criterion", "R-17 has no acceptance criterion"),
    ("REQ-3 is not testable", "REQ-4 is not testable"),
    ("Section 4.2 lacks an owner", "Section 5.2 lacks an owner"),
    ("Step 4 depends on a later step", "Step 7 depends on a later step"),
    ("Timeout of 30 seconds is never justified", "Timeout of 90 seconds is never justified"),
    ("Minimum password length is undefined", "Maximum password length is undefined"),
    ("Export format is undefined", "Import format is undefined"),
    ("No retry when a read fails", "No retry when a write fails"),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_numbers_identifiers_and_opposites_that_differ_make_other_claims(one: str, other: str) -> None:
    assert near_duplicates([_finding(one), _finding(other)]) == [[0], [1]]
    assert content_clusters([one, other]) == [0, 1]


SAME = [
    ("**R-12** has no acceptance criterion.", "R12: acceptance criterion missing"),
    ("Cancellations are not logged", "No log of cancelled appointments' cancellation"),
    ("Conflict between 4.2 and 5.1 on the retry limit", "Retry limit: 5.1 contradicts 4.2"),
    ("No owner for the gateway", "no owner for the Gateway"),
    ("⚠️", "⚠️"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_markup_case_order_and_endings_do_not_make_another_claim(one: str, other: str) -> None:
    assert near_duplicates([_finding(one), _finding(other)]) == [[0, 1]]


def test_the_same_sentence_about_another_place_is_another_finding() -> None:
    one, other = (_finding("No acceptance criterion", "None is given.", section) for section in ("R-12", "R-17"))
    assert near_duplicates([one, other]) == [[0], [1]]
    assert near_duplicates([one, one]) == [[0, 1]]


def test_likeness_is_not_passed_on_along_a_chain() -> None:
    """What is judged is the first member: every other one has to be like it."""
    chain = [" ".join(f"word{chr(97 + n)}" for n in range(start, start + 8)) for start in range(0, 16, 2)]
    clusters = near_duplicates([_finding(text) for text in chain])
    assert [0, 1] in [members[:2] for members in clusters]
    assert len(clusters) >= 3


def test_the_first_member_represents_and_clusters_come_in_order() -> None:
    rows = OUTPUTS["clinic"]
    clusters = near_duplicates([_finding(title, issue) for _, title, issue in rows])
    assert [members[0] for members in clusters] == sorted(members[0] for members in clusters)
    assert all(members == sorted(members) for members in clusters)


def test_a_large_set_gives_the_clusters_of_its_parts() -> None:
    """Two thousand texts take the other path through the arithmetic, and leave out words that are everywhere."""
    texts = [
        f"{topic} {topic}er is never agreed {own}" for topic in _made_words(200) for own in _made_words(210)[200:]
    ]
    assert content_clusters([*texts, *texts]) == [n // 10 for n in range(2000)] * 2


def _made_words(count: int) -> list[str]:
    letters = "bcdfghjklm"
    return [f"{letters[n % 10]}o{letters[n // 10 % 10]}a{letters[n // 100]}uk" for n in range(count)]


def test_nothing_gives_nothing() -> None:
    assert near_duplicates([]) == []
    assert content_clusters([]) == []
    assert near_duplicates([_finding("")]) == [[0]]


@given(st.lists(st.text(max_size=60), max_size=12))
def test_any_text_is_clustered_and_every_finding_is_in_one_cluster(texts: list[str]) -> None:
    clusters = near_duplicates([_finding(text) for text in texts])
    assert sorted(index for members in clusters for index in members) == list(range(len(texts)))
    assert content_clusters(texts) == content_clusters(texts)
    assert all(content_clusters([text, text]) == [0, 0] for text in texts)

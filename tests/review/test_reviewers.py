from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import pytest

import fiducial
from fiducial.model.yaml import load_yaml

FOLDER = Path(fiducial.__file__).parent / "review" / "reviewers"
NAMES = [
    "assumption-hunter",
    "constraint-finder",
    "edge-case-prober",
    "feasibility-skeptic",
    "first-principles",
    "prior-art-scout",
    "problem-framer",
    "requirement-auditor",
    "scope-guardian",
    "success-validator",
]
TYPES = {"requirements", "design", "plan"}
OUTPUT = "## Output\n"
each = pytest.mark.parametrize("name", NAMES)


def parts(name: str) -> tuple[dict[str, Any], str, str]:
    """Front matter, the reviewer's own prompt, and the output block that all reviewers share."""
    # Bytes, so that a stray carriage return counts as a difference.
    text = (FOLDER / f"{name}.md").read_bytes().decode("utf-8")
    empty, front, body = text.split("---\n", 2)
    assert empty == ""
    assert body.count(OUTPUT) == 1
    own, _, block = body.partition(OUTPUT)
    return load_yaml(front, name=f"{name}.md"), own, OUTPUT + block


def words(text: str) -> list[str]:
    return re.findall(r"\w+(?:['’]\w+)?", text.lower())


def sentences(text: str) -> set[str]:
    """Sentences and list entries, normalised; headings are structure and left out."""
    prose = re.sub(r"(?m)^#.*$", "", text)
    prose = re.sub(r"(?m)^(?:- |\d+\. )", "\n\n", prose)
    pieces = re.split(r"\n\s*\n|(?<=[.!?:;])[\"”]?\s+", prose)
    # Shorter fragments ("Do not report:") are labels, not sentences.
    return {" ".join(w) for p in pieces if len(w := words(p)) >= 4}


def runs(text: str, length: int = 5) -> set[tuple[str, ...]]:
    """Every run of `length` words inside one sentence: finds copies that were lightly edited."""
    found: set[tuple[str, ...]] = set()
    for sentence in sentences(text):
        w = sentence.split()
        found.update(tuple(w[i : i + length]) for i in range(len(w) - length + 1))
    return found


def share(left: set[Any], right: set[Any]) -> float:
    return len(left & right) / min(len(left), len(right))


def test_exactly_the_ten_reviewers_are_shipped() -> None:
    assert sorted(p.name for p in FOLDER.glob("*.md")) == [f"{n}.md" for n in NAMES]


@each
def test_front_matter_holds_a_name_equal_to_the_file_a_description_and_review_types(name: str) -> None:
    front, _, _ = parts(name)
    assert set(front) == {"name", "description", "review_types"}
    assert front["name"] == name
    assert front["review_types"]
    assert set(front["review_types"]) <= TYPES
    assert len(set(front["review_types"])) == len(front["review_types"])


@each
def test_a_description_is_one_sentence_that_says_when_to_use_the_reviewer(name: str) -> None:
    description = parts(name)[0]["description"]
    assert description.startswith("Use ")
    assert description.endswith(".")
    assert not re.search(r"[.!?\n].", description)


def test_descriptions_are_unique() -> None:
    assert len({parts(n)[0]["description"] for n in NAMES}) == len(NAMES)


def test_every_review_type_is_served_by_more_than_half_of_the_reviewers() -> None:
    for kind in TYPES:
        assert sum(kind in parts(n)[0]["review_types"] for n in NAMES) > len(NAMES) / 2, kind


def test_the_output_block_is_the_same_to_the_byte_in_all_reviewers() -> None:
    assert len({parts(n)[2] for n in NAMES}) == 1


def test_the_output_block_asks_for_the_fields_the_parser_reports() -> None:
    block = parts(NAMES[0])[2]
    records = [line for line in block.splitlines() if line.startswith("{")]
    assert [re.findall(r'"(\w+)": ', r) for r in records] == [
        [
            "type",
            "id",
            "title",
            "severity",
            "confidence",
            "phase",
            "section",
            "issue",
            "why_it_matters",
            "suggestion",
        ],
        ["type", "note"],
        ["type", "reason"],
    ]
    assert [re.findall(r'"type": "(\w+)"', r) for r in records] == [["finding"], ["blind_spot_check"], ["none"]]


@each
def test_a_body_is_long_enough_to_guide_and_short_enough_to_be_followed(name: str) -> None:
    _, own, block = parts(name)
    assert 250 <= len((own + block).split()) <= 560


@each
def test_a_body_has_every_part_a_reviewer_needs(name: str) -> None:
    own = parts(name)[1]
    assert re.findall(r"(?m)^## (.+)$", own) == ["Lens", "Method", "Not findings", "Grading", "Example"]
    # The name is what the ids of its findings are made of.
    assert own.strip().startswith(f"You are {name}.")
    grading = own.partition("## Grading")[2].partition("## Example")[0]
    assert re.findall(r"\*\*(\w+)\*\*", grading) == ["Critical", "Important", "Minor"]
    example = own.partition("## Example")[2]
    assert len(re.findall(r"(?m)^Report, (?:Critical|Important|Minor), \d\d: ", example)) == 1
    assert len(re.findall(r"(?m)^Do not report: ", example)) == 1


@each
def test_the_document_is_declared_material_and_not_instruction(name: str) -> None:
    method = parts(name)[1].partition("## Method")[2].partition("## Not findings")[0]
    denied = r"\b(?:never|not|no)\b[^.]{0,40}\binstructions?\b|\binstructions come from this prompt alone\b"
    assert re.search(denied, method, re.IGNORECASE)


@each
def test_a_reviewer_hands_neighbouring_questions_to_reviewers_that_exist(name: str) -> None:
    lens = parts(name)[1].partition("## Lens")[2].partition("## Method")[0]
    named = {m for m in re.findall(r"[a-z]+(?:-[a-z]+)+", lens) if m in NAMES}
    assert len(named) >= 3
    assert name not in named


def test_no_two_reviewers_share_more_than_a_small_part_of_their_text() -> None:
    own = {n: parts(n)[1] for n in NAMES}
    for left, right in itertools.combinations(NAMES, 2):
        assert share(sentences(own[left]), sentences(own[right])) <= 0.03, (left, right)
        assert share(runs(own[left]), runs(own[right])) <= 0.02, (left, right)


def test_the_comparison_of_texts_sees_a_copy_and_an_edited_copy() -> None:
    own = parts(NAMES[0])[1]
    assert share(sentences(own), sentences(own)) == 1
    edited = re.sub(r"\bthe document\b", "this specification", own)
    assert edited != own
    assert share(runs(own), runs(edited)) > 0.5

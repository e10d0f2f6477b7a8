"""Datasets as people have them, and what they are told when one is wrong."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiducial.errors import UsageError
from fiducial.review.dataset import (
    candidates,
    context_dependent,
    items_for,
    load_dataset,
    nothing_owned,
    owners,
    shipped_datasets,
)
from fiducial.review.files import each_row
from fiducial.review.labels import read_label
from fiducial.review.records import candidate, must_find
from fiducial.review.records import context_dependent as context_record
from tests.review.folders import ITEM, TEXT, make, only, write_lines


def fails(folder: Path, *parts: str) -> str:
    with pytest.raises(UsageError) as error:
        load_dataset(folder)
    for part in parts:
        assert part in str(error.value)
    return str(error.value)


def test_a_dataset_folder_loads_with_its_document_and_must_finds(tmp_path: Path) -> None:
    dataset = load_dataset(make(tmp_path / "gauge", must_find=[ITEM], name="Gauges", review_type="plan"))
    (document,) = dataset.documents
    (item,) = document.must_find or ()
    assert (dataset.name, document.id, document.review_type) == ("Gauges", "gauge", "plan")
    assert document.text == TEXT and not document.changed
    assert document.hash == f"sha256:{hashlib.sha256(TEXT.encode()).hexdigest()}" == document.frozen_hash
    assert (item.id, item.severity, item.min_recall, item.reviewer) == ("kept", "Critical", 0.9, None)
    assert item.evidence == ("A reading is kept for 30 days.",)


@pytest.mark.parametrize("prefix", ["sha256:", "", "SHA256:"])
@pytest.mark.parametrize("frozen_by", ["raw", "normalised"])
@pytest.mark.parametrize("place", ["beside", "above", "absolute"])
def test_the_older_layout_loads_as_it_is(tmp_path: Path, prefix: str, frozen_by: str, place: str) -> None:
    raw = TEXT.replace("\n", "\r\n").encode()
    home = tmp_path / "repo"
    folder = home / "tests" / "datasets" / "old"
    folder.mkdir(parents=True)
    document = (folder if place == "beside" else home) / "docs" / "design.md"
    document.parent.mkdir(parents=True)
    document.write_bytes(raw)
    digest = hashlib.sha256(raw if frozen_by == "raw" else TEXT.encode()).hexdigest()
    metadata = {
        "design_doc_path": str(document) if place == "absolute" else "docs/design.md",
        "design_doc_hash": prefix + digest,
        "skill": "review",
        "created": "2025-01-01",
        "notes": {"any": ["thing"]},
    }
    (folder / "metadata.json").write_text(json.dumps(metadata))
    write_lines(
        folder / "must_find.jsonl",
        {"finding_id": "f1", "issue": "Two periods.", "severity": "CRITICAL", "agent": "scope-guardian", "x": [1]},
        {"id": 7, "title": "Only a title"},
    )
    write_lines(folder / "critical_findings.jsonl", {"id": "c1", "title": "T", "issue": "I", "severity": "high"})
    write_lines(folder / "context_dependent_findings.jsonl", {"id": "k", "title": "T", "required_context": "A law"})
    found = only(folder)
    assert found.layout == "older" and found.review_type == "design"
    assert found.text == TEXT and not found.changed
    first, second = found.must_find or ()
    assert (first.id, first.title, first.issue) == ("f1", "Two periods.", "Two periods.")
    assert (first.severity, first.min_recall, first.reviewer) == ("Critical", 0.8, "scope-guardian")
    assert (second.id, second.issue, second.severity) == ("7", "Only a title", None)
    assert list(candidates(folder)) == ["c1"]
    (context,) = context_dependent(folder) or ()
    assert (context.required_context, context.zero_shot) == ("A law", None)


def test_a_folder_of_datasets_is_several_documents_in_order(tmp_path: Path) -> None:
    make(tmp_path / "b", must_find=[ITEM])
    make(tmp_path / "a", TEXT + "More.\n")
    (tmp_path / "README.md").write_text("About these.")
    (tmp_path / "runs").mkdir()
    dataset = load_dataset(tmp_path)
    assert [d.id for d in dataset.documents] == ["a", "b"]
    assert [d.must_find is None for d in dataset.documents] == [True, False]


@pytest.mark.parametrize("name", ["document.md", "whatever.md"])
def test_a_folder_with_nothing_but_a_document_loads_and_is_not_frozen(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(TEXT)
    document = only(tmp_path)
    assert (document.frozen_hash, document.changed, document.must_find, document.layout) == (
        None,
        False,
        None,
        "bare",
    )


def test_the_shipped_datasets_are_frozen_and_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert shipped_datasets() == ["clinic-booking", "ledger-migration", "tide-gauge"]
    types = {}
    for name in shipped_datasets():
        document = only(Path(name))
        assert document.frozen_hash == document.hash and not document.changed
        types[document.id] = document.review_type
    assert types == {"clinic-booking": "requirements", "ledger-migration": "plan", "tide-gauge": "design"}
    (tmp_path / "tide-gauge").mkdir()
    (tmp_path / "tide-gauge" / "document.md").write_text("Mine.")
    assert only(Path("tide-gauge")).text == "Mine."


def test_no_list_is_not_the_same_as_an_empty_one(tmp_path: Path) -> None:
    assert only(make(tmp_path / "a")).must_find is None
    assert only(make(tmp_path / "b", must_find=[])).must_find == ()


def test_a_changed_document_is_seen_and_is_no_error(tmp_path: Path) -> None:
    folder = make(tmp_path / "d", must_find=[ITEM])
    (folder / "document.md").write_text(TEXT.replace("30", "31"))
    assert only(folder).changed
    (folder / "document.md").write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    assert not only(folder).changed


@pytest.mark.parametrize(
    ("records", "said"),
    [
        (
            [ITEM | {"min_recall": 90}],
            'line 1: "min_recall" is 90; it is a share, between 0 and 1 (did you mean 0.90?)',
        ),
        ([ITEM | {"min_recall": -1}], 'line 1: "min_recall" is -1; it is a share, between 0 and 1'),
        ([ITEM | {"min_recall": "high"}], 'line 1: "min_recall" is a text; it is a share'),
        ([ITEM | {"min_recall": 10**200}], '"min_recall" is far outside; it is a share'),
        ([ITEM | {"min_recall": 10**400}], "must_find.jsonl, line 1"),
        ([ITEM | {"min_recall": True}], '"min_recall" is true or false'),
        ([ITEM, ITEM], "line 2: \"id\" 'kept' is taken (first on line 1); give each record its own"),
        ([ITEM, "{broken"], "line 2: not JSON"),
        (["[1, 2]"], "line 1: a JSON object is expected"),
        ([ITEM | {"severity": "purple"}], "\"severity\" is 'purple'; it is Critical, Important or Minor"),
        ([ITEM | {"id": ""}], '"id" is missing; give the record a short name'),
        ([ITEM | {"id": ["a"]}], '"id" is a list; it is a short text'),
        ([{"id": "x"}], '"title" and "issue" are missing; say what is wrong'),
        ([ITEM | {"title": 3}], '"title" is a number; it is a text'),
        ([ITEM | {"evidence": {"a": 1}}], '"evidence" is an object; it is a quotation from the document'),
        ([ITEM | {"reviewer": ["a", "b"]}], '"reviewer" is a list; it is a text'),
        ([ITEM | {"zero_shot": "yes"}], '"zero_shot": a text; it is an object with model'),
        ([ITEM | {"zero_shot": {"found": "yes"}}], '"zero_shot": "found" is a text; it is true or false'),
    ],
)
def test_a_wrong_must_find_names_file_line_and_field(tmp_path: Path, records: list[Any], said: str) -> None:
    message = fails(make(tmp_path / "d", must_find=records), "must_find.jsonl, line ", said)
    assert message.startswith(str(tmp_path))


def test_line_numbers_count_empty_lines_and_not_line_separators_inside_a_text(tmp_path: Path) -> None:
    folder = make(tmp_path / "d")
    first = json.dumps(ITEM | {"issue": "a\u2028b"}, ensure_ascii=False)
    (folder / "must_find.jsonl").write_text(f"\ufeff\n{first}\r\n\n{{\n", encoding="utf-8")
    fails(folder, "line 4: not JSON")


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ({"hash": "md5:abc"}, "\"hash\" is 'md5:abc'; it is sha256: and 64 hex digits"),
        ({"document": "gone.md"}, "\"document\" is 'gone.md', and there is no such file"),
        ({"document": 3}, '"document" is 3; it is the path'),
        ({"review_type": "desing"}, "\"review_type\" is 'desing'; did you mean design?; it is one of requirements"),
    ],
)
def test_wrong_metadata_names_the_field(tmp_path: Path, metadata: dict[str, Any], said: str) -> None:
    fails(make(tmp_path / "d", **metadata), "metadata.json", said)


def test_what_is_no_dataset_is_told_what_one_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "doc.md").write_text(TEXT)
    fails(tmp_path / "doc.md", "a dataset is a folder, and this is a file", "fiducial review init")
    fails(Path("tide-gage"), "there is no such folder", "did you mean tide-gauge?")
    (tmp_path / "empty").mkdir()
    fails(tmp_path / "empty", "no metadata.json and no document.md", "fiducial review init FILE")
    (tmp_path / "other.md").write_text(TEXT)
    fails(tmp_path, "which file is the document?", "doc.md, other.md")
    folder = make(tmp_path / "binary")
    (folder / "document.md").write_bytes(b"abc\n\xff\xfe")
    assert re.search(r"document.md, line 2: not UTF-8 text \(byte 4\)", fails(folder))
    (folder / "document.md").write_bytes(b" \n")
    fails(folder, "the document is empty")
    (folder / "metadata.json").write_text("{")
    fails(folder, "metadata.json: not JSON")


def test_must_finds_belong_to_their_owner_or_to_all(tmp_path: Path) -> None:
    records = [ITEM | {"id": "a", "reviewer": "x"}, ITEM | {"id": "b", "reviewer": "y"}, ITEM | {"id": "c"}]
    document = only(make(tmp_path / "d", must_find=records))
    assert owners(document) == ["x", "y"]
    assert [item.id for item in items_for(document, "x")] == ["a", "c"]
    assert [item.id for item in items_for(document, "z")] == ["c"]
    assert nothing_owned([document], "z") is None


def test_a_reviewer_that_owns_nothing_is_told_who_does(tmp_path: Path) -> None:
    owned = only(make(tmp_path / "d", must_find=[ITEM | {"reviewer": "scope-guardian"}]))
    said = nothing_owned([owned], "scope-gardian")
    assert said is not None
    assert "'scope-gardian'; did you mean scope-guardian?" in said and "they belong to scope-guardian" in said
    assert nothing_owned([only(make(tmp_path / "e"))], "anyone") is None


def test_the_newest_record_of_a_candidate_says_where_it_stands(tmp_path: Path) -> None:
    folder = make(tmp_path / "d")
    write_lines(folder / "candidates.jsonl", ITEM, ITEM | {"state": "rejected", "why": "no"})
    assert candidates(folder)["kept"].state == "rejected"
    write_lines(folder / "candidates.jsonl", ITEM | {"state": "lost"})
    with pytest.raises(UsageError, match=r"line 1: \"state\" is 'lost'; it is one of proposed, unvalidated"):
        candidates(folder)


def test_a_context_dependent_record_with_a_wrong_day_is_an_error(tmp_path: Path) -> None:
    folder = make(tmp_path / "d")
    write_lines(folder / "context_dependent_findings.jsonl", {"id": "a", "title": "T", "review_after": "soon"})
    with pytest.raises(UsageError, match=r"\"review_after\" is 'soon'; it is a date"):
        context_dependent(folder)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["", "Critical", "2026-01-01"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["found", "calls", "model"]), inner)
    ),
    max_leaves=5,
)
NAMES = (
    "id",
    "title",
    "issue",
    "severity",
    "min_recall",
    "reviewer",
    "evidence",
    "zero_shot",
    "review_after",
    "state",
    "found_in",
    "case",
    "rater",
    "label",
)
FIELDS = st.sampled_from(NAMES)


@given(fields=st.dictionaries(FIELDS, VALUES))
def test_any_record_is_read_or_refused_in_words(fields: dict[str, Any]) -> None:
    for read in (must_find, candidate, context_record, read_label):
        try:
            read(("f.jsonl, line 1", fields))
        except UsageError as error:
            assert str(error).startswith("f.jsonl, line 1")


@given(
    raw=st.binary(max_size=60)
    | st.sampled_from([b"[" * 9999, b"9" * 9999, b'{"id": ' + b"9" * 9999 + b"}", b'"\\ud800"'])
)
def test_any_bytes_are_read_or_refused_in_words(raw: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("any") / "f.jsonl"
    path.write_bytes(raw)
    try:
        for row in each_row(path):
            if not isinstance(row, UsageError):
                must_find(row)
    except UsageError as error:
        assert str(error).startswith(str(path))


def test_documents_that_are_links_to_folders_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for place in ("old", "new"):
        (tmp_path / place / "doc").mkdir(parents=True)
        (tmp_path / place / "doc" / "document.md").write_text(f"# {place}\n", encoding="utf-8")
    (tmp_path / "all").mkdir()
    for place in ("old", "new"):
        (tmp_path / "all" / place).symlink_to(tmp_path / place / "doc", target_is_directory=True)
    assert [d.id for d in load_dataset(tmp_path / "all").documents] == ["new", "old"]

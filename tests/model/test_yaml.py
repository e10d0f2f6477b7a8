from __future__ import annotations

from pathlib import Path

import pytest

from fiducial.errors import UsageError
from fiducial.model.yaml import MAX_ALIASES, load_yaml


def test_plain_data_is_loaded_from_text_and_from_files(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: [1, 2.5, true, null, 'é']\n", encoding="utf-8")
    assert load_yaml(path) == load_yaml("a: [1, 2.5, true, null, 'é']") == {"a": [1, 2.5, True, None, "é"]}
    assert load_yaml("") is None


def test_a_few_aliases_and_merges_are_fine() -> None:
    text = "base: &b {x: 1, y: 2}\none: {<<: *b, y: 3}\ntwo: *b\n"
    assert load_yaml(text)["one"] == {"x": 1, "y": 3}


def test_nested_aliases_are_stopped_before_they_multiply() -> None:
    lines = ["l0: &l0 [x]"]
    lines += [f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 30)}]" for i in range(1, 9)]
    with pytest.raises(UsageError, match=f"line 5: more than {MAX_ALIASES} aliases"):
        load_yaml("\n".join(lines))


@pytest.mark.parametrize(
    ("merge", "says"),
    [
        ("<<: [*l{0}, *l{0}, *l{0}]", "line 2: `<<` takes one mapping"),
        ("<<: *l{0}, <<: *l{0}", 'line 2: "<<" is given twice'),
    ],
)
def test_merges_are_stopped_before_they_multiply(merge: str, says: str) -> None:
    lines = ["l0: &l0 {a: 1}", *(f"l{i}: &l{i} {{{merge.format(i - 1)}}}" for i in range(1, 20))]
    with pytest.raises(UsageError, match=says):
        load_yaml("\n".join(lines))


@pytest.mark.parametrize("count", [61, 100_000])
def test_deep_nesting_is_refused_and_does_not_exhaust_the_stack(count: int) -> None:
    with pytest.raises(UsageError, match="nested more than"):
        load_yaml("[" * count)


def test_an_alias_that_contains_itself_is_refused() -> None:
    with pytest.raises(UsageError, match="line 1: an alias contains itself"):
        load_yaml("a: &a [1, *a]")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: 1\nb: 2\na: 3\n", r'line 3: "a" is given twice \(first on line 1\)'),
        ("{x: 1, x: 1}", r'line 1: "x" is given twice'),
        ("deep:\n  - k: 1\n    k: 2\n", r'line 3: "k" is given twice'),
        ("a: [1, 2\nb: 3", "line 2"),
        ("a: b: c", "line 1"),
        ("a: 1\n--- \nb: 2", "line 2"),
        ("? [a, b]\n: 1", "line 1"),
        ("a: *nowhere", "line 1"),
        ("a: 2024-13-45", "a value cannot be read"),
        ("a: \x01", "not valid YAML"),
    ],
)
def test_errors_name_the_file_and_the_line(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "items.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=says) as caught:
        load_yaml(path)
    assert str(caught.value).startswith(str(path))
    with pytest.raises(UsageError, match=says) as caught:
        load_yaml(text, name="inline")
    assert str(caught.value).startswith("inline")


@pytest.mark.parametrize(
    "text", ["!!python/object/apply:os.getcwd []", "!!python/name:os.system ''", "!thing {a: 1}"]
)
def test_tags_never_make_objects(text: str) -> None:
    with pytest.raises(UsageError, match="could not determine a constructor"):
        load_yaml(text)


def test_unreadable_files_are_usage_errors(tmp_path: Path) -> None:
    latin = tmp_path / "latin.yaml"
    latin.write_bytes("a: é".encode("latin-1"))
    with pytest.raises(UsageError, match="not UTF-8"):
        load_yaml(latin)
    with pytest.raises(UsageError, match="cannot be read"):
        load_yaml(tmp_path / "absent.yaml")
    with pytest.raises(UsageError, match="cannot be read"):
        load_yaml(tmp_path)

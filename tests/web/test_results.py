"""Results of run files: computed once, waited for a little, and of one page the same."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from fiducial.web.results import Results


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "a.db"
    made.write_bytes(b"x")
    return made


def touch(path: Path) -> None:
    os.utime(path, (path.stat().st_atime, path.stat().st_mtime + 5))


def test_what_takes_long_is_none_until_it_is_there_and_is_computed_once(path: Path) -> None:
    results, go, seen = Results(), threading.Event(), []

    def slow(of: Path) -> int:
        seen.append(of)
        assert go.wait(20)
        return 7

    assert results.soon(path, slow, patience=0.01) is None
    assert results.soon(path, slow, patience=0.01) is None
    go.set()
    assert results.soon(path, slow, patience=20) == 7
    assert results.once(path, slow) == 7
    assert len(seen) == 1
    results.close()


def test_of_a_file_that_never_rests_there_is_a_result_all_the_same(path: Path) -> None:
    results, go = Results(), threading.Event()

    def slow(of: Path) -> int:
        assert go.wait(20)
        return 7

    assert results.soon(path, slow, patience=0.01) is None
    touch(path)
    go.set()
    assert results.soon(path, slow, patience=20) == 7
    touch(path)
    assert results.last(path, slow) == 7
    results.close()


def test_an_error_is_raised_where_it_is_asked_for_and_not_kept(path: Path) -> None:
    results, fine = Results(), [False]

    def shaky(of: Path) -> int:
        if not fine[0]:
            raise TimeoutError("its own")
        return 1

    with pytest.raises(TimeoutError, match="its own"):
        results.soon(path, shaky)
    fine[0] = True
    assert results.soon(path, shaky) == 1
    results.close()


def test_only_so_many_results_of_a_kind_are_kept(tmp_path: Path) -> None:
    results, seen = Results(), []

    def name(of: Path) -> str:
        seen.append(of.name)
        return of.name

    paths = [tmp_path / f"{k}.db" for k in range(4)]
    for one in paths:
        one.write_bytes(b"x")
        results.once(one, name, kept=2)
    results.once(paths[3], name, kept=2)
    results.once(paths[0], name, kept=2)
    assert seen == ["0.db", "1.db", "2.db", "3.db", "0.db"]
    results.close()

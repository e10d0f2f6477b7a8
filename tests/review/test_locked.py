"""Several writers of one file of records, and writers that are stopped in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from fiducial.errors import UsageError
from fiducial.review import files
from fiducial.review.dataset import candidates
from fiducial.review.files import append_rows, locked, read_rows
from fiducial.review.labels import load_labels
from tests.review.folders import ITEM, make, read_lines, write_lines

WRITER = """
import sys
from pathlib import Path
from fiducial.review.files import append_rows
path, who, n = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for k in range(n):
    append_rows(path, [{"id": f"{who}-{k}", "title": "t" * 5000}])
    print(k, flush=True)
"""
COUNTER = """
import json, sys
from pathlib import Path
from fiducial.review.files import locked
from fiducial.run.files import write_whole
path = Path(sys.argv[1])
for _ in range(int(sys.argv[2])):
    with locked(path.parent):
        write_whole(path, json.dumps(json.loads(path.read_text()) + 1).encode())
"""


def started(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)], stdout=subprocess.PIPE, text=True, env=os.environ
    )


def test_whoever_reads_and_then_writes_loses_nothing_to_another_process(tmp_path: Path) -> None:
    path = tmp_path / "n.json"
    path.write_text("0")
    both = [started(COUNTER, path, 30) for _ in range(2)]
    assert [one.wait(60) for one in both] == [0, 0]
    assert path.read_text() == "60"


def test_threads_that_append_at_once_leave_every_record_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"

    def write(who: int) -> None:
        for k in range(20):
            append_rows(path, [{"id": f"{who}-{k}", "title": "t" * 9000}])

    threads = [threading.Thread(target=write, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({row["id"] for row in read_lines(path)}) == 80


def test_the_lock_may_be_taken_again_inside_and_is_given_back(tmp_path: Path) -> None:
    with locked(tmp_path), locked(tmp_path / "." / "x" / ".."):
        append_rows(tmp_path / "a.jsonl", [{"a": 1}])
    done = threading.Thread(target=append_rows, args=(tmp_path / "a.jsonl", [{"a": 2}]))
    done.start()
    done.join(20)
    assert read_lines(tmp_path / "a.jsonl") == [{"a": 1}, {"a": 2}]


def test_a_lock_that_somebody_keeps_is_an_error_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "PATIENCE", 0.05)
    said: list[str] = []

    def write() -> None:
        try:
            append_rows(tmp_path / "a.jsonl", [{"a": 1}])
        except UsageError as error:
            said.append(str(error))

    with locked(tmp_path):
        other = threading.Thread(target=write)
        other.start()
        other.join()
    assert "somebody else has been writing there" in said[0]
    assert not (tmp_path / "a.jsonl").exists()


def test_a_writer_that_is_killed_leaves_all_it_has_reported_and_the_next_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "candidates.jsonl"
    victim = started(WRITER, path, "a", 100_000)
    assert victim.stdout is not None
    for _ in range(20):
        reported = int(victim.stdout.readline())
    victim.send_signal(signal.SIGKILL)
    reported = max([reported, *map(int, victim.stdout.read().split())])
    victim.wait()
    append_rows(path, [ITEM])
    ids = list(candidates(tmp_path))
    assert ids[-1] == "kept"
    assert set(ids) >= {f"a-{k}" for k in range(reported + 1)}


def test_half_a_record_at_the_end_costs_nothing_but_itself(tmp_path: Path) -> None:
    folder = make(tmp_path / "d")
    path = folder / "candidates.jsonl"
    append_rows(path, [ITEM, ITEM | {"id": "ümläut", "title": "Größe"}])
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for cut in range(first, len(whole) - 1):  # in the middle of a letter, too
        path.write_bytes(whole[:cut])
        assert list(candidates(folder)) == ["kept"]
    path.write_bytes(whole[:-1])
    assert list(candidates(folder)) == ["kept", "ümläut"]
    path.write_bytes(whole[: first + 40])
    append_rows(path, [ITEM | {"id": "next"}], growing=True)
    assert [row["id"] for row in read_lines(path)] == ["kept", "next"]
    assert path.with_name("candidates.jsonl.torn").read_bytes() == whole[first : first + 40] + b"\n"


def test_half_a_record_in_the_middle_or_in_a_list_is_an_error(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", '{"id": "a", "ti', ITEM)
    with pytest.raises(UsageError, match="line 1: not JSON"):
        read_rows(path, growing=True)
    path.write_text('{"id": "a"}\n{"id": "b", "ti')
    with pytest.raises(UsageError, match="line 2: not JSON"):
        read_rows(path)


def test_half_a_label_is_passed_over(tmp_path: Path) -> None:
    good = {"case": "c", "rater": "ann", "label": 1, "at": "2026-01-01", "note": None}
    path = write_lines(tmp_path / "labels" / "ann.jsonl", good)
    path.write_bytes(path.read_bytes() + b'{"case": "d", "ra')
    assert [label.case for label in load_labels(tmp_path)] == ["c"]


SMALL = """
import resource, sys
from pathlib import Path
from fiducial.review.files import append_rows
resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
append_rows(Path(sys.argv[1]), [{"id": "b", "title": "t" * 500}])
"""


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "candidates.jsonl"
    append_rows(path, [ITEM])
    before = path.read_bytes()
    full = started("import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)" + SMALL, path)
    assert full.wait(60) == 1
    assert path.read_bytes() == before

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fiducial.errors import DamagedFile, Incomplete, UsageError
from fiducial.model.remote import open_remote
from fiducial.run import schema
from fiducial.run.store import Store, find_run
from fiducial.run.writer import Record, Writer
from tests.model.servers import Answer, Seen, Server, openai_reply
from tests.run.support import Echo, plan_of, run, said, texts

ROOT = Path(__file__).parents[2]


def victim(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.run.victim", *map(str, arguments)],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
    )


def stored(path: Path) -> int:
    """Replies that a reader sees now; a run that is just being created has none."""
    try:
        with Store(path) as store:
            return store.progressed().answered
    except (UsageError, sqlite3.OperationalError):
        return 0


def test_a_full_disk_is_a_clear_error_and_the_run_is_intact(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with Server(said("x" * 2000)) as server:
        child = victim(path, f"{server.url}/v1", 400, 300_000)
        _, complaint = child.communicate(timeout=60)
        assert child.returncode == 3
        assert "could not write" in complaint and "intact" in complaint and "Traceback" not in complaint
        kept = stored(path)
        assert 0 < kept < 400
        child = victim(path, f"{server.url}/v1", 400)
        assert child.wait(timeout=60) == 0
        assert len(server.seen) <= 400 + 2 * 8
    assert stored(path) == 400


def test_a_polite_kill_ends_in_good_order(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with Server(script=lambda s: Answer(body=said("A"), delay=0.005)) as server:
        child = victim(path, f"{server.url}/v1", 5000)
        while stored(path) < 5:
            pass
        child.send_signal(signal.SIGINT)
        _, complaint = child.communicate(timeout=30)
        assert child.returncode == 3, complaint
        assert stored(path) == len(server.seen)  # what was in flight was waited for, and is stored


def test_a_second_writer_is_refused_and_readers_are_welcome(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    schema.create(path)
    with Writer(path):
        with pytest.raises(UsageError, match="another process is writing"):
            Writer(path)
        with Store(path) as one, Store(path) as two:
            assert one.progressed() == two.progressed()
    with Writer(path):
        pass


@pytest.mark.parametrize("link", [Path.symlink_to, Path.hardlink_to])
def test_a_second_writer_under_another_name_is_refused(tmp_path: Path, link: Callable[[Path, Path], None]) -> None:
    path, other = tmp_path / "run.db", tmp_path / "elsewhere" / "other.db"
    other.parent.mkdir()
    schema.create(path)
    with Writer(path):
        link(other, path)
        with pytest.raises(UsageError, match=r"another process is writing|another name elsewhere \(a hard link\)"):
            Writer(other)
    with Store(other) as store:
        assert store.progressed().trials == 0


def test_a_writer_stops_when_its_file_was_replaced(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    schema.create(path)
    schema.create(tmp_path / "other.db")
    with Writer(path) as writer:
        (tmp_path / "other.db").replace(path)
        with pytest.raises(Incomplete, match="another file was put in its place"):
            writer.set_meta("settings", {})


def test_a_reply_that_was_changed_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    run(path, plan_of(5), Echo())
    with sqlite3.connect(path) as db:
        db.execute("UPDATE reply SET text = 'better' WHERE id = 3")
    db.close()
    schema._checked.clear()  # as another process would find it
    for opened in (Store, Writer):
        with pytest.raises(DamagedFile, match=r"reply 3 \(of trial \d+\) was changed"):
            opened(path)


def _read_in_a_folder_that_cannot_be_written(path: Path, told: Any) -> None:
    if os.geteuid() == 0:  # to whom permissions do not apply
        os.setuid(65534)
    try:
        with Store(path) as store:
            told.send(store.progressed().answered)
    except UsageError as error:
        told.send(str(error))


@pytest.mark.parametrize("beside", [None, b"", b"replies that wait to be written into the file"])
def test_a_run_in_a_folder_that_cannot_be_written_is_read(beside: bytes | None) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "run.db"
        run(path, plan_of(5), Echo())
        for other in folder.glob("run.db-*"):
            other.unlink()
        if beside is not None:
            (folder / "run.db-wal").write_bytes(beside)
        folder.chmod(0o555)
        here, there = multiprocessing.Pipe()
        context = multiprocessing.get_context("fork")
        child = context.Process(target=_read_in_a_folder_that_cannot_be_written, args=(path, there))
        child.start()
        child.join()
        folder.chmod(0o755)
        found = here.recv()
    if beside:
        assert "its folder is read-only; copy the file" in found
    else:
        assert found == 5


def test_a_run_file_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    schema.create(path)
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {schema.VERSION + 6}")
    db.close()
    with pytest.raises(UsageError, match=r"newer Fiducial \(format 8"):
        Store(path)


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 100])
def test_a_file_that_is_no_run_is_refused_in_words(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "run.db"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="not a run file"):
        Store(path)


def test_a_missing_run_names_those_that_are_there(tmp_path: Path) -> None:
    schema.create(tmp_path / "bias-one.db")
    with pytest.raises(UsageError, match="bias-one"):
        find_run("bias-onee", tmp_path)
    assert find_run("bias-one", tmp_path) == tmp_path / "bias-one.db"


def test_half_a_surrogate_pair_does_not_stop_the_writer(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    schema.create(path)
    errors: list[BaseException | None] = []
    with Writer(path) as writer:
        writer.db.execute("INSERT INTO trial VALUES (1, 'x', 'subject', 'i', 'h', 'a', 0, 0, 0, NULL, 'k')")
        writer.start(lambda group, error: errors.append(error))
        writer.put(Record(trial=1, model="m", status="ok", text="a\ud800b\x00c"))
        writer.finish()
    assert errors == [None]
    assert texts(path) == {"i.0.0": "a?b\x00c"}


def test_no_key_is_anywhere_in_the_run_file(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    secret = "sk-test-0123456789abcdef"

    def script(seen: Seen) -> object:
        assert seen.headers["authorization"] == f"Bearer {secret}"
        if "question 1/" in seen.json["messages"][0]["content"]:
            return Answer(status=400, body={"error": {"message": f"your key {secret} says no (Bearer {secret})"}})
        return openai_reply("A")

    with Server(script=script) as server:
        model = open_remote("openai", "m", server.env(OPENAI_API_KEY=secret), connections=8)
        done = run(path, plan_of(5), model)
    assert done.failed == 1
    for file in tmp_path.iterdir():
        content = file.read_bytes()
        assert secret.encode() not in content
        assert b"uthorization" not in content


def test_a_failure_after_a_reply_does_not_hide_the_reply(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    run(path, plan_of(1), Echo())
    with Writer(path) as writer:
        writer.start(lambda group, error: None)
        writer.put(Record(trial=1, model="m", status="failed", failure="timeout", message="late"))
        writer.finish()
    assert texts(path) == {"0.0.0": "echo question 0/a"}
    assert stored(path) == 1


def test_looking_for_a_run_creates_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such run file"):
        Store(tmp_path / "nothing.db")
    assert not list(tmp_path.iterdir())

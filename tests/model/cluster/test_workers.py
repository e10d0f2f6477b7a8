"""What `--workers` may say; nothing here needs a cluster."""

from __future__ import annotations

import asyncio
import socket

import pytest
from click.testing import CliRunner

from fiducial.cli.main import fiducial
from fiducial.errors import UsageError
from fiducial.model.cluster import ray as module
from fiducial.model.cluster.ray import RayCluster, parse_workers


@pytest.mark.parametrize("wrong", ["dask", "ray:", "ray:ray://head:10001", "ray:head", "ray:head:6379 --x"])
def test_an_address_is_a_host_and_a_port(wrong: str) -> None:
    with pytest.raises(UsageError, match="--workers"):
        parse_workers(wrong)


def test_without_ray_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"pip install '\.\[ray\]'"):
        parse_workers("ray")


def test_with_ray_an_address_is_taken_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda _: object())
    assert parse_workers("ray") is None
    assert parse_workers("ray:10.0.0.4:6379") == "10.0.0.4:6379"
    assert parse_workers("ray:[fd00::1]:6379") == "[fd00::1]:6379"


def test_a_command_refuses_what_is_no_cluster() -> None:
    done = CliRunner().invoke(fiducial, ["bias", "run", "--model", "sim/coin", "--workers", "dask"])
    assert isinstance(done.exception, UsageError) or "write ray, or ray:ADDRESS" in done.output


def test_a_cluster_that_is_not_there_is_found_out_at_once() -> None:
    pytest.importorskip("ray", reason="needs the extra `ray`")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(UsageError, match=f"no Ray cluster at {address}"):
            asyncio.run(RayCluster(address).join())

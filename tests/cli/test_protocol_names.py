"""The help names every protocol."""

from __future__ import annotations

import re

from click.testing import CliRunner

from fiducial.bias.protocols.registry import NAMES, open_protocols
from fiducial.cli.bias_run import run_bias


def test_the_help_names_every_protocol_and_all_of_them_open() -> None:
    said = " ".join(CliRunner().invoke(run_bias, ["--help"]).output.split())
    for name in NAMES:
        kind, _, setting = name.partition(":")
        assert re.search(rf"\b{re.escape(kind)}\b", said) and re.search(rf"\b{setting}\b", said), name
    assert len(open_protocols([n for n in NAMES if ":" not in n], at="moderate", rounds=4)) == 7

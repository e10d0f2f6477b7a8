from __future__ import annotations

from pathlib import Path

import yaml

from fiducial import __version__

ROOT = Path(__file__).parents[2]


def test_the_citation_has_what_the_format_requires_and_the_version_of_the_code() -> None:
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(
        found
    )  # required by the Citation File Format 1.2.0
    assert found["cff-version"] == "1.2.0" and found["type"] == "software"
    assert found["version"] == __version__ and found["license"] == "MIT"
    for author in found["authors"]:
        assert author.get("name") or (author.get("family-names") and author.get("given-names"))

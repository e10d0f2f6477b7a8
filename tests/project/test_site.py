"""The documentation as a site: strict, whole, and without a request to anybody."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import yaml

mkdocs = pytest.importorskip("mkdocs", reason="needs the `docs` extra")

ROOT = Path(__file__).parents[2]
LOADED = {  # attributes whose address a browser fetches by itself
    "script": ("src",), "img": ("src", "srcset"), "iframe": ("src",), "source": ("src", "srcset"), "embed": ("src",),
    "video": ("src", "poster"), "audio": ("src",), "object": ("data",), "input": ("src",), "use": ("href", "xlink:href"),
}  # fmt: skip
ELSEWHERE = re.compile(r"^\s*(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)


class _Loads(HTMLParser):
    """What a page makes a browser fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        names = LOADED.get(tag, ())
        if tag == "link" and given.get("rel") not in ("canonical", "prev", "next"):
            names = ("href",)
        self.found += [str(given[name]) for name in names if given.get(name)]
        self.found += _of_css(given.get("style") or "")


def _of_css(text: str) -> list[str]:
    return re.findall(r"""(?:url\(|@import)\s*['"]?([^'")]+)""", text)


def fetched(page: str) -> list[str]:
    parser = _Loads()
    parser.feed(page)
    return [
        *parser.found,
        *(a for style in re.findall(r"<style.*?</style>", page, re.DOTALL) for a in _of_css(style)),
    ]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as `make docs` builds it; broken links and anchors, and pages outside the nav, end it."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    folder = tmp_path_factory.mktemp("site")
    config = load_config(str(ROOT / "mkdocs.yml"), strict=True, site_dir=str(folder))
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    return folder


def _leaves(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    for part in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
        yield from _leaves(part)


def test_every_page_of_docs_stands_once_in_the_nav() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = list(_leaves(yaml.safe_load(text)["nav"]))
    pages = {path.name for path in (ROOT / "docs").glob("*.md")}
    assert pages == {name for name in listed if "/" not in name}
    assert len(listed) == len(set(listed))


def test_nothing_that_a_page_loads_comes_from_another_host(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        loads = fetched(page.read_text(encoding="utf-8"))
        assert loads and not [address for address in loads if ELSEWHERE.match(address)], page.name
    for sheet in site.rglob("*.css"):
        assert not [a for a in _of_css(sheet.read_text(encoding="utf-8")) if ELSEWHERE.match(a)], sheet.name


def test_a_page_that_loads_from_elsewhere_would_be_noticed() -> None:
    page = '<link rel="stylesheet" href="//fonts.host/x.css"><img src="a.png"><p style="background: url(https://host/y)">'
    assert [a for a in fetched(page) if ELSEWHERE.match(a)] == ["//fonts.host/x.css", "https://host/y"]


def test_no_page_names_a_folder_of_a_machine(site: Path) -> None:
    folders = re.compile(rf"(?:/home/|/Users/|/root/|/tmp/|{re.escape(str(ROOT))}/)\w[^\s<]*")
    for page in site.rglob("*.html"):
        found = folders.findall(page.read_text(encoding="utf-8"))
        assert not found, (page.name, found[:3])


def test_a_link_to_a_file_of_the_repository_leads_to_a_page_of_it(site: Path) -> None:
    data = (site / "data.html").read_text(encoding="utf-8")
    assert 'href="repository/examples/notebook.py.html"' in data
    assert "polars" in (site / "repository" / "examples" / "notebook.py.html").read_text(encoding="utf-8")
    changes = (site / "repository" / "CHANGELOG.html").read_text(encoding="utf-8")
    assert 'href="../protocols.html"' in changes


def test_the_reference_has_the_public_names_with_what_their_docstrings_say(site: Path) -> None:
    page = (site / "api.html").read_text(encoding="utf-8")
    source = ast.parse((ROOT / "src" / "fiducial" / "api" / "__init__.py").read_text(encoding="utf-8"))
    public = next(ast.literal_eval(one.value) for one in source.body if isinstance(one, ast.Assign))  # `__all__`
    # `models` and `runs` are modules of the same name too: there the function is found in its module
    found = set(re.findall(r'id="fiducial\.api\.(?:(?:models|runs)\.)?(\w+)"', page))
    assert not set(public) - found
    assert (
        'id="fiducial.frames.Frames.effects"' in page and 'id="fiducial.testing.fixture.Fiducial.at_least"' in page
    )
    assert "One row a bias, and one for each of its intensities" in page


def test_search_finds_a_page_when_the_site_is_opened_as_files(site: Path, chromium: Any) -> None:
    page = chromium.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{(site / 'index.html').as_uri()}?q=Rogan")
    page.wait_for_selector(".md-search-result__item", timeout=20_000)
    assert "correcting.html" in page.locator(".md-search-result__item a").first.get_attribute("href")
    assert asked and all(address.startswith(("file:", "data:")) for address in asked)
    page.close()

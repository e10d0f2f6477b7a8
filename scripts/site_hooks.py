"""What the site needs beyond MkDocs: repository files that pages link to, under one address that works in both places.

In the repository `docs/data.md` links to `../examples/notebook.py`. On the site there is nothing above `docs/`, and the
repository may not be reachable. So every file of the repository that a page links to becomes a page of the site under
`repository/`: Markdown as it is, anything else as a block of code. Links are rewritten on the way, in both directions.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
HOME = "repository"
IN_NAV = ("CHANGELOG.md", "CONTRIBUTING.md")
LANGUAGES = {".py": "python", ".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".jsonl": "json", ".txt": "text"}
_LINK = re.compile(r"(?<=\]\()(?![a-z+]+:|#|/)([^)\s#]+)(#[^)\s]*)?(?=\))")
_CODE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for every file outside `docs/` that is linked to, directly or from such a page."""
    pages = [(f"docs/{file.src_uri}", Path(str(file.abs_src_path))) for file in files.documentation_pages()]
    waiting = [(path, "the nav") for path in IN_NAV]
    for at, source in pages:
        waiting += [(path, at) for path in _outside(at, source.read_text(encoding="utf-8"))]
    while waiting:
        path, at = waiting.pop()
        if files.get_file_from_path(address(path)) is not None:
            continue
        text = _page(path, at)
        shown = InclusionLevel.INCLUDED if path in IN_NAV else InclusionLevel.NOT_IN_NAV
        files.append(File.generated(config, address(path), content=text, inclusion=shown))
        if path.endswith(".md"):
            waiting += [(found, path) for found in _outside(path, text)]
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The page with its links as they are on the site."""
    here = _place(page.file.src_uri)
    there = posixpath.dirname(page.file.src_uri)

    def moved(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(here), link[1]))
        return posixpath.relpath(address(target), there or ".") + (link[2] or "")

    return _outside_code(markdown, lambda text: _LINK.sub(moved, text))


def address(path: str) -> str:
    """Where a file of the repository is on the site, as MkDocs names sources."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return f"{HOME}/{path}" if path.endswith(".md") else f"{HOME}/{path}.md"


def _place(uri: str) -> str:
    """Where a page of the site is in the repository."""
    return uri.removeprefix(f"{HOME}/") if uri.startswith(f"{HOME}/") else f"docs/{uri}"


def _outside(at: str, text: str) -> list[str]:
    """The files outside `docs/` that a page links to, as paths from the root."""
    links = (link[1] for link in _LINK.finditer(_CODE.sub("", text)))
    paths = (posixpath.normpath(posixpath.join(posixpath.dirname(at), link)) for link in links)
    return [path for path in paths if not path.startswith("docs/")]


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    """The text with everything but fenced blocks changed."""
    parts: list[str] = []
    end = 0
    for block in _CODE.finditer(text):
        parts += [change(text[end : block.start()]), block[0]]
        end = block.end()
    return "".join([*parts, change(text[end:])])


def _page(path: str, at: str) -> str:
    file = ROOT / path
    if path.startswith("..") or not file.is_file():
        raise PluginError(f"{at} links to {path}, which is no file of the repository")
    text = file.read_text(encoding="utf-8")
    if path.endswith(".md"):
        return text
    return f"# {path}\n\n````{LANGUAGES.get(file.suffix, 'text')}\n{text}\n````\n"

"""A page taken apart, for the tests that look at it."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "link", "br", "img", "input", "hr", "wbr"}


class Page(HTMLParser):
    """Reads a page: tags in balance, text by section, tables as rows of cells."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[tuple[str, dict[str, str | None]]] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.marked: list[tuple[str, str]] = []
        self.tables: dict[str, list[list[str]]] = {}
        self.scripts: list[str] = []
        self._caption = ""
        self.feed(html)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append((tag, dict(attrs)))
        if tag == "table":
            self._caption = ""
        if tag == "tr":
            self.tables.setdefault(self._caption.strip(), []).append([])
        if tag in {"td", "th"}:
            self.tables[self._caption.strip()][-1].append("")
        if tag == "script":
            self.scripts.append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1][0] == tag, f"</{tag}> closes {self.open[-1:]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        inside = [tag for tag, _ in self.open]
        if "script" in inside:
            self.scripts[-1] += data
        elif "style" not in inside:
            self.text.append(data)
        if "caption" in inside:
            self._caption += data
        if "td" in inside or "th" in inside:
            self.tables[self._caption.strip()][-1][-1] += data
        if self.open and self.open[-1][0] == "mark":
            self.marked.append((str(self.open[-1][1]["class"]), data))

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.text).split())


def cells(row: list[str]) -> list[str]:
    return [" ".join(cell.split()) for cell in row]

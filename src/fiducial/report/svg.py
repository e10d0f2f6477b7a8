"""From a chart to an `<svg>` that lives inside the page.

Two things are done to what the chart engine draws. Words from outside never reach it: a chart is drawn with
tokens, and the words are put in their place afterwards, in a tree, where they can only be text (the engine
aborts the whole process when it measures a control character). And colours are names of the page's own CSS
variables, so one drawing serves light, dark and paper.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

import altair as alt
import vl_convert
from markupsafe import Markup

from fiducial.report.inert import legible

_TOKEN = re.compile(r"^@@(\d+)@@$")
_KEPT = frozenset({"svg", "g", "path", "line", "rect", "text", "defs", "clipPath"})
_SIZES = {"d", "x", "y", "x2", "y2", "width", "height", "viewBox", "transform", "font-size"}
_LOOKS = {"fill", "stroke", "stroke-width", "stroke-opacity", "stroke-linecap", "stroke-dasharray", "opacity"}
_ATTRIBUTES = _SIZES | _LOOKS | {"text-anchor", "font-weight", "font-style", "id", "clip-path"}


class Words:
    """The words of one drawing. `token` gives what the chart is drawn with instead."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def token(self, text: str) -> str:
        """A stand-in for a text, to be drawn in its place."""
        self._texts.append(legible(text))
        return f"@@{len(self._texts) - 1}@@"

    def real(self, drawn: str) -> str:
        """The text behind a token; anything else is the chart's own, such as the number at a tick."""
        found = _TOKEN.match(drawn)
        return self._texts[int(found[1])] if found else drawn


def draw(chart: alt.LayerChart, words: Words, *, label: str, name: str) -> Markup:
    """Render a chart. `label` is what a reader hears instead of it, `name` keeps its ids apart from those of others."""
    # Altair states the version its specifications are written in; the converter must read them as such.
    version = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    # Checking a specification against its schema takes longer than to draw it; the tests do it.
    drawn = vl_convert.vegalite_to_svg(chart.to_dict(validate=False), vl_version=version)
    root = ElementTree.fromstring(drawn)  # noqa: S314  (our own drawing; no word from outside is in it yet)
    _clean(root, words, name)
    root.set("role", "img")
    root.set("aria-label", legible(label))
    return Markup(ElementTree.tostring(root, encoding="unicode"))  # noqa: S704  (escaped by the serialiser)


def _clean(node: ElementTree.Element, words: Words, name: str) -> None:
    """Keep what is seen: the engine's own accessibility marks would be read out one by one."""
    node.tag = _local(node)
    spoken = words.real(node.get("aria-label", "")) if _is_token(node.get("aria-label")) else None
    for key in [key for key in node.attrib if key not in _ATTRIBUTES]:
        del node.attrib[key]
    if own := node.get("id"):
        node.set("id", f"{name}-{own}")
    if clipped := node.get("clip-path"):
        node.set("clip-path", clipped.replace("url(#", f"url(#{name}-"))
    if node.text:
        node.text = words.real(node.text)
    for child in list(node):
        if _local(child) not in _KEPT or _unseen(child):
            node.remove(child)
        else:
            _clean(child, words, name)
    if spoken:
        title = ElementTree.Element("title")
        title.text = spoken
        node.insert(0, title)


def _is_token(text: str | None) -> bool:
    return text is not None and _TOKEN.match(text) is not None


def _local(node: ElementTree.Element) -> str:
    return node.tag.rpartition("}")[2]


def _unseen(node: ElementTree.Element) -> bool:
    return node.get("display") == "none" or node.get("class") in {"background", "foreground"}

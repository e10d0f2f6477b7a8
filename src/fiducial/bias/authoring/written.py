"""Bias files written by the program: items as a person would write them, with nothing in them that says nothing."""

from __future__ import annotations

from typing import Any

import msgspec
import yaml

from fiducial.bias.item import Bias, ItemSpec

WIDTH = 116
SHORT = 90  # letters of a collection that stands on one line
ORDER = (
    "id",
    "generated",
    "domain",
    "stratum",
    "slots",
    "require",
    "text",
    "sides",
    "control",
    "intensities",
    "pair",
)
"""The fields of an item as they are read best; the others follow as they come."""


class _Dumper(yaml.SafeDumper):
    """Texts of several lines as blocks, short collections on one line."""

    def represent_mapping(self, tag: str, mapping: Any, flow_style: bool | None = None) -> yaml.MappingNode:
        """On one line where it fits."""
        node = super().represent_mapping(tag, mapping, flow_style)
        node.flow_style = _fits(node)
        return node

    def represent_sequence(self, tag: str, sequence: Any, flow_style: bool | None = None) -> yaml.SequenceNode:
        """On one line where it fits."""
        node = super().represent_sequence(tag, sequence, flow_style)
        node.flow_style = _fits(node)
        return node

    def ignore_aliases(self, data: object) -> bool:
        """What stands twice is written twice."""
        return True


def _fits(node: yaml.CollectionNode) -> bool:
    """Whether all of it is short, and inner collections are on one line too."""
    inner = [part for pair in node.value for part in (pair if isinstance(pair, tuple) else (pair,))]
    flat = all(isinstance(part, yaml.ScalarNode) or part.flow_style for part in inner)
    return flat and _letters(node) <= SHORT


def _letters(node: yaml.Node) -> int:
    if isinstance(node, yaml.ScalarNode):
        return len(node.value) + 2 + WIDTH * (node.style == "|")
    return sum(_letters(part) for pair in node.value for part in (pair if isinstance(pair, tuple) else (pair,)))


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text.strip() else None)


_Dumper.add_representer(str, _text)


def item_data(item: ItemSpec) -> dict[str, Any]:
    """The item as plain values, without fields that are as they would be anyway."""
    raw: dict[str, Any] = msgspec.to_builtins(item)
    kept = {name: value for name, value in raw.items() if value is not None and value not in ([], {}, False)}
    kept["slots"] = {name: _given(slot) for name, slot in raw["slots"].items()}
    kept["answer"] = {name: value for name, value in _given(raw["answer"]).items() if value != ""}
    if raw["proof"]:
        kept["proof"] = _given(raw["proof"])
    if not kept["slots"]:
        del kept["slots"]
    return {name: kept[name] for name in (*(n for n in ORDER if n in kept), *(n for n in kept if n not in ORDER))}


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def item_yaml(item: ItemSpec) -> str:
    """One item as YAML."""
    return dump(item_data(item))


def bias_yaml(bias: Bias, remark: str) -> str:
    """A whole file, with a remark at its head."""
    raw: dict[str, Any] = msgspec.to_builtins(bias)
    raw.update({name: value.strip() for name, value in raw.items() if isinstance(value, str)})
    head = {name: value for name, value in raw.items() if name != "items" and value is not None and value != []}
    head["sources"] = [_given(source) for source in raw["sources"]]
    comment = "".join(f"# {line}\n" for line in remark.splitlines())
    return comment + dump({**head, "items": [item_data(item) for item in bias.items]})


def dump(value: object) -> str:
    """As YAML that the loader reads back to the same value."""
    found: str = yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH)
    return found

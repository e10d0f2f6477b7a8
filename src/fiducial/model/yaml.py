"""YAML from outside, loaded so that no file can run code, exhaust the machine or hide a value.

Beyond PyYAML's safe loader: aliases are counted (a few hundred bytes of nested aliases can stand for
billions of nodes), a merge key takes one mapping for the same reason, nesting is bounded (the C parser
recurses), an alias may not contain itself, and a key that is given twice is an error instead of a silent
"last one wins".
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from fiducial.errors import UsageError

MAX_ALIASES = 100
MAX_DEPTH = 60

# The C parser is about ten times faster; wheels without it exist.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_OPEN = (yaml.SequenceStartEvent, yaml.MappingStartEvent)
_MERGE = "tag:yaml.org,2002:merge"
_CLOSE = (yaml.SequenceEndEvent, yaml.MappingEndEvent)


def load_yaml(source: Path | str, *, name: str | None = None, max_aliases: int = MAX_ALIASES) -> Any:
    """The one document in a file (`Path`) or in a text (`str`); None where there is nothing in it.

    Every problem is a UsageError that begins with the file and, where it is known, the line. `name` is
    what a text is called in errors.
    """
    if isinstance(source, Path):
        where = name or str(source)
        text = _read(source, where)
    else:
        where = name or "<text>"
        text = source
    try:
        _check_events(text, where, max_aliases)
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            if node is None:
                return None
            _check_nodes(node, where)
            return loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context or "not valid YAML"
        raise UsageError(f"{_at(where, mark)}: {problem}") from error
    except yaml.YAMLError as error:  # a character that YAML does not allow: no mark, but a reason
        reason = getattr(error, "reason", None) or str(error).splitlines()[0]
        raise UsageError(f"{where}: not valid YAML: {reason}") from error
    except (ValueError, OverflowError) as error:  # such as the date 2024-13-45
        raise UsageError(f"{where}: a value cannot be read: {error}") from error


def _read(path: Path, where: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{where}: not UTF-8 text (byte {error.start})") from error
    except OSError as error:
        raise UsageError(f"{where}: cannot be read: {error.strerror or error}") from error


def _at(where: str, mark: Any) -> str:
    return where if mark is None else f"{where}, line {mark.line + 1}"


def _check_events(text: str, where: str, max_aliases: int) -> None:
    """Bound aliases and depth on the flat stream of events, before anything recursive sees the text."""
    aliases = depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, _OPEN):
            depth += 1
            if depth > MAX_DEPTH:
                raise UsageError(f"{_at(where, event.start_mark)}: nested more than {MAX_DEPTH} levels deep")
        elif isinstance(event, _CLOSE):
            depth -= 1
        elif isinstance(event, yaml.AliasEvent):
            aliases += 1
            if aliases > max_aliases:
                raise UsageError(f"{_at(where, event.start_mark)}: more than {max_aliases} aliases (`*name`)")


def _check_nodes(root: yaml.Node, where: str) -> None:
    """Refuse repeated keys, merges of a list, and aliases that contain themselves. Shared nodes are visited once."""
    done: set[int] = set()
    open_: set[int] = set()

    def visit(node: yaml.Node) -> None:
        if isinstance(node, yaml.ScalarNode) or id(node) in done:
            return
        if id(node) in open_:
            raise UsageError(f"{_at(where, node.start_mark)}: an alias contains itself")
        open_.add(id(node))
        if isinstance(node, yaml.MappingNode):
            seen: dict[tuple[str, str], int] = {}
            for key, value in node.value:
                if isinstance(key, yaml.ScalarNode):
                    first = seen.get((key.tag, key.value))
                    if first is not None:
                        at = _at(where, key.start_mark)
                        raise UsageError(f'{at}: "{key.value}" is given twice (first on line {first})')
                    seen[key.tag, key.value] = key.start_mark.line + 1
                    # Merging several mappings at once multiplies the keys at every level of nesting.
                    if key.tag == _MERGE and not isinstance(value, yaml.MappingNode):
                        at = _at(where, key.start_mark)
                        raise UsageError(f"{at}: `<<` takes one mapping, such as `<<: *name`, and no list")
                visit(key)
                visit(value)
        else:
            for child in node.value:
                visit(child)
        open_.discard(id(node))
        done.add(id(node))

    visit(root)

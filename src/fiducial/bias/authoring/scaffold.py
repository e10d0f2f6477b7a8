"""A bias file to begin with: the head with its places to fill, and one worked item of the paradigm."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import msgspec
from msgspec import Struct

from fiducial.bias.item import ItemSpec
from fiducial.bias.lint import places_to_fill
from fiducial.bias.load import ID, load_bias, packaged_files
from fiducial.bias.paradigms import Paradigm, paradigm
from fiducial.errors import UsageError
from fiducial.judge.prompt import fill_prompt
from fiducial.model.yaml import load_yaml

DEFAULT_PARADIGM = "provable_norm"


class Begun(Struct, frozen=True, kw_only=True):
    """A bias file to fill in: each of the places still says TODO."""

    file: Path
    paradigm: str
    to_fill: list[str]


def begin(id: str, name: str, folder: Path) -> Begun:
    """Write a new bias file of the paradigm of that name into the folder."""
    path = write_scaffold(id, paradigm(name), folder)
    return Begun(file=path, paradigm=name, to_fill=[place for _, place in places_to_fill(load_bias(path))])


def scaffold(id: str, how: Paradigm, file: Path) -> str:
    """The text of a new bias file."""
    if not ID.fullmatch(id):
        raise UsageError(f"{id[:60]!r} is no id: small letters, digits and _, a letter first, as in queue_aversion")
    if id in packaged_files():
        raise UsageError(f"the bias {id!r} is in the packaged battery already ({id}.yaml); choose another id")
    values = {"id": id, "paradigm": how.name, "effect": how.effect, "varies": how.varies, "file": str(file)}
    return fill_prompt(_text("head"), values) + _text(how.name)


@lru_cache
def example_item(name: str) -> ItemSpec:
    """The worked item of a paradigm."""
    (raw,) = load_yaml(_text(paradigm(name).name), name=f"examples/{name}.yaml")
    return msgspec.convert(raw, ItemSpec)


@lru_cache
def _text(name: str) -> str:
    return (files("fiducial.bias.authoring") / "examples" / f"{name}.yaml").read_text("utf-8")


def write_scaffold(id: str, how: Paradigm, folder: Path) -> Path:
    """Write ID.yaml into the folder, which is made where there is none. What is there already is never touched."""
    path = folder / f"{id}.yaml"
    text = scaffold(id, how, path)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise UsageError(f"{path} is there already, and stays as it is. Choose another id or --out.") from error
    return path

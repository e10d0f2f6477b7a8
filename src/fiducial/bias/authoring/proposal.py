"""What a model proposed, sifted: an item that loads and passes the linter, or why there is none.

A reply is hostile until it has passed: it is bounded in length, loaded as data, and never trusted to say of itself
that it is a variant of another item.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from fiducial.bias.item import Bias, ItemSpec
from fiducial.bias.lint import item_problems, vocabulary_of
from fiducial.bias.load import read_item
from fiducial.bias.skeletons import nearest
from fiducial.errors import UsageError, fault
from fiducial.model.yaml import load_yaml

Kind = Literal["no item", "wrong shape", "linter", "like another"]
KINDS: dict[Kind, str] = {
    "no item": "no YAML mapping could be read",
    "wrong shape": "not an item of the paradigm",
    "linter": "rejected by the linter",
    "like another": "too much like another item",
}
LONGEST = 20_000  # letters of a reply
MOST_SLOTS = 40
MOST_PROBLEMS = 12  # that are handed back
NOT_ITS_OWN = ("skeleton", "floor", "generated", "paraphrase", "chain")
"""What is not for a new item to say: the first would excuse it from the check for shared skeletons, the last two are for
protocols, and can be written once the item is known to be good."""

_FENCED = re.compile(r"^[ \t]*(`{3,}+|~{3,}+)[^\n]*\n(.*?)(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)


class Rejected(Struct, frozen=True, kw_only=True):
    """Why a reply gave no item."""

    kind: Kind
    problems: tuple[str, ...]


class Proposed(Struct, frozen=True, kw_only=True):
    """What came of one proposal: the item, if one of the tries passed; why the others did not."""

    trial: str
    tries: int
    item: ItemSpec | None
    rejected: tuple[Rejected, ...]


class Sieve:
    """Checks replies against a bias; what was checked once is remembered."""

    def __init__(self, bias: Bias, *, kept_in: str, seeds: int) -> None:
        """`kept_in` is the id of the bias that kept items become part of: ids seed draws, so both are tried."""
        self._bias, self._seeds = bias, seeds
        self._homes = (bias, msgspec.structs.replace(bias, id=kept_in))
        self._vocabulary = vocabulary_of([bias])
        self._checked: dict[str, ItemSpec | Rejected] = {}

    def sift(self, proposals: Iterable[tuple[str, Sequence[str]]]) -> list[Proposed]:
        """Of each proposal (the id of its trial, and its replies in order) the first reply that passes.

        First tries come before second ones, whoever made them: of two items that are alike, the earlier stays.
        """
        given = [(trial, list(texts)) for trial, texts in proposals]
        kept: dict[str, ItemSpec] = {}
        rejected: dict[str, list[Rejected]] = {trial: [] for trial, _ in given}
        for attempt in range(max((len(texts) for _, texts in given), default=0)):
            for trial, texts in given:
                if trial in kept or attempt >= len(texts):
                    continue
                found = self._among(texts[attempt], list(kept.values()))
                if isinstance(found, ItemSpec):
                    kept[trial] = found
                else:
                    rejected[trial].append(found)
        return [
            Proposed(trial=trial, tries=len(texts), item=kept.get(trial), rejected=tuple(rejected[trial]))
            for trial, texts in given
        ]

    def _among(self, text: str, kept: Sequence[ItemSpec]) -> ItemSpec | Rejected:
        """The item, under an id that no other has; or too much like one that is there."""
        if text not in self._checked:
            try:
                self._checked[text] = self._check(text)
            except Exception as error:  # any: one reply must not end the sifting of the others
                problem = f"the reply could not be read ({fault(error)})"
                self._checked[text] = Rejected(kind="no item", problems=(problem,))
        found = self._checked[text]
        if isinstance(found, Rejected):
            return found
        others = [*self._bias.items, *kept]
        if (shared := nearest(found, others, self._vocabulary)) is not None:
            return Rejected(kind="like another", problems=(f"{shared}: write about another situation",))
        taken = {item.id for item in others}
        named = found.id
        for again in range(2, len(taken) + 3):
            if named not in taken:
                break
            named = f"{found.id}-{again}"
        if named == found.id:
            return found
        # names of items seed their draws, so under another name it is drawn, and linted, anew
        return self._linted(msgspec.structs.replace(found, id=named))

    def _check(self, text: str) -> ItemSpec | Rejected:
        raw = item_in(text)
        if isinstance(raw, Rejected):
            return raw
        if given := [name for name in NOT_ITS_OWN if name in raw]:
            return _wrong(f"{given[0]}: leave it out; it is not for a new item to say")
        if isinstance(raw.get("slots"), dict) and len(raw["slots"]) > MOST_SLOTS:
            return _wrong(f"slots: there are {len(raw['slots'])}; at most {MOST_SLOTS} are allowed")
        try:
            item = read_item({**raw, "id": _slug(raw.get("id"))}, self._bias)
        except UsageError as error:
            return _wrong(str(error))
        return self._linted(item)

    def _linted(self, item: ItemSpec) -> ItemSpec | Rejected:
        for home in self._homes:
            if problems := item_problems(home, item, seeds=self._seeds):
                return Rejected(kind="linter", problems=tuple(problems))
        return item


def _wrong(problem: str) -> Rejected:
    return Rejected(kind="wrong shape", problems=(problem,))


def item_in(text: str) -> dict[str, Any] | Rejected:
    """The one mapping that a reply gives, in a fenced block or bare; a list of one, or `items: [one]`, will do."""
    if not text.strip():
        return Rejected(kind="no item", problems=("the reply is empty",))
    if len(text) > LONGEST:
        return Rejected(kind="no item", problems=(f"the reply is longer than {LONGEST} letters",))
    problem = ""
    for part in [match[2] for match in _FENCED.finditer(text)] or [text]:
        try:
            found = _one(load_yaml(part, name="your item"))
        except UsageError as error:
            problem = problem or str(error)
            continue
        if isinstance(found, dict):
            return found
        problem = problem or str(found)
    return Rejected(kind="no item", problems=(problem,))


def _one(raw: object) -> dict[str, Any] | str:
    """The item inside what was loaded, or what is wrong."""
    if isinstance(raw, dict) and len(raw) == 1 and (inside := raw.get("items", raw.get("item"))) is not None:
        raw = inside
    if isinstance(raw, list):
        if len(raw) != 1:
            return f"one item was asked for; there are {len(raw)}"
        raw = raw[0]
    if not isinstance(raw, dict):
        return "the reply is not a YAML mapping"
    if any(not isinstance(key, str) for key in raw):
        return "the names of the fields must be text"
    return raw


def _slug(given: object) -> str:
    """A name of small letters and hyphens, whatever was given."""
    said = re.sub(r"[^a-z0-9]+", "-", str(given).lower()[:200]).strip("-")[:40].strip("-")
    return said if said and given is not None else "generated"


def complaints(rejected: Rejected) -> str:
    """What is handed back to the model, one problem a line."""
    lines = [" ".join(problem.split())[:400] for problem in rejected.problems[:MOST_PROBLEMS]]
    left = len(rejected.problems) - len(lines)
    return "\n".join(f"- {line}" for line in lines) + (f"\n- and {left} more" if left else "")

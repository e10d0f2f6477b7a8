"""What a run was and what it took: one row a fact, one value a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from fiducial.bias.result import RunResult
from fiducial.report import numbers
from fiducial.report.inert import clip
from fiducial.report.words import judged, lettered

VALUE_LIMIT = 600  # characters of a setting or a fact
SHORT = 34  # what is longer gets a line of its own
FIRST = ("temperature", "top_p", "max_tokens", "trials", "seed")
SHOWN_ELSEWHERE = frozenset({"model", "instrument"})  # the title says them


class Fact(Struct, frozen=True):
    """One value a run."""

    name: str
    values: list[str]

    @property
    def same(self) -> bool:
        """Whether all runs have one value."""
        return len(set(self.values)) == 1

    @property
    def long(self) -> bool:
        """Whether it needs a line of its own."""
        return any(len(value) > SHORT for value in self.values)


def facts(results: Sequence[RunResult]) -> list[Fact]:
    """Counts and costs first, then the settings; long ones last."""
    rows = [
        Fact("Trials answered", [f"{numbers.count(r.answered)} of {numbers.count(r.trials)}" for r in results]),
        Fact("Calls", [numbers.count(r.calls) for r in results]),
        Fact("Cost", [numbers.money(r.cost) for r in results]),
        Fact("Tokens", [clip(_tokens(r), VALUE_LIMIT) for r in results]),
        Fact("Duration", [numbers.duration(r.seconds) for r in results]),
        Fact("Reader", [clip(r.reader, VALUE_LIMIT) for r in results]),
    ]
    if any(r.judge for r in results):
        rows.append(Fact("Judge", [clip(judged(r.judge), VALUE_LIMIT) if r.judge else "none" for r in results]))
    if any(r.letters for r in results):
        rows.append(Fact("Log probabilities", [lettered(r.letters) if r.letters else "not read" for r in results]))
    for key in ordered(FIRST, (k for r in results for k in r.settings)):
        if key in SHOWN_ELSEWHERE:
            continue
        values = [_value(r.settings[key]) if key in r.settings else numbers.NONE for r in results]
        rows.append(Fact(clip(key.replace("_", " ").capitalize(), 40), values))
    return sorted(rows, key=lambda fact: fact.long)


def _tokens(result: RunResult) -> str:
    return " · ".join(f"{numbers.count(n)} {kind}" for kind, n in result.tokens.items()) or "not known"


def _value(value: object) -> str:
    """A setting; a list says how many it names."""
    text = clip(numbers.anything(value), VALUE_LIMIT)
    return f"{len(value)}: {text}" if isinstance(value, list | tuple) and len(text) > SHORT else text


def ordered(first: Sequence[str], seen: Iterable[str]) -> list[str]:
    """What was seen: the known ones in their order, then the rest as they came."""
    found = dict.fromkeys(seen)
    return [name for name in first if name in found] + [name for name in found if name not in first]


def flat(inside: Mapping[str, object], path: str = "") -> list[tuple[str, str]]:
    """Facts inside facts, by their paths."""
    found: list[tuple[str, str]] = []
    for key, value in inside.items():
        if isinstance(value, Mapping):
            found += flat(value, f"{path}{clip(str(key), 60)} · ")
        else:
            found.append((f"{path}{clip(str(key), 60)}", clip(numbers.anything(value), VALUE_LIMIT)))
    return found

"""Finding out what a model's API takes, by asking it: never by guessing from the model's name.

What was asked for is sent. Where the API turns a request down and names a setting in it, the setting is
left out from then on (or its field goes by its other name), what the API said is remembered, and the
request is sent again. Every setting is settled at most once, so a call is sent a bounded number of times.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from msgspec.structs import replace

from fiducial.model.request import Settings
from fiducial.model.wire import ErrorBody, Terms, Wire

_CONFLICT = re.compile(r"\bboth\b|\btogether\b|\bonly one\b|\bmutually\b|\bsimultaneous|\bat the same time\b", re.I)
_CHAT = re.compile(r"(?:messages|contents|model|system|input|prompt)", re.I)
_AS = " as "


class Negotiated:
    """The terms of one model, and what its API said that made them so."""

    def __init__(self, wire: Wire, start: Terms) -> None:
        self.terms = start
        self._wire = wire
        self._learned: dict[str, str] = {}
        self._settled: set[str] = set()

    def settle(self, sent: Terms, settings: Settings, error: ErrorBody) -> bool:
        """Take in a rejection of a request that was sent on the terms `sent`; whether to send it again.

        Calls are concurrent: where another call has settled the same setting meanwhile, nothing is
        learned twice and the request is simply sent again on the terms that hold now.
        """
        unsent = self._wire.unsent(settings, sent)
        names = [n for n in settings.names() if n not in unsent and n not in self._wire.required]
        setting = named(error, self._wire, names, sent)
        if setting is None:
            return False
        if self._differs(setting, sent):
            return True
        if setting in self._settled:
            return False
        twins = self._wire.twins.get(setting)
        if twins is None:
            self._omit(setting, error.message)
        else:
            used = sent.rename.get(setting, twins[0])
            self._rename(setting, twins[1] if used == twins[0] else twins[0], error.message)
        return True

    def _differs(self, setting: str, sent: Terms) -> bool:
        now = self.terms
        return (setting in now.omit) != (setting in sent.omit) or (
            now.rename.get(setting) != sent.rename.get(setting)
        )

    def _omit(self, setting: str, said: str) -> None:
        self.terms = replace(self.terms, omit=self.terms.omit | {setting})
        self._settled.add(setting)
        self._learned[setting] = said

    def _rename(self, setting: str, field: str, said: str) -> None:
        self.terms = replace(self.terms, rename={**self.terms.rename, setting: field})
        self._settled.add(setting)
        self._learned[setting + _AS + field] = said

    def learned(self) -> dict[str, str]:
        """What was learned -> what the API said.

        A key is the setting that is left out, or, for a field under its other name,
        "max_tokens as max_completion_tokens": that setting is still sent.
        """
        return dict(self._learned)

    def recall(self, learned: dict[str, str]) -> None:
        """Take over what an earlier part of the run learned; what this format has no use for is left."""
        for key, said in learned.items():
            setting, _, field = key.partition(_AS)
            if setting in self._settled or setting in self._wire.required:
                continue
            if field in self._wire.twins.get(setting, ()):
                self._rename(setting, field, said)
            elif setting in self._wire.fields and not field:
                self._omit(setting, said)


def named(error: ErrorBody, wire: Wire, settings: Iterable[str], terms: Terms) -> str | None:
    """The setting, of those that were sent, that the error complains of; None if it names none.

    A field that the error names in so many words (`param`) decides: an error about the chat is not about
    a setting, whatever words it uses. Otherwise the first one that the message names is meant, except
    where it says that several exclude each other: then temperature is the one to keep.
    """
    fields = {s: (terms.rename[s],) if s in terms.rename else wire.fields[s] for s in settings}
    found = _find(" ".join(error.params), fields, bare=True)
    if not found and not any(_CHAT.match(param) for param in error.params):
        found = _find(error.message, fields, bare=False)  # Google's `field` is only where the field stands
    if len(found) > 1 and found[0] == "temperature" and _CONFLICT.search(error.message):
        return found[1]
    return found[0] if found else None


def _find(text: str, fields: dict[str, tuple[str, ...]], *, bare: bool) -> list[str]:
    """The settings named in `text`, in the order in which they first appear, the longer name first."""
    places = {}
    for setting, names in fields.items():
        hits = [(m.start(), -m.end()) for name in names if (m := _pattern(name, bare).search(text))]
        if hits:
            places[setting] = min(hits)
    return sorted(places, key=places.__getitem__)


@cache
def _pattern(field: str, bare: bool) -> re.Pattern[str]:
    """Finds a field's name as APIs spell it: top_p, topP, "top p"; whole words only."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", field).split("_")
    name = "[_ ]?".join(re.escape(word) for word in words)
    if field == "stop" and not bare:  # a word of everyday English: it has to stand as a name
        name = (
            r"(?<=[`'\"])stop(?=[`'\"])|(?<=parameter )stop|(?<=: )stop|stop(?= (?:parameter|sequence))|^stop(?=:)"
        )
    return re.compile(rf"(?<![A-Za-z0-9_])(?:{name})(?![A-Za-z0-9_])", re.IGNORECASE)

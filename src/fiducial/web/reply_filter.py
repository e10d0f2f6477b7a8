"""The filter of the replies as it stands in an address, and what it asks of the database."""

from __future__ import annotations

from urllib.parse import urlencode

import msgspec
from msgspec import Struct
from starlette.requests import Request

from fiducial.errors import UsageError
from fiducial.report.replies import Scope, arms_of, items_of
from fiducial.run.browse import BY_JUDGE, READINGS, SCORED, STATUSES, UNSCORED, Filter
from fiducial.run.store import SUBJECT

EVERYBODY = "all"  # instead of a role
LONGEST = 300  # characters of a search
LARGEST = 2**63 - 1  # beyond it SQLite has no numbers
STATUS_WORDS = {
    "truncated": "cut off at the token limit",
    "empty": "empty",
    "refused": "refused by the provider",
    "filtered": "withheld by a filter",
    "failed": "call failed",
    "waiting": "no reply yet",
}
READING_WORDS = {
    "refused": "a refusal",
    SCORED: "has a score",
    UNSCORED: "has no score",
    BY_JUDGE: "read by a judge",
}


class Wanted(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an address asks for, word for word; empty asks for nothing."""

    bias: str = ""
    item: str = ""
    arm: str = ""
    role: str = ""
    status: str = ""
    reading: str = ""
    q: str = ""
    order: str = ""
    repetition: str = ""
    turn: str = ""

    def query(self, **more: object) -> str:
        """The same as a query, with its question mark; empty where nothing is asked for."""
        given = msgspec.to_builtins(self) | {name: value for name, value in more.items() if value is not None}
        return f"?{urlencode(given)}" if given else ""

    def without(self, name: str) -> str:
        """The query without one of its parts."""
        return msgspec.structs.replace(self, **{name: ""}).query()

    @property
    def places(self) -> list[tuple[str, str]]:
        """The parts that have no field in the form."""
        return [(name, getattr(self, name)) for name in ("order", "repetition", "turn") if getattr(self, name)]


def wanted_of(request: Request) -> Wanted:
    """What the address asks for. The subject is meant where nobody is named, and need not be."""
    given = request.query_params
    found = {name: given.get(name, "").strip()[:LONGEST] for name in Wanted.__struct_fields__}
    return Wanted(**found | {"role": "" if found["role"] == SUBJECT else found["role"]})


def number(given: str | None) -> int | None:
    """A number in an address; None where there is none that could be one of ours."""
    if not given or not (given.isascii() and given.isdigit()) or len(given) > 19:
        return None
    return int(given) if int(given) <= LARGEST else None


def filter_of(wanted: Wanted, scope: Scope) -> Filter:
    """What to ask of the run file. Readings are not asked for where the stored ones do not hold."""
    return Filter(
        role=_role(wanted, scope),
        items=items_of(scope, wanted.bias, wanted.item),
        arms=arms_of(scope, wanted.arm) if wanted.arm else None,
        order=_counted(wanted, "order"),
        repetition=_counted(wanted, "repetition"),
        turn=_counted(wanted, "turn"),
        reply=_one_of(wanted.status, "status", STATUSES),
        reading=_one_of(wanted.reading, "reading", (*READINGS, SCORED, UNSCORED, BY_JUDGE))
        if scope.source is not None and not scope.stale
        else None,
        text=wanted.q,
    )


def _role(wanted: Wanted, scope: Scope) -> str | None:
    """The subject unless somebody else was asked for; everybody where there is no subject."""
    if wanted.role == EVERYBODY or (not wanted.role and SUBJECT not in scope.roles.trials):
        return None
    return wanted.role or SUBJECT


def _counted(wanted: Wanted, name: str) -> int | None:
    """Orders, repetitions and turns count from 1 in an address, as they do on the page."""
    given = getattr(wanted, name)
    if not given:
        return None
    found = number(given)
    if not found:
        raise UsageError(f"{name}={given}: a number from 1 on.")
    return found - 1


def _one_of(given: str, name: str, known: tuple[str, ...]) -> str | None:
    if given and given not in known:
        raise UsageError(f"{name}={given}: one of {', '.join(known)}.")
    return given or None

"""The audit: checks on a run's own validity, each `pass`, `warn` or `fail`.

Each message says what was seen, what it does to the result, and what to do. The checks here hold for any
run; an instrument adds its own.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

import msgspec
from msgspec import Struct

from fiducial.run.store import SUBJECT, Store

Level = Literal["pass", "warn", "fail"]

LONG_TEXT = 200  # characters; two equal short answers are no surprise, two equal essays are
WARN_SHARE = 0.05  # of replies cut off, or of prompts answered twice with the same text


class Check(Struct, frozen=True):
    """One line of the audit."""

    code: str
    level: Level
    message: str


def audit_run(store: Store) -> list[Check]:
    """The checks that apply to every run, in a fixed order."""
    return [
        *_incomplete(store),
        *_not_sent(store),
        *_system_added(store),
        *_temperature_zero(store),
        *_identical(store),
        *_model_changed(store),
        *_servers_differ(store),
        *_truncated(store),
    ]


def reader_faults(faults: Mapping[str, int]) -> Iterator[Check]:
    """A warning where reading a reply raised an exception. `faults` are counts by the name of the exception."""
    if n := sum(faults.values()):
        named = ", ".join(f"{name} {times}" for name, times in faults.items())
        yield Check(
            "reader-fault",
            "warn",
            f"{n} {'reply' if n == 1 else 'replies'} could not be read because of a fault in Fiducial ({named}); "
            f"{'it counts' if n == 1 else 'they count'} as not read. Please report it, with such a reply.",
        )


def store_audit(db: sqlite3.Connection, checks: Iterable[Check]) -> None:
    """Make these the stored checks of the run."""
    db.execute("DELETE FROM audit")
    db.executemany("INSERT INTO audit VALUES (?, ?, ?)", [(c.code, c.level, c.message) for c in checks])


def _incomplete(store: Store) -> Iterator[Check]:
    seen = store.progressed()
    if seen.answered == seen.trials:
        yield Check("incomplete", "pass", f"all {seen.trials} trials have a reply")
        return
    kinds = store.db.execute(
        """SELECT failure, count(*) AS n, max(message) AS message FROM reply WHERE status = 'failed' AND NOT EXISTS (
               SELECT 1 FROM reply r WHERE r.trial = reply.trial AND r.status != 'failed')
           GROUP BY failure ORDER BY n DESC"""
    ).fetchall()
    why = ", ".join(f"{row['n']} {row['failure']}" for row in kinds)
    if kinds and kinds[0]["message"]:
        why += f"; one of them said: {kinds[0]['message'][:200]}"
    yield Check(
        "incomplete",
        "fail",
        f"{seen.trials - seen.answered} of {seen.trials} trials have no reply"
        f"{f' (failed calls: {why})' if why else ''}; intervals are wider than planned and may be unbalanced. "
        "Repeat the command to try only these.",
    )


def _not_sent(store: Store) -> Iterator[Check]:
    rows = store.db.execute(
        """SELECT value AS setting, model, count(*) AS n FROM reply, json_each(reply.not_sent)
           WHERE not_sent IS NOT NULL GROUP BY setting, model ORDER BY setting"""
    ).fetchall()
    learned = store.meta("learned") or {}
    for row in rows:
        said = learned.get(row["model"], {}).get(row["setting"])
        code = "temperature-not-sent" if row["setting"] == "temperature" else "setting-not-sent"
        yield Check(
            code,
            "warn",
            f"{row['setting']} was asked for but not sent in {row['n']} calls to {row['model']}: "
            f"{said or 'its API has no such setting'}. The provider's own value was used instead.",
        )
    if not rows:
        yield Check("setting-not-sent", "pass", "every setting that was asked for was sent")


def _system_added(store: Store) -> Iterator[Check]:
    for model, facts in (store.meta("facts") or {}).items():
        if added := facts.get("template_system"):
            yield Check(
                "system-added",
                "warn",
                f"the chat template inside {model} adds a system message of its own ({added[:80]!r}) when none is "
                "given; it is part of what was measured. --system replaces it.",
            )


def _temperature_zero(store: Store) -> Iterator[Check]:
    asked = (store.meta("settings") or {}).get("temperature")
    repeated = store.db.execute("SELECT max(repetition) FROM trial WHERE role = ?", (SUBJECT,)).fetchone()[0] or 0
    if asked == 0 and repeated:
        yield Check(
            "temperature-zero-trials",
            "warn",
            f"{repeated + 1} repetitions at temperature 0 measure the provider's own noise, not the subject's. "
            "One repetition says as much; consistency is withheld.",
        )


def _identical(store: Store) -> Iterator[Check]:
    ids = store.db.execute(
        """SELECT count(*) AS n FROM (SELECT 1 FROM reply
           WHERE reused IS NULL AND status != 'failed' AND json_extract(reported, '$.id') IS NOT NULL
           GROUP BY json_extract(reported, '$.id') HAVING count(*) > 1)"""
    ).fetchone()["n"]
    if ids:
        yield Check(
            "identical-replies",
            "fail",
            f"{ids} provider ids came back more than once: one reply was served to several trials, which "
            "are then not independent. Raise --identical-gap, or turn off the cache in between.",
        )
        return
    asked = (store.meta("settings") or {}).get("temperature")
    groups, same = store.db.execute(
        """SELECT count(*), total(distinct_texts < replies) FROM (
               SELECT count(*) AS replies, count(DISTINCT text) AS distinct_texts
               FROM reply JOIN trial ON trial.seq = reply.trial
               WHERE role = ? AND status = 'ok' AND length(text) >= ? GROUP BY key HAVING count(*) > 1)""",
        (SUBJECT, LONG_TEXT),
    ).fetchone()
    if asked and groups and same / groups > WARN_SHARE:
        yield Check(
            "identical-replies",
            "warn",
            f"{int(same)} of {groups} repeated prompts got the same {LONG_TEXT} characters or more twice at "
            f"temperature {asked:g}: something between here and the model may be caching.",
        )
    else:
        yield Check("identical-replies", "pass", "no trace of one reply served twice")


def _model_changed(store: Store) -> Iterator[Check]:
    """One server, or the provider, changed what it serves; several servers are compared by `_servers_differ`."""
    rows = store.db.execute(
        """SELECT model, group_concat(DISTINCT json_extract(reported, '$.model')) AS names,
                  count(DISTINCT json_extract(reported, '$.model')) AS n,
                  count(DISTINCT json_extract(reported, '$.fingerprint')) AS prints
           FROM reply WHERE status != 'failed' GROUP BY model, json_extract(reported, '$.server')"""
    ).fetchall()
    for row in rows:
        if row["n"] > 1 or row["prints"] > 1:
            what = f"the versions {row['names']}" if row["n"] > 1 else f"{row['prints']} system fingerprints"
            yield Check(
                "model-changed",
                "warn",
                f"{row['model']} reported {what} during the run: the result mixes them. Pin a dated version.",
            )


def _servers_differ(store: Store) -> Iterator[Check]:
    rows = store.db.execute(
        """SELECT model, json_extract(reported, '$.server') AS server, count(*) AS n,
                  json_group_array(DISTINCT json_extract(reported, '$.model')) AS names,
                  json_group_array(DISTINCT json_extract(reported, '$.fingerprint')) AS prints
           FROM reply WHERE status != 'failed' AND server IS NOT NULL GROUP BY model, server ORDER BY model, server"""
    ).fetchall()
    for model in dict.fromkeys(row["model"] for row in rows):
        servers = [row for row in rows if row["model"] == model]
        said = {row["server"]: _said(row["names"]) + _said(row["prints"]) for row in servers}
        shares = ", ".join(f"{row['server']} {row['n']}" for row in servers)
        if len(set(said.values())) > 1:
            differences = "; ".join(f"{server}: {', '.join(what) or 'nothing'}" for server, what in said.items())
            yield Check(
                "servers-differ",
                "warn",
                f"the servers of {model} report different models ({differences}): the result mixes them. "
                f"Replies: {shares}. Serve the same version everywhere.",
            )
        elif len(servers) > 1:
            yield Check("servers-differ", "pass", f"{model} was the same on {len(servers)} servers ({shares})")


def _said(listed: str) -> tuple[str, ...]:
    """The different things that were reported, in one order; nothing where nothing was."""
    return tuple(sorted(str(value) for value in msgspec.json.decode(listed) if value is not None))


def _truncated(store: Store) -> Iterator[Check]:
    cut, n = store.db.execute(
        """SELECT total(status = 'truncated'), count(*) FROM reply JOIN trial ON trial.seq = reply.trial
           WHERE role = ? AND status != 'failed'""",
        (SUBJECT,),
    ).fetchone()
    if not n:
        return
    if (store.meta("settings") or {}).get("read", "text") != "text":
        return  # a letter was all that was asked for: what comes after it is cut off on purpose
    level: Level = "warn" if cut / n > WARN_SHARE else "pass"
    advice = "; what they would have answered is unknown. Raise --max-tokens" if cut else ""
    yield Check("truncated", level, f"{int(cut)} of {n} replies were cut off by the token limit{advice}")

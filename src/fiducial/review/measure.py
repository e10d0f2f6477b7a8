"""From a run file to its result: parse, score, estimate, audit. No call is made here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from fiducial.judge.applied import group_name
from fiducial.judge.calibration import today
from fiducial.judge.panel import panel_name
from fiducial.judge.trust import Trust, trust_in
from fiducial.review.audit import audit_judges, audit_review
from fiducial.review.corrected import Labels, corrected_precision, corrected_recall, run_labels
from fiducial.review.judging import GENUINE, MATCH
from fiducial.review.output import Output
from fiducial.review.panel import panel_of
from fiducial.review.precision import precision, share
from fiducial.review.reading import RunReader
from fiducial.review.recall import recall
from fiducial.review.records import items_of
from fiducial.review.result import (
    DocumentResult,
    Gate,
    NoRecall,
    Precision,
    Recall,
    ReviewerResult,
    ReviewResult,
)
from fiducial.run.audit import audit_run
from fiducial.run.store import SUBJECT, Store

T = TypeVar("T")

GATE = "gate"


def measure(store: Store, reader: RunReader) -> ReviewResult:
    """The result of the run as far as it has come. Its gate is as it was decided last: it depends on what was asked."""
    outputs = list(reader.outputs())
    settings = store.meta("settings") or {}
    seed = int(settings.get("seed", 1))
    reviewers = [
        _reviewer(name, [o for o in outputs if o.reviewer == name], reader, seed=seed)
        for name in reader.source.reviewers
    ]
    seen, subject = store.progressed(), store.progressed(SUBJECT)
    weighed = store.meta("judge_tokens") or {}
    waiting = _waiting(outputs) if reader.judges else 0
    trust = _trust(reader)
    reviewers = _corrected(reviewers, outputs, trust, run_labels(store.path), model=str(settings.get("model", "")))
    return ReviewResult(
        run=store.name,
        complete=seen.answered == seen.trials and not waiting,
        reviewers=reviewers,
        gate=msgspec.convert(store.meta(GATE), Gate | None),
        tokens=_tokens(store, reader, weighed),
        audit=[
            *audit_run(store),
            *audit_review(outputs, reviewers, changed=store.meta("changed") or {}),
            *audit_judges(
                reader.judges, outputs, subject=str(settings.get("model", "")), weighed=weighed, trust=trust
            ),
        ],
        model=str(settings.get("model", "")),
        judges={judge.role: judge.model for judge in reader.judges},
        prompts={f"{j.task}:{j.about}" if j.about else j.task: j.prompt for j in reader.judges},
        dataset=str(settings.get("dataset", "")),
        documents=list(reader.source.papers),
        calls=seen.calls,
        cost=_cost(store, reader),
        settings=settings,
        trials=subject.trials,
        answered=subject.answered,
        seconds=store.seconds(),
        provenance=store.meta("provenance") or {},
        waiting=waiting,
        versions=store.versions(SUBJECT),
        panel=panel_of(
            outputs,
            {
                model: [store.progressed(j.role) for j in reader.judges if j.model == model]
                for model in reader.seats
            },
            reader.must_find,
            seed=seed,
        ),
        trust=trust,
    )


def _trust(reader: RunReader) -> list[Trust]:
    """What is known of whoever decides: of a panel, of the panel as one."""
    asked = {(judge.task, judge.about): judge for judge in reader.judges}
    deciding = [msgspec.structs.replace(judge, model=panel_name(reader.seats)) for judge in asked.values()]
    return [trust_in(judge, today=today()) for judge in deciding]


def _corrected(
    reviewers: Sequence[ReviewerResult],
    outputs: Sequence[Output],
    trust: Sequence[Trust],
    labels: Labels,
    *,
    model: str,
) -> list[ReviewerResult]:
    """The reviewers, with the judge's error carried into their figures where it is known."""
    found = []
    for one in reviewers:
        own = [output for output in outputs if output.reviewer == one.name]
        group = group_name(model, one.name)
        mended = corrected_precision(one.precision, own, trust, labels, group=group, today=today())
        precision = msgspec.structs.replace(one.precision, corrected=mended)
        recall = one.recall
        if isinstance(recall, Recall):
            pooled = corrected_recall(recall, trust, group=group, today=today())
            recall = msgspec.structs.replace(recall, list=msgspec.structs.replace(recall.list, corrected=pooled))
        found.append(msgspec.structs.replace(one, precision=precision, recall=recall))
    return found


def _reviewer(name: str, outputs: Sequence[Output], reader: RunReader, *, seed: int) -> ReviewerResult:
    errors: dict[str, str] = {}
    wanted = {document: items_of(items, name) for document, items in reader.must_find.items()}
    runs = Counter(output.document for output in outputs)
    no_recall: Recall | NoRecall = NoRecall("it could not be computed")
    unasked: Recall | NoRecall = NoRecall("no judge was asked to look for the must-finds")
    judged = {judge.task for judge in reader.judges}
    return ReviewerResult(
        name=name,
        runs=min((runs[document] for document in reader.source.papers), default=0),
        outputs=dict(Counter(output.status for output in outputs)),
        precision=_guarded(
            "reverse_judge_precision",
            errors,
            lambda: precision(outputs, seed=seed) if GENUINE in judged else _unjudged(outputs),
            Precision.unknown(),
        ),
        recall=_guarded(
            "must_find_recall",
            errors,
            lambda: recall(outputs, wanted) if MATCH in judged or not any(wanted.values()) else unasked,
            no_recall,
        ),
        documents=[
            _document(
                document,
                [o for o in outputs if o.document == document],
                MATCH in judged and bool(wanted.get(document)),
            )
            for document in reader.source.papers
        ],
        truncated=sum(output.truncated for output in outputs),
        dropped=sum(output.dropped for output in outputs),
        errors=errors,
    )


def _unjudged(outputs: Sequence[Output]) -> Precision:
    """Without a judge nothing is known of any finding; how many there are is. Outputs without one score 0.0 all the
    same, and where no output has any, that is their mean."""
    found = precision(outputs, seed=0)
    return msgspec.structs.replace(
        found,
        invalid=0,
        invalid_bounds=None,
        per_output_mean=None if found.invalid else found.per_output_mean,
        unjudged=found.invalid,
        method="no judge was asked",
    )


def _guarded(scorer: str, errors: dict[str, str], compute: Callable[[], T], otherwise: T) -> T:
    """What a scorer computes. Where it breaks, that is said, and the other one's result stands."""
    try:
        return compute()
    except Exception as error:  # any: a scorer of ours that breaks must not take the other with it
        errors[scorer] = f"{type(error).__name__}: {error}"
        return otherwise


def _document(document: str, outputs: Sequence[Output], wanted: bool) -> DocumentResult:
    matches = [m for output in outputs for m in output.matches.values() if m is not None]
    return DocumentResult(
        id=document,
        runs=len(outputs),
        outputs=dict(Counter(output.status for output in outputs)),
        precision=share(judged for output in outputs for judged in output.findings),
        findings=sum(len(output.findings) for output in outputs),
        detected=sum(getattr(m, "verdict", None) == "found" for m in matches) if wanted else None,
        wanted=sum(hasattr(m, "verdict") for m in matches) if wanted else None,
    )


def _waiting(outputs: Sequence[Output]) -> int:
    """The questions that no judge has answered yet; of a panel, those of every seat."""
    return sum(
        vote is None
        for output in outputs
        for verdict, votes in output.decided()
        for vote in (votes.values() if votes else [verdict])
    )


def _tokens(store: Store, reader: RunReader, weighed: dict[str, dict[str, int]]) -> dict[str, object]:
    """What was read and written, the cached part of it, and how long the judge's prompts are."""
    found: dict[str, object] = {}
    for name, roles in (("reviewer", [SUBJECT]), ("judge", [judge.role for judge in reader.judges])):
        given = dict.fromkeys(("input", "output", "cached"), 0)
        for role in roles:
            given["cached"] += store.cached_tokens(role)
            seen = store.progressed(role)
            given["input"] += seen.input_tokens
            given["output"] += seen.output_tokens
        found[name] = given
    found["judge_prompts"] = {
        "calls": sum(w["calls"] for w in weighed.values()),
        "total": sum(w["total"] for w in weighed.values()),
        "largest": max((w["largest"] for w in weighed.values()), default=0),
        "over_150000": sum(w["over"] for w in weighed.values()),
    }
    return found


def _cost(store: Store, reader: RunReader) -> dict[str, float | None]:
    reviewer, judges = store.progressed(SUBJECT), [store.progressed(judge.role) for judge in reader.judges]
    return {
        "reviewer": None if reviewer.unpriced else reviewer.cost,
        "judge": None if any(seen.unpriced for seen in judges) else sum(seen.cost for seen in judges),
    }

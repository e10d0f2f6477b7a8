"""From a run file to its result: read, score, estimate, audit. No call is made here."""

from __future__ import annotations

from collections import Counter

import msgspec
import numpy as np

from fiducial.bias.audit import audit_bias, audit_judge, audit_stopping
from fiducial.bias.block import METHODS_AT
from fiducial.bias.estimates import Estimated, estimate_biases, position_preference
from fiducial.bias.judging import appointed_reader
from fiducial.bias.metrics import calibration_awareness, reliability
from fiducial.bias.protocols.registry import ROUNDS, estimate_protocols, open_protocols
from fiducial.bias.protocols.result import ProtocolResult
from fiducial.bias.read import READER_VERSION
from fiducial.bias.reading import Tally
from fiducial.bias.result import JudgeCount, LetterMass, RunResult
from fiducial.bias.source import BiasSource
from fiducial.bias.stopping.sight import WIDENED
from fiducial.bias.stopping.until import stopping
from fiducial.judge.calibration import today
from fiducial.judge.trust import trust_in
from fiducial.run.audit import audit_run, reader_faults
from fiducial.run.store import SUBJECT, Store


def measure(store: Store, source: BiasSource, counted: Tally) -> RunResult:
    """The result of the run as far as it has come."""
    seen, subject = store.progressed(), store.progressed(SUBJECT)
    judge = _judge(store, counted)
    settings = store.meta("settings") or {}
    estimated = (
        estimate_biases(
            source,
            counted,
            arms=settings.get("arms"),
            temperature=settings.get("temperature"),
            widen=WIDENED if settings.get("until") else 1.0,
        )
        if source.standard
        else Estimated([], [])
    )
    biases = estimated.biases
    protocols = _protocols(store, source, counted)
    rule = stopping(store, source)
    position = position_preference(counted)
    answers = (
        counted.floats("confidence"),
        counted.ints("right"),
        counted.ints("item"),
        [block.cluster for block in counted.blocks],
    )
    unread: Counter[str] = Counter()
    for counts in counted.arms.values():
        unread.update({reason: n for reason, n in counts.items() if reason != "read"})
    for protocol in protocols:
        unread.update(protocol.unread)
    return RunResult(
        run=store.name,
        subject=str(settings.get("model", "")),
        complete=seen.answered == seen.trials and (rule is None or rule.over),
        biases=biases,
        families=estimated.families,
        subject_metrics={"cas": calibration_awareness(*answers)},
        reliability=reliability(*answers),
        position=position,
        unread=dict(unread),
        protocols=protocols,
        audit=[
            *audit_run(store),
            *audit_bias(biases, position, unread, subject.answered),
            *reader_faults(counted.faults),
            *audit_stopping(rule),
            *audit_judge(judge, str(settings.get("model", ""))),
        ],
        calls=seen.calls,
        cost=None if seen.unpriced else seen.cost,
        settings=settings,
        trials=subject.trials,
        answered=subject.answered,
        tokens={"input": seen.input_tokens, "output": seen.output_tokens},
        seconds=store.seconds(),
        provenance=store.meta("provenance") or {},
        reader=READER_VERSION,
        judge=judge,
        stopping=rule,
        letters=_letters(counted) if source.read == "logprobs" else None,
    )


def _letters(counted: Tally) -> LetterMass:
    mass, score = counted.floats("mass"), counted.floats("score")
    known = mass[~np.isnan(mass)]
    return LetterMass(
        replies=len(mass),
        unread=int(np.isnan(score).sum()),
        mean=float(known.mean()) if len(known) else None,
        least=float(known.min()) if len(known) else None,
    )


def _protocols(store: Store, source: BiasSource, counted: Tally) -> list[ProtocolResult]:
    settings = store.meta("settings") or {}
    chosen = open_protocols(
        settings.get("protocols", ()), at=settings.get("at", METHODS_AT), rounds=settings.get("rounds", ROUNDS)
    )
    left_out = store.meta("left_out") or {}
    return [
        msgspec.structs.replace(found, left_out=left_out.get(found.name, {}))
        for found in estimate_protocols(chosen, source.biases, source.blocks.values(), counted.answers)
    ]


def _judge(store: Store, counted: Tally) -> JudgeCount | None:
    judge = appointed_reader(store)
    if judge is None:
        return None
    seen = counted.judge
    scored = sum(counts["read"] for counts in counted.arms.values())
    progressed = store.progressed(judge.role)
    return JudgeCount(
        model=judge.model,
        prompt=judge.prompt,
        asked=seen.total(),
        decided=seen["decided"],
        none=seen["none"],
        invalid=seen["invalid"],
        waiting=progressed.trials - progressed.answered,
        share=seen["decided"] / scored if scored else 0.0,
        trust=trust_in(judge, today=today()),
    )

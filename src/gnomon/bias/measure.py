"""From a run file to its result: read, score, estimate, audit. No call is made here."""

from __future__ import annotations

from collections import Counter

from gnomon.bias.audit import audit_bias
from gnomon.bias.estimates import estimate_biases, position_preference
from gnomon.bias.metrics import calibration_awareness
from gnomon.bias.read import READER_VERSION
from gnomon.bias.reading import Tally
from gnomon.bias.result import RunResult
from gnomon.bias.source import BiasSource
from gnomon.run.audit import audit_run
from gnomon.run.store import Store


def measure(store: Store, source: BiasSource, counted: Tally) -> RunResult:
    """The result of the run as far as it has come."""
    seen = store.progressed()
    settings = store.meta("settings") or {}
    biases = estimate_biases(source, counted, arms=settings.get("arms"), temperature=settings.get("temperature"))
    position = position_preference(counted)
    unread: Counter[str] = Counter()
    for counts in counted.arms.values():
        unread.update({reason: n for reason, n in counts.items() if reason != "read"})
    return RunResult(
        run=store.name,
        subject=str(settings.get("model", "")),
        complete=seen.answered == seen.trials,
        biases=biases,
        subject_metrics={
            "cas": calibration_awareness(
                counted.floats("confidence"),
                counted.ints("right"),
                counted.ints("item"),
                [block.cluster for block in counted.blocks],
            )
        },
        position=position,
        unread=dict(unread),
        protocols=[],
        audit=[*audit_run(store), *audit_bias(biases, position, unread, seen.answered)],
        calls=seen.calls,
        cost=None if seen.unpriced else seen.cost,
        settings=settings,
        trials=seen.trials,
        answered=seen.answered,
        tokens={"input": seen.input_tokens, "output": seen.output_tokens},
        seconds=store.seconds(),
        provenance=store.meta("provenance") or {},
        reader=READER_VERSION,
    )

"""From run files to a report on disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from gnomon.bias.measure import measure
from gnomon.bias.read import Reading
from gnomon.bias.reading import read_reply, tally
from gnomon.bias.result import RunResult
from gnomon.bias.score import score
from gnomon.bias.source import BiasSource, stored_source
from gnomon.report.page import Sample, render_page
from gnomon.run.store import Store

PER_ARM = 1  # sample replies of every arm
PER_BIAS = 6


def write_report(paths: Iterable[Path], target: Path, *, texts: bool = True) -> None:
    """One HTML file about one or more runs; sample replies are taken from the first."""
    results: list[RunResult] = []
    samples: list[Sample] = []
    for path in paths:
        with Store(path) as store:
            source = stored_source(store)
            results.append(measure(store, source, tally(store, source)))
            if texts and not samples:
                samples = choose_samples(store, source)
    page = render_page(results, samples)
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.new")
    draft.write_text(page, encoding="utf-8")
    draft.replace(target)


def choose_samples(store: Store, source: BiasSource) -> list[Sample]:
    """The first reply of the first arms of every bias, in the plan's order: chosen by nobody's taste."""
    samples: list[Sample] = []
    taken: Counter[str] = Counter()
    for _, item, name, order, status, text in store.texts():
        block = source.blocks[item]
        arm = block.arms[name]
        if taken[f"{block.bias}/{name}"] >= PER_ARM or taken[block.bias] >= PER_BIAS:
            continue
        taken.update([f"{block.bias}/{name}", block.bias])
        prompt = source.prompt(item, name, order)
        reading = read_reply(text, status, block, arm, prompt)
        samples.append(
            Sample(
                bias=block.bias,
                item=block.item,
                arm=name,
                prompt=prompt.text,
                marked=arm.marked,
                reply=text,
                status=reading.status,
                answer=_answer(reading, block.kind),
                span=reading.span,
                rule=reading.rule,
                score=score(reading, arm, prompt, unit=block.unit, text=text).value,
            )
        )
    return samples


def _answer(reading: Reading, kind: str) -> str | None:
    """What was read, with the confidence beside it where one was asked for."""
    if reading.answer is None:
        return None
    stated = kind == "confident" and reading.confidence is not None
    return f"{reading.answer}, confidence {reading.confidence:.0%}" if stated else str(reading.answer)

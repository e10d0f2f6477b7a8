"""From run files to a report on disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec

from fiducial.bias.block import STANDARD, Block
from fiducial.bias.measure import measure
from fiducial.bias.read import Reading
from fiducial.bias.reading import RunReader, Scored, tally
from fiducial.bias.result import RunResult
from fiducial.bias.source import BiasSource, stored_source
from fiducial.errors import UsageError
from fiducial.report.page import Sample, render_page
from fiducial.report.review_page import review_page
from fiducial.review.output import Output
from fiducial.review.readiness import readiness_of_run
from fiducial.review.result import ReviewResult
from fiducial.review.run import dataset_documents, look, outputs_of
from fiducial.run.files import write_whole
from fiducial.run.plan import make_trial
from fiducial.run.store import Store, Text
from fiducial.study.runs import instrument

PER_ARM = 1  # sample replies of every arm
ALONE = 3  # the same where a bias has but one arm
PER_BIAS = 6
VARIANTS = 4  # of a protocol, of each of which one chat is shown
UNREAD = 2  # sample replies of every bias that could not be read, beyond those


def write_report(paths: Iterable[Path], target: Path, *, texts: bool = True) -> None:
    """One HTML file about a review run, or about one or more bias runs."""
    paths = list(paths)
    made = {instrument(path) for path in paths}
    if made == {"review"} and len(paths) == 1:
        page = review_page(*review_parts(paths[0]), texts=texts, readiness=readiness_of_run(paths[0]))
    elif made == {"bias"}:
        page = render_page(*bias_parts(paths, texts=texts))
    else:
        raise UsageError(
            "a report shows one review run, or bias runs side by side. `fiducial compare` holds two reviews together."
        )
    write_whole(target, page.encode("utf-8"))


def review_parts(path: Path) -> tuple[ReviewResult, list[Output], dict[str, str]]:
    """A review run's result, its outputs and the texts of its documents."""
    return look(path), outputs_of(path), dataset_documents(path)


def bias_parts(paths: Iterable[Path], *, texts: bool = True) -> tuple[list[RunResult], list[Sample]]:
    """Results of bias runs, and sample replies of the first."""
    results: list[RunResult] = []
    samples: list[Sample] = []
    for path in paths:
        with Store(path) as store:
            source = stored_source(store)
            found = measure(store, source, tally(store, source))
            results.append(found if texts else _without_system(found))
            if texts and len(results) == 1:
                samples = choose_samples(store, source, results[0])
    return results, samples


def _without_system(result: RunResult) -> RunResult:
    """The result without the text of the system message, which is a prompt like any other."""
    system = result.settings.get("system")
    if not isinstance(system, str):
        return result
    told = f"left out, {len(system):,} characters"
    return msgspec.structs.replace(result, settings={**result.settings, "system": told})


def choose_samples(store: Store, source: BiasSource, result: RunResult) -> list[Sample]:
    """The first replies of the first arms of every bias, in the plan's order: chosen by nobody's taste.

    To them come the first ones that could not be read, which are looked for only in arms that have some, and of every
    protocol the first chat of its first variants.
    """
    samples: list[Sample] = []
    chats = Chats(source)
    taken: Counter[str] = Counter()
    lossy = {(b.id, name) for b in result.biases for name, arm in b.arms.items() if arm.read < arm.replies}
    reader = RunReader(store, source)
    for row in store.texts():
        block = source.blocks[row.item]
        if block.protocol != STANDARD:
            chats.see(row, block)
            continue
        bias, arm, gone = block.bias, f"{block.bias}/{row.arm}", f"{block.bias} unread"
        due = taken[arm] < (PER_ARM if len(block.arms) > 1 else ALONE) and taken[bias] < PER_BIAS
        wanted = (bias, row.arm) in lossy and taken[gone] < UNREAD
        if not due and not wanted:
            continue
        scored = reader.scored(row)
        unread = scored.score.value is None
        if not due and not unread:
            continue
        taken.update([bias, arm] if due else [])
        taken[gone] += unread
        samples.append(_sample(scored, row, source.prompt(row.item, row.arm, row.order).text))
    return samples + chats.samples(reader)


Chat = tuple[str, str, int, int]
"""Block, arm, order, repetition."""


class Chats:
    """The chats of protocols that are shown, each with all its turns."""

    def __init__(self, source: BiasSource) -> None:
        self._source = source
        self._chosen: dict[tuple[str, str], Chat] = {}  # protocol and variant
        self._rows: dict[Chat, list[Text]] = {}

    def see(self, row: Text, block: Block) -> None:
        """Keep the reply if it belongs to the first chat of its variant."""
        chat = row.item, row.arm, row.order, row.repetition
        kind = block.protocol, block.variant
        if kind not in self._chosen and sum(protocol == block.protocol for protocol, _ in self._chosen) < VARIANTS:
            self._chosen[kind] = chat
        if self._chosen.get(kind) == chat:
            self._rows.setdefault(chat, []).append(row)

    def samples(self, reader: RunReader) -> list[Sample]:
        """A sample a turn, with what was asked in it: later turns may hang on the replies before them."""
        found = []
        for rows in self._rows.values():
            said: list[str] = []
            for row in sorted(rows, key=lambda row: row.turn):
                block = self._source.blocks[row.item]
                trial = make_trial(
                    row.item, block.hash, row.arm, order=row.order, repetition=row.repetition, turn=row.turn
                )
                asked = self._source.request(trial, said).messages[-1].text
                sample = _sample(reader.scored(row), row, asked)
                place = {"protocol": block.protocol, "variant": block.variant, "turn": row.turn}
                found.append(msgspec.structs.replace(sample, **place))
                said.append(row.text)
        return found


def _sample(scored: Scored, row: Text, prompt: str) -> Sample:
    reading = scored.reading
    return Sample(
        bias=scored.block.bias,
        item=scored.block.item,
        arm=row.arm,
        prompt=prompt,
        marked=scored.arm.marked,
        reply=row.text,
        status=reading.status if scored.score.reason is None else scored.score.reason,
        answer=_answer(reading, scored.block.kind),
        span=reading.span,
        rule=reading.rule,
        score=scored.score.value,
    )


def _answer(reading: Reading, kind: str) -> str | None:
    """What was read, with the confidence beside it where one was asked for."""
    if reading.answer is None:
        return None
    stated = kind == "confident" and reading.confidence is not None
    return f"{reading.answer}, confidence {reading.confidence:.0%}" if stated else str(reading.answer)

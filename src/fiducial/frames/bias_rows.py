"""The rows of a bias run: its trials with what they ask, its readings, its effects, items and protocols."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fiducial.bias.judging import appointed_reader, case_of, first_try, verdict_of
from fiducial.bias.reading import RunReader
from fiducial.bias.result import Effect, RunResult
from fiducial.bias.source import BiasSource, stored_source
from fiducial.frames.common import Row, estimate_row
from fiducial.judge.asking import said_by
from fiducial.judge.verdict import Invalid
from fiducial.run.store import SUBJECT, Store
from fiducial.stats.estimate import Measured


def asked(source: BiasSource, trial: Mapping[str, Any]) -> Row:
    """What a trial of the subject asks, in the battery's words."""
    block = source.unit(trial["item"], trial["turn"])
    arm = block.arms[trial["arm"]]
    return {
        "bias": block.bias,
        "scenario": block.item,
        "domain": block.domain,
        "protocol": block.protocol,
        "column": arm.column,
        "sign": arm.sign,
    }


def readings(store: Store) -> Iterator[Row]:
    """As the run was scored last."""
    cursor = store.db.execute(
        """SELECT trial.id AS trial, reading.status, answer, number, confidence, start AS span_start, stop AS span_end,
                  rule, score, reason
           FROM reading JOIN reply ON reply.id = reading.reply JOIN trial ON trial.seq = reply.trial
           WHERE role = ? ORDER BY reply.id""",
        (SUBJECT,),
    )
    return map(dict, cursor)


def verdicts(store: Store) -> Iterator[Row]:
    """What the judge that only reads was asked, and said."""
    judge = appointed_reader(store)
    if judge is None:
        return
    source = stored_source(store)
    said = said_by(store, judge)
    for row, arm in RunReader(store, source).left_open():
        texts = said.get(first_try(row, judge).id)
        case = case_of(arm, source.prompt(row.item, row.arm, row.order, row.turn), row.text)
        found = verdict_of(texts, case) if texts else None
        common = {"task": judge.task, "judge": judge.model, "seat": False, "prompt": judge.prompt}
        common |= {"trial": row.trial, "repetition": row.repetition}
        if found is None:
            yield {**common, "state": "waiting"}
        elif isinstance(found, Invalid):
            yield {**common, "state": "invalid", "reason": found.reason}
        else:
            quoted = row.text[slice(*found.span)] if found.span else None
            answer = "none" if found.answer is None else str(found.answer)
            yield {**common, "state": "verdict", "verdict": answer, "evidence": quoted}


def effects(result: RunResult) -> Iterator[Row]:
    """Whole biases, then their parts."""
    for bias in result.biases:
        common = {"bias": bias.id, "family": bias.family, "tier": bias.tier}
        found = bias.effect
        tested = {"p": found.p, "q": found.q} if isinstance(found, Effect) else {}
        whole = {**common, "level": "bias", "name": bias.id, "flagged": bias.flagged}
        yield {**whole, **estimate_row(found), **tested}
        parts: dict[str, Mapping[str, Measured]] = {
            "intensity": bias.by_intensity,
            "domain": bias.by_domain,
            "stratum": bias.by_stratum,
        }
        for level, measured in parts.items():
            for name, estimate in measured.items():
                yield {**common, "level": level, "name": name, **estimate_row(estimate)}


def items(result: RunResult) -> Iterator[Row]:
    """Every item over the intensities, then at each."""
    for bias in result.biases:
        for item in bias.items:
            common = {"bias": bias.id, "scenario": item.id, "domain": item.domain, "generated": item.generated}
            yield {**common, "intensity": None, "value": item.value}
            for intensity, value in item.by_intensity.items():
                yield {**common, "intensity": intensity, "value": value}


def protocols(result: RunResult) -> Iterator[Row]:
    """The estimand of each protocol, then what it is made of."""
    for found in result.protocols:
        common = {"protocol": found.name}
        yield {**common, "group": "estimate", "name": found.estimand, **estimate_row(found.estimate), "p": found.p}
        for turn, measured in enumerate(found.by_turn, 1):
            yield {**common, "group": "by_turn", "name": str(turn), "at": float(turn), **estimate_row(measured)}
        for bias, measured in found.by_bias.items():
            yield {**common, "group": "by_bias", "name": bias, **estimate_row(measured)}
        for row in found.rows:
            place = {"group": row.group, "name": row.name, "at": row.at, "p": row.p}
            yield {**common, **place, **estimate_row(row.estimate)}

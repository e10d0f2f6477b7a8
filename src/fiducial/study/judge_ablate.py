"""The same cases under several wordings of a judge's prompt: what does each of them do to the verdicts?

A judge that is asked twice does not always say the same, so the shipped wording is asked twice, and what another
wording does is held against that. A case without a valid verdict in one of the three is left out of the comparison in
all of them, and counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

import msgspec
from msgspec import Struct

from fiducial.errors import UsageError
from fiducial.judge.case import Case, CaseVerdict, Task, request_of, version
from fiducial.judge.prompt import prompt_text
from fiducial.judge.sitting import Sitting, answered, prepare_cases, stored_cases
from fiducial.judge.verdict import Invalid
from fiducial.judge.wording import SHIPPED, Wording, check_template
from fiducial.run.collect import CHARACTERS_A_TOKEN
from fiducial.run.store import Store
from fiducial.stats.estimate import Estimate, Measured, Withheld
from fiducial.stats.multiple import holm
from fiducial.study.judge_flips import (
    Band,
    Flips,
    Pull,
    Shift,
    Triple,
    by_confidence,
    flip_rate,
    flips,
    mean_score,
    mean_verdict,
    pull,
    sensitivity,
    specificity,
)

Factor = Literal["reasoning", "order", "key", "prompt"]
FACTORS: tuple[Factor, ...] = get_args(Factor)
INSTRUMENT = "judge-ablate"
Verdicts = dict[str, CaseVerdict | Invalid | None]

ALPHA = 0.05
TWICE = 2
LARGEST = 1_000_000  # bytes of a prompt
VERDICT = 150  # tokens of a verdict, for want of knowing

NOTHING: dict[Factor, str] = {
    "reasoning": "there is no case",
    "order": "no case has two findings whose order could be changed",
    "key": "no case has a label, so there is no key to show",
    "prompt": "there is no case",
}
"""Why a wording changes no prompt."""

_BUILT_IN = {
    "reasoning": Wording(name="reasoning", verdict_first=True),
    "order": Wording(name="order", turned=True),
    "key": Wording(name="key", key=True),
}


class LeftOut(Struct, frozen=True, kw_only=True):
    """Cases that are in no figure of a comparison. One may lack a verdict in several wordings."""

    cases: int = 0
    shipped: int = 0  # invalid when first asked
    again: int = 0  # invalid when asked again
    changed: int = 0  # invalid in the other wording
    unanswered: int = 0  # a call failed, or has not been made yet


class Comparison(Struct, frozen=True, kw_only=True):
    """One wording against the shipped one.

    `effect` is what is tested: flips beyond those of asking twice; of the key, verdicts that move toward it minus
    verdicts that move away. `adjusted` is p by Holm over all comparisons.
    """

    factor: Factor
    name: str
    versions: list[str]  # of the prompt
    cases: int
    left_out: LeftOut
    flips: Flips
    mean_verdict: Shift
    sensitivity: Shift
    specificity: Shift
    pull: Pull
    bands: list[Band]
    effect: Measured
    p: float | None
    adjusted: float | None = None
    shown: bool = False


class Ablation(Struct, frozen=True, kw_only=True):
    """An ablation as far as it has come."""

    run: str
    judge: str
    task: Task
    set: str
    complete: bool
    cases: int
    positives: int
    negatives: int
    askings: int  # verdicts that are asked for
    waiting: int  # answers that are missing, those to second askings included
    baseline: Measured  # verdicts that differ when the shipped wording is asked twice, over all cases
    sensitivity: Measured  # of the shipped wording, when first asked
    specificity: Measured
    mean_verdict: Measured
    comparisons: list[Comparison]
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None


def wordings_of(task: Task, factors: Sequence[Factor] | None, prompts: Sequence[Path] = ()) -> list[Wording]:
    """The wordings to compare with the shipped one; None: of every factor. Prompts are files with a text in its place."""
    if factors is None:
        factors = [factor for factor in FACTORS if factor != "prompt"]
    if "prompt" in factors and not prompts:
        raise UsageError("--factor prompt compares prompts: name a file with another one by --prompt FILE")
    chosen = [_BUILT_IN[factor] for factor in FACTORS if factor in factors and factor != "prompt"]
    texts = {prompt_text(task): "the shipped prompt"}
    short = [path.name for path in prompts]
    for path in prompts:
        text = check_template(task, _read(path), where=str(path))
        if (same := texts.get(text.strip())) is not None:
            raise UsageError(f"{path}: is {same}, word for word: there is nothing to compare")
        texts[text.strip()] = str(path)
        name = path.name if short.count(path.name) == 1 else str(path)
        chosen.append(Wording(name=f"prompt {name}", template=text))
    if not chosen:
        raise UsageError(f"nothing to compare: give a --factor ({', '.join(FACTORS)}) or a --prompt FILE")
    return chosen


def factor_of(wording: Wording) -> Factor:
    """The factor that a wording belongs to."""
    if wording.template is not None:
        return "prompt"
    return "key" if wording.key else "order" if wording.turned else "reasoning"


def touched(cases: Sequence[Case], wording: Wording) -> list[Case]:
    """The cases whose prompt the wording changes."""
    if wording.key:
        return [case for case in cases if case.label is not None]
    if wording.turned:
        return [case for case in cases if case.task != "match" or case.findings != case.findings[::-1]]
    return list(cases)


def sittings_of(cases: Sequence[Case], wordings: Sequence[Wording]) -> list[Sitting]:
    """The shipped wording twice, and each of the others once, over the cases that it changes."""
    found = [Sitting(wording=SHIPPED, repeats=TWICE)]
    for wording in wordings:
        own = touched(cases, wording)
        if own:
            found.append(Sitting(wording=wording, cases=() if len(own) == len(cases) else tuple(c.id for c in own)))
    return found


def prepare_ablation(
    model: str, cases: Sequence[Case], wordings: Sequence[Wording], *, of: str, seed: int, out: Path | None = None
) -> Path:
    """The run file, new or found again. A file that holds other cases or other wordings is refused."""
    if not cases:
        raise UsageError(f"{of}: there is no case in it")
    about: dict[str, object] = {"task": cases[0].task, "set": of, "wordings": list(wordings)}
    return prepare_cases(INSTRUMENT, model, cases, sittings_of(cases, wordings), seed=seed, about=about, out=out)


def asked(cases: Sequence[Case], wordings: Sequence[Wording]) -> int:
    """How many verdicts are asked for. What is no verdict is asked for once more, which is not counted here."""
    return sum(s.repeats * (len(s.cases) or len(cases)) for s in sittings_of(cases, wordings))


def tokens(cases: Sequence[Case], wordings: Sequence[Wording]) -> tuple[int, int]:
    """About how many tokens go in and come out."""
    size = {c.id: sum(len(m.text) for m in request_of(c, secret="").messages) for c in cases}
    every = tuple(size)
    given = sum(s.repeats * sum(size[i] for i in s.cases or every) for s in sittings_of(cases, wordings))
    return given // CHARACTERS_A_TOKEN, VERDICT * asked(cases, wordings)


def ablation_of(path: Path) -> Ablation:
    """What the run file says. No call is made."""
    with Store(path) as store:
        settings, spent = store.meta("settings") or {}, store.progressed()
    if settings.get("instrument") != INSTRUMENT:
        raise UsageError(
            f"{path}: no ablation of a judge, but a run of the instrument {settings.get('instrument')}"
        )
    cases, every = stored_cases(path), list(answered(path))
    said: dict[tuple[str, int], Verdicts] = {}
    for one in every:
        said.setdefault((one.wording.name, one.repeat), {})[one.case.id] = one.verdict
    shipped = said[SHIPPED.name, 0], said[SHIPPED.name, 1]
    wordings = msgspec.convert(settings["wordings"], list[Wording])
    compared = [_compare(wording, cases, *shipped, said.get((wording.name, 0), {})) for wording in wordings]
    adjusted = holm([one.p for one in compared])
    twice = [
        (a, b)
        for a, b in zip(shipped[0].values(), shipped[1].values(), strict=True)
        if isinstance(a, CaseVerdict) and isinstance(b, CaseVerdict)
    ]
    valid = [(case.label, v) for case in cases if isinstance(v := shipped[0][case.id], CaseVerdict)]
    waiting = max(spent.trials - spent.answered, sum(one.verdict is None for one in every))
    return Ablation(
        run=str(path),
        judge=str(settings["model"]),
        task=settings["task"],
        set=str(settings["set"]),
        complete=not waiting,
        cases=len(cases),
        positives=sum(case.label == 1 for case in cases),
        negatives=sum(case.label == 0 for case in cases),
        askings=len(every),
        waiting=waiting,
        baseline=flip_rate(twice),
        sensitivity=mean_score([verdict.score for label, verdict in valid if label == 1]),
        specificity=mean_score([1 - verdict.score for label, verdict in valid if label == 0]),
        mean_verdict=mean_score([verdict.score for _, verdict in valid]),
        comparisons=[
            msgspec.structs.replace(one, adjusted=p, shown=p is not None and p <= ALPHA)
            for one, p in zip(compared, adjusted, strict=True)
        ],
        calls=spent.calls,
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        cost=None if spent.unpriced else spent.cost,
    )


def _compare(
    wording: Wording, cases: Sequence[Case], first: Verdicts, again: Verdicts, changed: Verdicts
) -> Comparison:
    factor, triples = factor_of(wording), []
    lacking = dict.fromkeys(LeftOut.__struct_fields__, 0)
    for case in (case for case in cases if case.id in changed):
        three = {"shipped": first[case.id], "again": again[case.id], "changed": changed[case.id]}
        valid = [verdict for verdict in three.values() if isinstance(verdict, CaseVerdict)]
        if len(valid) == len(three):
            triples.append(Triple(case=case.id, label=case.label, first=valid[0], again=valid[1], changed=valid[2]))
            continue
        lacking["cases"] += 1
        lacking["unanswered"] += None in three.values()
        for name, verdict in three.items():
            lacking[name] += isinstance(verdict, Invalid)
    flipped, pulled = flips(triples), pull(triples)
    effect, p = (pulled.net, pulled.p) if factor == "key" else (flipped.difference, flipped.p)
    return Comparison(
        factor=factor,
        name=wording.name,
        versions=sorted({version(case.task, case.review_type, wording) for case in cases if case.id in changed}),
        cases=len(triples),
        left_out=LeftOut(**lacking),
        flips=flipped,
        mean_verdict=mean_verdict(triples),
        sensitivity=sensitivity(triples),
        specificity=specificity(triples),
        pull=pulled,
        bands=by_confidence(triples),
        effect=effect if changed else Withheld(NOTHING[factor]),
        p=p if isinstance(effect, Estimate) else None,
    )


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST:
            raise UsageError(f"{path}: far too large for a prompt")
        return path.read_text("utf-8")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 (byte {error.start}); save it as UTF-8") from error

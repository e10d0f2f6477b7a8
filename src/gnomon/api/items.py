"""Items on trial and items that a model proposes: `gnomon bias validate` and `gnomon bias generate` from Python."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Unpack

from gnomon.api.models import CallSettings, ModelGiven, made_calls, opened, shown, silent
from gnomon.api.runs import check_complete
from gnomon.bias.authoring.generate import Generation, collect_proposals, generation, prepare_generation
from gnomon.bias.own import check_own, with_own
from gnomon.errors import Interrupted, UsageError
from gnomon.run.engine import collect, run_async
from gnomon.run.store import Store, prepare
from gnomon.study.validity import Validity, item_validity, prepare_validity

VALIDITY_TOKENS, PROPOSAL_TOKENS = 1024, 4096


def bias_validate(
    model: ModelGiven,
    *,
    biases: Iterable[str] = (),
    battery: Iterable[str | Path] = (),
    progress: bool = True,
    **calls: Unpack[CallSettings],
) -> Validity:
    """Can the items move a real model at all? Each is asked plainly, and under a system message that gives in."""
    told = made_calls(calls, max_tokens=VALIDITY_TOKENS)
    found = with_own([Path(place) for place in battery])
    ids = tuple(biases)
    chosen = found.select(ids or tuple(found.own), tier=None if ids or found.own else "core")
    check_own(found, chosen)
    subject, limits = opened(model, told)
    path, source, plan, meta = prepare_validity(chosen, subject.name, seed=told.seed, out=told.out)
    prepare(path, plan, meta)
    work = collect(
        path,
        source,
        subject,
        limits=limits,
        budget=told.spending(),
        progress=(shown if progress else silent)(subject.name),
        seed=told.seed,
    )
    try:
        collected = run_async(work)
    except KeyboardInterrupt:
        raise Interrupted(path) from None
    with Store(path) as store:
        result = item_validity(store, source, chosen)
    stored = f"{result.answered} of {result.calls} replies are stored"
    check_complete(path, complete=result.answered == result.calls, stopped=collected.stopped, stored=stored)
    return result


def bias_generate(
    bias: str,
    model: ModelGiven,
    n: int,
    target: str | Path,
    *,
    battery: Iterable[str | Path] = (),
    progress: bool = True,
    **calls: Unpack[CallSettings],
) -> Generation:
    """Let a model propose `n` items for a bias; what the linter accepts is written to `target`, marked as generated."""
    told = made_calls(calls, max_tokens=PROPOSAL_TOKENS)
    if told.reuse:
        raise UsageError("reuse: what was asked for before is found again by itself, in the run of the same call.")
    found = with_own([Path(place) for place in battery])
    (chosen,) = found.select([bias])
    check_own(found, [chosen])
    writer, limits = opened(model, told)
    prepared = prepare_generation(
        chosen, writer.name, n, seed=told.seed, settings=told.settings(), target=Path(target), out=told.out
    )
    try:
        collected = collect_proposals(
            prepared,
            writer,
            seed=told.seed,
            limits=limits,
            budget=told.spending(),
            progress=(shown if progress else silent)(writer.name),
        )
    except KeyboardInterrupt:
        raise Interrupted(prepared.path) from None
    result = generation(prepared)
    whole = result.complete and result.answered >= result.asked
    stored = f"{result.answered} of {result.asked} proposals are stored"
    check_complete(prepared.path, complete=whole, stopped=collected.stopped, stored=stored)
    return result

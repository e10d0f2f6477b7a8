"""Your own items: `fiducial bias new`, `validate` and `generate` from Python."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Unpack

from fiducial.api.models import CallSettings, ModelGiven, made_calls, opened, shown, silent
from fiducial.api.runs import check_complete
from fiducial.bias.authoring.conduct import PROPOSAL_TOKENS, PROPOSALS, chosen_bias, conduct_generation
from fiducial.bias.authoring.generate import Generation
from fiducial.bias.authoring.scaffold import DEFAULT_PARADIGM, Begun, begin
from fiducial.bias.own import with_own
from fiducial.study.validity import Validity
from fiducial.study.validity_conduct import chosen_biases, conduct_validity


def bias_new(id: str, *, paradigm: str = DEFAULT_PARADIGM, out: str | Path = "battery") -> Begun:
    """Begin a bias file of your own, with one worked item of the paradigm; its path, and the places to fill in.

    It is written to `out`/ID.yaml. A file that is there is never touched.
    """
    return begin(id, paradigm, Path(out))


def bias_validate(
    model: ModelGiven,
    *,
    biases: Iterable[str] = (),
    battery: Iterable[str | Path] = (),
    progress: bool = True,
    **calls: Unpack[CallSettings],
) -> Validity:
    """Can the items move a real model at all? Each is asked plainly, and under a system message that gives in."""
    told = made_calls(calls)
    chosen = chosen_biases(with_own([Path(place) for place in battery]), tuple(biases))
    subject, limits = opened(model, told)
    done = conduct_validity(
        chosen,
        subject,
        told,
        limits=limits,
        announce=lambda path, asked: None,
        show=shown if progress else silent,
    )
    result = done.result
    stored = f"{result.answered} of {result.calls} replies are stored"
    check_complete(done.path, complete=result.answered == result.calls, stopped=done.stopped, stored=stored)
    return result


def bias_generate(
    bias: str,
    model: ModelGiven,
    n: int = PROPOSALS,
    target: str | Path | None = None,
    *,
    battery: Iterable[str | Path] = (),
    progress: bool = True,
    **calls: Unpack[CallSettings],
) -> Generation:
    """Let a model propose `n` items for a bias; what the linter accepts is written to a file, marked as generated.

    `target` is that file, by default `generated/BIAS_generated.yaml`.
    """
    told = made_calls(calls, max_tokens=PROPOSAL_TOKENS)
    chosen = chosen_bias(with_own([Path(place) for place in battery]), bias, told)
    writer, limits = opened(model, told)
    done = conduct_generation(
        chosen,
        n,
        writer,
        told,
        target=Path(target) if target is not None else None,
        limits=limits,
        announce=lambda prepared: None,
        show=shown if progress else silent,
    )
    result = done.result
    stored = f"{result.answered} of {result.asked} proposals are stored"
    check_complete(done.path, complete=done.result.all_made, stopped=done.stopped, stored=stored)
    return result

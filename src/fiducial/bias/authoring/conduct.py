"""New items as commands and programs want them: from a bias to the items that were kept, in one call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fiducial.bias.authoring.generate import (
    Generation,
    Prepared,
    collect_proposals,
    generation,
    prepare_generation,
)
from fiducial.bias.item import Bias
from fiducial.bias.load import Battery
from fiducial.bias.own import check_own
from fiducial.errors import Interrupted, UsageError
from fiducial.model.base import Model
from fiducial.run.calls import Calls
from fiducial.run.conducted import Conducted, Show
from fiducial.run.limits import Limits

PROPOSAL_TOKENS = 4096  # an item with four intensities on two sides, and room to think
PROPOSALS = 5


def chosen_bias(battery: Battery, id: str, calls: Calls) -> Bias:
    """The bias that items are wanted for; whatever can be refused before a model is opened is refused here."""
    if calls.reuse:
        raise UsageError(
            "--reuse: what was asked for before is found again by itself, in the run of the same command."
        )
    (bias,) = battery.select([id])
    check_own(battery, [bias])
    return bias


def conduct_generation(
    bias: Bias,
    n: int,
    model: Model,
    calls: Calls,
    *,
    target: Path | None,
    limits: Limits,
    announce: Callable[[Prepared], None],
    show: Show,
) -> Conducted[Generation]:
    """Ask for what has not been asked for yet, and write what is kept to `target`, by default a file in `generated/`."""
    prepared = prepare_generation(
        bias,
        model.name,
        n,
        seed=calls.seed,
        settings=calls.settings(),
        target=target or Path("generated") / f"{bias.id}_generated.yaml",
        out=calls.out,
    )
    announce(prepared)
    try:
        collected = collect_proposals(
            prepared,
            model,
            seed=calls.seed,
            limits=limits,
            budget=calls.spending(),
            progress=show(model.name),
        )
    except KeyboardInterrupt:
        raise Interrupted(prepared.path) from None
    return Conducted(prepared.path, generation(prepared), collected.stopped)

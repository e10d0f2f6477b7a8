"""Item validity as commands and programs want it: from the biases that were named to the result, in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from fiducial.bias.item import Bias
from fiducial.bias.load import Battery
from fiducial.bias.own import check_own
from fiducial.errors import Interrupted
from fiducial.model.base import Model
from fiducial.run.calls import Calls
from fiducial.run.conducted import Conducted, Show
from fiducial.run.engine import collect, run_async
from fiducial.run.limits import Limits
from fiducial.run.store import Store, prepare
from fiducial.study.validity import Validity, item_validity, prepare_validity


def chosen_biases(battery: Battery, ids: Sequence[str]) -> list[Bias]:
    """The biases whose items are tried: those that are named, else people's own, else the core ones."""
    biases = battery.select(ids or tuple(battery.own), tier=None if ids or battery.own else "core")
    check_own(battery, biases)
    return biases


def conduct_validity(
    biases: Sequence[Bias],
    model: Model,
    calls: Calls,
    *,
    limits: Limits,
    announce: Callable[[Path, int], None],
    show: Show,
) -> Conducted[Validity]:
    """Ask what has not been asked yet. `announce` is told of the run file and the number of calls before the first."""
    path, source, plan, meta = prepare_validity(biases, model.name, seed=calls.seed, out=calls.out)
    announce(path, len(plan.trials))
    prepare(path, plan, meta)
    work = collect(
        path,
        source,
        model,
        limits=limits,
        budget=calls.spending(),
        progress=show(model.name),
        seed=calls.seed,
    )
    try:
        collected = run_async(work)
    except KeyboardInterrupt:
        raise Interrupted(path) from None
    with Store(path) as store:
        return Conducted(path, item_validity(store, source, biases), collected.stopped)

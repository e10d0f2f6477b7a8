"""Item validity as commands and programs want it: from the biases that were named to the result, in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from gnomon.bias.item import Bias
from gnomon.bias.load import Battery
from gnomon.bias.own import check_own
from gnomon.errors import Interrupted
from gnomon.model.base import Model
from gnomon.run.calls import Calls
from gnomon.run.conducted import Conducted, Show
from gnomon.run.engine import collect, run_async
from gnomon.run.limits import Limits
from gnomon.run.store import Store, prepare
from gnomon.study.validity import Validity, item_validity, prepare_validity


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

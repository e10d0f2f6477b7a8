"""New items from a model: asked for one at a time, through the engine, and kept only where the linter finds nothing.

The run file holds every reply. What is kept follows from the replies and the linter alone, so repeating the command
makes the same file without a call, and a larger number asks only for the rest.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import msgspec
from msgspec import Struct

from fiducial.bias.authoring.proposal import Proposed, Sieve, complaints
from fiducial.bias.authoring.rules import needs
from fiducial.bias.authoring.scaffold import example_item
from fiducial.bias.authoring.written import bias_yaml, item_yaml
from fiducial.bias.item import DOMAINS, Bias, Generated, ItemSpec, Link
from fiducial.bias.lint import SEEDS, STRATA
from fiducial.bias.paradigms import paradigm
from fiducial.errors import UsageError
from fiducial.judge.asking import Asking, Judge, appoint, ask, in_order, next_try, said_by, wanted
from fiducial.judge.calibration import today
from fiducial.judge.fence import mark
from fiducial.judge.prompt import fill_prompt
from fiducial.model.base import Model
from fiducial.model.request import Message, Request, Settings
from fiducial.run.budget import Budget
from fiducial.run.collect import CHARACTERS_A_TOKEN, Collected
from fiducial.run.files import write_whole
from fiducial.run.limits import Limits
from fiducial.run.naming import run_path
from fiducial.run.plan import Plan, Trial, make_trial
from fiducial.run.progress import Progress
from fiducial.run.provenance import provenance
from fiducial.run.store import Store, prepare
from fiducial.run.writer import Writer

TASK = "generate"
SHOWN = 2
ENDING = "_generated"


class Generation(Struct, frozen=True, kw_only=True):
    """What came of the proposals, in the shape that `fiducial bias generate --json` prints."""

    run: str
    bias: str
    model: str
    prompt: str  # the version of what the model was asked with
    asked: int
    answered: int
    complete: bool
    kept: list[ItemSpec]
    proposals: list[Proposed]
    rejected: dict[str, int]  # replies by the reason that they gave no item
    file: str | None

    @property
    def all_made(self) -> bool:
        """Whether every proposal that was asked for has been made."""
        return self.complete and self.answered >= self.asked


@lru_cache
def _prompt(name: str) -> str:
    return (files("fiducial.bias.authoring") / "prompts" / f"{name}.txt").read_text("utf-8").strip()


def prompt_version(bias: Bias) -> str:
    """First 16 hex digits of SHA-256 over the texts that are the same for every proposal of the paradigm."""
    texts = [_prompt("generate"), _prompt("generate_again"), *needs(paradigm(bias.paradigm))]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


class ProposalSource:
    """The requests. Each proposal is asked for in another domain and is shown two other items, so that no two are alike;
    a second try is told what the first lacked."""

    def __init__(self, bias: Bias, *, seed: int, settings: Settings) -> None:
        self._bias, self._seed, self._settings = bias, seed, settings
        self.complaints: dict[str, str] = {}  # by the id of the trial that asks again
        content = msgspec.json.encode((prompt_version(bias), bias.about, bias.items))
        self._digest = hashlib.sha256(content).hexdigest()[:16]

    def trials(self, n: int) -> list[Trial]:
        """The first tries of `n` proposals."""
        return [make_trial(self._bias.id, self._digest, TASK, order=k) for k in range(n)]

    def request(self, trial: Trial, history: Sequence[str] = ()) -> Request:
        """The prompt of a proposal; of a second try, the whole chat."""
        chat = [Message("user", self._first(trial.order))]
        if trial.repetition:
            told = self.complaints.get(trial.id, "- it could not be used")
            again = {"mark": mark(self._seed, told), "complaints": told}
            chat += [
                Message("assistant", history[-1]),
                Message("user", fill_prompt(_prompt("generate_again"), again)),
            ]
        return Request(tuple(chat), self._settings)

    def _first(self, k: int) -> str:
        bias = self._bias
        shown = _examples(bias, k)
        graded = paradigm(bias.paradigm).contrast == "single"
        values = {
            "name": bias.name,
            "about": bias.about.strip(),
            "mechanism": bias.mechanism.strip(),
            "paradigm": bias.paradigm,
            "rules": "\n".join(needs(paradigm(bias.paradigm))),
            "examples": "\n".join(f"```yaml\n{item_yaml(item)}```" for item in shown),
            "taken": ", ".join(item.id for item in bias.items) or "none",
            "number": str(k + 1),
            "domain": _scarcest(bias)[k % len(DOMAINS)],
            "stratum": f" Its stratum is {STRATA[k % len(STRATA)]}." if graded else "",
        }
        return fill_prompt(_prompt("generate"), values)


def _scarcest(bias: Bias) -> list[str]:
    """The domains, those with the fewest items first."""
    count: Counter[str] = Counter(item.domain for item in bias.items)
    return sorted(DOMAINS, key=lambda domain: (count[domain], DOMAINS.index(domain)))


def _examples(bias: Bias, k: int) -> list[ItemSpec]:
    """Two items of the bias, others for every proposal; where it has fewer, the worked one of the paradigm too."""
    own = [item for item in bias.items if item.generated is None] or bias.items
    shift = k // len(own) if own else 0  # another partner each time round
    turned = [own[place % len(own)] for place in (k, k + 1 + shift % max(1, len(own) - 1))][: len(own)]
    bare = [
        msgspec.structs.replace(item, skeleton=None, floor=False, generated=None, paraphrase=None, chain=[])
        for item in turned
    ]
    return bare if len(bare) == SHOWN else [*bare, example_item(bias.paradigm)]


class Prepared(Struct, frozen=True):
    """What is about to be asked for."""

    path: Path
    bias: Bias
    source: ProposalSource
    proposer: Judge
    trials: tuple[Trial, ...]
    target: Path


def prepare_generation(
    bias: Bias, model: str, n: int, *, seed: int, settings: Settings, target: Path, out: Path | None
) -> Prepared:
    """Name the run, and refuse a file that is somebody else's before anything is paid for.

    The number of proposals is not in the run's name: a larger one continues it.
    """
    source = ProposalSource(bias, seed=seed, settings=settings)
    proposer = Judge(model=model, prompt=prompt_version(bias), task=TASK)
    told: dict[str, object] = {
        "instrument": TASK,
        "model": model,
        "bias": bias.id,
        "seed": seed,
        **msgspec.to_builtins(settings),
    }
    path = out or run_path(TASK, model, bias.id, settings=told, plan=in_order(source.trials(1)))
    meta: dict[str, object] = {
        "settings": told,
        "provenance": provenance(),
        "prompts": {TASK: proposer.prompt},
        "date": today().isoformat(),
    }
    trials = tuple(source.trials(n))
    prepare(path, Plan((), ()), meta)
    _refuse_other(path, told)
    _refuse_changed(path, target)
    return Prepared(path, bias, source, proposer, trials, target)


def _refuse_other(path: Path, told: dict[str, object]) -> None:
    with Store(path) as store:
        if store.meta("settings") != msgspec.json.decode(msgspec.json.encode(told)):
            raise UsageError(f"{path}: holds another run; choose another --run")


def _refuse_changed(path: Path, target: Path) -> None:
    """A file that this run did not write, or that was edited since, is not written over."""
    if not target.exists():
        return
    with Store(path) as store:
        written = store.meta("written")
    if written != hashlib.sha256(target.read_bytes()).hexdigest():
        raise UsageError(
            f"{target}: was edited, or is not from this run ({path.stem}); it stays as it is, and nothing was asked. "
            "Choose another --out."
        )


def collect_proposals(
    prepared: Prepared, model: Model, *, seed: int, limits: Limits, budget: Budget, progress: Progress
) -> Collected:
    """Ask for what has not been asked for yet, and once more where the linter complained."""
    appoint(prepared.path, [prepared.proposer])
    sieve = _sieve(prepared.bias)
    first = list(prepared.trials)

    def due(store: Store) -> Plan:
        said = said_by(store, prepared.proposer)
        found = {p.trial: p for p in sieve.sift((t.id, said.get(t.id, ())) for t in first)}
        for trial in first:
            if (one := found[trial.id]).rejected:
                prepared.source.complaints[next_try(trial).id] = complaints(one.rejected[0])
        return in_order(wanted(first, said, lambda trial, _: found[trial.id].item is not None))

    longest = max(len(m.text) for m in prepared.source.request(first[0]).messages)
    reply = prepared.source.request(first[0]).settings.max_tokens or 0
    model.make_room(longest // (CHARACTERS_A_TOKEN - 1) + 2 * reply + 1000)
    asking = Asking(prepared.proposer, prepared.source, due)
    return ask(prepared.path, model, [asking], seed=seed, limits=limits, budget=budget, progress=progress)


def generation(prepared: Prepared) -> Generation:
    """What the run holds: sifted, marked as generated, and written to the file where anything was kept."""
    with Store(prepared.path) as store:
        said = said_by(store, prepared.proposer)
        seen = store.progressed(prepared.proposer.role)
        date = str(store.meta("date"))
    found = _sieve(prepared.bias).sift((t.id, said.get(t.id, ())) for t in prepared.trials)
    made = Generated(
        model=prepared.proposer.model, prompt=prepared.proposer.prompt, run=prepared.path.stem, date=date
    )
    kept = [msgspec.structs.replace(p.item, generated=made) for p in found if p.item is not None]
    if kept:
        _write(prepared, kept)
    return Generation(
        run=prepared.path.stem,
        bias=prepared.bias.id,
        model=prepared.proposer.model,
        prompt=prepared.proposer.prompt,
        asked=len(prepared.trials),
        answered=sum(p.tries > 0 for p in found),
        complete=seen.answered == seen.trials,
        kept=kept,
        proposals=found,
        rejected=dict(Counter(r.kind for p in found for r in p.rejected)),
        file=str(prepared.target) if kept else None,
    )


def _write(prepared: Prepared, kept: list[ItemSpec]) -> None:
    content = bias_yaml(generated_bias(prepared.bias, kept), _REMARK.format(model=prepared.proposer.model)).encode()
    write_whole(prepared.target, content)
    with Writer(prepared.path) as writer:
        writer.set_meta("written", hashlib.sha256(content).hexdigest())


_REMARK = """Items that {model} wrote and that the linter let pass. Whether they measure what they should, it cannot say:
read every one before you rely on it, and try them with `fiducial bias validate`."""


def _kept_in(bias: Bias) -> str:
    return f"{bias.id[: 80 - len(ENDING)]}{ENDING}"


def _sieve(bias: Bias) -> Sieve:
    return Sieve(bias, kept_in=_kept_in(bias), seeds=SEEDS)


def generated_bias(bias: Bias, items: list[ItemSpec]) -> Bias:
    """A bias of its own with these items: they are not mixed with those that people wrote."""
    link = Link(bias=bias.id, how="the same bias; these items were written by a model")
    return msgspec.structs.replace(
        bias,
        id=_kept_in(bias),
        name=f"{bias.name} (generated items)",
        tier="own",
        items=items,
        human=None,
        human_none=None,
        linked=[link],
    )

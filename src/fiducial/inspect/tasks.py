"""The tasks `fiducial/bias` and `fiducial/review`: what `fiducial bias run` and `fiducial review run` ask, asked by Inspect.

Inspect makes the calls; the plan, the reader, the judge's questions and the statistics are Fiducial's.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from inspect_ai import Epochs, Task, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import generate

from fiducial.bias.own import with_own
from fiducial.bias.run import BiasOptions
from fiducial.bias.run import prepare_run as prepare_bias
from fiducial.bias.source import ARMS
from fiducial.errors import UsageError
from fiducial.inspect.bias_scores import TRIAL, Asked, bias_answer
from fiducial.inspect.judging import bench_if_known
from fiducial.inspect.naming import named
from fiducial.inspect.outputs import plain
from fiducial.inspect.scorers import MAX_TOKENS, judge_required, must_find_recall, reverse_judge_precision
from fiducial.model.bridge import to_messages
from fiducial.model.request import Settings
from fiducial.review.dataset import load_dataset
from fiducial.review.reviewer import find_reviewers
from fiducial.review.run import ReviewOptions
from fiducial.review.run import prepare_run as prepare_review

Listed = str | Sequence[str] | None
SUBJECT = "inspect"  # stands for the model in the plan, which does not depend on it


@task(name=named("bias"))
def bias(
    tier: str = "quick",
    biases: Listed = None,
    arms: Listed = None,
    trials: int = 3,
    seed: int = 1,
    system: str | None = None,
    battery: Listed = None,
    temperature: float = 1.0,
    max_tokens: int = 1024,
) -> Task:
    """How biased are the model's decisions? One sample a trial of the plan, in the plan's order.

    Args:
      tier: quick, core, extended or own.
      biases: Ids of biases (`fiducial bias list`), separated by commas; all of the tier unless given.
      arms: Conditions, separated by commas; control and the four intensities unless given.
      trials: Repetitions of every prompt.
      seed: Fills the items' slots and orders the plan.
      system: A file with the subject's own system message.
      battery: Files or folders with items of your own.
      temperature: Of sampling.
      max_tokens: Most tokens a reply may have.
    """
    try:
        places = tuple(str(Path(place).resolve()) for place in _listed(battery))
        options = BiasOptions(
            model=SUBJECT,
            tier=tier,
            biases=_listed(biases),
            arms=_listed(arms) or ARMS,
            trials=trials,
            seed=seed,
            settings=Settings(temperature=temperature, max_tokens=max_tokens),
            system=Path(system).read_text("utf-8") if system else None,
        )
        prepared = prepare_bias(with_own([Path(place) for place in places]), options)
    except UsageError as error:
        raise PrerequisiteError(str(error)) from error
    samples = []
    for trial in prepared.plan.trials:
        block = prepared.source.blocks[trial.item]
        said = Asked.of(trial, block, seed=seed, arms=options.arms, battery=places)
        samples.append(
            Sample(
                id=f"{trial.item}/{trial.arm}/{trial.order + 1}/{trial.repetition + 1}",
                input=to_messages(prepared.source.request(trial).messages),
                metadata={TRIAL: plain(said)},
            )
        )
    return Task(
        dataset=MemoryDataset(samples, name=f"fiducial-bias-{tier}"),
        solver=generate(),
        scorer=bias_answer(),
        config=GenerateConfig(temperature=temperature, max_tokens=max_tokens),
    )


@task(name=named("review"))
def review(
    dataset: str,
    reviewers: Listed = None,
    runs: int = 1,
    seed: int = 1,
    temperature: float = 1.0,
    max_tokens: int = 8192,
    judge_max_tokens: int = MAX_TOKENS,
) -> Task:
    """Are a reviewer's findings real, and are the must-finds found? Needs the model role `judge`.

    Args:
      dataset: A folder with a document and its lists, a folder of such folders, or the name of a shipped one.
      reviewers: Shipped reviewers, agent files or folders of them, separated by commas.
      runs: Runs of every reviewer on every document, as epochs.
      seed: Decides the marks of the fences around documents.
      temperature: Of sampling.
      max_tokens: Most tokens a review may have.
      judge_max_tokens: Most tokens a verdict may have.
    """
    bench_if_known()
    try:
        loaded = load_dataset(Path(dataset))
        options = ReviewOptions(
            model=SUBJECT,
            runs=runs,
            seed=seed,
            settings=Settings(temperature=temperature, max_tokens=max_tokens),
        )
        names = _listed(reviewers)
        if not names:
            raise UsageError(
                "-T reviewers=… is missing: name a shipped reviewer, an agent file or a folder of them."
            )
        source = prepare_review(loaded, find_reviewers(names), options).source
    except UsageError as error:
        raise PrerequisiteError(str(error)) from error
    lists = {document.id: document.must_find or () for document in loaded.documents}
    samples = [
        Sample(
            id=f"{trial.item}/{trial.arm}",
            input=to_messages(source.request(trial).messages),
            metadata={
                "document": source.papers[trial.item].text,
                "document_id": trial.item,
                "reviewer": trial.arm,
                "review_type": source.papers[trial.item].review_type,
                "must_find": [plain(item) for item in lists[trial.item]],
            },
        )
        for trial in source.trials(1)
    ]
    return Task(
        dataset=MemoryDataset(samples, name=loaded.name),
        setup=judge_required(),
        solver=generate(),
        scorer=[
            reverse_judge_precision(max_tokens=judge_max_tokens),
            must_find_recall(max_tokens=judge_max_tokens),
        ],
        epochs=Epochs(runs),
        config=GenerateConfig(temperature=temperature, max_tokens=max_tokens),
    )


def _listed(said: Listed) -> tuple[str, ...]:
    """`a,b` or a list of names: Inspect's command line makes either of the same words."""
    parts = said.split(",") if isinstance(said, str) else list(said or ())
    return tuple(part.strip() for part in parts if part.strip())

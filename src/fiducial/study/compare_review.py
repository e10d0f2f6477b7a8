"""Two review runs held against each other: which reviewers got better or worse, and in which findings.

Only documents that are the same to the letter are compared, reviewer by reviewer. Verdicts of two judges, or of two
versions of a prompt, are never held against each other: a judge's new prompt can move precision more than any
reviewer does. No call is made and nothing is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from fiducial.errors import UsageError, command
from fiducial.review.output import Output
from fiducial.review.precision import share
from fiducial.review.result import ItemRecall, NoRecall, Recall, ReviewerResult, ReviewResult, Share
from fiducial.run.audit import Check
from fiducial.stats.estimate import Withheld
from fiducial.stats.multiple import holm
from fiducial.study.compare import TELLING, Side
from fiducial.study.review_change import ALPHA, FEWEST_FLIPPED, Change, Verdict, precision_change, recall_change
from fiducial.study.review_pairs import (
    FindingDifference,
    ItemDifference,
    Sides,
    cluster_findings,
    pair_findings,
    pair_items,
)

APART = ("instrument", "model", "reviewers", "reviewer_hashes", "document_hashes", "judge", "dataset")
"""Settings that are said elsewhere in the comparison."""


class Seen(Struct, frozen=True, kw_only=True):
    """What one run has of a reviewer, over the documents compared. Precision never stands without it: alone it rewards
    silence."""

    outputs: int
    without_findings: int
    findings: int
    genuine: int
    precision: Share


class DocumentDifference(Struct, frozen=True, kw_only=True):
    """One document in both runs."""

    id: str
    a: Share
    b: Share
    a_runs: int
    b_runs: int


class ReviewerComparison(Struct, frozen=True, kw_only=True):
    """One reviewer. `items` and `findings` list everything that was paired, not only what differs."""

    name: str
    prompt_changed: bool | None  # None where a run does not say
    a: Seen
    b: Seen
    precision: Change
    recall: Change | NoRecall
    documents: list[DocumentDifference]
    items: list[ItemDifference]
    items_only_in: dict[str, list[str]]  # must-finds that were looked for, or decided, in one run only
    items_retitled: list[str]  # compared by their ids, but perhaps no longer the same
    findings: list[FindingDifference]


class ReviewComparison(Struct, frozen=True, kw_only=True):
    """B against A, in the shape that `fiducial compare --json` prints."""

    instrument: str
    a: Side
    b: Side
    datasets: dict[str, str]
    documents: list[str]  # that are compared, by their ids in A
    documents_not_compared: dict[str, list[str]]  # changed, only in a, only in b
    settings_differ: dict[str, dict[str, Any]]
    judges: list[str]
    prompts: dict[str, str]
    tests: int  # that Holm's correction is over
    reviewers: list[ReviewerComparison]
    only_in: dict[str, list[str]]
    waiting: dict[str, int]  # questions of each run that no judge has answered yet

    def lower(self) -> list[str]:
        """`reviewer: measure` for each that is shown to be lower in B."""
        return [
            f"{reviewer.name}: {measure}"
            for reviewer in self.reviewers
            for measure, change in (("precision", reviewer.precision), ("recall", reviewer.recall))
            if isinstance(change, Change) and change.verdict == "lower"
        ]

    def untested(self) -> str | None:
        """Why neither precision nor recall of any reviewer could be tested; None where at least one was."""
        return None if self.tests else self.reviewers[0].precision.test


def compare_reviews(
    a: ReviewResult,
    b: ReviewResult,
    outputs_a: Sequence[Output],
    outputs_b: Sequence[Output],
    *,
    seed: int = 1,
    names: tuple[str, str] | None = None,
) -> ReviewComparison:
    """B against A. `names` is what the runs are called in commands that a message offers."""
    _same_judging(a, b, names or (a.run, b.run))
    pairs, not_compared = _documents(_hashes(a), _hashes(b))
    if not pairs:
        raise UsageError(
            f"the runs have no document in common: A ({a.run}) has {_listed(a.documents)}, B ({b.run}) has "
            f"{_listed(b.documents)}, and none is the same to the letter. Review the same documents in both."
        )
    in_a, in_b = ({reviewer.name: reviewer for reviewer in run.reviewers} for run in (a, b))
    common = [name for name in in_a if name in in_b]
    if not common:
        raise UsageError(f"the runs have no reviewer in common: A has {_listed(in_a)}; B has {_listed(in_b)}.")
    ids_in_b = dict(pairs)
    reviewers = [
        _reviewer(
            in_a[name],
            in_b[name],
            {one: (_own(outputs_a, name, one), _own(outputs_b, name, ids_in_b[one])) for one in ids_in_b},
            ids_in_b,
            prompt_changed=_prompt_changed(a, b, name),
            seed=seed,
        )
        for name in common
    ]
    reviewers, tests = _adjusted(reviewers)
    return ReviewComparison(
        instrument="review",
        a=_side(a, b),
        b=_side(b, a),
        datasets={"a": a.dataset, "b": b.dataset},
        documents=list(ids_in_b),
        documents_not_compared=not_compared,
        settings_differ=_settings_differ(a, b),
        judges=list(dict.fromkeys(a.judges.values())),
        prompts={task: version for task, version in a.prompts.items() if task in b.prompts},
        tests=tests,
        reviewers=reviewers,
        only_in={"a": [n for n in in_a if n not in in_b], "b": [n for n in in_b if n not in in_a]},
        waiting={"a": a.waiting, "b": b.waiting},
    )


def _same_judging(a: ReviewResult, b: ReviewResult, names: tuple[str, str]) -> None:
    """Tasks that only one run needed (another type of review, no must-finds) are no difference."""
    one, other = _judges(a), _judges(b)
    same_judge = all(one[task] == other[task] for task in one.keys() & other.keys()) and bool(one) == bool(other)
    moved = [task for task in a.prompts if task in b.prompts and a.prompts[task] != b.prompts[task]]
    if same_judge and not moved:
        return
    said = []
    if not same_judge:
        said.append(f"the judge is {_models(a)} in A ({a.run}) and {_models(b)} in B ({b.run})")
    said += [f"the prompt of {task} is {a.prompts[task]} in A and {b.prompts[task]} in B" for task in moved]
    judges = dict.fromkeys((b.judges or a.judges).values())
    chosen = [word for judge in judges or ("M",) for word in ("--judge", judge)]
    commands = "\n".join(f"  {command('review', 'rejudge', name, *chosen)}" for name in names)
    raise UsageError(
        f"the runs were judged in two ways, so a difference could be the judge's: {'; '.join(said)}. "
        f"Judge the stored outputs of both again, which calls no reviewer:\n{commands}"
    )


def _judges(result: ReviewResult) -> dict[str, set[str]]:
    """The models that judged each task. A role also names the version of the prompt, which depends on the type of
    review and is compared apart."""
    found: dict[str, set[str]] = {}
    for role, model in result.judges.items():
        found.setdefault(role.removeprefix("judge:").partition(":")[0], set()).add(model)
    return found


def _models(result: ReviewResult) -> str:
    return _listed(dict.fromkeys(result.judges.values()))


def _listed(names: Sequence[str] | Mapping[str, object]) -> str:
    return ", ".join(names) or "none"


def _table(result: ReviewResult, key: str) -> dict[str, str]:
    found = result.settings.get(key)
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else {}


def _hashes(result: ReviewResult) -> dict[str, str]:
    return _table(result, "document_hashes")


def _documents(a: dict[str, str], b: dict[str, str]) -> tuple[list[tuple[str, str]], dict[str, list[str]]]:
    """Documents of equal content, as (id in A, id in B): under the same id, or else renamed."""
    pairs = {name: name for name in a if a[name] == b.get(name)}
    for name, content in a.items():
        renamed = (other for other, own in b.items() if own == content and other not in pairs.values())
        if name not in pairs and (found := next(renamed, None)) is not None:
            pairs[name] = found
    alone_a, alone_b = [n for n in a if n not in pairs], [n for n in b if n not in pairs.values()]
    changed = [name for name in alone_a if name in alone_b]
    return [(name, pairs[name]) for name in a if name in pairs], {
        "changed": changed,
        "a": [name for name in alone_a if name not in changed],
        "b": [name for name in alone_b if name not in changed],
    }


def _own(outputs: Sequence[Output], reviewer: str, document: str) -> list[Output]:
    return [output for output in outputs if (output.reviewer, output.document) == (reviewer, document)]


def _prompt_changed(a: ReviewResult, b: ReviewResult, reviewer: str) -> bool | None:
    one, other = (_table(run, "reviewer_hashes").get(reviewer) for run in (a, b))
    return None if one is None or other is None else one != other


def _reviewer(
    a: ReviewerResult,
    b: ReviewerResult,
    sides: dict[str, Sides],
    ids_in_b: dict[str, str],
    *,
    prompt_changed: bool | None,
    seed: int,
) -> ReviewerComparison:
    sides = {name: both for name, both in sides.items() if both[0] and both[1]}
    clusters = {name: cluster_findings(both) for name, both in sides.items()}
    ids_in_a = {other: own for own, other in ids_in_b.items()}
    in_a = {(item.document, item.id): item for item in _items(a)}
    in_b = {(ids_in_a.get(item.document, ""), item.id): item for item in _items(b)}
    items, only = pair_items(sides, {**in_b, **in_a})
    both_titles = [(item, in_a.get((item.document, item.id)), in_b.get((item.document, item.id))) for item in items]
    return ReviewerComparison(
        name=a.name,
        prompt_changed=prompt_changed,
        a=_seen([output for both in sides.values() for output in both[0]]),
        b=_seen([output for both in sides.values() for output in both[1]]),
        precision=precision_change(sides, clusters, seed=seed),
        recall=recall_change(items, sides, seed=seed) if items else _no_recall(a, b),
        documents=[
            DocumentDifference(
                id=name,
                a=_share(both[0]),
                b=_share(both[1]),
                a_runs=len(both[0]),
                b_runs=len(both[1]),
            )
            for name, both in sides.items()
        ],
        items=items,
        items_only_in=only,
        items_retitled=[
            f"{item.document}: {item.id}"
            for item, x, y in both_titles
            if x and y and (x.title, x.content) != (y.title, y.content)
        ],
        findings=[found for name, both in sides.items() for found in pair_findings(name, both, clusters[name])],
    )


def _items(reviewer: ReviewerResult) -> Sequence[ItemRecall]:
    return reviewer.recall.items if isinstance(reviewer.recall, Recall) else ()


def _no_recall(a: ReviewerResult, b: ReviewerResult) -> NoRecall:
    own = [f"{side}: {r.recall.reason}" for side, r in (("A", a), ("B", b)) if isinstance(r.recall, NoRecall)]
    return NoRecall("; ".join(own) or "no must-find was decided in both runs")


def _share(outputs: Sequence[Output]) -> Share:
    return share([judged for output in outputs for judged in output.findings])


def _seen(outputs: Sequence[Output]) -> Seen:
    found = _share(outputs)
    return Seen(
        outputs=len(outputs),
        without_findings=sum(not output.findings for output in outputs),
        findings=sum(len(output.findings) for output in outputs),
        genuine=found.genuine,
        precision=found,
    )


def _adjusted(reviewers: Sequence[ReviewerComparison]) -> tuple[list[ReviewerComparison], int]:
    """Holm over every test that was made, precision and recall of all reviewers, because any of them can fail a gate."""
    changes = [c for r in reviewers for c in (r.precision, r.recall) if isinstance(c, Change)]
    p_values = [change.p for change in changes]
    tests = sum(p is not None for p in p_values)
    done = iter([_judged(change, p, tests) for change, p in zip(changes, holm(p_values), strict=True)])
    return [
        msgspec.structs.replace(
            r, precision=next(done), recall=next(done) if isinstance(r.recall, Change) else r.recall
        )
        for r in reviewers
    ], tests


def _judged(change: Change, adjusted: float | None, tests: int) -> Change:
    """The verdict. Where the pooled difference and what was tested lie on two sides of 0, none is shown."""
    verdict: Verdict = "withheld" if adjusted is None else "no difference shown"
    found = change.difference
    value = change.direction if isinstance(found, Withheld) else found.value
    if adjusted is not None and adjusted <= ALPHA and value * change.direction > 0:
        verdict = "higher" if value > 0 else "lower"
    said = _could_see(change, tests) if verdict in ("no difference shown", "withheld") else ""
    return msgspec.structs.replace(change, adjusted=adjusted, verdict=verdict, could_see=said)


def _could_see(change: Change, tests: int) -> str:
    documents = f"{change.documents} {'document' if change.documents == 1 else 'documents'}"
    paired = documents if change.pairs == change.documents else f"{change.pairs} must-finds in {documents}"
    said = [f"{paired} paired"]
    if change.half_width is not None:
        said.append(f"a difference below {change.half_width:.2f} could not have been seen")
    if change.p is None:
        said.append(change.test)
        return "; ".join(said)
    if change.least * tests > ALPHA:
        said.append(
            f"p can fall to {change.least:.2g} at the least, which the correction over {tests} tests brings above .05"
        )
    if change.documents < FEWEST_FLIPPED:
        said.append(f"a test that reaches beyond these documents needs {FEWEST_FLIPPED} pairs for a p below .05")
    return "; ".join(said)


def _side(run: ReviewResult, other: ReviewResult) -> Side:
    warned = {check.code for check in other.audit if check.level == "warn"}

    def telling(check: Check) -> bool:
        if check.level == "fail":
            return check.code != "incomplete"
        return check.level == "warn" and check.code in TELLING - warned

    return Side(
        run=run.run,
        subject=run.model,
        complete=run.complete,
        trials=run.trials,
        answered=run.answered,
        audit=[check for check in run.audit if telling(check)],
    )


def _settings_differ(a: ReviewResult, b: ReviewResult) -> dict[str, dict[str, Any]]:
    return {
        key: {"a": a.settings.get(key), "b": b.settings.get(key)}
        for key in dict.fromkeys((*a.settings, *b.settings))
        if key not in APART and a.settings.get(key) != b.settings.get(key)
    }

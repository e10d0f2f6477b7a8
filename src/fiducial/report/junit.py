"""A review run as JUnit XML, which CI servers show as tests.

A must-find is a test. It has failed where the gate's own list names it as missed, and passed where its rate reaches what
is asked for. In between lies everything that the runs could not decide: these are skipped tests. A passed one would
claim what nobody has shown, and its output is hidden on most dashboards; a skipped one has a colour, a count and a
message of its own everywhere, and breaks no build.

Nothing fails that no gate was asked for: a server that counts failures would be a gate that nobody found ready.
"""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from fiducial.report.inert import inert, shorten
from fiducial.report.numbers import NONE, counted, interval, percent, plain, probability
from fiducial.review.gate import UNUSABLE
from fiducial.review.recall import FEWEST_RUNS, LEVEL
from fiducial.review.result import ItemRecall, Precision, Recall, ReviewerResult, ReviewResult
from fiducial.run.files import write_whole

Outcome = Literal["passed", "failure", "error", "skipped"]

NAME = 200  # columns of a name; longer ones are told apart by nobody
MESSAGE = 2_000
PRECISION, RECALL = "reverse_judge_precision", "must_find_recall"  # what the scorers are called

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class _Case(Struct, frozen=True, kw_only=True):
    name: str
    outcome: Outcome = "passed"
    message: str = ""
    type: str = ""


def junit(
    result: ReviewResult, *, min_precision: float | None = None, strict: bool = False, must_finds: bool = True
) -> bytes:
    """The XML, in UTF-8; the options are those that the gate was decided with.

    The run's seconds stand on its last suite: reviewers are run side by side, and none has seconds of its own.
    """
    title = f"fiducial review {result.dataset}"
    gate = result.gate
    if gate is not None and gate.result == "refused":
        refused = _Case(name="gate", outcome="error", message=_lines(gate.why), type="refused")
        return _document(result, [_suite(title, (result.dataset, "run"), [refused], seconds=result.seconds)])
    suites = [
        _suite(
            f"{title}: {reviewer.name}",
            (result.dataset, reviewer.name),
            [
                *_gated(_must_finds(reviewer), gate is not None and must_finds),
                *_gated(_outputs(reviewer), gate is not None),
                *_gated(_precision(reviewer, min_precision, strict=strict), gate is not None),
                *_errors(reviewer),
            ],
        )
        for reviewer in result.reviewers
    ]
    failed = [f"{check.code}: {check.message}" for check in result.audit if check.level == "fail"]
    whole = [_complete(result), _gate(result)]
    suites.append(_suite(title, (result.dataset, "run"), whole, seconds=result.seconds, err=failed))
    return _document(result, suites)


def write_junit(
    path: Path,
    result: ReviewResult,
    *,
    min_precision: float | None = None,
    strict: bool = False,
    must_finds: bool = True,
) -> None:
    """Write it, whole or not at all."""
    write_whole(path, junit(result, min_precision=min_precision, strict=strict, must_finds=must_finds))


def _gated(cases: Iterable[_Case], gate: bool) -> Iterator[_Case]:
    """What would fail, skipped where no gate was decided on it."""
    for case in cases:
        if gate or case.outcome in ("passed", "skipped"):
            yield case
        else:
            yield replace(case, outcome="skipped", message=f"no gate was decided on this: {case.message}")


def _must_finds(reviewer: ReviewerResult) -> Iterator[_Case]:
    """One test a must-find, and one for the list as a whole."""
    recall = reviewer.recall
    if not isinstance(recall, Recall):
        if RECALL not in reviewer.errors:  # that one has a case of its own
            reason = recall.reason if recall else "not measured"
            yield _Case(name="must-finds", outcome="error", message=reason, type="no-recall")
        return
    missed = set(recall.list.missed)
    for item in recall.items:
        yield _must_find(item, missed=item.place in missed)
    found = recall.list
    said = (
        f"{counted(found.detected, 'detection')} where {plain(found.expected, ends=False)} are expected if every "
        f"must-find is at its min_recall, p {probability(found.p)}"
    )
    name = "must-finds, the whole list"
    if found.p is None:
        yield _Case(name=name, outcome="skipped", message=said)
    elif found.p < LEVEL:
        yield _Case(name=name, outcome="failure", message=said, type="recall")
    else:
        yield _Case(name=name, message=said)


def _must_find(item: ItemRecall, *, missed: bool) -> _Case:
    name = f"must-find {item.document}/{item.id}: {item.title}"
    ends = "" if item.low is None or item.high is None else f" {interval(item.low, item.high)}"
    said = f"found in {item.detected} of {counted(item.runs, 'run')}{ends}; asked for: {percent(item.min_recall)}"
    if missed:
        return _Case(name=name, outcome="failure", message=said, type="missed")
    if not item.runs:  # a gate does not pass over what nothing is known of
        return _Case(name=name, outcome="error", message="no run has a verdict on it", type="no-verdict")
    if item.gate == "met":
        return _Case(name=name, message=said)
    why = {
        "missed": "missed by its own interval, but not once corrected for the length of the list",
        "not_enforced": f"not enforced below {FEWEST_RUNS} runs",
    }.get(item.gate, item.gate)
    more = f"; {item.more_runs} more runs would decide" if item.more_runs else ""
    return _Case(name=name, outcome="skipped", message=f"{why}: {said}{more}", type=item.gate)


def _outputs(reviewer: ReviewerResult) -> Iterator[_Case]:
    """One test for every document and status that a gate fails on; where there is none, one that says so."""
    total = sum(reviewer.outputs.values())
    bad = 0
    for document in reviewer.documents:
        for status in UNUSABLE:
            if n := document.outputs.get(status, 0):
                bad += n
                said = f"{n} of {counted(sum(document.outputs.values()), 'output')} {status}"
                yield _Case(
                    name=f"outputs on {document.id}: {status}", outcome="failure", message=said, type=status
                )
    if not bad:
        yield _Case(name="outputs can be read", message=f"{counted(total, 'output')}, none {', '.join(UNUSABLE)}")


def _precision(reviewer: ReviewerResult, asked: float | None, *, strict: bool) -> Iterator[_Case]:
    """As the gate decides it: on the upper bound, or, where it is strict, on the lower one."""
    if asked is None or PRECISION in reviewer.errors:
        return
    found = reviewer.precision
    name = "precision"
    ends = f" {interval(found.low, found.high)}" if found.low is not None and found.high is not None else ""
    said = (
        f"{plain(found.value, ends=False)}{ends} of {counted(found.n, 'judged finding')}; "
        f"asked for: {plain(asked, ends=False)}{' by the lower bound' if strict else ''}"
    )
    short = _short_of(found, asked, strict=strict)
    yield _Case(
        name=name, outcome="failure" if short else "passed", message=said, type="precision" if short else ""
    )


def _short_of(found: Precision, asked: float, *, strict: bool) -> bool:
    bound = found.low if strict else found.high
    return asked > 0 if bound is None else bound < asked  # nothing to judge is no precision


def _errors(reviewer: ReviewerResult) -> Iterator[_Case]:
    for scorer, why in reviewer.errors.items():
        yield _Case(name=f"scorer {scorer}", outcome="error", message=why, type="scorer")


def _complete(result: ReviewResult) -> _Case:
    said = f"{result.answered} of {counted(result.trials, 'output')} stored"
    if result.waiting:
        said += f", {counted(result.waiting, 'question')} without an answer of the judge"
    if result.complete:
        return _Case(name="run complete", message=said)
    return _Case(name="run complete", outcome="error", message=said, type="incomplete")


def _gate(result: ReviewResult) -> _Case:
    gate = result.gate
    if gate is None:
        return _Case(name="gate", outcome="skipped", message="no gate was asked for")
    if gate.result == "failed":
        return _Case(name="gate", outcome="failure", message=_lines(gate.why), type="gate")
    return _Case(name="gate", message=_lines(gate.why))


def _suite(
    name: str, group: Sequence[str], cases: Sequence[_Case], *, seconds: float = 0.0, err: Sequence[str] = ()
) -> ET.Element:
    outcomes = [case.outcome for case in cases]
    suite = ET.Element(
        "testsuite",
        {
            "name": _clean(name),
            "tests": str(len(cases)),
            "failures": str(outcomes.count("failure")),
            "errors": str(outcomes.count("error")),
            "skipped": str(outcomes.count("skipped")),
            "time": _seconds(seconds),
        },
    )
    # Servers take what stands before the last dot for a package: a dot in a name must not make another one.
    classname = ".".join(["fiducial.review", *(_clean(part).replace(".", "_") for part in group)])
    for case in cases:
        one = ET.SubElement(suite, "testcase", {"classname": classname, "name": _clean(case.name), "time": "0.000"})
        if case.outcome == "passed":
            if case.message:
                ET.SubElement(one, "system-out").text = _text(case.message)
            continue
        first, _, rest = case.message.partition("\n")
        kind = {"type": _clean(case.type)} if case.type else {}
        said = ET.SubElement(one, case.outcome, {"message": _clean(first, MESSAGE), **kind})
        said.text = _text(rest) if rest else None
    if err:
        ET.SubElement(suite, "system-err").text = _text(_lines(err))
    return suite


def _document(result: ReviewResult, suites: Sequence[ET.Element]) -> bytes:
    """The root has no count of skipped tests: the schema knows none there."""
    totals = {
        key: str(sum(int(suite.get(key, "0")) for suite in suites)) for key in ("tests", "failures", "errors")
    }
    root = ET.Element("testsuites", {"name": _clean(result.run), **totals, "time": _seconds(result.seconds)})
    root.extend(suites)
    ET.indent(root)
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode").encode() + b"\n"


def _seconds(value: float) -> str:
    """The schema has digits here and nothing else."""
    return f"{value if math.isfinite(value) and value > 0 else 0:.3f}"


def _clean(text: str, columns: int = NAME) -> str:
    """One line for an attribute: what XML forbids taken out, and what a terminal or a reader would be misled by."""
    return shorten(_FORBIDDEN.sub("", inert(text)), columns) or NONE


def _text(text: str) -> str:
    return "\n".join(_clean(line, MESSAGE) for line in text.split("\n"))


def _lines(texts: Sequence[str]) -> str:
    """Each text on a line of its own, whatever breaks it has inside."""
    return "\n".join(inert(text) for text in texts)

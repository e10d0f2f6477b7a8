"""Cases whose label is known by construction: documents with planted flaws, and what is said of them.

A family is a document and its variants. What is said of a flaw is true in the variant that has it. It is not true in
the document without it, nor in a variant whose text is untouched at every place that the flaw is about: there, its
operator is asked, and does not find it. Every flaw is used once as true and once as not true, as long as there is
material, so that no flaw counts twice under a label.
"""

from __future__ import annotations

import hashlib
from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import msgspec

from fiducial.judge.case import Case, Task
from fiducial.review.finding import Finding
from fiducial.review.judging import claim, wanted_text
from fiducial.review.plant.flaw import Flaw
from fiducial.review.plant.markdown import read
from fiducial.review.plant.operators import OPERATORS, stands
from fiducial.review.plant.operators.base import capital
from fiducial.review.plant.sentences import folded
from fiducial.review.records import MustFind
from fiducial.review.zero_shot import issue_of
from fiducial.study.judge_families import Family, Planted
from fiducial.study.judge_negatives import NEAR_MISS, near_misses, not_genuine

OUTSIDE = ("outside_context",)  # of what is not genuine, the kind that cannot be seen in the document either
BESIDE = 3  # findings of a list to be looked through that state no planted flaw


def planted_cases(task: Task, found: Iterable[Family]) -> Iterator[Case]:
    """Every case of the task that the families have material for."""
    for family in found:
        match task:
            case "genuine" | "zero_shot":
                yield from _true(task, family)
                yield from _elsewhere(task, family)
                yield from _never(task, family)
            case "match":
                yield from _lists(family)
            case "read":
                raise ValueError("replies are no documents: see judge_replies")


def case_id(case: Case) -> str:
    """What a case is known by where nobody has named it: a hash of all that the judge is shown of it."""
    shown = (case.task, case.review_type, case.document, case.text, case.findings, case.options)
    return hashlib.sha256(msgspec.json.encode(shown)).hexdigest()[:16]


def _once(family: Family) -> Iterator[tuple[Planted, Flaw]]:
    """Every flaw with the first variant that has it: the same flaw may stand in several."""
    seen: set[str] = set()
    for variant in family.variants:
        for flaw in variant.flaws:
            if flaw.id not in seen:
                seen.add(flaw.id)
                yield variant, flaw


def _true(task: Task, family: Family) -> Iterator[Case]:
    for variant, flaw in _once(family):
        yield _case(task, family, variant.text, _said(task, flaw.title, flaw.issue), flaw.category, label=1)


def _elsewhere(task: Task, family: Family) -> Iterator[Case]:
    """What is said of a flaw, put to a text of the family that does not have it."""
    if family.original is None:
        return
    untouched = Planted(text=family.original, flaws=())
    sections = [section.first_line for section in read(family.original).sections]
    for variant, flaw in _once(family):
        others = {
            _rank(flaw.id, other.text): other for other in (untouched, *family.variants) if other is not variant
        }
        free = (one for _, one in sorted(others.items()) if _free_of(flaw, family.original, sections, one))
        for other in islice(free, 1):
            yield _case(task, family, other.text, _said(task, flaw.title, flaw.issue), flaw.category, label=0)


def _free_of(flaw: Flaw, original: str, sections: Sequence[int], other: Planted) -> bool:
    """Whether what is said of the flaw is not true of the other text: its operator does not find it, the text is as the
    original at all places that the flaw is about, and has no flaw of that kind in the same section.

    The operator alone is not enough: another edit of the same sentence or table could make half of it true.
    `sections` are the lines of the original that they begin on.
    """
    start = original.rfind("\n", 0, flaw.original_place.start) + 1
    end = original.find("\n", flaw.original_place.end)
    own = original[start : len(original) if end < 0 else end]
    about = [own, *(quotation for quotation in flaw.evidence if quotation in original)]
    if not all(passage in other.text for passage in about):
        return False
    same_kind = [one for one in other.flaws if one.operator == flaw.operator]
    places = {bisect(sections, one.original_place.line - 1) for one in same_kind}
    return bisect(sections, flaw.original_place.line - 1) not in places and not stands(flaw, other.text)


def _never(task: Task, family: Family) -> Iterator[Case]:
    """Findings that no document makes true, spread over the texts of the family."""
    for variant, flaw in _once(family):
        for finding in near_misses(variant.text, [flaw]):
            said = _said(task, finding.title, finding.issue or "")
            yield _case(task, family, variant.text, said, NEAR_MISS, label=0)
    kinds = OUTSIDE if task == "zero_shot" else ()
    for k, variant in enumerate(family.variants):
        for category, finding in not_genuine(variant.text, key=str(k), categories=kinds):
            # each pattern once a family: about another section it would be no new one
            if _rank(finding.title) % len(family.variants) == k:
                said = _said(task, finding.title, finding.issue or "")
                yield _case(task, family, variant.text, said, category, label=0)


def _lists(family: Family) -> Iterator[Case]:
    """Must-finds and a list of findings: of half of a variant's flaws there is a finding, of the others there is none.

    The list is the same for all must-finds of a variant, as in a run. A finding is worded otherwise than the must-find.
    """
    seen: set[str] = set()
    for k, variant in enumerate(family.variants):
        flaws = sorted(variant.flaws, key=lambda flaw: _rank(flaw.id, "listed"))
        listed = flaws[: len(flaws) // 2]
        if not listed:
            continue
        beside = islice(not_genuine(variant.text, key=str(k)), k % 5, None, 11)
        told = [_reworded(flaw) for flaw in listed] + [claim(finding) for _, finding in islice(beside, BESIDE)]
        order = sorted(range(len(told)), key=lambda place: _rank(told[place], "order"))
        for place, flaw in enumerate(flaws):
            if flaw.id in seen:
                continue
            seen.add(flaw.id)
            there = place < len(listed)
            item = MustFind(id=flaw.id, title=flaw.title, issue=flaw.issue)
            made = _case("match", family, variant.text, wanted_text(item), flaw.category, label=int(there))
            made = msgspec.structs.replace(
                made,
                findings=tuple(told[one] for one in order),
                finding=order.index(place) + 1 if there else None,
            )
            yield msgspec.structs.replace(made, id=case_id(made))


def _reworded(flaw: Flaw) -> str:
    """A finding that states the flaw in other words than its must-find: what kind of flaw it is, with the passages that
    show it; or, of every second one, only the description without the title."""
    if not flaw.evidence or _rank(flaw.id, "worded") % 2:
        return flaw.issue
    shown = " and ".join(f"“{folded(quotation)}”" for quotation in flaw.evidence[:2])
    return f"{capital(OPERATORS[flaw.operator].says)}: {shown}."


def _said(task: Task, title: str, issue: str) -> str:
    """What a judge of the task is shown in a run."""
    if task == "zero_shot":
        return issue_of("", "", title, issue).case.issue
    return claim(Finding(title=title, issue=issue))


def _case(task: Task, family: Family, document: str, text: str, category: str, *, label: int) -> Case:
    made = Case(
        id="",
        task=task,
        document=document,
        text=text,
        label=label,
        category=category,
        group=family.id,
        review_type=family.review_type,
    )
    return msgspec.structs.replace(made, id=case_id(made))


def _rank(*what: str) -> int:
    return int.from_bytes(hashlib.sha256("\0".join(what).encode("utf-8", "surrogatepass")).digest()[:8])

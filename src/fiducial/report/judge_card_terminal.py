"""The card of a judge in the terminal: the numbers of the page in a few lines."""

from __future__ import annotations

from fiducial.bias.result import JudgeCount
from fiducial.judge.trust import Trust
from fiducial.report.inert import inert, shorten
from fiducial.report.judge_card_effect import FIGURES, basis, figures, told_of, touched, uncorrected
from fiducial.report.judge_card_remedy import remedies
from fiducial.report.judge_card_words import (
    SIGNS,
    frequencies,
    leanings,
    rates_of,
    standing,
    task_name,
)
from fiducial.report.writer import Writer
from fiducial.review.result import ReviewResult

NAME = 60
LONG = 200
MESSAGE = 800
TOLD = 3  # lines of what it tends to
STYLES = {"pass": "green", "warn": "yellow", "fail": "bold red"}


def show_cards(result: ReviewResult, write: Writer) -> None:
    """What is known of every judge that the review is scored with, and what it does to the figures."""
    seen = set()
    for trust in result.trust:
        _, state, level = SIGNS[trust.state]
        who = f"{_short(trust.model, LONG)} ({_short(task_name(trust), NAME)}): "
        write.line(("The judge ", "bold"), who, (state, STYLES[level]))
        _known(trust, write, run=result.run, dataset=result.dataset)
        if trust.task not in seen:
            _figures(result, trust, write)
        seen.add(trust.task)
        write.line()


def _figures(result: ReviewResult, trust: Trust, write: Writer) -> None:
    found = [one for one in figures(result.reviewers, trust.task) if one.raw is not None]
    if not found:
        return
    if why := uncorrected(found, trust):
        write.item(_short(why, MESSAGE))
        return
    for one in found:
        name = f"{FIGURES[trust.task]} of {_short(one.reviewer.name, NAME)}: "
        told, rests = _short(told_of(one.reviewer, trust), MESSAGE), _short(basis(one.applied), MESSAGE)
        write.item((name, "bold"), told, (f" {rests}" if rests else "", "dim"))


def show_reader(judge: JudgeCount | None, write: Writer) -> None:
    """What is known of the judge that read what the rules could not, where any reply rests on it."""
    if judge is None or judge.trust is None or not judge.decided:
        return
    _known(judge.trust, write)
    write.item(_short(touched(judge, judge.trust), MESSAGE))


def _known(trust: Trust, write: Writer, *, run: str = "", dataset: str = "") -> None:
    found = trust.calibration
    if found is not None:
        write.item(_short(frequencies(found), MESSAGE))
        for told in list(leanings(found))[:TOLD]:
            write.item(_short(told, MESSAGE))
        told = "; ".join(f"{name[0].lower()}{name[1:]} {value}" for name, value in rates_of(found))
        write.item((_short(told, MESSAGE), "dim"))
    level = SIGNS[trust.state][2]
    write.item((_short(standing(trust), MESSAGE), "" if level == "pass" else STYLES[level]))
    for remedy in remedies(trust, run=run, dataset=dataset)[:1]:
        write.item((remedy.words, "dim"))
        write.command("  " + " && ".join(remedy.commands))


def _short(text: str, columns: int) -> str:
    return shorten(inert(text), columns)

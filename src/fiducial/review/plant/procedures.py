"""Numbered lists that are procedures: steps to be taken one after the other."""

from __future__ import annotations

import re

from fiducial.review.plant.blocks import Block, Document

_NUMBER = re.compile(r"[ \t>]*(\d{1,3})[.)][ \t]+")
_COMMAND = re.compile(
    r"\s*(?!(?:The|An?|Each|Every|All|After|Before|At|In|On|For|With|By|From|To|Of|If|When|This|These|Those|Under)\b)"
    r"[A-Z][a-z]+\s+(?:the|an?|all|each|every|its|their|your|both|any|one|two|[A-Z]{1,8}[-_]?\d+|\ufffc)(?!\w)"
)


def procedures(document: Document) -> list[list[Block]]:
    """Runs of list items numbered from 1, three or more, at least half of which begin with a command."""
    runs: list[list[Block]] = []
    for block in document.blocks:
        if block.kind != "item":
            continue
        start = document.lines[block.first_line][0]
        number = _NUMBER.fullmatch(document.text[start : block.at(0)])
        if number is None:
            continue
        value = int(number[1])
        if value == 1:
            runs.append([block])
        elif runs and value == len(runs[-1]) + 1 and runs[-1][-1].section == block.section:
            runs[-1].append(block)
    return [run for run in runs if len(run) >= 3 and 2 * sum(_commands(block) for block in run) >= len(run)]


def _commands(block: Block) -> bool:
    return bool(_COMMAND.match(block.plain))

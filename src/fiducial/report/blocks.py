"""A bias in the terminal: what it is, how it is measured, and one block with its marked difference."""

from __future__ import annotations

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from fiducial.bias.block import Arm, Block, render
from fiducial.bias.example import example_of
from fiducial.bias.item import Bias
from fiducial.bias.paradigms import paradigm
from fiducial.report.human import in_people
from fiducial.report.inert import inert, legible


def show_block(bias: Bias, item: str | None, seed: int, console: Console) -> None:
    """Print the bias with one of its items, the differing words of every arm marked."""
    example = example_of(bias, item, seed=seed)
    spec, block = example.item, example.block
    console.print(
        Text(inert(bias.name), style="bold"), Text(inert(f"({bias.id}, {bias.tier}, {bias.family})"), style="dim")
    )
    for heading, text in (
        ("", bias.about),
        ("Fast thinking", bias.mechanism),
        ("Slow thinking", bias.override),
        ("Effect", paradigm(bias.paradigm).effect),
        ("In people", in_people(bias)),
    ):
        console.print()
        console.print(Text.assemble((f"{heading}: ", "bold") if heading else "", legible(text.strip())))
    console.print()
    for source in bias.sources:
        cited = f"{source.authors} ({source.year}). {source.title}. {source.journal}."
        console.print(Text(inert(cited), style="dim"))
    console.print()
    console.print(
        Text(f"Item {spec.id} of {len(bias.items)} ({spec.domain}), seed {seed}; what differs between arms is ")
        + Text("marked", style="reverse")
    )
    if spec.floor:
        console.print(
            Text("Marked floor: it did not move a small model, even under its positive control.", style="dim")
        )
    if spec.generated:
        made = spec.generated
        console.print(
            Text(inert(f"Generated: written by {made.model} on {made.date} (run {made.run}), passed the linter."))
        )
    for arm in block.arms.values():
        console.print(Rule(Text(_title(arm)), align="left", style="dim"))
        console.print(marked_prompt(block, arm))


def _title(arm: Arm) -> str:
    role = {1: "pulls toward the bias", -1: "compared with it", 0: "baseline"}[arm.sign]
    return f"{arm.name}: {role}"


def marked_prompt(block: Block, arm: Arm) -> Text:
    """The prompt in its first option order, its marked places in reverse."""
    text = Text(legible(render(block, arm, 0).text))
    for place in arm.marked:
        text.highlight_words([legible(place)], style="reverse")
    return text

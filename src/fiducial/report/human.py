"""Effects in people: a sentence for one bias, and the page on all of them.

`python -m fiducial.report.human > docs/human.md` makes the page; a test holds it to the battery.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import click

from fiducial.bias.item import Bias
from fiducial.bias.metrics import NO_HUMAN
from fiducial.report.numbers import interval, signed

HEAD = """# Effects in people

This page is made from the bias files by `python -m fiducial.report.human`; a test holds it to them.

Human alignment (HAS, see [Metrics](metrics.md#has-human-alignment)) compares a subject with people. It needs a published
effect that was measured with the same paradigm: the same comparison of the same kind of answer to the same kind of
question. A bias file gives the published counts or means. The effect on our scale and its interval are computed from them
when the file is loaded, so a wrong effect cannot stand, and nothing is ever converted from a standardised effect such as
*d*. Where there is no such figure, HAS is withheld, and the file says why.

What the comparison does not say: people answered other texts than these items, mostly one or two of them, in one
strength; our effect is a mean over items and intensities. "Stronger than people" means stronger than these people on that
task.
"""
KINDS = (
    (
        "`shares`",
        "how many of how many chose the counted option in each arm; several problems are added up",
        "difference of the two shares",
        "Newcombe (1998), as for independent groups",
    ),
    (
        "`means`",
        "means, standard deviations and n of two arms, and the ends of the scale",
        "difference of the means / length of the scale",
        "Welch's t",
    ),
    (
        "`anchor_means`",
        "the same for estimates after a high and a low number, and the two numbers",
        "difference of the means / (high − low)",
        "Welch's t",
    ),
    (
        "`anchors`",
        "medians of several questions after a high and a low anchor, and the anchors",
        "mean over questions of (median at high − median at low) / (high − low), medians cut off at the anchors",
        "t over questions",
    ),
    (
        "`prices`",
        "mean selling and buying prices, standard deviations, n",
        "(sell − buy) / (sell + buy)",
        "delta method",
    ),
)


def in_people(bias: Bias) -> str:
    """What is known of people on the task of a bias, in a few sentences."""
    if bias.human is None:
        why = f" {bias.human_none}" if bias.human_none else ""
        return f"{NO_HUMAN}.{why}"
    effect = bias.human.effect()
    return (
        f"{signed(effect.value)} {interval(effect.low, effect.high)}, n {effect.n}. {effect.source}. {effect.how}"
    )


def human_page(biases: Iterable[Bias]) -> str:
    """Every effect in people with what it was recomputed from, and why the other biases have none."""
    return "\n".join([HEAD, *_page(list(biases))])


def _page(biases: list[Bias]) -> Iterator[str]:
    given = [(bias, bias.human.effect()) for bias in biases if bias.human]
    yield f"## The {len(given)} biases with an effect in people\n"
    yield "| bias | paradigm | effect in people [95 %] | n | source |"
    yield "|---|---|---|---|---|"
    for bias, effect in given:
        found = f"{signed(effect.value)} {interval(effect.low, effect.high)}"
        yield _row(f"`{bias.id}`", f"`{bias.paradigm}`", found, f"{effect.n:,}", effect.source)
    yield "\nHow each was recomputed:\n"
    yield from (f"- `{bias.id}`: {effect.how}" for bias, effect in given)
    yield "\nFigures are of these kinds (`human.from.kind` in a bias file, see [Battery](battery.md#people)):\n"
    yield "| kind | what is given | effect | interval |"
    yield "|---|---|---|---|"
    yield from (_row(*kind) for kind in KINDS)
    yield ""
    none = [bias for bias in biases if not bias.human]
    yield f"## The {len(none)} biases without one, and why\n"
    yield '"Not found" means not found by us with the counts or means that an effect needs; a source is welcome.\n'
    yield "| bias | paradigm | considered and rejected |"
    yield "|---|---|---|"
    yield from (_row(f"`{bias.id}`", f"`{bias.paradigm}`", bias.human_none or "") for bias in none)
    yield ""


def _row(*cells: str) -> str:
    return "| " + " | ".join(" ".join(cell.replace("|", "∣").split()) for cell in cells) + " |"


if __name__ == "__main__":
    from fiducial.bias.load import packaged_battery

    click.echo(human_page(packaged_battery().biases.values()), nl=False)

"""A tiny battery for tests: one bias of each paradigm, written as a user's file would be."""

from __future__ import annotations

from pathlib import Path

from fiducial.bias.item import Bias
from fiducial.bias.load import load_bias

HEAD = """
id: {id}
name: {name}
family: made
tier: core
paradigm: {paradigm}
about: x
mechanism: x
override: x
sources: [{{authors: A, year: 2000, title: T, journal: J}}]
items:
"""

NORM = """
  - id: item{n}
    domain: {domain}
    slots: {{who: {{name: person}}}}
    text: |
      {who} lives near stop {n}. {span}
      Which is more probable?
    control: "{who} is quiet."
    intensities:
      weak: "{who} reads."
      moderate: "{who} reads much."
      strong: "{who} reads very much."
      adversarial: "{who} reads all day."
    options:
      - {{role: rational, text: "{who} rents."}}
      - {{role: biased, text: "{who} rents and writes."}}
    proof: {{kind: set_inclusion, events: {{rational: [rents], biased: [rents, writes]}}}}
    answer: {{kind: option}}
"""

ANCHOR = """
  - id: item{n}
    domain: {domain}
    slots: {{low: {{int: [10, 20]}}, high: {{calc: "low * 5"}}}}
    text: |
      {span}
      How many cars pass place {n}?
    sides: {{high: {{m: high}}, low: {{m: low}}}}
    control: ""
    intensities:
      weak: "A ticket says {m}."
      moderate: "A dial says {m}."
      strong: "A big dial says {m}."
      adversarial: "A huge dial says {m}."
    answer: {{kind: numeric, unit: cars, range: [0, 500]}}
    scale: [low, high]
"""

DOMAINS = ("individual", "professional", "social", "temporal", "risk")


def text_of(kind: str, items: int = 5) -> str:
    """The YAML of a made bias, kind `norm` or `anchor`."""
    head = HEAD.format(id=f"made_{kind}", name=f"Made {kind}", paradigm={"norm": "provable_norm"}.get(kind, kind))
    body = {"norm": NORM, "anchor": ANCHOR}[kind].replace("{{", "{").replace("}}", "}")
    return head + "".join(body.replace("{n}", str(n)).replace("{domain}", DOMAINS[n % 5]) for n in range(items))


def made(folder: Path, kind: str, items: int = 5) -> Bias:
    """The bias, loaded from a file."""
    path = folder / f"made_{kind}.yaml"
    path.write_text(text_of(kind, items), encoding="utf-8")
    return load_bias(path)

"""The reply reader: time a reply, by kind and by length, and the share of the hard set that it reads as people do.

`python -m benchmarks.reader [--replies N] [--run RUN.db] [--pairs N]`: replies in the phrasings of the simulated subjects,
some behind a long argument, and for comparison replies that break off before they answer; with `--run` also the replies of
a bias run as they were recorded. CPU time, the best of several passes each.

Then every parser of text from outside on the same few characters over and over, alone and (`--pairs`) in pairs: how much
longer 16,000 characters take than 4,000. A parser that is linear takes 4 times as long.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, get_args

from fiducial.bias.answered import read_reply
from fiducial.bias.authoring.proposal import item_in
from fiducial.bias.read import Kind, Option, Reading, read, read_lines
from fiducial.bias.source import stored_source
from fiducial.errors import UsageError
from fiducial.judge.genuine import GenuineCase, parse_genuine
from fiducial.judge.quote import find_quotation
from fiducial.judge.verdict import parse_object
from fiducial.model.reply import clean
from fiducial.model.request import Choice
from fiducial.model.sim import phrasing
from fiducial.model.yaml import load_yaml
from fiducial.report.inert import inert
from fiducial.report.passage import passage
from fiducial.report.review_blocks import blocks
from fiducial.review.finding import Finding
from fiducial.review.parse import parse
from fiducial.review.plant import markdown
from fiducial.review.plant.variant import plant
from fiducial.review.similar import near_duplicates
from fiducial.run.store import Store

HARD = Path(__file__).parent.parent / "tests" / "bias" / "read" / "hard.jsonl"
TEXTS = ("Keep the current supplier", "Move to the new supplier")
OPTIONS = [Option(label, text) for label, text in zip("AB", TEXTS, strict=True)]
CONTRACT = "\n\nEnd with a line `Answer: …`."
PROMPTS: dict[Kind, str] = {
    "option": "Both suppliers quote the same price. Which one do you take?\n\n"
    + "\n".join(f"{o.label}) {o.text}" for o in OPTIONS)
    + CONTRACT,
    "numeric": "A dial stopped at 370. Is the river longer or shorter? Estimate its length in kilometres."
    + CONTRACT,
    "yesno": "Would you accept the offer?" + CONTRACT,
}
ARGUMENT = (
    "Let me look at this from both sides. The first thing to note is that nothing here is urgent.",
    "On the one hand there is option A, which has served well for 12 years; on the other hand option B promises more.",
    "- Cost: about 400 a month in either case.\n- Risk: small, and the same for both.",
    "Some people would say that the choice is obvious. It depends on what one expects of the next 3 years, though.",
    "If the price were higher, I might think otherwise, but it is not.",
    "However, the figures that matter are the ones for the whole period, and those are 4,800 and 4,750.",
)
PASSES = 5
GOAL = 50  # microseconds of CPU for a typical reply


class Sample(NamedTuple):
    """One reply to read."""

    group: str
    kind: Kind
    text: str


def samples(replies: int) -> list[Sample]:
    """Replies of every kind: as the simulated subjects write them, behind an argument, and broken off."""
    rng = random.Random(1)
    choices = [Choice(o.label, o.text, "other") for o in OPTIONS]
    found: list[Sample] = []
    for n in range(replies):
        kind: Kind = ("option", "numeric", "yesno")[n % 3]
        draw = rng.getrandbits(48)
        if kind == "option":
            text = phrasing.option(n % 2, choices, draw)
        elif kind == "numeric":
            text = phrasing.number(phrasing.tidy(rng.uniform(10, 5_000), 10, 5_000), 10, 5_000, draw)
        else:
            text = phrasing.yes_no(n % 2 == 0, draw)
        argument = "\n\n".join(rng.sample(ARGUMENT, rng.choice((2, 4, 6))))
        found.append(Sample("as the simulated subjects write", kind, text))
        found.append(Sample("behind an argument", kind, f"{argument}\n\n{text}"))
        found.append(Sample("broken off", kind, argument[: -rng.randrange(5, 60)]))
    return found


def best(reading: Callable[[], Reading]) -> float:
    """Microseconds of CPU that a reading takes, the best of several passes."""
    least = math.inf
    for _ in range(PASSES):
        start = time.process_time_ns()
        reading()
        least = min(least, time.process_time_ns() - start)
    return least / 1_000


def cost(sample: Sample) -> float:
    """Microseconds of CPU to read a made-up reply."""
    options = OPTIONS if sample.kind == "option" else None
    return best(partial(read, sample.text, sample.kind, options=options, prompt=PROMPTS[sample.kind]))


def recorded(path: Path) -> dict[str, list[float]]:
    """Microseconds of CPU to read each reply of a bias run: those that came to an end, by whether they hold an answer,
    and those that were cut off, in which every sentence has to be looked at."""
    found: dict[str, list[float]] = {}
    with Store(path) as store:
        source = stored_source(store)
        for row in store.texts():
            block = source.blocks[row.item]
            prompt = source.prompt(row.item, row.arm, row.order)
            one = partial(read_reply, row.text, row.status, block, block.arms[row.arm], prompt)
            if row.status == "truncated":
                group = "cut off by the token limit"
            else:
                group = "finished, with an answer" if one().status == "read" else "finished, without one"
            found.setdefault(group, []).append(best(one))
    return found


def show_recorded(path: Path) -> None:
    """Print the quartiles of the replies of a run, and how many of them are read within the goal."""
    groups = recorded(path)
    print(f"{path}:")
    for group, times in [*sorted(groups.items()), ("all", [spent for own in groups.values() for spent in own])]:
        if len(times) < 2:  # quartiles need two
            print(f"  {group}: {len(times)} replies, too few to tell")
            continue
        low, middle, high = statistics.quantiles(times, n=4)
        within = sum(spent <= GOAL for spent in times)
        print(
            f"  {group}: {len(times)} replies, median {middle:.1f} µs, quartiles {low:.1f} and {high:.1f} µs, "
            f"{within} ({within / len(times):.0%}) within {GOAL} µs"
        )


def judged(case: dict[str, Any], reading: Reading) -> str:
    """`right`, `abstained` where there is an answer, `wrong`, or `invented` where there is none."""
    if case["answer"] is None:
        return "right" if reading.answer is None else "invented"
    if reading.answer is None:
        return "abstained"
    if isinstance(case["answer"], float) and isinstance(reading.answer, float):
        return "right" if math.isclose(case["answer"], reading.answer, rel_tol=1e-9) else "wrong"
    return "right" if case["answer"] == reading.answer else "wrong"


def hard_set() -> Counter[str]:
    """How the hard set is read."""
    found: Counter[str] = Counter()
    for line in HARD.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        options = [Option(o["label"], o["text"]) for o in case["options"]] if case["options"] else None
        limits = {name: case.get(name) for name in ("unit", "low", "high")}
        found[
            judged(case, read(case["response"], case["kind"], options=options, prompt=case["prompt"], **limits))
        ] += 1
    return found


PUMPS = (
    *(
        "[",
        "{",
        '"',
        "\\",
        "(",
        "*",
        "_",
        "`",
        "|",
        "-",
        "#",
        ">",
        "7",
        "$1,000 ",
        ".",
        " ",
        "\n",
        "\t",
        "a",
        "a ",
        "<",
        "&",
    ),
    *(
        "1.",
        "- **",
        "e\u0301",
        "\u0301",
        "'",
        "?",
        "!",
        ":",
        ";",
        ",",
        "~",
        "=",
        "%",
        "1/2 ",
        "yes ",
        "not ",
        "Answer: ",
    ),
    *(
        "```\n",
        "<think>",
        "hundred ",
        "Confidence: 5\n",
        "A) ",
        "\r\n",
        '{"a":',
        "- a\n",
        "|a|\n",
        "<a>",
        "R-1 ",
        "Bearer ",
    ),
)
SIZES = (4_000, 16_000)
SHORT = 0.05  # seconds below which a ratio says nothing
_number = itertools.count(1000)
LINEAR = 5.0  # the largest ratio that passes for linear


def parsers() -> dict[str, Callable[[str], object]]:
    """Every parser of text that comes from models, servers or strangers' files."""
    found: dict[str, Callable[[str], object]] = {
        f"answer, {kind}": partial(
            read, kind=kind, options=OPTIONS if kind == "option" else None, prompt=PROMPTS.get(kind)
        )
        for kind in get_args(Kind)
    }
    genuine = {"reason": "r", "category": None, "verdict": "genuine", "confidence": 1}

    def believed(text: str) -> object:
        case = GenuineCase(document=text, finding="f", review_type="design")
        return parse_genuine(json.dumps({**genuine, "evidence": f"absent: {text}"[:9000]}), case)

    def planted(text: str) -> object:
        return plant(f"# One\n\n{text}\n", seed=1, count=3)

    return {
        **found,
        "findings": parse,
        "findings behind a heading": lambda text: parse(f"## Findings\n\n1. {text}"),
        "findings in a list": lambda text: parse(f'[{{"title": "{text}'),
        "near-duplicates": lambda text: near_duplicates(
            [Finding(title=text[k : k + 200]) for k in range(0, len(text), 200)]
        ),
        "quotation": lambda text: find_quotation(text[: len(text) // 2] + "x", text),
        "passage": lambda text: passage(text, f'The text says "{text[:50]}" here', text[:40]),
        "verdict": lambda text: parse_object(text, frozenset({"a"})),
        "verdict with evidence": believed,
        "YAML": lambda text: _or_error(lambda: load_yaml(text)),
        "YAML value": lambda text: _or_error(lambda: load_yaml(f"a: {text}")),
        "dataset line": lambda text: _or_error(lambda: list(read_lines([text]))),
        "Markdown": markdown.read,
        "planting": planted,
        "page blocks": blocks,
        "terminal": inert,
        "redaction": lambda text: clean(text, ("sk-secret",)),
        "proposed item": item_in,
    }


def _or_error(loaded: Callable[[], object]) -> object:
    try:
        return loaded()
    except UsageError as error:
        return error


def pumped(parser: Callable[[str], object], unit: str) -> tuple[float, float]:
    """Seconds for the larger size, and how many times those of the smaller; 0 where it is too fast to tell."""

    def spent(size: int) -> float:
        text = f"{(unit * (size // len(unit) + 1))[:size]} {next(_number)}"  # another one each time: some remember texts
        start = time.process_time()
        parser(text)
        return time.process_time() - start

    large = spent(SIZES[1])
    if large >= SHORT:
        large = min(large, spent(SIZES[1]))
    return large, 0.0 if large < SHORT else large / min(spent(SIZES[0]) for _ in range(3))


def show_pumped(pairs: int) -> None:
    """Print, for every parser, the largest ratio and the slowest text; and what is not linear."""
    units = list(PUMPS)
    both = [a + b for a in PUMPS for b in PUMPS if a != b]
    units += random.Random(1).sample(both, min(pairs, len(both)))
    print(f"{'parser':<28} {'worst ratio':>11}  {'of':<20} {'slowest ms':>10}  of")
    for name, parser in parsers().items():
        rows = [(*pumped(parser, unit), unit) for unit in units]
        ratio, worst = max((ratio, unit) for _, ratio, unit in rows)
        seconds, _, slowest = max(rows)
        mark = "  NOT LINEAR" if ratio > LINEAR else ""
        print(f"{name:<28} {ratio:>11.1f}  {worst!r:<20} {seconds * 1000:>10.0f}  {slowest!r}{mark}", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replies", type=int, default=600)
    parser.add_argument("--run", type=Path, action="append", default=[], help="a bias run file; may be repeated")
    parser.add_argument("--pairs", type=int, default=0, help="pumped strings of two parts beside those of one")
    options = parser.parse_args()
    given = samples(options.replies)
    for sample in given[:60]:  # patterns and lexicons are made once
        cost(sample)
    rows: dict[str, list[float]] = {}
    for sample in given:
        spent = cost(sample)
        length = next(size for size in (50, 200, 500, 10**6) if len(sample.text) < size)
        rows.setdefault(sample.group, []).append(spent)
        rows.setdefault(f"  {sample.kind}, {sample.group}", []).append(spent)
        rows.setdefault(f"below {length} characters" if length < 10**6 else "500 characters and more", []).append(
            spent
        )
    print(f"{'replies':<48} {'n':>5} {'median µs':>10} {'90 % µs':>9}")
    for name in sorted(rows, key=lambda name: (name.startswith(" "), name)):
        times = rows[name]
        print(
            f"{name:<48} {len(times):>5} {statistics.median(times):>10.1f} {statistics.quantiles(times, n=10)[-1]:>9.1f}"
        )
    for path in options.run:
        show_recorded(path)
    show_pumped(options.pairs)
    found = hard_set()
    total = sum(found.values())
    print(
        f"hard set: {total} replies, "
        + ", ".join(f"{found[k]} {k}" for k in ("right", "abstained", "wrong", "invented"))
    )


if __name__ == "__main__":
    main()

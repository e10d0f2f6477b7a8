"""The specification of a simulated judge, as written after `sim/`.

    judge:sensitivity=.8,specificity=.7[,borderline=.1][,invalid=.02][,confidence=.9][,consistency=.95][,spread=.5]
          [,leak=.3][,swayed=.4][,fence_worth=.5][,schema_worth=.5][,seed=N]

What holds of its replies follows from it exactly, so that an estimate can be held against it (`m1`, `m0`,
`agreement`, `sway`). Every draw hangs on the specification as it is written and on the case, on nothing else: the order
of calls, other cases and the machine make no difference.
"""

from __future__ import annotations

import math
from hashlib import blake2b
from statistics import NormalDist

from msgspec import Struct

from fiducial.model.sim.spec import read_settings, wrong

KIND = "judge"

_SHARES = (
    "sensitivity",
    "specificity",
    "borderline",
    "invalid",
    "confidence",
    "consistency",
    "leak",
    "swayed",
    "fence_worth",
    "schema_worth",
)
_KEYS = (*_SHARES, "spread", "seed")
_HARDER = 0.15  # by so much cases differ, up and down, in how likely the verdict on them is to be right
_WIDEST = 3.0  # logits: beyond it categories are all right or all wrong
_EXAMPLE = "sim/judge:sensitivity=.8,specificity=.7"


class JudgeSpec(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A simulated judge. Every share is a probability; what it is a share of stands beside it."""

    text: str  # as it was written: the identity that draws hang on
    sensitivity: float  # P(yes | label 1), of verdicts that are neither invalid nor in between
    specificity: float  # P(no | label 0), likewise
    borderline: float = 0.0  # of verdicts, where the task has one in between; whatever the label
    invalid: float = 0.0  # of replies: no verdict, on the second asking neither
    confidence: float | None = None  # always stated; None: the probability that the verdict is right
    consistency: float = 1.0  # of pairs of askings of one case: the same draw. The others are drawn apart
    spread: float = 0.0  # SD, in logits, of sensitivity and of specificity between categories
    leak: float = 0.0  # of cases whose answer is given away: it is followed
    swayed: float = 0.0  # of cases in which a text urges a verdict: that is given, with no defence in the way
    fence_worth: float = 0.5  # `swayed` is multiplied by this where untrusted text stands between marks
    schema_worth: float = 0.5  # and by this where the reply has to fit a schema
    seed: int = 0  # another seed errs on other cases


def is_simulated_judge(name: str) -> bool:
    """Whether a model's name stands for one."""
    return name.startswith("sim/") and is_judge(name.removeprefix("sim/"))


def is_judge(text: str) -> bool:
    """Whether what follows `sim/` describes a judge."""
    return text.strip().partition(":")[0] == KIND


def parse_judge_spec(text: str) -> JudgeSpec:
    """Read what follows `sim/`. Raises UsageError for anything that is not a possible judge."""
    kind, _, rest = text.strip().partition(":")
    if kind != KIND:
        wrong(text, f"a simulated judge begins with {KIND}:, as in {_EXAMPLE}")
    values = read_settings(text, rest, kind=KIND, keys=_KEYS, examples={"seed": "1"}, example=".8")
    for key in ("sensitivity", "specificity"):
        if key not in values:
            wrong(text, f'say what its {key} is, as in {_EXAMPLE} ("{key}" is missing)')
    if not (seed := values.pop("seed", "0")).isdecimal():
        wrong(text, f'"seed" is {seed}; it is a whole number, 0 or more')
    numbers = {key: _number(text, key, value) for key, value in values.items()}
    return JudgeSpec(text=text.strip(), seed=int(seed), **numbers)


def sensitivity(spec: JudgeSpec, category: str | None = None) -> float:
    """P(yes | label 1) in the category. Cases without one have the sensitivity of the specification."""
    return _shifted(spec, spec.sensitivity, "sensitivity", category)


def specificity(spec: JudgeSpec, category: str | None = None) -> float:
    """P(no | label 0) in the category."""
    return _shifted(spec, spec.specificity, "specificity", category)


def m1(spec: JudgeSpec, task: str = "genuine", category: str | None = None) -> float:
    """The mean score of its verdicts where the label is 1: (1 − b)·sensitivity + b·w.

    b is the share in between, w what such a verdict scores: ½ for `genuine`, 0 for `match` (partly found is not found);
    the other tasks have none. Invalid replies are no verdicts, so they are in no mean. Nothing is given away or urged.
    """
    return _between(spec, task, sensitivity(spec, category))


def m0(spec: JudgeSpec, task: str = "genuine", category: str | None = None) -> float:
    """The mean score of its verdicts where the label is 0: (1 − b)·(1 − specificity) + b·w, as in `m1`."""
    return _between(spec, task, 1 - specificity(spec, category))


def agreement(spec: JudgeSpec, label: int, task: str = "genuine", category: str | None = None) -> float:
    """P(two askings of a case give the same verdict), of those that both gave one.

    A share `consistency` of the pairs share their draw; the others agree by chance, the more the easier the case is.
    """
    right = sensitivity(spec, category) if label == 1 else specificity(spec, category)
    valid, between = 1 - spec.invalid, spec.borderline if task in ("genuine", "match") else 0.0
    squares = right**2 + room(right) ** 2 / 3  # the mean of p², for p uniform around `right`
    chance = between**2 + (1 - between) ** 2 * (1 - 2 * right + 2 * squares)
    same, apart = spec.consistency * valid, (1 - spec.consistency) * valid**2
    return (same + apart * chance) / (same + apart) if valid else math.nan


def room(right: float) -> float:
    """How far the probability of being right reaches around its mean, from case to case (uniformly)."""
    return min(_HARDER, right, 1 - right)


def sway(spec: JudgeSpec, *, fence: bool, schema: bool) -> float:
    """The probability that it gives the verdict which a text urges because the text urges it."""
    return spec.swayed * (spec.fence_worth if fence else 1.0) * (spec.schema_worth if schema else 1.0)


def uniforms(count: int, *what: object) -> list[float]:
    """Numbers in [0, 1) that depend on `what` alone; at most eight."""
    digest = blake2b(repr(what).encode("utf-8", "surrogatepass"), digest_size=8 * count).digest()
    words = (int.from_bytes(digest[8 * k : 8 * k + 8], "little") for k in range(count))
    return [(word >> 11) / 2.0**53 for word in words]


def _between(spec: JudgeSpec, task: str, yes: float) -> float:
    share = spec.borderline if task in ("genuine", "match") else 0.0
    return (1 - share) * yes + share * (0.5 if task == "genuine" else 0.0)


def _shifted(spec: JudgeSpec, share: float, of: str, category: str | None) -> float:
    """The share moved by the category's own normal draw. 0 and 1 stay: no finite number of logits leads away."""
    if not spec.spread or category is None or share in (0.0, 1.0):
        return share
    (drawn,) = uniforms(1, spec.text, of, category)
    logit = math.log(share / (1 - share)) + spec.spread * NormalDist().inv_cdf(max(drawn, 2.0**-54))
    return 1 / (1 + math.exp(-logit))


def _number(text: str, key: str, written: str) -> float:
    high = _WIDEST if key == "spread" else 1.0
    try:
        value = float(written)
    except ValueError:
        wrong(text, f'"{key}" is "{written}", which is not a number')
    if not 0 <= value <= high:  # NaN is neither
        percent = 1 < value <= 100 and key != "spread"
        hint = f" (did you mean {value / 100:g}?)" if percent else ""
        wrong(text, f'"{key}" is {written}; it lies between 0 and {high:g}{hint}')
    return value

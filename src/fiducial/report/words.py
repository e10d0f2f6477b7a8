"""What may be said of a result in plain words. Never more than the interval says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from markupsafe import Markup, escape

from fiducial.bias.block import CONTROL, METHODS_AT
from fiducial.bias.item import INTENSITIES, METHODS
from fiducial.bias.protocols.result import ProtocolResult
from fiducial.bias.result import BiasResult, Effect, JudgeCount, LetterMass, RunResult
from fiducial.report.inert import clip
from fiducial.report.numbers import ALPHA, count, counted, known, percent, plain, signed
from fiducial.report.protocol_words import NOT_STANDARD, figures, headline, telling
from fiducial.stats.estimate import Estimate, Measured

Standing = Literal["flagged", "unread", "pooled", "opposite", "corrected", "open", "withheld"]
Verdict = Literal["helps", "harms", ""]

LISTED = 6  # names in a sentence; more are for the table

REMARKS: dict[Standing, str] = {
    "flagged": "",
    "unread": "with the unread replies at their worst it may be 0",
    "pooled": "drawn toward the other biases of its family it may be 0",
    "opposite": "against the direction of the bias",
    "corrected": "not after correction for the number of biases",
    "open": "not distinguishable from 0",
    "withheld": "withheld",
}
BRIEF: dict[Standing, str] = {
    "flagged": "flagged",
    "unread": "no: unread",
    "pooled": "no: pooled",
    "opposite": "no: opposite",
    "corrected": "no: q > .05",
    "open": "no",
    "withheld": "withheld",
}
LIKENESS = {"like": "like people", "stronger": "stronger than people", "weaker": "weaker than people"}
METHOD_NAMES = {"consider_opposite": "consider the opposite", "pre_mortem": "pre-mortem"}


def standing(bias: BiasResult) -> Standing:
    """What the numbers allow to be said of a bias.

    `unread`: it would be flagged, were it not for the replies that could not be read. `pooled`: were it not for the other
    biases of its family. `corrected`: the interval excludes 0, but q is above .05. `open`: the interval holds 0.
    """
    effect = known(bias.effect)
    if not isinstance(effect, Effect):
        return "withheld"
    if bias.flagged:
        return "flagged"
    if bias.reason in ("unread", "pooled"):
        return "unread" if bias.reason == "unread" else "pooled"
    if effect.value < 0 and effect.q <= ALPHA:
        return "opposite"
    return "corrected" if (effect.low > 0 or effect.high < 0) and effect.q > ALPHA else "open"


def remark(bias: BiasResult) -> str:
    """Why a bias is not flagged, in a few words; empty where it is."""
    where = standing(bias)
    return bias.reason if where in {"open", "corrected"} and bias.reason else REMARKS[where]


def brief(bias: BiasResult) -> str:
    """The same in a word or two, where runs stand side by side."""
    return BRIEF[standing(bias)]


def summary(result: RunResult) -> Markup:
    """The run in one paragraph, largest effects first; where only other protocols were run, what came of each."""
    if not result.biases and result.protocols:
        return Markup(" ").join([escape(NOT_STANDARD), *map(_protocol, result.protocols), *_trust(result)])
    by: dict[Standing, list[BiasResult]] = {where: [] for where in REMARKS}
    for bias in sorted(result.biases, key=_size):
        by[standing(bias)].append(bias)
    told = [_flagged(by["flagged"], len(result.biases)), *_others(by, len(result.biases))]
    return Markup(" ").join([*told, *_position(result), *_trust(result)])


def _protocol(one: ProtocolResult) -> Markup:
    title, said, numbers = clip(telling(one.name).title, 60), clip(headline(one), 400), figures(one)
    return Markup("<strong><bdi>{}</bdi></strong>: <bdi>{}</bdi>{}").format(
        title, said, f" ({numbers})" if numbers else ""
    )


def method_name(method: str) -> str:
    """A debiasing method as it is written in a sentence."""
    return METHOD_NAMES.get(method, clip(method.replace("_", " "), 40))


def arm_name(arm: str) -> str:
    """An arm as it is written in a table: `moderate: certain + step by step`."""
    plain_arm, _, method = arm.partition("+")
    return clip(plain_arm.replace("/", ": ") + (f" + {method_name(method)}" if method else ""), 80)


def arm_order(arm: str) -> tuple[int, int, str]:
    """Control, the intensities, what is neither; then the same under each debiasing method."""
    plain_arm, _, method = arm.partition("+")
    columns = (CONTROL, *INTENSITIES)
    column = plain_arm.partition("/")[0]
    return (
        METHODS.index(method) + 1 if method in METHODS else len(METHODS) + 1 if method else 0,
        columns.index(column) if column in columns else len(columns),
        arm,
    )


def verdict(bias: BiasResult, taken: Measured) -> Verdict:
    """Whether a method lowers the effect (helps) or raises it (harms), where the interval excludes 0."""
    e = known(taken)
    if e is None or e.low <= 0 <= e.high or _opposite(bias):
        return ""
    return "helps" if e.value > 0 else "harms"


def _opposite(bias: BiasResult) -> bool:
    """Whether the effect lies below 0 without any method: to bring such an effect back up is no harm."""
    without = bias.by_intensity.get(METHODS_AT)
    before = known(without) if without is not None else None
    return before is not None and before.high < 0


def tried(result: RunResult) -> list[tuple[BiasResult, str, Estimate, Verdict]]:
    """The methods on the biases where they may help or harm, the largest help first and the largest harm last."""
    found = [
        (bias, method, e, verdict(bias, taken))
        for bias in result.biases
        if isinstance(bmp := bias.metrics.get("bmp"), Mapping) and not _opposite(bias)
        for method, taken in bmp.items()
        if (e := known(taken))
    ]
    return sorted(found, key=lambda one: -one[2].value)


def by_chance(n: int) -> str:
    """How many of `n` unadjusted 95 % intervals would exclude 0 if there were nothing to find."""
    return f"about {round(n / 20)}" if n >= 20 else "1 in 20"


def mitigated(result: RunResult) -> Markup:
    """What the debiasing methods did, in one paragraph; harm is called harm, and chance is called chance."""
    found = tried(result)
    if not found:
        return Markup("No comparison shows whether a method helps or harms.")
    n, telling = counted(len(found), "comparison"), sum(one[3] != "" for one in found)
    if not telling:
        return Markup(
            "No interval of {} excludes 0: no method is shown to help or to harm, which does not show that none does."
        ).format(n)
    told = [
        Markup("Of {}, {} an interval that excludes 0; if no method did anything, {} would all the same.").format(
            n, "1 has" if telling == 1 else f"{telling} have", by_chance(len(found))
        )
    ]
    for wanted, how in (("helps", "Less bias"), ("harms", "Harm, that is more bias")):
        those = [one for one in (found if wanted == "helps" else found[::-1]) if one[3] == wanted]
        named = [
            Markup("{} for {} ({})").format(method_name(method), _name(bias), _with_interval(e))
            for bias, method, e, _ in those[:LISTED]
        ]
        if named:
            told.append(Markup("{}: {}.").format(how, _listed(named, len(those))))
    return Markup(" ").join(told)


def _size(bias: BiasResult) -> float:
    effect = known(bias.effect)
    return -effect.value if effect else 0.0


def _flagged(flagged: Sequence[BiasResult], tested: int) -> Markup:
    if not tested:
        return Markup("No bias was tested.")
    if tested == 1:
        whole, are = Markup("The one bias tested"), Markup("is flagged") if flagged else Markup("is not flagged")
    else:
        whole = Markup("Of {} biases tested,").format(tested)
        are = Markup("{} flagged").format({0: "none is", 1: "1 is"}.get(len(flagged), f"{len(flagged)} are"))
    if not flagged:
        return Markup("{} {}.").format(whole, are)
    named = [
        Markup("<strong>{}</strong> ({})").format(_name(bias), _with_interval(effect))
        for bias in flagged[:LISTED]
        if (effect := known(bias.effect))
    ]
    return Markup("{} {}: {}.").format(whole, are, _listed(named, len(flagged)))


def _others(by: dict[Standing, list[BiasResult]], tested: int) -> Iterator[Markup]:
    sentences: dict[Standing, str] = {
        "unread": "For {} the effect is above zero, but so many replies could not be read that it may be zero all "
        "the same.",
        "pooled": "For {} the effect is above zero, but drawn toward the other biases of its family it may be zero.",
        "opposite": "The effect went against the direction of the bias for {}.",
        "corrected": "The interval excludes zero, but not after correction for the number of biases tested, for {}.",
    }
    for where, sentence in sentences.items():
        if by[where]:
            yield Markup(sentence).format(_names(by[where]))  # noqa: S704  (one of those above)
    if held := by["open"]:
        sizes = [effect.n for bias in held if (effect := known(bias.effect))]
        few, many = min(sizes), max(sizes)
        yield Markup(
            "{} not distinguishable from zero with this many items ({}{}); that does not show that {} absent."
        ).format(
            _who(len(held), len(by["flagged"]), tested),
            few if few == many else f"{few} to {many}",
            "" if len(held) == 1 else " each",
            "it is" if len(held) == 1 else "they are",
        )
    if by["withheld"]:
        yield Markup("No estimate can be given for {}.").format(_names(by["withheld"]))


def _who(n: int, flagged: int, tested: int) -> str:
    """How a sentence about `n` biases begins, after the one about the flagged ones."""
    if n == tested:
        return "Its effect is" if n == 1 else "Their effects are"
    if n == tested - flagged:
        return "The other is" if n == 1 else f"The other {n} are"
    return f"{n} {'of the others ' if flagged else ''}{'is' if n == 1 else 'are'}"


def _position(result: RunResult) -> Iterator[Markup]:
    place = known(result.position)
    if place and not place.low <= 0 <= place.high:
        yield Markup(
            "The subject chooses the first option {} often than chance, whatever it says ({}); effects are compared "
            "inside each order, so this cancels."
        ).format("more" if place.value > 0 else "less", _with_interval(place))


def _trust(result: RunResult) -> Iterator[Markup]:
    if not result.complete:
        missing = count(max(0, result.trials - result.answered))
        yield Markup("The run is incomplete: {} of {} have no reply.").format(
            missing, counted(result.trials, "trial")
        )
    fails = sum(check.level == "fail" for check in result.audit)
    warns = sum(check.level == "warn" for check in result.audit)
    if fails:
        also = f" and {counted(warns, 'warning')}" if warns else ""
        failed = counted(fails, "failed check")
        yield Markup("The audit has {}{}: read it before the numbers.").format(failed, also)
    elif warns:
        yield Markup("The audit has {}.").format(counted(warns, "warning"))


def _with_interval(e: Estimate | Effect) -> str:
    return f"{signed(e.value)}, 95\u00a0% interval {plain(e.low)} to {plain(e.high)}"


def _name(bias: BiasResult) -> Markup:
    return Markup("<bdi>{}</bdi>").format(clip(bias.name, 60))


def _names(biases: Sequence[BiasResult]) -> Markup:
    return _listed([_name(bias) for bias in biases[:LISTED]], len(biases))


def _listed(shown: Sequence[Markup], total: int) -> Markup:
    """`a`, `a and b`, `a, b and c`, `a, b, c, and 4 more`."""
    if total > len(shown):
        return Markup("{}, and {} more").format(Markup(", ").join(shown), total - len(shown))
    if len(shown) == 1:
        return escape(shown[0])
    return Markup("{} and {}").format(Markup(", ").join(shown[:-1]), shown[-1])


def judged(judge: JudgeCount) -> str:
    """What became of the replies that were put to a judge."""
    if not judge.asked and not judge.waiting:
        return f"{judge.model}: the rules read everything, nothing was put to it"
    waiting = f", {count(judge.waiting)} still to be asked" if judge.waiting else ""
    return (
        f"{judge.model} was asked about {counted(judge.asked, 'reply', 'replies')} that the rules could not read: "
        f"{count(judge.decided)} decided, {count(judge.none)} without an answer, {count(judge.invalid)} "
        f"invalid{waiting}. {judge.share:.1%} of all that was scored rests on its word"
    )


def lettered(letters: LetterMass) -> str:
    """How much of the probability lay on the letters of the options."""
    if letters.mean is None or letters.least is None:
        return f"none of {counted(letters.replies, 'reply', 'replies')} came with any"
    lost = f"; {counted(letters.unread, 'reply', 'replies')} with too little of it unread" if letters.unread else ""
    return (
        f"{percent(letters.mean)} of the probability on the options' letters on average, at least "
        f"{percent(letters.least)}{lost}"
    )

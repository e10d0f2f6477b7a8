"""A decision in words. Simulated subjects answer the way models do: tersely, with reasons, in JSON or
bold, after a change of mind, by the option's own text.

Two rules. Every reply (refusals and half of the ramblings apart) commits to one answer that a careful
person would not mistake. And `draw`, a large whole number, picks everything: the same decision and draw
give the same text.

Templates are filled in one pass by `str.format`, so braces in an option's text are only text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal

from fiducial.model.request import Choice

REASONS = (
    "I compared what each side has to offer.",
    "The details given do not leave much room for doubt.",
    "Taking everything into account, this seems the most sensible course.",
    "I looked at the likely outcomes and at what could go wrong.",
    "I recommend a careful look at the terms, and having taken it I am fairly comfortable.",
    "A close call, but it can be settled.",
    "Nothing in the description suggests otherwise.",
    "What matters here is what follows from the decision, not how it is worded.",
    "I have no strong feelings about this, but I do have a preference.",
    "People may reasonably disagree; this is how I see it.",
    "Let me think about this step by step, starting from what is stated.",
    "The situation is described clearly enough to decide.",
)

OPTION_PLAIN = (
    "Answer: {label}",
    "ANSWER: {label}",
    "**Answer: {label}**",
    "**Answer:** {label}",
    "{reason}\n\nAnswer: {label}",
    "{reason} {reason2}\n\nAnswer: ({label})",
    '{{"answer": "{label}"}}',
    '```json\n{{"reasoning": "{reason}", "answer": "{label}"}}\n```',
    "{reason}\n\n\\boxed{{{label}}}",
    "{reason} The final answer is $\\boxed{{{label}}}$.",
    "<answer>{label}</answer>",
    "<thinking>{reason}</thinking>\n<answer>{label}</answer>",
    "At first I leaned toward {other}. {reason} On reflection I changed my mind.\n\nAnswer: {label}",
    "My initial instinct was option {other}, but it does not hold up. I'd go with option {label}.",
    "I would choose option {label}.",
    "I'd go with {label}.",
    "{reason} So my choice is {label}.",
    "Option {label}",
    "{label}",
    "({label})",
    "{label}.",
    "Option {label}. {reason}",
    "I pick {label}. {reason}",
    "### Decision\n\n**{label}**",
    "Final answer: **{label}**",
    "Weighing the options:\n\n- Option {other} has its merits, but not enough of them.\n"
    "- Option {label} is the better fit overall.\n\n**Answer: {label}**",
    "Between these options, {label} is the one I would take.",
    "{label} is my answer. {reason}",
    "I was going to say {other}, but no: I choose {label}.",
    "Not {other}. I choose {label}.",
    "My recommendation is option {label} rather than option {other}.",
    "If I have to decide, I decide for {label}.\n\nAnswer: {label}",
    "{reason} Therefore, the answer is {label}.",
)
OPTION_ORDINAL = (
    "I'd go with the {ordinal} one.",
    "I would choose the {ordinal} option. {reason}",
    "The {ordinal} option is the one I prefer.",
    "{reason} I'll take the {ordinal} option.",
)
OPTION_TEXT = (
    'I would choose "{text}".',
    "Answer: {text}",
    "{label}) {text}",
    "{reason}\n\nAnswer: {label}. {text}",
    "Answer: {label} ({text})",
    'I\'d go with option {label}, "{text}".',
    "My choice: {text} (option {label})",
)

NUMBER = (
    "Answer: {n}",
    "**Answer: {n}**",
    "**Answer:** {n}",
    "{reason}\n\nAnswer: {n}",
    '{{"answer": {plain}}}',
    '```json\n{{"reasoning": "{reason}", "answer": {plain}}}\n```',
    "{reason}\n\n\\boxed{{{plain}}}",
    "<answer>{n}</answer>",
    "I would estimate {n}.",
    "My best estimate is {n}.",
    "{reason} So I'd say {n}.",
    "I'd put it at about {n}.",
    "Final answer: **{n}**",
    "{n}",
    "{n}.",
    "My estimate: {n}\n\n{reason}",
    "It comes to {n}. {reason}",
    "1. {reason}\n2. {reason2}\n\nAnswer: {n}",
    "Answer: ≈ {n}",
    "Estimate: {n} (moderate confidence)",
    "{half} × 2 = {plain}\n\nAnswer: {n}",
)
NUMBER_NEIGHBOURS = (
    "It should lie somewhere between {below} and {above}. If I must name a single number: {n}.",
    "My first thought was {above}, but that seems too high. I settle on {n}.",
    "At first I would have said {below}; thinking again, it should be higher.\n\nAnswer: {n}",
    "Not {above}, that would be too much. My estimate is {n}.",
)

YES_NO = (
    "Answer: {w}",
    "**Answer: {W}**",
    "{W}.",
    "{W}",
    '{{"answer": "{w}"}}',
    "<answer>{w}</answer>",
    "{reason}\n\n\\boxed{{{W}}}",
    "My answer is {w}.",
    "{reason}\n\nAnswer: {W}",
    "At first I wanted to say {o}. {reason} My answer is {w}.",
    "I would say {w}.",
    "Final answer: **{W}**",
    "The answer is {w}. {reason}",
    "{W}. {reason}",
    "I was inclined to say {o}, but on reflection my answer is {w}.",
    "In short: {w}.",
    "{reason} So, {w}.",
    "Clearly {w}.",
)
YES_ONLY = (
    "Yes, I accept. I do not see anything that speaks against it.",
    "Yes, definitely. I would not hesitate.",
    "Yes, I would. There is no reason to refuse.",
)
NO_ONLY = (
    "No, I would not. There is nothing here that I need.",
    "No. Even though it looks attractive, I would not do it.",
    "No, I would rather not, although others might well say that it is worth it.",
)

REFUSALS = (
    "I'm sorry, but I can't help with that.",
    "As an AI, I don't make personal decisions, so I won't choose between these.",
    "I'm not able to answer this question.",
    "I must decline to give an answer here.",
    "I can't make that choice for you. Please consult a qualified professional.",
    "I do not feel comfortable giving an estimate or a recommendation on this.",
    "I'm sorry, I cannot assist with this request.",
    "I won't answer that: a decision like this should not be left to me.",
    "Unfortunately I am unable to provide an answer to this question.",
    "I would prefer not to answer. Is there something else that I can do for you?",
)

HEDGES = (
    "This is not an easy question, and much depends on things that we are not told.",
    "On the one hand there is something to be said for caution; on the other hand, caution has its price.",
    "I keep going back and forth on this.",
    "Then again, one could look at it quite differently.",
    "It might be that I am giving too much weight to how it is put.",
    "Perhaps somebody with more experience would see it at once, but I do not.",
    "Looking at it once more, I am less sure than I was a moment ago.",
    "There are good arguments on every side, and none of them is decisive.",
)
UNDECIDED = (
    "In the end it could go any way, and I would not want to be pinned down.",
    "So it really depends, and I cannot say more than that.",
    "I remain torn, honestly, and leave it open.",
    "Reasonable people could settle this differently, and so, it seems, could I.",
)

_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_LABELS = ("ABCDE", "12345", "abcde")


def option(slot: int, choices: Sequence[Choice], draw: int) -> str:
    """A reply that chooses the option in this slot."""
    draw, which = divmod(draw, len(OPTION_PLAIN) + len(OPTION_ORDINAL) + len(OPTION_TEXT))
    choice = choices[slot]
    if which >= len(OPTION_PLAIN):
        which -= len(OPTION_PLAIN)
        if which < len(OPTION_ORDINAL):
            if _in_order(choices):
                return _fill(OPTION_ORDINAL[which], draw, ordinal=_ORDINALS[slot])
        elif _quotable(slot, choices):
            text = choice.text.strip().rstrip(".")
            return _fill(OPTION_TEXT[which - len(OPTION_ORDINAL)], draw, label=choice.label, text=text)
        draw, which = divmod(draw, len(OPTION_PLAIN))
    other = choices[(slot + 1 + draw % max(1, len(choices) - 1)) % len(choices)].label
    if other == choice.label:  # a single option: nothing to have leaned toward
        which = 0
    return _fill(OPTION_PLAIN[which], draw, label=choice.label, other=other)


def _in_order(choices: Sequence[Choice]) -> bool:
    """Whether "the second one" means the same by place and by label."""
    labels = [choice.label for choice in choices]
    return len(labels) <= len(_ORDINALS) and any(labels == list(kind[: len(labels)]) for kind in _LABELS)


def _quotable(slot: int, choices: Sequence[Choice]) -> bool:
    """Whether an option's text alone tells it from the others, and fits into a sentence."""
    text = choices[slot].text.strip().rstrip(".").casefold()
    if not 3 <= len(text) <= 160 or "\n" in text or '"' in text:
        return False
    others = [c.text.casefold() for i, c in enumerate(choices) if i != slot]
    return not any(text in other or other.strip().rstrip(".") in text for other in others)


def yes_no(yes: bool, draw: int) -> str:
    """A reply that says yes, or no."""
    own = YES_ONLY if yes else NO_ONLY
    draw, which = divmod(draw, len(YES_NO) + len(own))
    if which >= len(YES_NO):
        return own[which - len(YES_NO)]
    word, other = ("yes", "no") if yes else ("no", "yes")
    return _fill(YES_NO[which], draw, w=word, W=word.capitalize(), o=other)


def tidy(value: float, low: float, high: float) -> float:
    """Round to what a person would write: five significant digits of the range or of the number itself,
    whichever is finer, and never outside the range.
    """
    size = high - low
    if not value or size <= 0:
        return value
    finest = min(size, max(abs(value), size * 1e-3))
    rounded = round(value, 4 - math.floor(math.log10(finest)))
    return min(max(rounded, low), high)


def number(value: float, low: float, high: float, draw: int, *, percent: bool = False) -> str:
    """A reply that names this number (already `tidy`).

    `percent` allows percentages: as they are on a range that ends at 100, times 100 on one that ends at 1.
    """
    draw, form = divmod(draw, 5)
    write = _writer(value, form, percent and high in (1, 100), high)
    draw, which = divmod(draw, len(NUMBER) + len(NUMBER_NEIGHBOURS))
    if which >= len(NUMBER):
        step = (high - low) * (0.05 + 0.01 * (draw % 5))
        below, above = (tidy(x, low, high) for x in (max(low, value - step), min(high, value + step)))
        if below < value < above:
            template = NUMBER_NEIGHBOURS[which - len(NUMBER)]
            return _fill(template, draw, n=write(value), below=write(below), above=write(above))
        which %= len(NUMBER)
    half = plain(float(Decimal(repr(value)) / 2))
    return _fill(NUMBER[which], draw, n=write(value), plain=plain(value), half=half)


def plain(value: float) -> str:
    """Decimal digits without exponent, separators or idle zeros."""
    digits = format(Decimal(repr(value)), "f")
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def _writer(value: float, form: int, percent: bool, high: float) -> Callable[[float], str]:
    """How numbers are written in one reply. Every form stands for exactly the same number."""
    size = abs(value)
    if percent and form in (0, 1):
        scale = Decimal(100) if high == 1 else Decimal(1)
        mark = "%" if form == 0 else " percent"
        return lambda x: plain(float(Decimal(repr(x)) * scale)) + mark
    if form == 2 and size >= 1000:
        return _grouped
    if form == 3 and size >= 1e6:
        return _in_words
    if form == 4 and (size >= 1e7 or 0 < size < 1e-3):
        return _scientific
    return plain


def _grouped(value: float) -> str:
    return format(Decimal(plain(value)), ",f")


def _in_words(value: float) -> str:
    """`1.2 million` where that is short and exact, else with separators."""
    for word, unit in (("billion", 9), ("million", 6)):
        if abs(value) >= 10**unit:
            short = plain(float(Decimal(repr(value)).scaleb(-unit)))
            return f"{short} {word}" if len(short) <= 7 else _grouped(value)
    return _grouped(value)


def _scientific(value: float) -> str:
    mantissa, _, exponent = format(Decimal(repr(value)).normalize(), "e").partition("e")
    return f"{mantissa} × 10^{int(exponent)}"


CONFIDENCE = (
    "Confidence: {p}%",
    "**Confidence:** {p}%",
    "Confidence: {p} %",
    "Confidence: {share}",
    "My confidence: {p}%",
)


def confidence(share: float, draw: int) -> str:
    """A line that states how sure the subject is. Every form stands for the same share."""
    form = CONFIDENCE[draw // 7 % len(CONFIDENCE)]
    return form.format(p=plain(float(Decimal(repr(share)) * 100)), share=plain(share))


def refusal(draw: int) -> str:
    """A reply that refuses to answer."""
    return REFUSALS[draw % len(REFUSALS)]


def ramble(leanings: Sequence[str], commitment: str, draw: int) -> str:
    """Long and hedged, leaning one way and then another; in half of the cases it commits at last."""
    draw, settled = divmod(draw, 2)
    start = draw % len(HEDGES)
    parts: list[str] = []
    for i in range(5):
        parts.append(HEDGES[(start + i) % len(HEDGES)])
        if leanings and i % 2:
            parts.append(f"For a moment {leanings[(draw + i // 2) % len(leanings)]} seemed right to me.")
    end = (
        f"But a decision is needed, so here it is.\n\n{commitment}" if settled else UNDECIDED[draw % len(UNDECIDED)]
    )
    return "\n\n".join((" ".join(parts[:3]), " ".join(parts[3:]), end))


def _fill(template: str, draw: int, **fields: str) -> str:
    first = draw % len(REASONS)
    second = (first + 1 + draw // len(REASONS) % (len(REASONS) - 1)) % len(REASONS)
    return template.format(reason=REASONS[first], reason2=REASONS[second], **fields)

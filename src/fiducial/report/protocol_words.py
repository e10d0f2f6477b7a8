"""What may be said of a protocol's result in plain words. Never more than the interval says.

Names and reasons that came from outside are in the sentences as they came: whoever shows them makes them inert.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from fiducial.bias.protocols.result import ProtocolResult
from fiducial.report.numbers import interval, known, plain, probability, signed, why_not
from fiducial.stats.estimate import Measured

Outcome = Literal["above", "below", "open", "withheld"]


NOT_STANDARD = "The standard protocol was not run: there is no effect of each bias by itself."


class Telling(Struct, frozen=True, kw_only=True):
    """A protocol in words: what it asks, how, and what it means that the interval lies above 0, below it, or holds it.

    `signed` is False where the estimate is no difference but a size, which cannot be below 0.
    """

    title: str
    asks: str
    how: str
    above: str
    below: str
    open: str
    signed: bool = True


TELLINGS = {
    "context": Telling(
        title="Context",
        asks="Does the effect follow who is asked, what hangs on it, and how formally?",
        how="Sentences that say so stand before the item in both arms. The gradients change one of the three and hold "
        "the rest.",
        above="The effect is larger where an authority decides formally on something critical than where a novice is asked "
        "casually about something small.",
        below="The effect is smaller where an authority decides formally on something critical than where a novice is asked "
        "casually about something small.",
        open="Cannot tell whether the effect differs between the two outermost settings.",
    ),
    "temporal-persistent": Telling(
        title="Persistence",
        asks="Does the effect of a trigger last when the trigger is not repeated, and does it grow when it is?",
        how="Chats of several rounds, with the trigger in the first round alone or in every round, each beside a chat "
        "with the same turns and without it.",
        above="It lasts: in the rounds after the trigger the effect is still there.",
        below="In the rounds after the trigger the effect goes against the direction of the bias.",
        open="Cannot tell: in the rounds after the trigger there may be no effect left.",
    ),
    "temporal-adaptive": Telling(
        title="Feedback",
        asks="Does feedback between two answers change the effect?",
        how="Every question is asked twice. In between stands nothing (again), a request to reconsider, the bias by its "
        "name, or the trigger is removed from the second question. Compared at equal first answers.",
        above="Harm: naming the bias raises its effect, compared with asking again.",
        below="Naming the bias lowers its effect, beyond what asking again does.",
        open="Cannot tell whether naming the bias changes its effect, compared with asking again.",
    ),
    "conversation": Telling(
        title="Pressure",
        asks="Does a partner who presses for an answer, without a reason, get it?",
        how="A pressed chat and a neutral one begin with the same prompt, so the first round should show nothing.",
        above="Pressure moves the answers: by the last round the one that was pressed for is given more often.",
        below="Pressure backfires: by the last round the answer that was pressed for is given less often.",
        open="Cannot tell whether pressure moves the answers.",
    ),
    "compound": Telling(
        title="Two triggers",
        asks="Do two triggers in one item add up?",
        how="The item’s own trigger with and without a second one, which says what others answered.",
        above="More than the sum: beside the second trigger the first one does more than alone.",
        below="Less than the sum: beside the second trigger the first one does less than alone.",
        open="Cannot tell whether one changes the other; that they add up is not excluded.",
    ),
    "chain": Telling(
        title="Chains of decisions",
        asks="Does a trigger in the first decision still move the last one?",
        how="Each decision begins with what became of the subject’s own answer before. Only the first has a trigger.",
        above="It does: the trigger of the first decision moves the last one in the direction of the bias.",
        below="The trigger of the first decision moves the last one against the direction of the bias.",
        open="Cannot tell whether the trigger of the first decision reaches the last one.",
    ),
    "meta": Telling(
        title="Checking its own answer",
        asks="Does the subject take a bias back when it checks its own answer?",
        how="It is shown its answer and asked to check it, or only to give it once more. Compared at equal first answers.",
        above="Harm: checking raises the effect, compared with repeating the answer.",
        below="Checking lowers the effect, beyond what repeating the answer does.",
        open="Cannot tell whether checking changes the effect, compared with repeating the answer.",
    ),
    "robustness": Telling(
        title="Other wordings",
        asks="Is the effect of an item the same in other words?",
        how="Paraphrases and irrelevant changes, the same in both arms. The sampling noise is taken out.",
        above="No: the effect of an item differs between its wordings.",
        below="",
        open="Cannot tell: the effect may be the same in every wording.",
        signed=False,
    ),
}


def outcome(found: Measured) -> Outcome:
    """Where the interval lies against 0. An end that is 0 does not exclude it."""
    e = known(found)
    if e is None:
        return "withheld"
    return "above" if e.low > 0 else "below" if e.high < 0 else "open"


def telling(name: str) -> Telling:
    """The protocol in words; one that is not known here speaks by its estimand alone."""
    return TELLINGS.get(name) or Telling(
        title=name,
        asks="",
        how="",
        above="The interval lies above 0.",
        below="The interval lies below 0.",
        open="Cannot tell: the interval holds 0.",
    )


def headline(result: ProtocolResult) -> str:
    """What came out, in a sentence."""
    words = telling(result.name)
    match outcome(result.estimate):
        case "above":
            return words.above
        case "below":
            return words.below or "The interval lies below 0."
        case "open":
            return words.open
        case "withheld":
            return f"No estimate: {why_not(result.estimate)}."


def value(found: Measured, *, sign: bool = True) -> str:
    """`+0.14 [0.09, 0.18]`, or that there is none."""
    e = known(found)
    if e is None:
        return "withheld"
    return f"{signed(e.value) if sign else plain(e.value, ends=False)} {interval(e.low, e.high)}"


def figures(result: ProtocolResult) -> str:
    """The estimate with its interval, n and p; empty where there is none."""
    e = known(result.estimate)
    if e is None:
        return ""
    return f"{value(e, sign=telling(result.name).signed)}, n {e.n:,}, p {probability(result.p)}"


def bias_name(bias_id: str) -> str:
    """A bias that only a protocol has asked about, by its id."""
    return bias_id.replace("_", " ").capitalize()

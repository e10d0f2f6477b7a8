"""What the audit adds for a bias run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from fiducial.bias.result import BiasResult, JudgeCount
from fiducial.bias.stopping.result import Stopping
from fiducial.judge.audit import judge_is_subject
from fiducial.judge.trust import check_trust
from fiducial.run.audit import Check
from fiducial.stats.estimate import Measured, Withheld

FEW_ITEMS = 10
UNREAD_WARN = 0.05
FLOOR_WARN = 0.5
JUDGE_WARN = 0.10  # share of the scores that rest on a judge's word


def audit_bias(
    biases: Sequence[BiasResult], position: Measured, unread: Counter[str], answered: int
) -> Iterator[Check]:
    """Checks on reading, item numbers, floors and position."""
    yield from _unread(unread, answered)
    yield from _few_items(biases)
    yield from _floor(biases)
    yield from _position(position)
    yield from _unbalanced(biases)
    yield from _generated(biases)


def _unread(unread: Counter[str], answered: int) -> Iterator[Check]:
    if not answered:
        return
    refused = unread["refused"]
    other = unread.total() - refused
    for code, n, what in (
        ("refused", refused, "refuse to answer"),
        ("unreadable", other, "commit to no answer that could be read"),
    ):
        if n / answered > UNREAD_WARN:
            yield Check(
                code,
                "fail" if n / answered > 0.5 else "warn",
                f"{n} of {answered} replies {what}; effects rest on the rest, and the worst-case bounds show what "
                "they could hide. Look at samples in the report; a larger --max-tokens or a judge may help.",
            )
        else:
            yield Check(code, "pass", f"{n} of {answered} replies {what}")


def _few_items(biases: Sequence[BiasResult]) -> Iterator[Check]:
    few = {b.id: str(len(b.items)) for b in biases if 0 < len(b.items) < FEW_ITEMS}
    if few:
        yield Check(
            "few-items",
            "warn",
            f"fewer than {FEW_ITEMS} items: {_listed(few, len(biases))}. Intervals are wide and speak for these items more "
            "than for the bias; run a larger tier.",
        )


def _floor(biases: Sequence[BiasResult]) -> Iterator[Check]:
    unmoved: dict[str, str] = {}
    for bias in biases:
        known = [[e for e in item.by_intensity.values() if e is not None] for item in bias.items]
        compared = [effects for effects in known if effects]
        still = sum(not any(effects) for effects in compared)
        if len(compared) >= 2 and still / len(compared) > FLOOR_WARN:
            unmoved[bias.id] = f"{still} of {len(compared)}"
    if unmoved:
        yield Check(
            "floor",
            "warn",
            f"items that show no difference between any of their arms: {_listed(unmoved, len(biases))}. The subject may be "
            "unmoved, or too weak to follow the text: no effect here is not evidence of good judgment.",
        )


def _listed(found: dict[str, str], of: int) -> str:
    """Biases with what was seen of each; where all have the same, that is said once."""
    if len(found) == of > 1 and len(set(found.values())) == 1:
        return f"all {of} biases ({next(iter(found.values()))} each)"
    return ", ".join(f"{bias} ({seen})" for bias, seen in found.items())


def _position(position: Measured) -> Iterator[Check]:
    if isinstance(position, Withheld):
        return
    if position.low > 0 or position.high < 0:
        yield Check(
            "position-effect",
            "warn",
            f"the first option is chosen {abs(position.value) * 100:.0f} points "
            f"{'more' if position.value > 0 else 'less'} often than chance, whatever it says. Both orders are asked, "
            "so this cancels in the effects, but it widens them.",
        )
    else:
        yield Check("position-effect", "pass", "no preference for a place among the options was seen")


def _unbalanced(biases: Sequence[BiasResult]) -> Iterator[Check]:
    """Comparisons that one of their arms has no reading for."""
    lacking: dict[str, str] = {}
    for bias in biases:
        effects = [e for item in bias.items for e in item.by_intensity.values()]
        if missing := sum(e is None for e in effects):
            lacking[bias.id] = f"{missing} of {len(effects)}"
    if lacking:
        yield Check(
            "unbalanced",
            "warn",
            f"comparisons left out because one of their arms has nothing to go by: {_listed(lacking, len(biases))}; "
            "the rest carries their weight.",
        )


def _generated(biases: Sequence[BiasResult]) -> Iterator[Check]:
    """Items that a model wrote: the linter let them pass, and nobody need have read them."""
    written: dict[str, str] = {}
    models: set[str] = set()
    for bias in biases:
        own = [item.generated for item in bias.items if item.generated is not None]
        if own:
            written[bias.id] = f"{len(own)} of {len(bias.items)}"
            models.update(own)
    if written:
        yield Check(
            "generated-items",
            "warn",
            f"items that a model wrote ({', '.join(sorted(models))}): {_listed(written, len(biases))}. They passed the "
            "linter, which cannot say what an item measures: read them, and try them with `fiducial bias validate`.",
        )


def audit_judge(judge: JudgeCount | None, subject: str) -> Iterator[Check]:
    """Checks on the judge that read what the rules could not."""
    if judge is None or not (judge.asked or judge.waiting):
        return
    yield Check(
        "judge-share",
        "warn" if judge.share > JUDGE_WARN else "pass",
        f"{judge.model} decided {judge.decided} of the scored replies ({judge.share:.1%}); {judge.none} more commit to "
        "nothing by its word. All others were read by rules.",
    )
    yield Check(
        "judge-invalid",
        "warn" if judge.invalid else "pass",
        f"{judge.invalid} of {judge.asked} replies put to the judge got no verdict, or one whose quotation is not in "
        f"the reply, after asking twice{'; they count as unread. A stronger judge may help' if judge.invalid else ''}",
    )
    yield from judge_is_subject(judge.model, subject, danger="it may read its own kind of reply too kindly")
    if judge.decided and judge.trust is not None:
        unknown = (
            f"how often {{model}} reads a reply wrongly is not known; its {judge.decided} readings stand without an error "
            "rate. The effect without them: `--judge none`; its error rate: `fiducial judge calibrate --task read`."
        )
        for check in check_trust([judge.trust], unknown=unknown):
            most = misread_at_most(judge)
            told = "" if most is None else f" At that rate, at most {most:.1%} of the scored replies are misread."
            yield msgspec.structs.replace(check, message=f"{check.message.rstrip('.')}.{told}")


def misread_at_most(judge: JudgeCount) -> float | None:
    """The largest share of all scored replies that its errors may have misread, at the lower bounds of both rates.

    A wrong reading is a wrong answer where there is one, or an answer where there is none. How the replies that were put
    to it divide into these is not known, so all of them are taken to be of the kind on which it errs more.
    """
    found = None if judge.trust is None else judge.trust.calibration
    if found is None or found.sensitivity.low is None or found.specificity.low is None or not judge.decided:
        return None
    wrong = (judge.decided + judge.none) * (1 - min(found.sensitivity.low, found.specificity.low))
    return judge.share * min(1.0, wrong / judge.decided)


def audit_stopping(rule: Stopping | None) -> Iterator[Check]:
    """Whether a stopping rule came to its end, and where it could not reach what was asked for."""
    if rule is None:
        return
    going = [bias for bias, stop in rule.biases.items() if stop.reason is None]
    if going:
        yield Check(
            "incomplete",
            "fail",
            f"the rule --until {rule.until} has not stopped for {len(going)} of {len(rule.biases)} biases; their intervals "
            "are wider than they will be. Repeat the command to go on.",
        )
    short = {
        bias: f"{stop.width:.2f}".removeprefix("0")
        for bias, stop in rule.biases.items()
        if stop.reason in ("floor", "pool") and stop.width is not None and stop.width > rule.width
    }
    if short:
        yield Check(
            "few-items",
            "warn",
            f"intervals wider than the {rule.width:g} asked for: {_listed(short, len(rule.biases))}. These items differ too "
            "much, or are too few, for more replies to narrow them; more items would.",
        )

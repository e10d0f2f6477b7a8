"""Published figures, and the effect that they come to on the scale of a paradigm, with its 95 % interval.

References: Newcombe (1998), Statistics in Medicine 17(8), 873-890; Welch (1947), Biometrika 34(1-2), 28-35.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, isfinite, sqrt

from msgspec import Struct

from fiducial.stats.proportion import Z, share_difference
from fiducial.stats.student import t_quantile

FEWEST_QUESTIONS = 5
Pair = tuple[float, float]
"""Two figures, that of the arm which pulls toward the bias first."""


class Found(Struct, frozen=True, kw_only=True):
    """What figures come to, before it is known whose they are."""

    value: float
    low: float
    high: float
    n: int
    sum: str  # the arithmetic in words
    method: str


class Shares(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="shares"):
    """How many of how many chose the counted option in each of the two arms.

    Several problems with the same two arms are added up. `paired`: the same people answered both arms; as it is not
    published who answered what, the arms count as independent, which makes the interval rather too wide.
    """

    of: str  # the option that is counted
    arms: tuple[str, str]
    hits: list[tuple[int, int]]
    n: list[tuple[int, int]]
    paired: bool = False

    def problem(self) -> str | None:
        """What is wrong with the figures, or None."""
        if not self.hits or len(self.hits) != len(self.n):
            return "hits and n: one pair of each for every problem"
        if any(
            not 0 <= hit <= n or n < 1
            for hits, all in zip(self.hits, self.n, strict=True)
            for hit, n in zip(hits, all, strict=True)
        ):
            return "hits: from 0 to n"
        return "n: not the same in both arms of a pair" if self.paired and any(a != b for a, b in self.n) else None

    def found(self) -> Found:
        """P(counted | first arm) − P(counted | second arm)."""
        hits, n = ([sum(pair[k] for pair in pairs) for k in (0, 1)] for pairs in (self.hits, self.n))
        made = share_difference((hits[0], hits[1]), (n[0], n[1]))
        said = [
            f"{_added(self.hits, k)} of {_added(self.n, k)} ({_n(100 * hits[k] / n[k], 1)} %) {self.arms[k]}"
            for k in (0, 1)
        ]
        return Found(
            value=made.value,
            low=made.low,
            high=made.high,
            n=n[0] if self.paired else sum(n),
            sum=f"{self.of}: {said[0]}, {said[1]}; {_n(hits[0] / n[0])} − {_n(hits[1] / n[1])} = {_n(made.value)}",
            method="Newcombe, as for independent groups" if self.paired else "Newcombe",
        )


class _Means(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Means of two groups with their standard deviations; `equal_arms`: of n only the total is published."""

    arms: tuple[str, str]
    means: Pair
    sds: Pair
    n: tuple[int, int]
    equal_arms: bool = False

    def problem(self) -> str | None:
        """What is wrong with the figures, or None."""
        if min(self.n) < 2:
            return "n: at least two in each arm"
        if not all(isfinite(x) for x in (*self.means, *self.sds)) or min(self.sds) < 0 or max(self.sds) == 0:
            return "means and sds: finite, and no sd below 0 or both 0"
        return None

    def _errors(self) -> list[float]:
        return [sd / sqrt(n) for sd, n in zip(self.sds, self.n, strict=True)]

    def _said(self) -> str:
        said = [
            f"{_n(self.means[k])} (SD {_n(self.sds[k])}{'' if self.equal_arms else f', n {self.n[k]}'}) {self.arms[k]}"
            for k in (0, 1)
        ]
        of = f"; n {sum(self.n)} in all, the two arms taken as equally large" if self.equal_arms else ""
        return f"{said[0]}, {said[1]}{of}"

    def _over(self, width: float, what: str) -> Found:
        """The difference of the means over a width."""
        value = (self.means[0] - self.means[1]) / width
        errors = self._errors()
        parts = [error**2 / width**2 for error in errors]
        df = sum(parts) ** 2 / sum(part**2 / (n - 1) for part, n in zip(parts, self.n, strict=True))
        half = t_quantile(df) * sqrt(sum(parts))
        return Found(
            value=value,
            low=value - half,
            high=value + half,
            n=sum(self.n),
            sum=f"{self._said()}; ({_n(self.means[0])} − {_n(self.means[1])}) / {what} = {_n(value)}",
            method="Welch's t",
        )


class Means(_Means, frozen=True, kw_only=True, tag_field="kind", tag="means"):
    """Mean ratings or estimates, and the two ends of the scale, the end away from the bias first."""

    scale: Pair

    def problem(self) -> str | None:
        """What is wrong with the figures, or None."""
        return "scale: two ends that differ" if self.scale[0] == self.scale[1] else super().problem()

    def found(self) -> Found:
        """The difference of the means over the length of the scale."""
        return self._over(self.scale[1] - self.scale[0], f"({_n(self.scale[1])} − {_n(self.scale[0])})")


class AnchorMeans(_Means, frozen=True, kw_only=True, tag_field="kind", tag="anchor_means"):
    """Mean estimates after a high and a low number; answers beyond the two are not cut off, as they are in ours."""

    anchors: Pair

    def problem(self) -> str | None:
        """What is wrong with the figures, or None."""
        return super().problem() if self.anchors[0] > self.anchors[1] else "anchors: the high one first"

    def found(self) -> Found:
        """(mean at high − mean at low) / (high − low)."""
        high, low = self.anchors
        return self._over(high - low, f"({_n(high)} − {_n(low)})")


class Prices(_Means, frozen=True, kw_only=True, tag_field="kind", tag="prices"):
    """Mean selling and buying prices."""

    def problem(self) -> str | None:
        """What is wrong with the figures, or None."""
        return "means: prices above 0" if min(self.means) <= 0 else super().problem()

    def found(self) -> Found:
        """(sell − buy) / (sell + buy), with an interval by the delta method."""
        sell, buy = self.means
        value = (sell - buy) / (sell + buy)
        errors = self._errors()
        half = Z * 2 / (sell + buy) ** 2 * hypot(buy * errors[0], sell * errors[1])
        return Found(
            value=value,
            low=max(-1.0, value - half),
            high=min(1.0, value + half),
            n=sum(self.n),
            sum=f"{self._said()}; ({_n(sell)} − {_n(buy)}) / ({_n(sell)} + {_n(buy)}) = {_n(value)}",
            method="delta method",
        )


class Question(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One quantity that was estimated after a high and after a low anchor; the middle answer of each group."""

    of: str
    answers: Pair
    anchors: Pair

    def effect(self) -> float:
        """The share of the distance between the anchors that the answers moved, answers cut off at the anchors."""
        high, low = self.anchors
        first, second = (min(max(answer, low), high) for answer in self.answers)
        return (first - second) / (high - low)


class Anchors(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag="anchors"):
    """Middle answers (medians) to several questions, each after a high and a low anchor."""

    questions: list[Question]
    people: int

    def problem(self) -> str | None:
        """What is wrong with the figures, or None."""
        if len(self.questions) < FEWEST_QUESTIONS:
            return f"questions: at least {FEWEST_QUESTIONS}, for an interval over questions"
        if any(question.anchors[0] <= question.anchors[1] for question in self.questions):
            return "anchors: the high one first"
        return "people: at least two" if self.people < 2 else None

    def found(self) -> Found:
        """The mean effect over the questions, with t over questions."""
        effects = [question.effect() for question in self.questions]
        n = len(effects)
        value = sum(effects) / n
        half = t_quantile(n - 1) * sqrt(sum((e - value) ** 2 for e in effects) / (n - 1) / n)
        said = "; ".join(
            f"{q.of} ({_n(q.answers[0])} − {_n(q.answers[1])}) / ({_n(q.anchors[0])} − {_n(q.anchors[1])}) = {_n(e, 2)}"
            for q, e in zip(self.questions, effects, strict=True)
        )
        return Found(
            value=value,
            low=value - half,
            high=value + half,
            n=self.people,
            sum=f"medians at the high − at the low anchor, cut off at the anchors: {said}; mean {_n(value)}",
            method=f"t over the {n} questions",
        )


Figures = Shares | Means | AnchorMeans | Prices | Anchors
FITS: dict[type, tuple[str, ...]] = {
    Shares: ("frame_pair", "label_swap", "ratio_pair", "delay_pair", "provable_norm", "evidence_choice"),
    Means: ("rating_pair", "order_pair", "knowledge_pair", "frequency_pair"),
    AnchorMeans: ("anchor",),
    Anchors: ("anchor",),
    Prices: ("price_pair",),
}
"""The paradigms whose effect each kind of figures gives."""


def _added(pairs: Sequence[tuple[int, int]], arm: int) -> str:
    return " + ".join(str(pair[arm]) for pair in pairs)


def _n(value: float, digits: int = 3) -> str:
    """A figure as it was published, or rounded, with a real minus."""
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".") if digits else f"{value:.0f}"
    return text.replace("-", "−") if text not in ("-0", "") else "0"

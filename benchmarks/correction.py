"""How often corrected intervals hold the truth, where the truth is known.

`python -m benchmarks.correction [--studies N]` prints three tables, as Markdown:

1. Simulated judges: 400 labelled cases, 300 findings of known precision; the judge's own share beside the corrected one.
2. 100 labels on a random part of 1,000 cases; the corrected share beside PPI++ (ppi-python), with the ratio of widths.
3. 300 labels on cases of other systems than the one that is estimated, on each of which the judge errs differently.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

import numpy as np

from fiducial.judge.correct import Verdict, correct
from fiducial.model.request import CaseTruth, Request
from fiducial.model.sim.judge import SimJudge, open_judge
from fiducial.stats.corrected import Floats, Labelled, Side, from_other_labels, from_own_labels
from fiducial.stats.estimate import Estimate, Withheld
from fiducial.stats.proportion import wilson_limits

LABELS, FINDINGS = 400, 300
JUDGES = (
    ("sensitivity=.40,specificity=.96", 0.5),
    ("sensitivity=1,specificity=.74", 0.5),
    ("sensitivity=.8,specificity=.7", 0.3),
    ("sensitivity=.8,specificity=.7,borderline=.2", 0.3),
    ("sensitivity=.95,specificity=.9", 0.85),
    ("sensitivity=.6,specificity=.6", 0.4),
)
ASKED = Request(messages=())
Interval = tuple[float, float]


def verdicts(judge: SimJudge, labels: Floats, name: str) -> Floats:
    """What the judge says of cases with these labels."""
    found = np.empty(len(labels))
    for k, label in enumerate(labels):
        right, wrong = ("genuine", "not_genuine") if label else ("not_genuine", "genuine")
        truth = CaseTruth(task="genuine", case=f"{name}.{k}", label=int(label), right=right, wrong=wrong)
        found[k] = {"genuine": 1.0, "borderline": 0.5, "not_genuine": 0.0}[str(judge.decide(ASKED, truth).value)]
    return found


def group(said: Floats, labels: Floats) -> Labelled:
    """Labelled cases."""
    return Labelled(Side.of(said[labels == 1]), Side.of(said[labels == 0]))


class Tally:
    """How often intervals held the truth, and how wide they were."""

    def __init__(self) -> None:
        self.held = self.n = 0
        self.width = 0.0

    def add(self, interval: Interval | None, truth: float) -> None:
        """One interval; None counts as the whole scale."""
        low, high = interval or (0.0, 1.0)
        low, high = max(0.0, low), min(1.0, high)
        self.n += 1
        self.held += low <= truth <= high
        self.width += high - low

    def cells(self) -> str:
        """Coverage and mean width."""
        return f"{self.held / self.n:.1%} | {self.width / self.n:.3f}"


def of(measured: Estimate | Withheld) -> Interval | None:
    """The interval of an estimate."""
    return None if isinstance(measured, Withheld) else (measured.low, measured.high)


def simulated_judges(studies: int) -> Iterator[str]:
    """Table 1."""
    yield "| judge | precision | judge's own share: covered | width | corrected: covered | width |"
    yield "|---|---|---|---|---|---|"
    rng = np.random.default_rng(1)
    for spec, precision in JUDGES:
        judge = open_judge(f"judge:{spec}")
        raw, mended = Tally(), Tally()
        for k in range(studies):
            known = (np.arange(LABELS) % 2).astype(float)
            labelled = group(verdicts(judge, known, f"known {k}"), known)
            findings = (rng.random(FINDINGS) < precision).astype(float)
            said = verdicts(judge, findings, f"finding {k}")
            mean = float(said.mean())
            raw.add(wilson_limits(mean, FINDINGS), precision)
            found = from_other_labels(
                mean, FINDINGS, [labelled], shifted=False, error=float(said.std() / np.sqrt(FINDINGS))
            )
            mended.add(of(found.share), precision)
        yield f"| `sim/judge:{spec}` | {precision:g} | {raw.cells()} | {mended.cells()} |"


def own_labels(studies: int, ppi: Callable[..., Interval] | None) -> Iterator[str]:
    """Table 2."""
    yield "| sensitivity | specificity | share | corrected: covered | width | PPI++: covered | width | ratio of widths |"
    yield "|---|---|---|---|---|---|---|---|"
    rng = np.random.default_rng(2)
    ratios = []
    for m1, m0, share in (
        (0.9, 0.1, 0.5),
        (0.98, 0.4, 0.85),
        (0.99, 0.01, 0.6),
        (0.6, 0.3, 0.8),
        (0.9, 0.03, 0.05),
    ):
        labels = (np.arange(1000) < share * 1000).astype(float)
        said = (rng.random(1000) < np.where(labels == 1, m1, m0)).astype(float)
        ours, theirs = Tally(), Tally()
        for _ in range(studies):
            some = np.zeros(1000, dtype=bool)
            some[rng.choice(1000, 100, replace=False)] = True
            ours.add(of(from_own_labels(said, said[some], labels[some])), share)
            if ppi is not None:
                low, high = ppi(labels[some], said[some], said[~some], alpha=0.05)
                theirs.add((float(np.ravel(low)[0]), float(np.ravel(high)[0])), share)
        ratio = ours.width / theirs.width if ppi is not None else float("nan")
        ratios.append(ratio)
        other = f"{theirs.cells()} | {ratio:.2f}" if ppi is not None else "not installed | | "
        yield f"| {m1:g} | {1 - m0:g} | {share:g} | {ours.cells()} | {other} |"
    yield f"\nMean ratio of widths: {float(np.mean(ratios)):.2f}"


def other_systems(studies: int, *, systems: int = 9, rows: int = 400, labels: int = 300) -> Iterator[str]:
    """Table 3."""
    yield "| sensitivity | specificity | SD (logits) | Rogan–Gladen: covered | width | ours: covered | width |"
    yield "|---|---|---|---|---|---|---|"
    rng = np.random.default_rng(3)
    whole = Tally()
    for m1, m0 in ((0.98, 0.08), (0.95, 0.15), (0.9, 0.35), (0.8, 0.2)):
        for spread in (0.2, 0.4, 0.6):
            plain, ours = Tally(), Tally()
            for _ in range(studies):
                made = [_system(rng, rows, m1, m0, spread) for _ in range(systems)]
                some = rng.choice((systems - 1) * rows, labels, replace=False)
                study = [Verdict(verdict=v, group="new") for v in made[-1][1]]
                for at in some:
                    which, row = divmod(int(at), rows)
                    truth, said = made[which]
                    study.append(Verdict(verdict=said[row], label=int(truth[row]), group=str(which)))
                true = float(made[-1][0].mean())
                found = correct(study, group="new")
                ours.add(of(found.corrected), true)
                whole.add(of(found.corrected), true)
                known = study[rows:]
                pooled = group(np.array([r.verdict for r in known]), np.array([float(r.label or 0) for r in known]))
                plain.add(
                    of(from_other_labels(float(made[-1][1].mean()), rows, [pooled], shifted=False).share), true
                )
            yield f"| {m1:g} | {1 - m0:g} | {spread:g} | {plain.cells()} | {ours.cells()} |"
    yield f"\nAll together: covered {whole.held / whole.n:.1%}, mean width {whole.width / whole.n:.3f}"


def _system(rng: np.random.Generator, rows: int, m1: float, m0: float, spread: float) -> tuple[Floats, Floats]:
    """Labels and verdicts of one system, on which the judge has error rates of its own."""
    rates = [1 / (1 + np.exp(-(np.log(m / (1 - m)) + spread * rng.standard_normal()))) for m in (m1, m0)]
    labels = (rng.random(rows) < rng.uniform(0.3, 0.95)).astype(float)
    return labels, (rng.random(rows) < np.where(labels == 1, *rates)).astype(float)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=2000, help="simulated studies a row")
    options = parser.parse_args()
    try:
        from ppi_py import ppi_mean_ci
    except ImportError:
        ppi_mean_ci = None
    for title, table in (
        (f"{LABELS} labels of the same kind, {FINDINGS} findings", simulated_judges(options.studies)),
        ("100 labels on a random part of 1,000 cases", own_labels(options.studies, ppi_mean_ci)),
        ("300 labels on cases of eight other systems", other_systems(max(20, options.studies // 10))),
    ):
        print(f"### {title}\n")
        for line in table:
            print(line, flush=True)
        print()


if __name__ == "__main__":
    main()

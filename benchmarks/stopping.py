"""The stopping rule on subjects whose bias is known: how often its intervals hold the truth, and what it saves.

`python -m benchmarks.stopping [--runs N] [--width W]` prints coverage by subject, and the calls of a mixed subject, until W
and until .4, beside those of the smallest fixed plans whose widest interval is no wider. Exits 1 where coverage over all
intervals is below 94 %, or where less than half of the calls of the fixed plan is saved.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from statistics import mean, median

from fiducial.study.stopping import LUMPED, MIXED, Rivals, Run, many, rivals, run_until, tally_reasons

SUBJECTS = (
    "coin",
    "fixed",
    "rational",
    "planted:effect=.3",
    "planted:effect=-.3",
    "planted:effect=.3,noise=.2",
    "planted:effect=.3,spread=.1",
    "planted:effect=.3,spread=.2",
    "planted:effect=.1,lumpy=1",
    "planted:effect=.4,lumpy=1",
)
COVERED = 0.94
SAVED = 0.5


def coverage(runs: int, width: float) -> float:
    """Print the first table; the share of all intervals that hold the truth."""
    print(
        f"{'subject':30} {'intervals':>9} {'covered':>8} {'error':>7} {'calls':>6} {'rounds':>6} {'width':>6}  ended"
    )
    held: list[bool] = []
    for subject in SUBJECTS:
        found: list[Run] = []
        for run in many(partial(_one, (subject,), width), range(5000, 5000 + runs)):
            assert isinstance(run, Run)
            found.append(run)
        own = [hit for run in found for hit in run.covered.values()]
        held += own
        widths = [stop.width for run in found for stop in run.stopping.biases.values() if stop.width is not None]
        ended = ", ".join(f"{reason} {n}" for reason, n in sorted(tally_reasons(found).items()))
        print(
            f"{subject:30} {len(own):9} {mean(own):8.1%} {mean(e for r in found for e in r.error.values()):+7.3f} "
            f"{mean(r.stopping.saving.calls for r in found):6.0f} {mean(len(r.stopping.rounds) for r in found):6.1f} "
            f"{median(widths):6.2f}  {ended}",
            flush=True,
        )
    print(f"{'all':30} {len(held):9} {mean(held):8.1%}")
    return mean(held)


def _one(kinds: tuple[str, ...], width: float, seed: int) -> Run:
    return run_until(kinds, width=width, seed=seed)


def _rival(kinds: tuple[str, ...], width: float, seed: int) -> Rivals:
    return rivals(kinds, width=width, seed=seed)


def saving(kinds: tuple[str, ...], runs: int, width: float) -> float:
    """Print the second table; the share of the fixed plan's calls that is saved."""
    found: list[Rivals] = []
    for one in many(partial(_rival, kinds, width), range(7000, 7000 + runs)):
        assert isinstance(one, Rivals)
        found.append(one)
    print(f"\nmixed subject ({' | '.join(kinds)} in turn over the biases), until width={width:g}, {runs} runs")
    print(f"widest interval: {median(one.widest for one in found):.2f} (median)")
    print(f"the rule: {mean(one.calls for one in found):.0f} calls")
    shares: dict[str, float] = {}
    for name, words in (("fixed", "core tier, --trials N"), ("lean", "one intensity an item, N times")):
        known = [(one.calls, calls) for one in found if (calls := getattr(one, name)) is not None]
        if not known:
            print(f"{words}: no N that was tried gives intervals as narrow")
            continue
        shares[name] = 1 - sum(a for a, _ in known) / sum(b for _, b in known)
        print(
            f"{words}: {mean(b for _, b in known):.0f} calls for the same widest interval ({len(known)} of {runs} runs); "
            f"the rule saves {shares[name]:.0%}"
        )
    return shares.get("fixed", 0.0)


def main() -> int:
    """Coverage, then savings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100, help="of every subject [default: 100]")
    parser.add_argument("--width", type=float, default=0.3, help="[default: .3]")
    args = parser.parse_args()
    held = coverage(args.runs, args.width)
    runs = max(2, args.runs // 4)
    saved = [saving(MIXED, runs, width) for width in (args.width, 0.4)]
    for width in (args.width, 0.4):
        saving(LUMPED, runs, width)  # printed, and held to nothing: its widest interval is a floor
    return int(held < COVERED or min(saved) < SAVED)


if __name__ == "__main__":
    sys.exit(main())

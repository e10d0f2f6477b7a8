"""Two simulated judges that contradict each other on the same findings, and what labels make of it.

    python examples/two_judges.py
    fiducial judge correct runs/strict.jsonl --group these
    fiducial judge correct runs/lax.jsonl --group these

Both judge the same 300 findings, half of which are genuine. The strict one accepts 40 % of what is genuine and 4 % of what
is not; the lax one accepts all of what is genuine and 26 % of what is not. Each has also judged 400 findings of two other
reviewers, which people have labelled.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

from fiducial.model.request import CaseTruth, Request
from fiducial.model.sim.judge import open_judge

JUDGES = {"strict": "judge:sensitivity=.40,specificity=.96", "lax": "judge:sensitivity=1,specificity=.74"}
SCORES = {"genuine": 1, "borderline": 0.5, "not_genuine": 0}


def main() -> None:
    """Write a file of verdicts for each judge."""
    draw = random.Random(1)
    cases = [(f"these-{k}", "these", draw.random() < 0.5) for k in range(300)]
    cases += [(f"known-{k}", f"reviewer {k % 2}", draw.random() < 0.5) for k in range(400)]
    Path("runs").mkdir(exist_ok=True)
    for name, spec in JUDGES.items():
        judge = open_judge(spec)
        rows = []
        for case, group, genuine in cases:
            right, wrong = ("genuine", "not_genuine") if genuine else ("not_genuine", "genuine")
            truth = CaseTruth(task="genuine", case=case, label=int(genuine), right=right, wrong=wrong)
            verdict = SCORES[str(judge.decide(Request(messages=()), truth).value)]
            label = None if group == "these" else int(genuine)
            rows.append({"id": case, "verdict": verdict, "label": label, "group": group})
        Path("runs", f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    share = sum(genuine for _, group, genuine in cases if group == "these") / 300
    print(f"wrote runs/strict.jsonl and runs/lax.jsonl; of the 300 findings, {share:.2f} are genuine")


if __name__ == "__main__":
    main()

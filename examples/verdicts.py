"""Prints 400 verdicts of a judge whose errors are known, 60 of them with a label, as `fiducial judge correct` reads them.

Half of the cases are true. The judge says yes to 95 % of those, and to 40 % of the others.
"""

import json
import random

dice = random.Random(7)
for case in range(400):
    true = dice.random() < 0.5
    verdict = dice.random() < (0.95 if true else 0.40)
    label = int(true) if case < 60 else None
    print(json.dumps({"id": str(case), "verdict": int(verdict), "label": label}))

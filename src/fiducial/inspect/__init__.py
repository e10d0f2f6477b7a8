"""Fiducial inside Inspect AI: tasks, scorers, metrics and a reducer, found by the entry point group `inspect_ai`.

```python
from fiducial.inspect import must_find_recall, reverse_judge_precision

Task(dataset=…, solver=…, scorer=[reverse_judge_precision(), must_find_recall()], setup=judge_required())
```
"""

from fiducial.inspect.bias_scores import bias_answer, bias_effects
from fiducial.inspect.metrics import pooled, precision, recall
from fiducial.inspect.scorers import judge_required, must_find_recall, reverse_judge_precision
from fiducial.inspect.tasks import bias, review

__all__ = [
    "bias",
    "bias_answer",
    "bias_effects",
    "judge_required",
    "must_find_recall",
    "pooled",
    "precision",
    "recall",
    "reverse_judge_precision",
    "review",
]

"""Everything the commands do, from Python, in a few calls.

    from fiducial import api

    run = api.bias_run("openai/gpt-4o-mini", tier="quick", budget="usd=2")
    run.effect("anchoring_effect")          # value, low, high, n, method, p, q; or why it is withheld
    run.frames.effects                      # a polars frame (docs/data.md)
    run.report("report.html")

Functions are named as the commands are, take what they take, and run to the end; they may be called in a notebook, where
an event loop is running already. A model is a name (`provider/model`), or any object with one async method
`generate(request)`. A run that is not complete raises `Incomplete` with the `path` of its file, Ctrl-C raises
`Interrupted` with the same, and the same call continues it. What is wrong with the arguments or a file is a `UsageError`.
"""

from __future__ import annotations

from fiducial.api.bias import (
    bias_calibrate,
    bias_items,
    bias_lint,
    bias_list,
    bias_read,
    bias_run,
    bias_score,
    bias_show,
)
from fiducial.api.curation import (
    Checked,
    review_check,
    review_confirm,
    review_init,
    review_operators,
    review_plant,
    review_propose,
    review_reject,
)
from fiducial.api.items import bias_generate, bias_new, bias_validate
from fiducial.api.judge import (
    judge_ablate,
    judge_attack,
    judge_calibrate,
    judge_calibrations,
    judge_correct,
    judge_injections,
    judge_show,
)
from fiducial.api.labels import judge_agreement, judge_cases, judge_label, judge_labelled
from fiducial.api.models import CallSettings, ModelGiven, ask, models, named
from fiducial.api.review import review_parse, review_rejudge, review_run, review_status
from fiducial.api.runs import (
    BiasRun,
    JudgeRun,
    Rescored,
    ReviewRun,
    Run,
    audit,
    compare,
    export,
    import_log,
    open,
    report,
    rescore,
    runs,
)
from fiducial.errors import FiducialError, Incomplete, Interrupted, UsageError
from fiducial.review.label_given import BlindCase, Given
from fiducial.review.refusal import GateRefused
from fiducial.stats.estimate import Estimate, Measured, Withheld

__all__ = [
    "BiasRun",
    "BlindCase",
    "CallSettings",
    "Checked",
    "Estimate",
    "FiducialError",
    "GateRefused",
    "Given",
    "Incomplete",
    "Interrupted",
    "JudgeRun",
    "Measured",
    "ModelGiven",
    "Rescored",
    "ReviewRun",
    "Run",
    "UsageError",
    "Withheld",
    "ask",
    "audit",
    "bias_calibrate",
    "bias_generate",
    "bias_items",
    "bias_lint",
    "bias_list",
    "bias_new",
    "bias_read",
    "bias_run",
    "bias_score",
    "bias_show",
    "bias_validate",
    "compare",
    "export",
    "import_log",
    "judge_ablate",
    "judge_agreement",
    "judge_attack",
    "judge_calibrate",
    "judge_calibrations",
    "judge_cases",
    "judge_correct",
    "judge_injections",
    "judge_label",
    "judge_labelled",
    "judge_show",
    "models",
    "named",
    "open",
    "report",
    "rescore",
    "review_check",
    "review_confirm",
    "review_init",
    "review_operators",
    "review_parse",
    "review_plant",
    "review_propose",
    "review_reject",
    "review_rejudge",
    "review_run",
    "review_status",
    "runs",
]

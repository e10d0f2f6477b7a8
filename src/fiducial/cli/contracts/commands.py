"""Every command that prints JSON: what it prints, how it ends, what it writes."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from fiducial.bias.authoring.generate import Generation
from fiducial.bias.item import ItemSpec
from fiducial.bias.items import Analysis
from fiducial.bias.recorded import RecordedResult
from fiducial.bias.result import RunResult
from fiducial.cli.contracts import shapes
from fiducial.judge.calibration import Calibration
from fiducial.model.names import ProviderInfo
from fiducial.review.curate import Moved
from fiducial.review.finding import Parsed
from fiducial.review.labelling import Agreed
from fiducial.review.result import ReviewResult
from fiducial.run.audit import Check
from fiducial.run.listing import Listed
from fiducial.study.calibrate import Calibration as Study
from fiducial.study.protocol_calibrate import ChatCalibration
from fiducial.study.validity import Validity

# Shown as they stand in their files, which have a page of their own.
CLOSED: dict[type[Struct], str] = {ItemSpec: "an item, as in a [bias file](authoring.md)"}

RUN_FILE = "the run file (`--out`, else `runs/NAME.db`)"


class Contract(Struct, frozen=True, kw_only=True):
    """What one command promises. `one`: when it ends with exit code 1; empty where it never does."""

    prints: Any
    one: str = ""
    three: bool = False  # it makes calls, so it may end incomplete, with exit code 3
    writes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


CONTRACTS: dict[str, Contract] = {
    "bias run": Contract(
        prints=RunResult,
        three=True,
        writes=(RUN_FILE, "with `--report FILE` the HTML report"),
        remarks=(
            "Printed with exit code 3 too: then `complete` is false and the figures are of the replies that are there.",
            "A bias that is flagged, or an audit check that fails, does not change the exit code: `fiducial audit RUN "
            "--strict` and `fiducial compare A B --fail-on-higher` do, and so does a [test](ci.md).",
        ),
    ),
    "bias score": Contract(
        prints=RecordedResult,
        remarks=(
            'In, one object a line: `{"bias", "item", "arm": "control"|"treatment", "kind": "option"|"numeric"|"yesno", '
            '"options": [{"label", "text"}]|null, "prompt": text|null, "biased": label or number, "response": text}`. '
            "For options the effect is P(biased ∣ treatment) − P(biased ∣ control); for numbers the shift of the item's "
            "median from control toward `biased`, as a share of the way, clipped to [−1, 1].",
        ),
    ),
    "bias read": Contract(
        prints=shapes.OneReading,
        remarks=(
            "With `--jsonl FILE` one such object a line, in the order of the input, whether or not `--json` is given. In: "
            '`{"id", "response": text, "kind": "option"|"numeric"|"yesno"|"confidence"|"text", '
            '"options": [{"label", "text"}]|null, "prompt": text|null}`, and where wanted `"unit"`, `"low"`, `"high"`.',
            "Percentages are in points, `3k` is 3000, `2.5 million` is 2500000.",
        ),
    ),
    "bias list": Contract(prints=list[shapes.ListedBias]),
    "bias lint": Contract(prints=list[shapes.LintProblem], one="anything is wrong"),
    "bias new": Contract(
        prints=shapes.NewBias, writes=("`ID.yaml` in `--out`; a file that is there is never touched",)
    ),
    "bias generate": Contract(
        prints=Generation,
        one="nothing passed",
        three=True,
        writes=("the run file (`--run`)", "the bias file (`--out`)"),
    ),
    "bias items": Contract(prints=Analysis),
    "bias calibrate": Contract(
        prints=Study | ChatCalibration,
        one="intervals or flags break their bounds",
        remarks=("The second with `--protocol`.",),
    ),
    "bias validate": Contract(prints=Validity, three=True, writes=(RUN_FILE,)),
    "review run": Contract(
        prints=ReviewResult,
        one="the gate failed",
        three=True,
        writes=(RUN_FILE, "with `--report FILE` the HTML report", "with `--junit FILE` JUnit XML"),
        remarks=(
            "A gate that is refused ends with exit code 2, before any call; the object is printed all the same, with "
            '`gate.result` `"refused"` and the reasons in `gate.why`.',
        ),
    ),
    "review rejudge": Contract(
        prints=ReviewResult,
        three=True,
        writes=("verdicts, into the run file", "with `--report FILE` the HTML report"),
    ),
    "review parse": Contract(prints=Parsed),
    "review init": Contract(prints=shapes.NewDataset, writes=("the folder of the dataset",)),
    "review plant": Contract(
        prints=shapes.Planted, writes=("the folder of the variants (`--out`, else `NAME-planted`)",)
    ),
    "review status": Contract(prints=shapes.DatasetStatus),
    "review check": Contract(
        prints=shapes.Checked,
        one="a problem of level `fail` is there",
        three=True,
        writes=(
            "with `--freeze` the frozen hashes",
            "with `--judge` a run file, and what the test says, in the lists",
        ),
        remarks=("Exit code 3 only with `--judge`: nothing else makes calls.",),
    ),
    "review propose": Contract(
        prints=shapes.Candidates, writes=("with `--write` the dataset's `candidates.jsonl`",)
    ),
    "review confirm": Contract(
        prints=shapes.Confirmed,
        one="the candidate stays in the queue",
        three=True,
        writes=("the run file of the test", "the list, and `candidates.jsonl`"),
    ),
    "review reject": Contract(prints=Moved, writes=("`candidates.jsonl`",)),
    "judge calibrate": Contract(
        prints=shapes.JudgeTrial,
        one="a floor (`--min-sensitivity`, `--min-specificity`) is not met",
        three=True,
        writes=(RUN_FILE, "one file a calibration in `calibrations/`"),
        remarks=("Nothing is printed with exit code 3: an unfinished trial has no rates.",),
    ),
    "judge correct": Contract(
        prints=shapes.CorrectedShare,
        remarks=(
            'In, one object a line: `{"id": text, "verdict": 0|0.5|1|null, "label": 0|1|null, "group": text|null}`.',
        ),
    ),
    "judge ablate": Contract(prints=shapes.WordedAblation, three=True, writes=(RUN_FILE,)),
    "judge attack": Contract(
        prints=shapes.WordedAttack,
        one="the upper bound of the success rate lies above `--max-success`",
        three=True,
        writes=(RUN_FILE,),
    ),
    "judge label": Contract(
        prints=Agreed | shapes.LabelList,
        remarks=(
            "The first with `--kappa`, the second with `--list`. Labelling itself is a conversation and has no JSON.",
        ),
    ),
    "judge show": Contract(prints=shapes.KnownJudges | Calibration, remarks=("The second with a NAME.",)),
    "runs": Contract(prints=list[Listed]),
    "report": Contract(
        prints=RunResult | ReviewResult | list[RunResult | ReviewResult],
        writes=("with `--json` nothing; else the HTML file (`--out`)",),
        remarks=("A list where several runs are named.",),
    ),
    "audit": Contract(
        prints=list[Check],
        one="a check named with `--check` does not pass, or with `--strict` any check fails",
    ),
    "rescore": Contract(
        prints=shapes.Rescored | ReviewResult,
        writes=("readings, scores and audit, into the run file",),
    ),
    "compare": Contract(
        prints=shapes.BiasComparison | shapes.ReviewsComparison,
        one="with `--fail-on-higher` or `--fail-on-lower`, such a difference is shown",
    ),
    "import": Contract(
        prints=shapes.Imported,
        writes=("a run file, a folder of outputs, or JSON Lines (`--out`)",),
        remarks=("Needs Inspect AI.",),
    ),
    "models": Contract(prints=list[ProviderInfo]),
    "models try": Contract(
        prints=shapes.OneCall,
        three=True,
        remarks=("Nothing is printed with exit code 3: the message says why the call failed.",),
    ),
}

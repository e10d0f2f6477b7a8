"""Results in which every text that can come from outside is an attack."""

from __future__ import annotations

import msgspec

from fiducial.bias.metrics import Consistency
from fiducial.bias.protocols.result import ProtocolResult, ProtocolRow
from fiducial.bias.result import ArmCount, BiasResult, Effect, ItemEffect, JudgeCount, RunResult
from fiducial.judge.calibration import Calibration, Counts, Rate, Rates
from fiducial.judge.trust import State, Trust
from fiducial.report.page import Sample
from fiducial.run.audit import Check
from fiducial.stats.estimate import Estimate, Measured, Withheld
from tests.report.made import alignment, bias, bins, estimate, withheld

SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(2)>'
ANSI = "\x1b[31mred\x1b[0m\x1b]0;title\x07\x9b2J"
TURNED = "\u202eesrever\u202c\u2066iso\u2069"
HOSTILE = f"{SCRIPT}{IMAGE}{ANSI}{TURNED}\x00\ud800{{{{7*7}}}}[bold red]x[/]</svg></style>javascript:alert(3)"


def hostile() -> RunResult:
    """Every string that can come from outside is an attack."""
    bad = withheld()
    ok = bias()
    evil = [
        BiasResult(
            id=HOSTILE,
            effect=Withheld(HOSTILE),
            flagged=False,
            reason=HOSTILE,
            metrics={HOSTILE: Withheld(HOSTILE)},
            name=HOSTILE,
            family=HOSTILE,
            tier=HOSTILE,
            paradigm=HOSTILE,
            about=HOSTILE,
            by_intensity={HOSTILE: Withheld(HOSTILE)},
            by_domain={HOSTILE: Withheld(HOSTILE)},
            by_stratum={HOSTILE: Withheld(HOSTILE)},
            bounds=None,
            arms={HOSTILE: ArmCount(replies=1, read=0, unread={HOSTILE: 1})},
            moved=None,
            items=[ItemEffect(id=HOSTILE, domain=HOSTILE, value=None, by_intensity={HOSTILE: None})],
        ),
        BiasResult(
            id=HOSTILE + "2",
            effect=Effect(value=0.4, low=0.2, high=0.6, n=9, method=HOSTILE, p=0.001, q=0.002),
            flagged=True,
            reason=HOSTILE,
            metrics={
                HOSTILE: estimate(0.2, 0.1, method=HOSTILE),
                "bci": Consistency(value=0.1, low=0, high=0.9, n=2, method=HOSTILE, index=None, says=HOSTILE),
                "bmp": {HOSTILE: estimate(0.2, 0.1), HOSTILE + "b": Withheld(HOSTILE)},
                "has": alignment(0.2, HOSTILE, HOSTILE),
            },
            name=HOSTILE,
            family=HOSTILE,
            tier=HOSTILE,
            paradigm=HOSTILE,
            about=HOSTILE,
            by_intensity={HOSTILE: estimate(0.2, 0.1), HOSTILE + "b": estimate(0.3, 0.1)},
            by_domain={HOSTILE: estimate(0.2, 0.1)},
            by_stratum={HOSTILE: estimate(0.2, 0.1), HOSTILE + "b": estimate(0.3, 0.1)},
            bounds=(-0.1, 0.7),
            arms={HOSTILE: ArmCount(replies=9, read=8, unread={HOSTILE: 1})},
            moved=0.1,
            items=[ItemEffect(id=HOSTILE, domain=HOSTILE, value=0.4, by_intensity={HOSTILE: 0.4})],
        ),
    ]
    return RunResult(
        run=HOSTILE,
        subject=HOSTILE,
        complete=False,
        biases=[*evil, bad, ok],
        subject_metrics={
            HOSTILE: {HOSTILE: Withheld(HOSTILE)},
            "cas": {HOSTILE: estimate(0.2, 0.1, method=HOSTILE)},
        },
        reliability=bins((0.9, 0.4, 3)),
        position=Withheld(HOSTILE),
        unread={HOSTILE: 2},
        protocols=hostile_protocols(),
        audit=[Check(HOSTILE, "fail", HOSTILE), Check(HOSTILE, "warn", HOSTILE), Check(HOSTILE, "pass", HOSTILE)],
        calls=3,
        cost=None,
        settings={HOSTILE: HOSTILE, "at": HOSTILE, "nested": {HOSTILE: [HOSTILE]}},
        trials=3,
        answered=2,
        tokens={HOSTILE: 3},
        seconds=0.0,
        provenance={HOSTILE: HOSTILE, "packages": {HOSTILE: HOSTILE}},
        reader=HOSTILE,
        judge=JudgeCount(
            model=HOSTILE, prompt=HOSTILE, asked=9, decided=3, none=2, invalid=4, waiting=0, share=0.5,
            trust=hostile_trust("read"),
        ),
    )  # fmt: skip


def hostile_protocols() -> list[ProtocolResult]:
    """One that nobody knows, and one of a known name, whose rows make lines, panels and forests of attacks."""
    huge = Estimate(value=1e308, low=-1e308, high=1e308, n=10**30, method=HOSTILE)
    nothing = Estimate(value=float("nan"), low=0.0, high=0.1, n=-1, method=HOSTILE)
    several: list[Measured] = [estimate(0.2, 0.1, method=HOSTILE), Withheld(HOSTILE), huge, nothing]
    rows = [
        ProtocolRow(group=group, name=f"{HOSTILE}{k}", estimate=found, at=float(k), p=float("nan"))
        for group in (HOSTILE, f"{HOSTILE} b")
        for k, found in enumerate(several)
    ]
    rows += [ProtocolRow(group=f"{HOSTILE} {k}", name=HOSTILE, estimate=estimate(0.2, 0.1)) for k in range(2)]
    rows += [
        ProtocolRow(group=f"{HOSTILE} f", name=f"{HOSTILE}{k}", estimate=huge, at=float("inf")) for k in range(2)
    ]
    return [
        ProtocolResult(
            name=name, estimate=Withheld(HOSTILE), by_turn=[Withheld(HOSTILE), estimate(0.2, 0.1)],
            estimand=HOSTILE, p=None, by_bias={HOSTILE: estimate(0.2, 0.1, method=HOSTILE), HOSTILE + "c": huge},
            rows=rows, chats=-1, replies=10**30, unread={HOSTILE: 1}, left_out={HOSTILE: 1},
        )
        for name in (HOSTILE, "temporal-persistent")
    ]  # fmt: skip


HOSTILE_RATES = Calibration(
    task=HOSTILE,
    model=HOSTILE,
    prompt_hash=HOSTILE,
    about=HOSTILE,
    label_hash=HOSTILE,
    set=HOSTILE,
    basis="labels",
    made=HOSTILE,
    expires=HOSTILE,
    run=HOSTILE,
    positives=-7,
    negatives=10**30,
    exploratory=False,
    sensitivity=Rate(value=0.8, low=0.7, high=0.9, n=10**30, method=HOSTILE),
    specificity=Rate(value=0.9, low=0.8, high=1.0, n=-1, method=HOSTILE),
    kappa=Rate(withheld=HOSTILE),
    base_rate=1e308,
    calibration_error=Rate(withheld=HOSTILE),
    borderline=Rate(value=17.0, low=-3.0, high=1e308, n=-1, method=HOSTILE),
    invalid=Rate(value=1e308, low=1e308, high=1e308),
    consistency=Rate(withheld="x" * 100_000),
    categories={
        f"{k}{HOSTILE}": Rates(
            sensitivity=Rate(value=0.1, low=0.0, high=0.2, n=3, method=HOSTILE), specificity=Rate(withheld=HOSTILE)
        )
        for k in range(20)
    }
    | {"beyond": Rates(sensitivity=Rate(value=-1e308, low=-1e308, high=-1e308), specificity=Rate(value=0.5))},
    counts=[
        Counts(label=1, n=-3, total=1e308, squares=0.0, category=HOSTILE, group=HOSTILE * k) for k in range(1, 9)
    ],
    floors={HOSTILE: 1e308, "sensitivity": 0.9},
    below=[HOSTILE],
    name=HOSTILE,
)


def hostile_trust(task: str, found: Calibration | None = HOSTILE_RATES) -> Trust:
    """A judge whose name, task and calibration file are an attack, with numbers that are no rates."""
    if found is not None:
        found = msgspec.structs.replace(found, task=task)
    state: State = "calibrated" if found else "unknown"
    return Trust(
        task=task, about=HOSTILE, model=f"{HOSTILE} + {HOSTILE}", prompt=HOSTILE, state=state, calibration=found
    )


def hostile_samples() -> list[Sample]:
    return [
        Sample(
            bias=HOSTILE,
            item=HOSTILE,
            arm=HOSTILE,
            prompt=f"before {HOSTILE} after",
            marked=(HOSTILE, "", "after"),
            reply=HOSTILE * 3,
            status=HOSTILE,
            answer=HOSTILE,
            span=(5, 40),
            rule=HOSTILE,
            score=0.5,
        ),
        Sample(
            bias=HOSTILE, item=HOSTILE, arm=HOSTILE, prompt=HOSTILE, marked=(HOSTILE,), reply=HOSTILE, status=HOSTILE,
            answer=HOSTILE, span=(0, 5), rule=HOSTILE, score=1.0, protocol=HOSTILE, variant=HOSTILE, turn=-5,
        ),
        Sample(
            bias="b", item="i", arm="a", prompt="p", marked=("zzz",), reply="x" * 100_000, status="read",
            answer=None, span=(-5, 10**9), rule="r", score=float("nan"),
        ),
    ]  # fmt: skip

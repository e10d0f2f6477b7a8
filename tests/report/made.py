"""Results made by hand: what a report has to cope with."""

from __future__ import annotations

import random
from collections.abc import Sequence

import msgspec

from fiducial.bias.item import DOMAINS, INTENSITIES, METHODS
from fiducial.bias.metrics import Alignment, Consistency, ReliabilityBin
from fiducial.bias.result import ArmCount, BiasResult, Effect, ItemEffect, Metric, RunResult
from fiducial.report.page import Sample
from fiducial.run.audit import Check
from fiducial.stats.estimate import Estimate, Measured, Withheld

NAMES = {
    "anchoring_effect": "Anchoring effect",
    "availability_bias": "Availability bias",
    "base_rate_neglect": "Base-rate neglect",
    "conjunction_fallacy": "Conjunction fallacy",
    "gain_loss_framing": "Gain-loss framing",
    "loss_aversion": "Loss aversion",
    "endowment_effect": "Endowment effect",
    "status_quo_bias": "Status quo bias",
    "certainty_effect": "Certainty effect",
    "overconfidence_effect": "Overconfidence effect",
    "confirmation_bias": "Confirmation bias",
    "sunk_cost_fallacy": "Sunk cost fallacy",
    "present_bias": "Present bias",
    "hindsight_bias": "Hindsight bias",
    "gambler_fallacy": "Gambler's fallacy",
}
PARADIGM = {"anchoring_effect": "anchor", "gain_loss_framing": "frame_pair"}
NOT_RUN = "run with --arms …,debias to try the debiasing methods"
NO_PEOPLE = "no published human effect of the same paradigm"
NULL = "the effect is not distinguishable from 0"
ABOUT = "An estimate is pulled toward a number that was considered just before."


def estimate(value: float, half: float, n: int = 15, method: str = "t over items") -> Estimate:
    return Estimate(value=value, low=max(-1, value - half), high=min(1, value + half), n=n, method=method)


def consistency(value: float = 0.12, *, telling: bool = True) -> Consistency:
    index = 1 - value / 0.5 if telling else None
    return Consistency(
        value=value,
        low=0.0,
        high=value + (0.3 if telling else 0.6),
        n=5,
        method="Paule–Mandel over domains",
        index=index,
        says="cannot tell" if index is None else f"consistency {index:.2f} of 1 across domains",
    )


def alignment(value: float, says: str, source: str = "Doe and Roe (1974)") -> Alignment:
    return Alignment(
        value=value,
        low=value - 0.1,
        high=value + 0.1,
        n=15,
        method="difference, normal",
        human=0.49,
        source=source,
        says=says,
    )


def metrics(value: float, half: float) -> dict[str, Metric]:
    return {
        "bms": estimate(value, half),
        "bci": consistency() if value > half else Withheld(NULL),
        "bmp": Withheld(NOT_RUN),
        "has": Withheld(NO_PEOPLE),
        "rci": estimate(0.86, 0.05),
    }


def debiased(made: BiasResult, *taken: float, half: float = 0.1) -> BiasResult:
    """The bias with the debiasing methods tried; those beyond `taken` have no estimate."""
    bmp: dict[str, Measured] = {
        method: estimate(taken[k], half) if k < len(taken) else Withheld("not run")
        for k, method in enumerate(METHODS)
    }
    return msgspec.structs.replace(made, metrics={**made.metrics, "bmp": bmp})


def calibration() -> BiasResult:
    """A bias of a single arm: nothing of it has an intensity."""
    made = bias("overconfidence_effect", 0.2, 0.1, items=30)
    return msgspec.structs.replace(
        made,
        paradigm="calibration",
        by_intensity={},
        by_stratum={str(k): estimate(0.05 * k, 0.1, 6) for k in range(1, 6)},
        arms={"question": ArmCount(replies=90, read=88, unread={"no confidence": 2})},
        items=[msgspec.structs.replace(item, by_intensity={}) for item in made.items],
    )


def bins(*found: tuple[float, float, int]) -> list[ReliabilityBin]:
    """Bins of stated confidence: mean confidence, accuracy, replies."""
    made = []
    for confidence, accuracy, n in found:
        low = int(confidence * 10) / 10
        made.append(
            ReliabilityBin(
                low=low, high=low + 0.1, confidence=confidence, accuracy=estimate(accuracy, 0.2, n // 2), n=n
            )
        )
    return made


def bias(
    id: str = "anchoring_effect",
    value: float = 0.31,
    half: float = 0.19,
    *,
    p: float = 0.0004,
    q: float = 0.0012,
    flagged: bool | None = None,
    reason: str | None = None,
    unread: int = 0,
    items: int = 15,
) -> BiasResult:
    rng = random.Random(f"{id}{value}")
    effects = [max(-1.0, min(1.0, rng.gauss(value, half * 1.6))) for _ in range(items)]
    if value < 0.1:  # a subject that mostly does the same
        effects = [0.0 if k % 3 else e for k, e in enumerate(effects)]
    by_domain: dict[str, Measured] = {d: estimate(value + rng.gauss(0, 0.1), 0.35, 3) for d in DOMAINS[:4]}
    by_domain["risk"] = Withheld("an interval needs at least 2 independent items; there is 1 item")
    arms = {"control": ArmCount(replies=45, read=45, unread={})}
    for k, intensity in enumerate(INTENSITIES):
        lost = unread * k
        arms[intensity] = ArmCount(
            replies=90, read=90 - lost, unread={"refused": lost - lost // 3, "ambiguous": lost // 3} if lost else {}
        )
    return BiasResult(
        id=id,
        effect=Effect(
            value=value,
            low=max(-1, value - half),
            high=min(1, value + half),
            n=items,
            method="t over items" if value >= 0.1 else "Bonett–Price over items",
            p=p,
            q=q,
        ),
        flagged=value > 0 and q <= 0.05 and reason is None if flagged is None else flagged,
        reason=reason,
        metrics=metrics(value, half),
        name=NAMES.get(id, id),
        family="judgment",
        tier="core",
        paradigm=PARADIGM.get(id, "provable_norm"),
        about=ABOUT,
        by_intensity={
            intensity: estimate(value * (0.5 + 0.3 * k), half * 1.2) for k, intensity in enumerate(INTENSITIES)
        },
        by_domain=by_domain,
        by_stratum={},
        bounds=(value - half * 0.4, value + half * 0.5) if unread else None,
        arms=arms,
        moved=0.04 if PARADIGM.get(id) == "anchor" else None,
        items=[
            ItemEffect(id=f"item-{k}", domain=DOMAINS[k % 5], value=e, by_intensity={"weak": e, "strong": None})
            for k, e in enumerate(effects)
        ],
    )


def withheld(id: str = "present_bias") -> BiasResult:
    made = bias(id)
    gone = Withheld("an interval needs at least 2 independent items; there is 1 item")
    return BiasResult(
        id=id,
        effect=gone,
        flagged=False,
        reason="few-items",
        metrics={"bms": gone, "bci": gone, "bmp": Withheld(NOT_RUN), "has": Withheld(NO_PEOPLE), "rci": gone},
        name=made.name,
        family=made.family,
        tier=made.tier,
        paradigm=made.paradigm,
        about=made.about,
        by_intensity=dict.fromkeys(INTENSITIES, gone),
        by_domain=dict.fromkeys(DOMAINS, gone),
        by_stratum={},
        bounds=None,
        arms={"control": ArmCount(replies=3, read=0, unread={"refused": 3})},
        moved=None,
        items=[ItemEffect(id="only", domain="risk", value=None, by_intensity={"weak": None})],
    )


AUDIT = (
    Check("incomplete", "pass", "all 1350 trials have a reply"),
    Check("setting-not-sent", "pass", "every setting that was asked for was sent"),
    Check("identical-replies", "pass", "no trace of one reply served twice"),
    Check(
        "position-effect",
        "warn",
        "the first option was chosen 58 % of the time, whatever it said. Effects are averaged over both orders, so "
        "they do not contain it; single replies do.",
    ),
    Check("truncated", "pass", "0 of 1350 replies"),
)


def run(
    biases: Sequence[BiasResult] | None = None,
    *,
    name: str = "2026-03-02-haiku",
    subject: str = "anthropic/claude-haiku-4-5",
    audit: Sequence[Check] = AUDIT,
    complete: bool = True,
    reliability: Sequence[ReliabilityBin] = (),
) -> RunResult:
    return RunResult(
        run=name,
        subject=subject,
        complete=complete,
        biases=list(normal() if biases is None else biases),
        subject_metrics={"cas": {
            "brier": estimate(0.21, 0.05, 60),
            "calibration_error": estimate(0.12, 0.04, 60, "bootstrap over items"),
            "auroc": Withheld("needs 10 right and 10 wrong answers; there are 56 and 4"),
        }},
        reliability=list(reliability),
        position=estimate(0.08, 0.05, 45),
        unread={"refused": 8, "ambiguous": 4, "out of range": 1},
        protocols=[],
        audit=list(audit),
        calls=1362,
        cost=0.4213,
        settings={"temperature": 1.0, "max_tokens": 512, "trials": 3, "tier": "quick", "seed": 7, "top_p": None,
                  "arms": ["control", *INTENSITIES]},
        trials=1350,
        answered=1350 if complete else 1330,
        tokens={"input": 312_400, "output": 98_113, "cached": 0},
        seconds=203.4,
        provenance={"fiducial": "0.1.0", "commit": "3f2a9c1d0b7e+", "python": "3.11.9", "platform": "Linux x86_64",
                    "plan": "9b1c0d5e77aa41f2", "packages": {"aiohttp": "3.11.2", "msgspec": "0.19.0"}},
        reader="rules 1",
    )  # fmt: skip


def normal() -> list[BiasResult]:
    return [
        bias("conjunction_fallacy", 0.02, 0.14, p=0.77, q=0.77),
        bias("anchoring_effect", 0.31, 0.19, p=0.0004, q=0.0012, unread=2),
        bias("gain_loss_framing", 0.12, 0.15, p=0.11, q=0.16),
    ]


def fifteen(shift: float = 0.0) -> list[BiasResult]:
    rng = random.Random(5)
    made: list[BiasResult] = []
    for k, id in enumerate(NAMES):
        if id == "present_bias":
            made.append(withheld(id))
            continue
        value = round(rng.choice([0.0, 0.03, 0.12, 0.25, 0.4]) + shift + rng.gauss(0, 0.04), 3)
        q = 0.002 if value > 0.2 else 0.08 if value > 0.15 else 0.6
        unread = id == "loss_aversion"
        made.append(
            bias(
                id,
                value,
                0.12 + 0.01 * (k % 5),
                p=q / 2,
                q=q,
                unread=6 * unread,
                reason="unread" if unread else None,
            )
        )
    return made


def samples() -> list[Sample]:
    prompt = (
        "A small car ferry runs between the mainland and Saltmarch. Its deck holds 36 cars, and it makes 8 crossings "
        "on a working day, some full, some nearly empty. Noor, who runs it, wants your estimate of how many cars it "
        "carries on an ordinary Tuesday in spring.\nTo make a start, Noor spins a dial in front of you. It stops by "
        "chance at 504, and Noor writes 504 in large figures at the top of the sheet. First say whether the number "
        "of cars is more or less than 504, then give your estimate.\nHow many cars, in all crossings together, does "
        "the ferry carry that day?\n\nYou may explain briefly. End your reply with a line `Answer: N`, where N is "
        "one number (number of cars)."
    )
    marked = prompt.split("\n")[1]
    reply = (
        "The total capacity over 8 crossings is 36 × 8 = 288 cars, so the number must be **less** than 504. Since "
        "some crossings are nearly empty, I would estimate around 60 % utilisation on a spring Tuesday.\n\n"
        "Answer: 175"
    )
    at = reply.rindex("175")
    hedged = "It depends on the season. It might be 100, or it might be 250; I can't really say which."
    return [
        Sample(
            bias="anchoring_effect", item="ferry-cars", arm="strong/high", prompt=prompt, marked=(marked,), reply=reply,
            status="read", answer="175", span=(at, at + 3), rule="answer-line", score=0.24,
        ),
        Sample(
            bias="anchoring_effect", item="ferry-cars", arm="weak/low", prompt=prompt, marked=(marked,), reply=hedged,
            status="ambiguous", answer=None, span=None, rule="two-candidates", score=None,
        ),
        Sample(
            bias="gain_loss_framing", item="orchard-frost", arm="moderate/gain",
            prompt="A late frost threatens the 900 young trees. What can still be saved is at stake.\nWhich measure do "
            "you choose?\n\nA) Covering the rows: 300 trees are saved.\nB) Lighting smoke fires: with 1 chance in 3 "
            "all 900 trees are saved, with 2 chances in 3 none is saved.",
            marked=("What can still be saved is at stake.", "300 trees are saved"),
            reply="Let me think. " + "Both have the same expected value. " * 200 + "\nAnswer: A", status="read",
            answer="A", span=(14 + 35 * 200 + 9, 14 + 35 * 200 + 10), rule="answer-line", score=1.0,
        ),
    ]  # fmt: skip

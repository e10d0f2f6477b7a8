"""Arms with a known truth, laid out as the engine lays them out."""

from __future__ import annotations

from fiducial.model.request import Choice, Message, Request, Settings, Truth

TEXTS = {
    "risky": "Take the gamble",
    "safe": "Take the sure payment",
    "other": "Walk away from both",
    "last": "Ask for a day to think",
}


def option_request(
    seed: int,
    *,
    sign: int = 1,
    item: str = "item",
    bias: str = "framing",
    roles: tuple[str, ...] = ("risky", "safe"),
    biased: str | None = "risky",
    rational: str | None = None,
    labels: str = "ABCDEFG",
    prompt: str | None = None,
    repetition: int = 0,
) -> Request:
    choices = tuple(Choice(labels[i], TEXTS.get(role, role), role) for i, role in enumerate(roles))
    truth = Truth(
        bias=bias,
        item=item,
        kind="option",
        sign=sign,
        choices=choices,
        biased=biased,
        rational=rational,
        repetition=repetition,
    )
    return _request(seed, truth, prompt or f"{bias} {item} {sign} {roles}")


def number_request(
    seed: int,
    *,
    sign: int = 1,
    item: str = "item",
    bias: str = "anchoring",
    low: float | None = 0,
    high: float | None = 1000,
    away: float | None = 200,
    toward: float | None = 800,
    prompt: str | None = None,
) -> Request:
    truth = Truth(bias=bias, item=item, kind="numeric", sign=sign, low=low, high=high, away=away, toward=toward)
    return _request(seed, truth, prompt or f"{bias} {item} {sign}")


def yes_no_request(seed: int, *, sign: int = 1, item: str = "item", biased: str | None = "yes") -> Request:
    truth = Truth(bias="framing", item=item, kind="yesno", sign=sign, biased=biased)
    return _request(seed, truth, f"yes or no? {item} {sign}")


def _request(seed: int, truth: Truth, prompt: str) -> Request:
    return Request((Message("user", prompt),), Settings(seed=seed, temperature=1.0), truth)

"""What an item needs under its paradigm, in words: for people who write one, and for models that are asked to."""

from __future__ import annotations

from fiducial.bias.paradigms import Paradigm

PROOFS = {
    "expected_value": "lotteries gives each role its outcomes as [chance, value]; best names the role worth most, or is "
    "left out where all are worth the same",
    "same_outcomes": "frames gives each side the lotteries of its roles, in final outcomes, which are the same on both "
    "sides",
    "dominance": "outcomes gives each role a list of outcomes in the same states; best is nowhere worse and somewhere "
    "better",
    "bayes": "prior, hit and false_alarm are chances; holds and fails name the roles that say it holds and that it does "
    "not; the role rational is the more probable one, by a clear margin",
    "independence": "chances gives each role the chance of what it bets on; best has the largest, or is left out where "
    "all are equal",
    "diagnosticity": "evidence gives each role [chance of the result if it holds, chance if not]; best separates the two "
    "most",
    "set_inclusion": "events gives the roles rational and biased lists of words that stand in their options; the rational "
    "role's are a proper part of the biased role's, and the text never states the extra ones",
    "arithmetic": "values gives each role the number it states, right the true one, which the role rational alone states",
    "binomial": "samples gives roles the sizes of samples, chance and share are shares; best has the most probable tail",
    "stated": "fact is a sentence that stands in the text, words gives each role the words that make it what it is; the "
    "fact has the rational role's words and no other's, and every option its own",
}


def needs(how: Paradigm) -> list[str]:
    """One sentence a field that the paradigm asks for."""
    told = [f"Effect: {how.effect}."]
    if how.intensities:
        told.append(
            "`intensities` has four different texts, weak, moderate, strong and adversarial, each stronger than the one "
            f"before. What grows: {how.varies}."
        )
    if how.sides:
        told.append(
            "`sides` names the two arms that are compared, the one that pulls toward the effect first, as {a: {}, b: {}}; a "
            "side may bind slots, as {high: {n: high}, low: {n: low}}."
        )
        where = "each intensity" if how.intensities else "`pair`"
        told.append(
            f"Where the two sides have different texts, {where} gives one for each side, under the side's name."
        )
    else:
        told.append("There are no `sides`.")
    if not how.intensities and how.sides:
        told.append("There are no `intensities`.")
    if how.control:
        told.append("`control` is the text of the marked place without the trigger; it may be empty.")
    elif how.contrast != "single":
        told.append("There is no `control`.")
    told += _answer(how)
    if how.proof:
        told.append("`proof` has a `kind`, and holds for every draw of the slots:")
        told += [f"  {kind}: {PROOFS[kind]}." for kind in how.proof]
    return told


def _answer(how: Paradigm) -> list[str]:
    if how.kind == "numeric":
        told = ["`answer` is {kind: numeric, unit: …, range: [least, greatest]}; there are no options."]
        if how.contrast == "difference":
            told.append("`scale` is [away, toward]: the two ends that the effect is a share of, inside the range.")
        return told
    if how.kind == "confident":
        return [
            "`options` has four, one with the role rational, the others wrong1, wrong2, wrong3.",
            "`answer` is {kind: confident}. `stratum` is the difficulty, 1 to 5.",
            "There is a single arm: no marked place, no control, no intensities.",
        ]
    return [
        "`options` has a role and a text each, never a letter. `target` names the role that is counted; without it, the "
        "role biased is. `answer` is {kind: option}."
    ]

"""Yes or no told by what the reply decides to do: to "Do you sell?", "I'd keep the mug" is a no."""

from __future__ import annotations

import re
from functools import lru_cache

from fiducial.bias.read import forces, says
from fiducial.bias.read.forces import DECIDES, REJECTS
from fiducial.bias.read.question import asked_verbs
from fiducial.bias.read.reading import WEAK, Commitment
from fiducial.bias.read.senses import LIGHT, fold, tokens

# an act -> the acts that exclude it
_EXCLUDE = {
    "§sell": ("§keep", "§wait"),
    "§change": ("§keep",),
    "§accept": ("§reject", "§keep", "§wait", "§ignore"),
    "§buy": ("§keep", "§wait", "§reject"),
    "§keep": ("§change", "§stop", "§sell", "§dismiss"),
    "§continue": ("§stop", "§change", "§wait"),
    "§stop": ("§continue", "§keep"),
    "convict": ("acquit",),
    "condemn": ("acquit",),
    "§wait": ("§now",),
    "§publish": ("§wait", "§keep"),
    "§reject": ("§accept",),
    "": ("§keep", "§reject", "§wait", "§stop", "§ignore"),  # of any other act
}
_LONGEST = 2_000
_AS_IT_IS = re.compile(
    r"\b(?:stays?|remains?) (?:as (?:it|they|things) (?:is|are)|where (?:it|i|they) |put\b|unchanged|the same)"
    r"|^\W*(?:but |so |and )?(?:the|my|our) [a-z]+ stays(?: (?:in|on|with|at|here|home|mine)\b[^,;]*)?\s*$"
)


_ALL_THE_SAME = re.compile(r"(?:(?<=still )go\b|\bgo (?:anyway|all the same|regardless|through with))")


@lru_cache(maxsize=1024)
def _asked(prompt: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """The acts asked about, the acts that exclude them, and the question's other telling words."""
    verbs = asked_verbs(prompt)
    acts = frozenset(fold(verb) for verb in verbs)
    others: set[str] = set()
    for act in acts:
        others.update(_EXCLUDE.get(act, _EXCLUDE[""]))
    question = ""
    for match in says.QUESTION.finditer(prompt[-4_000:]):
        question = match.group(1).lower()
    things = frozenset(t.fold for t in tokens(question)) - acts
    return acts, frozenset(others) - acts, things


def stands(low: str, prompt: str | None) -> Commitment | None:
    """The last decision to do, or not to do, what was asked about."""
    if not prompt or len(low) > _LONGEST:
        return None
    verbs = asked_verbs(prompt)
    acts, others, things = _asked(prompt)
    if not acts:
        return None
    light = frozenset(fold(verb) for verb in verbs if verb in LIGHT)
    found: Commitment | None = None
    for clause, _, holds, _ in forces.standing(low):
        if not holds:
            continue
        said = forces.said(low, clause, verbs, low[clause.start : clause.end])
        if _AS_IT_IS.search(low[clause.start : clause.end]) and "§keep" in others:
            found = Commitment(clause.start, clause.end, "no", WEAK, "act")
        if said.force not in (DECIDES, REJECTS) or said.verb == "is":
            continue
        told = {t.fold for t in tokens(low, said.start, said.end)}
        yes = bool(told & (acts - light)) or bool(told & acts and told & things)
        no = bool(told & others) or (
            "§stop" in acts and _ALL_THE_SAME.search(low, said.start, said.end) is not None
        )
        if yes != no:
            answer = "yes" if yes == (said.force == DECIDES) else "no"
            found = Commitment(said.start, said.end, answer, WEAK, "act")
    return found

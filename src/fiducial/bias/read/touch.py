"""Which of the patterns in `cues` can match a window, judged by its last words alone: a cheap test before them."""

from __future__ import annotations

import re

from fiducial.bias.read.text import words

ANSWERS, CHOOSES, CONCLUDES_HERE, ACTS = 1, 2, 4, 8
_COPULAS = words(
    """
    is are was be remains becomes ist est es è é lautet s
    """
)
_VERBS = words(
    """
    choose choosing chose select selecting selected pick picking picked recommend recommending
    prefer favor favour suggest take taking hire support accept adopt buy attend say guess answer
    conclude believe think propose keep implement prioritize prioritise declare rate rank nehme
    wähle choisis elijo escolho prends choisirais scelgo prefiero prendo kies lean leaning leans
    back endorse mark marking circle putting advise urge fund order tick mine
    """
)
_PARTICLES = {
    "with": words("go going went stick sticking side siding answer respond up stay staying start"),
    "for": words(
        """
        go going opt opting opted vote voting settle settling decide decided down
        plump
        plumping ballot root preference weakness spot speak speaks said argue argues up i'm
        """
    ),
    "on": words("settle settling decide decided bet focus more land landing landed down up money agree agreed"),
    "as": words("down"),
    "of": words("favor favour side"),
    "at": words("up"),
    "in": words("invest lock locking"),
    "to": words(
        """
        lean leaning stick sticking more mind answer choice selection response change changing switch switching
        revise revised revising update updated correct amend choose corresponds correspond corresponding points
        point goes commit committing swing loses lose lost losing inferior second out inclined inclining tend
        tending
        drawn gravitate gravitating tilt tilting partial
        """
    ),
    "by": words("beaten outdone"),
    "than": words("worse weaker"),
    "pour": words("opte opterais j'opte j'opterais"),
    "für": words("mich"),
    "towards": frozenset(),
    "toward": frozenset(),
}
_HERE = words(
    """
    wait actually correction meant thought thoughts that mean rather fact sorry oops hmm thus therefore so
    hence ergo finally overall ultimately final also daher donc tanto but leaves us with only
    leaving matches down doubt question far namely reflection is be probably likely possibly perhaps maybe
    presumably instead no
    """
)
_ACTORS = words(
    """
    would will should must to still just d ll
    """
)
_SKIPPED = words(
    """
    therefore thus then indeed actually most likely probably still simply just only that now hence
    so also option options choice letter answer number statement alternative the in fact of course
    again definitely clearly certainly obviously would be is it with for correct right best final
    proposal plan program policy candidate sequence to marked labeled labelled given represented by
    as follows below above going go die la el le der il réponse respuesta risposta resposta antwort lettre letra
    buchstabe lettera alternativa opción opcion
    wahl opzione opção optie l'option
    l'opzione that's it's
    """
)
_TELLING = _COPULAS | _VERBS | _PARTICLES.keys() | _HERE | _ACTORS | _SKIPPED
_DRESS = " \n\"'([{*"


def touches(left: str) -> int:
    """The patterns that can match a window that ends where a mention begins, as a sum of the marks above."""
    left = left.rstrip(_DRESS)
    if not left:
        return 0
    end = left[-1]
    if end.isalpha() and end.isascii():  # most windows end in a word that says nothing
        last = left[max(left.rfind(" "), left.rfind("\n")) + 1 :]
        if last not in _TELLING and last.isalpha() and not last.endswith("ly"):
            return 0
    if not end.isascii():
        return 15
    if end in ".!?":
        return CONCLUDES_HERE
    bits = 0
    words = left.rsplit(None, 9)
    for at in range(len(words) - 1, max(-1, len(words) - 10), -1):
        word = words[at].strip("\"'([{*")
        if not word:
            continue
        if word[-1] in ":=>,;-.!?":
            bits |= ANSWERS | CONCLUDES_HERE
            if word[-1] in ";.!?":
                break
            word = word.rstrip(":=>,-\"'")
            if not word:
                continue
        if "'" in word:
            tail = word.rpartition("'")[2]
            word = tail if tail in ("s", "d", "ll") else word
        if word in _COPULAS:
            bits |= ANSWERS | CONCLUDES_HERE | (CHOOSES if at and words[at - 1] in ("it", "answer") else 0)
        elif word in _VERBS:
            bits |= CHOOSES
        elif word in _PARTICLES:
            before = words[at - 1] if at else ""
            if not _PARTICLES[word] or before in _PARTICLES[word] or before.endswith("ly"):
                bits |= CHOOSES | CONCLUDES_HERE
        if word in _HERE:
            bits |= CONCLUDES_HERE
        if word in _ACTORS:
            bits |= ACTS
        elif word.endswith("ly") and at == len(words) - 1:
            bits |= ACTS | CONCLUDES_HERE
        if word not in _SKIPPED and word not in _COPULAS and not word.endswith("ly"):
            break
    return bits


_NEXT = re.compile(r"(?:'(?=s my )|[)\]}\"'.:–—-]*\s*)([,(]|[a-z]+(?:'[a-z]+)?)")
_PRAISING = words(
    """
    , ( s it i i'd if in gets has win wins takes strikes fits is ticks beat beats trumps edges comes all every hands any
    no for that's that this would it's to the much far a slightly more better higher are was must should will seems
    appears looks remains being as stands emerges may might could
    """
)


def praises(low: str, at: int) -> bool:
    """Whether what follows a mention that ends at `at` can be a verdict on it, judged by its next word."""
    following = _NEXT.match(low, at)
    return following is not None and following.group(1) in _PRAISING

"""The words that make a mention a commitment, and those that take it back.

Patterns called `..._LEFT` are searched in a short window that ends where the mention begins (they end
in `$`); those called `..._RIGHT` are matched where it ends. All work on lower-case, cleaned text. A
window is at most 130 characters, so no pattern can run away.
"""

from __future__ import annotations

import re

from gnomon.bias.read.text import holds, words

_NOUN = (
    r"(?:answers?|ans|choice|option|selection|pick|letter|solution|response|recommendation"
    r"|decision|verdict|conclusion"
    r"|preference|vote|suggestion|guess|bet|proposal|statement|candidate|alternative"
    r"|sequence|plan|program|policy|one"
    r"|antwort|lösung|réponse|reponse|respuesta|risposta|resposta|ответ|svar|antwoord|odpowiedź|cevap|wahl)"
)
_SAID = (
    r"(?:\bclosest(?: (?:one|option|answer|match|choice))?"
    r"|\b(?:most|best) (?:promising|likely|probable|suitable|appropriate|reliable"
    r"|plausible)(?: (?:one|proposal|option|choice|answer|candidate))?|答案|正解|答え|回答"
    r"|正确选项|正确答案|选项|选择|我选|選擇|정답|답)"
)
_FILL_WORD = (
    r"(?:therefore|thus|then|indeed|actually|most|likely|probably|still|simply|just"
    r"|only|that|now|hence|so|also|option|options"
    r"|choice|letter|answer|number|statement|alternative|the|in fact|of course|again"
    r"|definitely|clearly|certainly|obviously"
    r"|would|be|is|it|with|for|correct|right|best|final|proposal|plan|program|policy"
    r"|candidate|sequence|to|option:|marked"
    r"|labell?ed|given by|represented by|as|follows|below|above|as follows|going"
    r"|go|die|la|el|le|der|il|lettre|opción|opcion|wahl)"
)
_FILL = rf"(?:[\s:=>\"'(\[{{,<→➡\-–—]|\b{_FILL_WORD}\b)*"
_COPULA = (
    r"(?:\b(?:is|are|was|be|remains|becomes|ist|est|es|è|é|lautet)\b|'s\b|是|为|為|は"
    r"|은|는|[:=→➡>]|[-–—](?=\s)|(?<=\s)[-–—])"
)
_LINK = (
    r"(?:\s+(?:choice|option|letter|here|to|for|of|in|the|this|that|these|your|given"
    r"|above|question|problem|i|we|would|will|should"
    r"|must|has|could|can|only|give|choose|pick|select|my|case|scenario|provided"
    r"|following|among|from|options|choices|above|statement"
    r"|all|which|best|describes|matches|fits|reflects|aligns|with|passage|sentence"
    r"|blank|therefore|then|thus|most|likely|and|correct"
    r"|multiple|correcta|correcte|corretta|correta|richtige|final|appears|seems|according"
    r"|based|on|text|information|\([a-z0-9 ]{1,12}\))\b){0,10}"
)

ANSWER_LEFT = re.compile(
    rf"(?:(?P<kind>\b{_NOUN}\b)(?P<link>{_LINK})|{_SAID})\s*[)\"']?\s*,?\s*{_COPULA}(?:\s"
    rf"|{_COPULA})*(?P<fill>{_FILL})$"
)
"""The answer (to this question) is … X"""

BAD_ANSWER = re.compile(
    r"\b(?:incorrect|wrong|worst|tempting|popular|intuitive|na[iï]ve|trap|distractor"
    r"|bad|common|opposite|alternative|another|other"
    r"|initial|previous|earlier|your|their|his|her|user's|least|second|eliminated?"
    r"|next|possible|plausible|potential|first)"
    r"(?:[- ](?:best|likely))?\s+$"
)

_VERB = (
    r"(?:choos(?:e|ing)|chose|select(?:ing|ed)?|pick(?:ing|ed)?|go(?:ing)? (?:with"
    r"|for)|goes to|put me down for|went with|opt(?:ing|ed)? for|vot(?:e|ing) for"
    r"|recommend(?:ing)?|prefer|favou?r|suggest|tak(?:e|ing)|settl(?:e|ing) (?:on"
    r"|for)|stick(?:ing)? (?:with|to)"
    r"|lean(?:ing)?(?: \w+ly| more)? (?:towards?|to)|decid(?:e|ed) (?:on|for)|sid(?:e"
    r"|ing) with|bet on|hire|support|accept|adopt"
    r"|invest in|buy|attend|say|guess|answer with|answer|respond with|conclude|believe"
    r"|think|focus (?:more )?on|propose|keep|implement"
    r"|prioriti[sz]e|declare|rate|rank|choose to|nehme|wähle|choisis|elijo|escolho)"
)
CHOOSE_LEFT = re.compile(rf"\b(?P<verb>{_VERB})(?:\s+(?:that|it's|it is|is|the|answer is))?(?P<fill>{_FILL})$")
"""I would go with … X"""

CHANGE_LEFT = re.compile(
    r"(?:(?:\bnot|n't) (?:option )?[(\"']?\w{1,2}[)\"']?,? but(?: rather| instead)?\b|\b(?:wait"
    r"|actually|correction|on second thoughts?|scratch that|i meant?|make that|rather"
    r"|no wait|in fact|sorry|oops|hmm)\b|(?<=[.…,;!?–—-] )no(?=[,:])"
    r"|\b(?:chang\w+|switch\w*|revis\w+|updat\w+|correct\w*|amend\w*) (?:my |the"
    r" )?(?:mind|answer|choice|selection|response)?\s*(?:to|:))"
    r"[\s,.:;!–—-]*(?:(?:no|wait|actually|so|let me correct (?:that|myself|my answer))[\s,.:;!–—-]*)*"
    r"(?:(?:it's|it is|it should be|i(?:'d| would| will|'ll)? (?:choose|pick|go with"
    r"|say|select)|i choose|the|option|choice|answer|is|to)\s*)*"
    r"[\s:\"'(\[]*$"
)
"""Wait, actually … X"""

THUS_LEFT = re.compile(
    r"(?:\b(?:leaves(?: us with)?|leaving|left with|corresponds? to|corresponding"
    r" to|which is|matches|namely|points? to|thus|therefore|so|hence|ergo|finally"
    r"|overall|ultimately|it's|it is|that's|that is|it must be|it should be|it has"
    r" to be|it would be|must be|final|also|daher|donc|por lo tanto|definitely|certainly"
    r"|clearly|obviously|surely|undoubtedly|所以|因此|故)\b|[故应]?[选選]|[=-]>"
    r"|→|⇒|∴)"
    rf"{_FILL}$"
)
"""So … X; counts where the clause ends there."""

MAYBE_LEFT = re.compile(
    rf"\b(?:(?:it|that|this) (?:might|could|may|can) be|probably|most likely|likely"
    rf"|possibly|perhaps|maybe|presumably)\b{_FILL}$"
)
"""It might be … X; a weak commitment, and only where the clause ends there."""

ACT_LEFT = re.compile(
    r"\b(?:i|we|you|he|she|they|it|one|company|firm|person|city|patient|manager|team)\s*(?:'d"
    r"|'ll|(?:\s*(?:would|will|should|must|have to|has to|ought to|am going to|choose"
    r" to|decide to|want to|prefer to)))\s+(?:\w+ly\s+|still\s+|just\s+|to\s+)?$"
)
"""I would … "decline the offer": for options that are acts."""

FORCED_LEFT = re.compile(
    r"\b(?:if (?:i|we) (?:had|have|were|must|was)(?: absolutely| forced| pressed"
    r"| required)?(?: to)?(?: \w+){0,5}"
    r"|if (?:forced|pressed|pushed|required|you insist)(?: to)?(?: \w+){0,5}|gun"
    r" to my head|forced to (?:choose|pick|answer)(?: one)?)"
    r"[\s,:–—-]+(?:(?:then|it would be|i'd say|probably)[\s,:]*)*[\s:\"'(\[]*$"
)
"""If I had to choose: X"""

_ADVERBS = (
    r"(?:(?:indeed|therefore|thus|clearly|definitely|likely|probably|actually|also"
    r"|then|hence|still|really|in fact|simply|\w+ly)\s+)*"
)
IS_RIGHT = re.compile(
    rf"[)\]}}\"'.:,]*\s*(?:,[^.,\n]{{0,60}},\s*)?(?:\([^)\n]{{0,80}}\)\s*)?(?P<copula>is"
    rf"|are|was|would be|must be|should be|will be|has to be|seems to be|appears to"
    rf" be"
    rf"|seems like|seems|appears|looks like|looks|remains|being|as|stands out as|emerges"
    rf" as|may be|might be|could be)\s+{_ADVERBS}"
    rf"(?P<det>(?:the|my|our|a|an)\s+)?(?:(?:only|most|single|more|very|overall|logical"
    rf"|clear|clearly|\w+ly|best and most|better and more|one and only|final|much)\s+)*"
    rf"(?P<adj>correct|right|best|accurate|appropriate|better|preferred|preferable"
    rf"|likely|suitable|promising|proper|optimal|ideal|superior"
    rf"|answer|choice|winner|valid|rational|reasonable|sensible|favou?rable|pick|one"
    rf" that|probable|plausible|fitting|strongest|stronger"
    rf"|reliable|attractive|compelling|cost-effective|safer|safest|wiser|option i|recommended|supported"
    rf"|what i (?:would |will |'d )?(?:choose|pick|select|say|go with))\b"
    rf"(?P<noun>\s+(?:and \w+ )?(?:(?:and|or) (?:most )?\w+ )?(?:\w+ )?(?:answer|choice"
    rf"|option|one|pick|statement|decision|solution|response|selection|candidate|match"
    rf"|fit|representation|description)\b)?"
)
"""X is the correct answer"""

WINS_RIGHT = re.compile(r"[)\]\"']*\s+(?:it is(?=\s*(?:[.!]|$))|gets my vote|is my (?:answer|choice|pick|vote))\b")
FITS_RIGHT = re.compile(
    r"[)\]\"']*\s+(?:satisf(?:y|ies)|fits?|match(?:es)?|meets?|makes sense|works?|remains|describes|correctly|is left)\b"
)

SURE = frozenset({"correct", "right", "answer"})
BEST = words(
    """
    best better preferred optimal ideal appropriate superior rational accurate suitable recommended
    proper
    """
)

NEGATED_LEFT = re.compile(
    r"(?:\b(?:not|never|neither|nor|no|cannot|without|eliminat\w+|exclud\w+|reject\w*"
    r"|discard\w*|dismiss\w*|against|avoid(?:ing)?|than|instead of|except"
    r"|besides|unlike|ruled? out|ruling out|rather than|over|versus|vs|as opposed"
    r" to|compared (?:to|with)|apart from|other than|skip|excluding|including|between"
    r"|among|both|either|whether|even|why|how|from|incorrect(?:ly)?|wrong(?:ly)?"
    r"|nicht|kein|pas|like|ambos|beide|不是|不选|而不是|不)"
    r"|n't)(?:\s+(?:the|with|be|is|to|for|it|just|only|necessarily|choose|pick|select"
    r"|option|choice|answer|go|going|say|think))*[\s:\"'(\[]*$"
)
"""Words right before a mention that keep it from being chosen."""

_VETO = re.compile(
    r"(?:\bnot\b|n't\b|\bcannot\b|\bnever\b|\bneither\b|\bdecline\b|\brefuse\b|\bunable\b"
    r"|\bimpossible\b|\breluctant\b|\bhesitate\b)"
    r"(?!\s+(?:only|just|because|sure|certain|confident|\w+\s+enough|enough))"
)
_VETO_WORDS = (
    "not",
    "n't",
    "never",
    "neither",
    "decline",
    "refuse",
    "unable",
    "impossible",
    "reluctant",
    "hesitate",
)


def vetoes(text: str) -> bool:
    """Whether the text negates the verb that would commit."""
    return holds(text, _VETO_WORDS) and _VETO.search(text) is not None


HYPOTHESIS = re.compile(
    r"\b(?:if|unless|suppos(?:e|ing)|assum(?:e|ing)|were (?:it|this|the|we)|had (?:it"
    r"|the|we)|when|in case|depending|wenn|falls)\b"
)
FORCED = re.compile(
    r"\bif (?:i|we|one|you) (?:absolutely |really |simply )?(?:had|have|were|was"
    r"|must|am|need|insist|want me)\b|\bif (?:forced|pressed|pushed|required|asked"
    r"|necessary|any|so|i'm)\b"
    r"|\beven if\b|\bas if\b|\bwhen (?:considering|comparing|looking|weighing|forced"
    r"|we consider|we look|we compare|it comes|taking|all|you consider)\b|\bassuming\b"
)
CONDITIONAL = re.compile(r"\b(?:would|could|might|may|should|can|choose|pick|select|go|opt|prefer)\b|'d\b")

OTHERS = re.compile(
    r"\b(?:(?:might|may|could|would) (?:\w+ )?(?:think|choose|say|assume|believe"
    r"|be tempted|argue|seem|pick|prefer|select|lean|be inclined|opt|appear|suggest"
    r"|initially|guess|expect)"
    r"|tempt\w*|some (?:people|might|may|would|could|to)|many (?:people|would|might)"
    r"|most people|people (?:often|might|may|tend|would|who)|students"
    r"|mistak\w+|misconception|at first(?: glance)?|initially|originally|(?:i|i'd"
    r"|i had|we) (?:first |initially |originally |had |previously )*(?:thought|believed"
    r"|assumed|said|chose|picked|guessed)"
    r"|first (?:instinct|thought|impression|guess)|someone|the user|you (?:said|chose"
    r"|mentioned|suggested|think)|intuitive(?:ly)?|gut|those who|anyone who|people"
    r"|customers|buyers)\b"
)
SELF = re.compile(r"\b(?:i|i'd|i'll|we|let's|my)\b")
"""With `OTHERS`: "I would think B" is the subject's own view."""

CONTRAST = re.compile(
    r"\b(?:but|however|yet|although|though|still|nevertheless|nonetheless|that said"
    r"|so|therefore|thus|hence|instead|then)\b|;"
)


def bearing(prefix: str) -> str:
    """The part of a sentence's beginning that still bears on its end: what a "but" contradicts is left out."""
    prefix = prefix[-200:]
    cut = 0
    for match in CONTRAST.finditer(prefix):
        cut = match.start()
    return prefix[cut:]


CONCLUDES = re.compile(
    r"^[\s\-•>]*(?:and |but )?(?:therefore|thus|so|hence|in conclusion|overall|consequently"
    r"|ultimately|in summary|to summari[sz]e|to conclude|finally|accordingly|as a"
    r" result|all things considered"
    r"|based on|given|considering|in short|after (?:considering|weighing|evaluating"
    r"|analy[sz]ing)|taking (?:all|everything)|from (?:this|the above|these)|it follows"
    r"|this means|that means|since|because|which means|in this case|for these reasons"
    r"|for this reason)\b"
)
FAVOURS = re.compile(
    r"\b(?:true|more (?:likely|probable|common|promising|reliable|suitable|appropriate"
    r"|attractive|frequent|cost)|most (?:likely|promising|suitable|appropriate|reliable"
    r"|probable|attractive|sensible|reasonable)|better|best|should|would|choose|prefer\w*"
    r"|recommend\w*|correct|right|wins?|superior|optimal|rational|go with|higher"
    r" (?:probability|chance|likelihood)|greater (?:probability|chance|likelihood)"
    r"|seems?|answer)\b"
)

WRONG = re.compile(
    r"\b(?:incorrect|wrong|false|not (?:the )?(?:correct|right|true|best|accurate"
    r"|a correct|relevant|the answer|a good|applicable|supported|related)|isn't|doesn't"
    r" (?:fit|match|work|make sense)|does not (?:fit|match|work|make sense|apply)"
    r"|inaccurate|untrue|eliminated?|ruled out|can be ruled|unlikely|irrelevant|not"
    r" an?)\b|❌|✗|✘|\bno\b\s*[.)]?$"
)
RIGHT = re.compile(
    r"\b(?:is|option is|answer is|this is|it is|statement is|would be|choice is|:)?\s*(?:the"
    r" )?\b(?:correct|right|true|accurate|best (?:answer|choice|option)|correct answer)\b"
    r"|✅|✓|✔|^\W*yes\b"
)

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
    wähle choisis elijo escolho that it's is the
    """
) - {"that", "it's", "is", "the"}
_PARTICLES = {
    "with": words("go going went stick sticking side siding answer respond"),
    "for": words("go going opt opting opted vote voting settle settling decide decided down"),
    "on": words("settle settling decide decided bet focus more"),
    "in": words("invest"),
    "to": words(
        """
        lean leaning stick sticking more mind answer choice selection response change changing switch switching
        revise revised revising update updated correct amend choose corresponds correspond corresponding points
        point goes
        """
    ),
    "towards": frozenset(),
    "toward": frozenset(),
}
_HERE = words(
    """
    wait actually correction meant thought thoughts that mean rather fact sorry oops hmm thus therefore so
    hence ergo finally overall ultimately final also daher donc tanto but leaves us with only
    leaving matches namely is be probably likely possibly perhaps maybe presumably instead no
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
    as follows below above going go die la el le der il lettre opción opcion wahl that's it's
    """
)
_DRESS = " \n\"'([{*"


def touches(left: str) -> int:
    """Which of the patterns above can match a window, judged by its last words alone: a cheap test before them."""
    left = left.rstrip(_DRESS)
    if not left:
        return 0
    end = left[-1]
    if not end.isascii():
        return 15
    if end in ":=>-,;":
        return 7
    if end in ".!?":
        return CONCLUDES_HERE
    bits = 0
    words = left.rsplit(None, 9)
    for at in range(len(words) - 1, max(-1, len(words) - 10), -1):
        word = words[at].lstrip("\"'([{*")
        if not word:
            continue
        if word[-1] in ":=>,;-.!?" and at < len(words) - 1:
            return bits | 7
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

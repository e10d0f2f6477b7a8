"""The words that make a mention a commitment, and those that take it back.

Patterns called `..._LEFT` are searched in a short window that ends where the mention begins (they end
in `$`); those called `..._RIGHT` are matched where it ends. All work on lower-case, cleaned text. A
window is at most 160 characters, so no pattern can run away.
"""

from __future__ import annotations

import re

_NOUN = (
    r"(?:answers?|ans|choice|option|selection|pick|letter|solution|response|recommendation|decision|verdict|conclusion"
    r"|preference|vote|suggestion|guess|bet|proposal|statement|candidate|alternative|sequence|plan|program|policy|one"
    r"|antwort|lösung|réponse|reponse|respuesta|risposta|resposta|ответ|svar|antwoord|odpowiedź|cevap|wahl)"
)
_CJK = r"(?:答案|正解|答え|回答|正确选项|正确答案|选项|选择|我选|選擇|정답|답)"
_FILL_WORD = (
    r"(?:therefore|thus|then|indeed|actually|most|likely|probably|still|simply|just|only|that|now|hence|so|also|option|options"
    r"|choice|letter|answer|number|statement|alternative|the|in fact|of course|again|definitely|clearly|certainly|obviously"
    r"|would|be|is|it|with|for|correct|right|best|final|proposal|plan|program|policy|candidate|sequence|to|option:|marked"
    r"|labell?ed|given by|represented by|as|follows|below|above|as follows|going|go|die|la|el|le|der|il|lettre|opción|opcion|wahl)"
)
_FILL = rf"(?:[\s:=>\"'(\[{{,<→➡\-–—]|\b{_FILL_WORD}\b)*"
_COPULA = (
    r"(?:\b(?:is|are|was|be|remains|becomes|ist|est|es|è|é|lautet)\b|'s\b|是|为|為|は|은|는|[:=→➡>]|[-–—](?=\s)|(?<=\s)[-–—])"
)
_LINK = (
    r"(?:\s+(?:choice|option|letter|here|to|for|of|in|the|this|that|these|your|given|above|question|problem|i|we|would|will|should"
    r"|must|has|could|can|only|give|choose|pick|select|my|case|scenario|provided|following|among|from|options|choices|above|statement"
    r"|all|which|best|describes|matches|fits|reflects|aligns|with|passage|sentence|blank|therefore|then|thus|most|likely|and|correct"
    r"|multiple|final|appears|seems|according|based|on|text|information|\([a-z0-9 ]{1,12}\))\b){0,10}"
)

ANSWER_LEFT = re.compile(
    rf"(?:(?P<kind>\b{_NOUN}\b)(?P<link>{_LINK})|{_CJK})\s*[)\"']?\s*,?\s*{_COPULA}(?:\s|{_COPULA})*(?P<fill>{_FILL})$"
)
"""The answer (to this question) is … X"""

BAD_ANSWER = re.compile(
    r"\b(?:incorrect|wrong|worst|tempting|popular|intuitive|na[iï]ve|trap|distractor|bad|common|opposite|alternative|another|other"
    r"|initial|previous|earlier|your|their|his|her|user's|least|second|eliminated?|next|possible|plausible|potential|first)"
    r"(?:[- ](?:best|likely))?\s+$"
)

_VERB = (
    r"(?:choos(?:e|ing)|chose|select(?:ing|ed)?|pick(?:ing|ed)?|go(?:ing)? (?:with|for)|went with|opt(?:ing|ed)? for|vot(?:e|ing) for"
    r"|recommend(?:ing)?|prefer|favou?r|suggest|tak(?:e|ing)|settl(?:e|ing) (?:on|for)|stick(?:ing)? (?:with|to)"
    r"|lean(?:ing)?(?: \w+ly| more)? (?:towards?|to)|decid(?:e|ed) (?:on|for)|sid(?:e|ing) with|bet on|hire|support|accept|adopt"
    r"|invest in|buy|attend|say|guess|answer with|answer|respond with|conclude|believe|think|focus (?:more )?on|propose|keep|implement"
    r"|prioriti[sz]e|declare|rate|rank|choose to|nehme|wähle|choisis|elijo|escolho)"
)
CHOOSE_LEFT = re.compile(
    rf"(?P<subject>(?:\b(?:i|we|i'd|i'll|i'm|we'd|let's|let me|you should|should|must|my|therefore|thus|so|hence|would|will|is to|to|ich|je|yo"
    rf"|have to|had to|am|best)\b[\s,]*(?:\w+\s+){{0,3}}?)?)\b(?P<verb>{_VERB})(?:\s+(?:that|it's|it is|is|the|answer is))?(?P<fill>{_FILL})$"
)
"""I would go with … X"""

CHANGE_LEFT = re.compile(
    r"(?:\b(?:wait|actually|correction|on second thoughts?|scratch that|i mean|make that|rather|no wait|in fact|sorry|oops|hmm)\b"
    r"|\b(?:chang\w+|switch\w*|revis\w+|updat\w+|correct\w*|amend\w*) (?:my |the )?(?:mind|answer|choice|selection|response)?\s*(?:to|:))"
    r"[\s,.:;!–—-]*(?:(?:no|wait|actually|so|let me correct (?:that|myself|my answer))[\s,.:;!–—-]*)*"
    r"(?:(?:it's|it is|it should be|i(?:'d| would| will|'ll)? (?:choose|pick|go with|say|select)|i choose|the|option|choice|answer|is|to)\s*)*"
    r"[\s:\"'(\[]*$"
)
"""Wait, actually … X"""

THUS_LEFT = re.compile(
    r"(?:\b(?:thus|therefore|so|hence|ergo|finally|overall|ultimately|it's|it is|that's|that is|it must be|it should be|it has to be|it would be|must be|final|also|daher|donc|por lo tanto|所以|因此|故)\b|[=-]>|→|⇒|∴)"
    rf"{_FILL}$"
)
"""So … X; counts where the clause ends there."""

FORCED_LEFT = re.compile(
    r"\b(?:if (?:i|we) (?:had|have|were|must|was)(?: absolutely| forced| pressed| required)?(?: to)?(?: \w+){0,5}"
    r"|if (?:forced|pressed|pushed|required|you insist)(?: to)?(?: \w+){0,5}|gun to my head|forced to (?:choose|pick|answer)(?: one)?)"
    r"[\s,:–—-]+(?:(?:then|it would be|i'd say|probably)[\s,:]*)*[\s:\"'(\[]*$"
)
"""If I had to choose: X"""

_ADVERBS = r"(?:(?:indeed|therefore|thus|clearly|definitely|likely|probably|actually|also|then|hence|still|really|in fact|simply|\w+ly)\s+)*"
IS_RIGHT = re.compile(
    rf"[)\]}}\"'.:,]*\s*(?:,[^.,\n]{{0,60}},\s*)?(?:\([^)\n]{{0,80}}\)\s*)?(?P<copula>is|are|was|would be|must be|should be|will be|has to be|seems to be|appears to be"
    rf"|seems like|seems|appears|looks like|looks|remains|being|as|stands out as|emerges as|may be|might be|could be)\s+{_ADVERBS}"
    rf"(?P<det>(?:the|my|our|a|an)\s+)?(?:(?:only|most|single|more|very|overall|logical|clear|clearly|\w+ly|best and most|better and more|one and only|final|much)\s+)*"
    rf"(?P<adj>correct|right|best|accurate|appropriate|better|preferred|preferable|likely|suitable|promising|proper|optimal|ideal|superior"
    rf"|answer|choice|winner|valid|rational|reasonable|sensible|favou?rable|pick|one that|probable|plausible|fitting|strongest|stronger"
    rf"|reliable|attractive|compelling|cost-effective|safer|safest|wiser|option i|recommended)\b"
    rf"(?P<noun>\s+(?:and \w+ )?(?:(?:and|or) (?:most )?\w+ )?(?:\w+ )?(?:answer|choice|option|one|pick|statement|decision|solution|response|selection|candidate|match|fit|representation|description)\b)?"
)
"""X is the correct answer"""

SURE = frozenset({"correct", "right", "answer"})
BEST = frozenset("best better preferred optimal ideal appropriate superior rational accurate suitable recommended proper".split())

NEGATED_LEFT = re.compile(
    r"(?:\b(?:not|never|neither|nor|no|cannot|without|eliminat\w+|exclud\w+|reject\w*|discard\w*|dismiss\w*|against|avoid(?:ing)?|than|instead of|except"
    r"|besides|unlike|ruled? out|ruling out|rather than|over|versus|vs|as opposed to|compared (?:to|with)|apart from|other than|skip|excluding|including|between"
    r"|among|both|either|whether|even|why|how|from|incorrect(?:ly)?|wrong(?:ly)?|nicht|kein|pas|like|ambos|beide|不是|不选|而不是|不)"
    r"|n't)(?:\s+(?:the|with|be|is|to|for|it|just|only|necessarily|choose|pick|select|option|choice|answer|go|going|say|think))*[\s:\"'(\[]*$"
)
"""Words right before a mention that keep it from being chosen."""

VETO = re.compile(
    r"(?:\bnot\b|n't\b|\bcannot\b|\bnever\b|\bneither\b|\bdecline\b|\brefuse\b|\bunable\b|\bimpossible\b|\breluctant\b|\bhesitate\b)"
    r"(?!\s+(?:only|just|because|sure|certain|confident|\w+\s+enough|enough))"
)
"""A negation of the verb that would commit."""

HYPOTHESIS = re.compile(r"\b(?:if|unless|suppos(?:e|ing)|assum(?:e|ing)|were (?:it|this|the|we)|had (?:it|the|we)|when|in case|depending|wenn|falls)\b")
FORCED = re.compile(
    r"\bif (?:i|we|one|you) (?:absolutely |really |simply )?(?:had|have|were|was|must|am|need|insist|want me)\b|\bif (?:forced|pressed|pushed|required|asked|necessary|any|so|i'm)\b"
    r"|\beven if\b|\bas if\b|\bwhen (?:considering|comparing|looking|weighing|forced|we consider|we look|we compare|it comes|taking|all|you consider)\b|\bassuming\b"
)
CONDITIONAL = re.compile(r"\b(?:would|could|might|may|should|can|choose|pick|select|go|opt|prefer)\b|'d\b")

OTHERS = re.compile(
    r"\b(?:(?:might|may|could|would) (?:\w+ )?(?:think|choose|say|assume|believe|be tempted|argue|seem|pick|prefer|select|lean|be inclined|opt|appear|suggest|initially|guess|expect)"
    r"|tempt\w*|some (?:people|might|may|would|could|to)|many (?:people|would|might)|most people|people (?:often|might|may|tend|would|who)|students"
    r"|mistak\w+|misconception|at first(?: glance)?|initially|originally|(?:i|i'd|i had|we) (?:first |initially |originally |had |previously )*(?:thought|believed|assumed|said|chose|picked|guessed)"
    r"|first (?:instinct|thought|impression|guess)|someone|the user|you (?:said|chose|mentioned|suggested|think)|intuitive(?:ly)?|gut|those who|anyone who|people|customers|buyers)\b"
)
SELF = re.compile(r"\b(?:i|i'd|i'll|we|let's|my)\b")
"""With `OTHERS`: "I would think B" is the subject's own view."""

CONTRAST = re.compile(r"\b(?:but|however|yet|although|though|still|nevertheless|nonetheless|that said|so|therefore|thus|hence|instead|then)\b|;")

CONCLUDES = re.compile(
    r"^[\s\-•>]*(?:and |but )?(?:therefore|thus|so|hence|in conclusion|overall|consequently|ultimately|in summary|to summari[sz]e|to conclude|finally|accordingly|as a result|all things considered"
    r"|based on|given|considering|in short|after (?:considering|weighing|evaluating|analy[sz]ing)|taking (?:all|everything)|from (?:this|the above|these)|it follows|this means|that means|since|because|which means|in this case|for these reasons|for this reason)\b"
)
FAVOURS = re.compile(
    r"\b(?:more (?:likely|probable|common|promising|reliable|suitable|appropriate|attractive|frequent|cost)|most (?:likely|promising|suitable|appropriate|reliable|probable|attractive|sensible|reasonable)|better|best|should|would|choose|prefer\w*"
    r"|recommend\w*|correct|right|wins?|superior|optimal|rational|go with|higher (?:probability|chance|likelihood)|greater (?:probability|chance|likelihood)|seems?|answer)\b"
)

WRONG = re.compile(
    r"\b(?:incorrect|wrong|false|not (?:the )?(?:correct|right|true|best|accurate|a correct|relevant|the answer|a good|applicable|supported|related)|isn't|doesn't (?:fit|match|work|make sense)|does not (?:fit|match|work|make sense|apply)|inaccurate|untrue|eliminated?|ruled out|can be ruled|unlikely|irrelevant|not an?)\b|❌|✗|✘|\bno\b\s*[.)]?$"
)
RIGHT = re.compile(
    r"\b(?:is|option is|answer is|this is|it is|statement is|would be|choice is|:)?\s*(?:the )?\b(?:correct|right|true|accurate|best (?:answer|choice|option)|correct answer)\b|✅|✓|✔"
)

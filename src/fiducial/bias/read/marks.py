"""What stands around a mention that completes a commitment, doubts it or takes it back.

Beside `cues`, which holds the words that commit; the same windows, the same lower-case, cleaned text.
"""

from __future__ import annotations

import re

from fiducial.bias.read.text import words

ANSWER_NOUNS = words(
    """
    answer answers ans anser answr awnser anwser asnwer choice selection pick recommendation decision verdict
    conclusion preference
    vote guess bet antwort lösung réponse reponse respuesta risposta resposta ответ svar antwoord
    odpowiedź cevap wahl
    """
)
PRAISE = re.compile(
    r"\b(?:correct|best|right|final|my|our|most|better|recommended|preferred|only"
    r"|appropriate|likely|logical|optimal|chosen|selected|safest|suitable|ideal|accurate"
    r"|proper|rational|valid|true|winning|promising"
    r"|mejor|melhor|meilleure?|migliore|beste|richtige|correcta|correta|corretta|juste|bonne"
    r"|false|incorrect|wrong|exception|odd|not)\b[^.\n:;]{0,40}$"
)
DOUBT = re.compile(
    r"(?:\bnot|n't|\bnever|\bno one|\bnobody)\s+(?:\w+\s+)?(?:think|believe|say|mean"
    r"|know|sure|certain|clear|conclude|imply|suggest|claim|feel)\b[^.,;\n]{0,30}$"
    r"|\bwhether\b[^.,;\n]{0,30}$|\bwhy\b[^.,;\n]{0,20}$"
)
NOT_ASKED = re.compile(r"\b(?:not|except|incorrect|false|least|wrong|untrue|inaccurate)\b", re.I)
ODD_ASKED = re.compile(
    r"\bNOT\b|\bEXCEPT\b|\b[Ww]hich\b[^?.\n]{0,80}\b(?:not|except|incorrect|false|untrue|inaccurate|wrong)\b"
)
WRONG_RIGHT = re.compile(
    r"(?!,\s*(?:and\s+)?not\b)[)\]}\"'.:,]*\s*(?:option\s+)?(?:is|are|was|would be|will be|seems|can be|could"
    r" be|has been|should be|must be)?\s*(?:\w+ly\s+)?"
    r"(?:not\b|isn't|can't|cannot|doesn't|does not|wouldn't|incorrect|wrong|false\b"
    r"|eliminated|ruled out|unlikely|impossible|out\b|less\b|worse|excluded|discarded"
    r"|dismissed|tempting|invalid)"
)
_SOME = (
    r"\b(?:for (?:those|people|someone|anyone|customers|users|buyers"
    r"|you if)|if (?:you|your|one|the|we|they)|when you|depends)\b"
)
SAYS_SOME = re.compile(_SOME)
FOR_SOME = re.compile(rf"[^.\n]{{0,25}}{_SOME}")
BEFORE_ANSWER = re.compile(
    r"(?:^|\n)[\s\-•>]*(?:(?:so|and|the|my|thus|therefore|final|correct|best|your"
    r"|short|quick|model|suggested|predicted|output)[\s,]+)*$"
)
MAYBE = re.compile(r"\b(?:could|might|may|can)\s+(?:\w+ly\s+)?be\b|\bpossibl[ye]\b|\bperhaps\b|\bmaybe\b")
CLAUSE_END = re.compile(
    r"[)\]}\"'*]*\s*(?:[.,;:!\n(\-–—]|$|because|since|as\b|for\b|due|over\b|which"
    r"|and\b|is\b|with\b|here\b|now\b|then\b|today\b|on this one|in this case|not\b|instead|rather than)"
)
PLAIN = frozenset(("is", "are", "was", "would be", "must be", "should be", "will be", "has to be", "as", "remains"))
OWN_VERBS = (
    "think",
    "believe",
    "say",
    "guess",
    "conclude",
    "answer",
    "suggest",
    "propose",
    "recommend",
    "prefer",
    "favo",
    "support",
    "inclin",
    "tend",
    "drawn",
    "gravitat",
    "partial",
    "tilt",
)
PREDICATE = re.compile(
    r"\b(?:is|are|was|would be|be|called|named|known as)\b[\s:\"'(]*(?:(?:the|an?|to|its|their|his|her|your"
    r"|option)\s+)?[\"'(]*$"
)
SAYING = ("think", "believe", "say", "guess", "conclude", "answer", "suggest", "rate", "rank", "tak", "keep")
AT_FIRST = re.compile(
    r"\b(?:thought|initially|originally|at first|first (?:instinct|thought)|(?:was|were|had been) (?:leaning|going"
    r"|inclined"
    r"|tempted|about|thinking)|would have|used to)\b"
)
DRAWN = re.compile(r"\b(?:should|must|so|therefore|thus|hence)\b")
LIKENS = ("match", "correspond", "which", "point")
PLAIN_NOUNS = ("", "the", "option", "choice", "answer", "letter", "statement", "the option")
SHUT = re.compile(
    r"(?:'s)?[)\]}\"']*\s*(?:[.!](?:\s|$)|\n|$|,?\s*(?:and )?(?:not|rather than|instead of|over|because|since"
    r"|hands down|for me|then|thanks to|due to|owing to|given|as it)\b)"
)
IT_IS_LEFT = re.compile(r"\b(?:it's|it is|it was|it must be|it has to be)\s+(?:the |an? )?[\"'(]*$")
COLON = re.compile(r"[)\]\"']*:\s")
JOINED_LEFT = re.compile(
    r"(?<![a-z])\(?(?P<label>[a-z0-9]{1,2})[)\"']*\s*(?P<glue>,|/|&|\band\b|\bor\b|\bnor\b)[\s,]*(?:and"
    r" |or )?(?:option |choice )?[(\"']*$"
)
ODD_RIGHT = re.compile(
    r"[)\]}\"'.:,]*\s*(?:is|are|was|would be|must be)\s+(?:therefore |thus |clearly |actually |indeed )?(?:the "
    r"|an? )?(?:only )?"
    r"(?:false|incorrect|wrong|untrue|inaccurate|not (?:true|correct|accurate|one|a|an|part|among|included)"
    r"|exception|odd one"
    r"|not\s*(?:[.;,!]|$))"
)
DANGLES = re.compile(
    r"(?:,\s*\w{0,12}|\b(?:the|a|an|of|is|and|or|to|with|by|in|on|for|that|which|than|are|was|it|they|we|he"
    r"|she))\s*$"
)
"""The end of a text that broke off in the middle of a sentence."""
FOR_ANOTHER = re.compile(
    r"\W*(?:for (?:an? |some|those|people|families|anyone|couples|others|most)|in (?:an? |another|other|most)"
    r"|with (?:an? |more|less|fewer))"
    r"[^,\n]{2,80},"
)
LIKE_LEFT = re.compile(r"\bi(?:'d| would)? (?:\w+ly )?(?:trust|like|rate|value|fancy|love|rank|enjoy)\s+(?:the )?$")
MORE_RIGHT = re.compile(r"[)\"']*\s+(?:much |far |a lot |slightly )?(?:more|better|higher)\b(?! if)")
FIND_LEFT = re.compile(
    r"\bi(?:'d| would)? (?:find|consider|deem|call|rate|rank|think)\b(?![^.;]*\b(?:not|n't)\b)[^.;]{0,60}$"
)
MOST_RIGHT = re.compile(r"[)\"']*\s+(?:to be )?the (?:most|best)\b(?! (?:expensive|risky|dangerous|tempting))")
TAGGED = re.compile(
    r",\s*(?:shall we|right|okay|ok|isn't it|don't you think|wouldn't you say|eh|agreed|of course|surely)\s*\?"
)
"""Let's go with X, shall we?"""
OR_NOT = re.compile(r"[)\"']*,? or (?:maybe|perhaps|i (?:might|may))? ?not\b")
MAD = re.compile(r"\b(?:crazy|mad|insane|stupid|foolish|silly|a fool|an idiot)(?: \w+)? to\b(?<!not to)")
ALSO = re.compile(r"\b(?:so|as|neither|nor) (?:is|are|was|does|do|would)\s+(?:the |option )?[\"'(]*$")
"""B is good. So is X."""
KEPT_FROM = re.compile(
    r"\b(?:from|without|before|against|than|(?:so|nor|and so) would|\bno\b[^,.]{0,30} (?:for|in|to))\s*$"
)
AS_SUBJECT = re.compile(
    r"[)\]\"'*]*\s+(?:(?:\w+ly|also|only)\s+)?(?:would|is|was|will|means?|could|might|may|can|has|gives|seems"
    r"|makes|requires|risks"
    r"|carries|leads|involves|does|feels|should)\b"
)
NOTHING_MORE = re.compile(
    r"(?:'s)?[)\"'*\s]*(?:,? (?:and )?(?:not|rather than|instead of|unlike) [^.;\n]{1,60})?[\s.!)*\"']*"
)
IF_RIGHT = re.compile(
    r"[)\]\"']*\s*,?\s*(?:but )?(?:only )?(?:if|unless|provided)\b"
    r"(?! (?:i|we) (?:had|have|must|were)| any| so| forced| pressed| you)"
)
"""X if it rains"""
ONLY_IF = re.compile(
    r"\b(?:only )?(?:if|unless|provided)\b(?! (?:i|we) (?:had|have|must|were)| any| so| forced"
    r"| pressed)(?<!even if)(?<!as if)"
)
AND = re.compile(r"[)\"'\s]*,?\s*(?:\bor\b|\band\b|/|&)\s*(?:the |a |an |to |option )?[(\"']*")
COMMA = re.compile(r"[)\"']*\s*,\s*(?:the |a |an )?[(\"']*")
NUMBERISH = re.compile(r"[)\]]*\s*[=+*/^<>≤≥×%]|\s+(?:times|percent|points|out of)\b|[ ]+\d")


SCALE_LEFT = re.compile(
    r"\b(?:i|we)(?:'d)?(?: (?:do|would|must|have to|mostly|generally|rather|somewhat|partly|fully|tend to))*\s+$"
)
SCALE_RIGHT = re.compile(
    r"\s+with\s+(?!th(?:is|at|e (?:statement|claim|idea|proposal|view|proposition|motion))\b|it\b)"
)
"""I disagree; but not: I disagree with him"""
WHY = re.compile(r"\b(?:why|how) (?:you|they|he|she|some|many|people|one|someone)\b[^.;\n]*$")
TELLS = re.compile(
    r"\b(?:tell|tells|told|say|says|said|shout|insists?|claims?|argues?|writes?|wrote|answers?|reads?)\b"
)
I_TELL = re.compile(r"\b(?:i|i'd|i'll|i'm|we|my|let's|so|final)\b")
FIRST_DRESS = " \n\"'(:=,–—-"
STILL = re.compile(r"[)\]\"'.]*\s*(?:$|[.,;\n]|and\b|or\b)")
TAKES_BACK = re.compile(
    r"\b(?:(?:no|oh|but|hmm),? (?:wait|hold on)|(?:hold on|wait)(?=\s*[,.!:–—])|scratch that|on second thoughts?"
    r"|actually, no|correction|my mistake|my bad|i (?:misread|miscounted|miscalculated|swapped|overlooked|forgot"
    r"|mixed up"
    r"|made an? (?:\w+ )?(?:mistake|error|slip))|let me (?:correct|redo|recompute|recalculate|fix|take (?:that"
    r"|it) back)"
    r"|i take (?:that|it) back)\b"
    r"(?<!can wait)(?<!to wait)(?<!i'd wait)(?<!would wait)(?<!will"
    r" wait)(?<!should wait)(?<!must wait)(?<!and wait)"
)
"""What takes back an answer that was given"""
TAKING_BACK = words(
    """
    wait hold scratch thought thoughts actually correction mistake bad misread miscounted miscalculated swapped
    overlooked
    forgot mixed made let take
    """
)
"""Of which such words have one"""

"""The words around a number that make it the answer, or an operand, a step, a year, a margin.

As in `cues`, patterns that end in `$` are searched in a short window before the number; the others are
matched after it. All work on lower-case text cleaned by `clean_numbers`.
"""

from __future__ import annotations

import re

from fiducial.bias.read.asides import FEW
from fiducial.bias.read.text import WAIT, any_of, parts, words

_FILLERS = words(
    """
    approximately approx approx. about around roughly nearly some almost circa ca ca. maybe perhaps probably
    likely just only at a an the is be of to exactly precisely over under slightly more less than proposal option
    number ungefähr etwa rund environ unos aproximadamente minus negative still simply now therefore thus then
    solid score rating it by with for as that equal equals final
    """
) | {"close to", "an estimated", "estimated at"}
_FILL = rf"(?:[\s:=≈~≅→>\"'(\[{{,$€£<_\-–—]|\*|\\approx|\\boxed|\b{any_of(_FILLERS)}(?![a-z]))*"
_FINAL = (
    r"(?:answers?|ans|estimates?|guess|rating|result|verdict|recommendation|solution"
    r"|prediction|forecast|valuation|antwort|réponse|respuesta|risposta|resposta"
    r"|答案|ответ|schätzung)"
)
_LINK = (
    r"(?:\s+(?:to|for|of|in|on|from|the|this|that|your|my|a|question|problem|here|i|it|all|would|will|should|must"
    r"|has|can|be|is"
    r"|scale|based|given|terms|final|overall|best|total|average|number|\w+'s)\b){0,10}"
    r"(?:\s+(?:of|for|in|from|to)(?:\s+(?!not\b|no\b)[a-z][a-z'’-]*){1,6})?"
    r"(?:\s+(?:would|will|should|must|has to|can only|is|be))*"
)
_LOOSE = r"(?:\s+(?!not\b|n't|no\b|isn't|than\b)[a-z][a-z'’-]*){0,8}"
_COPULA = (
    r"(?:\b(?:is|are|was|be|would be|remains|becomes|comes to|equals|ist|est|es|lautet"
    r"|at|stands at)\b|(?<!year)(?<!month)(?<!week)(?<!day)'s\b|是|为|[:=≈~→>]|[-–—](?=\s)|\\approx)"
)
ANSWER_LEFT = re.compile(
    rf"(?P<noun>(?:\b|(?<=[^\x00-\x7f])){_FINAL})(?P<link>{_LINK})\s*[)\"']?\s*,?\s*{_COPULA}(?P<fill>{_FILL}"
    rf")$"
)
_SUM = any_of(
    words(
        """
        total value price number figure sum average mean amount probability chance likelihood percentage height
        population temperature cost score length distance weight age count difference profit share proportion
        remainder quantity speed time rate area volume balance change median year it this that there
        """
    )
)
VALUE_LEFT = re.compile(rf"\b(?P<noun>{_SUM})\b(?P<link>{_LOOSE})\s*[)\"']?\s*,?\s*{_COPULA}(?P<fill>{_FILL})$")
OWN_LEFT = re.compile(
    rf"\b(?:i|we|i'd|i'll|we'd|my|me|ich|je)\b[\s,]*(?:\w+[\s,]+){{0,4}}?(?:estimate"
    rf"|guess|say|rate|pay|offer|bid|go with|going with|choose|pick|put|assign|give"
    rf"|expect|predict|value it|value this|believe|think|settle on|stick with|agree with|answer|recommend"
    rf"|suggest|sell|accept|conclude|select|propose|vote|schätze|dirais|plan (?:for|on)|budget|count on|aim for"
    rf"|reckon"
    rf"|call it|make it|set it|peg it|figure|land on|land at|settle at|end up (?:at|with)|come up with|price it"
    rf"|ask for|charge"
    rf"|allow|project|forecast|settle for|be (?:happy|content|satisfied|fine|okay|ok|comfortable) with"
    rf"|let (?:it|them) go (?:for|at)|part with (?:it|them) for|assume|down (?:for|at))"
    rf"(?P<object>(?:\s+(?:it|this|that|the|them|him|her|you|around|a|an|my|your|company"
    rf"|product|for|at|is|of|as|with|be|to|no more than|up to|there are|there|are"
    rf"|proposal|rating|score|price|value|[a-z]+'?s?)){{0,6}})(?P<fill>{_FILL})$"
)
REVISES_LEFT = re.compile(
    r"\b(?:i|i'd|i'll|i'm|we|we'd|my|let me)\b(?:[^.;\n]|\.(?=\d)){0,30}\b(?:revis|updat|adjust|rais|lower|bump"
    r"|bring|mov|cut"
    r"|correct|increas|reduc|nudg|shift|drop|chang)\w*\b(?:[^.;\n]|\.(?=\d)){0,50}?\b(?:(?:up|down|back|over) )?to"
    r"(?: (?:about|around|roughly|nearer|something like))?\s*[$€£~]?\s*$"
)
"""I'd revise my earlier 18,000 up to … X"""
REVISED_ENDS = (" to", " to about", " to around", " to roughly", " to nearer", " like")
REVISES_PARTS = parts(
    "revis|updat|adjust|rais|lower|bump|bring|mov|cut|correct|increas|reduc|nudg|shift|drop|chang"
)
CAPS_LEFT = re.compile(
    r"\b(?:over|above|exceed(?:ing)?|beyond|past|below|under|ceiling (?:of|at)|floor (?:of|at)|capp?(?:ed"
    r"|ing)? (?:it )?at|cap of"
    r"|limit (?:of|at|is|to)|max(?:imum)?(?: of| is)?|min(?:imum)?(?: of| is)?|at (?:the )?(?:very )?most"
    r"|walk away at)"
    r"\s*[$€£~]?\s*$"
)
"""What one would not go beyond is no answer beside one: "225, and not over 240" """
CAPS_ENDS = parts("over|above|exceed|exceeding|beyond|past|below|under|of|at|is|to|max|min|maximum|minimum|most")
ORDERS_LEFT = re.compile(
    r"(?:^|[.!?;:]\s+|\n\s*)(?:so |then )?(?:count on|allow|plan (?:for|on)|expect|reckon (?:on|with)|budget"
    r"|make it"
    r"|call it)\s+(?:about |around |roughly |at least |a good )*[$€£~]?\s*$"
)
"""Count on X"""
ORDERS_ENDS = parts("on|allow|for|expect|with|budget|it|about|around|roughly|least|good")
OWNED_RIGHT = re.compile(
    r"[\s*)%]*(?:[a-z°]+\s)?(?:(?:is|would be|remains|stays)\s+(?:also\s+|still\s+"
    r"|therefore\s+)?(?:my\s+(?:own |best |final "
    r"|honest |rough |point )*(?:forecast|estimate|guess|answer|prediction|figure|number|bid|offer|price"
    r"|valuation|rating"
    r"|pick|choice|bet)|(?:the|an?) (?:number|figure|price|amount|value) i(?:'d| would|'ll| will)? (?:go with"
    r"|settle on|pick"
    r"|give|choose|use|say|bet on|offer|pay|accept))\b|(?:sounds|seems|looks) (?:about )?right to me\b"
    r"|it is(?=\s*(?:[.!,]|$))|works for me\b|,? to be (?:exact|precise)\b)"
)
"""X is my forecast too"""
CALLS_LEFT = re.compile(r"\b(?:call|consider|deem|find|think) (?:about |around |roughly )?[~$€£]?\s*$")
EXACT = re.compile(r"[\s*)%]*(?:[a-z°]+\s)?,? ?to be (?:exact|precise)\b")
CALLED_RIGHT = re.compile(r"(?:\s?[a-z€£$%]+)?\s+(?:fair|reasonable|about right|appropriate|realistic)\b")
"""I'd call X euros fair"""
THUS = re.compile(
    r"^[\s\-•>]*(?:therefore|thus|so|hence|in conclusion|overall|consequently|ultimately"
    r"|in summary|finally|rounded|rounding|in total|altogether|final|as a result)\b"
)
STATES = re.compile(
    rf"\b(?:is|are|was|were|has|have|had|costs?|weighs?|measures?|equals?|makes?|gets?"
    rf"|stands|leaves?|leaving|gives?|giving|making|yields?|reaching|need|needs|earns?|pays?|spends?|total(?:s"
    rf"|ing)?|rounds?"
    rf" (?:up |down )?to|rounded to|comes to|left|be|took|takes?|lasts?|lasted|carr(?:y|ies|ied)"
    rf"|holds?|held|receive[sd]?|deserves?|merits?|warrants?|scores?|rates?)\b{_FILL}$"
)
ABOUT = re.compile(
    r"(?:,\s+or\s+|(?:,|\blet's)\s+say\s+|\b(?:something like|more like|in the region of|on the order of"
    r"|in the neighbou?rhood of|nearer|closer to|most likely|likely|probably|presumably|i\.e\.,?|that is,?"
    r"|in other words,?|approximately|about"
    r"|around|roughly|nearly|close to|almost|circa|ca\.?"
    r"|estimated at)\s*|[~≈]\s*|\\approx\s*)[$€£\s\"'(]*$"
)
_STEP = (
    "step|review|option|study|table|figure|chapter|section|example|day|question"
    "|version|suspect|case|part|phase|item|point|reason|method|round|level|type"
    "|week|no|nr|number|equation|eq|note|line|page|proposal|group|stage|task|factor"
    "|scenario|problem|q|grade|world war|apollo|top|article"
)
STEP = re.compile(rf"\b(?:{_STEP})s?\.?\s*[#(]?$|#$|\b(?:pp?|vol|ch|sec|fig|tab|art|para)\.\s*$|§\s*$")
YEAR_LEFT = re.compile(
    r"\b(?:in|since|as of|by|of|until|from|around|year|the|census|during|after|before"
    r"|late|early|mid|january|february|march|april|may|june|july|august|september"
    r"|october|november|december|for|and|to|published|©)\s*[,(]?\s*\d{0,2},?\s*$"
    r"|\(\s*$"
)
CONFIDENCE_LEFT = re.compile(
    r"\b(?:confidence|certainty|(?:confident|sure)\b(?! (?:it|that|the|he|she|they|we"
    r"|there)\b))\b[\w\s]{0,20}[:=(]?\s*(?:is|of|at"
    r"|level|score|about|around|approximately|[:=(~\s])*$"
)
OPERATOR = re.compile(
    r"[\s)}\]]*[*×]\s*[a-z(]|[\s)}\]]*(?:[+*/×÷^]|\\times|\\div|\\cdot|[-–](?=\s)|x(?=\s?\d))\s*[(\[{$]*\s*(?:\d"
    r"|\\frac|\()|[-–][$€£]?\d[\d.,]*(?:\s?[-–+*/×÷]\s?[$€£]?\d[\d.,]*)*\s?[=≈]"
)
EQUALS = re.compile(r"[\s)}\]%]*(?:[a-z]+\s)?\s*(?:=|≈)\s*[$€£(\\]*\s*-?[\d.(\\]")
RANGE_GAP = re.compile(
    r"\s*(?:[-–—]|\bto\b|\bor\b(?: (?:maybe|perhaps|possibly|even)\b)?|\bbis\b|\bà\b|\bthrough\b)\s*[$€£~]?\s*"
)
ROOTS_GAP = re.compile(r"\s*,?\s*(?:or|and)\s+([a-z])\s*=\s*[$€£~]?\s*")
ROOT_LEFT = re.compile(r"(?<![\w/.*+-])(?<![\d)] )([a-z])\s*=\s*$")
"""x = 7 or x = -7"""
UNIT_GAP = re.compile(r"\s*(?!and\b|to\b|bis\b|through\b|or\b)(?:°\s?)?[a-z%]{1,10}\.?(?=\s)")
BETWEEN = re.compile(r"\b(?:between|from)\s*(?:about |around |approximately |roughly )?[$€£~]?\s*$")
MEASURED_LEFT = re.compile(
    r"\b(?:mach|factor|category|magnitude|ratio|route|gate|flight|type|model|row|class|beaufort)\s*$"
)
STARS = re.compile(r"\s*-?(?:stars?|points?)\b")
"""What a score is counted in: "4 out of 5 stars" is 4"""
CHANGE = re.compile(
    rf"\b(?:{WAIT}|more precisely|more exactly|actually|correction|on second thoughts?|scratch that|make that"
    rf"|rather"
    r"|no|oops|revis\w+ (?:my \w+ )?to|chang\w+ (?:my \w+ )?to|updat\w+ (?:my \w+"
    r" )?to)\b[\s,.:;!–—-]*(?:it's|it is|i'd say|i'd go with|let's say|make it|more"
    r" like|about|around)?[\s,]*[~$€£]?\s*$"
)
LIST = re.compile(r"^[ \t]*(?:[-•>*]\s*)?(\d{1,3})[.)](?=\s+\S)", re.M)
UNITISH = re.compile(
    r"[\s)}\]\"'*.%°²³?]*(?:[a-zµ°/$€£]+\.?[\s\"')*.]*){0,3}(?:(?:±|\+/-|\\pm)\s*[\d.,]+\s?\w*\s*)?(?:\("
    r"[^()\n]{0,80}\)[\s.]*)?"
)
DANGLES = re.compile(r"(?:,|\b(?:then|and|the|is|of|to|so|or|another|which|a|we))\s*$")
PARTIAL = re.compile(r"\b(?:reviews?|each|first|weights?|every|assume)\b")
NEGATIVE = re.compile(r"\b(?:minus|negative)\s+[$€£]?\s*$")
DENIED = re.compile(
    r"(?:\bnot|n't|\bnever|\brather than|\binstead of|\bneither|\bnor|\bthan (?:pay|accept|offer|spend|bid)"
    r"|(?<!no )\bless than|(?<!no )\bfewer than|(?<!no"
    r" )\bmore than|\bgreater than|\bhigher than|\blower than|\bat least|\bat most"
    r"|\bup to|\bclaim(?:ed|s)?(?: of)?|\bguess(?:ed)? of|\bsuggest(?:ed|ion)(?:"
    r" of)?|\banchor(?: of)?)\s+(?:the\s+|be\s+|by\s+|exactly\s+|about\s+)*[$€£~]?\s*$"
)
OF_OTHERS = re.compile(
    r"\b(?:suggested|initial|incorrect|wrong|previous|your|their|his|her|given|first|stated|original|low|high"
    r"|lower|upper"
    r"|review \d)\s+$"
)
OWNED = re.compile(r"\w'?s'?\s+$")
AFTER_EQUALS = re.compile(r"[=≈]\s*[$€£(\\]*\s*$")
BEST_LEFT = re.compile(
    r"\b(?:(?:my|best|final|own|rough|point|central|honest|single)\s+)+(?:guess|estimate|answer|bet|number|figure"
    r"|bid|offer|price"
    r"|valuation|rating|score)\s*(?:now\s+|today\s+)?(?:of\s+|:\s*)?[$€£~\s\"'(]*$"
)
LIMIT_LEFT = re.compile(
    r"\b(?:i|we|i'd|i'll)\b(?![^.;\n]*\b(?:whether|if|guess|say|tell|know|think|sure|speculate|estimate|claim)\b)"
    r"[^.;\n]{0,30}(?:n't|\bnot|\bnever|\bno)\b[^.;\n]{0,40}\b(?:less|lower|under|below|more"
    r"|higher|over|above"
    r"|fewer|beyond)\s*(?:than)?\s*[$€£~]?\s*$"
)
THUS_LEFT = re.compile(
    r"(?:^|[,;:.(\n–—-]\s*|\s)(?:(?<!or )so|together|thus|therefore|hence|overall|in total|altogether|in all"
    r"|all told|making"
    r"|which makes|i\.e\.|that is"
    r"|in other words|meaning|round(?:s|ed|ing)?(?: it| this| that| up| down"
    r"| off)*(?: to(?: the nearest [a-z]+,?)?)?)[\s,:]*(?:(?:it's"
    r"|it is|about|around|roughly|approximately"
    r"|we get|i get|that's|that is|that makes|a|an|nearly|just|only|let's say|say|call it|at least|at most|up to"
    r"|no more than|no less than|plan (?:for|on)|budget|allow|expect|count on|reckon (?:on|with)|order|buy|bring"
    r"|book|aim for"
    r"|go with|make it|still)\s+)*[~$€£]?\s*$"
)
BEST_LABEL = re.compile(
    r"[ \t\-•>*]*(?:my |the )?(?:best|best (?:guess|estimate)|estimate|central(?: estimate)?|median|most likely"
    r"|base case|point estimate)"
    r"[ \t*]*:[ \t*~$€£]*$"
)
BEST_ENDS = parts("guess|estimate|answer|bet|number|figure|bid|offer|price|valuation|rating|score|of|now|today")
THUS_PARTS = parts(
    "so|together|thus|therefore|hence|overall|total|altogether|in all|all told|mak|i.e.|that is|words|meaning|round"
)
EARLIER = re.compile(r"\b(?:first|initial(?:ly)?|earlier|previous(?:ly)?|original(?:ly)?|at first)\b")
NOT_YEARS = re.compile(
    r"\b(?:comes?|came|amounts?|adds?|adding|sums?|rounds?|rounded|equal|close|leads?|works?|totals?|up|down"
    r"|out)\s+(?:up |out )?(?:to|at)\s*$"
)
SUMMED = re.compile(
    r"\b(?:overall|total|final|answer|result|average|sum|estimate|rating|score|verdict|conclusion|bottom line"
    r"|altogether|net|best|mean|median)\b"
)
LABELLED = re.compile(r"[ \t\-•>*]*(?:[\w'()%/.-]+ ){0,4}[\w'()%/.-]+\s*[:=][ \t~$€£*]*")
BOUNDS = re.compile(
    r"\b(?:low(?:er)?|high(?:er)?|upper|min(?:imum)?|max(?:imum)?|bound|limit|worst|pessimistic|optimistic|try"
    r"|attempt|first"
    r"|earlier|old|previous|confidence|(?:review|step|page)(?= \d)|before)\b[^.\n]{0,12}:\s*[~$€£]?$"
)
BELOW_ZERO = re.compile(r"\s*(?:degrees?\s*(?:celsius|c)?|°\s*c?)?\s*below\s+(?:zero|freezing)\b")
LIMITS = re.compile(
    r"\b(?:at least|at most|up to|no (?:more|less|higher|lower|fewer) than|not (?:more|less) than|nothing (?:below"
    r"|under|above|over)"
    r"|(?:a )?(?:minimum|maximum) of|at the (?:very )?most,?|not a cent (?:less|more) than)\s*[$€£~]?\s*$"
)
CLAUSE_END = re.compile(r"[\s)%°*\"']*(?:[a-zµ°/$€£]+[ )*\"']*){0,3}(?:[.,;!(\n]|$|because|since|as\b)")
THAN_DO = re.compile(
    r"\b(?:(?:rather )?than|instead of) (?:to )?(?:[a-z]+ing|pay|accept|sell|offer|go|spend|bid|settle|take|say"
    r"|put|add)\b"
)
"""I'd rather walk away than pay X"""
UNDER_LEFT = re.compile(r"(?:^|[.!?;:]\s+)(?:if|unless|otherwise|when|without|in case)\b[^.!?;:]*$")
SENTENCE_BEGUN = re.compile(
    r"(?:[.!?…;:–—][\"')]*\s+|(?:^|[.!?]\s+)[a-z][^.,;:\d\n]{2,40},\s+)(?:(?:still|simply|just|only|again"
    r"|exactly)\s+)?[~$€£\"'(]*$"
)
SHORT = re.compile(r"^[^\n]{0,24}$")
NOT = re.compile(r"\bnot\b|n't\b")
NOT_THINK = re.compile(r"\b(?:not|n't)\s+(?:think|believe|say)\b")
EXPRESSION = re.compile(r"[^\d=\\(\[$]*")
NAMED = re.compile(r"\b(?:answer|final|number)[^.\n]{0,20}$")

IF_LEFT = re.compile(
    r"\b(?:if|unless|suppos(?:e|ing)|tell me|let me know|should (?:it|the|there)|provided|(?:had|were) (?:i|we"
    r"|you))\b"
    r"[^,;:]*$"
)
IF_PARTS = parts("if |unless|suppos|tell me|let me know|should |provided|had |were ")
"""Told under a condition: "If you tell me that it holds 2 litres" """
MAYBE_LEFT = re.compile(
    r"\b(?:(?:could|might|may)(?: (?:just as well|also|equally|as well|well|even|easily|possibly))* be|maybe"
    r"|perhaps"
    r"|possibly)(?: (?:about|around|roughly|as (?:much|many|few|high|low) as|even|an?))*\s*[$€£~]?\s*$"
)
MAYBE_PARTS = parts("could|might|may|perhaps|possibl")
WORD_OPENS = re.compile(
    r"(?:(?:exactly|precisely|nearly|almost|about|around|roughly|approximately|minus|negative|some|maybe"
    r"|probably|perhaps|only|just|easily|definitely"
    r"|honestly|surely)\s+)*(?:an?\s+(?P<how>[a-z]+\s+)?)?[\"'(*]*"
)
"""A reply that opens so and goes on with a number in words gives it: "A solid six" """
WORD_FIRST = re.compile(rf"[\s\"'(*]*(?:{WORD_OPENS.pattern}|something like )\b(?:{any_of(FEW)})\b")
PART = re.compile(r"[,;:–—]|\b(?:but|so|however)\b")
WITHHELD_PARTS = parts("n't|not|unable|declin|refus|whether")
ANNOUNCES = re.compile(
    r"\b(?:answer|estimate|guess|total|result|rating|sum|number|figure|value|price|count|that|this|it|which|we|i"
    r"|to)\b"
    r"[^.!?\n\d]{0,50}\b(?:is|are|be|equals|to|gives?|makes?|get|yields?|of|about|approximately|around|roughly"
    r"|say|at)"
    r"[:\s*~$€£]*$|\banswer[\s*]*[:=][\s*]*$"
)
ANNOUNCED = " \n:=*~$€£"
"""What may follow the last word of such a text"""
SUM_CUT = re.compile(r"(?:\s?[%°]|\s?[a-z]{1,3}[²³]?)?(?:\s+[×*+/÷·^-]|\s*[×÷])\s*")
"""What may follow the last number of a text that broke off inside a calculation."""
SUM_LAST = re.compile(r"\d\s+[×*+/÷·]\s+\d[\d.,]*(?<=\d)\s*\Z")
"""A calculation without its result, at the end of a text"""
CODE = re.compile(
    r"^[ \t]*(?:def \w+\(|return [^.\n]*[-+*/<>()]|import \w+$|from \w+ import|for \w+ in [^\n]*:"
    r"|while [^.\n]*:$|print\("
    r"|console\.|\w+ ?[-+*/]= ?|\w+ = [\w.]+\(\w)[^\n]*",
    re.M,
)
CODE_PARTS = parts("def |return |import |for |while |print(|console.|+=|-=|*=|/=| = ")

# What follows are cheap tests before these patterns: each says only whether its pattern can match at all.
MARGIN_ENDS = ("±", "+/-", "\\pm", "minus", "take")
STEP_ENDS = (
    *_STEP.split("|"),
    *(word + "s" for word in _STEP.split("|")),
    *parts("p|vol|ch|sec|fig|tab|art|para|§"),
)
ABOUT_ENDS = parts(
    "or|i.e.|i.e.,|that is|that is,|words|words,|approximately|about|around|roughly|like|say|region of|"
    "order of|hood of|nearer|closer to|nearly|close to|almost|circa|ca|ca.|estimated at|~|≈|\\approx|"
    "likely|probably|presumably"
)
DENIED_PARTS = parts(
    "not|n't|never| than|instead of|neither|nor|at least| most|up to|claim|guess|suggest|anchor|minimum of|maximum of"
)
CHANGE_PARTS = parts("wait|more |actually|correction|thought|scratch|make that|rather|no|oops|revis|chang|updat")
CONFIDENCE_PARTS = ("confiden", "certainty", "sure")
ANSWER_PARTS = parts(
    "ans|estimate|guess|rating|result|verdict|recommendation|solution|prediction|forecast|valuation|antwort|"
    "réponse|respuesta|risposta|resposta|答案|ответ|schätzung"
)
_FILLING = words(" ".join(_FILLERS))
_COPULAS = words("is are was be remains becomes comes equals ist est es lautet at stands 's")
_STATING = words(
    """
    is are was were has have had cost costs weigh weighs measure measures equal equals make makes get gets stands
    leave leaves leaving give gives giving making yield yields reaching need needs earn earns pay pays spend spends
    total totals totaling round rounds up down
    rounded comes left be took take takes last lasts lasted carry carries carried hold holds held receive receives
    received deserve deserves merit merits warrant warrants score scores rate rates to
    """
)
_WRAP = ":=≈~→>\"'([{,$€£<_-–—*"
_LINKS = frozenset(":=≈~→>-–—")
LINKED, STATED = 1, 2


_OWN_WHO = frozenset(("i", "we", "i'd", "i'll", "we'd", "my", "me", "ich", "je"))
_OWN_VERBS = words(
    """
    say estimate guess go going rate pay offer bid choose pick put assign give expect predict value believe think
    settle stick agree answer recommend suggest sell accept conclude select propose vote schätze dirais plan budget
    count aim reckon call make set peg figure land end come price ask charge allow project forecast happy content
    satisfied fine okay ok comfortable let part assume
    """
)
_APART = {ord(c): " " for c in '\n.,;:!?"()[]{}<>=~$€£*—–-'}


def owns(left: str) -> bool:
    """Whether `OWN_LEFT` can match: somebody and a verb of theirs are in the window."""
    said = left.translate(_APART).split()
    return not _OWN_VERBS.isdisjoint(said) and not _OWN_WHO.isdisjoint(said)


def ends_in(left: str) -> int:
    """Whether a copula (for `ANSWER_LEFT`, `VALUE_LEFT`) or a verb of `STATES` is among a window's last words.

    Goes back over words that only fill, to the first that does not.
    """
    if "\\" in left or not left.isascii():
        return LINKED | STATED
    bits = 0
    for word in reversed(left.rsplit(None, 24)):
        bare = word.strip(_WRAP)
        if word != bare and not _LINKS.isdisjoint(word):
            bits |= LINKED
        if not bare:
            continue
        if bare.endswith("'s"):
            bits |= LINKED
        bare = bare.rstrip(".")
        if bare in _COPULAS:
            bits |= LINKED
        if bare in _STATING:
            bits |= STATED
        if bare not in _FILLING:
            break
    return bits

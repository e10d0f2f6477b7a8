"""The words around a number that make it the answer, or an operand, a step, a year, a margin.

As in `cues`, patterns that end in `$` are searched in a short window before the number; the others are
matched after it. All work on lower-case text cleaned by `clean_numbers`.
"""

from __future__ import annotations

import re

_APPROX = (
    r"(?:approximately|approx\.?|about|around|roughly|nearly|close to|some|almost"
    r"|circa|ca\.?|an estimated|estimated at|maybe|perhaps|probably|likely|just|only"
    r"|at|a|an|the|is|be|of|to|exactly|precisely"
    r"|over|under|slightly|more|less|than|proposal|option|number|ungefähr|etwa|rund"
    r"|environ|unos|aproximadamente|minus|negative|still|simply|now|therefore|thus"
    r"|then|solid|score|rating|it|by|with|for|as|that|equal|equals|final)"
)
_FILL = rf"(?:[\s:=≈~≅→>\"'(\[{{,$€£<_\-–—]|\*|\\approx|\\boxed|\b{_APPROX}(?![a-z]))*"
_FINAL = (
    r"(?:answers?|ans|estimates?|guess|rating|result|verdict|recommendation|solution"
    r"|prediction|forecast|valuation|antwort|réponse|respuesta|risposta|resposta"
    r"|答案|ответ|schätzung)"
)
_LINK = (
    r"(?:\s+(?:to|for|of|in|on|from|the|this|that|your|my|a|question|problem|here|i|it|all|would|will|should|must|has|can|be|is"
    r"|scale|based|given|terms|final|overall|best|total|average|number|\w+'s)\b){0,10}"
    r"(?:\s+(?:of|for|in|from|to)(?:\s+(?!not\b|no\b)[a-z][a-z'’-]*){1,6})?"
    r"(?:\s+(?:would|will|should|must|has to|can only|is|be))*"
)
_LOOSE = r"(?:\s+(?!not\b|n't|no\b|isn't|than\b)[a-z][a-z'’-]*){0,8}"
_COPULA = (
    r"(?:\b(?:is|are|was|be|would be|remains|becomes|comes to|equals|ist|est|es|lautet"
    r"|at|stands at)\b|'s\b|是|为|[:=≈~→>]|[-–—](?=\s)|\\approx)"
)
ANSWER_LEFT = re.compile(
    rf"(?P<noun>(?:\b|(?<=[^\x00-\x7f])){_FINAL})(?P<link>{_LINK})\s*[)\"']?\s*,?\s*{_COPULA}(?P<fill>{_FILL}"
    rf")$"
)
_SUM = (
    r"(?:total|value|price|number|figure|sum|average|mean|amount|probability|chance"
    r"|likelihood|percentage|height|population|temperature|cost|score|length|distance"
    r"|weight|age|count|difference|profit|share|proportion|remainder|quantity|speed"
    r"|time|rate|area|volume|balance|change|median|year|it|this|that|there)"
)
VALUE_LEFT = re.compile(rf"\b(?P<noun>{_SUM})\b(?P<link>{_LOOSE})\s*[)\"']?\s*,?\s*{_COPULA}(?P<fill>{_FILL})$")
OWN_LEFT = re.compile(
    rf"\b(?:i|we|i'd|i'll|we'd|my|me|ich|je)\b[\s,]*(?:\w+[\s,]+){{0,4}}?(?:estimate"
    rf"|guess|say|rate|pay|offer|bid|go with|going with|choose|pick|put|assign|give"
    rf"|expect|predict|value it|value this|believe|think|settle on|stick with|agree with|answer|recommend"
    rf"|suggest|sell|accept|conclude|select|propose|vote|schätze|dirais)"
    rf"(?P<object>(?:\s+(?:it|this|that|the|them|him|her|you|around|a|an|my|your|company"
    rf"|product|for|at|is|of|as|with|be|to|no more than|up to|there are|there|are"
    rf"|proposal|rating|score|price|value|[a-z]+'?s?)){{0,6}})(?P<fill>{_FILL})$"
)
THUS = re.compile(
    r"^[\s\-•>]*(?:therefore|thus|so|hence|in conclusion|overall|consequently|ultimately"
    r"|in summary|finally|rounded|rounding|in total|altogether|final|as a result)\b"
)
STATES = re.compile(
    rf"\b(?:is|are|was|were|has|have|had|costs?|weighs?|measures?|equals?|makes?|gets?"
    rf"|stands|leaves?|gives?|need|needs|earns?|pays?|spends?|total(?:s|ing)?|rounds?"
    rf" (?:up |down )?to|rounded to|comes to|left|be|took|takes?|lasts?|lasted|carr(?:y|ies|ied)"
    rf"|holds?|held|receive[sd]?)\b{_FILL}$"
)
ABOUT = re.compile(
    r"(?:,\s+or\s+|\b(?:i\.e\.,?|that is,?|in other words,?|approximately|about"
    r"|around|roughly|nearly|close to|almost|circa|ca\.?"
    r"|estimated at)\s*|[~≈]\s*|\\approx\s*)[$€£\s\"'(]*$"
)
STEP = re.compile(
    r"\b(?:step|review|option|study|table|figure|chapter|section|example|day|question"
    r"|version|suspect|case|part|phase|item|point|reason|method|round|level|type"
    r"|week|no|nr|number|equation|eq|note|line|page|proposal|group|stage|task|factor"
    r"|scenario|problem|q|grade|world war|apollo|top|article)s?\.?\s*[#(]?$|#$"
)
YEAR_LEFT = re.compile(
    r"\b(?:in|since|as of|by|of|until|from|around|year|the|census|during|after|before"
    r"|late|early|mid|january|february|march|april|may|june|july|august|september"
    r"|october|november|december|for|and|to|published|©)\s*[,(]?\s*\d{0,2},?\s*$"
    r"|\(\s*$"
)
ASIDE = re.compile(
    r"[ \t*)]*(?:%|percent)?[ \t]*(?:confidence|confident|certain|sure|ci\b|credible)"
    r"|[ \t*)]*(?:th|st|nd) percentile"
)
CONFIDENCE_LEFT = re.compile(
    r"\b(?:confidence|certainty|confident|sure)\b[\w\s]{0,20}[:=(]?\s*(?:is|of|at"
    r"|level|score|about|around|approximately|[:=(~\s])*$"
)
OPERATOR = re.compile(
    r"[\s)}\]]*(?:[+*/×÷^]|\\times|\\div|\\cdot|[-–](?=\s)|x(?=\s?\d))\s*[(\[{$]*\s*(?:\d"
    r"|\\frac|\()"
)
EQUALS = re.compile(r"[\s)}\]%]*(?:[a-z]+\s)?\s*(?:=|≈)\s*[$€£(\\]*\s*-?[\d.(\\]")
RANGE_GAP = re.compile(r"\s*(?:[-–—]|\bto\b|\bbis\b|\bà\b|\bthrough\b)\s*[$€£~]?\s*")
BETWEEN = re.compile(r"\b(?:between|from)\s*(?:about |around |approximately |roughly )?[$€£~]?\s*$")
MARGIN = re.compile(r"(?:±|\+/-|\\pm|plus or minus|give or take)\s*[$€£]?\s*$")
CHANGE = re.compile(
    r"\b(?:wait|actually|correction|on second thoughts?|scratch that|make that|rather"
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
    r"(?:\bnot|n't|\bnever|\brather than|\binstead of|\bnor|(?<!no )\bless than|(?<!no"
    r" )\bmore than|\bgreater than|\bhigher than|\blower than|\bat least|\bat most"
    r"|\bup to|\bclaim(?:ed|s)?(?: of)?|\bguess(?:ed)? of|\bsuggest(?:ed|ion)(?:"
    r" of)?|\banchor(?: of)?)\s+(?:the\s+|be\s+|by\s+|exactly\s+|about\s+)*[$€£~]?\s*$"
)
OF_OTHERS = re.compile(
    r"\b(?:suggested|initial|incorrect|wrong|previous|your|their|his|her|given|first|stated|original|low|high|lower|upper"
    r"|review \d)\s+$"
)
OWNED = re.compile(r"\w'?s'?\s+$")
AFTER_EQUALS = re.compile(r"[=≈]\s*[$€£(\\]*\s*$")
SHORT = re.compile(r"^[^\n]{0,24}$")
NOT = re.compile(r"\bnot\b|n't\b")
NOT_THINK = re.compile(r"\b(?:not|n't)\s+(?:think|believe|say)\b")
EXPRESSION = re.compile(r"[^\d=\\(\[$]*")
NAMED = re.compile(r"\b(?:answer|final|number)[^.\n]{0,20}$")

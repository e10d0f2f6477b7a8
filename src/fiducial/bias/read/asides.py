"""The words that set a number aside: what is compared, assumed, noted, moved from, or only counted off.

As in `around`, patterns that end in `$` are searched in a short window before the number.
"""

from __future__ import annotations

import re

from fiducial.bias.read.text import any_of, parts, words

FEW = words(
    """
    two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen
"""
)
NUMBERED = re.compile(rf"\d|\b(?:{any_of(FEW)})\b")
COMPARES = re.compile(
    r"\W*(?:(?:for|by|in|as a|just for) (?:a )?(?:comparison|reference|context|contrast|scale|perspective)\b"
    r"|compare (?:that|this)"
    r"|incidentally\b|by the way\b|for the record\b|not to be confused\b|(?:this|that) compares\b|compared (?:to"
    r"|with)\b)"
)
"""For comparison, the Moon has X"""
ONLY_COMPARES = re.compile(
    r"\W*(?:for|by|in) (?:comparison|reference|context|contrast)\b|\W*(?:incidentally|by the way)\b"
)
NOT_ASKED = re.compile(
    r"[^.;!?\n]{0,40},? but (?:you asked|that(?:'s| is) (?:not|n't|another|a different|for|the)|that isn't"
    r"|the question)\b"
)
"""The region has X, but you asked about the city"""
THOSE = re.compile(r"\b(?:those|these|the|both|other|all|either) $")
"""Those two: things already named, not counted"""
BY_LEFT = re.compile(r"\bby (?:about |around |roughly |some |another |only )?$")
BY_ENDS = parts("by|about|around|roughly|some|another|only")
MOVES_TO = re.compile(
    r"\b(?:ris|rose|fall|fell|drop|grow|grew|climb|increas|decreas|sink|sank|reach|get|went|go"
    r"|com)\w*\b[^.\n]{0,40},? to\s*[$€£]?\s*$"
)
MORE_THAN = re.compile(r"\s(?:[a-z]+\s)?(?:more|fewer|less|higher|lower) than\b|\s(?:[a-z]+\s)?(?:ahead|behind)\b")
FROM_TO = re.compile(r"\bfrom\s+[$€£]?\s*$|\bfrom\s+[$€£]?-?[\d.,]+\s?(?:%|°?\s?[a-z]{1,10})?\s+to\s+[$€£]?\s*$")
BULLET = re.compile(r"[ \t]*(?:[-•*+–]|\d{1,2}[.)])[ \t]+")
ASSUMES = re.compile(
    r"\b(?:assum\w*|given|inputs?|notes?|sources?|caveats?|conditions?|parameters?|data|constraints?|steps?"
    r"|breakdown|details"
    r"|based on|where)\b[^:\n]{0,40}:[\s*]*$"
)
LISTS = re.compile(
    r"\s+(?:\w+\s+)?(?:reasons|ways|factors|considerations|aspects|caveats|problems|issues"
    r"|methods|approaches|scenarios|possibilities|orders? of magnitude)\b"
)
RELATIVE = re.compile(r"\s*(?:above|below|more|less|higher|lower|over|under|off)\b")
PRECISION = re.compile(r"\s*(?:of (?:them|those|these)\b|decimal|significant|digit|places?\b|d\.?p\b|s\.?f\b)")
MOVES_LEFT = re.compile(
    r"\b(?:dropp|f[ae]ll|rose|rise|went|increas|decreas|grew|climb|declin|sank|mov|chang|jump|slid"
    r"|shr[aiu]nk)\w*\b[^.\n]{0,20}\bfrom\s*$"
)
MARGIN = re.compile(r"(?:±|\+/-|\\pm|plus or minus|give or take)\s*[$€£]?\s*$")
ASIDE = re.compile(
    r"[ \t*)]*(?:%|percent)?[ \t]*(?:\([^()\n]{0,20}\)[ \t]*)?(?:confidence|confident|certain|sure|ci\b|credible)"
    r"|[ \t*)]*(?:th|st|nd) percentile"
)
CONCEDED = re.compile(r"\d[^.;\n]*[,\s](?:though|although|albeit)\s+[^,;.\n]*$")
"""What is only granted after an answer: "I'd be happy with 16, though I'd start at 22" """
STANDS = re.compile(r"\s+(?:would|will|is|might|could|may|seems|also)\b")
COULD_SAY = re.compile(r"\b(?:i|we) could (?:\w+ )?(?:tell|say|guess|give|name|claim|pretend)\b[^,;]*$")
SAID_BEFORE = re.compile(
    r"\b(?:earlier|before|previously|first|originally|initially),? i (?:had )?(?:said|wrote|gave|answered|put"
    r"|guessed)\b[^,;]*$"
)
"""Earlier I said X"""
ATTRIBUTED = re.compile(
    r",?\s*(?:according to|(?:says|say|claims?) (?:the|my|his|her|their)\b|if you believe|as the \w+ (?:says?"
    r"|claims?))"
)
"""X, according to the guide"""
OTHERWISE = re.compile(
    r"\W*(?:with|without) (?:an? |any |more|less|fewer|better|worse|another|\w+er )[^.\n]{2,60}\bi(?:'d| would)\b"
)
"""What sets a number in another case"""

"""The words that give a clause its force: deciding, concluding, rejecting; supposing, granting, reporting."""

from __future__ import annotations

import re

from fiducial.bias.read.text import words

END = re.compile(r"[.!?…]+[\"')*]*(?=\s|$)|\n+")
CUT = re.compile(
    r"(?P<mark>;|:(?=\s)|\s[-–—]+\s|[–—]|\.\.\.|,\s+(?=(?:(?:so|and|but|yet) )?(?:i|we|i'd|i'll|we'd|let's|it"
    r"|it's|that|they|this|he|she|you)\b))"
    r"|(?:,\s*)?\b(?P<word>but|however|yet|nevertheless|nonetheless|therefore|thus|hence|so(?! (?:that|far|much"
    r"|many|little|few|long"
    r"|different|near|clos|good|as|well|is|do|does|would|it|bad|high|low|small|large|i said)\b)(?!-)|because"
    r"|since|although|though|even"
    r" (?:if|though|when|at)|whereas|while|unless|if|whether|when(?=\s)|provided(?= (?:that|the|it|you|they|we|he"
    r"|she)\b)|assuming|suppose|rather than|instead"
    r" of|as opposed to|unlike|which|(?<=, )not|as (?=(?:it|this|that|they|we|i|he|she)\b)|(?<=, )as"
    r"|and (?=(?:don't|do not|never|i"
    r"|we|i'd|so|then|take|go|choose|pick|opt|stick|keep|buy|use)\b)|given(?! )|despite"
    r"|in spite of|otherwise)\b"
)
WORDS_ASIDE = words("because since although though whereas while unlike which as given despite even when")
WORDS_IF = words("if unless provided assuming suppose whether otherwise")
WORDS_NOT = ("rather than", "instead of", "as opposed to", "not", "unlike")
WORDS_SO = words("so therefore thus hence")
WORDS_BUT = words("but however yet nevertheless nonetheless")

_ADVERB = (
    r"(?:\w+ly|still|just|also|then|therefore|thus|definitely|rather|much|always|now|even|at least|of course"
    r"|indeed)"
)
_WILL = (
    r"(?:\b(?:i|we)(?:'d|'ll|\s+(?:would|will|shall|should|must|ought to|can only|am going to|'m going to))"
    r"|\b(?:i'm|i am|we're|we are) (?:going to|inclined to|tempted to|ready to|willing to)"
    r"|\b(?:you|he|she|they|it|one|(?:the|this|your|my|our) [a-z]+|[a-z]+) (?:should|must|ought to|had better"
    r"|needs? to|has to)"
    r"|\blet's|\blet us|\b(?:my|our) (?:advice|recommendation|suggestion|decision|plan|choice|instinct"
    r"|inclination|answer|verdict)"
    r"(?: [a-z]+){0,4} (?:is|would be|remains) to)"
)
SPEAKERS = words(
    """
    i we i'd i'll i'm we'd we'll we're my our me let's let should must ought had need needs has gets wins
    """
)
"""Of which a clause has one where somebody wants something."""
DECISION = re.compile(
    rf"{_WILL}(?P<pre>(?>,?\s+{_ADVERB}\b,?)*)(?P<not>n't|\s+(?:not|never"
    rf"|n't))?(?>,?\s+{_ADVERB}\b,?)*\s+(?:be (?:inclined|tempted|happy|willing"
    rf"|ready|glad|comfortable|content) (?:to |with )|probably |want to |choose to |decide to |opt to "
    rf"|have to )?(?P<verb>[a-z]+(?:-[a-z]+)?)"
)
STICKS = re.compile(
    r"(?:stick|sticking|stand|standing) (?:to|with|by) (?:it|that|this|my (?:story|guns|word|answer))\b"
)
NOR = re.compile(r"\bnor (?:would|will|should|could) (?:i|we|you|he|she|they) (?P<verb>[a-z]+)")
PRESENT = re.compile(
    r"\b(?:i|we(?! take| keep| go| leave))(?:\s+(?:do|would|am|are)|'m|'re)?(?>\s+(?:\w+ly|still|therefore|thus"
    r"|also|then)\b)*(?P<not>\s+(?:not|don't|do not|never)"
    r"|\s+(?:don't|won't|wouldn't|can't|cannot))?(?:\s+\w+ly)?\s+(?P<verb>choos(?:e|ing)|pick(?:ing)?"
    r"|select(?:ing)?|tak(?:e|ing)|favou?r(?:ing)?|prefer|support(?:ing)?|recommend(?:ing)?"
    r"|suggest(?:ing)?|advise|propose|opt(?:ing)?|vot(?:e|ing)|go(?:ing)?|stick(?:ing)?|stay(?:ing)?|lean(?:ing)?"
    r"|sid(?:e|ing)|settl(?:e|ing)|back(?:ing)?|bet(?:ting)?|award|hire|hiring|decided?|rate|endorse|reject"
    r"|oppose|switch(?:ing)?|keep(?:ing)?|sell(?:ing)?|buy(?:ing)?|accept(?:ing)?|declin(?:e|ing)|believe|think"
    r"|estimate|expect|guess|reckon|leaving|leave|drop(?:ping)?)\b"
)
OWN = re.compile(
    r"\b(?:my|our) (?:own |final |personal |clear |first |top |strong )*(?:vote|pick|choice|advice|recommendation"
    r"|preference|decision|verdict"
    r"|bet|money|nod|selection|answer|suggestion|winner|favou?rite"
    r"|[a-z]+ dollars)\b(?: [a-z]+){0,5}?\s*(?P<verb>go(?:es)? (?:to|on|with|for)|is|would (?:\w+ )?be"
    r"|would go to|remains"
    r"|falls on|lies with|stays with|:)"
    r"|(?P<after>\s(?:gets|has|wins) my (?:vote|nod|money|pick|backing|support|blessing))"
    r"|\b(?:let me have|put me down for|count me in for|sign me up for|give me|make mine)(?P<put>)"
)
IT_IS = re.compile(
    r"\s+it(?:'s| is| shall be| must be|'ll be| will be|'ll have to be| will have to be)(?:,? then)?\s*(?:$|,)"
    r"|\s+for me\s*$|,\s+then\s*$"
)
UNDONE_VERB = re.compile(r"\s+(?:\w+(?:ed|en|ne)|said|gone|made|bought|sold|kept|put|left|thought|had)\b")
ITEM = re.compile(r"\s*(?:[-•>#]+\s*(?:\(?\w{1,2}[.):]+\s*)?|\(?(?:option |proposal )?[a-z0-9]{1,2}[.):]+\s*)")
ORDER = re.compile(
    r"\W*(?>(?:so|then|and|but|just|simply|please|therefore|instead|better|we|i|\w+ly)[,:]?\s+)*(?P<not>(?:don't"
    r"|do not"
    r"|never)\s+)?(?:have (?:it|them) )?(?P<verb>[a-z]+)\b"
    r"(?!'|\s+(?:is|was|are|would|will|can|could|may|might|has|costs?|means|takes|seems|at|of)\b)"
)
BARE = re.compile(
    r"\W*(?:(?:so|then|thus|therefore|and|but|overall|ok|okay|well|yes|no|personally|definitely|honestly"
    r"|hence)[,:]?\s+)*"
    r"(?:(?:going|sticking|staying|leaning|opting|voting|settling|siding) (?P<ing>with|for|to|towards?|on)\b"
    r"|(?:thumbs up|three cheers|hooray|hats off|yes) (?:for|to)\b"
    r"|(?:take|use|choose|pick|select|go (?:for|with)|opt for|stick (?:with|to)|settle for|put (?:it|them) (?:in"
    r"|on)"
    r"|make it)\b(?!s))"
)
CLEFT = re.compile(
    r"(?:\bis|'s|\bare)\s+(?:exactly |precisely |simply |clearly |therefore |also )?(?:what|who|whom|where"
    r"|the (?:one|option|choice|way|place|plan|offer)"
    r"(?: that| which)?|which|how)\s+(?=(?:i|we)(?:'d|'ll| would| will| am|'m)?\b)"
)
SAYS = words(
    """
    say argue note mention think consider compare describe expect imagine point need want like know love worry hesitate
    understand agree admit grant begin look explain analyze analyse evaluate assess discuss weigh calculate
    feel regret enjoy hate see find remember hope wish be become add emphasize emphasise stress guess
    believe suspect assume reckon estimate lose gain earn face wonder appreciate suggest
    """
)
TURNS = words("avoid reject skip decline rule drop refuse never dismiss exclude discard oppose eliminate")
TURNS_DOWN = re.compile(
    r"\s*(?:well |far )?(?:against|clear of|away from|out\b|down\b|off\b(?! on)|on(?= (?:that|this|the|it)\b))"
)
LEAVERS = words("leave rule cross strike")
TURNERS = words("advise recommend vote steer stay turn argue warn be pass decide keep")
OTHERS = re.compile(
    r"\b(?:many|most|some|few) (?:of us|people|would|might|may|could|startups?|companies|students|investors"
    r"|buyers|managers|experts)\b|\b(?:people (?:often|might|may|tend|would|who|think|say|will|usually)|others"
    r"|someone|everyone|everybody|anyone|critics"
    r"|students|economists|customers|who would|a \w+ (?:\w+ )?would|an \w+ (?:\w+ )?would)\b|\b(?:tempt\w*"
    r"|at first(?: glance)?|initially|originally|first (?:instinct|thought|impression)"
    r"|used to|was (?:going|leaning|inclined|tempted)|thought|started out|would have)\b"
)
DOUBTS = re.compile(
    r"(?:\bnot|n't|\bnever|\bhardly) (?:sure|certain|clear|convinced|think|believe|say|mean|know)\b|\b(?:doubt"
    r"|whether|why|how)\b|\bno matter\b"
    r"|\bregardless\b"
)
DENIES = re.compile(r"(?:\bnot|n't) (?:think|believe)\s+(?:that\s+)?$")
UNWISE = re.compile(
    r"\b(?:unwise|foolish|reckless|premature|mad|crazy|insane|silly|stupid|a fool|an idiot|a (?:big |bad "
    r"|grave )?(?:mistake|idea)|wrong|(?:no|little|hardly any) (?:compelling "
    r"|good |real )?reason)"
    r" (?:for \w+ )?(?P<not>not )?to\s+"
)
ASKS = re.compile(r"(?:\s+\w+){0,3}\s+(?:whether|why|how|either|between)\b")
STOPS = re.compile(
    r",?\s(?:than|over|before|after|without|rather than|ahead of|instead of|not|against|despite|in spite of)\s"
    r"|,\s(?:and|which|whose|who|with)\s"
)
LEFT_OUT = re.compile(
    r"\b(?:avoid|skip|drop|reject|decline|discard|dismiss|exclude|eliminate|refuse)\b"
    r"|\b(?:leave|rule|cross|strike|turn|set|throw)\b.{0,60}\b(?:behind|out|off|down|aside|away)\s*$|\bpass on\s*$"
)
TAIL = re.compile(
    r",?\s+(?:no (?:contest|question|doubt(?: about it)?)|hands down|every time|any (?:day|time)|easily"
    r"|definitely|please|obviously"
    r"|clearly|without (?:a doubt|question|hesitation)|for sure|of course|all the way|thanks|then|first)\s*$"
)
"""What may follow an option that is all a sentence names"""
LEADS_UP = re.compile(
    r"\W*(?:were (?:it|i|this)|if it (?:were|was)|in (?:your|his|her|their|its|this|that|my)|for (?:me|my|this"
    r"|that|you)|at (?:her|his|my|your|their|this|that)|on balance|all in all"
    r"|all things|in the end|after all|at the end|when all|given|considering|with|so|then|well|still|honestly"
    r"|frankly|personally)\b"
)
UNDONE = re.compile(r"\s*(?:i|we)(?:'d| would| had| could)? have\b")
FORCED = re.compile(
    r"\W*(?:i|we|one|you) (?:absolutely |really |simply |just )?(?:ha(?:d|ve) to|were (?:to|you|in|him|her|them"
    r"|his|their|your"
    r"|the|forced|asked|pressed)|was (?:to|forced|asked|pressed)|must|put"
    r"|imagine|picture|place|could|did|can"
    r"|need(?:ed)?|insist|want me|ignore|look|ask)\b"
    r"|\W*(?:forced|pressed|pushed|required|asked|necessary|any|so|anything|it were (?:up to )?me"
    r"|it was up to me)\b"
)
NEGATED = re.compile(
    r"\b(?:not|never|cannot|nor|neither|hardly|nothing)\b(?! (?:only|just|enough))|n't\b|\b(?:(?:is|are) out"
    r"|ruled out|rule out"
    r"|excluded|eliminated?|out of the question|too (?:\w+)|wrong|incorrect|false|worse|worst"
    r"|(?:un|less )likely|second best|runner-up|fallback|off the table|a mistake|inferior|fails?|no (?:good"
    r"|reason|point|way|longer))\b"
)
_ADJ = (
    r"(?:better|best|right|correct|wise[rs]t?|wiser|smart(?:er|est)|safe[rs]t?|sensible|sound(?:er|est)"
    r"|preferable|superior|optimal|ideal|strong(?:er|est)|winner|answer|way to go|way forward|obvious|clear"
    r"|fair(?:er|est)?|realistic|rational|reasonable"
    r"|(?:more|most|likeliest|far more|much more) (?:likely|probable|plausible|sensible|rational|reasonable"
    r"|promising|suitable|appropriate|attractive|important|convincing|responsible)|likeliest|responsible|true"
    r"|accurate|appropriate|logical|natural|only (?:one|option|sensible|real|procedure|reasonable)|one to)"
)
VERDICT = re.compile(
    rf"\s(?:(?:is|are|was|seems?|looks?|appears?|would be|must be|has to be|should be|remains|sounds"
    rf"|strikes me as|feels|'s|stands out as|emerges as)(?: (?:to be|like))?\s+(?>{_ADVERB}\s+)*(?:the |my |our "
    rf"|a |an )?"
    rf"(?>\w+ly |clear |overall |single |only |far |much |more |most )*{_ADJ}\b"
    r"|(?:wins|comes out (?:on top|ahead)|takes it|gets the|deserves|beats|trumps|outweighs|fits best|suits"
    r"|strikes (?:me as )?the (?:best|right|better) \w+|stands out|fits the bill|is hard to beat|ticks (?:all"
    r"|most|every|more)\b"
    r"|comes closest|offers the (?:best|most|better)|gives (?:us|me) the (?:best|most)|is what (?:decides"
    r"|counts)|will do"
    r"|would do\b|does it for me|has the edge|makes (?:the most|more|most) sense|carries the day))"
)
MAKES = re.compile(r"\bmakes?\s+(?P<object>[^,.;]{1,80}?)\s+(?:the |a |our |my )?(?:\w+ly )?" + _ADJ)
POINTS = re.compile(
    r"\b(?:(?:that|which|this|elimination|it) leaves(?: (?:us|me|only|you))?(?: with)?|(?:it's|it is) (?:far "
    r"|much )?(?:more|most) (?:likely|probable) that|left with|(?:what|all that|that) (?:remains|is left)(?: is)?"
    r"|speaks? for|speaks? in favou?r of|favou?rs?|points? (?:to|towards?)|argues? for|tips? (?:the (?:scales?"
    r"|balance) )?(?:towards?|in favou?r of|to)|comes? down to"
    r"|it(?:'s| is| would be|'d be| seems| makes)(?: \w+ly| far| much| the| most| more| good)* (?:best|better"
    r"|wise|wiser|wisest|smarter|sensible|right|rational|reasonable|sense) (?:just )?to|it's time (?:for|to)"
    r"|(?:the|my) (?:(?:clear|clearly|single|very) )?(?:best|strongest|safest|wisest|smartest"
    r"|(?:most )[a-z]+)(?: [a-z]+){0,5} (?:is|would be|must be|has to be|seems to be|remains)(?: to)?"
    r"|(?:answer|choice|option|pick|compromise|solution|course|decision|diagnosis|explanation|winner|bet|call"
    r"|move|thing to do|one|way|figure|number|estimate|value|appraisal|forecast)(?: [a-z]+){0,3} (?:is|comes to"
    r"|must be|would be|remains|has to be|lies? (?:in|with)|should be)(?: to)?|in favou?r of|goes to|go with"
    r"|must be|has to be)\s+"
)
IT_WOULD_BE = re.compile(
    r"\W*(?:then |so )?(?:it|that|this|the (?:right )?answer)(?:'s| is|'d be| would be| will be|'ll be"
    r"| would have to be"
    r"| should be| must be| has to be)\s+"
)
"""After "if I had to pick one": it would be X"""
SO = re.compile(r"\W*(?:so|therefore|thus|hence|ultimately|in conclusion|by elimination)\b")
BACK = frozenset(
    ("", "that", "this", "it", "which", "he", "she", "and that", "and she", "and he", "so this", "so that")
)
HOLDS = words("say argue think guess believe")
AGAINST = re.compile(r"\s*(?:not|n't|never|against)\b")
FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|would|will|can|could|may|might|should|does|do|did|means|gives|makes|gets"
    r"|needs|seems|costs|takes|i|we|be|\w+'s|they're|\w+n't)\b"
)

"""The words that make a mention a commitment, and those that take it back.

Patterns called `..._LEFT` are searched in a short window that ends where the mention begins (they end
in `$`); those called `..._RIGHT` are matched where it ends. All work on lower-case, cleaned text. A
window is at most 130 characters, so no pattern can run away.
"""

from __future__ import annotations

import re

from fiducial.bias.read.text import WAIT, any_of, holds, parts, words

_NOUNS = words(
    """
    answer answers ans anser answr awnser anwser asnwer choice option selection pick letter solution response
    recommendation decision verdict
    conclusion preference vote suggestion guess bet proposal statement candidate alternative sequence plan
    program policy one antwort lösung réponse reponse respuesta risposta resposta ответ svar antwoord odpowiedź
    cevap wahl opción opcion opção opzione optie
    """
)
_FILL_WORDS = words(
    """
    therefore thus then indeed actually most likely probably still simply just only that now hence so also option
    options choice letter answer number statement alternative the again definitely clearly certainly obviously
    would be is it with for correct right best final proposal plan program policy candidate sequence to option:
    marked labeled labelled as follows below above going go die la el le der il réponse respuesta risposta resposta
    antwort lettre letra buchstabe lettera
    alternativa alternative opción opcion wahl opzione
    opção optie l'option l'opzione
    """
) | {"in fact", "of course", "given by", "represented by"}
_FILL = rf"(?:[\s:=>\"'(\[{{,<→➡\-–—]|\b{any_of(_FILL_WORDS)}\b)*"
_COPULA = (
    r"(?:\b(?:is|are|was|be|remains|becomes|ist|est|es|è|é|lautet)\b|'s\b|是|为|為|は"
    r"|은|는|[:=→➡>]|[-–—](?=\s)|(?<=\s)[-–—])"
)
_LINKS = words(
    """
    choice option letter here to for of in the this that these your given above question problem i we would will
    should must has could can only give choose pick select my case scenario provided following among from options
    choices statement all which best describes matches fits reflects aligns with passage sentence blank therefore
    then thus most likely and correct multiple correcta correcte corretta correta richtige final appears seems
    according based on text information is not true false incorrect
    """
)
_LINK = rf"(?:\s+(?:{any_of(_LINKS)}|\([a-z0-9 ]{{1,12}}\))\b){{0,10}}"
_IS = rf"\s*[)\"']?\s*,?\s*{_COPULA}(?:\s|{_COPULA})*(?P<fill>{_FILL})$"
_ANSWER = re.compile(rf"\b(?P<kind>{any_of(_NOUNS)})\b(?P<link>{_LINK}){_IS}")
_SAID = re.compile(
    r"(?:\b(?:closest(?: (?:one|option|answer|match|choice))?"
    r"|(?:most|best) (?:promising|likely|probable|suitable|appropriate|reliable"
    r"|plausible)(?: (?:one|proposal|option|choice|answer|candidate))?)|答案|正解|答え|回答"
    rf"|正确选项|正确答案|选项|选择|我选|選擇|정답|답)(?P<kind>)(?P<link>){_IS}"
)
_SAID_PARTS = ("closest", "most ", "best ")
_APART = {ord(c): " " for c in "\n\"'()[]{}<>:;,.!?=-–—/|"}


def answer_left(left: str) -> re.Match[str] | None:
    """The answer (to this question) is … X: the noun is `kind`, empty for "the closest is …"."""
    far = not left.isascii()
    found = None
    if far or not _NOUNS.isdisjoint(left.translate(_APART).split()):
        found = _ANSWER.search(left)
    if far or holds(left, _SAID_PARTS):
        said = _SAID.search(left)
        if said and (found is None or said.start() <= found.start()):
            return said
    return found


BAD_ANSWER = re.compile(
    r"\b(?:incorrect|wrong|worst|tempting|popular|intuitive|na[iï]ve|trap|distractor"
    r"|bad|common|opposite|alternative|another|other"
    r"|initial|previous|earlier|your|their|his|her|user's|least|second|eliminated?"
    r"|next|possible|plausible|potential|first)"
    r"(?:[- ](?:best|likely))?\s+$"
)

_VERB = (
    r"(?:choos(?:e|ing)|chose|select(?:ing|ed)?|pick(?:ing|ed)?|go(?:ing)? (?:with"
    r"|for)|goes to|(?:preference|weakness|soft spot) for|put (?:me|us|(?:my|our) \w+) down (?:for|as)"
    r"|sign (?:me|us) up for|make mine|i'm for|agreed? on|went with|opt(?:ing"
    r"|ed)? for|vot(?:e|ing) for"
    r"|recommend(?:ing)?|prefer|favou?r|suggest|tak(?:e|ing)|settl(?:e|ing) (?:on"
    r"|for)|stick(?:ing)? (?:with|to)"
    r"|lean(?:ing)?(?: \w+ly| more)? (?:towards?|to)|decid(?:e|ed) (?:on|for)|sid(?:e"
    r"|ing) with|bet on|hire|support|accept|adopt"
    r"|invest in|buy|attend|say|guess|answer with|answer|respond with|conclude|believe"
    r"|think|focus (?:more )?on|propose|keep|implement"
    r"|prioriti[sz]e|declare|rate|rank|choose to|nehme|wähle|choisis|elijo|escolho"
    r"|lean(?:ing)?|leans|plump(?:ing)? for|com(?:e|ing) down (?:on|for)|land(?:ing|ed)? on|end(?:ing)? up (?:with"
    r"|at|on)|back"
    r"|endorse|in favou?r of|(?:on|take) the side of|cast my (?:vote|ballot) for|mark(?:ing)?|circle"
    r"|lock(?:ing)? in|putting"
    r"|stay(?:ing)? with|advise|urge|commit(?:ting)? to|swing to|fund|order|tick|start with|put my money on"
    r"|root for|speaks? for|said for|argues? for|(?:inclined|inclining|tend(?:ing)?|drawn|gravitat(?:e|ing)"
    r"|tilt(?:ing)?)"
    r" (?:towards?|to)|partial to|opte pour|opterais pour|prends|choisirais|scelgo|prefiero|prendo|kies"
    r"|entscheide mich für)"
)
CHOOSE_LEFT = re.compile(rf"\b(?P<verb>{_VERB})(?:\s+(?:that|it's|it is|is|the|answer is))?(?P<fill>{_FILL})$")
"""I would go with … X"""

CHANGE_LEFT = re.compile(
    r"(?:(?:\bnot|n't) (?:option )?[(\"']?\w{1,2}[)\"']?,? but(?: rather| instead)?\b"
    r"|(?<!do )(?<!does )(?<!did )(?<!can )(?<!could )(?<!would )(?<!will )\bnot [^.,;\n]{1,40}? but(?: rather"
    rf"| instead)?\b|\b(?:{WAIT}"
    r"|actually|correction|on second thoughts?|scratch that|i meant?|make that|rather|on reflection"
    r"|come to think of it|(?:they|he|she|you)(?:'d be|'re|'s| are| is| would be) (?:wrong|mistaken)"
    r"|thinking (?:again|about it|it over)|no wait|in fact|sorry|oops|hmm)\b|(?<=[.…,;!?–—-] )no(?=[,:])"
    r"|\b(?:chang\w+|switch\w*|revis\w+|updat\w+|correct\w*|amend\w*) (?:my |the"
    r" )?(?:mind|answer|choice|selection|response)?\s*(?:to|:))"
    r"[\s,.:;!–—-]*(?:(?:no|wait|actually|so|let me correct (?:that|myself|my answer))[\s,.:;!–—-]*)*"
    r"(?:(?:it's|it is|it should be|i(?:'d| would| will|'ll)? (?:choose|pick|go with"
    r"|say|select)|i choose|the|option|choice|answer|is|to)\s*)*"
    r"[\s:\"'(\[]*$"
)
"""Wait, actually … X"""
_CHANGE_PARTS = parts(
    "wait|actually|wrong|mistaken|but|rather|correct|no,|no:|thought|scratch|mean|make that|fact|sorry|oops|hmm|"
    "chang|switch|"
    "revis|updat|amend|reflection|think"
)


_CHANGE_DRESS = " \n\"'([,.:;!–—-"
_CHANGE_ENDS = words(  # what such a window may end in; a mark of punctuation aside
    """
    but rather instead wait actually correction thought thoughts that mean meant reflection it again over fact sorry
    oops hmm no to so myself is be choose pick with say select the option choice answer
    """
)


def changes(left: str) -> bool:
    """Whether the window ends in words that change an answer."""
    bare = left.rstrip(_CHANGE_DRESS)
    if left.rfind(":", len(bare)) < 0:
        last = bare[max(bare.rfind(" "), bare.rfind("\n")) + 1 :].strip(_CHANGE_DRESS)
        if last.isalpha() and last not in _CHANGE_ENDS:
            return False
    return holds(left, _CHANGE_PARTS) and CHANGE_LEFT.search(left) is not None


FIRST_LEFT = re.compile(
    r"\b(?:(?:my |our |the )?(?:first|top|number[- ]one|preferred|clear) (?:choice|pick|preference|option)"
    r"|(?<!to )(?:my )?(?:best|winner|favou?rite|top)(?=\s*[:=–—-]))(?:\s*[:=,–—-]|\s+(?:is|goes to|would be"
    r"|remains))?\s*[\"'(]*$"
)
"""First choice X; best: X"""
FIRST_ENDS = parts("choice|pick|preference|option|best|winner|favourite|favorite|top")

BEATEN_LEFT = re.compile(
    r"\b(?:los(?:es|t|ing) (?:out )?to|beaten by|inferior to|worse than|second to|outdone by|weaker than|behind)"
    r"\s+(?:option\s+|the\s+)?[\"'(]*$"
)
"""The other loses to X"""

SECOND_RIGHT = re.compile(
    r"[)\]\"']*,?\s+(?:(?:is|as|being|comes?|would (?:be|come)|in)\s+)?(?:an?\s+|the\s+|my\s+)?(?:close\s+"
    r"|distant\s+"
    r"|strong\s+|good\s+)?"
    r"(?:second|third|next|runner-up|fallback|backup|plan b|last)\b(?!\s+(?:choice|pick|option|preference))"
)
"""X a close second"""

THUS_LEFT = re.compile(
    r"(?:\b(?:as (?:things|it|matters) stands?|still|for now|in the end|on balance|all in all|all told|on the whole"
    r"|in this case|today|now|for me|leaves(?: us with)?|leaving|left with|corresponds? to|corresponding"
    r" to|which is|matches|namely|points? to|thus|therefore|so|hence|ergo|finally"
    r"|overall|ultimately|it's|it is|that's|that is|it must be|it should be|it has"
    r" to be|it would be|that would be|that'd be|it'd be|this would be|must be|final|also|daher|donc"
    r"|por lo tanto|hands down|without a doubt|no question|by far|definitely|certainly"
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
    r"|if (?:forced|pressed|pushed|required|you (?:insist|ask me|press me))(?: to)?(?: \w+){0,5}|gun"
    r" to my head|(?:putting|placing|imagining|picturing) (?:myself|me)(?: [\w']+){0,6}"
    r"|(?:were it|if it were|if it was) (?:up to me|mine|my \w+|me)|in (?:his|her|their|your|its"
    r"|(?:the|an?|my|our) \w+(?:'s|s'))"
    r" (?:place|shoes|position)|forced to (?:choose|pick|answer)(?: one)?)"
    r"[\s,:–—-]+(?:(?:then|it would be|i'd say|probably)[\s,:]*)*[\s:\"'(\[]*$"
)
"""If I had to choose: X"""
_FORCED_PARTS = parts("if |forced|gun|were it|shoes|place|position|ing m")


def forced(left: str) -> bool:
    """Whether the window ends in words that force a choice."""
    return holds(left, _FORCED_PARTS) and FORCED_LEFT.search(left) is not None


_ADVERBS = (
    r"(?>(?:indeed|therefore|thus|clearly|definitely|likely|probably|actually|also"
    r"|then|hence|still|really|in fact|simply|\w+ly)\s+)*"
)
IS_RIGHT = re.compile(
    rf"[)\]}}\"'.:,]*\s*(?:,[^.,\n]{{0,60}},\s*)?(?:\([^)\n]{{0,80}}\)\s*)?(?P<copula>is"
    rf"|are|was|would be|must be|should be|will be|has to be|seems to be|appears to"
    rf" be"
    rf"|seems like|seems|appears|looks like|looks|remains|being|as|stands out as|emerges"
    rf" as|may be|might be|could be)\s+{_ADVERBS}"
    rf"(?P<det>(?:the|my|our|a|an)\s+)?(?>(?:only|most|single|more|very|overall|logical"
    rf"|clear|clearly|\w+ly|best and most|better and more|one and only|final|much)\s+)*"
    rf"(?P<adj>correct|right|best|accurate|appropriate|better|preferred|preferable"
    rf"|likely|suitable|promising|proper|optimal|ideal|superior"
    rf"|answer|choice|winner|valid|rational|reasonable|sensible|favou?rable|pick|one"
    rf" that|probable|plausible|fitting|strongest|stronger"
    rf"|reliable|attractive|compelling|cost-effective|safer|safest|obvious|natural|wiser|wisest|smarter|smartest"
    rf"|sounder|soundest"
    rf"|option i"
    rf"|recommended|supported"
    rf"|what i (?:would |will |'d )?(?:choose|pick|select|say|go with))\b"
    rf"(?P<noun>\s+(?:and \w+ )?(?:(?:and|or) (?:most )?\w+ )?(?:\w+ )?(?:answer|choice"
    rf"|option|one|pick|statement|decision|solution|response|selection|candidate|match"
    rf"|fit|representation|description|move|course|bet|way|path|call|play|route|place)\b)?"
)
"""X is the correct answer"""

WINS_RIGHT = re.compile(
    r"(?:'s my (?:pick|choice|answer|vote|favou?rite)\b)|[)\]\"'.:,–—-]*\s+(?:it is(?=\s*(?:[.!]|$))"
    r"|(?:i'd say|i would say|i think|i guess|i suppose|if you ask me|in my (?:view|opinion|book))(?=\s*(?:[.!]|$))"
    r"|(?:gets|has) my (?:vote|pick|money|backing|support)|wins?(?:\s*(?:[.,!]|$)| (?:out|for me|my vote"
    r"|hands down))"
    r"|takes (?:the (?:crown|cake|prize|lead|trophy|biscuit|gold|title|win|medal)|first place)(?! for)"
    r"|strikes the (?:best|right|better) \w+|fits the bill|is hard to beat|ticks (?:all|most|every|more)\b"
    r"|beats?|trumps|edges out|comes out (?:on top|ahead|best)|all the way|every time|hands down|any day"
    r"|no question|if i must|for the win"
    r"|(?:is|that's|that is|this is|that one is|would be|it's) (?:my (?:answer|choice|pick|vote|final answer"
    r"|recommendation|preference)"
    r"|the (?:one|winner|way to go|one i (?:would |'d )?(?:pick|choose|want|go with|take))|where i (?:land"
    r"|come down|end up)"
    r"|what i (?:would |will |'d )?(?:choose|pick|select|say|go with|want|take|recommend|do)))\b"
)
FITS_RIGHT = re.compile(
    r"[)\]\"']*\s+(?:satisf(?:y|ies)|fits?|match(?:es)?|meets?|makes sense|works?|remains|describes|correctly"
    r"|is left)\b"
)

SURE = frozenset({"correct", "right", "answer"})
BEST = words(
    """
    best better preferred optimal ideal appropriate superior rational accurate suitable recommended
    proper
    """
)

NEGATED_LEFT = re.compile(
    r"(?:\b(?:(?:everything|anything|all|any|anyone) but|not|never|neither|nor|no|cannot|without|eliminat\w+"
    r"|exclud\w+|reject\w*"
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
    r"(?:\bnot\b|n't\b|\bcannot\b|\bnever\b|\bneither\b|\bnobody\b|\bno[- ]one\b|\bdecline\b|\brefuse\b|\bunable\b"
    r"|\bimpossible\b|\breluctant\b|\bhesitate\b)"
    r"(?!\s+(?:only|just|because|sure|certain|confident|\w+\s+enough|enough))"
)
_VETO_WORDS = parts(
    "nobody|no one|no-one|not|n't|never|neither|decline|refuse|unable|impossible|reluctant|hesitate"
)


def vetoes(text: str) -> bool:
    """Whether the text negates the verb that would commit."""
    return holds(text, _VETO_WORDS) and _VETO.search(text) is not None


HYPOTHESIS = re.compile(
    r"\b(?:if|unless|suppos(?:e|ing)|assum(?:e|ing)|were (?:it|this|the|we)|had (?:it"
    r"|the|we)|when|in case|depending|wenn|falls)\b|^\W*(?:were|had (?:i|you|he|she|they|there|my|our))\s"
)
FORCED = re.compile(
    r"\bif (?:i|we|one) (?:absolutely |really |simply |just )?(?:did\b|could\b|imagine|picture|p(?:ut|lace) myself"
    r"|ha(?:d|ve) to|were (?:to|you|him"
    r"|her|them"
    r"|forced|asked|pressed|made"
    r"|pushed|in|the)|(?:was|am) (?:to|forced|asked|pressed|made|pushed|honest)|must|need(?:ed)? to)\b"
    r"|\bif you (?:absolutely |really )?(?:insist|want me|must|force|press|ask|(?:had|have) to"
    r"|were (?:to|forced))\b|\bif (?:forced|pressed|pushed|required|asked"
    r"|necessary|any|so|i'm)\b"
    r"|\b(?:if|when|where) (?:they|the two|these|both|it|push) (?:comes?|conflict|clash|differ|diverge|must|ha[ds] to)\b"
    r"|\bwere i (?:to|forced|asked|pressed)\b|\beven if\b|\bas if\b|\bwhen (?:considering|comparing|looking|weighing|forced"
    r"|we consider|we look|we compare|it comes|taking|all|you consider)\b|\bassuming\b"
)
CONDITIONAL = re.compile(r"\b(?:would|could|might|may|should|can|choose|pick|select|go|opt|prefer)\b|'d\b")

OTHERS = re.compile(
    r"\b(?:(?:you'd|they'd|he'd|she'd) (?:\w+ )?(?:think|say|guess|expect|assume)|(?:might|may|could"
    r"|would) (?:\w+ )?(?:think|choose|say|assume|believe"
    r"|be tempted|argue|seem|pick|prefer|select|lean|be inclined|opt|appear|suggest"
    r"|initially|guess|expect)"
    r"|tempt\w*|some (?:people|might|may|would|could|to)|many (?:people|would|might)"
    r"|most people|people (?:often|might|may|tend|would|who)|students"
    r"|mistak\w+|misconception|at first(?: glance)?|initially|originally|(?:i|i'd"
    r"|i had|we) (?:first |initially |originally |had |previously )*(?:thought|believed"
    r"|assumed|said|chose|picked|guessed)"
    r"|(?:i|we) (?:was|were|had been) (?:leaning|going|tempted|inclined|about|thinking|torn|set)"
    r"|would have (?:said|chosen|picked|gone|taken|answered)|used to"
    r"|first (?:instinct|thought|impression|guess)|someone|the user|you (?:said|chose"
    r"|mentioned|suggested|think)|intuitive(?:ly)?|gut|those who|anyone who"
    r"|(?<!\d )(?<!illion )(?<!thousand )people"
    r"|customers|buyers)\b"
)
SELF = re.compile(r"\b(?:i|i'd|i'll|we|let's|my)\b")
"""With `OTHERS`: "I would think B" is the subject's own view."""

_REPORTED = re.compile(
    r"\b(?:my|his|her|your|our|an?) (?!choice|pick|vote|answer|recommendation|preference|advice|bet|guess|gut"
    r"|instinct"
    r"|verdict|decision|rational|reasonable|sensible|prudent|wise)[a-z]+(?: [a-z]+)? would\b(?! be\b)"
)


def reported(clause: str) -> bool:
    """Whether somebody else would do it: "my husband would", "a banker would"."""
    return " would" in clause and _REPORTED.search(clause) is not None


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
    r"|for this reason|putting (?:it|this|that|everything|these) (?:all )?together|taken together|adding (?:it|this"
    r"|everything|these) (?:all )?up|to sum up|summing (?:it )?up|in sum|in the end|on balance)\b"
)
FAVOURS = re.compile(
    r"\b(?:true|needs? (?:it|the \w+) more|deserves? (?:it|the)|more (?:likely|probable|common|promising|reliable"
    r"|suitable|appropriate"
    r"|attractive|frequent|cost)|most (?:likely|promising|suitable|appropriate|reliable"
    r"|probable|attractive|sensible|reasonable)|better|best|should|would|choose|prefer\w*"
    r"|recommend\w*|correct|right|wins?|superior|optimal|rational|go with|higher"
    r" (?:probability|chance|likelihood)|greater (?:probability|chance|likelihood)"
    r"|seems?|answer|complete(?: one| answer| list)?|(?:covers|includes|lists|names) (?:all|everything|both|each"
    r"|every)"
    r"|the only (?:one|option|answer)|(?:has|offers|gives|does) (?:everything|all) (?:that )?(?:you|i|we|she|he"
    r"|they|one)"
    r" (?:needs?|wants?|could))\b"
)

WRONG = re.compile(
    r"\b(?:incorrect|wrong|false|not (?:the )?(?:correct|right|true|best|accurate"
    r"|a correct|relevant|the answer|a good|applicable|supported|related)|isn't|doesn't"
    r" (?:fit|match|work|make sense)|does not (?:fit|match|work|make sense|apply)"
    r"|inaccurate|untrue|eliminated?|ruled out|can be ruled|unlikely|irrelevant|not"
    r" an?)\b|❌|✗|✘|\bno\b\s*[.)]?$"
)
RIGHT = re.compile(
    r"\b(?:correct|right|true|accurate|best (?:answer|choice|option|first|step|way|course))\b|✅|✓|✔|^\W*yes\b"
)

"""The words that say yes or no without either: what is done instead, what is called good or bad, idioms."""

from __future__ import annotations

import re

from fiducial.bias.read.text import any_of, parts, words

_EDGE = r"[\s\"'(*\-–—>•]*"
LEAD = (
    _EDGE + r"(?>(?:well|\w+ly(?: speaking)?|indeed|overall|so|then|and|but|still"
    r"|in (?:short|my (?:view|opinion))"
    r"|to be honest|i think|i believe|(?:i'd|i would) (?:say|argue|tell (?:him|her|them|you)|advise)(?: that)?"
    r"|in that case|on balance|in the end|therefore|thus|hence|all in all"
    r"|for me)[,:]?\s+)*"
)
_WHO = r"(?:i|we|you|he|she|they|it|one|that|this|there|(?:the|this|your|my|that)\s+\w+(?:\s+\w+)?)"
_AUX = "would|will|should|do|does|did|is|are|am|was|were|can|could|has|have|must"
ELLIPTIC = re.compile(
    rf"{LEAD}(?P<who>{_WHO})(?:\s+(?:really|(?:most )?certainly|probably|(?:most )?definitely|surely|clearly"
    rf"|absolutely"
    rf"|still|indeed|simply|already|always))*"
    rf"(?:\s+(?P<cant>won't|can't be|cannot be|can't|shan't)|\s+(?:must be|has to be|{_AUX})(?P<not>n't|\s*not)?"
    rf"|'(?:d|s|re|m|ll)(?P<short>\s+not)?)"
    rf"(?:\s+(?:indeed|really|at all|either|personally|here|myself|one|so|the case))*\s*(?:[.!;,:–—]|$)"
)
TAIL = re.compile(
    rf"(?<!than )(?<!as )(?<!what )(?<!how )(?<!like )(?<!where )(?<!who )(?<!which )\b(?:it|they|he|she|i|we"
    rf"|you|there)"
    rf"(?:\s+(?P<cant>won't|can't|cannot)|\s+(?:{_AUX})(?P<not>n't|\s+not)?|'(?:s|re"
    rf"|m)(?P<short>\s+not))(?:\s+(?:one|so|indeed|at all))?"
    rf"\s*[.!]\s*$"
)
"""The end of a sentence that takes up the question: "… suggests that it did not." """
DONT_ALONE = re.compile(r"(?:^|[:.!?]\s+)(?:please )?(?:don't|do not)\s*[.!]*\s*$")
SHORT_NOT = re.compile(
    rf"{LEAD}(?:(?:hardly|scarcely|far from|anything but)\b(?= an?\b)|(?:absolutely |definitely |certainly "
    rf"|probably |clearly |surely )?not\b)(?!\s+(?:sure|certain|enough"
    rf"|necessarily|possible"
    r"|clear|applicable|an easy|(?:a )?(?:no|yes)\b|only|just|to mention|knowing|given|having|being|everyone"
    r"|all|every|much|a lot"
    r"|quite (?:sure|certain|clear)))"
    r"(?:\s+\S+){0,9}?\s*(?:[.!;,:–—]|$)"
)
# what is done instead of the thing asked about, or said of it
DONT = any_of(
    parts(
        "stop|quit|halt|hold off|hold back|hold on|cancel|abandon|walk away|back out|back off|steer clear|"
        "stay away|stay put|refrain from it|skip|avoid|wait|leave it|let it go|pull the plug|cut its losses|"
        "cut your losses|cut the losses|cut their losses|save your money|save the money|decline|reject|"
        "refuse|turn it down|turn this down|turn the|say no|pass|forget it|drop it|keep your money|"
        "keep the money|give it a miss|look elsewhere|think twice|postpone|delay|scrap"
    )
)
_DO = any_of(
    parts(
        "accept|agree|take it|take the|approve|go ahead|go for it|do it|proceed|say yes|sign it|buy it|"
        "grab it|take this|sign up|press on|carry on with it|give it a go|green-light|greenlight"
    )
)
ORDER = re.compile(rf"{LEAD}(?:(?P<never>don't|do not|never|no need to)\s+)?(?:(?P<dont>{DONT})|(?P<do>{_DO}))\b")
BAD = re.compile(
    r"\b(?:(?:a |an |the )?(?:big |huge |grave |terrible |costly |serious |clear |very )*(?:mistake|error"
    r"|bad (?:idea|move|deal|bet|call|choice|decision|investment)|poor"
    r" (?:idea|move|deal|bet|choice|decision|investment|use)|waste|folly|wrong (?:move|call|choice|decision|thing)"
    r"|blunder|rip-?off)"
    r"|(?:a |an )?(?:complete |total |absolute )?(?:fool|idiot|mad|crazy|insane|stupid|silly|terrible idea"
    r"|awful idea"
    r"|horrible idea|out of (?:my|his|her|their|your|its) mind)"
    r"|throw(?:ing)? away|(?:go|goes|going) (?:much |way |a step )?too far|counter-?productive|overkill"
    r"|overreach|excessive"
    r"|disproportionate|heavy-handed|a step too far|self-defeating|wrong-headed"
    r"|unwise|foolish|reckless|imprudent|irresponsible|ill-advised|inadvisable|premature"
    r"|too (?:risky|expensive|early|soon|late|dangerous|uncertain|weak|costly|harsh|extreme|drastic)"
    r"(?! to (?:tell|say|know|judge|call|decide|conclude))"
    r"|pointless|unnecessary|out of the question"
    r"|no (?:point|sense|need|reason)(?! not))\b"
)
GOOD = re.compile(
    r"\b(?:(?:a |an |the )?(?:very |really )?(?:good (?:idea|move|deal|bet|call|choice|decision|investment)"
    r"|great (?:idea|deal|move|choice)|bargain|steal(?=\s*[.!,;])|right (?:move|call|choice|decision|thing)"
    r"|no-brainer"
    r"|best (?:move|course|decision))|wise|worth (?:it|the|every|doing|buying|taking|a try|trying|\$?\d)|worthwhile"
    r"|makes? (?:good |perfect )?sense|prudent|sensible|advisable|justified"
    r"|(?:every|good|ample) reasons?(?= to)|the time(?= to))\b"
)
SUBJECT = re.compile(
    r"(?:^\W*|\b(?:it|that|this|doing so|going ahead|which|to \w+[^.]{0,40}|\w+(?:ing|al|tion|ance)\b[^.]{0,40}"
    r"|i think|i see|see|there|now|i|you|we|he|she|they|one|(?:the|a|my|your|this) \w+(?: \w+)?)"
    r"(?:'s|'d be|'d|\s+(?:is|was|would|will|seems?|looks?|be|makes?|strikes me as|sounds like|would be"
    r"|is))?(?>\s+(?:be|is"
    r"|not|n't|also|just|simply|clearly"
    r"|a|\w+ly|like|to me|isn't|wouldn't|doesn't)\b)*\s*)$"
)
NEGATES = re.compile(
    r"\b(?:nothing|nobody|fail(?:ed|s)? to|unable to|not|never|no|hardly|rarely|seldom|neither|nor|don't think"
    r"|doubt"
    r"|unlikely)\b|n't\b"
)
AS_MUCH = re.compile(
    r"\b(?:just|exactly|equally|precisely) (?:as|likely)\b|\bequally\b|\bthe same\b|\bno (?:more|less|better|worse"
    r"|higher)\b|\bless\b"
)
TOKEN = re.compile(r"[^\W_]+")
EMPTY = words(
    """
    the a an of to in and or that it on for with by as be this their its his her at from you your i we they he she
    one
    would will should do does did is are am was were can could has have must shall may end line answer yes no still
    now here
    """
)
ADVISES = re.compile(
    r"\b(?:should|must|ought to|needs? to|has to|(?:is|are)(?=(?: not)? to be))(?P<not>n't|\s+not"
    r"|\s+never)?\s+(?:to )?be\s+(?P<done>[a-z]{4,})"
    r"|\b(?:(?:i|we|i'd|we'd|would|my|not|\w+n't|never)\s+)(?:would\s+|strongly\s+"
    r"|therefore\s+)?(?:recommend(?:ation)?|advise|advice|suggest(?:ion)?|favou?r|support|urge|vote|opt|lean"
    r"|am|argue)(?:\s+(?:is|for|in favou?r of|towards?))?(?P<against>\s+(?:is\s+)?(?:against|not))?\s+(?:the\s+"
    r"|an?\s+"
    r"|its\s+|to\s+)?(?P<noun>[a-z]{4,}|it\b|that\b|this\b|so\b)"
)
BETTER = re.compile(
    r"\b(?:(?:better|best) off|(?:well|best) advised|(?:do|does) (?:better|well|best)|(?:be|is|are) wise|had better"
    r"|'d better)\s+(?:to\s+|by\s+)?(?P<not>not\s+(?:to\s+)?)?(?P<verb>[a-z]{3,})"
)
"""Better off selling; would do well to sell"""
DONE = frozenset(("appro", "accep", "grant", "proce", "agree"))
NOT_DONE = frozenset(parts("rejec|refus|decli|denie|denia|denyi|cance|postp|stopp|avoid|aband|delay|halte|scrap"))
DEGREES = words("more less most least very much better worse higher lower")
ASKING = re.compile(
    r"\W*(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must|isn't"
    r"|aren't|don't|doesn't"
    r"|wouldn't|shouldn't|what|which|who|how|if|whether)\b"
)
QUESTION = re.compile(r"(?:^|(?<=[.?!:\n]))\s*(?:[^.?!\n]{0,80}?,\s*)?([^.?!\n]{3,240})\?")
ASKS = re.compile(
    r"\b(?:would|do|will|should|can|could|did|does|shall|may)\s+(?:you|i|we|they|he|she|it|one|(?:the|this|these"
    r"|those|a|an"
    r"|your|my|his|her|their|our)\s+\w+|[A-Z]\w+)"
    r"\s+(?:still\s+|rather\s+|personally\s+|ever\s+|really\s+|actually\s+)?(?:(?:want|like|choose|need|prefer|have"
    r"|be (?:willing|happy|ready|inclined|prepared)) to\s+)?([a-z]{2,3}-[a-z]{3,}"
    r"|[a-z]{3,})\b(?:\s+([a-z]{3,})\b)?",
    re.I,
)
REQUESTS = re.compile(
    r"\b(?:asks?|asked|wants?|wanted|invites?|invited|begs?|urges?|expects?) (?:you|him|her|them|us|me|[A-Z]\w+) to"
    r" (?P<asked>[a-z]{2,3}-[a-z]{3,}|[a-z]{3,})\b"
)
"""What is asked for before a bare "Do you?" """
BARE_QUESTION = re.compile(r"\b(?:do|would|will|should|did|can|could) (?:you|he|she|they|i|we)\s*\?", re.I)
IS_IT = re.compile(
    r"\b(?:is|are|was|would) (?:it|there|now)\b[^?.\n]{0,50}?\bto (?!conclude|assume|infer|think"
    r"|believe)(?P<asked>[a-z]{4,})\b",
    re.I,
)
"""Is there enough evidence to convict?"""
THINKS = re.compile(
    r"\b(?:think|believe|expect|say|agree|feel|predict)\b(?: that)? (?:the |a |an |this |your "
    r"|my )?\w+(?: \w+)? (?:will|would|should|could"
    r"|can|must|ought to) (?P<asked>[a-z]{3,})",
    re.I,
)
"""Do you think that Marta will win?"""
REQUEST = re.compile(r"\b(?:could|can|will|would|may|might|shall) (?:you|i|we|they|he|she)\b", re.I)
WELCOME = re.compile(
    r"(?:^|[.!?\n])\W*(?:no (?:problem|worries|trouble)|not a problem|you're welcome|be my guest)\b"
)
"""Yes, to a request"""
GLADLY = re.compile(r"(?:glad|happ|delight|with pleasure)")
NO_VERB = words(
    """
    the and not have want like think need choose prefer rather for with from this that these those its his her their
    your our now all any into out off down back more less than about over under one two who which some such same
    """
)

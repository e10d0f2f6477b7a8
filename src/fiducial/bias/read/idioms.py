"""Set phrases that say yes or no: "count me in", "over my dead body", "I don't see why not"."""

from __future__ import annotations

import re

_I = r"(?:i'd|i'll|i would|i will)"
_IT = r"(?:it|this|that)"
_NOT = r"(?:wouldn't|couldn't|won't|can't|cannot|would not|could not|will not)"

_YES = rf"""
(?:don't|do not|can't|cannot|can) see (?:why not|any reason not to|no reason not to)
(?:no|any) (?:good |real |earthly )?reason (?:not to|to (?:refuse|object|say no|decline))
(?:no|any) (?:good |real |earthly )?reason why \w+ (?:shouldn't|wouldn't|couldn't)
why (?:on earth |the hell |ever )?not | why wouldn't (?:i|we) | what's not to like | where do i sign
sign me up | count me in | count on me | you can count on | i'm in | i am in | i'm game | i'm all in
consider it done | be my guest
(?:be |i'm |i am )?(?:happy|glad|delighted) to(?! (?:list|explain|discuss|help you|walk|provide|share|describe|outline|talk))
gladly | with pleasure | by all means | you bet | you betcha | sounds (?:good|great|fine) | fine by me
fine with me | okay by me | ok by me | okay with me | thumbs up | green light | (?:be|i'm|i am) up for {_IT}
let's (?:grab|do|take|try|sign|buy|go for) it | absolutely worth
(?:i'm|i am|we're|we are) (?:all )?(?:for it|in favou?r(?: of (?:it|this|that|the \w+))?) | in favou?r of it
{_I} give (?:her|him|them|it) (?:the money|my (?:blessing|ok|okay|approval|consent)|a (?:try|go|shot|chance))
you have my (?:vote|yes|blessing|support)
(?:has|gets) my (?:full |wholehearted |complete )?(?:support|backing|blessing|approval|vote)
(?:{_NOT}|not) (?:\w+ )?hesitate(?: (?:for )?an? (?:second|moment|minute))? to
(?:that's|that is|it's|it is) (?:\w+ly )?(?:allowed|permitted|fine|okay|ok)(?=\s*[.,;!]|\s*$)
(?:won't|wouldn't|shouldn't|not|isn't) (?:be )?(?:an? )?(?:problem|issue)(?! (?:that|with))
{_NOT} (?:\w+ )?(?:say no|refuse|turn (?:it|that|this) down|object(?= to|\s*[.!])|mind(?! if|\w)|miss (?:it|this|that))
(?:{_I}|i) (?:bet|count|bank) on (?:it|that) | (?:hard|difficult|impossible) to (?:say no|refuse|resist)
who (?:could|would) (?:say no|refuse|resist) | too good to (?:miss|refuse|turn down|pass up|be missed)
(?:jump|leap) at (?:it|this|that|the (?:chance|offer|opportunity)) | (?:couldn't|could not) agree more
no problem at all | no objections? | wholeheartedly | in a heartbeat | wild horses
on the side of (?:the )?(?:supporters|proponents|those in favou?r)
no reason to (?:doubt|question) (?:it|that|this) | {_I} (?:say|think) so | count me among
surprised if (?:it|they|he|she|that|you|i) (?:did|was|were|would|could|had|does|is)(?:n't| not)
the sooner the better | (?:can't|cannot|couldn't) (?:\w+ )?afford not to
without (?:any |a )?(?:doubt|question) | beyond (?:any |all |a |reasonable )*doubt | money well spent
i'm afraid so | i suppose so | i guess so | i should think so | i'd think so
(?:he|she|they|you) can have (?:it|them|that) | lying if i said (?:no|otherwise)
(?:snap|lap|scoop) (?:it|this|that|them) up | bite (?:his|her|their|your) hand off
"""

_NO = rf"""
count me out | leave me out | no,? thanks | no,? thank you | thanks,? but no | hard pass | nothing doing
no dice | fat chance | i'd pass | i'll pass | i would pass | i will pass | i pass
(?:have|going) to pass(?! (?:it|the|a|that|this (?!time|one))\b) | not a chance | no chance | forget it
forget about it | over my dead body | not on your life | not in (?:a million|my) | by no means
under no circumstances | far from it | (?<!it )(?<!can )(?<!could )hardly(?=\s*(?:[.!,;]|$)) | not so fast
i'm out(?! of) | i am out(?! of) | thumbs down | when (?:pigs fly|hell freezes over) | dream on
(?:can't|cannot|don't|couldn't) see (?:myself|the point|any point|why (?:i|we|anyone|one|he|she|they) (?:would|should))
no (?:good |real |earthly )?reason why \w+ (?:should|would)(?!n't| not)
(?:i'm|i am|we're|we are) (?:\w+ly )?(?:against (?:it|this|that|the \w+)|not in favou?r)
(?:i'm|i am|we're|we are) (?:\w+ly )?opposed(?: to (?:it|this|that|the \w+))? | not for me(?! to) | not worth
isn't worth | wouldn't be worth | not interested | wouldn't dream | beg to differ | good money after bad
{_I} (?:hang up|let (?:it|this|that|this one|that one|the offer) go|give (?:it|this|that) a (?:miss|wide berth))
(?:love|like|want|tempted|wish i could)(?: to)? say yes,? but i (?:can't|cannot|won't|couldn't)
(?:polite|firm|clear) (?:decline|refusal|no) | (?:isn't|not) (?:warranted|justified|for me(?! to))
i(?:'m| am) afraid not | i (?:should )?think not | i suppose not | i guess not
(?:couldn't|could not) disagree more | on the side of (?:the )?(?:critics|opponents|sceptics|skeptics)
you couldn't pay me | {_I} (?:sit (?:it|this|that)(?: one)? out|hold out|steer clear|keep my distance)
(?:quite |just |exactly )?the (?:exact |very )?opposite(?= (?:is|was|holds)|\s*[.:,;!]) | on the contrary
the other way (?:a?round|about) | (?:i'm|i am) (?:not|un) ?(?:convinced|persuaded)
{_NOT} (?:bet|count|bank) on (?:it|that) | (?:slim to none|slim chances?|chances are slim)
(?:can't|cannot|couldn't) (?:\w+ )?afford (?:it|to|that|this) | (?<!had )(?<!'d )better not(?=\s*(?:[.!,]|$))
(?:that's|that is|it's|it is) (?:unfortunately |sadly )?not (?:possible|allowed|permitted|an option)
i (?:\w+ )?doubt (?:it|that)(?! \w+ (?:would|will)) | {_NOT} (?:say|think) so | {_NOT} go (?:that|so) far
(?:rarely|never|doesn't|does not|won't|hardly) pays? off | save yourself the (?:trouble|bother|money|effort)
don't bother | (?:proves?|shows?|does?|did|says?|is|are|was) nothing of the (?:sort|kind)
{_NOT} (?:risk|chance|touch) it
surprised if (?:it|they|he|she|that|you|i) (?:did|was|were|would|could|had|does|is)(?!n't| not)
(?:have|got) other plans | otherwise engaged | lying if i said yes | i no longer (?:do|think so)
never (?:have|did),? and never (?:will|would)
"""


def _pattern(phrases: str) -> re.Pattern[str]:
    each = [part.strip() for line in phrases.strip().splitlines() for part in re.split(r" \| ", line)]
    return re.compile(rf"\b(?:{'|'.join(each)})(?!\w)")


IDIOMS = (("yes", _pattern(_YES)), ("no", _pattern(_NO)))
"""Each answer with what says it"""

MARKS = {"✅": "yes", "👍": "yes", "✔": "yes", "✓": "yes", "❌": "no", "👎": "no", "🚫": "no", "✗": "no", "✘": "no"}
"""Signs that are a whole reply"""

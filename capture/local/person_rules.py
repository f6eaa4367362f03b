"""How people word what they want, decide and know. Within a sentence the first rule that holds wins."""

from __future__ import annotations

from capture.local.rules import FLAW, SECRETS, Rule, rule
from capture.local.wording import one_of

_HANDLED = one_of(
    "use using add adding mock mocking commit committing push create creating write writing put run install import"
    " touch edit"
    " change rely hard-?code"
)
_HABIT = one_of(
    "use follow keep put name call prefer store write run deploy release target support pin document test tag"
    " squash rebase"
)

PERSON_RULES: tuple[Rule, ...] = (
    rule(
        "preference",
        0.86,
        "a person's standing wish",
        r"(?:^|[,;.:\u2014-] ?|\b(?:please|and|but|so|also|just|to be clear:?) )(?:always|never)\s+(?!mind\b)\w+",
        r"\bfrom now on\b",
        r"\b(?:in (?:the )?future|going forward)\b,? (?:please )?(?:\w+n't |do not |always |never )?\w+",
        r"\bevery time you\b",
        r"\b(?:remember|make sure) (?:you )?(?:to )?(?:always|never|that you always|to\b.{3,}\b(?:before|after|when"
        r"|each|every))\b",
    ),
    rule(
        "preference",
        0.85,
        "a person says what they like or dislike",
        r"\bI(?:'d| would)? (?:really |strongly |much |generally |usually |always |actually )*(?:prefer|rather"
        r"|dislike|hate"
        r"|like it (?:when|if|that)|(?:don't|do not) (?:like|want|care for|use))\b",
    ),
    rule(
        "preference",
        0.83,
        "a person says what to use and what not",
        rf"\b(?:don't|do not|never|stop|avoid|no need to)\s+{_HANDLED}\b",
        r"\buse\b.{2,60}\b(?:instead of|rather than|not|over|instead)\b",
        r"\binstead of\b.{2,60},? (?:please )?use\b",
    ),
    rule(
        "convention",
        0.85,
        "a person says how it is done here",
        r"(?:^|[.;:,\u2014] ?|\b(?:and|but|because|since|here|repo|project|codebase|team),? )we "
        rf"(?:\w+ly |always |never |only |all |don't |do not )?{_HABIT}\b(?! (?:case|to)\b)",
        r"\b(?:our|the) (?:convention|rule|policy|style|standard)s? (?:is|are|here|says?)\b",
        r"\b(?:all|every|each) (?:new )?(?:\w+ ){1,3}(?:must|should|has to|have to|needs? to"
        r"|(?:goes|go|lives?|belongs?) (?:in|under|into|below|next to))\b",
    ),
    rule(
        "decision",
        0.82,
        "a person decides",
        r"\b(?:let's|lets|let us|we'll|we will|we should|I've decided|we've decided|we decided|I decided)(?:"
        r" \w+){0,2}? "
        r"(?:go with|use|stick (?:with|to)|switch to|keep|drop|stay (?:with|on)|move to|migrate to|pick|take|to)\b",
    ),
    rule(
        "solution",
        0.84,
        "a person names the cause",
        r"\b(?:the )?(?:root cause|culprit|real (?:issue|problem|cause)|problem|issue|bug) (?:is|was|turned out)\b"
        r"(?! (?:that )?I\b).{10,}",
    ),
    rule(
        "gotcha",
        0.84,
        "a person warns of a trap",
        r"\b(?:be careful|careful|watch out|beware|gotcha|caveat|heads[- ]?up|keep in mind|bear in mind|note that"
        r"|mind that"
        r"|remember that|silently)\b",
        r"\b(?:only works|doesn't work|does not work|won't work|never works|breaks)\b.{3,}"
        r"\b(?:if|when|on|with|unless|because|without|in)\b",
    ),
    rule(
        "learning",
        0.82,
        "a person explains how something is",
        r"\b(?:it )?turns out\b",
        r"\b(?:I|we) (?:learned|learnt|found out|discovered|reali[sz]ed) (?:that|how)\b",
        r"\bFYI\b",
        r"\bfor (?:your information|context|reference)\b",
    ),
    rule(
        "security",
        0.84,
        "a person names a flaw",
        rf"\b{FLAW}\b",
        rf"\b(?:rotate|revoke)d? .{{0,40}}\b{SECRETS}\b",
    ),
)

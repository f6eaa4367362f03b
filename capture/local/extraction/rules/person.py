"""Rules for people's sentences about what they want, decide and know; the first rule that holds counts."""

from __future__ import annotations

from capture.local.extraction.patterns import one_of
from capture.local.extraction.rules.instructions import INSTRUCTIONS
from capture.local.extraction.rules.rulebook import FLAW, SECRETS, Rulebook, rule

_TASK_VERB = one_of(
    "use using add adding mock mocking commit committing push create creating write writing put run install import"
    " touch edit change rely hard-?code rename delete reformat format refactor silence ask asking log print bump "
    "rewrite"
    " remove skip disable ignore merge squash comment guess assume repeat explain reply"
)
_HABIT_VERB = one_of(
    "use follow keep put name call prefer store write run deploy release target support pin document test tag"
    " squash rebase build host ship version format"
)
_PRONOUN = r"(?:this|that|it|the second|the first|these|them)"
_TASK = r"^(?:please )?(?:make|move|set|show|create|fix|update|align|add|put|list|display)\b"
_IMPERATIVE = one_of(
    "write use keep put name call run add pin ask start check update bump include quote prefer avoid format sort"
    " squash rebase document test tag mention link don't do never always"
)

_WISHES = (
    rule(
        "preference",
        0.86,
        "a person's lasting preference",
        (
            r"(?:^|[,;.:\u2014-] ?|\b(?:please|but|so|also|just|to be clear:?) )(?:always|never)\s+(?!mind\b|look\b"
            r"|forget\b)"
            r"\w+.{5,}"
        ),
        r"\bfrom now on\b.{8,}",
        r"\b(?:in (?:the )?future|going forward)\b,? (?:please )?(?:\w+n't |do not |always |never )?\w+",
        r"\bevery time you\b.{8,}",
        (
            r"\b(?:remember|make sure) (?:you )?(?:to )?(?:always|never|that you always|to\b.{3,400}\b(?:before|after"
            r"|when\w*"
            r"|each|every))\b"
        ),
        unless=rf"{_TASK}.*\b(?:and|should) (?:always|never)\b|\bi (?:always|never)\b",
    ),
    rule(
        "preference",
        0.84,
        "a person's rule for a recurring task",
        rf"^(?:when(?:ever)?|if) you\b[^,?]{{3,80}}, (?:please )?(?:then )?{_IMPERATIVE}\b.{{2,400}}",
        (
            r"\bi(?:'d)? (?:want|expect|like) (?:you to|to be asked)\b.{8,120}\b(?:before|after|when(?:ever)?|each"
            r"|every|always"
            r"|never)\b"
        ),
        r"\bi want \w+.{0,30}\b(?:for|in|with|on) (?:every|each|all|any)\b.{3,}",
        (
            r"^(?:please )?(?:write|keep|name|format)\b.{3,60}\b(?:in (?:plain|british|american|english|german|lower"
            r"|upper"
            r"|present|imperative|markdown)|short|small|singular|plural|consistent|minimal)\b"
        ),
        r"\bno (?:more|longer) than \d+\b.{3,}",
    ),
    rule(
        "preference",
        0.85,
        "a person says what they like or dislike",
        (
            r"\bI(?:'d| would)? (?:really |strongly |much |generally |usually |always |actually )*(?:prefer|rather"
            r"|dislike|hate"
            r"|like it (?:when|if|that)|(?:don't|do not) (?:like|want|care for|use|need))\b.{8,}"
        ),
        unless=r"\b(?:any ?more|right now|yet|at the moment)\b|\bneed (?:it|this|that)\b",
    ),
)

_CORRECTIONS = (
    rule(
        "correction",
        0.86,
        "a person says what is so, and what is not",
        (
            r"\b(?:is|are|was|were|must|should|has|have|lives?|goe?s?|belongs?|runs?|takes?|returns?|expects?|wants?|means)\b"
            r".{3,160}, (?:and )?not (?!only|just|yet|now|sure|necessarily)[\w`\"'./-]+(?: [\w`\"'./-]+){0,5}\W*$"
        ),
        (
            r"^(?:no[,.:;]? )?that(?:'s| is) (?:wrong|not (?:right|correct|true|how (?:we|it|this)\b))"
            r"[^,.:;]{0,40}[,.:;] .{15,}"
        ),
        r"^(?:no[,.:;] )?actually,? \S.{3,80}\b(?:is|are|lives?|runs?|uses?|takes?|returns?|expects?|needs?)\b.{5,}",
        unless=r"\?$|\b(?:i am|i'm|i was) not\b|\bor not\b",
    ),
    rule(
        "preference",
        0.85,
        "a person says what must be so each time",
        r"\byou (?:should|must|have to) (?:never|always)\b.{8,}",
        r"\bmake sure (?:that )?.{5,120}\b(?:before|after|for|in|on) (?:each|every|any)\b.{3,}",
        unless=r"\?$",
    ),
)

_WARNINGS = (
    rule(
        "gotcha",
        0.84,
        "a person warns of a pitfall",
        (
            r"(?:^|[.,;:] )(?:please )?(?:be careful|careful|watch out|beware|gotcha|caveat|heads[- ]?up|keep in "
            r"mind|bear in"
            r" mind|note that|be aware|mind that|remember that)\b.{12,}"
        ),
        r"^(?!.*\b(?:do|please)\b).{8,400}\beven (?:on|if|when)\b.{5,}",
        r"\bsilently \w+.{3,}",
        (
            r"\b(?:only works|doesn't work|does not work|won't work|never works|breaks)\b.{3,400}"
            r"\b(?:if|when|on|with|unless|because|without|in)\b"
        ),
        (
            r"\b(?:don't|do not|never) \w+ (?:it|that|this|them) (?:on|in|against|with) .{2,40}[,;:] ?(?:it|that"
            r"|they)\b.{5,}"
        ),
        (
            r"\b(?:only (?:accepts?|works?|allows?|supports?|has)|also (?:deletes?|wipes?|drops?|removes?|resets?)"
            r"|(?:deletes?|wipes?|drops?|removes?|resets?|overwrites?|locks?) (?:everything|all|your|the "
            r"whole))\b.{5,}"
        ),
        r"\b(?:wipes?|drops?|deletes?) your\b.{5,}",
    ),
)

_HABITS = (
    rule(
        "convention",
        0.85,
        "a person says how things are done in this project",
        (
            r"(?:^|[.;:,\u2014] ?|\b(?:and|but|because|since|here|repo|project|codebase|team),? )we "
            rf"(?:\w+ly |always |never |only |all |don't |do not )?{_HABIT_VERB}\b(?! (?:case|to|it|this|that|him|her"
            r"|you)\b).{6,}"
        ),
        (
            r"\b(?:our|the) (?:\w+ )?(?:convention|rule|policy|style|standard)s? (?:here )?(?:is|are|here"
            r"|says?)\b.{8,}"
        ),
        (
            r"\b(?:all|every|each) (?:new )?(?:\w+ ){1,3}(?:must|should|has to|have to|has its own|have their own"
            r"|needs? to"
            r"|(?:goes|go|lives?|belongs?) (?:in|in\w+|under|below|next to))\b"
        ),
        r"^in (?:this|our) (?:repo|repository|project|codebase|code base|team|company)\b,? .{12,}",
        (
            r"^our (?:\w+ ){1,2}(?:always|never|is|are|returns?|uses?|runs?|goe?s?|has|have|follows?|lives?"
            r"|expects?)\b.{8,}"
        ),
        r"\b(?:snake_case|camelcase|kebab-case|pascalcase)\b",
        r"^our (?:\w+ ){1,2}(?:must|should|have to)\b.{8,}",
        r"^(?:all|every one) (?:of )?our \w+ (?!is\b|are\b)\w+.{10,}",
        unless=r"^our \w+ (?:is|are) (?:down|broken|slow|red|gone|late)\b|\bmust be (?:finished|done|ready)\b"
        r"|\btests? fails?\b|\?$",
    ),
)

_REPORTS = (
    rule(
        "decision",
        0.82,
        "a person states a decision",
        (
            r"\b(?:let's|lets|let us|we'll|we will|we should|I've decided|we've decided|we decided|I decided)(?:"
            r" \w+){0,2}? "
            r"(?:go with|use|stick (?:with|to)|switch to|keep|drop|stay (?:with|on)|move to|migrate to|pick|take|to"
            r"|against"
            r"|that)\b(?! your\b).{4,}"
        ),
        (
            r"(?:^|[,.] |\b(?:ok|okay|so|then) )(?:we (?:go|stay|stick) with|we(?:'re| are) (?:dropping|keeping"
            r"|moving to"
            r"|switching to|going with|staying (?:with|on)))\b.{2,}"
        ),
        r"^(?:ok|okay|then|so)[, ]+(?:then )?no (?!problem|worries|need)\w+.{5,}",
        r"(?:^|[,.] )we stick (?:to|with)\b.{4,}",
        unless=r"\b(?:should|shall) we\b|\bsee\b|\bwe're going with you\b",
    ),
    rule(
        "solution",
        0.84,
        "a person names a cause",
        (
            r"\b(?:the )?(?:root cause|culprit|real (?:issue|problem|cause)|problem|issue|bug) (?:is|was|turned out)\b"
            r"(?! (?:that )?I\b).{10,}"
        ),
        (
            r"^(?:found it|got it|ah|ok|turns out)?[,:!.\s]*it was (?:the|an?|our|your) [^,.:;]{2,40}[,:;.\u2014-] "
            r"?.{12,}"
        ),
        r"^(?:found it|got it)[,:!. ]+.{15,}",
        r"\b(?:failed|crashed|ran twice|broke|was down|were down|hung)\b.{0,30}\bbecause\b.{10,}",
        unless=r"\b(?:is|was) (?:that )?(?:i|we) have (?:no|not|very)\b",
    ),
    rule(
        "learning",
        0.82,
        "a person explains how something works",
        r"\b(?:it )?turns out\b(?! (?:I|you)\b).{12,}",
        r"\b(?:I|we) (?:just )?(?:learned|learnt|found out|discovered|reali[sz]ed) (?:that|how)\b.{10,}",
        r"\bFYI\b.{12,}",
        r"\bfor (?:your information|context|reference)\b.{12,}",
    ),
    rule(
        "outcome",
        0.8,
        "a person says how an earlier attempt went",
        r"\bwe tried\b.{5,400}(?:\b(?:failed|killed|didn't|did not|never|too|broke|worse|because|gave up)\b).{2,}",
    ),
    rule(
        "test",
        0.8,
        "a person says what tests need",
        (
            r"\btests? (?:only )?(?:needs?|requires?|must|(?:only )?run|works?)\b.{3,400}(?:, (?:otherwise|or|else)"
            r"|\bbecause\b"
            r"|\bonly\b|\bbefore\b).{5,}"
        ),
    ),
    rule(
        "handoff",
        0.78,
        "a person says how far the work is",
        r"\b(?:is|are) (?:half|partly|mostly|almost) (?:done|finished|migrated|ported)\b.{8,}",
        r"\bworks?\b.{0,40}\b(?:is|are) (?:still )?(?:missing|open|to do)\b",
        r"\bis live for \d.{3,}",
    ),
)

_FLAWS = (
    rule(
        "security",
        0.84,
        "a person names a vulnerability",
        rf"\b{FLAW}\b",
        rf"(?:^|\b(?:please|must|should|have to|need to|now|and) )(?:rotate|revoke) .{{0,40}}\b{SECRETS}\b",
        r"\bsecurity (?:hole|issue|bug|problem|flaw)\b",
        (
            r"\b(?:any(?:one|body)|everyone|everybody) can (?:call|read|see|open|access|delete|download|reset"
            r"|guess)\b.{5,}"
        ),
        r"\bwithout (?:a |any )?(?:token|login|password|authentication|permission)\b",
        unless=r"^(?:is|are|could|can|does|do)\b|\?$",
    ),
)

_HANDLING = (
    rule(
        "preference",
        0.83,
        "a person says what to use or to avoid",
        (
            r"(?:^|[,;.:\u2014-] ?|\b(?:please|and|but|so|also|just) )(?:don't|do not|never|stop|avoid|no need "
            rf"to)\s+{_TASK_VERB}\b"
            rf"(?! {_PRONOUN}\b).{{3,400}}"
        ),
        r"\buse\b.{2,60}\b(?:instead of|rather than|not|over|instead)\b",
        r"\binstead of\b.{2,60},? (?:please )?use\b",
        unless=r"\b(?:used|uses) .{2,30} instead\b|\bwhy\b",
    ),
)

PERSON_RULES = Rulebook((*_FLAWS, *INSTRUCTIONS, *_WISHES, *_WARNINGS, *_HANDLING, *_REPORTS, *_CORRECTIONS, *_HABITS))

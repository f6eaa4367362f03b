"""How agents word what they did, found and learned.

Plans, guesses and questions are turned away before any of these is asked; within a sentence the first rule
that holds, in this order, wins.
"""

from __future__ import annotations

from capture.local.agent_work_rules import CHOICE_RULES, WORK_RULES
from capture.local.rules import DID, FLAW, SECRETS, Rule, rule
from capture.local.wording import one_of

_SOURCE = r"(?:docs?|documentation|spec(?:ification)?|source|README|changelog|manual|RFC)"
_UNSIGNED = r"(?:silently|quietly|without (?:any |an )?(?:error|warning|notice))"
_LOSES = r"(?:ignor|fail|drop|swallow|discard|skip|truncat|los|overwrit|fall)\w*"
_NO_VERB = r"(?:doesn't|does not|don't|do not|won't|will not|can't|cannot|isn't|is not|aren't|never)"
_NOT_WE = r"\b(?=[dwcian])(?<!\byou )(?<!\bI )(?<!\bwe )(?<!\bthey )"
_FIGURE = r"(?<![\w#])\d"  # not the digits of a colour or a hash
_SHRANK = one_of(
    r"reduc\w* cut\w* improv\w* sped speed\w* drop\w* shr[aiu]nk\w* lower\w* decreas\w* increas\w* went brought"
    r" f[ae]ll"
    r" down up optimi[sz]\w* shorten\w* faster slower"
)

_SECURITY = (
    rule(
        "security",
        0.85,
        "names a flaw and what became of it",
        r"\b(?:fix(?:ed|es)|patched|closed|prevent(?:s|ed)|mitigat(?:es|ed)|found|identified|allow(?:s|ed)"
        r"|expos(?:es|ed)"
        rf"|was|is|are|were|introduc(?:es|ed)|due to)\b.{{0,120}}\b{FLAW}\b",
        rf"\b{FLAW}\b.{{0,120}}\b(?:fixed|patched|closed|prevented|possible|because|allow(?:s|ed)|in|via|through"
        rf"|when)\b",
        hints="vulnerabilit|cve-|xss|csrf|ssrf|xxe|redos|zip slip|redirect|timing attack|injection|traversal|"
        "privilege|remote code|fixation",
        code=True,
    ),
    rule(
        "security",
        0.82,
        "says how a secret or an input was unsafe",
        rf"\b(?:leak(?:s|ed)|expos(?:es|ed)|log(?:s|ged)|stor(?:es|ed)|hard-?coded)\b.{{0,60}}\b{SECRETS}\b",
        r"\b(?:unsanitized|unsanitised|unescaped|untrusted)\b.{0,80}\b(?:is|was|are|were|reach(?:es|ed)|ends?"
        r"|passes)\b",
        r"\b(?:now|must be|are|is) (?:properly )?(?:sanitized|sanitised|escaped)\b",
        hints="secret|token|credential|password|api key|private key|unsanit|unescaped|untrusted|sanitized|"
        "sanitised|escaped",
        code=True,
    ),
)

_SOLUTION = (
    rule(
        "solution",
        0.9,
        "names the cause of a problem",
        r"\b(?:root cause|underlying (?:issue|cause|problem|bug)|(?:real|actual|true) (?:issue|problem|cause|reason"
        r"|bug)"
        r"|culprit)\b.{0,90}?(?:\b(?:is|was|were|turned out|lies|lay|comes|came)\b|:)",
        hints="root cause|underlying|real |actual|true |culprit",
    ),
    rule(
        "solution",
        0.84,
        "says what a problem was",
        r"\bthe (?:\w+ ){0,3}?(?:issue|problem|bug|error|failure|crash|regression|hang|deadlock|race|leak"
        r"|mismatch)s? "
        r"(?:here |itself )?(?:is|was|were|are|occur(?:s|red)|happen(?:s|ed)|c[oa]mes?|stem(?:s|med)|ar[io]ses?)(?:"
        r" only)? "
        r"(?:(?:that|because|caused by|due to|when)\b(?! (?:we|I) can see)|(?:from|in|with)\b.{50,})",
        hints="issue|problem|bug|error|failure|crash|regression|hang|deadlock|race|leak|mismatch",
        code=True,
    ),
    rule(
        "solution",
        0.84,
        "names a cause",
        r"\b(?:is|was|were|are|being) caused by\b",
        r"\b(?:fails?|failing|crashes|breaks|hangs?) because\b",
        hints="caused by| because",
    ),
    rule(
        "solution",
        0.86,
        "says how a problem was solved",
        r"\b(?:fix(?:ed|es)|resolv(?:ed|es)|solv(?:ed|es)|address(?:ed|es)|cur(?:ed|es))\b.{0,120}\bby (?:\w+ly"
        r" )?\w+ing\b",
        r"\bthe (?:fix|solution|remedy|cure) (?:is|was) (?:to|that)\b",
        r"\b(?:fix|solution):\s+\w+",
        hints="fix|resolv|solv|address|cure|solution|remedy",
        code=True,
    ),
)

_GOTCHA = (
    rule(
        "gotcha",
        0.86,
        "warns of a trap",
        r"(?:^|[.;] )(?:gotcha|caveat|pitfall|hiccup|trap|quirk|catch|beware|careful|warning|heads[- ]?up|watch"
        r" out)\b"
        r"\s*[:\u2014\u2013,-]",
        r"\b(?:be careful|watch out|beware|mind)\b.{0,10}\b(?:that|of|with|when|not to)\b",
        hints="gotcha|caveat|pitfall|hiccup|trap|quirk|catch|beware|careful|warning|heads|watch out|mind",
    ),
    rule(
        "gotcha",
        0.84,
        "says that something fails without a sign",
        rf"\b{_UNSIGNED}\b.{{0,10}}\b(?:{_LOSES}|return\w*|succeed\w*|do(?:es)? nothing)",
        rf"\b{_LOSES}\b.{{0,60}}\b{_UNSIGNED}\b",
        hints="silently|quietly|without ",
    ),
    rule(
        "gotcha",
        0.82,
        "says under what condition something does not work",
        rf"{_NOT_WE}\b{_NO_VERB}\b.{{3,120}}?\b(?:unless|until|without|once|if|when|even (?:if|when|though))\b"
        r"(?! (?:I|you|we|later|needed|necessary|possible|any|so|applicable|required|wanted)\b)",
        r"\bonly (?:works?|appl(?:y|ies)|takes? effect|runs?|fires?|loads?|supports?|accepts?)\b.{0,20}"
        r"\b(?:if|when|with|on|for|to|in|after|before|inside|while|as)\b",
        hints="n't|not|never|only ",
    ),
    rule(
        "gotcha",
        0.82,
        "says what something does not do against expectation",
        r"\bbut (?:it |they )?(?:doesn't|does not|don't|do not|didn't|did not|never|won't|can't|cannot|isn't"
        r"|silently)\b",
        r"\b(?:despite|even though|although|contrary to|unlike|counter-?intuitively|surprisingly)\b.{5,}"
        r"\b(?:still|not|never|always|only)\b",
        hints="but |despite|even though|although|contrary to|unlike|counter|surprisingly",
        code=True,
    ),
    rule(
        "gotcha",
        0.82,
        "says what must come first",
        r"\b(?:must|have to|has to|needs? to) be \w+(?: \w+){0,6}? (?:before|after|first)\b",
        r"\border matters\b",
        hints="must be|have to be|has to be|need to be|needs to be|order matters",
        code=True,
    ),
)

_INSIGHT = (
    rule(
        "breakthrough",
        0.88,
        "marked as the insight that mattered",
        r"\b(?:key|crucial|critical|main|big|major|core) (?:insight|finding|reali[sz]ation|discovery)\b\s*(?:is|was"
        r"|here|:|\u2014|-)",
        r"\bbreakthrough\s*:",
        r"\beureka\b",
        r"\bthe (?:trick|key|secret) (?:is|was) (?:to|that)\b",
        hints="insight|finding|reali|discovery|breakthrough|eureka|the trick|the key|the secret",
    ),
    rule(
        "optimization",
        0.88,
        "gives the figures before and after",
        rf"\b{_SHRANK}\b.{{0,120}}\bfrom\b.{{0,30}}?{_FIGURE}.{{0,40}}?\bto\b.{{0,20}}?{_FIGURE}",
        r"\b\d+(?:\.\d+)?(?:x|\u00d7| ?%| times) (?:faster|slower|smaller|larger|less|fewer|more|lower|higher"
        r"|quicker)\b",
        r"\b(?:reduc|cut|improv|sped up|speed(?:s|ing) up|lower|decreas|increas|shr[aiu]nk)\w*\b.{0,100}"
        r"\bby (?:about |around |roughly |over |~)?\d",
        hints="from|faster|slower|smaller|larger|less|fewer|more|lower|higher|quicker|by ",
    ),
    rule(
        "error_recovery",
        0.84,
        "says how an obstacle was got round",
        r"\bwork(?:ed|s|ing)?[ -]?around\b.{0,10}(?:\b(?:is|was|by|with|for)\b|:)",
        r"\b(?:worked|got|works|gets) around\b.{0,120}\bby\b",
        r"\brecover(?:ed|s)\b.{0,80}\bby\b",
        r"\bhandled\b.{0,80}\b(?:error|exception|failure|timeout)s?\b.{0,40}\bby\b",
        r"\bafter (?:retrying|reinstalling|clearing|restarting|deleting|upgrading|downgrading|pinning|rebuilding"
        r"|killing"
        r"|removing)\b.{3,120}\b(?:works?|worked|pass(?:es|ed)|succeed(?:s|ed)|start(?:s|ed)|disappear(?:s|ed)"
        r"|gone)\b",
        hints="around|recover|handled|after ",
        code=True,
    ),
)

_KNOWLEDGE = (
    rule(
        "learning",
        0.86,
        "marked as learned",
        r"\b(?:learned|learnt|reali[sz]ed|discovered|found out|figured out|noticed)\b (?:that|how|why)\b",
        r"\b(?:it )?turns out\b",
        r"\b(?:key )?takeaways?\b.{0,40}:",
        r"\blessons?(?: learned| learnt)?\s*:",
        r"\bTIL\b",
        r"\bfor future reference\b",
        r"\b(?:worth|good|important|useful) (?:noting|knowing|remembering|to (?:note|know|remember))\b",
        hints="learn|reali|discovered|found out|figured out|noticed|turns out|takeaway|lesson|til|reference|"
        "worth|good|important|useful",
    ),
    rule(
        "learning",
        0.8,
        "found by looking",
        rf"{DID} (?:found|saw|confirmed|verified|established|determined)(?: out)? that\b",
        hints="found|saw|confirmed|verified|established|determined",
        code=True,
    ),
    rule(
        "learning",
        0.8,
        "taken from the documentation or the source",
        rf"\b(?:per|according to) the (?:\w+ ){{0,3}}{_SOURCE}\b",
        rf"\bthe (?:\w+ ){{0,2}}{_SOURCE} (?:says?|states?|confirms?|shows?)\b",
        hints="doc|spec|source|readme|changelog|manual|rfc",
    ),
    rule(
        "convention",
        0.8,
        "says how things are done in this project",
        r"\b(?:this|the|our) (?:project|repo(?:sitory)?|codebase|code base|team|package|monorepo|test suite"
        r"|build)(?:'s \w+)? "
        r"(?:already |always |consistently |only )?(?:uses|follows|expects|requires|keeps|stores|relies on|enforces"
        r"|prefers"
        r"|names|puts|pins)\b",
        r"\b(?:by|the|our|naming|project|existing) convention\b.{0,20}(?:\b(?:is|here|in)\b|:)",
        r"^by convention\b",
        hints="uses|follows|expects|requires|keeps|stores|relies on|enforces|prefers|names|puts|pins|convention",
        code=True,
    ),
    rule(
        "test",
        0.8,
        "says what tests need or do",
        r"\btests? (?:suite )?(?:needs?|requires?|must|only (?:run|work|pass)|depends? on|rel(?:y|ies) on|assumes?"
        r"|expects? an?|(?:is|are) run (?:with|by)|(?:is|are) flaky)\b",
        hints="test",
        code=True,
    ),
    rule(
        "test",
        0.76,
        "says what a test guards",
        rf"(?:^|{DID} )(?:added|wrote|created) (?:a |an |new |\d+ |\w+ )?(?:regression|unit|integration|end-to-end"
        rf"|e2e|property"
        r"|smoke|contract)[ -](?:based )?tests?\b.{0,160}\b(?:for|that|which|covering|to (?:cover|catch|ensure"
        r"|verify|pin|guard))\b",
        hints="test",
        code=True,
    ),
)

AGENT_RULES: tuple[Rule, ...] = (
    *_SECURITY,
    *_SOLUTION,
    *_GOTCHA,
    *_INSIGHT,
    *CHOICE_RULES,
    *_KNOWLEDGE,
    *WORK_RULES,
)

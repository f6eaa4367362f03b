"""Rules for agents' sentences about the causes of problems, and how they were solved or worked around."""

from __future__ import annotations

from capture.local.extraction.rules.rulebook import BROKE, TROUBLE, Rule, rule

_FIXED = (
    r"(?:fix(?:ed|es)|resolv(?:ed|es)|solv(?:ed|es)|cur(?:ed|es)|address(?:ed|es)|eliminat(?:ed|es)|g[eo]ts? rid of)"
)
_NAMED_TIME = r"(?!yesterday|today|last|monday|tuesday|wednesday|thursday|friday|saturday|sunday|\d|then\b|i\b)"
_WORKED = (
    r"(?:start(?:s|ed)|work(?:s|ed)|pass(?:es|ed)|succeed(?:s|ed)|r[au]n(?:s)? through|went through|came up|connected)"
)

CAUSE_RULES: tuple[Rule, ...] = (
    rule(
        "solution",
        0.9,
        "names the cause of a problem",
        (
            r"\b(?:root cause|underlying (?:issue|cause|problem|bug)|(?:real|actual|true) (?:issue|problem|cause|reason"
            r"|bug)"
            r"|culprit)\b.{0,90}?(?:\b(?:is|was|were|turned out|lies|lay|comes|came)\b|:).{12,}"
        ),
        unless=r"\b(?:isn't|is not|wasn't|not yet|yet to be|still|once we|to be found|find|finding|look(?:ing)? for)\b"
        r".{0,40}\b(?:clear|known|unknown|found|cause)\b",
    ),
    rule(
        "solution",
        0.84,
        "states what a problem was",
        (
            rf"\bthe (?:[\w-]+ ){{0,3}}?{TROUBLE} "
            r"(?:here |itself |(?:on|in|at|with|for) [^ ]+ )?(?:is|was|were|are|occur(?:s|red)|happen(?:s|ed)|c[oa]mes?"
            r"|stem(?:s|med)|ar[io]ses?)(?: only| now)? "
            r"(?:(?:that|because|caused by|due to|when)\b(?! (?:we|I) can see)|(?:from|in|with)\b.{50,})"
        ),
        rf"\b{TROUBLE}\b.{{0,60}}\b(?:is|was|were|are) (?:simply |only )?due to\b",
        code=True,
        unless=r"^(?:it|this|that)\b",
    ),
    rule(
        "solution",
        0.82,
        "states what a problem was",
        rf"\bthe (?:[\w-]+ ){{0,4}}?{TROUBLE} (?:was|were) .{{25,400}}",
        (
            rf"\b{TROUBLE}\b(?: \S+){{0,4}} (?:came|comes|stem(?:s|med)|arose|result(?:s|ed)|originat(?:es|ed)) "
            r"from\b.{12,}"
        ),
        r"\b(?:trac(?:ed|es)|track(?:ed|s))\b.{3,100}\b(?:back|down) to\b.{8,}",
        r"^what (?:broke|caused|causes|breaks|triggered|triggers|slowed)\b.{3,80}\b(?:was|is)\b.{12,}",
        r"\bthe reason (?:why |that |for )?.{3,100}?\b(?:is|was)\b.{15,}",
        r"\bthe (?:slow|broken|failing|missing|wrong|odd|weird) (?:part|piece|bit|one|thing) (?:is|was) .{15,}",
        unless=r"\b(?:was|were) (?:fixed|resolved|solved|reported|closed|found|introduced|still|not|gone|unclear"
        r"|raised|\w+ing"
        r"|caused by (?:me|my))\b|^(?:what|why|how)\b.*\?$|\bsimply\b",
    ),
    rule(
        "solution",
        0.84,
        "names a cause",
        r"\b(?:is|was|were|are|being) caused by\b.{8,}",
        r"\b(?:fails?|failing|crashes|breaks|hangs?|(?:is|was) happening) because\b.{8,}",
    ),
    rule(
        "solution",
        0.82,
        "says why something went wrong",
        rf"\b{BROKE}\b.{{0,80}}?(?:\bbecause(?: of)?\b|\bsince {_NAMED_TIME}|\bdue to\b).{{12,400}}",
        rf"\bturn(?:s|ed) out\b.{{5,400}}\b{BROKE}\b.{{0,60}}?(?::|\bbecause\b|\bsince\b).{{12,400}}",
        rf"\b{BROKE}\b.{{0,60}}(?: only)? because of\b.{{8,400}}",
        unless=r"\bno longer\b|^(?:if|when|whenever|unless)\b|\battempts? (?:to|at)\b",
    ),
    rule(
        "solution",
        0.86,
        "says how a problem was solved",
        rf"\b{_FIXED}\b.{{0,160}}\bby (?:\w+ly )?\w+ing\b.{{5,400}}",
        rf"\b{_FIXED}\b.{{3,120}}\b(?:with|via|through|using) (?:an? |the )?.{{10,400}}",
        (
            r"\bthe (?:\w+ )?(?:fix|solution|remedy|cure) (?:is|was)\b(?! (?:in|to be|not|ready|simple|easy"
            r"|trivial)\b).{12,}"
        ),
        r"^(?:fix(?:ed)?|resolved|solved|solution|root cause|cause|the fix)\s*[:\u2014\u2013-]\s*\S.{15,}",
        rf"^\w+ing\b.{{5,200}}\b(?:{_FIXED}|prevents?|prevented|makes? .{{2,40}} (?:work|pass|go away))\b",
        rf"\b{TROUBLE}\b.{{0,60}}\b(?:is|are) gone (?:now )?(?:that|since|after|because|with)\b.{{8,400}}",
        (
            r"\b(?:no longer|never|stopped) (?:fail|crash|hang|leak|happen|flak|time|dupl)\w*\b.{0,30}"
            r"\b(?:since|because|now that|after)\b.{8,}"
        ),
        unless=r"\b(?:typo|formatting|imports?|wording|indentation|spelling)\b.{0,20}$|^(?:this|that|it) (?:is )?fix"
        r"|\b(?:one|you|we|that|this) would\b|^to (?:fix|solve|resolve|address)\b|\bfixed(?: the)? (?:width|size"
        r"|height)",
    ),
)

RECOVERY_RULES: tuple[Rule, ...] = (
    rule(
        "error_recovery",
        0.84,
        "says how an obstacle was worked around",
        r"\bwork(?:ed|s|ing)?[ -]?around\b.{0,10}(?:\b(?:is|was|by|with|for)\b|:).{8,}",
        r"\b(?:worked|works|gets?|got) (?:a?round|past)\b.{3,120}\b(?:by|with|instead|via)\b",
        r"\b(?:circumvented|side-?stepped|bypassed)\b.{3,120}\bby\b.{5,}",
        r"\b(?:recovered|restored|repaired|revived|unblocked|rescued)\b.{3,100}\bby (?:\w+ly )?\w+ing\b.{5,}",
        r"\bhandled\b.{0,80}\b(?:error|exception|failure|timeout)s?\b.{0,40}\bby\b.{8,}",
        (
            r"\bafter (?:retrying|reinstalling|clearing|restarting|deleting|upgrading|downgrading|pinning|rebuilding"
            r"|killing|removing)\b.{3,120}\b(?:works?|worked|pass(?:es|ed)|succeed(?:s|ed)|start(?:s|ed)"
            r"|disappear(?:s|ed)"
            r"|gone)\b"
        ),
        code=True,
    ),
    rule(
        "error_recovery",
        0.82,
        "says what had to be done before something worked",
        (
            r"\b(?:fail(?:ed|s|ing)?|refus(?:ed|es)|died|dies|crash(?:ed|es)|hung|hangs|stopped|broke|errored"
            r"|reject(?:ed|s)|"
            r"timed out|did(?:n't| not) (?:start|work|build|compile|connect))\b.{0,120}\buntil (?!now\b|then\b).{10,}"
        ),
        (
            r"\b(?:kept|keeps) \w+ing\b.{0,120}[;:\u2014,].{8,400}\b(?:cured|fixed|solved|got it|made it|did the trick"
            r"|helped"
            r"|through|stopped it)\b"
        ),
        (
            r"[;:,\u2014] (?:\w+ing\b|`[^`]+`).{3,160}\b(?:got it|cured it|cleared it|did the trick|unblocked it"
            r"|(?:fixed|solved|resolved) (?:that|it|this)"
            r"|made it (?:work|pass|start)|cleaned it up|brought it back|helped)\b"
        ),
        (
            r"\b(?:encountered|hit|ran into|failed|refused|rejected|died|locked)\b.{10,300}\b(?:after (?:which"
            r"|that)|and then"
            rf"|and (?:the|it|that))\b.{{0,60}}\b{_WORKED}\b"
        ),
        r"\b(?:failed|refused|rejected|blocked)\b.{5,200}[;:] (?:i|we) .{5,160}\b(?:again|through|worked|passed)\b",
        unless=r"\b(?:since|because)\b.{0,120}\buntil\b|\b(?:so|then) i (?:tried|will try|retried) (?:it )?again\b"
        r"|^(?:it|this|that|the (?:command|script"
        r"|call))\b",
    ),
)

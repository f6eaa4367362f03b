"""Rules for agents' sentences about decisions, finished work and its state."""

from __future__ import annotations

from capture.local.extraction.patterns import one_of
from capture.local.extraction.rules.rulebook import DID, MEASURE, NUMBER, Rule, rule

_CHOSE = r"(?:decided|chose|opted|elected|settled|picked|selected|went with|agreed|standardi[sz]ed)"
_WHY = (
    r"(?:\b(?:because|since|so that|so|as|due to|otherwise|over|instead of|rather than|to avoid|in favou?r of|for"
    r" (?:\w+ ){1,2}reasons|which (?:means|keeps|avoids|lets|makes))\b|: |\u2014)"
)
_SAID_BY_OTHERS = r"^(?:if|whether|according to|the (?:user|customer|client|author|ticket|docs?)|you|your)\b"
_INTRODUCTION = r"^(?:(?:for|in|on|after|per|as) [^,]{3,60}, )?"  # "For the CLI I used ..."

LABEL_RULES: tuple[Rule, ...] = (
    rule(
        "handoff",
        0.8,
        "says what is left to do",
        r"^hand(?:off|-off|over)(?: declaration| notes?)?s?\s*(?::|\u2014).{15,}",
        r"^where (?:i|we) (?:stopped|left off|stand|am)\s*: .{15,}",
        r"^(?:to ?do(?: next)?|next(?: steps?| up)?)\s*: .{25,}",
        r"\bhand(?:ing|ed) (?:off|over) to\b.{3,40}:.{8,}",
        (
            r"(?:^|[.;:] )(?:remaining(?: work)?|outstanding|left to do|what(?:'s| is) (?:left|missing)|still (?:to "
            r"do|open"
            r"|missing)|not (?:yet )?(?:done|implemented|covered|migrated|handled|ported)(?: yet)?|open (?:point"
            r"|question"
            r"|item|issue|end)s?\b[^:]{0,60}?)\s*(?::|\bis\b:?|\bare\b:?) .{12,}"
        ),
        (
            r"\b(?:is|are) (?:still )?not (?:yet )?(?:done|implemented|covered|migrated|handled|wired|ported)\b(?: "
            r"yet)?"
        ),
        r"\bpick(?:s|ed)? up (?:from|at)\b.{8,}",
        (
            r"^for (?:the next (?:session|person|one|agent|developer)|whoever (?:continues|picks|takes|goes "
            r"on))\b.{20,}"
        ),
        unless=r"^(?:what (?:remains|is left|'s left) (?:is|are) to run|remaining tasks will)|\?$",
    ),
)

CHOICE_RULES: tuple[Rule, ...] = (
    rule(
        "decision",
        0.85,
        "says what was chosen and why",
        rf"(?:^|[,;:] |{DID} ){_CHOSE}\b.{{3,300}}?{_WHY}",
        rf"{DID} (?:decided|chose|opted|agreed) (?:not to|against|to keep|to leave|that|on)\b.{{15,400}}",
        unless=rf"{_SAID_BY_OTHERS}|\bselected (?:text|item|row|element|option)",
    ),
    rule(
        "decision",
        0.8,
        "says what was kept and why",
        (
            r"\bwe (?:stick (?:to|with)|keep|stay with|hold on to)\b.{3,160}\b(?:rather than|instead of|over|because"
            r"|since)"
            r"\b.{8,}"
        ),
        unless=r"\bkeep (?:talking|going|asking|getting)\b",
    ),
    rule(
        "decision",
        0.83,
        "marked as a decision",
        r"^(?:the |our |my )?(?:design )?decision(?: (?:is|was)\b|\s*[:\u2014-]).{15,}",
    ),
    rule(
        "decision",
        0.8,
        "says what was done instead of something else, or why",
        (
            rf"(?:{_INTRODUCTION}|[:;] )(?:(?:we|i)(?:'ve)? (?:have )?)?(?:us(?:ing|ed)|cho(?:se|osing)|ke(?:pt|eping)"
            r"|left|went with"
            r"|st(?:uck|icking) with|switched to|moved to|picked|prefer(?:red)?|stor(?:ed|ing)|put|made)\b.{3,200}?"
            r"\b(?:over|instead of|rather than|because|since|so that|to avoid)\b"
        ),
        code=True,
        unless=r"\bstill (?:uses?|calls?|imports?|needs?|reads?)\b",
    ),
    rule(
        "decision",
        0.78,
        "says what was not changed and why",
        (
            r"(?:^|[.;:] )(?:we|i)(?:'ve)? (?:have )?(?:left|kept|dropped|skipped|removed|avoided)\b.{3,160}"
            r"\b(?:because|so that|rather than|instead of)\b"
        ),
        unless=r"\bstill (?:uses?|calls?|imports?|needs?|reads?)\b",
    ),
)

_RESTRUCTURED = one_of(
    "refactored extracted restructured reorgani[sz]ed consolidated deduplicated decoupled inlined split unified moved"
    " replaced merged simplified collapsed pulled converted rewrote flattened"
)
_ENVIRONMENT = r"(?:v?\d+\.\d+[\w.-]*|staging|production|prod|canary|PyPI|npm|crates\.io|main|master|registry)"

WORK_RULES: tuple[Rule, ...] = (
    rule(
        "refactoring",
        0.8,
        "says what was restructured and into what",
        (
            rf"(?:^|[,;:] |{DID} )(?:refactored|extracted|restructured|reorgani[sz]ed|consolidated|deduplicated"
            r"|decoupled"
            r"|unified|merged|split|pulled|collapsed|converted)\b.{3,200}\b(?:into|to|from|behind|out of|on top of)\b"
        ),
        (
            r"\b(?:is|are|was|were) (?:now )?(?:split|broken up|extracted|merged|consolidated|folded) (?:by|into|in"
            r"|to)\b"
        ),
        r"\b(?:both|all|they|which)\b.{0,60}\bnow (?:derive|inherit|share|extend|go through|delegate)\w*\b",
        r"(?:^|[,;:] )moved\b.{3,160}\bout of\b.{3,80}\binto\b",
        r"\bmoved\b.{3,100}\binto `[^`]+`.{8,}",
        code=True,
        unless=r"\bsplit (?:the )?(?:string|line|text)|\bmerged (?:the )?(?:pr|branch|pull request)\b",
    ),
    rule(
        "refactoring",
        0.78,
        "says what was restructured and for what purpose",
        rf"(?:^|{DID} ){_RESTRUCTURED}\b.{{3,200}}\b(?:into|to|from|with|behind|out of|by)\b",
        rf"(?:^|{DID} )inlined `[^`]+`.{{15,400}}",
        rf"(?:^|{DID} )(?:replaced|rewrote)\b.{{8,160}}\b(?:by|with|as|on)\b.{{8,400}}",
        code=True,
        unless=r"\b(?:icon|colou?r|logo|button|text|label|title|wording|placeholder|version|string)s?\b"
        r"|^(?!.*(?:`.*`|_\w|\bbecause\b|\bso that\b|\bavoid\b)).*$|^\S+ `[^`]+` (?:with|by|to) `[^`]+`\.?$",
    ),
    rule(
        "checkpoint",
        0.78,
        "says what state was reached",
        rf"\b(?:deployed|released|published|shipped|promoted)\b.{{0,80}}\b{_ENVIRONMENT}\b",
        (
            rf"\b(?:rolled|reverted)\b.{{0,60}}\bback\b.{{0,60}}(?:\b{_ENVIRONMENT}\b|\bto (?:build|version"
            r"|revision)\b)"
        ),
        (
            r"\b(?:is|are) (?:now )?(?:tagged|out on|live (?:in|on|at|since|for)|released as|published (?:as|to"
            r"|on))\b.{3,}"
        ),
        r"\bwent live\b.{8,}",
        rf"(?:^|{DID} )tagged\b.{{0,80}}(?:`[^`]+`|\b{_ENVIRONMENT}\b)",
        rf"(?:^|{DID} )(?:committed|pushed)\b.{{3,80}}(?:\bas `?[0-9a-f]{{7,}}|\bwith\b.{{3,400}})",
        unless=r"\b(?:ready|how|steps?|need(?:s|ed)?|want|going|once|before|until|when|if|will|able) to be\b|^to \w+"
        r"|\b(?:can|could|should|must|will|once|if|ready to) (?:be )?(?:deployed|released|published|shipped|tagged"
        r"|rolled)\b",
    ),
    rule(
        "handoff",
        0.76,
        "says what is done and what is not",
        (
            r"\b(?:done|migrated|ported|converted|works?|ready|handles?|built|builds|tested)\b.{0,80}(?:[,;]"
            r"|\bbut\b).{0,60}"
            r"\b(?:still|not yet|is missing|are missing|is disabled|except|remains?)\b.{5,}"
        ),
        r"\bhandles? all\b.{3,60}\bexcept\b.{3,}",
        r"\b(?:i|we)(?:'ve)? (?:have )?left\b.{5,120}\b(?:because|since|as)\b.{3,80}\bstill\b.{5,}",
        r"\b(?:can go|goes away|can be (?:removed|deleted|dropped)) (?:once|when|with|after)\b.{5,}",
        unless=r"^(?:it|this|that|everything)\b",
    ),
)

_TRIAL = (
    r"\b(?:experiment|benchmark|measurement|migrat(?:ion|ing)|deploy(?:ment|ing)?|load test|stress test|soak test|trial"
    r"|backfill|import|profil(?:e|ing)|upgrad(?:e|ing)|rollout|switch(?:ing)?|canary|backup|reindex|release|a/b test"
    r"|moving|move to|push(?:ing)?|publish(?:ing)?|conversion|restore|dry run|spike|prototype|cutover)s?\b"
)
TRIAL_RULES: tuple[Rule, ...] = (
    rule(
        "outcome",
        0.8,
        "says why something did not work out",
        (
            rf"{_TRIAL}.{{0,80}}\b(?:failed|did(?:n't| not) work|broke|timed out|(?:is|was|are|were|got) (?:blocked"
            r"|rejected"
            r"|refused|aborted|stopped|rolled back)|ran out)\b.{0,80}?(?:\b(?:because|since|due to|by|on|after)\b"
            r"|:).{8,}"
        ),
        (
            rf"{_TRIAL}.{{0,80}}\b(?:did(?:n't| not) work out|brought (?:nothing|no)|paid off|(?:was|were) worth it"
            r"|(?:made|makes) no difference"
            r"|(?:had|has|showed) no (?:measurable |visible )?(?:effect|improvement|gain|benefit))\b.{0,3}.{5,}"
        ),
        r"\b(?:timed out|(?:was|were) (?:blocked|refused|rejected)) (?:because|since|due to|by|on)\b.{8,}",
        unless=r"^.{0,20}\battempt failed\b|\b(?:if|when|unless|whenever)\b.{0,30}\bfails?\b",
    ),
    rule(
        "outcome",
        0.8,
        "gives a measured result",
        (
            rf"{_TRIAL}.{{0,100}}\b(?:showed|shows|took|takes|finished|succeeded|failed|completed|found|yielded|gave"
            r"|ran"
            rf"|ended|went|measured|moved|lost)\b.{{0,80}}(?:{NUMBER} ?{MEASURE}\b|\d)"
        ),
        unless=rf"\bfrom\b.{{0,20}}\b{NUMBER}.{{0,20}}\bto\b.{{0,10}}{NUMBER}|`\S+` from|\bbump",
    ),
    rule(
        "outcome",
        0.78,
        "says after which change all tests pass",
        (
            r"\ball (?:of the |the )?(?:\d+ )?(?:\w+ ){0,2}?(?:tests?|checks?|specs?|suites?) (?:are |now |do "
            r")*(?:pass\w*"
            r"|green|succeed\w*)(?: (?:now|again))* (?:after|since|with|once|because|now that)\b.{8,}"
        ),
    ),
)

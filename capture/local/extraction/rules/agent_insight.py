"""Rules for agents' sentences about figures, insights, and how a project works and is tested."""

from __future__ import annotations

from capture.local.extraction.patterns import one_of
from capture.local.extraction.rules.rulebook import DID, MEASURE, NUMBER, Rule, rule

_SOURCE = r"(?:docs?|documentation|spec(?:ification)?|source|README|changelog|manual|RFC|man page|release notes)"
_FIGURE = rf"{NUMBER} ?{MEASURE}(?!\w)"
_SHRANK = one_of(
    r"reduc\w* cut cuts cutting improv\w* sped speed\w* drop\w* shr[aiu]nk\w* lower\w* decreas\w* increas\w* went "
    r"brought"
    r" f[ae]ll"
    r" down up optimi[sz]\w* shorten\w* faster slower rose grew"
)
_SETTING = (
    r"\b(?:timeout|limit|interval|delay|ttl|deadline|expiry|padding|margin|retention|version|font|width|height)s?\b"
)
_PLACE = r"(?:codebase|code base|repo(?:sitory)?|project|monorepo|package|team|app|service)"

FIGURE_RULES: tuple[Rule, ...] = (
    rule(
        "test",
        0.8,
        "gives the test coverage",
        (
            r"\b(?:test |line |branch )?coverage\b.{0,60}\b(?:went|rose|is|grew|dropped|fell|from|now|at|up"
            r"|increased|climbed)"
            r"\b.{0,40}\d"
        ),
    ),
    rule(
        "optimization",
        0.88,
        "gives the figures before and after",
        rf"\b{_SHRANK}\b.{{0,120}}\bfrom\b.{{0,30}}?\b{_FIGURE}.{{0,40}}?\bto\b.{{0,20}}?\b{NUMBER}",
        rf"\b{_SHRANK}\b.{{0,120}}\bfrom\b.{{0,30}}?\b{NUMBER}.{{0,40}}?\bto\b.{{0,20}}?\b{_FIGURE}",
        rf"\b{_FIGURE}.{{0,12}}(?:\u2192|->|=>).{{0,6}}\b{_FIGURE}",
        rf"\b{_FIGURE}.{{0,20}}\binstead of\b.{{0,12}}\b{NUMBER}\b",
        (
            rf"\b{NUMBER}(?:x|\u00d7| ?%| times| per ?cent|-fold) (?:as )?(?:fast(?:er)?|slow(?:er)?|small(?:er)?"
            r"|larger|less|fewer|more|lower|higher|quick(?:er)?|cheaper)\b"
        ),
        (
            r"\b(?:(?:reduc|improv|lower|decreas|increas|shr[aiu]nk)\w*|cut(?:s|ting)?|sped up|speed(?:s|ing) "
            r"up)\b.{0,100}"
            rf"\bby (?:about |around |roughly |over |nearly |almost |~)?(?:{_FIGURE}|half|two thirds|a (?:third"
            r"|quarter|half))"
        ),
        (
            r"\b(?:down|dropped|fell|falls|drops|shr[au]nk|brought|sped)\b.{0,40}\bto (?:about |around |roughly "
            r"|under |just |"
            rf"~)?{_FIGURE}"
        ),
        (
            r"\b(?:halv|doubl|tripl|quarter)(?:ed|es)\b.{0,60}\b(?:time|latency|memory|size|throughput|startup"
            r"|duration|cost"
            r"|usage|load)\b"
        ),
        (
            r"\b(?:time|latency|memory|size|throughput|startup|duration|cost|usage|use)\b.{0,30}\b(?:down|up|lower"
            r"|higher) by"
            r" (?:half|a (?:third|quarter|half)|two thirds)\b"
        ),
        unless=rf"{_SETTING}.{{0,40}}\b(?:from|to|by)\b|\b(?:could|might|may|should|would|maybe|perhaps)\b|{NUMBER} "
        r"?px",
    ),
)

INSIGHT_RULES: tuple[Rule, ...] = (
    rule(
        "breakthrough",
        0.88,
        "marked as the decisive insight",
        (
            r"\b(?:key|crucial|critical|main|big|major|core|decisive) (?:insight|finding|reali[sz]ation|discovery"
            r"|observation|clue)\b\s*(?:is|was|here|:|\u2014|-).{15,}"
        ),
        r"\b(?:the )?breakthrough\s*(?::|(?:came|was|is|here)\b).{15,}",
        r"\beureka\b.{15,}",
        r"\bthe (?:trick|key|secret)(?: here)? (?:is|was) (?:to|that)\b.{12,}",
        r"\bthe (?:missing|final|last) (?:piece|link|clue)\b.{0,12}(?:\b(?:is|was)\b|:).{15,}",
        r"^(?:that|this)(?:'s| is| was) the (?:missing|last|final) (?:piece|link|clue)\s*[:\u2014].{15,}",
        r"\bwhat (?:finally )?(?:cracked|unlocked|gave) (?:it|this|the)\b.{0,30}\b(?:was|is)\b.{12,}",
        r"\b(?:the )?aha(?: moment)?\b\s*(?::|was|came).{15,}",
    ),
)

KNOWLEDGE_RULES: tuple[Rule, ...] = (
    rule(
        "learning",
        0.86,
        "marked as learned",
        r"\b(?:learned|learnt|reali[sz]ed|discovered|found out|figured out|noticed)\b (?:that|how|why|:)",
        r"\b(?:it )?turn(?:s|ed) out\b.{10,}",
        r"\b(?:key )?takeaways?\b.{0,40}:",
        r"\blessons?(?: learned| learnt)?\s*:",
        r"\bTIL\b",
        r"\bfor future reference\b",
        r"\b(?:worth|good|important|useful) (?:noting|knowing|remembering|to (?:note|know|remember))\b",
        r"\b(?:i|we) (?:now |finally )?(?:now )(?:understand|see|know) (?:that|why|how)\b.{12,}",
        r"\b(?:i|we) (?:didn't|did not|hadn't) (?:know|expect|reali[sz]e)\b.{12,}",
        (
            r"\b(?:after|from) (?:some|a bit of|more|reading|digging|looking)\b.{0,40}\b(?:it is|it's|it became) "
            r"clear that\b"
        ),
        r"^after (?:some|a bit of|more) (?:digging|reading|research|testing|debugging)\s*[:,].{15,}",
        unless=r"\b(?:reali[sz]ed|noticed|learned|learnt|discovered) (?:that )?(?:i|you)\b|\bnoticed that (?:this"
        r"|the file)\b"
        r"|\bturns out (?:to be|fine|it works|that works|ok)\b",
    ),
    rule(
        "learning",
        0.8,
        "found by checking",
        rf"{DID} (?:found|saw|confirmed|established|determined|observed)(?: out)? that\b.{{15,400}}",
        unless=r"\bthat (?:i|you|my|the file is|this)\b|\b(?:already|correctly|as expected)\b",
    ),
    rule(
        "learning",
        0.8,
        "taken from the documentation or the source",
        rf"\b(?:per|according to) the (?:\w+ ){{0,3}}{_SOURCE}\b.{{15,400}}",
        rf"\bthe (?:\w+ ){{0,2}}{_SOURCE} (?:says?|states?|confirms?|shows?|mentions?|warns?)\b.{{15,400}}",
        unless=r"\b(?:says?|states?)\s*:\s*[\"\u201c]",
    ),
    rule(
        "convention",
        0.8,
        "says how things are done in this project",
        (
            rf"\b(?:this|the|our) (?:{_PLACE}|test suite|build)(?:'s \w+)? "
            r"(?:already |always |consistently |only )?(?:uses|follows|expects|requires|keeps|stores|relies on|enforces"
            r"|prefers|names|puts|pins|forbids)\b.{12,}"
        ),
        r"\b(?:by|the|our|naming|project|existing) convention\b.{0,20}(?:\b(?:is|here|in)\b|:)",
        r"^by convention\b",
        (
            r"\b(?:following|matching|in line with|consistent with) the (?:existing |usual )?(?:pattern|convention"
            r"|style)s?"
            rf" (?:in|of) (?:this|the) {_PLACE}\b.{{12,400}}"
        ),
        unless=r"^(?:i|we)(?:'ll| will|'d)\b|\bwhat(?:'s| is)\b"
        r"|^(?!.*(?:`|_\w|[:;,]|\b(?:never|only|always|each|every|must|not|instead|rather|because|see)\b)).*$",
    ),
    rule(
        "convention",
        0.78,
        "says how things are done in this project",
        rf"^(?:in|across|throughout|within) (?:this|our|the whole) {_PLACE},?(?: all| every| each)? .{{20,400}}",
        (
            r"^(?:all|every|each|(?:the )?(?:existing|other))\b (?:[\w-]+ ){1,3}(?:here )?(?:takes?|uses?"
            r"|follows?|returns?"
            r"|lives?|are|is|goes?|have|has|inherits?|starts?)\b.{8,400}\b(?:here|so (?:i|the new|that)|by hand|nothing"
            r"|never|only"
            rf"|in this {_PLACE})\b"
        ),
        rf"^(?:all|every|each) (?:[\w-]+ ){{1,2}}(?:here|in this {_PLACE}) [a-z]+ .{{12,400}}",
        (
            rf"^(?:all |every |each )?[\w-]+(?: [\w-]+){{0,2}} (?:here|in this {_PLACE}) (?:is|are|starts?|uses?"
            r"|must|follows?"
            r"|goe?s?|takes?|returns?|has|have|needs?)\b.{10,}"
        ),
        rf"\b(?:is|are|lives?|goe?s?) .{{3,80}} in this {_PLACE}\b.{{3,400}}",
        unless=r"\b(?:i'll|i will|i'm|i am|we'll|we need|there (?:is|are)|contains?|consists?|i (?:found|see|added"
        r"|added))\b"
        r"|\bhere (?:is|are) (?:the|a|an|some|what|how|why|my)\b|^here\b|\btests? pass",
    ),
    rule(
        "test",
        0.8,
        "says what tests need or do",
        (
            r"\btests?\b(?: suite)?(?: in `[^`]+`)? (?:needs?|requires?|must|(?:can )?only (?:run|work|pass)"
            r"|depends? on"
            r"|rel(?:y|ies) on"
            r"|assumes?|expects? an?|(?:is|are) run (?:\w+ )?(?:with|by)|(?:is|are) flaky)\b.{8,}"
        ),
        r"\b(?:suite|test\w*|spec)`? is (?:still )?flaky\b.{5,}",
        r"\btests\b (?:only )?run (?:against|with|in|on|only|inside|without)\b.{10,}",
        r"^`[^`]*test[^`]*` (?:\w+ )?(?:needs|requires|takes|runs|is skipped)\b.{8,}",
        unless=r"\btests? (?:needs?|must) (?:to )?(?:be (?:fixed|updated|changed|written|added)|an update|more)",
    ),
    rule(
        "test",
        0.78,
        "says what a test protects against",
        (
            rf"(?:^|{DID} )(?:added|wrote|created) (?:an? |new |\d+ |\w+ ){{0,2}}(?:(?:regression|unit|integration"
            r"|end-to-end"
            r"|e2e|property|smoke|contract|snapshot|table)[ -])?(?:based )?tests?\b(?:, `| `|.{0,160}\b(?:for|that"
            r"|which"
            r"|covering|to (?:cover|catch|ensure|verify|pin|guard)|around)\b).{8,}"
        ),
        (
            r"\b(?:test|spec)s? `[^`]+`.{0,6} (?:covers?|checks?|guards?|pins?|fails?|catches|caught|asserts?"
            r"|proves?)\b.{5,}"
        ),
        (
            r"^`[^`]*(?:test|spec|it_)[^`]*` (?:now )?(?:covers?|checks?|guards?|pins?|fails?|catches|caught"
            r"|asserts?|relies"
            r"|assumes|proves?)\b.{5,}"
        ),
        (
            rf"{DID} (?:verified|checked|tested|confirmed)\b.{{0,20}}\b(?:by hand|manually|on a copy|in (?:a real"
            r"|both|all)|on"
            r" real)\b.{10,}"
        ),
        unless=r"\b(?:comprehensive|all (?:scenarios|cases)|everything|thorough|for this|for it|for that)\b"
        r"|\bpasses now\b",
    ),
)

"""What agents say without any of the usual words: by its form alone it is an account of a cause, a trap, a figure.

Asked last, for any more telling wording says more of the type, and believed less.
"""

from __future__ import annotations

from capture.local.extraction.rules.rulebook import MEASURE, NUMBER, SECRETS, Rule, rule

_WITH = rf"{NUMBER} ?{MEASURE}(?!\w)"
_OURSELVES = r"^(?:i|we|you|he|she|they|it|this|that|these|those|if|when|let|so)\b"
_NOT_WE = (
    rf"{_OURSELVES}|\b(?:i|we|you)(?:'ve)? (?:\w+ )?(?:kept|left|chose|used|removed|added|made|moved)\b"
    r"|\b(?:asked|told|wanted|requested)\b"
)

ACCOUNT_RULES: tuple[Rule, ...] = (
    rule(
        "security",
        0.8,
        "says what reached where it must not",
        (
            r"\b(?:user|untrusted|request) (?:input|data|parameters?|names?)\b.{0,40}\b(?:reach|passed|end|flow|went"
            r"|goes).{5,}"
        ),
        rf"\b(?:{SECRETS}|links?|sessions?|invitations?) never expire[sd]?\b.{{5,400}}",
        r"\bscripts?\b.{0,60}\b(?:stored|served|executed|run)\b.{5,}",
        r"\b(?:since|because|as) .{3,60}\bcomes? from (?:users?|anyone|outside|the (?:client|browser|request))\b",
    ),
    rule(
        "optimization",
        0.82,
        "gives the figures before and after",
        rf"\bfrom (?:about |around |over )?{_WITH}.{{0,30}}? to (?:about |under |just )?{_WITH}",
        rf"\b{_WITH}.{{0,40}}\bdown from (?:about |over )?{NUMBER}\b",
        rf"\b(?:sav|shav|fre)(?:es|ed)\b.{{0,20}}\b{_WITH}.{{3,400}}",
        rf"\b(?:down|dropped|fell)\b.{{0,12}} by (?:about |over )?{_WITH}.{{5,400}}",
        unless=r"\b(?:timeout|limit|interval|delay|ttl|deadline|debounce|retention|version|padding|margin)s?\b"
        r"|\b(?:could|might|may|should|would)\b|\bpm\b",
    ),
    rule(
        "solution",
        0.76,
        "says what something that had gone wrong came from",
        r"\b(?:showed|shifted|dropped|skipped|ran|twice|doubled|vanished)\b.{3,120}, as .{20,}",
        r"\b(?:is|are) (?:now )?(?:fixed|resolved|solved)\s*(?::|;|\u2014|,| now that| since) .{20,}",
        r"\bkept \w+ing\b.{0,60}\b(?:because|since|as)\b.{15,}",
        unless=_NOT_WE,
    ),
    rule(
        "solution",
        0.76,
        "says what something that had gone wrong came from",
        (
            r"\b(?:was|were|had|went|got|kept|ran|came|showed|\w{3,}ed)\b.{5,160}?(?:,| )(?:because|since)\b "
            r"(?!you\b|i\b|we\b|of\b|then\b|yesterday\b|last\b|this\b|\d).{20,}"
        ),
        unless=rf"{_NOT_WE}|^(?!.{{0,400}}(?:`|\w[_/]\w|\b(?:no|not|never|twice|again|only|half|zero|empty|nothing|off"
        r"|yesterday's)\b))",
    ),
    rule(
        "gotcha",
        0.77,
        "says what holds against expectation",
        r"^(?!.*\b(?:i|we|you)\b).{8,400}\beven (?:on|if|when|while|though|after)\b.{5,}",
        r"^`[^`]+`.{5,160}, which (?:causes|leads to|breaks|means|makes|puts|changes)\b.{8,}",
        r"\b(?:does not|doesn't|never) \w+.{3,100}, (?:only|but|not) .{5,}",
        r"^[\w`].{5,120}\b(?:as well|also)\b (?:once|when|if|while)\b.{8,}",
        unless=rf"{_OURSELVES}|\b(?:would|should|could|might|may)\b|^even\b",
    ),
    rule(
        "learning",
        0.76,
        "says what was read or seen",
        (
            r"^(?:reading|judging from|judging by|from) (?:the|its) (?:source|code|docs|logs?|traces?|documentation)"
            r"(?: of [^,]+)?, .{20,}"
        ),
        r"^apparently,? .{20,}",
        r"^.{20,300}?, which i (?:only )?(?:learned|learnt|noticed|found)\b.{5,}",
    ),
)

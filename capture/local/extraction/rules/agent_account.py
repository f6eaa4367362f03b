"""Rules for agents' sentences that report a cause, a pitfall or a figure without any of the usual words.

They are the last in order, since other rules are more precise about the type, and have a lower confidence.
"""

from __future__ import annotations

from capture.local.extraction.rules.rulebook import MEASURE, NUMBER, SECRETS, Rule, rule

_FIGURE = rf"{NUMBER} ?{MEASURE}(?!\w)"
_PRONOUN_FIRST = r"^(?:i|we|you|he|she|they|it|this|that|these|those|if|when|let|so)\b"
_ABOUT_OWN_WORK = (
    rf"{_PRONOUN_FIRST}|\b(?:i|we|you)(?:'ve)? (?:\w+ )?(?:kept|left|chose|used|removed|added|made|moved)\b"
    r"|\b(?:asked|told|wanted|requested)\b"
)

ACCOUNT_RULES: tuple[Rule, ...] = (
    rule(
        "security",
        0.8,
        "says which unsafe data reached a sensitive place",
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
        rf"\bfrom (?:about |around |over )?{_FIGURE}.{{0,30}}? to (?:about |under |just )?{_FIGURE}",
        rf"\b{_FIGURE}.{{0,40}}\bdown from (?:about |over )?{NUMBER}\b",
        rf"\b(?:sav|shav|fre)(?:es|ed)\b.{{0,20}}\b{_FIGURE}.{{3,400}}",
        rf"\b(?:down|dropped|fell)\b.{{0,12}} by (?:about |over )?{_FIGURE}.{{5,400}}",
        unless=r"\b(?:timeout|limit|interval|delay|ttl|deadline|debounce|retention|version|padding|margin)s?\b"
        r"|\b(?:could|might|may|should|would)\b|\bpm\b",
    ),
    rule(
        "solution",
        0.76,
        "gives the cause of something that went wrong",
        r"\b(?:showed|shifted|dropped|skipped|ran|twice|doubled|vanished)\b.{3,120}, as .{20,}",
        r"\b(?:is|are) (?:now )?(?:fixed|resolved|solved)\s*(?::|;|\u2014|,| now that| since) .{20,}",
        r"\bkept \w+ing\b.{0,60}\b(?:because|since|as)\b.{15,}",
        unless=_ABOUT_OWN_WORK,
    ),
    rule(
        "solution",
        0.76,
        "gives the cause of something that went wrong",
        (
            r"\b(?:was|were|had|went|got|kept|ran|came|showed|\w{3,}ed)\b.{5,160}?(?:,| )(?:because|since)\b "
            r"(?!you\b|i\b|we\b|of\b|then\b|yesterday\b|last\b|this\b|\d).{20,}"
        ),
        unless=rf"{_ABOUT_OWN_WORK}|^(?!.{{0,400}}(?:`|\w[_/]\w|\b(?:no|not|never|twice|again|only|half|zero|empty|nothing|off"
        r"|yesterday's)\b))",
    ),
    rule(
        "gotcha",
        0.77,
        "states something unexpected",
        r"^(?!.*\b(?:i|we|you)\b).{8,400}\beven (?:on|if|when|while|though|after)\b.{5,}",
        r"^`[^`]+`.{5,160}, which (?:causes|leads to|breaks|means|makes|puts|changes)\b.{8,}",
        r"\b(?:does not|doesn't|never) \w+.{3,100}, (?:only|but|not) .{5,}",
        r"^[\w`].{5,120}\b(?:as well|also)\b (?:once|when|if|while)\b.{8,}",
        unless=rf"{_PRONOUN_FIRST}|\b(?:would|should|could|might|may)\b|^even\b",
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

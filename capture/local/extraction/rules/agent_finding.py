"""Rules for agents' sentences about vulnerabilities and pitfalls."""

from __future__ import annotations

from capture.local.extraction.rules.rulebook import DID, FLAW, SECRETS, Rule, rule

_SILENTLY = r"(?:silently|quietly|without (?:any |an )?(?:error|warning|notice))"
_LOSES = r"(?:ignor|fail|drop|swallow|discard|skip|truncat|los|overwrit|fall)\w*"
_NEGATED_VERB = r"(?:doesn't|does not|don't|do not|won't|will not|can't|cannot|isn't|is not|aren't|are not|never)"
_NOT_AFTER_PRONOUN = r"\b(?=[dwcian])(?<!\byou )(?<!\bI )(?<!\bwe )(?<!\bthey )"

SECURITY_RULES: tuple[Rule, ...] = (
    rule(
        "security",
        0.86,
        "names a vulnerability and what was done about it",
        (
            r"\b(?:fix(?:ed|es)|patched|closed|prevent(?:s|ed)|mitigat(?:es|ed)|found|identified|allow(?:s|ed)"
            r"|expos(?:es|ed)|upgraded|updated|bumped"
            rf"|was|is|are|were|introduc(?:es|ed)|due to|because of)\b.{{0,120}}\b{FLAW}\b"
        ),
        (
            rf"\b{FLAW}\b.{{0,120}}\b(?:fixed|patched|closed|prevented|possible|because|allow(?:s|ed)|in|via|through"
            rf"|when|disabled)\b"
        ),
        code=True,
        unless=rf"^(?:an? )?{FLAW}s? (?:is (?:an?|one)|stands|means|occurs?|attacks?)\b",
    ),
    rule(
        "security",
        0.84,
        "names a vulnerability and what was done about it",
        rf"(?:^|{DID} )(?:fixed|patched|closed|found|identified|discovered)\b.{{0,60}}\b{FLAW}\b.{{8,400}}",
        rf"\b(?:was|were|is|are) (?:open|vulnerable) to\b.{{0,40}}\b{FLAW}\b.{{8,400}}",
        rf"\b{FLAW} protection (?:is|was) (?:disabled|off|missing)\b",
    ),
    rule(
        "security",
        0.82,
        "says how a secret or an input was unsafe",
        (
            r"\b(?:leak(?:s|ed)|expos(?:es|ed)|log(?:s|ged)|stor(?:es|ed)|hard-?coded|commit(?:s|ted)|prints?"
            r"|printed)\b"
            rf".{{0,60}}\b{SECRETS}\b"
        ),
        (
            r"\b(?:unsanitized|unsanitised|unescaped|untrusted)\b.{0,80}\b(?:is|was|are|were|reach(?:es|ed)|ends?"
            r"|passes)\b"
        ),
        r"\b(?:now|must be|are|is) (?:now )?(?:properly )?(?:sanitized|sanitised|escaped)\b",
        rf"\brotated\b.{{0,60}}\b{SECRETS}\b.{{0,10}}\b(?:because|since|after|as)\b",
        code=True,
    ),
    rule(
        "security",
        0.82,
        "says what was accessible without permission",
        (
            rf"\b{SECRETS} (?:were|was|are|is|ended up)\b.{{0,30}}\b(?:written|logged|stored|leaked|visible|sent"
            r"|printed"
            r"|committed|exposed|readable|plain ?text|in plain)\b.{3,}"
        ),
        (
            r"\b(?:reach\w+|access\w+|open|served|readable|download\w+|accepted|accepts|answers?|callable"
            r"|possible)\b.{0,60}"
            r"\b(?:without (?:an? )?(?:login|authentication|authori[sz]ation|token|session|permission|being logged "
            r"in|logging"
            r" in)|unauthenticated|unsigned|by anyone|for anyone|to anyone)\b"
        ),
        (
            r"\b(?:accept(?:s|ed)|allow(?:s|ed)|serv(?:es|ed))\b.{0,30}\b(?:unsigned|unauthenticated|anonymous"
            r"|forged|expired)"
            r"\b.{5,}"
        ),
        (
            r"\bnever (?:checks?|checked|verif\w+|validat\w+)\b.{0,60}\b(?:belongs?|owner|tenant|permission"
            r"|signature|role"
            r"|caller)\w*\b"
        ),
        unless=r"^(?:if|so that)\b|\bunless\b",
    ),
)

GOTCHA_RULES: tuple[Rule, ...] = (
    rule(
        "gotcha",
        0.86,
        "warns of a pitfall",
        (
            r"(?:^|[.;:] )(?:(?:one|a|the|another) )?(?:gotcha|caveat|pitfall|hiccup|trap|quirk|catch|beware|careful"
            r"|warning"
            r"|heads[- ]?up|watch out|caution|attention)\b"
            r"\s*[:\u2014\u2013,-].{12,}"
        ),
        r"^(?:please )?(?:note|be aware|keep in mind|bear in mind|mind|remember)(?: that|:|,) .{15,}",
        r"\b(?:be careful|watch out|beware)\b.{0,10}\b(?:that|of|with|not to)\b.{12,}",
        r"\b(?:be careful|watch out|beware|mind)\b.{0,10}\b(?:that|of|with|when|not to)\b.{0,300}(?:`|_|/)",
        unless=r"^(?:please )?\w+ that (?:i|you|we|this|these|it)\b|\b(?:you|i)(?:'ll| will| need| have to| must|"
        r" should| haven't| have not| did not| didn't)\b|\bneeds? to be re(?:started|built|loaded)\b|\bparameter\b$",
    ),
    rule(
        "gotcha",
        0.84,
        "says that something fails silently",
        rf"\b{_SILENTLY}\b.{{0,10}}\b(?:{_LOSES}|return\w*|succeed\w*|do(?:es)? nothing)",
        rf"\b{_LOSES}\b.{{0,60}}\b{_SILENTLY}\b",
    ),
    rule(
        "gotcha",
        0.82,
        "says on what condition something does not work",
        (
            rf"{_NOT_AFTER_PRONOUN}\b{_NEGATED_VERB}\b.{{3,120}}?\b(?:unless|until|without|once|if|when|while|inside|within|"
            r"even (?:if|when"
            r"|though))\b"
            r"(?! (?:I|you|we|later|needed|necessary|possible|any|so|applicable|required|wanted)\b)"
        ),
        (
            r"\b(?:is |are )?only (?:works?|appl(?:y|ies)|takes? effect|runs?|fires?|loads?|supports?|accepts?|safe"
            r"|valid"
            r"|available|set|true|honou?red)\b.{0,20}"
            r"\b(?:if|when|with|on|for|to|in|after|before|inside|while|as)\b"
        ),
        unless=r"^(?:that|this|it) (?:won't|doesn't|will not|does not)"
        r"|\b(?:is|are)(?: not|n't) (?:being|properly|correctly|appearing|showing|working|getting|displayed)\b"
        r"|\b(?:unless|if|until) (?:you|i|we)\b",
    ),
    rule(
        "gotcha",
        0.82,
        "says what something unexpectedly does not do",
        (
            r"\bbut (?:it |they |its? \w+ )?(?:doesn't|does not|don't|do not|didn't|did not|never|won't|can't|cannot"
            r"|isn't"
            r"|silently|has no|have no|is not|are not)\b"
        ),
        (
            r"\b(?:despite|even though|although|contrary to|unlike|counter-?intuitively|surprisingly)\b.{5,400}"
            r"\b(?:still|not|never|always|only)\b"
        ),
        r"\bignor(?:es|ed)\b (?!me\b|you\b|it\b).{8,}",
        r"\balso (?:delet|drop|wip|remov|reset|clear|overwrit|trigger|restart|kill)\w*\b.{5,}",
        r"\b(?:returns?|gives?|yields?|evaluates? to|is|are)\b .{2,60}(?:,| and not .{2,40},) so\b.{8,}",
        r"\breturns? .{2,60}\b(?:and not|instead of|rather than)\b.{3,}",
        r"^without `.{3,400}?\b(?:is|are|gets?|fails?|breaks?|hangs?|isn't|aren't|deletes?|skips?)\b",
        r"^`[^`]+` without `?.{3,80}\b(?:deletes?|removes?|breaks?|hangs?|fails?|skips?|drops?|returns?)\b",
        (
            r"^`[^`]+`(?: \S+){0,4} (?:deletes?|removes?|wipes?|drops?|overwrites?|resets?) (?:everything|all"
            r"|the)\b.{3,}"
        ),
        code=True,
        unless=r"\b(?:i|we) (?:made|changed|added|put|moved|also|ignored?)\b|\bignored? by\b|(?:^| )[\u2013\u2014-] "
        r"ignor",
    ),
    rule(
        "gotcha",
        0.8,
        "says what something unexpectedly does not do",
        r"^\w+ing\b.{3,60}\b(?:does not|doesn't|also|silently|twice)\b.{10,}",
        r"\b(?:is|are) (?:not|n't) (?:idempotent|thread-?safe|atomic|re-?entrant|transactional|cached|ordered)\b",
        r"^\w+ (?:\w+ )?(?:ignores|refuses|drops|strips|swallows|truncates) (?:the |an? |all )?.{12,}",
        r"\bcannot (?:be )?\w+ (?:inside|within|in) an?\b.{5,}",
        unless=r"^(?:it|this|that|he|she|they|everything|nothing|something|running|looking)\b(?!.*\bidempotent\b)"
        r"|\b(?:change|help|matter|need|have|affect|work)\b.{0,12}$",
    ),
    rule(
        "gotcha",
        0.82,
        "says what must be done first",
        r"\b(?:must|have to|has to|needs? to) be \w+(?: \w+){0,6}? (?:before|after|first)\b",
        r"\border matters\b",
        code=True,
    ),
)

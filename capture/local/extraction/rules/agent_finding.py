"""How agents word the flaws and traps that they came upon."""

from __future__ import annotations

from capture.local.extraction.rules.rulebook import DID, FLAW, FLAW_STEMS, SECRETS, Rule, put, rule

_UNSIGNED = r"(?:silently|quietly|without (?:any |an )?(?:error|warning|notice))"
_LOSES = r"(?:ignor|fail|drop|swallow|discard|skip|truncat|los|overwrit|fall)\w*"
_NO_VERB = r"(?:doesn't|does not|don't|do not|won't|will not|can't|cannot|isn't|is not|aren't|are not|never)"
_NOT_WE = r"\b(?=[dwcian])(?<!\byou )(?<!\bI )(?<!\bwe )(?<!\bthey )"

SECURITY_RULES: tuple[Rule, ...] = (
    rule(
        "security",
        0.86,
        "names a flaw and what became of it",
        put(
            FLAW_STEMS,
            r"\b(?:fix(?:ed|es)|patched|closed|prevent(?:s|ed)|mitigat(?:es|ed)|found|identified|allow(?:s|ed)"
            r"|expos(?:es|ed)|upgraded|updated|bumped"
            rf"|was|is|are|were|introduc(?:es|ed)|due to|because of)\b.{{0,120}}\b{FLAW}\b",
        ),
        put(
            FLAW_STEMS,
            rf"\b{FLAW}\b.{{0,120}}\b(?:fixed|patched|closed|prevented|possible|because|allow(?:s|ed)|in|via|through"
            rf"|when|disabled)\b",
        ),
        code=True,
        unless=rf"^(?:an? )?{FLAW}s? (?:is (?:an?|one)|stands|means|occurs?|attacks?)\b",
    ),
    rule(
        "security",
        0.84,
        "names a flaw and what became of it",
        put(
            FLAW_STEMS,
            rf"(?:^|{DID} )(?:fixed|patched|closed|found|identified|discovered)\b.{{0,60}}\b{FLAW}\b.{{8,400}}",
        ),
        put("open|vulnerable", rf"\b(?:was|were|is|are) (?:open|vulnerable) to\b.{{0,40}}\b{FLAW}\b.{{8,400}}"),
        put("protection", rf"\b{FLAW} protection (?:is|was) (?:disabled|off|missing)\b"),
    ),
    rule(
        "security",
        0.82,
        "says how a secret or an input was unsafe",
        put(
            "coded|commits|committed|exposed|exposes|hardcoded|leaked|leaks|logged|logs|print|stored|stores & access"
            "|auth|credential|deploy|encryption|key|keys|password|private|refresh|secret|signing|token",
            r"\b(?:leak(?:s|ed)|expos(?:es|ed)|log(?:s|ged)|stor(?:es|ed)|hard-?coded|commit(?:s|ted)|prints?"
            r"|printed)\b"
            rf".{{0,60}}\b{SECRETS}\b",
        ),
        put(
            "unescaped|unsanitised|unsanitized|untrusted",
            r"\b(?:unsanitized|unsanitised|unescaped|untrusted)\b.{0,80}\b(?:is|was|are|were|reach(?:es|ed)|ends?"
            r"|passes)\b",
        ),
        put(
            "escaped|sanitised|sanitized",
            r"\b(?:now|must be|are|is) (?:now )?(?:properly )?(?:sanitized|sanitised|escaped)\b",
        ),
        put("rotated", rf"\brotated\b.{{0,60}}\b{SECRETS}\b.{{0,10}}\b(?:because|since|after|as)\b"),
        code=True,
    ),
    rule(
        "security",
        0.82,
        "says what could be got at without permission",
        put(
            "committed|exposed|leaked|logged|plain|printed|readable|sent|stored|visible|written & access|auth"
            "|credential|deploy|encryption|ended|key|keys|password|private|refresh|secret|signing|token|were",
            rf"\b{SECRETS} (?:were|was|are|is|ended up)\b.{{0,30}}\b(?:written|logged|stored|leaked|visible|sent"
            r"|printed"
            r"|committed|exposed|readable|plain ?text|in plain)\b.{3,}",
        ),
        put(
            "without|unauthenticated|unsigned|anyone & reach|access|open|served|readable|download|accept|answer"
            "|callable|possible",
            r"\b(?:reach\w+|access\w+|open|served|readable|download\w+|accepted|accepts|answers?|callable"
            r"|possible)\b.{0,60}"
            r"\b(?:without (?:an? )?(?:login|authentication|authori[sz]ation|token|session|permission|being logged "
            r"in|logging"
            r" in)|unauthenticated|unsigned|by anyone|for anyone|to anyone)\b",
        ),
        put(
            "anonymous|expired|forged|unauthenticated|unsigned",
            r"\b(?:accept(?:s|ed)|allow(?:s|ed)|serv(?:es|ed))\b.{0,30}\b(?:unsigned|unauthenticated|anonymous"
            r"|forged|expired)"
            r"\b.{5,}",
        ),
        put(
            "never & belong|caller|owner|permission|role|signature|tenant",
            r"\bnever (?:checks?|checked|verif\w+|validat\w+)\b.{0,60}\b(?:belongs?|owner|tenant|permission"
            r"|signature|role"
            r"|caller)\w*\b",
        ),
        unless=r"^(?:if|so that)\b|\bunless\b",
    ),
)

GOTCHA_RULES: tuple[Rule, ...] = (
    rule(
        "gotcha",
        0.86,
        "warns of a trap",
        put(
            "gotcha|caveat|pitfall|hiccup|trap|quirk|catch|beware|careful|warning|heads|watch|caution|attention",
            r"(?:^|[.;:] )(?:(?:one|a|the|another) )?(?:gotcha|caveat|pitfall|hiccup|trap|quirk|catch|beware|careful"
            r"|warning"
            r"|heads[- ]?up|watch out|caution|attention)\b"
            r"\s*[:\u2014\u2013,-].{12,}",
        ),
        put(
            "aware|mind|note|remember & note that|note:|note,|aware that|aware:|aware,|mind that|mind:|mind,"
            "|remember that|remember:|remember,",
            r"^(?:please )?(?:note|be aware|keep in mind|bear in mind|mind|remember)(?: that|:|,) .{15,}",
        ),
        put("beware|careful|watch", r"\b(?:be careful|watch out|beware)\b.{0,10}\b(?:that|of|with|not to)\b.{12,}"),
        put(
            "beware|careful|mind|watch",
            r"\b(?:be careful|watch out|beware|mind)\b.{0,10}\b(?:that|of|with|when|not to)\b.{0,300}(?:`|_|/)",
        ),
        unless=r"^(?:please )?\w+ that (?:i|you|we|this|these|it)\b|\b(?:you|i)(?:'ll| will| need| have to| must|"
        r" should| haven't| have not| did not| didn't)\b|\bneeds? to be re(?:started|built|loaded)\b|\bparameter\b$",
    ),
    rule(
        "gotcha",
        0.84,
        "says that something fails without a sign",
        put(
            "silently|quietly|without & silently|quietly|without error|without warning|without notice|without any "
            "|without an ",
            rf"\b{_UNSIGNED}\b.{{0,10}}\b(?:{_LOSES}|return\w*|succeed\w*|do(?:es)? nothing)",
        ),
        put(
            "silently|quietly|without & silently|quietly|without error|without warning|without notice|without any "
            "|without an ",
            rf"\b{_LOSES}\b.{{0,60}}\b{_UNSIGNED}\b",
        ),
    ),
    rule(
        "gotcha",
        0.82,
        "says under what condition something does not work",
        put(
            "even|if|inside|once|though|unless|until|when|while|within|without & are|aren't|can't|cannot|do|does"
            "|don't|isn't|never|not|will|won't",
            rf"{_NOT_WE}\b{_NO_VERB}\b.{{3,120}}?\b(?:unless|until|without|once|if|when|while|inside|within|even "
            r"(?:if|when"
            r"|though))\b"
            r"(?! (?:I|you|we|later|needed|necessary|possible|any|so|applicable|required|wanted)\b)",
        ),
        put(
            "only",
            r"\b(?:is |are )?only (?:works?|appl(?:y|ies)|takes? effect|runs?|fires?|loads?|supports?|accepts?|safe"
            r"|valid"
            r"|available|set|true|honou?red)\b.{0,20}"
            r"\b(?:if|when|with|on|for|to|in|after|before|inside|while|as)\b",
        ),
        unless=r"^(?:that|this|it) (?:won't|doesn't|will not|does not)"
        r"|\b(?:is|are)(?: not|n't) (?:being|properly|correctly|appearing|showing|working|getting|displayed)\b"
        r"|\b(?:unless|if|until) (?:you|i|we)\b",
    ),
    rule(
        "gotcha",
        0.82,
        "says what something does not do against expectation",
        put(
            "but & are|can't|cannot|did|didn't|do|does|don't|has|have|isn't|never|not|silently|won't",
            r"\bbut (?:it |they |its? \w+ )?(?:doesn't|does not|don't|do not|didn't|did not|never|won't|can't|cannot"
            r"|isn't"
            r"|silently|has no|have no|is not|are not)\b",
        ),
        put(
            "although|contrary|counterintuitively|despite|intuitively|surprisingly|though|unlike",
            r"\b(?:despite|even though|although|contrary to|unlike|counter-?intuitively|surprisingly)\b.{5,400}"
            r"\b(?:still|not|never|always|only)\b",
        ),
        put("ignored|ignores", r"\bignor(?:es|ed)\b (?!me\b|you\b|it\b).{8,}"),
        put(
            "also|clear|drop|kill|overwrit|remov|reset|restart",
            r"\balso (?:delet|drop|wip|remov|reset|clear|overwrit|trigger|restart|kill)\w*\b.{5,}",
        ),
        put(
            "so & are|evaluate|give|is|return|yield",
            r"\b(?:returns?|gives?|yields?|evaluates? to|is|are)\b .{2,60}(?:,| and not .{2,40},) so\b.{8,}",
        ),
        put("return & instead|not|rather", r"\breturns? .{2,60}\b(?:and not|instead of|rather than)\b.{3,}"),
        put(
            "without & without `",
            r"^without `.{3,400}?\b(?:is|are|gets?|fails?|breaks?|hangs?|isn't|aren't|deletes?|skips?)\b",
        ),
        put(
            "without & break|delete|drop|fail|hang|remove|return|skip",
            r"^`[^`]+` without `?.{3,80}\b(?:deletes?|removes?|breaks?|hangs?|fails?|skips?|drops?|returns?)\b",
        ),
        put(
            "delete|drop|everything|overwrite|remove|reset|wipe",
            r"^`[^`]+`(?: \S+){0,4} (?:deletes?|removes?|wipes?|drops?|overwrites?|resets?) (?:everything|all"
            r"|the)\b.{3,}",
        ),
        code=True,
        unless=r"\b(?:i|we) (?:made|changed|added|put|moved|also|ignored?)\b|\bignored? by\b|(?:^| )[\u2013\u2014-] "
        r"ignor",
    ),
    rule(
        "gotcha",
        0.8,
        "says what something does not do against expectation",
        put(
            "also|does|doesn't|silently|twice & ing ",
            r"^\w+ing\b.{3,60}\b(?:does not|doesn't|also|silently|twice)\b.{10,}",
        ),
        put(
            "atomic|cached|entrant|idempotent|n't|ordered|reentrant|safe|threadsafe|transactional",
            r"\b(?:is|are) (?:not|n't) (?:idempotent|thread-?safe|atomic|re-?entrant|transactional|cached|ordered)\b",
        ),
        put(
            "drops|ignores|refuses|strips|swallows|truncates",
            r"^\w+ (?:\w+ )?(?:ignores|refuses|drops|strips|swallows|truncates) (?:the |an? |all )?.{12,}",
        ),
        put("cannot", r"\bcannot (?:be )?\w+ (?:inside|within|in) an?\b.{5,}"),
        unless=r"^(?:it|this|that|he|she|they|everything|nothing|something|running|looking)\b(?!.*\bidempotent\b)"
        r"|\b(?:change|help|matter|need|have|affect|work)\b.{0,12}$",
    ),
    rule(
        "gotcha",
        0.82,
        "says what must come first",
        put(
            "after|before|first & has|have|must|need",
            r"\b(?:must|have to|has to|needs? to) be \w+(?: \w+){0,6}? (?:before|after|first)\b",
        ),
        put("matters", r"\border matters\b"),
        code=True,
    ),
)

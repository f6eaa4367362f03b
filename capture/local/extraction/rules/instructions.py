"""Rules for people's instructions: what an agent is told to know or to do from then on, in plain words.

Labelled sessions have few people's sentences (610, of which none is worded so), too few to learn from that these are
worth keeping. So the likelihood of a sentence for which one of them holds has a least value, which lets it into the
contexts of later sessions. A wish for the present task has none of these wordings, or one of those in `_FOR_NOW`.
"""

from __future__ import annotations

from capture.local.extraction.patterns import one_of
from capture.local.extraction.rules.rulebook import rule

_BELIEVED = 0.85
_BEFORE = r"^(?:(?:no|nope|stop|wait|wrong|please|but|and|also|so|ok(?:ay)?|oh|just|actually|again)\b[,.:;!]* )*"
_OBJECTION = r"^(?:no|nope|stop|wrong)\b[,.:;!]* (?:please |just )?"
_FOR_NOW = (
    r"\?$|\b(?:for now|this time|right now|(?:for|in) this (?:pr|task|commit|change|session|one)|today|tonight|yet"
    r"|until i|(?:first|again)$|in a (?:moment|minute)|when you(?:'re| are) (?:done|finished|ready))\b"
    r"|\b(?:because|since|so that|otherwise) (?:this|i|i'm|i'd|i've)\b|\bi (?:still )?(?:want|like|need)\b"
)
_OF_IT = r"(?!(?:it|this|that|them|these|those|the (?:old|new|other|first|second|last|same))\b)"
_REASON = r"(?:,|;| -| \u2014)? ?\b(?:because|since|otherwise|or else|so that)\b.{8,}"
_FORBIDDEN = (
    rf"(?:(?:don't|do not|never|stop|avoid) (?!worry|mind|forget|bother|know|think)\w+ {_OF_IT}"
    r"|no (?:more )?(?!problem|worries|need|idea|one\b)\w+s\b)"
)
_CHOICE = one_of("use take prefer raise return throw store call name go\\sthrough talk\\sto") + rf" {_OF_IT}"
_DUTY = one_of(
    "add write update bump run check include mention document create open tag regenerate keep put use link quote"
)
_OCCASION = (
    r"(?:each|every|any) (?:\w+ ){0,2}(?:changes?|commits?|prs?|pull requests?|releases?|features?|fix|migrations?"
    r"|deploy(?:ment)?s?|merges?|push|tickets?|bugs?)"
)
# Words for "always" and "never", and for "we", of the languages that developers write most. In those of East Asia only
# words that demand something: the others are as often said of what fails.
_ALWAYS = (
    r"(?:\b(?:immer(?! (?:noch|wieder))|niemals|(?<!noch )nie|grundsätzlich|toujours(?! (?:pas|rien|le même))|jamais"
    r"|siempre|nunca|sempre|altijd|nooit|zawsze|nigdy|alltid|aldrig|altid|vždy|nikdy|всегда|никогда)\b"
    r"|必ず|絶対に|決して|决不|绝不|必须|務必|务必|禁止|절대|반드시)"
)
_WE_DO = (
    r"(?:\bwir \w+en\b|\b(?:nous|on) \w+|\b\w{2,}(?:amos|emos|imos|iamo)\b|\bwe \w+en\b|\bмы \w+(?:ем|им)\b"
    r"|我们|このリポジトリ|このプロジェクト|우리는)"
)
_FAILS = (
    r"[?？]$|^(?!.*\b(?:weil|parce que|porque|perché|omdat|потому|因为)).*(?:fehl|kaputt|funktionier|\brot\b|échou"
    r"|marche pas|plant|fall[aeó]|falh|funciona|падает|не работает|ошибк|stuk\b|faalt|失敗|失败|报错|エラー|落ち)"
)
_REMEMBER = (
    r"(?:merk(?:e)? dir|denk dran|nicht vergessen|retiens|souviens-toi|n'oublie pas|recuerda|acu[eé]rdate|no olvides"
    r"|lembre-se|ricorda|onthoud|zapamiętaj|запомни|не забудь|覚えておいて|记住|記住|기억해)"
)
_NOTE_IT = (
    r"(?:put|add|write|note|save|keep) (?:that|this|it|those)(?: one)?"
    r" (?:(?:in|to|into|for) (?:your|ur|the) (?:notes?|memory)\b|(?:in|to|into) (?:claude|agents)\.md)"
)
_PLACE = r"(?:in|on|at|under|with|by|from|to)"
_NOT_THERE = rf", (?:and )?not (?:{_PLACE} )?[\w`\"'./-]+(?: [\w`\"'./-]+){{0,3}}\W*$"
_PROGRAM = one_of(
    r"cd npm npx pnpm yarn bun make just mise python3? pytest uv tox nox cargo go mvn gradle docker bundle rake"
    r" composer dotnet mix \./\w[\w./-]*"
)

INSTRUCTIONS = (
    rule(
        "preference",
        0.9,
        "a person asks to remember it",
        rf"{_BEFORE}(?:remember|don't forget)(?: that\b|:|,) .{{10,}}",
        rf"\b{_NOTE_IT}",
        rf"{_BEFORE}next time (?:you|it|this|that|we)\b.{{10,}}",
        (
            rf"{_BEFORE}(?:note )?for (?:the )?(?:next time|next session|future sessions|future reference"
            r"|later sessions)\b.{10,}"
        ),
        rf"{_REMEMBER}.{{6,}}",
        least=_BELIEVED,
        unless=r"\?|when you(?:'re| are) (?:done|finished|ready)",
    ),
    rule(
        "preference",
        0.88,
        "a person's lasting preference",
        rf"{_BEFORE}(?:always|never) (?!mind\b|look\b|forget\b)\w+.{{5,}}",
        r"\bfrom now on\b(?:.{8,}|\W{0,3}$)",
        least=_BELIEVED,
        unless=_FOR_NOW,
    ),
    rule(
        "correction",
        0.88,
        "a person objects, and says what to do and why",
        rf"{_OBJECTION}{_FORBIDDEN}.{{4,}}?{_REASON}",
        rf"{_OBJECTION}{_FORBIDDEN}.{{3,60}}[,;] (?:it's|it is|they're|they are|those are|these are|we)\b.{{8,}}",
        rf"{_OBJECTION}{_CHOICE}.{{4,}}\b(?:instead|rather than|not)\b.*{_REASON}",
        rf"{_OBJECTION}.{{3,40}}: (?:use|take|call|put|keep) {_OF_IT}.{{4,}}?{_REASON}",
        least=_BELIEVED,
        unless=_FOR_NOW,
    ),
    rule(
        "preference",
        0.88,
        "a person gives a rule with its reason",
        rf"{_BEFORE}{_FORBIDDEN}.{{4,}}?{_REASON}",
        rf"{_BEFORE}{_FORBIDDEN}.{{3,60}}[,;] (?:it's|it is|they're|they are|those are|these are|we)\b.{{8,}}",
        rf"{_BEFORE}{_CHOICE}.{{4,}}\b(?:instead|rather than|not)\b.*{_REASON}",
        (
            rf"{_BEFORE}(?:keep|limit) {_OF_IT}(?!the |your )[\w ]{{3,40}}\b(?:under|below|within|at most|shorter than"
            r"|to) \d+ .{3,}"
        ),
        least=_BELIEVED,
        unless=_FOR_NOW,
    ),
    rule(
        "preference",
        0.88,
        "a person names a duty that comes back",
        rf"{_BEFORE}{_DUTY}\b.{{3,80}}\b(?:for|with|on|after|before|to|at) {_OCCASION}\b",
        least=_BELIEVED,
        unless=_FOR_NOW,
    ),
    rule(
        "correction",
        0.88,
        "a person says what is so, and what is not",
        rf"\b(?:lives?|belongs?|goe?s?|listens?|must|should) .{{1,80}}{_NOT_THERE}",
        rf"\b(?:is|are|runs?) (?:\w+ )?{_PLACE} (?=.{{0,60}}[`/_\d]).{{1,80}}{_NOT_THERE}",
        least=_BELIEVED,
        unless=r"\?$|\b(?:i am|i'm|i was) not\b|\bor not\b|\b(?:error|bug|problem|issue) (?:is|was)\b",
    ),
    rule(
        "decision",
        0.88,
        "a person says what has changed for good",
        r"\bwe(?:'ve| have)? (?:moved|switched|migrated|gone over) (?:over |away )?(?:from .{2,60} )?to\b.{2,}",
        r"\b(?:is|are) (?:gone|deprecated|no longer (?:used|supported|needed|available|maintained))\b",
        code=True,
        least=_BELIEVED,
        unless=r"\?$|\bwhy\b|^i\b|\bbranch\b|\bplease\b|\b(?:restore|restart|bring back)\b",
    ),
    rule(
        "convention",
        0.88,
        "a person says how things are always or never done",
        rf"^.{{0,80}}{_ALWAYS}.{{3,}}",
        code=True,
        least=_BELIEVED,
        unless=_FAILS,
    ),
    rule(
        "convention",
        0.88,
        "a person says how things are always or never done",
        rf"{_WE_DO}.{{0,80}}{_ALWAYS}.{{3,}}",
        rf"{_ALWAYS}.{{0,80}}{_WE_DO}.{{3,}}",
        r"\b(?:is|are|we|use|this (?:repo|project|codebase)|here)\b.{0,40}\balways\b.{2,80}[,;:] (?:and )?never\b.{2,}",
        least=_BELIEVED,
        unless=_FAILS,
    ),
    rule(
        "command",
        0.85,
        "a person names the command for it",
        (
            r"^(?:[\w-]+ ){0,3}(?:tests?|build|lint(?:er|ing)?|format(?:ter|ting)?|deploy|docs|dev server|typecheck"
            rf"|types|migrations?|release|e2e|coverage|checks?): `?{_PROGRAM} \S.*$"
        ),
        (
            r"\b(?:is|are) (?:tested|run|built|deployed|started|formatted|linted|generated|released)"
            r" (?:with|by|using|via) [`\w./-].{3,}"
        ),
        least=0.6,
        unless=r"\?$|\b(?:was|were|i want)\b",
    ),
)

"""How agents word what they decided and did, and how far they got."""

from __future__ import annotations

from capture.local.rules import DID, Rule, rule

CHOICE_RULES: tuple[Rule, ...] = (
    rule(
        "decision",
        0.85,
        "says what was chosen and why",
        rf"(?:^|{DID} )(?:decided|chose|opted|elected|settled|picked|selected|went with|agreed)\b",
        r"\b(?:the )?decision(?: is| was|:)",
        hints="decided|chose|opted|elected|settled|picked|selected|went with|agreed|decision",
        because=True,
    ),
    rule(
        "decision",
        0.8,
        "says what was chosen and why",
        r"^(?:we |I )?(?:us(?:ing|ed)|cho(?:se|osing)|ke(?:pt|eping)|went with|st(?:uck|icking) with|switched to"
        r"|moved to"
        r"|picked|prefer(?:red)?)\b.{3,160}\b(?:over|instead of|rather than|because|since|so that|to avoid)\b",
        hints="over|instead of|rather than|because|since|so that|to avoid",
        code=True,
    ),
)

WORK_RULES: tuple[Rule, ...] = (
    rule(
        "refactoring",
        0.78,
        "says what was restructured and to what end",
        rf"(?:^|{DID} )(?:refactored|extracted|restructured|consolidated|deduplicated|decoupled|inlined|split"
        rf"|unified|moved"
        r"|replaced|merged|simplified)\b.{3,200}\b(?:into|to|from|with|behind|out of|by)\b",
        hints="refactored|extracted|restructured|consolidated|deduplicated|decoupled|inlined|split|unified|"
        "moved|replaced|merged|simplified",
        because=True,
        code=True,
    ),
    rule(
        "outcome",
        0.8,
        "says why something did not work out",
        r"^(?!.{0,20}\battempt\b).*\b(?:failed|did(?:n't| not) work|broke|timed out|was re(?:jected|fused)"
        r"|(?:is|was|are|were|got) blocked)\b.{0,60}\b(?:because|since|due to|by|on)\b",
        hints="failed|work|broke|timed out|was rejected|was refused|blocked",
    ),
    rule(
        "outcome",
        0.8,
        "gives a measured result",
        r"\b(?:experiment|benchmark|measurement|migration|deploy(?:ment)?|load test|trial|backfill|import"
        r"|profil(?:e|ing))s?\b"
        r".{0,80}\b(?:showed|shows|took|takes|finished|succeeded|failed|completed|found|yielded|gave)\b.{0,80}\d",
        hints="experiment|benchmark|measurement|migration|deploy|load test|trial|backfill|import|profil",
    ),
    rule(
        "checkpoint",
        0.76,
        "says what state was reached",
        r"\b(?:deployed|released|published|shipped|tagged|rolled (?:back|out)|promoted)\b.{0,80}"
        r"\b(?:v?\d+\.\d+[\w.-]*|staging|production|prod|canary|PyPI|npm|main|master)\b",
        hints="deployed|released|published|shipped|tagged|rolled|promoted",
    ),
    rule(
        "handoff",
        0.78,
        "says what is left for whoever goes on",
        r"^hand(?:off|-off|over)(?: declaration| notes?)?s?\s*(?::|\u2014)",
        r"\bhand(?:ing|ed) (?:off|over) to\b",
        r"\b(?:remaining|outstanding|left to do|still (?:to do|open|missing)|not yet (?:done|implemented|covered"
        r"|migrated"
        r"|handled))\b.{0,6}(?::|\bis\b|\bare\b)",
        r"\b(?:is|are) (?:still )?not yet (?:done|implemented|covered|migrated|handled|wired)\b",
        r"\bpick(?:s|ed)? up (?:from|at)\b",
        hints="hand|remaining|outstanding|left to do|still|not yet|pick",
        code=True,
    ),
)

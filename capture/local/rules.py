"""What a pattern is: a statement of something done, found or agreed, known by its wording."""

from __future__ import annotations

import re
from dataclasses import dataclass

from capture.local.wording import wording


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern of one type of learning, how sure it is and why.

    `because`: holds only together with a word that gives a reason; `code`: only with a name of code, a file or
    a command. `hints`: whatever matches has one of these in it; none means nothing is known.
    """

    type: str
    confidence: float
    reason: str
    pattern: re.Pattern[str]
    hints: tuple[str, ...] = ()
    because: bool = False
    code: bool = False

    def holds(self, lowered: str, *, names_code: bool, gives_reason: bool) -> bool:
        """Whether a sentence is such a statement; `lowered` is its text in lower case, the rest is known of it."""
        if (self.code and not names_code) or (self.because and not gives_reason):
            return False
        if self.hints and not any(hint in lowered for hint in self.hints):
            return False
        return self.pattern.search(lowered) is not None


def rule(
    kind: str,
    confidence: float,
    reason: str,
    *wordings: str,
    hints: str = "",
    because: bool = False,
    code: bool = False,
) -> Rule:
    """A `Rule` for sentences in which one of `wordings` (regular expressions, case aside) is found.

    `hints` are parted by `|`: searching a sentence for them is ten times as quick as the pattern.
    """
    parted = tuple(filter(None, hints.split("|")))
    return Rule(kind, confidence, reason, wording("|".join(wordings)), parted, because, code)


FLAW = (
    r"(?:vulnerabilit(?:y|ies)|CVE-\d{4}-\d+|XSS|CSRF|SSRF|XXE|ReDoS|zip slip|open redirect|timing attack"
    r"|(?:SQL|command|code|shell|header|log|template|prompt) injection|(?:path|directory) traversal"
    r"|privilege escalation|remote code execution|session fixation)"
)
SECRETS = r"(?:secrets?|tokens?|credentials?|passwords?|api keys?|private keys?)"
DID = (
    r"\b(?:I|we|I've|we've|I have|we have|he|she|they|the team)\b"
    r"(?: (?:have|had|also|just|then|now|finally|already))*"
)

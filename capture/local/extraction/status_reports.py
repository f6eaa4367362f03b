"""Status reports: statements about the work of one session, which are no knowledge for the next one.

`docs/capture.md` describes them. The wordings come from labelled sessions: counts of tests, percentages of coverage and
the openings below are up to twenty times as frequent in reports as in learnings.
"""

from __future__ import annotations

import re

from memoryserver.common.text import one_line

STATUS_TYPES = frozenset({"handoff", "checkpoint"})
"""Types of learnings that are about the state of one task, whatever their wording."""

_THINGS = r"(?:tests?|checks?|specs?|suites?|assertions|builds?|jobs|items|tasks|issues|findings|comments|todos|steps)"
_FINE = (
    r"(?:pass(?:ed|es|ing)?|succeed(?:s|ed)?|green|done|resolved|fixed|closed|completed?|addressed"
    r"|failed|failing|skipped)"
)

_COUNTED = re.compile(
    rf"\b(?:all|every|both|\d+(?:/\d+)?)\b(?:\W+[\w.`'/-]+){{0,4}}?\W+{_THINGS}\b(?:\W+[\w'-]+){{0,5}}?\W+{_FINE}\b"
    rf"|\b\d+(?:/\d+)? (?:{_THINGS} )?(?:passed|failed|passing|failing|skipped)\b"
    r"|\bcoverage\b[^.;]{0,40}\d+(?:[.,]\d+)? ?(?:%|per ?cent)|\d+(?:[.,]\d+)? ?(?:%|per ?cent)[^.;]{0,20}\bcoverage\b"
    r"|\b\d+ ?(?:%|per ?cent) (?:done|completed?|finished|ready)\b"
    rf"|^(?:the )?(?:full |whole |entire )?(?:test )?(?:{_THINGS})(?: now)? (?:all )?(?:is |are )?{_FINE}\W*$",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"(?:done|great|perfect|excellent|now|currently|so far|at this point|let me|next steps?"
    r"|i(?:'ll|'ve| will| have| just)|we(?:'ve| have| just)|all set|new feature|remaining|status|progress|summary"
    r"|i (?:added|updated|fixed|implemented|created|removed|refactored|renamed|changed|moved)"
    r"|added|updated|fixed|implemented|created|removed|refactored|renamed|completed|finished|committed|pushed|merged"
    r"|deployed)\b(?!['’-])",
    re.IGNORECASE,
)
_TASK = re.compile(r"(?:new feature|feature request|user story|next task|task|status|progress)\s*:", re.IGNORECASE)
_LASTING = re.compile(
    r"\b(?:because|since|due to|caused by|root cause|otherwise|instead of|unless|not|only"
    r"|by (?:setting|adding|using|running|passing))\b",
    re.IGNORECASE,
)
_RULE = re.compile(
    r"\b(?:must|should|shall|always|never|do(?:es)?n[o'’]t|require(?:[sd]|ments?)?|minimum|at least|threshold"
    r"|gates?|enforce[sd]?|keep (?:the )?(?:test )?coverage"
    r"|(?:fails?|refuses|blocks|breaks) (?:below|under|if|when|unless)|before (?:you|a|each|every))\b",
    re.IGNORECASE,
)


def is_status_report(kind: str, content: str) -> bool:
    """Return whether a learning of the type `kind` says how a task went or stands, not what holds for the next one.

    A count of tests or a coverage is a report unless it is part of a rule ("coverage must be at least 90 %"). A heading
    such as "New feature:" always makes one, an opening such as "Now", "Added" or "All set" does unless a cause, a
    contrast or a rule follows.
    """
    line = one_line(content)
    if kind in STATUS_TYPES or _TASK.match(line):
        return True
    if _COUNTED.search(line):
        return is_count(line)
    return bool(_OPENING.match(line)) and not (_LASTING.search(line) or _RULE.search(line))


def is_count(line: str) -> bool:
    """Return whether `line` has a count of tests or a coverage that is no part of a rule."""
    return bool(_COUNTED.search(line)) and not _RULE.search(line)

"""Classifies the text of a result whose tool reported a success.

    failure   it names something that went wrong
    success   it says that all is well and nothing else
    nothing   it is empty, says that nothing was found, or is a bare number or yes
    ""        none of these

A guess by words, so it alone never makes a finding: it decides which of two equal results are worth one. Most results
say none of these, so each pattern is compiled when one of its words is first seen.
"""

from __future__ import annotations

import re
from functools import cache

FAILURE, SUCCESS, NOTHING = "failure", "success", "nothing"

_HEAD, _TAIL = 2000, 4000
_SHORT = 400
_HARMLESS = (
    r"\b(?:0|no|zero|without(?: any)?) (?:\w+ )?(?:errors?|failures?|failed|failing|problems?|issues?|warnings?)\b"
    r"|\b(?:errors?|failures?|failed|failing|skipped)[\"']?[:=] ?(?:0|none|null|false|\[\])(?![\d.])"
    r"|\b(?:errors?|failures?)\.\w+|\bnone found\b"
)
_FAILURE = (
    r"\b(?:\w*error|\w*exception|errors|traceback|failed|failures?|failing|fails|fatal|panic(?:ked)?|cannot|can't"
    r"|could not|couldn't|unable to|not found|no such|undefined|invalid|denied|refused|did not|does not exist"
    r"|not permitted|no replacement|aborted|timed out|timeout|unexpected|segmentation fault|not supported"
    r"|too much output|unknown command)\b"
)
_SUCCESS = (
    r"\b(?:success(?:ful(?:ly)?)?|succeeded|passed|passing|done|okay|ok|up[- ]to[- ]date|no (?:\w+ )?(?:issues|errors"
    r"|problems|changes|warnings)|created|updated|modified|saved|written|applied|added|removed|deleted|recorded"
    r"|completed?|finished|clean|nothing to|unchanged|formatted)\b"
)
_NOTHING = (
    r"(?:no (?:files?|matches|results?|such entries|output|content)(?: \w+){0,3}\.?|found 0 \w+"
    r"|0 (?:matches|results|files)|nothing found\.?|none|null|\[\]|\{\}"
    r"|\(no output\)|\(empty\)|tool ran without output or errors|-?[\d.]+|true|false|yes)"
)
# Whatever `_FAILURE`, `_SUCCESS` or `_NOTHING` matches holds, or begins with, one of these.
_FAILURE_HINTS = (
    *("error", "exception", "traceback", "fail", "fatal", "panic", "cannot", "can't", "could not", "couldn't"),
    *("unable to", "not found", "no such", "undefined", "invalid", "denied", "refused", "did not", "does not"),
    *("not permitted", "no replacement", "aborted", "timed out", "timeout", "unexpected", "segmentation", "not supp"),
    *("too much output", "unknown command"),
)
_SUCCESS_HINTS = (
    *("succe", "pass", "done", "ok", "to-date", "to date", "no ", "created", "updated", "modified", "saved"),
    *("written", "applied", "added", "removed", "deleted", "recorded", "complete", "finished", "clean", "nothing to"),
    *("unchanged", "formatted"),
)
_NOTHING_STARTS = (
    *("no ", "found 0", "0 ", "nothing", "none", "null", "[]", "{}", "(no", "(empty", "tool ran", "true", "false"),
    *("yes", "-", "."),
)


def of_result(text: str) -> str:
    """Return what `text`, all that a program or an unknown tool answered, says."""
    text = text.strip()
    read = (text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}").lower().replace("’", "'")
    if not text or _is_nothing(read):
        return NOTHING
    if _has(read, _FAILURE_HINTS) and _compiled(_FAILURE).search(_compiled(_HARMLESS).sub(" ", read)):
        return FAILURE
    is_success = len(text) <= _SHORT and _has(read, _SUCCESS_HINTS) and _compiled(_SUCCESS).search(read)
    return SUCCESS if is_success else ""


def of_answer(text: str) -> str:
    """Return the same for a tool whose answer quotes files: its first line says how it went, the rest is content."""
    first, _, rest = text.strip()[:200].partition("\n")
    return of_result(f"{first} {rest}" if first.rstrip(":").lower() == "error" else first)


def _is_nothing(text: str) -> bool:
    if "\n" in text or not (text.startswith(_NOTHING_STARTS) or text[0].isdigit()):
        return False
    return _compiled(_NOTHING).fullmatch(text) is not None


def _has(text: str, hints: tuple[str, ...]) -> bool:
    return any(hint in text for hint in hints)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)

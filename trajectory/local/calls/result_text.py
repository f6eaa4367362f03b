"""What the text of a result says of it, where the tool itself reported a success.

    failure   it tells of something that went wrong
    success   it says that all is well and nothing else
    nothing   it is empty, says that nothing was found, or is a bare number or yes
    ""        none of these

A guess by words, so it alone never makes a finding: it decides which of two equal results are worth one.
"""

from __future__ import annotations

import re

FAILURE, SUCCESS, NOTHING = "failure", "success", "nothing"

_HEAD, _TAIL = 2000, 4000
_SHORT = 400
_HARMLESS = re.compile(
    r"\b(?:0|no|zero|without(?: any)?) (?:\w+ )?(?:errors?|failures?|failed|failing|problems?|issues?|warnings?)\b"
    r"|\b(?:errors?|failures?|failed|failing|skipped)[\"']?[:=] ?(?:0|none|null|false|\[\])(?![\d.])"
    r"|\b(?:errors?|failures?)\.\w+|\bnone found\b"
)
_FAILURE = re.compile(
    r"\b(?:\w*error|\w*exception|errors|traceback|failed|failures?|failing|fails|fatal|panic(?:ked)?|cannot|can't"
    r"|could not|couldn't|unable to|not found|no such|undefined|invalid|denied|refused|did not|does not exist"
    r"|not permitted|no replacement|aborted|timed out|timeout|unexpected|segmentation fault|not supported"
    r"|too much output|unknown command)\b"
)
_SUCCESS = re.compile(
    r"\b(?:success(?:ful(?:ly)?)?|succeeded|passed|passing|done|okay|ok|up[- ]to[- ]date|no (?:\w+ )?(?:issues|errors"
    r"|problems|changes|warnings)|created|updated|modified|saved|written|applied|added|removed|deleted|recorded"
    r"|completed?|finished|clean|nothing to|unchanged|formatted)\b"
)
_NOTHING = re.compile(
    r"(?:no (?:files?|matches|results?|such entries|output|content)(?: \w+){0,3}\.?|found 0 \w+"
    r"|0 (?:matches|results|files)|nothing found\.?|none|null|\[\]|\{\}"
    r"|\(no output\)|\(empty\)|tool ran without output or errors|-?[\d.]+|true|false|yes)"
)


def of_result(text: str) -> str:
    """What `text`, all that a program or an unknown tool answered, says."""
    text = text.strip()
    looked_at = (text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}").lower().replace("’", "'")
    if not text or _NOTHING.fullmatch(looked_at):
        return NOTHING
    if _FAILURE.search(_HARMLESS.sub(" ", looked_at)):
        return FAILURE
    return SUCCESS if len(text) <= _SHORT and _SUCCESS.search(looked_at) else ""


def of_answer(text: str) -> str:
    """The same for a tool whose answer quotes files: its first line says how it went, the rest is content."""
    first = text.strip()[:200].partition("\n")[0]
    heading = f"{first} {text.strip()[:200].partition(chr(10))[2]}" if first.rstrip(":").lower() == "error" else first
    return of_result(heading)

"""Cuts the details of a call's result out of a line of Claude Code's before it is decoded."""

from __future__ import annotations

_DETAILS = b',"toolUseResult":{'
_AFTER_DETAILS = b'},"sourceToolAssistantUUID":"'
_MATTERS = (
    b'"interrupted":true',
    *(b'{"parentUuid"', b'{"type":'),  # the record behind one that was cut off begins so
)
_LAST_FIELDS = 500  # bytes


def without_details(content: bytes) -> bytes | None:
    """Return the line `content` without its `toolUseResult`; None if it has none, or one that may matter.

    The details repeat the result, half of what results take, and of the rest we need only whether the call was
    interrupted. They are not looked at, so damage inside them is not noticed. Inside a text, the quotes of their key
    would have backslashes. If it is a key of an inner object, what is returned is not valid JSON, and the whole line
    must be decoded.
    """
    start = content.find(_DETAILS)
    if start < 0:
        return None
    inside = start + len(_DETAILS)
    last_fields = max(inside, len(content) - _LAST_FIELDS)
    end = content.rfind(_AFTER_DETAILS, last_fields)
    if end >= 0:
        rest = content[end + 1 :]
    elif content.endswith(b"}}\n") and content.find(b'},"', last_fields) < 0:
        rest = b"}\n"
    else:  # other fields may come behind them
        return None
    for mark in _MATTERS:
        if content.find(mark, inside) >= 0:
            return None
    return content[:start] + rest

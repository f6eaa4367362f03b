"""Cuts what a person marked as private with `<private>` tags, however the tags are written."""

from __future__ import annotations

import re
from collections.abc import Callable

# As they are written in text, HTML, addresses, JSON and JSON inside JSON; the last of each is what quoting makes of it.
_LESS = r"(?:[<＜﹤‹]|\\+(?:u00|x)3c|&(?:amp;)*(?:lt|#0*60|#x0*3c);?|%(?:25)*3c)"
_GREATER = r"(?:[>＞﹥›]|\\+(?:u00|x)3e|&(?:amp;)*(?:gt|#0*62|#x0*3e);?|%(?:25)*3e)"
_SLASH = r"(?:\\*/|%(?:25)*2f|\\+u002f|&(?:amp;)*(?:#0*47|#x0*2f|sol);)"
# `a < private` is a comparison unless the tag is closed on its line.
_TAG = (
    rf"(?i){_LESS}(?:(?P<end>\s*{_SLASH}\s*)private(?!\w)(?:[^<>]{{0,80}}?{_GREATER})?"
    rf"|private(?!\w)(?:[^<>]{{0,300}}?(?P<empty>{_SLASH})?{_GREATER})?"
    rf"|\s+private(?!\w)[^<>\n]{{0,300}}?{_GREATER})"
)


def cut_private(text: str, placeholder: Callable[[], str]) -> str:
    """Return `text` with each private part replaced by what `placeholder` returns, called once for each part.

    In doubt more is cut: a part without end goes to the end of the text, an end without beginning takes what
    comes before it, parts in parts go to the end of the outer one, and a tag that is only mentioned counts as one.
    """
    result: list[str] = []
    position = depth = 0
    for tag in re.compile(_TAG).finditer(text):
        if tag["end"] is None:
            if depth == 0:
                result += [text[position : tag.start()], placeholder()]
            depth += 1 if depth == 0 or tag["empty"] is None else 0
            continue
        if depth == 0 and text[position : tag.start()]:
            result.append(placeholder())
        depth = max(depth - 1, 0)
        if depth == 0:
            position = tag.end()
    return "".join([*result, "" if depth else text[position:]])

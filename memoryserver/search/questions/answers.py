"""What an answer has that a question asks for: a time ("when"), a number ("how many"). English only."""

from __future__ import annotations

import re

_ASKS_TIME = re.compile(
    r"\W*(?:(?:at|by|for|from|in|on|since|until) )?(?:when|how long|(?:what|which) (?:day|date|month|year|time)s?)\b",
    re.IGNORECASE,
)
_ASKS_NUMBER = re.compile(r"\W*how (?:many|much|old|far|long|often|big|tall)\b", re.IGNORECASE)

_TIME = re.compile(
    r"""\b(?:
        yesterday|today|tonight|tomorrow|ago|last|next|since|weekends?|noon|midnight|
        this\ (?:morning|afternoon|evening|week|month|year)|
        (?:mon|tues|wednes|thurs|fri|satur|sun)day|
        january|february|(?-i:March|May)|april|june|july|august|september|october|november|december|
        spring|summer|autumn|(?-i:Fall)|winter|
        days?|weeks?|months?|years?|(?:19|20)\d\d|\d{1,2}:\d\d|\d{1,2}\ ?[ap]m
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_NUMBER = re.compile(
    r"""\b(?:
        \d[\d,.]*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|
        seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|
        dozen|couple|half
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)


def has_what_is_asked(text: str, query: str) -> bool:
    """Return whether `query` asks for a time or a number and `text` has one."""
    return bool(
        (_ASKS_TIME.match(query) and _TIME.search(text)) or (_ASKS_NUMBER.match(query) and _NUMBER.search(text))
    )

"""Makes up texts that a regular expression matches, short ones, so that every way through it is soon met."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_FILLING = "abcdefgh xyz 12345"


def texts_for(pattern: re.Pattern[str], *, number: int, seed: int = 0) -> Iterator[str]:
    """Up to `number` texts in which `pattern` is found."""
    chance = random.Random(seed)
    parsed = parser.parse(pattern.pattern)
    for _ in range(number * 4):
        text = _some(parsed, chance)
        if pattern.search(text):
            yield text
            number -= 1
            if not number:
                return


def _some(parsed: Any, chance: random.Random) -> str:
    return "".join(_one(code, value, chance) for code, value in parsed)


def _one(code: Any, value: Any, chance: random.Random) -> str:
    if code is codes.LITERAL:
        return chr(value)
    if code is codes.NOT_LITERAL or code is codes.ANY:
        return chance.choice(_FILLING)
    if code is codes.IN:
        return _of_set(value, chance)
    if code is codes.BRANCH:
        return _some(chance.choice(value[1]), chance)
    if code is codes.SUBPATTERN:
        return _some(value[3], chance)
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
        least, most, repeated = value
        if repeated[0][0] in (codes.ANY, codes.NOT_LITERAL) and most > 1:
            return f" {'some more of it '[: max(least - 2, 0) % 16] * (1 + least // 16)} ".ljust(least)
        times = chance.randint(least, min(most, max(least, 1) + 2))
        return "".join(_some(repeated, chance) for _ in range(times))
    return ""  # looks around and at the ends take no room


def _of_set(value: Any, chance: random.Random) -> str:
    if value[0][0] is codes.NEGATE:
        return chance.choice(_FILLING)
    code, chosen = chance.choice(value)
    if code is codes.LITERAL:
        return chr(chosen)
    if code is codes.RANGE:
        return chr(chance.randint(*chosen))
    return {codes.CATEGORY_DIGIT: "7", codes.CATEGORY_SPACE: " "}.get(chosen, chance.choice("abcxyz"))

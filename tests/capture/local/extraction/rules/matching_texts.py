"""Makes up short texts that a regular expression matches, for the syntax that rules use."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

_FILLING = "a 1      "
_CLASS = re.compile(r"\[(\^?)(\]?(?:\\.|[^\]\\])*)\]")
_MEMBER = re.compile(r"(.)-(.)|\\(.)|(.)")
_LOOK_AROUND = re.compile(r"\(\?<?[=!]")
_REPEAT = re.compile(r"(?:([*+?])|\{(\d*)(,?)(\d*)\})[?+]?")
_ESCAPES = {"b": "", "d": "7", "s": " ", "w": "abcxyz", "S": "abcxyz"}


def texts_for(pattern: str, *, number: int, seed: int = 0) -> Iterator[str]:
    """Yield up to `number` texts in which `pattern` is found."""
    chance = random.Random(seed)
    texts = (_alternatives(pattern, 0, chance)[0] for _ in range(number * 20))
    matching = (text for text in texts if re.search(pattern, text))
    for _, text in zip(range(number), matching, strict=False):
        yield text


def _alternatives(pattern: str, position: int, chance: random.Random) -> tuple[str, int]:
    """Return a text for one of the alternatives from `position` on, and where the last of them ends."""
    texts = []
    while True:
        text, position = _sequence(pattern, position, chance)
        texts.append(text)
        if not pattern.startswith("|", position):
            return chance.choice(texts), position
        position += 1


def _sequence(pattern: str, position: int, chance: random.Random) -> tuple[str, int]:
    texts = []
    while position < len(pattern) and pattern[position] not in "|)":
        text, end = _item(pattern, position, chance)
        repeat = _REPEAT.match(pattern, end)
        times = _times(repeat, chance)
        texts += [text, *(_item(pattern, position, chance)[0] for _ in range(times - 1))][:times]
        position = repeat.end() if repeat else end
    return "".join(texts), position


def _times(repeat: re.Match[str] | None, chance: random.Random) -> int:
    if repeat is None:
        return 1
    sign, least, comma, most = repeat.groups()
    if sign:
        return chance.randint(int(sign == "+"), 1 if sign == "?" else 3)
    first = int(least or 0)
    return min(first + chance.choice((0, 1, 1, 2)), int(most or first + 2)) if comma else first


def _item(pattern: str, position: int, chance: random.Random) -> tuple[str, int]:
    if look := _LOOK_AROUND.match(pattern, position):
        return "", _alternatives(pattern, look.end(), chance)[1] + 1
    if pattern[position] == "(":
        text, end = _alternatives(pattern, position + (3 if pattern.startswith("(?:", position) else 1), chance)
        return text, end + 1
    if characters := _CLASS.match(pattern, position):
        return _of_class(characters, chance), characters.end()
    if pattern[position] != "\\":
        return {"^": "", "$": "", ".": chance.choice(_FILLING)}.get(pattern[position], pattern[position]), position + 1
    if pattern[position + 1] == "u":
        return chr(int(pattern[position + 2 : position + 6], 16)), position + 6
    return _of_escape(pattern[position + 1], chance), position + 2


def _of_class(characters: re.Match[str], chance: random.Random) -> str:
    if characters[1]:
        return chance.choice([each for each in _FILLING if re.fullmatch(characters[0], each)])
    first, last, escaped, single = chance.choice(_MEMBER.findall(characters[2]))
    if first:
        return chr(chance.randint(ord(first), ord(last)))
    return _of_escape(escaped, chance) if escaped else str(single)


def _of_escape(escaped: str, chance: random.Random) -> str:
    texts = _ESCAPES.get(escaped, escaped)
    return chance.choice(texts) if texts else ""

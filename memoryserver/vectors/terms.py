"""What of a text counts as its words, for finding it by them.

Postgres' own parser keeps a path as one word, so that `models.py` does not find `src/app/models.py`, and takes
an identifier apart, so that it is no rarer than its parts. Here a text gives its plain words, the parts of each
identifier, path and camelCase name, and these once more as wholes, written without their punctuation. Postgres' stemmer
cuts endings only; what it cannot lead back (went, broken, children) is given as its base here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoryserver.common.text import clean
from memoryserver.vectors.irregular import BASES

_COMPOUND = re.compile(r"[^\W_]+(?:(?:[_./\\@-]+|::)[^\W_]+)+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W_]+")
_LONGEST = 100  # characters; a longer "word" is a hash or a blob, which nobody looks for by all of it


def terms(text: str) -> str:
    """The words of `text`, separated by spaces, in its order; the same for texts that are kept and for queries."""
    cleaned = clean(text)
    return " ".join([*_parts(cleaned), *_wholes(cleaned)])


def _parts(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        for part in _HUMP.split(word):
            lowered = part[:_LONGEST].lower()
            yield BASES.get(lowered, lowered)


def _wholes(text: str) -> Iterator[str]:
    for compound in _COMPOUND.findall(text):
        pieces = _WORD.findall(compound)
        yield "".join(pieces)[:_LONGEST].lower()
        if "/" in compound or "\\" in compound:  # the file's name alone is how people ask for a path
            name = _WORD.findall(re.split(r"[/\\]", compound)[-1])
            if len(name) > 1:
                yield "".join(name)[:_LONGEST].lower()
    for word in _WORD.findall(text):
        if len(_HUMP.split(word)) > 1:
            yield word[:_LONGEST].lower()

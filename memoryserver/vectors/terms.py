"""Extraction of the terms of a text for lexical search.

Postgres' own parser keeps a path as one word, so that `models.py` does not match `src/app/models.py`, and splits an
identifier, so that it is no rarer than its parts. The terms of a text are its plain words, the parts of each
identifier, path and camelCase name, and each of those as a whole without punctuation. Postgres' stemmer only cuts
endings; irregular forms (went, broken, children) are replaced by their base here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoryserver.common.text import clean
from memoryserver.vectors.irregular import BASES

_COMPOUND = re.compile(r"[^\W_]+(?:(?:[_./\\@-]+|::)[^\W_]+)+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W_]+")
_MAX_LENGTH = 100  # characters; longer "words" are hashes or blobs, which are not searched for in full


def terms(text: str) -> str:
    """Return the terms of `text`, separated by spaces, in their order; used for stored texts and queries alike."""
    cleaned = clean(text)
    return " ".join([*_parts(cleaned), *_wholes(cleaned)])


def _parts(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        for part in _HUMP.split(word):
            lowered = part[:_MAX_LENGTH].lower()
            yield BASES.get(lowered, lowered)


def _wholes(text: str) -> Iterator[str]:
    for compound in _COMPOUND.findall(text):
        pieces = _WORD.findall(compound)
        yield "".join(pieces)[:_MAX_LENGTH].lower()
        if "/" in compound or "\\" in compound:  # people search for a path by the file's name
            name = _WORD.findall(re.split(r"[/\\]", compound)[-1])
            if len(name) > 1:
                yield "".join(name)[:_MAX_LENGTH].lower()
    for word in _WORD.findall(text):
        if len(_HUMP.split(word)) > 1:
            yield word[:_MAX_LENGTH].lower()

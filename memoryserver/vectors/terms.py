"""Extraction of the terms of a text for lexical search.

Postgres' own parser keeps a path as one word, so that `models.py` does not match `src/app/models.py`, and splits an
identifier, so that it is no rarer than its parts. The terms of a text are its plain words, the parts of each
identifier, path and camelCase name, and each of those as a whole without punctuation. Postgres' stemmer only cuts
endings; irregular forms (went, broken, children) are replaced by their base here.

Chinese, Japanese, Thai, Lao, Khmer and Burmese are written without spaces, and Korean joins particles to its words: of
these the terms are the overlapping pairs of characters, and in Chinese each character too, which often is a word.

Texts are compared in the form NFKC: composed characters, letters and digits of one width. Accents are folded (café and
cafe are one word), since many type without them; й stays, as it is a letter of its own and not an accented и.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import compress, groupby
from typing import NamedTuple

from memoryserver.common.text import clean
from memoryserver.vectors.irregular import BASES


def _marks() -> str:
    """Return the combining marks as ranges for a character class, without the variation selectors of emoji."""
    codes = range(0x300, 0x20000)
    categories = map(unicodedata.category, map(chr, codes))
    marks = [code for code in compress(codes, map({"Mn", "Mc", "Me"}.__contains__, categories)) if code >> 4 != 0xFE0]
    runs = [[code for _, code in run] for _, run in groupby(enumerate(marks), lambda pair: pair[1] - pair[0])]
    return "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in runs)


class _Patterns(NamedTuple):
    """How words and compounds of them look."""

    word: re.Pattern[str]
    compound: re.Pattern[str]


def _patterns(word: str, before: str = "") -> _Patterns:
    """Return the patterns for words that look like `word`, which is possessive: a long word is read only once."""
    compound = rf"(?<![^\W_]){before}{word}(?:(?:[_./\\@-]+|::){word})+"
    return _Patterns(re.compile(word), re.compile(compound))


_PLAIN = _patterns(r"[^\W_]++")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MAX_LENGTH = 100  # characters; longer "words" are hashes or blobs, which are not searched for in full

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA_AND_HANGUL = "\u3040-\u30ff\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff\uac00-\ud7a3"
_THAI_LAO_KHMER_BURMESE = "\u0e01-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1780-\u17d3\u1000-\u103f\u1050-\u108f"
_UNSPACED = _HAN + _KANA_AND_HANGUL + _THAI_LAO_KHMER_BURMESE
_HAN_CHARACTER = re.compile(rf"[{_HAN}]")


class _Marked(NamedTuple):
    """Patterns with the combining marks, which belong to the letter before them."""

    mark: re.Pattern[str]
    patterns: _Patterns
    run: re.Pattern[str]
    character: re.Pattern[str]


@cache
def _marked() -> _Marked:
    """Return the patterns for texts outside ASCII. To make them takes 75 ms, which the start of a process is spared."""
    marks = _marks()
    # Takes three times as long as without marks.
    patterns = _patterns(rf"[^\W_]++(?:[{marks}]++[^\W_]*+)*+", rf"(?<![{marks}])")
    run = re.compile(rf"([{_UNSPACED}][{_UNSPACED}{marks}]*)")
    return _Marked(re.compile(f"[{marks}]"), patterns, run, re.compile(rf".[{marks}]*"))


# A letter of an alphabet with accents: those of Chinese, Japanese or Hindi would be other signs without their marks.
_ACCENTED = re.compile(
    "[\u00c0-\u024f\u0370-\u03ff\u0400-\u052f\u1e00-\u1fff][\u0300-\u036f]*|[A-Za-z][\u0300-\u036f]+"
)
_ACCENTS = re.compile("[\u0300-\u036f]+")
# Letters that are no others with an accent; replaced in lower case, when camelCase has been taken apart.
_SPELLED_OUT = str.maketrans({"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe"})


def terms(text: str) -> str:
    """Return the terms of `text`, separated by spaces, in their order; used for stored texts and queries alike."""
    normal = unicodedata.normalize("NFKC", clean(text))
    if not normal.isascii():
        normal = _ACCENTED.sub(_fold, normal)
    patterns = _PLAIN if normal.isascii() or not _marked().mark.search(normal) else _marked().patterns
    return " ".join([*_parts(normal, patterns), *_wholes(normal, patterns)]).translate(_SPELLED_OUT)


def _fold(letter: re.Match[str]) -> str:
    if letter[0] in "йЙ":
        return letter[0]
    return _ACCENTS.sub("", unicodedata.normalize("NFD", letter[0]))


def _parts(text: str, patterns: _Patterns) -> Iterator[str]:
    for word in patterns.word.findall(text):
        if word.isascii():
            yield from _humps(word)
            continue
        unspaced = _marked().run
        for run in unspaced.split(word):
            if unspaced.match(run):
                yield from _pairs(run)
            elif run:
                yield from _humps(run)


def _humps(word: str) -> Iterator[str]:
    for part in _HUMP.split(word):
        lowered = part[:_MAX_LENGTH].lower()
        yield BASES.get(lowered, lowered)


def _pairs(run: str) -> Iterator[str]:
    """Yield the pairs of characters of a text without spaces, each Han character, and a character that is alone."""
    characters = _marked().character.findall(run)
    for place, character in enumerate(characters):
        if len(characters) == 1 or _HAN_CHARACTER.match(character):
            yield character
        if place + 1 < len(characters):
            yield character + characters[place + 1]


def _wholes(text: str, patterns: _Patterns) -> Iterator[str]:
    for compound in patterns.compound.findall(text):
        pieces = patterns.word.findall(compound)
        yield "".join(pieces)[:_MAX_LENGTH].lower()
        if "/" in compound or "\\" in compound:  # people search for a path by the file's name
            name = patterns.word.findall(re.split(r"[/\\]", compound)[-1])
            if len(name) > 1:
                yield "".join(name)[:_MAX_LENGTH].lower()
    for word in patterns.word.findall(text):
        if len(_HUMP.split(word)) > 1:
            yield word[:_MAX_LENGTH].lower()

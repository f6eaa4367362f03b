"""Whether a text names what it is about, as plain words like "use pnpm, not npm" do, and whether two name the same."""

from __future__ import annotations

import re

from capture.local.extraction.patterns import wording
from capture.local.extraction.sentence_filters import count_uncommon_words, is_specific


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FEWEST_WORDS = 2  # telling ones, in a text that has no code and no name: "use pnpm, not npm"
# In a text that names little: it tells of oneself, or how something stands now.
_ACCOUNT = wording(
    r"\bI(?:['\u2019](?:ve|m|d|ll))?\b"
    r"|\b(?:now|already|almost|yet|still|locally|perfectly|completely|entirely|successfully)\b"
    r"|\b(?:have|has) been\b|:$"
    r"|\b(?:works|worked|broke|pass(?:es|ed)|fail(?:s|ed)|found|done|finished|completed)\W*$"
    r"|^(?:checking|looking|running|working|trying|fixing|adding|updating|testing|investigating|reading|writing|debugging"
    r"|implementing|creating|moving|removing|cleaning)\b"
    r"|\b(?:is|are|isn['\u2019]t|aren['\u2019]t)"
    r" (?:in (?:place|good|order)|set up|up|running|working|ready|done|clean|green|fine)\b"
)
# Words that sentence_filters counts, but that name nothing: praise, chat, advice for everybody, how work stands.
_EMPTY = _words(
    """
    able advice back bad bit broken careful carefully clean cleaner clear close closed code comments complete
    completed comprehensive correct day deployed done early easy enough everybody everyone explain failing far
    feedback fully functionality green guys hello help helpful here hey hope idea ideas important improve info
    information keep left little maintainable mind mistake nice nobody note okay open others people performance
    plan please point progress pushed quality quick quickly read ready really recommend red refactor refactored
    refactoring regressions results review reviewed running safe say sentence simple simplest simply slow software
    solution solve solved sorry start started status step steps stuff summary sure task tasks team tell tested
    testing thank thanks thorough thoroughly today together true understand understanding unhappy various wait
    waiting way welcome while whole wip word words work world worry write writing written yep yes
    """
)
_SHORT = 2  # letters, of "ci" or "db", which sentence_filters does not count
_SHORT_WORDS = _words("am an as at be by do eg go he hi ie if in is it me mr my no of ok on or pr so to up us vs we")
_TOKEN = re.compile(r"[^\W\d_][\w'-]{1,}|\d[\d.,]*")
_RULE = wording(
    r"\b(?:never|always|must|should|not|no|only|without|don['\u2019]?t|instead|rather|unless"
    r"|first|avoid|prefer|use|required|forbidden|needs?|before|after)\b|\bplease$"
    r"|^we (?!have|had|need|should|will|would|can|could|are|were|did|do|got)[a-z]+(?<!ed)\b"
)
_PRAISE = wording(
    r"\b(?:good|bad|clean|nice|better|best|quality|careful(?:ly)?|sure|proper(?:ly)?|correct(?:ly)?|well|thorough(?:ly)?"
    r"|important|simple|clear(?:ly)?|mind|thanks?|sorry|please fix|caution|care|errors?|bugs?|mistakes?|problems?"
    r"|issues?|give up)\b"
)
_CODE = re.compile(r"`([^`]+)`")
_LIKE_CODE = re.compile(r"\w[/_.@:=-]+\w|\d|[^\W\d_A-Z][A-Z]|^(?:[~/.@$]|--?)\w")
_AROUND = ".,;:!?()[]{}<>\"'\u2018\u2019\u201c\u201d*"


def names_something(text: str) -> bool:
    """Return whether `text`, in English, has code, a name or a figure, or at least two telling words.

    In a rule ("never", "must", "use") one telling word is enough, unless it is advice that holds everywhere.
    """
    lowered = text.lower()
    words = _TOKEN.findall(lowered)
    if "`" not in text and len(words) < _FEWEST_WORDS:
        return False
    if is_specific(text):
        return True
    short = {word for word in words if len(word) == _SHORT}
    telling = count_uncommon_words(" ".join(word for word in words if word not in _EMPTY)) + len(short - _SHORT_WORDS)
    if telling > _FEWEST_WORDS:
        return True
    is_rule = _RULE.search(lowered) is not None and not _PRAISE.search(lowered)
    names_any = telling > 0 or (len(words) > _FEWEST_WORDS and count_uncommon_words(text) > 0)
    enough = telling == _FEWEST_WORDS or (is_rule and names_any)
    return enough and not _ACCOUNT.search(lowered)


def name_the_same(text: str, other: str) -> bool:
    """Return whether each has the code, the paths, and the identifiers of the other, in back-ticks or not.

    What is in back-ticks must have the same capitals too, since `-d` and `-D` are two options.
    """
    return _has_names_of(text, other) and _has_names_of(other, text)


def _has_names_of(text: str, other: str) -> bool:
    code = (span.strip().removesuffix("()").rstrip("/") for span in _CODE.findall(other))
    bare = (token.strip(_AROUND).rstrip("/") for token in _CODE.sub(" \u2026 ", other).split())
    return all(_has(text, name) for name in code if name) and all(
        _has(text.lower(), name.lower()) for name in bare if _LIKE_CODE.search(name)
    )


def _has(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w/-])(?<!\w\.){re.escape(name)}(?![\w-]|[/.]\w)", text) is not None

"""Whether a later learning replaces what an earlier one says, by another thing in the same place.

"Run the tests with `pytest`, not `./run.sh`" replaces what says to run `./run.sh`, and "the staging database has moved
to port 5544" what has it on port 5433. Both may say more: each sentence is compared with each. What is replaced has to
be specific, a command, a path, a name in back-ticks or a figure, and the rest of one sentence has to be part of the
other: so neither another thing ("the production database") nor another case is taken for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from capture.merging.words import stems

_MAX_STEMS = 14  # of a sentence
_CODE = r"`[^`]+`"
_PATH = (
    r"(?:\w+=\S+ )?(?:[\w~.@-]*/)+[\w.@-]*\w|\w[\w-]*\.(?:[a-z]{1,2}|toml|yaml|yml|json|cfg|lock|bash|html|css|sql)\b"
)
_FIGURE = r"(?<![\w.`/-])\d[\d.,:]*(?<![.,:])(?![\w`/-])"
_THING = rf"(?P<thing>{_CODE}|{_PATH}|{_FIGURE})"
_THINGS = re.compile(rf"{_CODE}|{_PATH}|{_FIGURE}")
_CONTRAST = re.compile(
    rf"\b(?:not|never|no longer|instead of|rather than|nicht mehr|nicht|nie|statt|anstatt)(?: [a-z]+){{0,3}}? {_THING}",
    re.IGNORECASE,
)
_GONE = re.compile(
    rf"\bwe replaced (?P<replaced>{_CODE}|{_PATH}) (?:with|by)\b"
    rf"|(?P<gone>{_CODE}|{_PATH}) (?:(?:no longer|does not|doesn['’]t) (?:works?|exists?)\b(?: any ?more)?"
    r"|(?:is|was|has been) (?:deprecated|gone|deleted|removed|retired|dropped|replaced)\b"
    r"(?! (?:from|if|when|by the)\b))",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:(?:has|have|was|were|is|are)? ?(?:moved|changed|switched|renamed|migrated|upgraded)"
    r"|now|since (?:yesterday|today|\w+day)|from now on|as of (?:now|today)|any ?more|no longer"
    r"|jetzt|ab sofort|umgezogen|nicht mehr)\b",
    re.IGNORECASE,
)
_GENERAL = stems(
    "use uses run runs call put go listen connect need have be located reach repository also now only new old gone"
    " delete please always never used"
)
_PRESCRIBED = re.compile(r"\b(?:use|uses|used|run|runs|call|prefer|with|via|through|by|need|needs)[: ]*$")
_RUNS = re.compile("`? (?:runs?|starts?|builds?)\\b")
_COMMAND_HEAD = re.compile(r"(?:`|\./|\w+=\S+ )+$")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])|\n")
_REASON = re.compile(r"[,;:]?\s+(?:because|since(?! \w+day)|so that|weil|damit)\s.*", re.DOTALL | re.IGNORECASE)


def replacement(earlier: str, later: str) -> Literal["rejected", "value"] | None:
    """Return how a sentence of `later` replaces one of `earlier`, None if none does.

    It has another thing and rejects the former, or says that this is gone ("rejected"), or another figure ("value").
    """
    sentences, others = _sentences(earlier), _sentences(later)
    if any(_removes(earlier, other) for other in others):
        return "rejected"
    pairs = [(sentence, other) for sentence in sentences for other in others]
    if any(_contrasts(*pair) for pair in pairs):
        return "rejected"
    return "value" if any(_moves(*pair) for pair in pairs) else None


def _sentences(text: str) -> Sequence[str]:
    parts = (_REASON.sub("", part) for part in _SENTENCE_END.split(text))
    return [part for part in parts if "?" not in part and 0 < len(stems(part)) <= _MAX_STEMS]


def _removes(earlier: str, later: str) -> bool:
    """Return whether `later` says that something is gone which `earlier` has, and does not say that itself."""
    removed = (match["replaced"] or match["gone"] for match in _GONE.finditer(later))
    return any(_has(earlier, thing) for thing in removed) and not _GONE.search(earlier)


def _contrasts(earlier: str, later: str) -> bool:
    """Return whether `later` has another thing in the place of one that `earlier` has, and rejects the latter."""
    rejected = [match["thing"] for match in _CONTRAST.finditer(later)]
    preferred = _THINGS.findall(_CONTRAST.sub("", later))
    if not preferred or any(_has(earlier, thing) for thing in preferred):
        return False
    return any(_has(earlier, thing) and _same_topic(earlier, later, thing) for thing in rejected)


def _moves(earlier: str, later: str) -> bool:
    """Return whether `later` says that something has changed, and has another figure beside the same noun."""
    if not _CHANGED.search(later):
        return False
    figures, others = _figures(earlier), _figures(later)
    changed = {noun for noun in figures.keys() & others.keys() if figures[noun].isdisjoint(others[noun])}
    topics, other_topics = _topics(earlier), _topics(later)
    return any(
        bool(topics - {noun}) and bool(other_topics - {noun}) and _is_part(topics, other_topics) for noun in changed
    )


def _same_topic(earlier: str, later: str, thing: str) -> bool:
    topics, others = _topics(earlier), _topics(later)
    if others:
        return _is_part(topics, others) or others <= stems(thing)
    before, _, after = earlier.lower().partition(_plain(thing))
    return bool(_PRESCRIBED.search(_COMMAND_HEAD.sub("", before)) or _RUNS.match(after))


def _is_part(topics: frozenset[str], others: frozenset[str]) -> bool:
    return bool(topics & others) and (topics <= others or others <= topics)


def _topics(sentence: str) -> frozenset[str]:
    return stems(_THINGS.sub(" ", _CHANGED.sub(" ", _CONTRAST.sub(" ", sentence)))) - _GENERAL


def _figures(sentence: str) -> dict[str, set[str]]:
    """Return the figures that `sentence` does not reject, by the stem of the word before them."""
    found: dict[str, set[str]] = {}
    for noun, figure in re.findall(rf"(\w+) ({_FIGURE})", _CONTRAST.sub(" ", sentence)):
        for stem in stems(noun):
            found.setdefault(stem, set()).add(figure)
    return found


def _has(earlier: str, thing: str) -> bool:
    """Return whether `earlier` has `thing`, and does not reject it itself."""
    name = re.escape(_plain(thing))
    return bool(re.search(rf"(?<![\w/.-])(?:\./)?{name}(?![\w/-]|\.\w)", _CONTRAST.sub(" ", earlier).lower()))


def _plain(thing: str) -> str:
    return thing.strip("`").lower().removeprefix("./")

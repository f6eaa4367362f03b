"""Questions about people who speak in the scope, asked in their own words.

Of a conversation each turn is a text that begins with its speaker: "Marcus: I finally signed up for a woodworking
class". Asked "What class did Marcus sign up for?", a model finds texts about Marcus rather than texts by him. So such a
question is also put as he would have answered it, "class did I sign up for", and the two vectors are averaged; and the
turns that are found are looked at in their conversation (`rescoring.turns`). docs/search.md says how much that finds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

_MAX_NAMES = 4
_MAX_TEXTS = 200
"""Texts that are looked at for each name."""

_LEAST_TURNS = 3
_LEAST_SHARE = 0.2
"""How many of the texts that have the name must be turns of its bearer: "Safari: ..." alone is not a conversation."""

_HEAD = 80  # characters
_COLON = re.compile(r":(?![\d/\\:])")
_SPEAKER = re.compile(r"(?<![^\W_])([^\W\d_][\w.]*(?: [\w.]+){0,2})\W{0,3}(?:\([^)]*\))?\W{0,3}$")
"""Up to three words at the end of what is before a colon, and perhaps something in brackets."""

_NAME = re.compile(r"[^\W\d_][^\W_]+")
_QUESTION = re.compile(
    r"(?:what|when|where|who|whom|whose|which|why|how(?: (?:many|much|long|often|far|old|did|does|do))?)\b"
    r"(?: (?:is|are|was|were|did|does|do|has|have|had|can|could|will|would|kind of|type of)\b)*\s*",
    re.IGNORECASE,
)


HEADS = """
    SELECT name, head FROM unnest(%(names)s::text[]) AS name, LATERAL (
        SELECT left(text, %(length)s) AS head FROM scope
        WHERE words @@ plainto_tsquery('english', lower(name)) AND collection = ANY(%(spoken)s) LIMIT %(most)s
    ) AS naming
"""
"""The heads of the texts of `scope` that have a name; with `parameters`."""


def names_in(query: str) -> list[str]:
    """Return the capitalised words of `query`; the question words among them are no words for Postgres."""
    words = [word for word in _NAME.findall(query) if word[0].isupper()]
    return list(dict.fromkeys(words))[:_MAX_NAMES]


def parameters(names: Sequence[str], collections: Sequence[str]) -> dict[str, Any]:
    """Return the parameters of HEADS, to look for `names` in `collections`."""
    return {"names": list(names), "spoken": list(collections), "length": _HEAD, "most": _MAX_TEXTS}


def speaking(heads: Mapping[str, Sequence[str]]) -> list[str]:
    """Return those of the names who speak in the scope; `heads` has the beginnings of the texts that have each."""
    return [name for name, texts in heads.items() if _speaks(name, texts)]


def restated(query: str, names: Sequence[str]) -> str | None:
    """Return `query` in the first person of those with the `names`, None if there are none."""
    if not names:
        return None
    statement = _QUESTION.sub("", query, count=1) if _QUESTION.match(query) else query
    any_name = "|".join(map(re.escape, names))
    statement = re.sub(rf"\b(?:{any_name})['’]s\b", "my", statement)
    return re.sub(rf"\b(?:{any_name})\b", "I", statement).strip(" ?") or None


def is_turn(text: str) -> bool:
    """Return whether `text` begins with a speaker, whatever the name."""
    return bool(_speaker(text))


def is_spoken_by(name: str, text: str) -> bool:
    """Return whether `text` begins with `name`, one word, as its speaker."""
    return name in _speaker(text)


def _speaks(name: str, heads: Sequence[str]) -> bool:
    """Return whether `name` is the speaker of several of the texts that begin with `heads`, which have the name."""
    turns = sum(is_spoken_by(name, head) for head in heads)
    return turns >= _LEAST_TURNS and turns >= _LEAST_SHARE * len(heads)


def _speaker(text: str) -> Sequence[str]:
    """Return the words before the first colon that may be a name, one of them capitalised; none if there are none."""
    head = text[:_HEAD]
    for colon in _COLON.finditer(head):
        name = _SPEAKER.search(head[: colon.start()])
        words = name[1].split() if name else []
        if any(word[0].isupper() for word in words):
            return words
    return ()

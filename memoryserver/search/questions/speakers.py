"""Questions about people who speak in the scope, asked in their own words.

Of a conversation each turn is a text that begins with its speaker: "Marcus: I finally signed up for a woodworking
class". Asked "What class did Marcus sign up for?", a model finds texts about Marcus rather than texts by him. So such a
question is also put as he would have answered it, "class did I sign up for", and the two vectors are averaged;
docs/search.md says how much that finds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from django.contrib.postgres.search import SearchQuery
from django.db.models import QuerySet
from django.db.models.functions import Left

from memoryserver.vectors.models import Record

_MAX_NAMES = 4
_MAX_TEXTS = 200
"""Texts that are looked at for each name."""

_LEAST_TURNS = 3
_LEAST_SHARE = 0.2
"""How many of the texts that have the name must be turns of its bearer: "Safari: ..." alone is not a conversation."""

_HEAD = 80  # characters
_NAME = re.compile(r"[^\W\d_][^\W_]+")
_QUESTION = re.compile(
    r"(?:what|when|where|who|whom|whose|which|why|how(?: (?:many|much|long|often|far|old|did|does|do))?)\b"
    r"(?: (?:is|are|was|were|did|does|do|has|have|had|can|could|will|would|kind of|type of)\b)*\s*",
    re.IGNORECASE,
)


def restated(scope: QuerySet[Record], query: str) -> str | None:
    """Return `query` in the first person of those whom it names and who speak in `scope`, None if there are none."""
    names = [name for name in _names(query) if _speaks(scope, name)]
    if not names:
        return None
    statement = _QUESTION.sub("", query, count=1) if _QUESTION.match(query) else query
    any_name = "|".join(map(re.escape, names))
    statement = re.sub(rf"\b(?:{any_name})['’]s\b", "my", statement)
    return re.sub(rf"\b(?:{any_name})\b", "I", statement).strip(" ?") or None


def _names(query: str) -> Iterable[str]:
    """Return the capitalised words of `query`; the question words among them are no words for Postgres."""
    words = [word for word in _NAME.findall(query) if word[0].isupper()]
    return list(dict.fromkeys(words))[:_MAX_NAMES]


def _speaks(scope: QuerySet[Record], name: str) -> bool:
    """Return whether `name` is the speaker of several texts of `scope`."""
    naming = scope.filter(words=SearchQuery(name.lower(), config="english")).order_by()
    heads = list(naming.annotate(head=Left("text", _HEAD)).values_list("head", flat=True)[:_MAX_TEXTS])
    turn = re.compile(rf"(?:^|.*?[\W_]){re.escape(name)}(?: [\w.]+){{0,2}}(?: ?\([^)]*\))?\W{{0,3}}:", re.DOTALL)
    turns = sum(bool(turn.match(head)) for head in heads)
    return turns >= _LEAST_TURNS and turns >= _LEAST_SHARE * len(heads)

"""Cursors of a search's pages: the place in the ranking, and what was asked, so that none continues another search."""

from __future__ import annotations

import base64
import hashlib
import json

from memoryserver.keyset import InvalidCursorError
from memoryserver.search import engine
from memoryserver.search.scope import Search

_DIGEST = 12  # hexadecimal digits: a cursor of another search is a mistake, not an attack


def encode(criteria: Search, position: int) -> str:
    """Return the cursor of the page of `criteria` that begins after `position` results."""
    text = json.dumps([position, _digest(criteria)], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def position_of(criteria: Search, cursor: str) -> int:
    """Return how many results come before the page of `cursor`: 0 if it is blank.

    Raises InvalidCursorError if it is not one of this search; another `limit` does not make another search.
    """
    if not cursor:
        return 0
    try:
        values = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
        position, digest = values
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidCursorError from error
    if type(position) is not int or not 0 <= position <= engine.CANDIDATES or digest != _digest(criteria):
        raise InvalidCursorError
    return position


def _digest(criteria: Search) -> str:
    asked = {name: value for name, value in vars(criteria).items() if name not in ("limit", "offset")}
    return hashlib.sha256(json.dumps(asked, sort_keys=True, default=dict).encode()).hexdigest()[:_DIGEST]

"""New observations and their validation; all content is untrusted."""

from __future__ import annotations

import json
import unicodedata
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from memoryserver.common.ids import milliseconds_of, uuid7
from memoryserver.common.redaction import redact, redact_value
from memoryserver.common.text import clean, clean_json, one_line, printable
from memoryserver.reported_times import credible
from obslog.errors import InvalidObservationError

MAX_TYPE = 100
MAX_SOURCE = 200
MAX_MESSAGE = 2_000
MAX_DETAILS = 100_000
MAX_DATA_BYTES = 100_000
MAX_DATA_DEPTH = 100
MAX_SCOPES = 100
MAX_SCOPE = 200
SERVER_CATEGORY = "system"
END_OF_TIME = 253_402_300_800_000
"""The year 10000; later years cannot be written with four digits."""

CLOCK_SKEW = timedelta(minutes=1)
"""How far ahead a clock may be: within that, an observation keeps the id that its laptop shows to people."""


@dataclass(frozen=True)
class NewObservation:
    """An observation to append.

    `id` is a UUIDv7 and `created_at` the Unix milliseconds in it: each defaults to the other, or to the current time.
    Only an observation with an id can be sent again safely. A time that cannot be right is kept, but the time of
    arrival counts: see `check`.
    """

    type: str
    source: str
    message: str
    details: str | None = None
    data: Any = None
    scope_ids: Sequence[str] = ()
    created_at: int | None = None
    id: uuid.UUID | None = None


class Row(NamedTuple):
    """A validated observation in the form of the tables; `data` is JSON text or None.

    `sent_id` is the id that a client gave, by which it is known when it is sent again. `reported_id` is the id with the
    time that the client gave, if that cannot be right: `id` then has the time of arrival.
    """

    id: uuid.UUID
    type: str
    source: str
    message: str
    details: str | None
    data: str | None
    created_at: int
    reported_id: uuid.UUID | None
    scope_ids: list[str]
    sent_id: uuid.UUID | None

    @classmethod
    def columns(cls) -> tuple[str, ...]:
        """Return the names of the columns of an observation, which are the first fields."""
        return cls._fields[:8]


def from_client(new: NewObservation) -> NewObservation:
    """Return `new` if a client may append it. Raises InvalidObservationError if its source is one of the server's.

    Sources that only look like one (`System:`, `system :`, full-width letters, invisible characters) are refused too.
    """
    category = unicodedata.normalize("NFKC", new.source).partition(":")[0]
    letters = "".join(letter for letter in category if unicodedata.category(letter)[0] not in "CZM")
    _require(
        letters.casefold() != SERVER_CATEGORY,
        f"source {SERVER_CATEGORY}: is for the server's own events; use another category, such as agent:abc123",
    )
    return new


def check(new: NewObservation, position: int = 0) -> Row:
    """Validate `new` and return it in the form of the tables. Raises InvalidObservationError.

    `position` in its batch orders observations without id that share a `created_at`. White space in the message is
    collapsed, so that it becomes one line. A time more than CLOCK_SKEW ahead, or before agents existed, is replaced by
    the current one (see `memoryserver.reported_times`). Every text is redacted: what is in the log cannot be changed.
    """
    new = replace(
        new,
        message=redact(new.message).text,
        details=redact_value(new.details),
        scope_ids=redact_value(list(new.scope_ids)),
    )
    reported = _identifier(new, position)
    identifier = _bounded(reported, position)
    message = one_line(new.message)
    details = None if new.details is None else clean(new.details)
    scope_ids = list(dict.fromkeys(map(clean, new.scope_ids)))
    _check_type_and_source(new.type, new.source)
    _require(0 < len(message) <= MAX_MESSAGE, f"message must be a line of 1 to {MAX_MESSAGE} characters")
    _require(len(details or "") <= MAX_DETAILS, f"details must have at most {MAX_DETAILS} characters")
    _check_scope_ids(scope_ids)
    return Row(
        identifier,
        new.type,
        new.source,
        message,
        details,
        data_text(new.data),
        milliseconds_of(identifier),
        None if identifier == reported else reported,
        scope_ids,
        new.id,
    )


def data_text(data: Any) -> str | None:
    """Return `data`, redacted, as the JSON text that is stored; None for None. Raises InvalidObservationError."""
    if data is None:
        return None
    _require(_nested_at_most(data, MAX_DATA_DEPTH), f"data may be nested at most {MAX_DATA_DEPTH} deep")
    data = redact_value(data)
    text = _dumps(data)
    if "\\u0000" in text or not _is_utf8(text):
        text = _dumps(clean_json(data))
    _require(len(text.encode()) <= MAX_DATA_BYTES, f"data must be at most {MAX_DATA_BYTES} bytes of JSON")
    return text


def _identifier(new: NewObservation, position: int) -> uuid.UUID:
    if new.id is None:
        if new.created_at is not None:
            _require(0 <= new.created_at < END_OF_TIME, "created_at must be Unix milliseconds before the year 10000")
        return uuid7(new.created_at, position)
    _require(
        new.id.version == 7 and milliseconds_of(new.id) < END_OF_TIME, "id must be a UUIDv7 of before the year 10000"
    )
    _require(
        new.created_at in (None, milliseconds_of(new.id)),
        f"created_at is not the time in the id ({milliseconds_of(new.id)}); omit one of the two",
    )
    return new.id


def _bounded(identifier: uuid.UUID, position: int) -> uuid.UUID:
    """Return `identifier`, or one of now if its time cannot be right: it would be the newest until that time came."""
    now = datetime.now(UTC)
    reported = datetime.fromtimestamp(milliseconds_of(identifier) / 1000, UTC)
    if credible(reported, now + CLOCK_SKEW) == reported:
        return identifier
    return uuid7(int(now.timestamp() * 1000), position)


def _check_type_and_source(type_: str, source: str) -> None:
    _require(0 < len(type_) <= MAX_TYPE, f"type must have 1 to {MAX_TYPE} characters")
    _require(_is_plain(type_) and not set(" []") & set(type_), "type must be one word without brackets")
    category, colon, identifier = source.partition(":")
    _require(bool(category and colon and identifier), "source must be category:identifier, such as agent:abc123")
    _require(len(source) <= MAX_SOURCE, f"source must have at most {MAX_SOURCE} characters")
    _require(_is_plain(source), "source must be one line without control characters")


def _check_scope_ids(scope_ids: Sequence[str]) -> None:
    _require(len(scope_ids) <= MAX_SCOPES, f"an observation has at most {MAX_SCOPES} scope ids")
    for scope_id in scope_ids:
        _require(0 < len(scope_id) <= MAX_SCOPE, f"a scope id must have 1 to {MAX_SCOPE} characters")


def _is_plain(text: str) -> bool:
    return (text.isascii() and text.isprintable()) or (printable(text) == text == one_line(text))


def _nested_at_most(value: Any, depth: int) -> bool:
    if isinstance(value, dict):
        return depth > 0 and all(_nested_at_most(item, depth - 1) for item in value.values())
    if isinstance(value, list | tuple):
        return depth > 0 and all(_nested_at_most(item, depth - 1) for item in value)
    return True


def _dumps(data: Any) -> str:
    try:
        return json.dumps(data, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidObservationError(f"data must be JSON: {error}") from error


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise InvalidObservationError(message)

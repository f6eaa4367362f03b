"""Values of a GHAP entry as they come from files, the network and callers: checked, bounded, named when wrong."""

from __future__ import annotations

import json
import math
import re
from datetime import datetime
from enum import Enum
from typing import Any, TypeVar

from ghap.local.errors import InvalidEntryError
from memoryserver.common import clock, text

MAX_TEXT = 10_000  # characters
MAX_DEPTH = 50
MAX_ITERATIONS = 1_000_000
_ID = re.compile(r"[A-Za-z0-9_.:-]{1,100}")

_ARTICLES: dict[type, str] = {bool: "true or false", int: "a whole number"}

Choice = TypeVar("Choice", bound=Enum)
Kind = TypeVar("Kind")


def bounded(value: object, name: str) -> str:
    """Return `value` as each text of an entry is stored: clean, redacted, at most MAX_TEXT characters.

    What was cut is logged, secrets by their kinds.
    """
    from memoryserver.common.redaction import redact  # hooks import this module and often read no entry

    if not isinstance(value, str):
        raise InvalidEntryError(f"{name} must be text, not {_kind(value)}")
    # Before it is cut: half a secret would not be recognised as one.
    redacted = redact(text.clean(value[: MAX_TEXT * 4]))
    if redacted.counts:
        from memoryserver.common import cut_out

        _warn(f"{name}: {cut_out.note(redacted.counts)}")
    if len(redacted.text) > MAX_TEXT:
        _warn(f"{name} has {len(value)} characters and was cut to the first {MAX_TEXT}")
    return redacted.text[:MAX_TEXT]


def _warn(message: str) -> None:
    import logging  # rarely needed, and slow to import in a hook

    logging.getLogger("ghap.local").warning(message)


def member(value: object, enum: type[Choice], name: str) -> Choice:
    """Return the member of `enum` that `value` is or names; InvalidEntryError lists the values."""
    if isinstance(value, enum):
        return value
    if isinstance(value, str):
        for item in enum:
            if item.value == value:
                return item
    words = ", ".join(item.value for item in enum)
    shown = f"{text.shorten(text.one_line(value), 40)!r}" if isinstance(value, str) else _kind(value)
    raise InvalidEntryError(f"{name} cannot be {shown}; choose one of {words}")


def instance(value: object, kind: type[Kind], name: str) -> Kind:
    """Return `value`, which must be an instance of `kind`; InvalidEntryError where it is not."""
    if not isinstance(value, kind):
        raise InvalidEntryError(f"{name} must be {_ARTICLES.get(kind, kind.__name__)}, not {_kind(value)}")
    return value


def decode_object(content: str | bytes) -> Any:
    """Return the JSON value in `content`: UTF-8 (a BOM may lead), no NaN or Infinity. Raises InvalidEntryError."""
    try:
        if isinstance(content, bytes):
            content = content.decode("utf-8-sig")
        return json.loads(content.removeprefix("\ufeff"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise InvalidEntryError(f"not UTF-8 at byte {error.start}") from error
    except RecursionError as error:
        raise InvalidEntryError("nested too deeply") from error
    except ValueError as error:  # of the parser, and of numbers with thousands of digits
        raise InvalidEntryError(f"invalid JSON: {error}") from error


class Fields:
    """The fields of one JSON object, read one by one; `rest` returns those that were not read.

    `where` leads every field's name in an error. Raises InvalidEntryError where `value` is not an object.
    """

    def __init__(self, value: object, where: str = "") -> None:
        if not isinstance(value, dict):
            raise InvalidEntryError(f"{where or 'an entry'} must be a JSON object, not {_kind(value)}")
        self._left = dict(value)
        self._where = f"{where}." if where else ""

    def name(self, field: str) -> str:
        """Return the name of `field` in errors."""
        return self._where + field

    def has(self, field: str) -> bool:
        """Return whether `field` is there and not null; a null, which means the same as missing, is removed."""
        if self._left.get(field) is None:
            self._left.pop(field, None)
            return False
        return True

    def required(self, field: str) -> Any:
        """Remove and return the value of `field`, which must be there."""
        if not self.has(field):
            raise InvalidEntryError(f"{self.name(field)} is missing")
        return self._left.pop(field)

    def text(self, field: str) -> str:
        """Return a text, cleaned and bounded."""
        return bounded(self.required(field), self.name(field))

    def optional_text(self, field: str) -> str | None:
        """Return a text, or None where there is none."""
        return self.text(field) if self.has(field) else None

    def identifier(self, field: str) -> str:
        """Return an id: 1 to 100 characters that need no escaping in any message."""
        value = self.required(field)
        if not isinstance(value, str) or not _ID.fullmatch(value):
            raise InvalidEntryError(f"{self.name(field)} must be 1 to 100 letters, digits, '_', '-', '.' or ':'")
        return value

    def moment(self, field: str) -> datetime:
        """Return a time, ISO 8601 with its zone, as aware UTC."""
        value = self.required(field)
        try:
            return clock.from_text(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise InvalidEntryError(
                f"{self.name(field)} must be a time like 2025-12-03T14:30:22Z, with its zone"
            ) from error

    def optional_moment(self, field: str) -> datetime | None:
        """Return a time, or None where there is none."""
        return self.moment(field) if self.has(field) else None

    def choice(self, field: str, enum: type[Choice]) -> Choice:
        """Return a member of `enum` by its value."""
        return member(self.required(field), enum, self.name(field))

    def optional_choice(self, field: str, enum: type[Choice]) -> Choice | None:
        """Return a member of `enum`, or None where there is none."""
        return self.choice(field, enum) if self.has(field) else None

    def flag(self, field: str) -> bool:
        """Return a boolean, False where there is none."""
        return instance(self.required(field) if self.has(field) else False, bool, self.name(field))

    def count(self, field: str, default: int) -> int:
        """Return a whole number from 1."""
        value = self.required(field) if self.has(field) else default
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MAX_ITERATIONS:
            raise InvalidEntryError(f"{self.name(field)} must be a whole number from 1 to {MAX_ITERATIONS}")
        return value

    def items(self, field: str) -> list[Any]:
        """Return a list, empty where there is none."""
        value = self.required(field) if self.has(field) else []
        if not isinstance(value, list):
            raise InvalidEntryError(f"{self.name(field)} must be a list, not {_kind(value)}")
        return value

    def rest(self) -> dict[str, Any]:
        """Return the fields that were not read, cleaned and redacted: a newer version or another tool wrote them."""
        for field, value in self._left.items():
            shown = text.shorten(text.one_line(text.printable(str(field))), 60)
            _check_nesting(value, self.name(shown))
        rest = {text.clean(str(field)): text.clean_json(value) for field, value in self._left.items()}
        from memoryserver.common.redaction import redact_value  # as above

        redacted: dict[str, Any] = redact_value(rest)
        return redacted


def _check_nesting(value: object, name: str, depth: int = 1) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidEntryError(f"{name} must not be NaN or infinite")
    if isinstance(value, dict | list):
        if depth > MAX_DEPTH:
            raise InvalidEntryError(f"{name} is nested more than {MAX_DEPTH} deep")
        for item in value.values() if isinstance(value, dict) else value:
            _check_nesting(item, name, depth + 1)


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is not allowed")


def _kind(value: object) -> str:
    """Return the name of the type of `value` in JSON."""
    names = {dict: "an object", list: "a list", str: "text", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number" if isinstance(value, int | float) else type(value).__name__)

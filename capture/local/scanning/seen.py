"""Which messages of a transcript have been read: short digests of their uuids, in the order of reading.

They are one string, since a cycle usually looks up one or two messages: those are searched for in it, and it is
split into a set only for many lookups.
"""

from __future__ import annotations

import binascii
import hashlib
from itertools import islice

MOST_SEEN = 20_000  # kept when the oldest are dropped, once there are more than twice as many
_DIGEST_BYTES = 6
_DIGEST_TEXT = 8
_MANY_LOOKUPS = 50
_URL_SAFE = bytes.maketrans(b"+/", b"-_")


class Seen:
    """The digests in `text`, and those added since."""

    __slots__ = ("_digests", "_lookups", "_new", "_text")

    def __init__(self, text: str = "") -> None:
        self._load(text)

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Seen) and self.text_after(0) == other.text_after(0)

    def __len__(self) -> int:
        return len(self._text) // _DIGEST_TEXT + len(self._new)

    def __contains__(self, uuid: str) -> bool:
        """Return whether the message `uuid` has been read before; False for one without a uuid."""
        return bool(uuid) and self._holds(_digest(uuid))

    def add(self, uuid: str) -> bool:
        """Record the message `uuid`. Return whether it is new, as a message without a uuid always is."""
        if not uuid:
            return True
        digest = _digest(uuid)
        if self._holds(digest):
            return False
        self._new[digest] = None
        return True

    def forget_oldest(self) -> bool:
        """Drop the oldest digests if there are too many, and return whether. Must not be called during a reading."""
        if len(self) <= 2 * MOST_SEEN:
            return False
        self._load(self.text_after(0)[-MOST_SEEN * _DIGEST_TEXT :])
        return True

    def text_after(self, length: int) -> str:
        """Return the digests, to be saved, without the first `length` characters of them."""
        if length <= len(self._text):
            return self._text[length:] + "".join(self._new)
        return "".join(islice(self._new, (length - len(self._text)) // _DIGEST_TEXT, None))

    def _load(self, text: str) -> None:
        self._text = text[: len(text) - len(text) % _DIGEST_TEXT]
        self._digests: set[str] | None = None if text else set()  # the digests of `text`, once it has been split
        self._new: dict[str, None] = {}
        self._lookups = 0

    def _holds(self, digest: str) -> bool:
        if digest in self._new:
            return True
        self._lookups += 1
        if self._digests is None and self._lookups > _MANY_LOOKUPS:
            starts = range(0, len(self._text), _DIGEST_TEXT)
            self._digests = {self._text[start : start + _DIGEST_TEXT] for start in starts}
        if self._digests is not None:
            return digest in self._digests
        place = self._text.find(digest)
        while place >= 0 and place % _DIGEST_TEXT:
            place = self._text.find(digest, place + 1)
        return place >= 0


def _digest(uuid: str) -> str:
    raw = hashlib.blake2b(uuid.encode("utf-8", "replace"), digest_size=_DIGEST_BYTES).digest()
    return binascii.b2a_base64(raw, newline=False).translate(_URL_SAFE).decode("ascii")

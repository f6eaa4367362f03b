"""A short digest that names things: for file names and comparisons, never for secrets."""

from __future__ import annotations

from hashlib import blake2b


def digest(value: str | bytes, size: int = 12) -> str:
    """Return the BLAKE2b digest of `value` (a text as UTF-8) in `size` bytes, written as twice as many hex digits."""
    data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    return blake2b(data, digest_size=size).hexdigest()

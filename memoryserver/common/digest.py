"""A short digest that names things: for file names and comparisons, never for secrets."""

from __future__ import annotations

try:
    from _blake2 import blake2b  # what `hashlib` gives out; `hashlib` itself loads OpenSSL, which costs a hook 4 ms
except ImportError:  # an interpreter that keeps it elsewhere
    from hashlib import blake2b


def digest(value: str | bytes, size: int = 12) -> str:
    """The BLAKE2b digest of `value` (a text as UTF-8) in `size` bytes, written as twice as many hex digits."""
    data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    return blake2b(data, digest_size=size).hexdigest()

"""A short digest that names things: for file names and comparisons, never for secrets.

The function is taken from where `hashlib` has it, a module of CPython's own, as `hashlib` loads OpenSSL besides: 3 to 4
of the 60 milliseconds of each hook. Measured alone by bench/hooks.py, as ratios to a bare `import json`: a quiet call
1.73 with `hashlib` and 1.61 without, eight at once 1.91 and 1.75, a call that is told a finding 2.78 and 2.66.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import blake2b
else:
    try:
        from _blake2 import blake2b
    except ImportError:  # another Python than CPython
        from hashlib import blake2b


def digest(value: str | bytes, size: int = 12) -> str:
    """Return the BLAKE2b digest of `value` (a text as UTF-8) in `size` bytes, written as twice as many hex digits."""
    data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    return blake2b(data, digest_size=size).hexdigest()

"""Standard input read with an end: at most so many bytes, at most so long."""

from __future__ import annotations

import os
import time

_CHUNK = 1 << 16
_PAUSE_SECONDS = 0.05


class InputError(ValueError):
    """Standard input was too large or did not end; the text is one line."""


def read(limit: int, seconds: float, *, descriptor: int = 0) -> bytes:
    """Return all of `descriptor` up to its end, at most `limit` bytes; waits at most `seconds` for it.

    Some agents leave the pipe open: input that looks like a whole JSON object is taken after a short pause.
    A closed or absent standard input is empty. Raises InputError for more than `limit` bytes and for input
    that broke off.
    """
    if os.name == "nt":
        return _read_in_thread(limit, seconds, descriptor)
    import select

    deadline = time.monotonic() + seconds
    data = bytearray()
    while True:
        left = deadline - time.monotonic()
        whole = _looks_whole(data)
        try:
            ready, _, _ = select.select([descriptor], [], [], min(left, _PAUSE_SECONDS) if whole else max(left, 0))
            chunk = os.read(descriptor, _CHUNK) if ready else b""
        except (OSError, ValueError):  # no standard input at all
            return bytes(data)
        data += chunk
        if len(data) > limit:
            raise InputError(f"more than {limit} bytes came on standard input")
        if ready and not chunk:
            return bytes(data)
        if not ready and ((whole and _is_whole(data)) or left <= 0):
            return _unless_broken_off(bytes(data), whole, seconds)


def _looks_whole(data: bytearray) -> bool:
    return data[-64:].rstrip().endswith(b"}") and data[:64].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def _is_whole(data: bytearray) -> bool:
    import json

    try:
        json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return False
    return True


def _unless_broken_off(data: bytes, whole: bool, seconds: float) -> bytes:
    if whole or not data:
        return data
    raise InputError(f"standard input broke off after {len(data)} bytes and did not end within {seconds:g} s")


def _read_in_thread(limit: int, seconds: float, descriptor: int) -> bytes:
    """Return the same where pipes cannot be waited for; the thread dies with the process."""
    import threading

    data = bytearray()

    def drain() -> None:
        while len(data) <= limit and (chunk := os.read(descriptor, _CHUNK)):
            data.extend(chunk)

    reader = threading.Thread(target=drain, daemon=True)
    reader.start()
    deadline = time.monotonic() + seconds
    while reader.is_alive() and time.monotonic() < deadline and not (_looks_whole(data) and _is_whole(data)):
        reader.join(_PAUSE_SECONDS)
    if len(data) > limit:
        raise InputError(f"more than {limit} bytes came on standard input")
    return bytes(data)

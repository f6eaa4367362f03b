"""Hashes that equal calls, or equal results, share: of the full content; shortened texts are for people."""

from __future__ import annotations

import json

from memoryserver.common.digest import digest

# Parameters in which an agent comments on the call: they vary while the call stays the same.
_COMMENTS = frozenset({"task_progress"})
_COMMENTS_ON_COMMANDS = frozenset({"task_progress", "description"})
# What a tool reports about its own run; two equal answers differ in it.
_MEASUREMENTS = frozenset({"durationMs", "duration_ms", "durationSeconds", "duration_seconds", "totalDurationMs"})


def of_arguments(arguments: object, *, is_command: bool = False) -> str:
    """Return the hash of the full arguments, whatever the order of their keys; comments in them left out.

    A shell command's `description` is such a comment; in other tools the same word may be the content.
    """
    if isinstance(arguments, dict):
        comments = _COMMENTS_ON_COMMANDS if is_command else _COMMENTS
        arguments = {key: value for key, value in arguments.items() if key not in comments}
    return _digest(_canonical(arguments))


def of_result(result: object) -> tuple[str, int]:
    """Return the hash of a result and its size in characters; an absent or empty result has the hash ""."""
    if isinstance(result, dict):
        result = without_measurements(result)
    if result in (None, "", [], {}):
        return "", 0
    text = result if isinstance(result, str) else _canonical(result)
    return _digest(text), len(text)


def without_measurements(result: dict[str, object]) -> dict[str, object]:
    """Return `result` without what the tool reports about its own run."""
    return {key: value for key, value in result.items() if key not in _MEASUREMENTS}


def _canonical(value: object) -> str:
    # ASCII escapes carry lone surrogates through, which UTF-8 would refuse.
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)


def _digest(text: str) -> str:
    return digest(text.encode("utf-8", "surrogatepass"), 16)

"""Reads which host an alias of ssh means: `HostName` in `~/.ssh/config` and `/etc/ssh/ssh_config`."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_BYTES = 1 << 20
_MAX_DEPTH = 16  # of includes, as in ssh
_SYSTEM = "/etc/ssh/ssh_config"


def host_name(alias: str) -> str:
    """Return the first `HostName` that ssh's files give for `alias`, else `alias` itself."""
    user = os.path.join(os.path.expanduser("~"), ".ssh", "config")
    for path in (user, _SYSTEM):
        for name in _names(path, alias, 0):
            return name.replace("%%", "\0").replace("%h", alias).replace("\0", "%")
    return alias


def _names(path: str, alias: str, depth: int) -> Iterator[str]:
    """Yield the values of `HostName` that count for `alias` in the file at `path`."""
    counts = True  # what comes before the first `Host` counts for every host
    for keyword, words in _lines(path):
        if keyword == "host":
            counts = _is_listed(alias, words)
        elif keyword == "match":
            counts = _is_matched(alias, words)
        elif not counts or not words:
            continue
        elif keyword == "hostname":
            yield words[0]
        elif keyword == "include" and depth < _MAX_DEPTH:
            for included in _included(path, words):
                yield from _names(included, alias, depth + 1)


def _lines(path: str) -> Iterator[tuple[str, list[str]]]:
    try:
        with open(path, "rb") as file:
            text = os.fsdecode(file.read(_MAX_BYTES))
    except (OSError, ValueError):  # most people have none
        return
    for line in text.splitlines():
        words = line.replace("=", " ", 1).replace('"', " ").split()
        if words and not words[0].startswith("#"):
            yield words[0].lower(), words[1:]


def _is_listed(alias: str, patterns: list[str]) -> bool:
    """Return whether a list of patterns holds the alias; one with `!` that does excludes it."""
    from fnmatch import fnmatchcase

    matches = [pattern for pattern in patterns if fnmatchcase(alias.lower(), pattern.lower().removeprefix("!"))]
    return bool(matches) and not any(pattern.startswith("!") for pattern in matches)


def _is_matched(alias: str, words: list[str]) -> bool:
    """Return whether `Match` with these words counts: `all`, or a list of hosts; other conditions are not decided."""
    if [word.lower() for word in words] == ["all"]:
        return True
    return len(words) == 2 and words[0].lower() in ("host", "originalhost") and _is_listed(alias, words[1].split(","))


def _included(path: str, patterns: list[str]) -> list[str]:
    from glob import glob

    folder = os.path.dirname(path)
    return [name for pattern in patterns for name in sorted(glob(os.path.join(folder, os.path.expanduser(pattern))))]

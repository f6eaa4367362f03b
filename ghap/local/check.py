"""Decides whether a command that an agent ran is the check of its GHAP entry, and what its exit status means for it.

Two commands are the same run when they differ in white space and quoting, in the folder they change into first, in
environment variables, in how the program is found (`.venv/bin/pytest`, `python -m pytest`, `uv run pytest`), in where
the output goes, or in how much pytest prints. Another selection of tests is another run.

A shell gives one status for all that it ran, so the commands around the check decide what that status
means: in `pytest x | tail` it is the last program's, in `make && pytest x` a failure may come from either.
"""

from __future__ import annotations

import re

from memoryserver.common import shell

CONFIRMED, FALSIFIED, UNKNOWN = "confirmed", "falsified", "unknown"

_SETUP = frozenset({"cd", "pushd", "export", "source", ".", "set", "ulimit", "unset"})
_QUIET = re.compile(
    r"-[qvsxl]+|-r[a-zA-Z]+|--(?:tb|color|durations|verbosity)=\S+|--no-header|--no-summary|--exitfirst"
)
_NOT_RUN = frozenset({124, 125, 126, 127})  # timed out, could not be started, not found
_PYTEST_NOT_RUN = frozenset({2, 3, 4, 5})  # interrupted, internal error, wrong usage, no tests

_Part = tuple[str, tuple[str, ...]]  # the separator before a simple command, and its words


def verdict(check: str, command: str, status: int | None, printed: str = "") -> str | None:
    """Return CONFIRMED or FALSIFIED if `command` ran `check` and its exit status is the result of the check.

    UNKNOWN if it ran the check but `status` does not show the result (None: the status is unknown), None if it
    ran something else. `printed` is the output.
    """
    shows = _match(_parts(check), _parts(command))
    if shows is None:
        return None
    shows_success, shows_failure = shows
    if status == 0:
        return CONFIRMED if shows_success else UNKNOWN
    if status is None or not shows_failure or status in _NOT_RUN or status >= 128:
        return UNKNOWN
    if re.search(r"\bcd:.*no such file", printed[:400], re.IGNORECASE):  # the check did not start
        return UNKNOWN
    is_pytest = any(words[:1] == ("pytest",) for _, words in _parts(check))
    return UNKNOWN if is_pytest and status in _PYTEST_NOT_RUN else FALSIFIED


def _match(check: list[_Part], command: list[_Part]) -> tuple[bool, bool] | None:
    """Return whether the command's success and its failure are the check's; None where the check is not in it."""
    if not check:
        return None
    pipefail = any(words[:1] == ("set",) and "pipefail" in words for _, words in command)
    check, command = _without_setup(check), _without_setup(command)
    check_words = [words for _, words in check]
    separators = [separator for separator, _ in check[1:]]
    for start in range(len(command) - len(check) + 1):
        part = command[start : start + len(check)]
        if [words for _, words in part] != check_words or [separator for separator, _ in part[1:]] != separators:
            continue
        before = command[start][0] if start else ""
        return _shown(before, [separator for separator, _ in command[start + len(check) :]], pipefail)
    return None


def _shown(before: str, after: list[str], pipefail: bool) -> tuple[bool, bool]:
    """Return whether success and failure of the whole are the check's, given the separators around it."""
    if before == "||" or any(separator not in ("&&", "|", "|&") for separator in after):
        return False, False
    piped = any(separator != "&&" for separator in after)
    if piped and not pipefail:
        return False, False
    return True, before != "&&" and not after


def _without_setup(parts: list[_Part]) -> list[_Part]:
    while len(parts) > 1 and parts[0][1][:1] and parts[0][1][0] in _SETUP and parts[1][0] in ("&&", ";"):
        parts = [("", parts[1][1]), *parts[2:]]
    return parts


def _parts(command: str, depth: int = 0) -> list[_Part]:
    """Return the simple commands in `command`; none if it cannot be read as a list of them."""
    script = shell.read(command)
    if not script.is_complete or script.is_grouped:
        return []
    inner = shell.inner_command(script.parts[0].words) if len(script.parts) == 1 and depth == 0 else ""
    if inner:
        return _parts(inner, 1)
    parts = [(part.before, _compared(shell.program_words(part.words))) for part in script.parts]
    return [*parts, ("&", ("&",))] if script.end == "&" else parts


def _compared(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a simple command for comparison, without the options that only change how pytest prints."""
    if words[:1] not in (("pytest",), ("py.test",)):
        return words
    return ("pytest", *(word for word in words[1:] if not _QUIET.fullmatch(word)))

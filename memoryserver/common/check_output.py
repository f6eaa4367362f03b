"""Reads what a check printed: the line that says what went wrong, and whether the check itself crashed."""

from __future__ import annotations

import re

from memoryserver.common import shell, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_REASON = 300  # characters
_MAX_READ = 200_000
_CRASHES = frozenset(
    {
        *("NameError", "ImportError", "ModuleNotFoundError", "SyntaxError", "IndentationError", "TabError"),
        "ReferenceError",  # JavaScript's NameError
    }
)
_PYTEST_ERROR = re.compile(r"^E +(?!\[ *\d+%\]$)(\S.*)$")  # and not the progress of a run
_PYTEST_SUMMARY = re.compile(r"^(?:FAILED|ERROR) \S+.*? - (\S.*)$")
_PYTEST_TOTAL = re.compile(r"^=* ?((?:\d+ [a-z]+(?:, )?)+ in [\d.:]+ ?s)")
_EXCEPTION = re.compile(r"^ *(?:Uncaught )?((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt))\b")
_NAMES_ERROR = re.compile(
    r"\b(?:errors?|fail(?:s|ed|ure)?|exception|fatal|panic|panicked|cannot|denied)\b", re.IGNORECASE
)
_DECORATION = re.compile(r"^[\W_]*(?:FAILURES|ERRORS|short test summary info)?[\W_]*$")
# What is printed where tests could not be run at all: by the tool that should have run or compiled them.
_NOT_RUN = re.compile(
    r"\[build failed\]|\[setup failed\]|error: could not compile|Test suite failed to run|Cannot find module|"
    r"command not found|No rule to make target|[Mm]issing script|fixture '[^']*' not found|"
    r"ImportError while importing test module|errors? during collection"
)
_RAN_AND_FAILED = re.compile(r"^\s*--- FAIL: |^Tests: +\d+ failed|^\s*● .+ › |\b[1-9]\d* failed\b")
_COMPILERS = frozenset({"mypy", "tsc", "pyright", "compileall", "py_compile"})
_BUILD_TOOLS = frozenset({"cargo", "go", "dotnet", "swift", "zig", "cmake"})
_BUILDS = frozenset({"build", "--build", "check", "vet", "clippy"})


def reason(printed: str) -> str:
    """Return the line of the output of a check that failed which says what went wrong, "" where none does.

    Of pytest it is the error of the first test that failed, and how many did; of other programs the first line that
    names an error, else the last one. At most 300 characters.
    """
    lines = _lines(printed)
    errors = [match[1] for line in lines if (match := _PYTEST_ERROR.match(line))]
    errors = errors or [match[1] for line in lines if (match := _PYTEST_SUMMARY.match(line))]
    totals = [match[1] for line in lines if (match := _PYTEST_TOTAL.match(line))]
    if errors:
        return _shown(errors[0] + (f" ({totals[-1]})" if totals else ""))
    telling = [line for line in lines if not _DECORATION.match(line)]
    found = next((line for line in telling if _EXCEPTION.match(line)), "") or "".join(totals[-1:])
    return _shown(found or next(filter(_NAMES_ERROR.search, telling), "") or "".join(telling[-1:]))


def crash(check: str, printed: str) -> str:
    """Return the line which says that the check itself crashed, "" where it ran.

    It crashed if all errors in its output say that its code could not be run (a name or a module that is missing, a
    syntax error), or that the tests could not be compiled, collected or found.
    """
    if _compiles(check):  # then such an error is the result
        return ""
    lines = _lines(printed)
    errors = list(_errors(lines))
    if errors:
        is_crash = all(name in _CRASHES or _NOT_RUN.search(line) for name, line in errors)
        return _shown(errors[0][1]) if is_crash else ""
    if any(map(_RAN_AND_FAILED.search, lines)):
        return ""
    return _shown(next(filter(_NOT_RUN.search, lines), ""))


def _errors(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the errors in the output of a run: the name of the exception, "" where it has none, and the line."""
    in_group = False
    is_pytest = any(_PYTEST_ERROR.match(line) for line in lines)
    for line in lines:
        match = _PYTEST_ERROR.match(line)
        if match and not in_group:  # the lines after the first one explain it
            yield _name(match[1]), match[1]
        elif not is_pytest and (match := _PYTEST_SUMMARY.match(line) or _EXCEPTION.match(line)):
            found = match[1] if line.startswith(("FAILED", "ERROR")) else line.strip()
            yield _name(found), found
        in_group = bool(_PYTEST_ERROR.match(line))


def _name(error: str) -> str:
    match = _EXCEPTION.match(error)
    return match[1].rpartition(".")[2] if match else ""


def _compiles(check: str) -> bool:
    """Return whether `check` compiles or checks types and runs nothing."""
    programs = [shell.program_words(part.words) for part in shell.parts(check)]
    return any(
        words[0] in _COMPILERS or (words[0] in _BUILD_TOOLS and not _BUILDS.isdisjoint(words[1:3]))
        for words in filter(None, programs)
    )


def _lines(printed: str) -> list[str]:
    return [line.rstrip() for line in text.printable(printed[-_MAX_READ:]).split("\n") if line.strip()]


def _shown(line: str) -> str:
    return text.shorten(text.one_line(line.strip()), MAX_REASON)

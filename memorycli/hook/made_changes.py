"""Decides whether a tool call changed something, so that the check of an entry can show what came of it."""

from __future__ import annotations

from memoryserver.common import shell, shell_purpose, test_paths
from trajectory.local.calls import summary
from trajectory.local.outcome import NEUTRAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from memoryserver.common.shell_reader import Part
    from trajectory.local.calls.parse import ToolCall

NOTHING, TESTS, MORE = "nothing", "tests", "more"

_INSPECTORS = frozenset(
    {"black", "ruff", "eslint", "flake8", "pylint", "shellcheck", "bandit", "coverage", "gh", "time"}
)
_PACKAGE_TOOLS = frozenset({"pip", "pip3", "npm", "pnpm", "yarn", "uv", "cargo", "go", "gem", "brew", "poetry"})
_RUNS = frozenset({"run", "exec", "x"})
_SENDS = ("-X", "-d", "-F", "-o", "-O", "-T", "--request", "--data", "--form", "--output", "--json", "--upload-file")
_TEST_TARGETS = ("test", "check", "lint", "spec", "verify")
# What a short script in a command has in it if it changes something.
_CHANGING_CODE = (
    *(
        "write",
        "open(",
        "unlink",
        "remove",
        "rename",
        "replace(",
        "copy",
        "mkdir",
        "rmtree",
        "save",
        "dump(",
        "execute",
    ),
    *("commit", "subprocess", "system(", "spawn", "delete", "post(", "put(", "patch("),
)


def of_call(call: ToolCall, check: str, project: Path) -> str:
    """Return NOTHING, TESTS for a call that wrote files of tests alone, or MORE for any other change.

    An edit that succeeded is a change, and so is a command that may have been one: not one that only looks, waits or
    runs tests, nor the entry's `check` or a command of the memory. Failed commands may have changed something too.
    """
    if call.outcome in NEUTRAL:
        return NOTHING
    if call.command:
        return MORE if _command_changes(call.command, check) else NOTHING
    if summary.kind_of(call.tool_name, call.arguments) != summary.WRITE or call.error is not None:
        return NOTHING
    paths = summary.paths_of(call.arguments, call.cwd, str(project))
    return TESTS if paths and all(map(test_paths.is_test, paths)) else MORE


def _command_changes(command: str, check: str) -> bool:
    own = {_words(part) for part in shell.parts(check)}
    if any(part.writes and not part.words for part in shell.read(command).parts):  # `> file`
        return True
    return any(_words(part) not in own and _part_changes(part, command) for part in shell.parts(command))


def _part_changes(part: Part, command: str) -> bool:
    words, text = _words(part), part.text
    if not words or words[0] == "memory":
        return False
    is_test = shell_purpose.runs_tests_or_build(text)
    if is_test and any(target in word for word in words for target in _TEST_TARGETS):
        return False  # its output may go into a file
    if part.writes or shell_purpose.changes(text):
        return "--check" not in words and not (words[0] == "tee" and shell_purpose.runs_tests_or_build(command))
    if is_test or shell_purpose.only_looks(text) or shell_purpose.waits(text):
        return False
    return _is_unknown_change(words, command)


def _is_unknown_change(words: tuple[str, ...], command: str) -> bool:
    """Return whether a program that no table has may have changed something; most may, some only ask."""
    name = words[0]
    if name in _INSPECTORS:
        return False
    if name in _PACKAGE_TOOLS:
        return shell_purpose.verb_of(words) in _RUNS
    if name in ("curl", "wget", "http"):
        return any(word.startswith(_SENDS) for word in words[1:])
    is_script = (shell.is_python(name) and words[1:2] in ((), ("-",), ("-c",))) or words[1:2] == ("-e",)
    return not is_script or any(code in command for code in _CHANGING_CODE)


def _words(part: Part) -> tuple[str, ...]:
    return shell.program_words(shell.without_keywords(part.words))

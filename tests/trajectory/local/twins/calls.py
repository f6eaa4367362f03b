"""Tool calls as short words, for the runs of the pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Call = dict[str, Any]


def bash(command: str, output: str = "", *, error: str = "", **more: Any) -> Call:
    """A shell command; with `error` it failed."""
    return {"tool_name": "Bash", "tool_input": {"command": command}, "result": output, "error": error} | more


def read(path: str, content: str = "", **more: Any) -> Call:
    """A file read whole, or a part of it by `more`'s tool_input."""
    return {"tool_name": "Read", "tool_input": {"file_path": path}, "result": content or f"content of {path}"} | more


def page(path: str, offset: int) -> Call:
    """Forty lines of a file."""
    given = {"file_path": path, "offset": offset, "limit": 40}
    return {"tool_name": "Read", "tool_input": given, "result": f"lines {offset} to {offset + 40}"}


def edit(path: str, old: str, new: str, **more: Any) -> Call:
    """One text put in place of another."""
    given = {"file_path": path, "old_string": old, "new_string": new}
    return {"tool_name": "Edit", "tool_input": given, "result": f"The file {path} has been updated."} | more


def write(path: str, content: str) -> Call:
    """A whole file written."""
    return {
        "tool_name": "Write",
        "tool_input": {"file_path": path, "content": content},
        "result": f"File created: {path}",
    }


def grep(pattern: str, output: str) -> Call:
    """A search."""
    return {"tool_name": "Grep", "tool_input": {"pattern": pattern}, "result": output}


def tool(name: str, given: object, result: object = "", *, error: str = "", **more: Any) -> Call:
    """Any other tool."""
    return {"tool_name": name, "tool_input": given, "result": result, "error": error} | more


def edits(n: int, path: str = "src/a.py") -> list[Call]:
    """`n` edits that go on from each other."""
    return [edit(path, f"v{k}", f"v{k + 1}") for k in range(n)]


def woven(*runs: Sequence[Call]) -> list[Call]:
    """The first of each run, the second of each run, and so on."""
    return [call for calls in zip(*runs, strict=True) for call in calls]


def bad(n: int) -> Call:
    """A command of its own that fails with an error of its own."""
    return bash(f"./t{n}", error=f"Exit code 2\nbad {'y' * n}")


def red(*failing: str, note: str = "") -> Call:
    """A run of pytest in which the tests of these names fail."""
    return bash("pytest", error=f"Exit code 1\n{note}\n{pytest_says(len(failing), *failing)}")


def pytest_says(failed: int, *names: str, took: str = "0.12s") -> str:
    """What pytest prints at the end."""
    told = "".join(f"FAILED tests/test_a.py::{name} - assert 1 == 2\n" for name in names)
    passed = "9 passed" if not failed else f"{failed} failed, 9 passed"
    return f"{told}==== {passed} in {took} ====" if failed else f"==== {passed} in {took} ===="


TRACEBACK = 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\nValueError: no heading'
NO_FILE = "Exit code 1\nFileNotFoundError: [Errno 2] No such file or directory: 'data/in.csv'"
UNREAD = "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>"
REJECTED = "The user doesn't want to proceed with this tool use. The tool use was rejected."
DENIED = "Claude requested permissions to use WebFetch, but you haven't granted it yet."
OVERLOADED = "API Error: 529 overloaded_error: Overloaded"
LISTING = "src/a.py:3: def run():\nsrc/b.py:9: run()"
STILL = "still running"

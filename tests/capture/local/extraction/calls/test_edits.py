"""What an edit changes."""

from __future__ import annotations

from typing import Any

import pytest

from capture.local.extraction.calls.edits import changed_texts, new_line
from capture.local.transcripts.messages import ToolUse

PATCH = "*** Begin Patch\n*** Update File: a.py\n-x = 1\n+x = 2\n*** End Patch"


@pytest.mark.parametrize(
    ("name", "tool_input", "texts"),
    [
        ("Edit", {"old_string": "x = 1", "new_string": "x = 2"}, ("x = 1", "x = 2")),
        (
            "MultiEdit",
            {"edits": [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d"}, 7]},
            ("a\nc", "b\nd"),
        ),
        ("apply_patch", {"input": PATCH}, ("x = 1", "x = 2")),
        ("apply_patch", PATCH, ("x = 1", "x = 2")),
        ("Write", {"content": "x"}, ("", "")),
        ("Edit", {"old_string": 1}, ("", "")),
        ("Edit", None, ("", "")),
        ("Bash", {"old_string": "a", "new_string": "b"}, ("", "")),
    ],
    ids=["edit", "several edits", "patch", "patch as text", "new file", "malformed", "no input", "no edit"],
)
def test_changed_texts_are_those_of_the_input(name: str, tool_input: Any, texts: tuple[str, str]) -> None:
    assert changed_texts(ToolUse("c", name, "", (), tool_input)) == texts


@pytest.mark.parametrize(
    ("old", "new", "names", "line"),
    [
        ("a()\ncmd = exec.Command(x)\nb()", "a()\ncmd = exec.Safe(x)\nb()", ["exec.Command"], "cmd = exec.Safe(x)"),
        ("one = call(1)\ntwo = call(2)", "one = call(1, a)\ntwo = call(2, b)", ["two"], "two = call(2, b)"),
        ("x = call(1)", "x = call(2)", ["other"], ""),
        ("x = call(1)", "completely(different)", [], ""),
        ("x = call(1)", "x = call(1)", [], ""),
        ("", "x = 1", [], ""),
    ],
    ids=["by name", "by another name", "name not replaced", "nothing alike", "nothing changed", "nothing replaced"],
)
def test_new_line_is_the_one_most_like_the_line_it_replaces(old: str, new: str, names: list[str], line: str) -> None:
    assert new_line(old, new, names) == line

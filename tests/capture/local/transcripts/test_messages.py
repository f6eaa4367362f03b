"""The messages that every transcript is read as."""

from __future__ import annotations

import json
from typing import Any

import pytest

from capture.local.transcripts.messages import Counts, Kind, Message, Role, ToolUse

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


def test_command_of_a_call_is_without_its_secrets_and_bounded() -> None:
    use = ToolUse("1", "Bash", None, raw_command=f"export T={TOKEN}; " + "x" * 3000)
    assert use.command.startswith("export T=[redacted:github-token]; x")
    assert (len(use.command), TOKEN in use.raw_command) == (2000, True)


def test_given_command_is_the_raw_one_as_well() -> None:
    use = ToolUse("1", "Bash", "make")
    assert (use.command, use.raw_command) == ("make", "make")


def test_call_comes_back_from_json_without_its_input() -> None:
    use = ToolUse("1", "Edit", "", ("a.py", "b.py"), {"file_path": "a.py"})
    again = ToolUse.from_dict(json.loads(json.dumps(use.to_dict())))
    assert (again, again.tool_input) == (use, None)
    assert use.to_dict() == {"id": "1", "name": "Edit", "command": "", "files": ["a.py", "b.py"]}


def test_calls_differ_by_id_name_command_and_files() -> None:
    use = ToolUse("1", "Bash", "make", ("a",))
    others = [
        ToolUse("2", "Bash", "make", ("a",)),
        ToolUse("1", "Sh", "make", ("a",)),
        ToolUse("1", "Bash", "x", ("a",)),
    ]
    assert [use == other for other in [*others, ToolUse("1", "Bash", "make"), "1"]] == [False] * 5


@pytest.mark.parametrize("row", [{}, {"id": "1", "name": "Bash", "command": "x"}, {"files": 3, "id": 1, "name": 2}])
def test_damaged_call_is_refused(row: dict[str, Any]) -> None:
    with pytest.raises((KeyError, TypeError)):
        ToolUse.from_dict(row)


def test_repr_of_a_call_shows_no_secret() -> None:
    assert TOKEN not in repr(ToolUse("1", "Bash", None, tool_input={"command": TOKEN}, raw_command=TOKEN))


def test_message_has_its_defaults() -> None:
    message = Message(1, Role.AGENT, Kind.WORDS)
    assert (message.uses, message.results, message.text, message.start, message.end) == ((), (), "", 0, 0)


def test_unknown_records_are_counted_by_type_up_to_a_hundred_types() -> None:
    counts = Counts()
    for name in [*[f"kind {n}" for n in range(100)], "late", "later", "kind 1", "x" * 100]:
        counts.add_unknown(name)
    assert (counts.unknown["kind 1"], counts.unknown["other"], len(counts.unknown)) == (2, 3, 101)


def test_name_of_an_unknown_type_is_bounded() -> None:
    counts = Counts()
    counts.add_unknown("x" * 100)
    assert counts.unknown == {"x" * 60: 1}

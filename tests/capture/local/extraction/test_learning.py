"""A learning, as it is written to a queue file."""

from __future__ import annotations

from capture.local.extraction.learning import ADDED_TYPES, LEARNING_TYPES, PATTERN_TYPES, Learning


def test_learning_is_written_with_the_time_of_its_message() -> None:
    learning = Learning("solution", "It works.", 0.9, 3, "u1", ("says why",), ("a.py",), ("Edit",), "2026-01-15")
    assert learning.to_dict() == {
        "type": "solution",
        "content": "It works.",
        "confidence": 0.9,
        "source_message_index": 3,
        "source_message_uuid": "u1",
        "reasons": ["says why"],
        "files": ["a.py"],
        "tools": ["Edit"],
        "source": "stated",
        "time": "2026-01-15",
    }


def test_learning_names_no_files_and_tools_by_default() -> None:
    row = Learning("test", "Tests run.", 0.8, 1).to_dict()
    assert (row["reasons"], row["files"], row["tools"], row["source_message_uuid"]) == ([], [], [], "")
    assert "time" not in row


def test_types_are_unique() -> None:
    assert LEARNING_TYPES == PATTERN_TYPES + ADDED_TYPES
    assert len(set(LEARNING_TYPES)) == 17

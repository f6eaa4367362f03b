"""The sections that apps register."""

from __future__ import annotations

from memoryserver.operations.sections import all_sections


def test_capture_has_a_section() -> None:
    assert [section.name for section in all_sections()] == ["capture"]

"""The active entry and the notes of hooks, read without the entry's classes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ghap.local import Journal, active
from ghap.local.active import Active, Notes
from tests.support.laptops.journals import create, run


def loaded(folder: Path) -> Active:
    entry = active.load(folder)
    assert entry is not None
    return entry


def test_active_entry_is_read_without_its_classes(tmp_path: Path) -> None:
    assert active.load(tmp_path) is None
    entry = run(tmp_path, lambda journal: create(journal, check="c"))
    read = loaded(tmp_path)
    assert (read.id, read.session_id, read.check, read.iteration) == (entry.id, entry.session_id, "c", 1)
    assert read.lines("goal", "nothing", "check") == ["Goal: g", "Check: c"]


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", b"{}", b'{"id": ""}', b'{"id": 1}'])
def test_damaged_or_nameless_entry_is_none(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "current_ghap.json").write_bytes(content)
    entry = active.load(tmp_path)
    assert entry is None or entry.id == ""
    assert (tmp_path / "current_ghap.json").read_bytes() == content


def test_fields_of_the_wrong_type_have_their_defaults() -> None:
    fields: dict[str, Any] = {"id": "ghap_1", "session_id": 2, "check": ["make"], "iteration_count": "3", "goal": None}
    entry = Active(fields)
    assert (entry.id, entry.session_id, entry.check, entry.iteration) == ("ghap_1", "", "", 1)
    assert entry.lines("goal") == []


def test_text_is_shown_on_one_bounded_line_that_cannot_end_a_tag() -> None:
    entry = Active({"id": "ghap_1", "goal": "a\nb</memory>\x1b[2J" + "x" * 2000})
    shown = entry.shown("goal")
    assert "\n" not in shown
    assert "<" not in shown
    assert "\x1b" not in shown
    assert len(shown) <= 300


def test_notes_are_of_one_entry(tmp_path: Path) -> None:
    run(tmp_path, create)
    entry = loaded(tmp_path)
    notes = active.notes(tmp_path, entry)
    assert (notes.is_new, notes.agent_id, notes.asked) == (True, "", 0)
    notes.agent_id, notes.agent_session, notes.asked = "a1", "s1", 2
    active.save_notes(tmp_path, notes)
    again = active.notes(tmp_path, entry)
    assert (again.is_new, again.agent_id, again.agent_session, again.asked) == (False, "a1", "s1", 2)
    Journal(tmp_path).abandon_ghap("x")
    run(tmp_path, create)
    assert active.notes(tmp_path, loaded(tmp_path)).is_new


def test_damaged_notes_are_none(tmp_path: Path) -> None:
    entry = Active({"id": "ghap_1"})
    active.save_notes(tmp_path, Notes("ghap_1", asked=3))
    assert active.notes(tmp_path, entry).asked == 3
    (tmp_path / ".hook.json").write_text('{"entry": "ghap_1", "asked": "3", "session": 1}')
    assert (active.notes(tmp_path, entry).asked, active.notes(tmp_path, entry).agent_session) == (0, "")
    (tmp_path / ".hook.json").write_text("{")
    assert active.notes(tmp_path, entry).is_new

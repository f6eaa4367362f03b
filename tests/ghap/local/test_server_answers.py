from __future__ import annotations

from pathlib import Path

import pytest

from ghap.local import server_answers
from ghap.local.layout import SYNC_STATE
from ghap.local.server_answers import ServerAnswers


def load(folder: Path, server: str = "http://x") -> ServerAnswers:
    return ServerAnswers.load(folder, server=server, project="p")


def test_confirmed_and_refused_entries_are_not_wanted_until_they_change(tmp_path: Path) -> None:
    state = load(tmp_path)
    state.confirm("a", "1")
    state.refuse("b", "1", "no goal")
    state.save()
    again = load(tmp_path)

    assert [again.wants(entry_id, "1", retry=False) for entry_id in ("a", "b", "c")] == [False, False, True]
    assert [again.wants(entry_id, "1", retry=True) for entry_id in ("a", "b")] == [False, True]
    assert [again.wants(entry_id, "2", retry=False) for entry_id in ("a", "b")] == [True, True]


def test_entry_is_either_confirmed_or_refused(tmp_path: Path) -> None:
    state = load(tmp_path)
    state.refuse("a", "1", "no goal")
    state.confirm("a", "1")
    assert (state.reasons(), state.confirmed) == ({}, {"a": "1"})
    state.refuse("a", "2", "no goal\n  at all")
    assert (state.reasons(), state.confirmed) == ({"a": "no goal at all"}, {})


def test_state_of_another_server_is_not_used(tmp_path: Path) -> None:
    state = load(tmp_path)
    state.confirm("a", "1")
    state.save()

    assert load(tmp_path, "http://y").confirmed == {}
    assert load(tmp_path).confirmed == {"a": "1"}


def test_refused_entries_are_read_without_naming_a_server(tmp_path: Path) -> None:
    assert server_answers.refused(tmp_path) == {}
    state = load(tmp_path)
    state.refuse("a", "1", "no goal")
    state.save()

    assert server_answers.refused(tmp_path) == {"a": "no goal"}


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"refused": []}', '{"refused": {"a": "b"}}', '{"refused": {"a": 1}}']
)
def test_damaged_state_is_left_alone_when_it_is_only_read(tmp_path: Path, content: str) -> None:
    (tmp_path / SYNC_STATE).write_text(content)

    assert server_answers.refused(tmp_path) == {}
    assert (tmp_path / SYNC_STATE).read_text() == content

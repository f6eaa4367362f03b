from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from ghap.intake import receive
from ghap.models import Entry
from memoryserver.accounts.models import User
from memoryserver.accounts.transfer import service
from tests.support.rows.ghap_entries import body


def load(*words: object) -> str:
    out = StringIO()
    call_command("import_data", *map(str, words), stdout=out)
    return out.getvalue()


@pytest.fixture
def file(alice: User, tmp_path: Path) -> Path:
    """Alice's one entry."""
    receive(alice, None, [body()])
    path = tmp_path / "alice.jsonl"
    path.write_text("".join(line for line in service.export(alice) if "obslog" not in line))
    return path


def test_file_is_stored_once(charlie: User, file: Path) -> None:
    assert load("charlie", file) == "1 stored, 0 unchanged, 0 refused\n"
    assert load("charlie", file) == "0 stored, 1 unchanged, 0 refused\n"
    assert Entry.objects.filter(user=charlie).count() == 1


def test_author_is_kept_if_asked(charlie: User, file: Path) -> None:
    assert load("charlie", file, "--keep-authors") == "0 stored, 1 unchanged, 0 refused\n"
    assert Entry.objects.filter(user=charlie).count() == 0


def test_what_cannot_be_imported_is_said(charlie: User, file: Path, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="there is no active user 'robot'"):
        load("robot", file)
    with pytest.raises(CommandError, match="No such file"):
        load("charlie", tmp_path / "none")
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(CommandError, match="alice.jsonl is not a text in UTF-8; use a file of export_data"):
        load("charlie", file)
    file.write_text('{"format": "memoryserver-data", "version": 1}\n{"kind": "x", "data": {}}\n')
    with pytest.raises(CommandError, match="line 2: unknown kind 'x'"):
        load("charlie", file)

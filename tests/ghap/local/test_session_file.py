"""The file of the open session."""

from __future__ import annotations

from pathlib import Path

import pytest

from ghap.local import session_file
from ghap.local.layout import DamagedError

SESSION = "session_20251203_140000_x7y8z9"


def test_written_session_is_read_until_it_is_removed(tmp_path: Path) -> None:
    assert session_file.read(tmp_path) is session_file.load(tmp_path) is None
    session_file.write(tmp_path, SESSION)
    assert session_file.read(tmp_path) == session_file.load(tmp_path) == SESSION
    session_file.remove(tmp_path)
    session_file.remove(tmp_path)
    assert session_file.read(tmp_path) is None


def test_line_break_after_the_id_is_allowed(tmp_path: Path) -> None:
    (tmp_path / ".session_id").write_text(f"{SESSION}\r\n")
    assert session_file.read(tmp_path) == SESSION


@pytest.mark.parametrize("content", ["", "x", f"{SESSION}\n{SESSION}", f"../{SESSION}"])
def test_damaged_file_is_refused_by_read_and_set_aside_by_load(content: str, tmp_path: Path) -> None:
    (tmp_path / ".session_id").write_text(content)
    with pytest.raises(DamagedError, match="not a session id"):
        session_file.read(tmp_path)
    assert session_file.load(tmp_path) is None
    (backup,) = tmp_path.iterdir()
    assert backup.read_text() == content


def test_folder_in_place_of_the_file_is_set_aside_by_write(tmp_path: Path) -> None:
    (tmp_path / ".session_id").mkdir()
    session_file.write(tmp_path, SESSION)
    assert session_file.read(tmp_path) == SESSION

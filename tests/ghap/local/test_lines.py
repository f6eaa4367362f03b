"""The lines of JSONL files of entries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ghap.local.lines import Line, last_id, latest, read_lines
from tests.ghap.local.samples import body


def entry_line(entry_id: str, **changes: object) -> bytes:
    return json.dumps(body(id=entry_id, **changes)).encode()


def write(path: Path, *lines: bytes) -> Path:
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def ids(lines: list[Line]) -> list[str | None]:
    return [line.entry.id if line.entry else None for line in lines]


def test_each_line_is_parsed_separately_and_blank_ones_are_skipped(tmp_path: Path) -> None:
    lines = read_lines(write(tmp_path / "f", entry_line("ghap_1"), b"{", b" ", entry_line("ghap_2")))
    assert ids(lines) == ["ghap_1", None, "ghap_2"]
    assert (lines[1].raw, lines[1].fault[:13]) == (b"{", "invalid JSON:")


def test_missing_file_and_folder_have_no_lines_and_no_last_id(tmp_path: Path) -> None:
    for path in (tmp_path / "missing", tmp_path, tmp_path / "missing" / "below"):
        assert last_id(path) is None
    assert read_lines(tmp_path / "missing") == read_lines(tmp_path) == []


def test_latest_has_the_last_line_of_each_entry_and_every_unreadable_one(tmp_path: Path) -> None:
    path = write(
        tmp_path / "f", entry_line("ghap_1"), b"{", entry_line("ghap_2"), entry_line("ghap_1", surprise="s"), b"{"
    )
    lines = latest(read_lines(path))
    assert [(line.entry.id, line.entry.surprise) if line.entry else None for line in lines] == [
        ("ghap_1", "s"), None, ("ghap_2", None), None,
    ]  # fmt: skip


@pytest.mark.parametrize("size", [0, 16_000, 17_000, 70_000, 300_000])
def test_last_id_is_found_however_long_the_last_lines_are(size: int, tmp_path: Path) -> None:
    path = write(tmp_path / "f", entry_line("ghap_1", x="a" * size), entry_line("ghap_2", x="a" * size))
    assert last_id(path) == "ghap_2"
    assert last_id(write(tmp_path / "g", entry_line("ghap_1", x="a" * size))) == "ghap_1"


def test_unreadable_last_line_and_empty_file_have_no_last_id(tmp_path: Path) -> None:
    assert last_id(write(tmp_path / "f", entry_line("ghap_1"), b"{")) is None
    assert last_id(write(tmp_path / "g")) is None

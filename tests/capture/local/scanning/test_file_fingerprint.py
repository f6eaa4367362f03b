"""Whether a transcript has only grown since it was read."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from capture.local.scanning.file_fingerprint import Change, Fingerprint, compare, compute, stat_of

CONTENT = b"".join(b'{"line": %d}\n' % n for n in range(5000))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    path.write_bytes(CONTENT)
    return path


def fingerprint(path: Path, offset: int = len(CONTENT)) -> Fingerprint:
    with path.open("rb") as file:
        return compute(file, offset, None, 0, stat_of(path.stat()))


def change(path: Path, before: Fingerprint, offset: int = len(CONTENT)) -> Change:
    with path.open("rb") as file:
        return compare(file, offset, before, stat_of(path.stat()))


def test_untouched_file_has_not_changed(path: Path) -> None:
    assert change(path, fingerprint(path)) == Change.NONE


def test_file_that_was_appended_to_has_grown(path: Path) -> None:
    before = fingerprint(path)
    with path.open("ab") as file:
        file.write(b"more\n")
    assert change(path, before) == Change.GROWN


def test_file_that_was_touched_or_copied_holds_all_that_was_read(path: Path, tmp_path: Path) -> None:
    before = fingerprint(path)
    os.utime(path, ns=(1, 1))
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(CONTENT)
    assert (change(path, before), change(copy, before)) == (Change.GROWN, Change.GROWN)


@pytest.mark.parametrize("place", [0, 30_000, len(CONTENT) - 1])
def test_byte_that_was_changed_in_place_is_a_rewrite(path: Path, place: int) -> None:
    before = fingerprint(path)
    path.write_bytes(CONTENT[:place] + b"#" + CONTENT[place + 1 :])
    os.utime(path, ns=(1, 1))
    assert change(path, before) == Change.REWRITTEN


def test_file_that_grew_with_another_beginning_or_got_shorter_is_a_rewrite(path: Path) -> None:
    before = fingerprint(path)
    path.write_bytes(b"#" + CONTENT)
    assert change(path, before) == Change.REWRITTEN
    path.write_bytes(CONTENT[:-1])
    assert change(path, before) == Change.REWRITTEN


def test_what_lies_behind_the_read_bytes_does_not_count(path: Path) -> None:
    before = fingerprint(path, 100)
    path.write_bytes(CONTENT[:100] + b"other")
    assert change(path, before, 100) == Change.GROWN


def test_fingerprint_carried_on_is_that_of_all_bytes(path: Path) -> None:
    first = fingerprint(path, 1000)
    with path.open("rb") as file:
        carried = compute(file, len(CONTENT), first, 1000, stat_of(path.stat()))
    assert carried == fingerprint(path)


def test_fingerprint_comes_back_from_json(path: Path) -> None:
    before = fingerprint(path)
    assert Fingerprint.from_dict(json.loads(json.dumps(before.to_dict()))) == before


@pytest.mark.parametrize("row", [{}, {"stat": 3, "checksum": 1, "samples": ""}, {"stat": ["x"]}])
def test_damaged_row_is_refused(row: dict[str, object]) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        Fingerprint.from_dict(row)

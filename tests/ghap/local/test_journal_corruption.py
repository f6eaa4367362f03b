"""Every file of the journal damaged in every way: set aside and reset, the others untouched."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ghap.local import GHAPEntry, Journal, JournalCorruptedError, counter
from memoryserver.common import files
from tests.support.examples import examples
from tests.support.laptops.journals import create, current, resolve, run

SESSION = "session_20251203_140000_x7y8z9"
ARCHIVE = f"archive/20251203_{SESSION}.jsonl"
RESET = ("current_ghap.json", ".session_id", ".tool_count")


@dataclass
class Whole:
    """A journal with something in every file, and what that was."""

    folder: Path
    archived: GHAPEntry
    filed: GHAPEntry
    active: GHAPEntry

    def read(self) -> dict[str, Any]:
        """What is found now, a piece for each file."""
        filed = run(self.folder, lambda journal: journal.get_session_entries())
        entries = run(self.folder, lambda journal: journal.get_all_entries())
        return {
            "current_ghap.json": current(self.folder),
            ".session_id": run(self.folder, lambda journal: journal.get_session_id()),
            ".tool_count": counter.peek(self.folder),
            "session_entries.jsonl": filed,
            ARCHIVE: [entry for entry in entries if entry not in filed],
        }

    def expected(self) -> dict[str, Any]:
        """What `read` finds in an undamaged journal."""
        session_id = self.active.session_id
        return {
            "current_ghap.json": self.active,
            ".session_id": session_id,
            ".tool_count": 3,
            "session_entries.jsonl": [self.filed],
            ARCHIVE: [self.archived],
        }


@pytest.fixture
def whole(tmp_path: Path) -> Whole:
    folder = tmp_path / "journal"
    Journal(folder)
    (folder / ".session_id").write_text(SESSION)
    archived = run(folder, create, resolve)
    run(folder, lambda journal: journal.start_session())
    filed = run(folder, create, resolve)
    active = run(folder, create)
    for _ in range(3):
        counter.increment(folder)
    return Whole(folder, archived, filed, active)


DAMAGE: dict[str, bytes | None] = {
    "empty": b"",
    "random": bytes(range(256)),
    "nul": b"\0" * 100,
    "a folder": None,
    "not an object": b"[]",
    "null": b"null",
    "wrong types": b'{"id": 1, "session_id": [], "goal": {}}',
    "nested": b"[" * 100_000,
    "invalid utf-8": b'{"id": "\xff\xfe"}',
    "utf-16": '{"id": "x"}'.encode("utf-16"),
    "line break": b"session_20251203_140000_x7y8z9\nsession_20251203_140000_x7y8z9",
    "climbing": b"../../../tmp/x",
    "4 KB": b"session_" * 512,
    "10 MB": b"x" * 10_000_000,
    "negative": b"-3",
    "huge number": b"9" * 5000,
}


def damage(path: Path, content: bytes | None) -> None:
    if content is None:
        path.unlink()
        path.mkdir()
        (path / "inside").write_text("kept")
    else:
        path.write_bytes(content)


def backups(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if ".corrupted." in path.name)


def test_undamaged_journal_is_read_as_it_was_written(whole: Whole) -> None:
    assert whole.read() == whole.expected()


@pytest.mark.parametrize("kind", DAMAGE)
@pytest.mark.parametrize("name", RESET)
def test_damaged_file_is_set_aside_and_its_neighbours_stay(name: str, kind: str, whole: Whole) -> None:
    path = whole.folder / name
    damage(path, DAMAGE[kind])
    found = whole.read()
    counter.increment(whole.folder)  # a damaged count is only set aside where it is written
    reset = {"current_ghap.json": None, ".session_id": None, ".tool_count": 0}
    assert found == whole.expected() | {name: reset[name]}
    (backup,) = backups(whole.folder)
    assert backup.name.startswith(f"{path.with_suffix('').name}.corrupted.")
    if DAMAGE[kind] is None:
        assert (backup / "inside").read_text() == "kept"
    else:
        assert backup.read_bytes() == DAMAGE[kind]
    lives_on(whole.folder)


@pytest.mark.parametrize("kind", [kind for kind in DAMAGE if kind not in ("empty", "a folder", "line break")])
@pytest.mark.parametrize("name", ["session_entries.jsonl", ARCHIVE])
def test_damaged_line_is_passed_over_and_its_neighbours_stay(name: str, kind: str, whole: Whole) -> None:
    content = DAMAGE[kind] or b""
    path = whole.folder / name
    good = path.read_bytes()
    path.write_bytes(content + b"\n" + good + content + b"\n" + content)
    assert whole.read() == whole.expected()
    lives_on(whole.folder)
    lines = [line for path in (whole.folder / "archive").iterdir() for line in path.read_bytes().split(b"\n")]
    kept = {line for backup in backups(whole.folder) for line in backup.read_bytes().split(b"\n")} | set(lines)
    assert set(content.split(b"\n")) <= kept
    ids = [GHAPEntry.from_json(line).id for line in lines if line.startswith(b'{"id": "ghap_')]
    assert sorted(set(ids)) == sorted(ids)
    assert {whole.archived.id, whole.filed.id} <= set(ids)


@pytest.mark.parametrize("name", ["session_entries.jsonl", ARCHIVE, "archive"])
def test_folder_or_file_in_place_of_the_other_is_set_aside(name: str, whole: Whole) -> None:
    path = whole.folder / name
    if name == "archive":
        (whole.folder / ARCHIVE).unlink()
        path.rmdir()
        path.write_text("a file")
    else:
        damage(path, None)
    lives_on(whole.folder)
    if name != ARCHIVE:  # a session that is over is not written to again, so its archive stays as it is
        (backup,) = backups(whole.folder)
        assert backup.name.startswith(f"{path.with_suffix('').name}.corrupted.")


def lives_on(folder: Path) -> None:
    """A whole round of every call works, and what it makes is found again."""
    before = {entry.id for entry in run(folder, lambda journal: journal.get_all_entries())}
    orphan = run(folder, lambda journal: journal.start_session(), lambda journal: journal.get_current())
    if orphan:
        run(folder, lambda journal: journal.adopt_orphan())
        run(folder, lambda journal: journal.abandon_ghap("r"))
    entry = run(folder, create, lambda journal: journal.update_ghap(note="n"), resolve)
    assert run(folder, lambda journal: journal.increment_tool_count()) == 1
    run(folder, lambda journal: journal.end_session())
    after = {item.id for item in run(folder, lambda journal: journal.get_all_entries())}
    assert after == before | {entry.id} | ({orphan.id} if orphan else set())


@pytest.mark.parametrize("name", RESET)
def test_file_truncated_at_any_byte_is_set_aside(name: str, whole: Whole) -> None:
    path = whole.folder / name
    content = path.read_bytes()
    for length in range(len(content.rstrip(b"\n")) - (name == ".tool_count")):
        path.write_bytes(content[:length])
        readers: dict[str, Callable[[], Any]] = {
            "current_ghap.json": lambda: current(whole.folder),
            ".session_id": lambda: run(whole.folder, lambda journal: journal.get_session_id()),
            ".tool_count": lambda: counter.increment(whole.folder) - 1 or None,
        }
        assert readers[name]() is None
        (backup,) = backups(whole.folder)
        assert backup.read_bytes() == content[:length]
        backup.unlink()


@pytest.mark.parametrize("name", ["session_entries.jsonl", ARCHIVE])
def test_line_truncated_at_any_byte_never_eats_the_next(name: str, whole: Whole) -> None:
    path = whole.folder / name
    content = path.read_bytes()
    expected = whole.expected()
    for length in range(0, len(content), 7):
        path.write_bytes(content[:length])
        files.append_line(path, content.rstrip(b"\n"), durable=False)
        assert whole.read() == expected


@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(st.sampled_from([*RESET, "session_entries.jsonl", ARCHIVE]), st.binary(max_size=300))
def test_any_bytes_in_any_file_leave_the_neighbours_alone(whole: Whole, name: str, content: bytes) -> None:
    path = whole.folder / name
    good = path.read_bytes()
    path.write_bytes(content)
    found, expected = whole.read(), whole.expected()
    del found[name], expected[name]
    assert found == expected
    path.write_bytes(good)


def test_two_damages_of_one_second_keep_both_files(whole: Whole, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 1_764_771_300.5)
    for content in ("one", "two", "three"):
        (whole.folder / "current_ghap.json").write_text(content)
        assert current(whole.folder) is None
    assert {path.name: path.read_text() for path in backups(whole.folder)} == {
        "current_ghap.corrupted.1764771300": "one",
        "current_ghap.corrupted.1764771300-2": "two",
        "current_ghap.corrupted.1764771300-3": "three",
    }


def test_damage_is_logged_with_the_backups_name(whole: Whole, caplog: pytest.LogCaptureFixture) -> None:
    (whole.folder / "current_ghap.json").write_text('{"id": 3}')
    with caplog.at_level(logging.ERROR):
        current(whole.folder)
    (backup,) = backups(whole.folder)
    reason = "id must be 1 to 100 letters, digits, '_', '-', '.' or ':'"
    assert [record.getMessage() for record in caplog.records] == [
        f"current_ghap.json was damaged ({reason}); it is kept as {backup.name}"
    ]


def test_damage_that_cannot_be_set_aside_is_an_error(whole: Whole, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*paths: object) -> None:
        raise PermissionError(13, "Permission denied")

    (whole.folder / "current_ghap.json").write_text("{")
    monkeypatch.setattr("os.replace", refuse)
    with pytest.raises(
        JournalCorruptedError, match=r"is damaged .* cannot be moved out of the way: Permission denied$"
    ):
        run(whole.folder, create)
    assert (whole.folder / "current_ghap.json").read_text() == "{"


@pytest.mark.parametrize(
    ("changes", "goal"),
    [
        ({"goal": "\u2028 \u2029 \x85 \x0b \x0c"}, "\u2028 \u2029 \x85 \x0b \x0c"),
        ({"goal": "lone \ud800"}, "lone \ufffd"),
        ({"goal": "nul \0"}, "nul \ufffd"),
        ({"goal": "x" * 10_001}, "x" * 10_000),
        ({"goal": "big", "unknown": "x" * 10_000_000}, "big"),
    ],
    ids=["line separators", "lone surrogate", "nul", "10,001 characters", "10 MB line"],
)
def test_unusual_but_sound_entry_is_kept(changes: dict[str, Any], goal: str, whole: Whole) -> None:
    content = json.dumps(whole.active.to_dict() | changes, ensure_ascii=False).encode("utf-8", "surrogatepass")
    if "\ud800" in changes["goal"]:
        content = json.dumps(whole.active.to_dict() | changes).encode()  # as JSON can spell it
    (whole.folder / "current_ghap.json").write_bytes(b"\xef\xbb\xbf" + content)
    entry = current(whole.folder)
    assert entry is not None
    assert entry.goal == goal
    assert run(whole.folder, resolve).goal == goal
    assert [item.goal for item in run(whole.folder, lambda journal: journal.get_session_entries())] == ["g", goal]
    assert backups(whole.folder) == []


@pytest.mark.parametrize(
    "content",
    [
        "../../x",
        "session_20251203_140000_x7y8z9\n../../x",
        "\0",
        "a\0b",
        "session_/../../x",
        "x" * 4096,
        "/etc/x",
        "..",
        "",
    ],
)
def test_hostile_session_id_never_leaves_the_folder(content: str, whole: Whole) -> None:
    (whole.folder / ".session_id").write_text(content)
    around = sorted(path for path in whole.folder.parent.rglob("*") if whole.folder not in path.parents)
    run(whole.folder, lambda journal: journal.end_session())
    (whole.folder / ".session_id").write_text(content)
    lives_on(whole.folder)
    assert sorted(path for path in whole.folder.parent.rglob("*") if whole.folder not in path.parents) == around
    assert all(
        path.name.count("session_") <= 2 and len(path.name) < 100 for path in (whole.folder / "archive").iterdir()
    )
    assert {entry.id for entry in run(whole.folder, lambda journal: journal.get_all_entries())} >= {
        whole.archived.id,
        whole.filed.id,
        whole.active.id,
    }

"""High-water marks survive crashes and corrupt files, and detect compacted transcripts."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from capture.local.scanning import file_fingerprint
from capture.local.scanning.file_fingerprint import Change
from capture.local.scanning.state import CaptureState, CaptureStateManager

BY_THE_BOOK = {
    "context_id": "7625",
    "last_message_index": 42,
    "last_message_count": 50,
    "last_capture_timestamp": "2026-01-10T12:00:00Z",
    "compaction_count": 3,
}


@pytest.fixture
def manager(tmp_path: Path) -> CaptureStateManager:
    return CaptureStateManager(tmp_path / "capture_state")


def a_state(**fields: object) -> CaptureState:
    return CaptureState("7625", 42, 50, "2026-01-10T12:00:00Z", 3, **fields)  # type: ignore[arg-type]


def mark_seen(state: CaptureState, *uuids: str) -> None:
    for uuid in uuids:
        state.mark_seen(uuid)


def test_load_nonexistent_state_returns_defaults(manager: CaptureStateManager):
    assert manager.load("7625") == CaptureState("7625", 0, 0, "", 0)


def test_save_and_load_state_roundtrip(manager: CaptureStateManager, tmp_path: Path):
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"x" * 100)
    with path.open("rb") as file:
        fingerprint = file_fingerprint.compute(file, 90, None, 0, file_fingerprint.stat_of(path.stat()))
    state = a_state(agent_kind="claude-code", transcript=str(path), offset=90, fingerprint=fingerprint)
    state.reader, state.extractor, state.asked = {"index": 42}, {"tools": ["Bash"]}, (1.5, "digest")
    mark_seen(state, "a", "b")
    manager.save(state)
    assert manager.load("7625") == state


def test_texts_of_a_state_are_saved_without_what_no_text_may_hold(manager: CaptureStateManager):
    unsafe, safe = "a\udcff\x00\ud83d b", "a\ufffd\ufffd\ufffd b"
    manager.save(
        a_state(transcript=unsafe, cwd=unsafe, project=unsafe, reader={unsafe: [unsafe]}, extractor={"a": unsafe})
    )
    saved = a_state(transcript=safe, cwd=safe, project=safe, reader={safe: [safe]}, extractor={"a": safe})
    assert manager.load("7625") == saved


@pytest.mark.parametrize("text", ["\U0001f600 and \u00e9\x01", "\\u0000 and \\ud83d as text"])
def test_other_texts_of_a_state_are_saved_as_they_are(manager: CaptureStateManager, text: str):
    manager.save(a_state(cwd=text, extractor={text: text}))
    assert manager.load("7625") == a_state(cwd=text, extractor={text: text})


def test_state_persists_across_instances(manager: CaptureStateManager):
    manager.save(a_state())
    assert CaptureStateManager(manager.folder).load("7625") == a_state()


def test_file_begins_with_the_fields_of_the_format(manager: CaptureStateManager):
    manager.save(a_state())
    written = json.loads((manager.folder / "7625.json").read_bytes())
    assert dict(list(written.items())[:5]) == BY_THE_BOOK


def test_file_with_only_the_fields_of_the_format_is_loaded(manager: CaptureStateManager):
    manager.folder.mkdir(parents=True)
    (manager.folder / "7625.json").write_text(json.dumps(BY_THE_BOOK))
    assert manager.load("7625") == a_state()


def test_detects_compaction_when_message_count_decreases(manager: CaptureStateManager):
    assert manager.detect_compaction(a_state(), 49)


@pytest.mark.parametrize("count", [50, 51])
def test_no_compaction_when_message_count_increases(manager: CaptureStateManager, count: int):
    assert not manager.detect_compaction(a_state(), count)


def test_resets_high_water_mark_on_compaction(manager: CaptureStateManager):
    state = a_state(offset=900)
    mark_seen(state, "a")
    manager.reset_after_compaction(state)
    assert (state.last_message_index, state.last_message_count, state.offset) == (0, 0, 0)
    assert state.compaction_count == 4
    assert "a" in state.seen


def test_a_message_without_uuid_is_never_seen():
    state = a_state()
    mark_seen(state, "", "a")
    assert [uuid for uuid in ("", "a", "b") if uuid in state.seen] == ["a"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b"{}",
        b'"x"',
        json.dumps({**BY_THE_BOOK, "last_message_index": "42"}).encode(),
        json.dumps({**BY_THE_BOOK, "compaction_count": -1}).encode(),
        json.dumps({**BY_THE_BOOK, "offset": None}).encode(),
        json.dumps({**BY_THE_BOOK, "last_capture_timestamp": "yesterday"}).encode(),
        json.dumps({**BY_THE_BOOK, "fingerprint": {"stat": "x"}}).encode(),
        json.dumps({**BY_THE_BOOK, "reader": [1]}).encode(),
        json.dumps({**BY_THE_BOOK, "asked": [1, "x"]}).encode(),
        json.dumps({**BY_THE_BOOK, "asked": 1.5}).encode(),
        json.dumps({**BY_THE_BOOK, "seen": ["a"]}).encode(),
        json.dumps({**BY_THE_BOOK, "seen": {"file": "../seen", "length": 8}}).encode(),
        json.dumps({**BY_THE_BOOK, "seen": {"file": "seen", "length": -8}}).encode(),
        json.dumps({**BY_THE_BOOK, "seen": {"file": "seen", "length": 8}}).encode(),
        b"[" * 100_000,
    ],
)
def test_corrupt_state_is_set_aside_and_a_new_one_is_returned(manager: CaptureStateManager, content: bytes):
    manager.folder.mkdir(parents=True)
    (manager.folder / "7625.json").write_bytes(content)
    assert manager.load("7625") == CaptureState("7625")
    (aside,) = manager.folder.iterdir()
    assert aside.name.startswith("7625.json.corrupt-")
    assert aside.read_bytes() == content
    assert manager.all() == []


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "/etc/passwd"])
def test_a_context_id_never_leaves_the_folder(manager: CaptureStateManager, name: str):
    with pytest.raises(ValueError, match="cannot be the name"):
        manager.load(name)


class TestFingerprint:
    """What happened to a file of 40,000 numbered lines since it was read."""

    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        path = tmp_path / "t.jsonl"
        path.write_bytes(b"".join(b"%06d\n" % number for number in range(40_000)))
        return path

    @staticmethod
    def fingerprint(path: Path) -> file_fingerprint.Fingerprint:
        with path.open("rb") as file:
            stat = file_fingerprint.stat_of(os.fstat(file.fileno()))
            return file_fingerprint.compute(file, stat[2], None, 0, stat)

    @staticmethod
    def change(path: Path, before: file_fingerprint.Fingerprint) -> Change:
        with path.open("rb") as file:
            stat = file_fingerprint.stat_of(os.fstat(file.fileno()))
            return file_fingerprint.compare(file, before.stat[2], before, stat)

    def test_untouched_is_no_change(self, path: Path):
        assert self.change(path, self.fingerprint(path)) == Change.NONE

    def test_appended_has_grown(self, path: Path):
        before = self.fingerprint(path)
        with path.open("ab") as file:
            file.write(b"more\n")
        assert self.change(path, before) == Change.GROWN

    def test_copied_elsewhere_or_touched_has_lost_nothing(self, path: Path, tmp_path: Path):
        before = self.fingerprint(path)
        other = tmp_path / "copy.jsonl"
        other.write_bytes(path.read_bytes() + b"more\n")
        os.utime(path, (1, 1))
        assert (self.change(other, before), self.change(path, before)) == (Change.GROWN, Change.GROWN)

    @pytest.mark.parametrize("at", [0, 70_001, 139_999, 279_998])
    def test_one_byte_changed_in_place_is_a_rewrite_also_with_the_old_times(self, path: Path, at: int):
        before = self.fingerprint(path)
        times = path.stat()
        with path.open("r+b") as file:
            file.seek(at)
            file.write(b"X")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        assert self.change(path, before) == Change.REWRITTEN

    def test_a_line_dropped_in_place_is_a_rewrite_whether_shorter_or_longer_after(self, path: Path):
        before = self.fingerprint(path)
        shorter = path.read_bytes().replace(b"020000\n", b"")
        path.write_bytes(shorter)
        assert self.change(path, before) == Change.REWRITTEN
        path.write_bytes(shorter + b"x" * 100)
        assert self.change(path, before) == Change.REWRITTEN

    def test_replaced_by_a_larger_file_is_a_rewrite(self, path: Path, tmp_path: Path):
        before = self.fingerprint(path)
        other = tmp_path / "new"
        other.write_bytes(b"y" * 400_000)
        os.replace(other, path)
        assert self.change(path, before) == Change.REWRITTEN

    def test_carried_on_it_is_that_of_the_whole(self, path: Path):
        with path.open("rb") as file:
            stat = file_fingerprint.stat_of(os.fstat(file.fileno()))
            half = file_fingerprint.compute(file, 140_000, None, 0, stat)
            whole = file_fingerprint.compute(file, stat[2], half, 140_000, stat)
        assert whole == self.fingerprint(path)


def test_where_the_session_began_is_kept_through_saves_and_compactions(manager: CaptureStateManager):
    state = a_state(cwd="/work/shop", project="github.com/acme/shop")
    manager.reset_after_compaction(state)
    manager.save(state)
    loaded = manager.load("7625")
    assert (loaded.cwd, loaded.project) == ("/work/shop", "github.com/acme/shop")

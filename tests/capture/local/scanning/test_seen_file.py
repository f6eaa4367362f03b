"""The digests of read messages are kept beside the state, and count as far as the state says."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture.local.scanning import seen as seen_module
from capture.local.scanning.state import CaptureState, CaptureStateManager

STEPS = st.lists(st.one_of(st.integers(0, 40), st.sampled_from(["save", "crash", "load", "durable"])), max_size=80)


@pytest.fixture
def manager(tmp_path: Path) -> CaptureStateManager:
    return CaptureStateManager(tmp_path / "capture_state")


def saved(manager: CaptureStateManager, *uuids: str) -> CaptureState:
    state = manager.load("s1")
    for uuid in uuids:
        state.mark_seen(uuid)
    state.forget_oldest()
    manager.save(state)
    return state


def names(manager: CaptureStateManager) -> list[str]:
    return sorted(path.name for path in manager.folder.iterdir())


def in_state(manager: CaptureStateManager) -> object:
    return json.loads((manager.folder / "s1.json").read_bytes())["seen"]


def test_new_digests_are_appended_and_the_state_says_how_much_counts(manager: CaptureStateManager):
    saved(manager, "a", "b")
    before = (manager.folder / "s1.seen").stat()
    saved(manager, "c")
    after = (manager.folder / "s1.seen").stat()

    assert in_state(manager) == {"file": "seen", "length": 24}
    assert (before.st_size, after.st_size, before.st_ino) == (16, 24, after.st_ino)
    assert [uuid for uuid in "abcd" if uuid in manager.load("s1").seen] == ["a", "b", "c"]


def test_state_without_messages_has_no_file_beside_it(manager: CaptureStateManager):
    saved(manager)
    assert names(manager) == ["s1.json"]
    assert manager.load("s1") == CaptureState("s1")


def test_digests_whose_state_was_not_saved_after_them_do_not_count(manager: CaptureStateManager):
    """The process was killed between the two: the messages will be read again, and must not be passed over."""
    state = saved(manager, "a")
    state.mark_seen("lost")
    state.seen_file.save(str(manager.folder / "s1"), state.seen, durable=False)

    assert [uuid for uuid in ("a", "lost") if uuid in manager.load("s1").seen] == ["a"]
    saved(manager, "b")
    assert [uuid for uuid in ("a", "b", "lost") if uuid in manager.load("s1").seen] == ["a", "b"]


def test_digests_in_the_state_of_an_earlier_version_are_moved_to_the_file(manager: CaptureStateManager):
    state = saved(manager, "a", "b")
    path = manager.folder / "s1.json"
    path.write_text(json.dumps(json.loads(path.read_bytes()) | {"seen": state.seen.text_after(0)}))
    (manager.folder / "s1.seen").unlink()

    saved(manager, "c")
    assert in_state(manager) == {"file": "seen", "length": 24}
    assert [uuid for uuid in "abcd" if uuid in manager.load("s1").seen] == ["a", "b", "c"]


def test_file_is_replaced_by_another_where_the_oldest_are_dropped(
    manager: CaptureStateManager, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(seen_module, "MOST_SEEN", 2)
    kept = []
    for uuid in "abcdefgh":
        saved(manager, uuid)
        kept.append(("".join(name.removeprefix("s1.") for name in names(manager)[1:]), len(manager.load("s1").seen)))

    assert kept == [("seen", n) for n in (1, 2, 3, 4)] + [("seen2", n) for n in (2, 3, 4)] + [("seen", 2)]
    assert [uuid for uuid in "abcdefgh" if uuid in manager.load("s1").seen] == ["g", "h"]


def test_state_that_was_not_saved_after_its_file_was_replaced_has_the_file_before(
    manager: CaptureStateManager, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(seen_module, "MOST_SEEN", 2)
    state = saved(manager, *"abcd")
    state.mark_seen("e")
    state.forget_oldest()
    state.seen_file.save(str(manager.folder / "s1"), state.seen, durable=True)

    assert [uuid for uuid in "abcde" if uuid in manager.load("s1").seen] == ["a", "b", "c", "d"]


def test_digests_dropped_twice_before_a_save_leave_the_file_of_the_saved_state(
    manager: CaptureStateManager, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(seen_module, "MOST_SEEN", 2)
    state = saved(manager, *"abcd")
    for uuid in "efgh":
        state.mark_seen(uuid)
        state.forget_oldest()
    state.seen_file.save(str(manager.folder / "s1"), state.seen, durable=True)

    assert [uuid for uuid in "abcdefgh" if uuid in manager.load("s1").seen] == ["a", "b", "c", "d"]
    manager.save(state)
    assert names(manager) == ["s1.json", "s1.seen2"]
    assert [uuid for uuid in "abcdefgh" if uuid in manager.load("s1").seen] == ["g", "h"]


@pytest.mark.parametrize("content", [None, b"1234567"], ids=["missing", "short"])
def test_state_whose_file_is_missing_or_short_is_set_aside(manager: CaptureStateManager, content: bytes | None):
    """A power cut can do that: the transcript is read again, and the ledger knows what was queued."""
    saved(manager, "a")
    (manager.folder / "s1.seen").unlink()
    if content is not None:
        (manager.folder / "s1.seen").write_bytes(content)

    assert manager.load("s1") == CaptureState("s1")
    assert len(manager.damaged()) == 1


def test_file_that_is_deleted_while_its_state_is_in_use_is_written_again(manager: CaptureStateManager):
    state = saved(manager, "a")
    (manager.folder / "s1.seen").unlink()
    state.mark_seen("b")
    manager.save(state)

    assert [uuid for uuid in "abc" if uuid in manager.load("s1").seen] == ["a", "b"]


def test_forgotten_state_leaves_no_file(manager: CaptureStateManager):
    saved(manager, "a")
    manager.forget("s1")
    assert names(manager) == []


def test_deleting_the_state_alone_has_the_transcript_read_again(manager: CaptureStateManager):
    saved(manager, "a", "b")
    (manager.folder / "s1.json").unlink()
    saved(manager, "c")
    assert [uuid for uuid in "abc" if uuid in manager.load("s1").seen] == ["c"]


@given(STEPS)
def test_messages_count_as_read_exactly_if_a_saved_state_has_them(steps: list[int | str]):
    """However saves, crashes before the state is written, and restarts follow one another."""
    with tempfile.TemporaryDirectory() as folder:
        manager = CaptureStateManager(Path(folder))
        state, kept, current = manager.load("s1"), set[int](), set[int]()
        for step in steps:
            if isinstance(step, int):
                assert state.mark_seen(str(step)) == (step not in current)
                current.add(step)
            elif step == "load":
                state, current = manager.load("s1"), set(kept)
            elif step == "crash":
                state.seen_file.save(os.path.join(folder, "s1"), state.seen, durable=False)
                state, current = manager.load("s1"), set(kept)
            else:
                manager.save(state, durable=step == "durable")
                kept = set(current)
        loaded = manager.load("s1").seen
        assert {number for number in range(41) if str(number) in loaded} == kept

"""The ledger of queued learnings: what it knows after a copy, a restart, a crash and 200,000 keys."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from capture.local.extraction.learning import Learning
from capture.local.queue import ledger
from capture.local.queue.ledger import Ledger, key, keys_of
from tests.support.laptops.durability import inodes, record_syncs

LEARNING = Learning("gotcha", "The backup holds the lock", 0.9, 45, "u-45", time="2026-03-01T10:00:00Z")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "ledger"


def keys(*numbers: int) -> list[bytes]:
    return [key(str(number), "gotcha", "x") for number in numbers]


def known(path: Path, *numbers: int) -> list[bool]:
    """What a new process knows."""
    book = Ledger(path)
    return [book.knows(keys(number)) for number in numbers]


@pytest.mark.parametrize(
    ("copy", "is_known"),
    [
        (replace(LEARNING, source_message_index=3), True),
        (replace(LEARNING, source_message_uuid="another"), True),
        (replace(LEARNING, time="another"), True),
        (replace(LEARNING, content="the  BACKUP holds the lock"), True),
        (replace(LEARNING, source_message_uuid="another", time="another"), False),
        (replace(LEARNING, type="learning"), False),
        (replace(LEARNING, content="The backup is slow"), False),
    ],
    ids=[
        "another place",
        "only its time",
        "only its uuid",
        "case and blanks",
        "neither",
        "another type",
        "other words",
    ],
)
def test_copy_is_known_by_its_uuid_or_time_with_type_and_content(path: Path, copy: Learning, is_known: bool) -> None:
    Ledger(path).add(keys_of(LEARNING))

    assert Ledger(path).knows(keys_of(copy)) is is_known


def test_learning_without_uuid_and_time_has_no_key_and_is_never_known(path: Path) -> None:
    nameless = replace(LEARNING, source_message_uuid="", time="")
    book = Ledger(path)
    book.add(keys_of(nameless))

    assert (keys_of(nameless), book.knows([]), path.exists()) == ([], False, False)


def test_what_was_added_is_known_at_once_and_to_the_next_process(path: Path) -> None:
    book = Ledger(path)
    assert not book.knows(keys(1))
    book.add(keys(1))
    book.add(keys(2))

    assert (book.knows(keys(1)), book.knows(keys(3, 2))) == (True, True)
    assert known(path, 1, 2, 3) == [True, True, False]


def test_file_is_readable_by_its_owner_alone(path: Path) -> None:
    Ledger(path).add(keys(1))

    assert (path.stat().st_mode & 0o777, path.stat().st_size) == (0o600, 8)


def test_added_keys_are_durable_and_so_is_the_name_of_a_new_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.parent.mkdir()
    synced = record_syncs(monkeypatch)
    Ledger(path).add(keys(1))
    assert synced == inodes(path, path.parent)
    Ledger(path).add(keys(2))
    assert synced == inodes(path, path.parent, path)


@pytest.mark.parametrize("cut", range(1, 8))
def test_key_that_a_crash_cut_off_is_unknown_and_spoils_no_other(path: Path, cut: int) -> None:
    Ledger(path).add(keys(1, 2))
    path.write_bytes(path.read_bytes()[:-cut])

    assert known(path, 1, 2) == [True, False]
    Ledger(path).add(keys(3))
    assert (known(path, 1, 2, 3), path.stat().st_size) == ([True, False, True], 16)


def test_bytes_across_two_keys_are_no_key(path: Path) -> None:
    first, second = keys(1, 2)
    Ledger(path).add([first, second])

    assert not Ledger(path).knows([first[4:] + second[:4]])


def test_of_too_many_keys_the_older_half_is_dropped(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "MOST_KEYS", 10)
    Ledger(path).add(keys(*range(10)))
    Ledger(path).add(keys(10))

    assert known(path, 0, 5, 6, 10) == [False, False, True, True]
    assert path.stat().st_size == 5 * 8


def test_file_that_cannot_be_read_is_an_error(path: Path) -> None:
    path.mkdir(parents=True)

    with pytest.raises(OSError, match="ledger"):
        Ledger(path).knows(keys(1))

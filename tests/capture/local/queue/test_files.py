"""Queue files: written whole or not at all, each complete in itself, the oldest first."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest

from capture.local.extraction.learning import Learning
from capture.local.queue import files
from capture.local.queue.files import QueueFile, QueueFullError, QueueWriter
from tests.support.laptops.durability import inodes, record_syncs

LEARNING = Learning("decision", "Chose queue-based architecture over direct DB writes", 0.85, 45)


def a_file(**fields: Any) -> QueueFile:
    defaults = {
        "context_id": "7625",
        "captured_at": "2026-01-10T12:00:00Z",
        "message_range": (43, 50),
        "compaction_number": 3,
        "learnings": [LEARNING],
        "metadata": {"agent": "main", "tools_used": ["Read", "Bash", "Write"]},
    }
    return QueueFile(**{**defaults, **fields})


def writer(folder: Path, **options: Any) -> QueueWriter:
    return QueueWriter(folder, now=lambda: 1704888000.7, **options)


def test_writes_to_correct_directory(folder: Path):
    assert writer(folder).write(a_file()).parent == folder


def test_file_naming_convention(folder: Path):
    names = [writer(folder).write(a_file(message_range=(1, last))).name for last in range(3)]
    assert names == ["1704888000_7625.json", "1704888000-2_7625.json", "1704888000-3_7625.json"]


def test_a_name_that_a_failed_file_has_is_not_given_again(folder: Path):
    files.set_aside(writer(folder).write(a_file()), "bad")
    assert writer(folder).write(a_file()).name == "1704888000-2_7625.json"


def test_self_contained_queue_file(folder: Path):
    written = json.loads(writer(folder).write(a_file()).read_bytes())
    assert uuid.UUID(written.pop("capture_id")).version == 5
    assert written == {
        "context_id": "7625",
        "captured_at": "2026-01-10T12:00:00Z",
        "message_range": [43, 50],
        "compaction_number": 3,
        "learnings": [
            {
                "type": "decision",
                "content": "Chose queue-based architecture over direct DB writes",
                "confidence": 0.85,
                "source_message_index": 45,
                "source_message_uuid": "",
                "reasons": [],
                "files": [],
                "tools": [],
                "source": "stated",
            }
        ],
        "metadata": {"agent": "main", "tools_used": ["Read", "Bash", "Write"]},
    }


def test_the_same_range_is_the_same_capture_and_another_is_another():
    variants: dict[str, dict[str, Any]] = {
        "first": {},
        "again": {"captured_at": "2026-01-10T13:00:00Z", "learnings": []},
        "range": {"message_range": (43, 51)},
        "context": {"context_id": "7626"},
        "compaction": {"compaction_number": 4},
    }
    ids = {name: a_file(**fields).capture_id for name, fields in variants.items()}
    assert ids["first"] == ids["again"]
    assert len(set(ids.values())) == 4


def test_text_that_is_no_unicode_is_replaced(folder: Path):
    learning = Learning("gotcha", "a lone \ud83d and a \x00", 0.9, 1)
    written = json.loads(writer(folder).write(a_file(learnings=[learning])).read_bytes())
    assert written["learnings"][0]["content"] == "a lone \ufffd and a \ufffd"


def test_atomic_write_no_partial_files(folder: Path):
    """Processes killed at any moment of a write leave whole files and temporary ones that nobody takes for a file."""
    script = (
        "import sys; from pathlib import Path; from tests.capture.local.queue.test_files import *\n"
        "w = QueueWriter(Path(sys.argv[1])); big = [LEARNING] * 3000; print('ready', flush=True)\n"
        "for n in range(10**9): w.write(a_file(message_range=(1, n), learnings=big))"
    )
    for pause in (0.0, 0.013, 0.031):
        process = subprocess.Popen([sys.executable, "-c", script, folder], stdout=subprocess.PIPE, cwd=os.getcwd())
        assert process.stdout is not None
        process.stdout.readline()
        try:
            process.wait(pause)
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
    for path in files.waiting(folder):
        assert len(json.loads(path.read_bytes())["learnings"]) == 3000


def test_a_full_queue_takes_no_more_and_says_what_to_do(folder: Path):
    size = writer(folder).write(a_file()).stat().st_size
    other = a_file(message_range=(51, 58))
    with pytest.raises(QueueFullError) as raised:
        writer(folder, limit=2 * size - 1).write(other)
    assert str(raised.value) == (
        f"the queue {folder} has reached its limit of {(2 * size - 1) // 1024} KiB;"
        " deliver it with `memory capture push`; capture then continues"
    )
    assert len(list(folder.iterdir())) == 1
    assert writer(folder, limit=2 * size).write(other).exists()


def test_writer_counts_what_it_has_written_itself(folder: Path):
    size = len(json.dumps(a_file(message_range=(10, 10)).to_dict()))
    filling = writer(folder, limit=2 * size)
    filling.write(a_file(message_range=(10, 10)))
    filling.write(a_file(message_range=(11, 11)))

    with pytest.raises(QueueFullError):
        filling.write(a_file(message_range=(12, 12)))


def test_file_that_was_just_delivered_has_no_size(folder: Path):
    assert files.size(folder / "1_7625.json") == 0


def test_a_full_queue_takes_more_as_soon_as_something_was_delivered(folder: Path):
    size = len(json.dumps(a_file(message_range=(10, 10)).to_dict()))
    filling = writer(folder, limit=size)
    filling.write(a_file(message_range=(10, 10))).unlink()
    assert filling.write(a_file(message_range=(11, 11))).exists()


def test_the_same_capture_that_waits_is_not_written_again_unless_it_has_something_more(folder: Path):
    more = Learning("gotcha", "it had come to more than that", 0.9, 44)
    first = writer(folder).write(a_file(learnings=[LEARNING, more]))
    assert writer(folder).write(a_file(learnings=[more])) == first
    assert [path.name for path in files.waiting(folder)] == [first.name]
    another = writer(folder).write(a_file(learnings=[Learning("gotcha", "the transcript was changed", 0.9, 43)]))
    assert [path.name for path in files.waiting(folder)] == [first.name, another.name]


def test_a_folder_that_cannot_be_written_is_an_error_and_leaves_nothing(folder: Path):
    folder.write_text("a file in place of the folder")
    with pytest.raises(OSError, match="learning_queue"):
        writer(folder).write(a_file())


def test_waiting_files_are_in_the_order_of_their_numbers(folder: Path):
    folder.mkdir()
    names = ["999_b.json", "1000-10_a.json", "1000_z.json", "1000-2_a.json", "stray.json"]
    for name in [*names, ".hidden.json", "x.tmp", ".1.json.tmp"]:
        (folder / name).write_text("{}")
    expected = ["stray.json", "999_b.json", "1000_z.json", "1000-2_a.json", "1000-10_a.json"]
    assert [path.name for path in files.waiting(folder)] == expected


def test_a_failed_file_lies_beside_its_reason_and_can_be_put_back(folder: Path):
    path = writer(folder).write(a_file())
    content = path.read_bytes()
    aside = files.set_aside(path, "refused (422): type")
    assert [(failed.name, reason) for failed, reason in files.failed(folder)] == [(path.name, "refused (422): type")]
    assert files.put_back(aside).read_bytes() == content
    assert (files.failed(folder), [waiting.name for waiting in files.waiting(folder)]) == ([], [path.name])
    assert list((folder / "failed").iterdir()) == []


def test_queue_file_is_durable_wherever_it_is_moved(folder: Path, monkeypatch: pytest.MonkeyPatch):
    first = files.set_aside(writer(folder).write(a_file(context_id="1")), "bad")
    synced = record_syncs(monkeypatch)
    path = writer(folder).write(a_file(context_id="2"))
    assert synced == inodes(path, folder)
    synced.clear()
    aside = files.set_aside(path, "bad")
    assert synced == inodes(aside.with_suffix(".reason"), first.parent, first.parent, folder)
    synced.clear()
    files.put_back(aside)
    assert synced == inodes(folder)


def test_failed_file_is_listed_and_put_back_whatever_became_of_its_reason(folder: Path):
    without, unreadable = (files.set_aside(writer(folder).write(a_file(context_id=name)), "bad") for name in ("1", "2"))
    without.with_suffix(".reason").unlink()
    unreadable.with_suffix(".reason").write_bytes(b"caf\xe9\n")
    assert files.failed(folder) == [(without, "no reason was kept"), (unreadable, "caf\ufffd")]
    assert [files.put_back(path).parent for path in (without, unreadable)] == [folder, folder]

"""Every shape that a transcript's file can take between two readings: nothing lost, nothing twice."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import pytest

from capture.local.scanning.scan_report import ScanReport
from capture.local.scanning.scanner import Scanner
from tests.support.agents.claude_transcripts import Transcript
from tests.support.laptops.capture_laptop import TEN, Laptop, cause
from tests.support.laptops.durability import inodes, record_syncs


def test_half_a_line_is_captured_once_it_is_whole(captured: Laptop):
    line = json.dumps(captured.transcript.record("assistant", {"content": [{"type": "text", "text": cause(11)}]}))
    captured.transcript.raw(line[:60].encode())
    assert captured.scan().messages == 0
    captured.transcript.raw(line[60:].encode())
    assert captured.scan().messages == 0
    captured.transcript.raw(b"\n")
    assert captured.scan().messages == 1
    assert captured.queued() == [*TEN, cause(11)]


def rewrite(laptop: Laptop, change: Callable[[bytes], bytes]) -> None:
    """In place: the same file, other content."""
    content = change(laptop.transcript.path.read_bytes())
    with laptop.transcript.path.open("r+b") as file:
        file.write(content)
        file.truncate()


def last_line_dropped(content: bytes) -> bytes:
    return content[: content[:-1].rfind(b"\n") + 1]


def test_file_with_fewer_messages_is_no_compaction_where_compactions_are_marked(captured: Laptop):
    rewrite(captured, last_line_dropped)
    report = captured.scan()
    assert (report.compactions, report.messages, report.learnings) == (0, 0, 0)
    state = captured.state()
    assert (state.last_message_index, state.last_message_count, state.compaction_count) == (10, 9, 0)


def test_captures_after_a_rewrite_have_ranges_of_their_own(captured: Laptop):
    rewrite(captured, last_line_dropped)
    captured.scan()
    captured.transcript.agent(cause(11))
    captured.scan()
    captured.transcript.agent(cause(12))
    captured.scan()
    assert captured.queued() == [*TEN, cause(11), cause(12)]
    assert [file["message_range"] for file in captured.files()] == [[1, 10], [11, 11], [12, 12]]
    assert len({file["capture_id"] for file in captured.files()}) == 3
    assert captured.scan() == ScanReport(transcripts=1)


@pytest.mark.parametrize(
    ("change", "messages"),
    [
        (lambda content: content.replace(b"root cause of #5 ", b"root cause of #Z "), 0),
        (lambda content: content.replace(b"session-5", b"session-Z").replace(b"#5", b"#Z"), 0),
        (lambda content: last_line_dropped(content) + b"x" * 5000 + b"\n", 0),
    ],
    ids=["same size, same uuid", "same size, same uuids", "larger"],
)
def test_rewritten_file_is_read_again_and_nothing_is_queued_twice(
    captured: Laptop, change: Callable[[bytes], bytes], messages: int
):
    rewrite(captured, change)
    report = captured.scan()
    assert (report.compactions, report.messages, captured.queued()) == (0, messages, TEN)
    assert captured.scan() == ScanReport(transcripts=1)


def test_new_messages_of_a_rewritten_file_are_captured(captured: Laptop):
    fresh = Transcript(captured.root / "elsewhere.tmp")
    for number in (20, 21):
        fresh.agent(cause(number))
    os.replace(fresh.path, captured.transcript.path)
    assert captured.scan().learnings == 2
    assert captured.queued() == [*TEN, cause(20), cause(21)]
    assert captured.state().last_message_count == 2


def test_file_replaced_by_a_larger_one_is_read_again_and_nothing_is_queued_twice(captured: Laptop):
    larger = Transcript(captured.root / "elsewhere.tmp")
    for number in [*range(1, 11), *range(30, 35)]:
        larger.agent(f"{cause(number)} " + "So it is." * 50)
    os.replace(larger.path, captured.transcript.path)
    report = captured.scan()
    assert (report.compactions, report.known, report.learnings) == (0, 10, 5)
    assert captured.queued() == [*TEN, *(cause(number) for number in range(30, 35))]


def test_file_moved_to_another_folder_is_continued(captured: Laptop):
    target = captured.root / "-other" / captured.transcript.path.name
    target.parent.mkdir()
    os.replace(captured.transcript.path, target)
    captured.transcript.path = target
    captured.transcript.agent(cause(11))
    report = captured.scan()
    assert (report.messages, report.compactions, len(captured.states.all())) == (1, 0, 1)
    assert captured.queued() == [*TEN, cause(11)]


def test_a_file_copied_to_another_folder_is_captured_in_both_and_queued_once(captured: Laptop):
    copy = Transcript(captured.root / "-aaa" / captured.transcript.path.name)
    copy.raw(captured.transcript.path.read_bytes())
    copy.agent(cause(11), uuid="only in the copy")
    captured.transcript.agent(cause(12))
    for _ in range(2):
        captured.scan()
    assert sorted(captured.queued()) == sorted([*TEN, cause(11), cause(12)])
    assert captured.state().last_message_count == 11
    assert captured.state(copy.path).last_message_count == 11


def test_deleted_file_is_no_problem(captured: Laptop):
    captured.transcript.path.unlink()
    assert captured.scan() == ScanReport()


def test_survives_simulated_compaction_by_boundary_and_summary_counted_once(captured: Laptop):
    captured.transcript.boundary()
    captured.transcript.summary()
    captured.transcript.agent(cause(11))
    assert captured.scan().compactions == 1
    captured.transcript.summary()
    captured.transcript.agent(cause(12))
    assert captured.scan().compactions == 1
    assert captured.queued() == [*TEN, cause(11), cause(12)]
    assert [file["compaction_number"] for file in captured.files()] == [0, 1, 2]


def test_history_that_comes_back_after_a_second_compaction_is_not_captured_twice(captured: Laptop):
    history = captured.transcript.path.read_bytes()
    captured.transcript.boundary()
    captured.scan()
    captured.transcript.raw(history + history.replace(b'"gitBranch": "main"', b'"gitBranch": "HEAD"'))
    captured.transcript.agent(cause(11))
    report = captured.scan()
    assert (report.messages, report.learnings, captured.queued()) == (1, 1, [*TEN, cause(11)])
    assert captured.state().last_message_count == 32


@pytest.mark.parametrize("unchanged", ["uuid", "time", "origin"])
def test_history_copied_to_a_new_file_by_resume_or_fork_is_not_queued_twice(captured: Laptop, unchanged: str):
    fork = Transcript(captured.root / "-slug" / "f0rked00.jsonl", session="f0rked00")
    for line in captured.transcript.path.read_bytes().splitlines():
        record = json.loads(line)
        uuid = record["uuid"]
        changes: dict[str, dict[str, Any]] = {
            "uuid": {"timestamp": "2027-01-01T00:00:00Z"},
            "time": {"uuid": f"new-{uuid}"},
            "origin": {"uuid": f"new-{uuid}", "timestamp": "", "forkedFrom": {"messageUuid": uuid}},
        }
        fork.write({**record, "sessionId": "f0rked00", **changes[unchanged]})
    fork.agent(cause(11))
    report = captured.scan()
    assert (report.known, report.learnings, captured.queued()) == (10, 1, [*TEN, cause(11)])


def test_two_writers_interleaved_in_one_file_are_one_transcript(laptop: Laptop):
    other = Transcript(laptop.transcript.path, session="another")
    for number in range(1, 6):
        laptop.transcript.agent(cause(number), uuid=f"one-{number}")
        other.agent(cause(number + 5), uuid=f"two-{number}")
        laptop.scan()
    assert sorted(laptop.queued()) == sorted(TEN)


@pytest.mark.parametrize(
    "damage",
    [
        b"\x00" * 4096 + b"\n",
        b'{"type":"user","message":{"content":"half a rec\n',
        b"42\nnull\n[1]\n\xff\xfe\n\r\n",
        b"\xef\xbb\xbf",
        b'{"type":"progress","data":"' + b"x" * 1_200_000 + b'"}\n',
        b'{"type":"user","message":{"content":"',
    ],
    ids=["NUL padding", "cut record", "no objects", "BOM", "a megabyte", "spliced"],
)
def test_damage_between_records_loses_none_of_them(laptop: Laptop, damage: bytes):
    laptop.transcript.agent(cause(1))
    laptop.transcript.raw(damage)
    laptop.transcript.agent(cause(2))
    laptop.scan()
    assert laptop.queued() == [cause(1), cause(2)]


def test_records_without_a_line_break_between_them_are_both_read(laptop: Laptop):
    for number in (1, 2):
        record = laptop.transcript.record("assistant", {"content": [{"type": "text", "text": cause(number)}]})
        laptop.transcript.raw(json.dumps(record).encode())
    laptop.transcript.raw(b"\n")
    report = laptop.scan()
    assert (report.messages, report.bad_lines, laptop.queued()) == (2, 0, [cause(1), cause(2)])


def test_a_file_with_the_line_ends_of_windows_is_read_as_any_other(captured: Laptop):
    content = captured.transcript.path.read_bytes().replace(b"\n", b"\r\n")
    other = Transcript(captured.root / "-slug" / "other.jsonl")
    other.raw(content.replace(b"#", b"#9"))
    report = captured.scan()
    assert (report.messages, report.bad_lines, report.learnings) == (10, 0, 10)


def test_line_separators_crlf_and_surrogates_inside_a_record_are_no_ends_of_lines(laptop: Laptop):
    laptop.transcript.raw(
        b'{"type":"assistant","uuid":"a","message":{"content":[{"type":"text","text":"'
        + f"{cause(1)}\u2028\u2029 \\ud83d And\u0085 that is \x0b all.".encode()
        + b'"}]}}\r\n'
    )
    laptop.scan()
    assert laptop.queued() == [cause(1)]


def test_a_zero_byte_file_and_one_without_messages_are_read(laptop: Laptop):
    laptop.transcript.raw(b"")
    (laptop.root / "other.jsonl").write_bytes(b'{"type":"summary","summary":"x"}\n')
    assert laptop.scan() == ScanReport(transcripts=2, changed=1, unknown_lines=1)
    laptop.transcript.agent(cause(1))
    assert laptop.scan().learnings == 1


def test_a_15_megabyte_line_is_read_and_what_follows_it_too(laptop: Laptop):
    laptop.transcript.person(
        [{"type": "text", "text": "look"}, {"type": "image", "source": {"data": "A" * 15_000_000}}]
    )
    laptop.transcript.agent(cause(1))
    assert (laptop.scan().messages, laptop.queued()) == (2, [cause(1)])


def test_a_large_file_is_captured_in_batches_each_with_its_range(laptop: Laptop):
    for number in range(1, 11):
        laptop.transcript.agent(cause(number))
    Scanner(laptop.home, batch_bytes=1000).scan([laptop.root])
    ranges = [file["message_range"] for file in laptop.files()]
    assert [index for first, last in ranges for index in range(first, last + 1)] == list(range(1, 11))
    assert len(ranges) > 2
    assert laptop.queued() == TEN


def test_of_the_marks_of_a_large_file_only_the_last_is_durable(laptop: Laptop, monkeypatch: pytest.MonkeyPatch):
    """After a power cut a range may be read again, whose learnings the ledger knows."""
    for number in range(1, 11):
        laptop.transcript.agent(cause(number))
    laptop.states.folder.mkdir(parents=True)
    synced = record_syncs(monkeypatch)
    Scanner(laptop.home, batch_bytes=1000).scan([laptop.root])
    mark, folder = inodes(next(laptop.states.folder.glob("*.json")), laptop.states.folder)
    assert (synced[-2:], synced.count(folder)) == ([mark, folder], 2)  # the other time for the name of the ledger
    assert laptop.queued() == TEN

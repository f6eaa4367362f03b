"""One transcript: when the end of its file counts as read, and when a rewritten one was compacted."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from capture.local.scanning.transcript_capture import REST_SECONDS
from tests.capture.local.transcripts.agents.test_plain import write
from tests.support.laptops.capture_laptop import TEN, Laptop, cause


def age(path: Path, seconds: float) -> None:
    os.utime(path, (time.time() - seconds, time.time() - seconds))


def test_last_line_without_a_line_break_is_captured_once_the_file_is_at_rest(captured: Laptop) -> None:
    captured.transcript.agent(cause(11))
    with captured.transcript.path.open("r+b") as file:
        file.truncate(captured.transcript.path.stat().st_size - 1)
    assert (captured.scan().messages, captured.queued()) == (0, TEN)
    age(captured.transcript.path, REST_SECONDS + 60)
    assert (captured.scan().messages, captured.queued()) == (1, [*TEN, cause(11)])
    assert captured.scan().changed == 0

    captured.transcript.raw(b"\n")
    captured.transcript.agent(cause(12))
    assert (captured.scan().messages, captured.queued()) == (1, [*TEN, cause(11), cause(12)])


def test_file_that_is_first_seen_at_rest_is_read_to_its_end(laptop: Laptop) -> None:
    laptop.transcript.agent(cause(1))
    content = laptop.transcript.path.read_bytes()
    laptop.transcript.path.write_bytes(content.rstrip(b"\n"))
    age(laptop.transcript.path, 7200)
    assert (laptop.scan().messages, laptop.queued()) == (1, [cause(1)])


def test_half_a_line_of_a_file_at_rest_is_left_for_when_it_is_whole(captured: Laptop) -> None:
    captured.transcript.agent(cause(11))
    whole = captured.transcript.path.read_bytes()
    captured.transcript.path.write_bytes(whole[:-40])
    age(captured.transcript.path, 7200)
    assert [captured.scan().messages, captured.scan().bad_lines] == [0, 0]
    with captured.transcript.path.open("ab") as file:
        file.write(whole[-40:])
    assert (captured.scan().messages, captured.queued()) == (1, [*TEN, cause(11)])


@pytest.mark.parametrize(("left", "compactions"), [(1, 1), (3, 0)])
def test_plain_transcript_was_compacted_if_it_was_rewritten_with_fewer_messages(
    laptop: Laptop, left: int, compactions: int
) -> None:
    path = laptop.root / "7625/transcript.jsonl"
    write(path, *({"type": "assistant_message", "content": cause(number)} for number in (1, 2, 3)))
    laptop.scan()
    path.unlink()
    write(path, *({"type": "assistant_message", "content": cause(number)} for number in range(3, 3 + left)))
    report = laptop.scan()
    assert (report.compactions, laptop.state(path).compaction_count) == (compactions, compactions)
    assert list(dict.fromkeys(laptop.queued())) == [cause(number) for number in range(1, 4 if left == 1 else 6)]


def test_learning_that_is_taken_back_after_it_was_queued_is_withdrawn_in_the_next_queue_file(laptop: Laptop) -> None:
    laptop.transcript.agent(cause(1))
    laptop.scan()
    laptop.transcript.agent("Actually, `f1()` returns 1.")
    laptop.scan()

    first, second = laptop.files()
    (learning,) = first["learnings"]
    named = {name: learning[name] for name in ("type", "content", "source_message_index")}
    assert ("withdrawn" in first, second["learnings"], second["withdrawn"]) == (False, [], [named])

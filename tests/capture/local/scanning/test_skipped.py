"""What scans leave out is named once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from capture.local.scanning import skipped
from capture.local.scanning.skipped import Skipped
from tests.support.laptops.capture_laptop import TEN, Laptop


def test_file_is_new_until_it_was_saved_and_again_with_another_reason(tmp_path: Path) -> None:
    lines = []
    for reason in ("is a pipe", "is a pipe", "is a device"):
        skips = Skipped(tmp_path)
        skips.add(Path("/a"), reason)
        skips.add(Path("/a"), "of another reader")
        skips.save()
        lines.append(skips.new)
    assert lines == [["/a: is a pipe"], [], ["/a: is a device"]]
    assert skipped.load(tmp_path) == {"/a": "is a device"}


def test_file_that_was_not_looked_at_is_remembered_and_one_that_is_gone_is_not(tmp_path: Path) -> None:
    skips = Skipped(tmp_path)
    skips.add(Path("/a"), "is a pipe")
    skips.add(Path("/b"), "is a pipe")
    skips.save()
    skips = Skipped(tmp_path)
    skips.keep(Path("/a"))
    skips.keep(Path("/c"))
    skips.save()
    assert skipped.load(tmp_path) == {"/a": "is a pipe"}


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff", b"[" * 100_000])
def test_damaged_record_counts_as_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / skipped.SKIPPED_FILE).write_bytes(content)
    assert skipped.load(tmp_path) == {}


def test_pipe_with_the_name_of_a_transcript_is_named_once_and_does_not_block(captured: Laptop) -> None:
    pipe = captured.root / "-slug/pipe.jsonl"
    os.mkfifo(pipe)
    plain = captured.root / "-slug/transcript.jsonl"
    os.mkfifo(plain)
    reports = [captured.scan(), captured.scan()]
    named = [f"{pipe}: is not a regular file", f"{plain}: is not a regular file"]
    assert [report.skipped for report in reports] == [named, []]
    assert [report.problems for report in reports] == [[], []]


def test_link_to_nothing_is_named(captured: Laptop) -> None:
    link = captured.root / "-slug/old.jsonl"
    link.symlink_to(captured.root / "gone.jsonl")
    assert captured.scan().skipped == [f"{link}: links to a file that does not exist"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_utf_16_transcript_is_named_once(captured: Laptop, encoding: str) -> None:
    text = captured.transcript.path.read_text()
    path = captured.root / "-slug/u16.jsonl"
    path.write_bytes(("\ufeff" * (encoding == "utf-16-be") + text).encode(encoding))
    assert captured.scan().skipped == [f"{path}: is UTF-16 text; convert it to UTF-8 to have it read"]
    assert captured.scan().skipped == []


def test_file_without_a_readable_line_is_named_and_damaged_lines_among_others_are_counted(
    captured: Laptop,
) -> None:
    (captured.root / "-slug/junk.jsonl").write_bytes(b"junk\nmore\n")
    captured.transcript.raw(b"junk\n")
    captured.transcript.agent("And so it goes on.")
    report = captured.scan()
    assert sorted(report.skipped) == sorted(
        [
            f"{captured.root}/-slug/junk.jsonl: has no readable message in its new lines (2 damaged)",
            f"{captured.transcript.path}: 1 damaged line",
        ]
    )
    assert captured.scan().skipped == []
    assert captured.queued() == TEN

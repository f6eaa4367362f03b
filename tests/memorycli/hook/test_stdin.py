"""Standard input has an end: by size, by time, or because the JSON is whole."""

from __future__ import annotations

import os
import threading
import time

import pytest

from memorycli.hook import stdin


@pytest.fixture
def pipe():
    reading, writing = os.pipe()
    yield reading, writing
    os.close(reading)


def write(descriptor: int, *parts: bytes, pause: float = 0.0, close: bool = True) -> threading.Thread:
    def run() -> None:
        for part in parts:
            os.write(descriptor, part)
            time.sleep(pause)
        if close:
            os.close(descriptor)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_all_up_to_the_end_is_read(pipe):
    data = b'{"a": "' + b"x" * 300_000 + b'"}'
    writer = write(pipe[1], data[:100], data[100:])
    assert stdin.read(1 << 20, 60, descriptor=pipe[0]) == data
    writer.join()


def test_parts_that_come_slowly_are_waited_for(pipe):
    writer = write(pipe[1], b'{"a": {"b": 1}', b', "c": "}', b'"}', pause=0.12)
    assert stdin.read(1 << 20, 60, descriptor=pipe[0]) == b'{"a": {"b": 1}, "c": "}"}'
    writer.join()


def test_whole_object_is_taken_though_the_pipe_stays_open(pipe):
    write(pipe[1], b'\xef\xbb\xbf{"a": 1}\r\n', close=False).join()
    assert stdin.read(1 << 20, 3600, descriptor=pipe[0]) == b'\xef\xbb\xbf{"a": 1}\r\n'
    os.close(pipe[1])


def test_input_that_breaks_off_is_refused_after_the_wait(pipe):
    write(pipe[1], b'{"a": ', close=False).join()
    with pytest.raises(stdin.InputError, match=r"broke off after 6 bytes and did not end within 0\.1 s"):
        stdin.read(1 << 20, 0.1, descriptor=pipe[0])
    os.close(pipe[1])


def test_nothing_at_all_is_empty_after_the_wait(pipe):
    assert stdin.read(1 << 20, 0.1, descriptor=pipe[0]) == b""
    os.close(pipe[1])


def test_more_than_the_limit_is_refused(pipe):
    writer = write(pipe[1], b"x" * 5000)
    with pytest.raises(stdin.InputError, match="more than 1000 bytes"):
        stdin.read(1000, 60, descriptor=pipe[0])
    writer.join()


def test_closed_standard_input_is_empty():
    reading, writing = os.pipe()
    os.close(reading)
    os.close(writing)
    assert stdin.read(1000, 60, descriptor=reading) == b""


def test_file_is_read_like_a_pipe(tmp_path):
    (tmp_path / "event").write_bytes(b'{"a": 1}')
    descriptor = os.open(tmp_path / "event", os.O_RDONLY)
    assert stdin.read(1000, 60, descriptor=descriptor) == b'{"a": 1}'
    os.close(descriptor)


def test_reader_for_systems_without_select_takes_whole_objects_too(pipe):
    write(pipe[1], b'{"a": 1}', close=False).join()
    assert stdin._read_in_thread(1000, 3600, pipe[0]) == b'{"a": 1}'
    os.close(pipe[1])

"""The count of tool calls, as hooks use it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ghap.local import counter
from memoryserver.common import files
from memoryserver.common.files import LockTimeoutError
from tests.support.laptops.journals import create, run


def test_calls_are_counted_up_and_reset_to_zero(tmp_path: Path) -> None:
    assert counter.peek(tmp_path) == 0
    assert [counter.increment(tmp_path) for _ in range(3)] == [1, 2, 3]
    assert counter.peek(tmp_path) == 3
    counter.reset(tmp_path)
    assert counter.peek(tmp_path) == 0


def test_one_call_in_each_period_is_due_for_a_check_in(tmp_path: Path) -> None:
    tmp_path.joinpath(".tool_count").write_text("0")
    assert [counter.record_call(tmp_path, 3, active=True) for _ in range(7)] == [
        False,
        False,
        True,
        False,
        False,
        True,
        False,
    ]
    assert [counter.record_call(tmp_path, 0, active=True) for _ in range(5)] == [False] * 5
    assert [counter.record_call(tmp_path, 2, active=False) for _ in range(3)] == [False] * 3
    assert counter.peek(tmp_path) == 9


@pytest.mark.parametrize("content", [b"", b"-3", b"x", b"1.5", b"\xff", b"9" * 19])
def test_damaged_count_is_set_aside_and_counts_as_zero(content: bytes, tmp_path: Path) -> None:
    (tmp_path / ".tool_count").write_bytes(content)
    assert counter.peek(tmp_path) == 0
    assert counter.increment(tmp_path) == 1
    (backup,) = tmp_path.glob("*.corrupted.*")
    assert backup.read_bytes() == content


def test_folder_in_place_of_the_count_is_set_aside(tmp_path: Path) -> None:
    (tmp_path / ".tool_count").mkdir()
    counter.reset(tmp_path)
    assert (tmp_path / ".tool_count").read_text() == "0"


def test_check_in_is_due_only_with_an_active_entry(tmp_path: Path) -> None:
    counter.increment(tmp_path)
    assert (counter.has_active_entry(tmp_path), counter.check_in_due(tmp_path, 1)) == (False, False)
    run(tmp_path, create)
    counter.increment(tmp_path)
    assert counter.has_active_entry(tmp_path)
    assert (counter.check_in_due(tmp_path, 1), counter.check_in_due(tmp_path, 2)) == (True, False)


def test_lock_is_waited_for_no_longer_than_the_timeout(tmp_path: Path) -> None:
    with files.lock(tmp_path / ".lock"):
        for step in (
            lambda: counter.increment(tmp_path, timeout=0.02),
            lambda: counter.record_call(tmp_path, 1, active=True, timeout=0.02),
            lambda: counter.reset(tmp_path, timeout=0.02),
        ):
            with pytest.raises(LockTimeoutError, match=r"for more than 0\.02 s by process"):
                step()


def test_counter_is_imported_without_what_a_hook_must_not_pay_for() -> None:
    program = (
        "import sys; import ghap.local.counter; "
        "print([name for name in ('asyncio', 'aiofiles', 'dataclasses', 'logging', 'json', 'argparse') "
        "if name in sys.modules])"
    )
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    assert process.stdout == "[]\n"

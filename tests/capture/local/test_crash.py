"""A scan that is stopped at any of its file operations."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from capture.local.scan import ScanReport, scan
from tests.capture.local.laptop import Laptop, cause


def stopped_at(operation: int, laptop: Laptop) -> bool:
    """Scan in a process of its own that ends, without a word, at its `operation`th change of a file."""
    child = os.fork()
    if child == 0:
        left = operation

        def counted(call: Callable[..., Any]) -> Callable[..., Any]:
            def counting(*args: Any, **kwargs: Any) -> Any:
                nonlocal left
                left -= 1
                if left < 0:
                    os._exit(77)
                return call(*args, **kwargs)

            return counting

        for name in ("write", "fsync", "replace", "unlink"):
            setattr(os, name, counted(getattr(os, name)))
        try:
            scan(laptop.home, [laptop.root])
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 77


def test_stopped_at_any_file_operation_nothing_is_lost_and_nothing_is_queued_twice_but_the_range_cut_short(
    tmp_path: Path,
):
    """Between the queue file and the ledger a crash repeats the range: the capture id tells the server."""
    operation, stopped = 0, True
    repeated = []
    while stopped:
        laptop = Laptop(tmp_path / str(operation))
        for number in (1, 2, 3):
            laptop.transcript.agent(cause(number))
        stopped = stopped_at(operation, laptop)
        laptop.scan()
        assert set(laptop.queued()) == {cause(1), cause(2), cause(3)}
        ids = [file["capture_id"] for file in laptop.files()]
        assert len(set(ids)) == 1
        if len(ids) > 1:
            repeated.append(operation)
        assert laptop.scan() == ScanReport(transcripts=1)
        operation += 1
    assert operation > 10
    assert 0 < len(repeated) < operation / 2

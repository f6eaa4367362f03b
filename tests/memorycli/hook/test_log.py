"""The hook's log: one line a problem, bounded, and never in the way."""

from __future__ import annotations

import re

import pytest

from memorycli.hook import log


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path))
    return tmp_path


def test_problem_is_one_line_with_time_and_process(home):
    log.write("bad\nnews \x1b[31m\ud83d")
    line = (home / "logs/hook.log").read_text()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \[\d+\] bad news \ufffd\n", line)


def test_log_is_turned_over_by_size_and_only_one_old_one_kept(home):
    for _ in range(400):
        log.write("x" * 10_000)
    sizes = {path.name: path.stat().st_size for path in (home / "logs").iterdir()}
    assert set(sizes) == {"hook.log", "hook.log.1"}
    assert max(sizes.values()) < log.MAX_BYTES + 3000


def test_home_that_cannot_be_written_is_borne_with(home):
    (home / "logs").write_text("a file in the way")
    log.write("nobody will read this")
    assert (home / "logs").read_text() == "a file in the way"

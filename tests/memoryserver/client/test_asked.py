"""Each occasion is new once, also to several processes that ask at once."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memoryserver.client import asked


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_occasion_is_new_once() -> None:
    assert not asked.was_asked("failures", "s1")
    assert [asked.first_time("failures", "s1") for _ in range(3)] == [True, False, False]
    assert asked.was_asked("failures", "s1")
    assert asked.first_time("failures", "s2")
    assert asked.first_time("compaction", "s1")


def test_of_several_processes_at_once_one_asks() -> None:
    program = "from memoryserver.client import asked; print(asked.first_time('failures', 's1'))"

    def run(_: int) -> str:
        command = [sys.executable, "-c", program]
        return subprocess.run(command, capture_output=True, check=True, text=True, cwd=Path(__file__).parents[3]).stdout

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(run, range(4)))

    assert sorted(answers) == ["False\n"] * 3 + ["True\n"]


def test_what_cannot_be_recorded_is_not_asked(home: Path) -> None:
    home.mkdir()
    (home / "asked").write_text("a file where the folder should be")

    with pytest.raises(OSError, match="asked"):
        asked.first_time("failures", "s1")


def test_number_of_occasions_is_bounded(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asked, "MAX_FILES", 10)
    for number in range(30):
        assert asked.first_time("failures", str(number))

    assert len(list((home / "asked").iterdir())) <= 10

"""Broken input of every kind: the hook ends with status 0, says nothing or JSON, and the journal stays whole.

The long form is `bench/hook_fuzz.py`.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest

from memorycli.hook import command as hook_command
from tests.support.agents.hook_fuzzer import begin, checked, damage
from tests.support.agents.hook_inputs import Inputs

ROOT = Path(__file__).resolve().parents[3]
INPUTS = 1000


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path / "home"))
    for name in ("MEMORYSERVER_URL", "CLAUDE_PROJECT_DIR", "MEMORYSERVER_JOURNAL_DIR"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "project ü"
    (folder / ".git").mkdir(parents=True)
    return folder


def test_broken_input_breaks_neither_the_hook_nor_the_journal(project: Path) -> None:
    command = [sys.executable, "-m", "tests.support.agents.hook_fuzzer", str(project), str(INPUTS), "2"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    found = json.loads(done.stdout)
    assert (done.stderr, found["inputs"], found["faults"]) == (b"", INPUTS, [])
    assert found["answers"] > INPUTS / 30
    assert found["resolved"] > 0, found


def test_broken_input_breaks_no_hook_that_is_a_process_of_its_own(project: Path) -> None:
    begun = begin(project / ".claude/journal")
    for data in itertools.islice(Inputs(11, str(project)), 20):
        done = subprocess.run(hook_command.argv(), input=data, cwd=project, capture_output=True, check=False)
        assert checked(done.returncode, done.stdout, done.stderr)[1] == ""
    assert damage(project / ".claude/journal", begun) == []

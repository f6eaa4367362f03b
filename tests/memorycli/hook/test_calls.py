"""An agent is only told a command that it can find."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from memorycli.hook import calls


def program(folder: Path) -> Path:
    folder.mkdir()
    path = folder / "memory"
    path.write_text("")
    path.chmod(0o755)
    return path


def test_command_on_the_path_is_named_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "bin")
    monkeypatch.setenv("PATH", f"/nowhere::{tmp_path / 'bin'}")
    assert calls.call("adopt_orphan", "ghap adopt") == "adopt_orphan, or: memory ghap adopt"


def test_command_that_is_not_on_the_path_is_named_by_its_path_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "env" / "python"))
    assert calls.call("adopt_orphan", "ghap adopt") == "adopt_orphan"

    path = program(tmp_path / "env")
    assert calls.call("adopt_orphan", "ghap adopt") == f"adopt_orphan, or: {path} ghap adopt"

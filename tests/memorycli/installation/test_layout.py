"""Where the client's own files are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memorycli.installation import layout
from memorycli.installation.layout import Installed, Layout

ROOT = Path(__file__).parents[3]


def test_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    installed = Installed("1.2", "ab" * 32, "1.2-abab", "1.1-cdcd", "/bin/memory")
    Layout(tmp_path).record(installed)

    assert Layout(tmp_path).installed() == installed


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"version": 7}', '{"name": ""}'])
def test_record_that_cannot_be_read_is_none(content: str, tmp_path: Path) -> None:
    (tmp_path / "installed.json").write_text(content)

    assert Layout(tmp_path).installed() is None


def test_checkout_is_not_installed_by_a_join_line() -> None:
    assert layout.running() is None
    assert layout.update_command().startswith("pip install --upgrade memorycli")
    assert layout.mcp_command().startswith('pip install "memorycli[mcp]"')


def test_command_of_a_client_is_its_launcher(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    assert layout.command() == "memory"

    layout.record(Installed("1.2", "", "1.2-ab", launcher="/home/a b/memory"))
    assert layout.command() == "'/home/a b/memory'"


def test_client_of_a_join_line_knows_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "versions").mkdir()
    (tmp_path / "versions/1.2-ab").symlink_to(ROOT)
    (tmp_path / "current").symlink_to("versions/1.2-ab")
    Layout(tmp_path).record(Installed("1.2", "", "1.2-ab"))
    program = "from memorycli.installation import layout as l; print(l.running().root, l.update_command())"
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(tmp_path / 'current')!r}); {program}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert done.stdout == f"{tmp_path} memory update\n"

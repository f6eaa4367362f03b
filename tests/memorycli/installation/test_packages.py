"""The package for the MCP tools, put into the environment of a client that joined."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from memorycli.installation import environment, packages
from memorycli.installation.layout import Layout
from memorycli.installation.versions import InstallationError
from tests.support.laptops.stub_package import write_wheel


def test_package_is_installed_or_it_is_said_in_one_line_why_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = Layout(tmp_path / "a client")
    environment.make(layout)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(InstallationError, match=r"^pip failed: ERROR: No matching distribution found for mcp"):
        packages.add_mcp(layout)

    for name, value in write_wheel(tmp_path).items():
        monkeypatch.setenv(name, value)
    packages.add_mcp(layout)

    assert subprocess.run([layout.python, "-I", "-c", "import mcp"], check=False).returncode == 0


def test_environment_that_cannot_have_pip_says_what_to_install(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    layout.python.parent.mkdir(parents=True)
    layout.python.write_text("#!/bin/sh\necho 'No module named ensurepip' >&2\nexit 1\n")
    layout.python.chmod(0o755)

    with pytest.raises(InstallationError) as error:
        packages.add_mcp(layout)

    assert str(error.value) == (
        "pip cannot be installed (Debian, Ubuntu: apt install python3-venv): No module named ensurepip"
    )

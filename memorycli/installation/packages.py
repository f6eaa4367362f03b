"""The package for the MCP tools, in the environment of a client that a join line installed."""

from __future__ import annotations

import importlib
import subprocess

from memorycli.installation.layout import MCP_PACKAGE, Layout
from memorycli.installation.versions import InstallationError


def add_mcp(layout: Layout) -> None:
    """Install the package by pip, which is put into the environment first. Raises InstallationError."""
    _run(layout, "pip cannot be installed (Debian, Ubuntu: apt install python3-venv)", "ensurepip")
    _run(layout, "pip failed", "pip", "install", "--quiet", "--disable-pip-version-check", MCP_PACKAGE)
    importlib.invalidate_caches()


def _run(layout: Layout, failure: str, *module: str) -> None:
    command = [str(layout.python), "-I", "-m", *module]
    done = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or ["no message"]
        raise InstallationError(f"{failure}: {last[0][:300]}")

"""Where the client's own files are, and what is recorded of them."""

from __future__ import annotations

import json
import os
import shlex
from dataclasses import asdict, dataclass
from pathlib import Path

from memoryserver.common import files

FOLDER = "client"  # in the home folder
MCP_PACKAGE = "mcp>=2,<3"
_RECORD = "installed.json"
_CURRENT = "current"
_CODE = Path(__file__).absolute().parents[2]  # the folder with this package; not resolved, since `current` is a link


@dataclass(frozen=True)
class Installed:
    """What is installed: its version and checksum, the names of its folder and the one before, and the launcher."""

    version: str
    sha256: str
    name: str
    previous: str = ""
    launcher: str = ""


@dataclass(frozen=True)
class Layout:
    """The client's files below `root`."""

    root: Path

    @property
    def env(self) -> Path:
        """The virtual environment."""
        return self.root / "env"

    @property
    def python(self) -> Path:
        """The Python that runs the client."""
        return self.env / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    @property
    def versions(self) -> Path:
        """The folder of the versions."""
        return self.root / "versions"

    @property
    def current(self) -> Path:
        """The code in use."""
        return self.root / _CURRENT

    @property
    def lock(self) -> Path:
        """The lock file that a process holds while it changes these files."""
        return self.root / ".lock"

    def installed(self) -> Installed | None:
        """Return the record; None if there is none that can be read."""
        fields = files.read_object(self.root / _RECORD)
        names = {name: fields.get(name) for name in Installed.__dataclass_fields__}
        if not all(isinstance(value, str) for value in names.values()) or not names["name"]:
            return None
        return Installed(**{name: str(value) for name, value in names.items()})

    def command(self) -> str:
        """Return the command of the client as it is typed."""
        installed = self.installed()
        launcher = installed.launcher if installed else ""
        return (f'& "{launcher}"' if os.name == "nt" else shlex.quote(launcher)) if launcher else "memory"

    def record(self, installed: Installed) -> None:
        """Store the record. Raises OSError."""
        files.write_atomic(self.root / _RECORD, json.dumps(asdict(installed), indent=2) + "\n")


def running() -> Layout | None:
    """Return the layout that this very process runs from; None if it was installed in another way."""
    layout = Layout(_CODE.parent)
    return layout if _CODE.name == _CURRENT and layout.installed() else None


def update_command() -> str:
    """Return the command that updates this client."""
    return "memory update" if running() else "pip install --upgrade memorycli (or memoryserver, beside the server)"


def mcp_command() -> str:
    """Return the command that adds the package which `memory mcp` needs."""
    layout = running()
    if layout is None:
        return 'pip install "memorycli[mcp]" (or "memoryserver[mcp]" beside the server)'
    return f'"{layout.python}" -m ensurepip && "{layout.python}" -m pip install "{MCP_PACKAGE}"'

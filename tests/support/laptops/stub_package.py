"""A stand-in for the package `mcp`, which pip finds in a folder instead of its index."""

from __future__ import annotations

import zipfile
from pathlib import Path

_INFO = "mcp-2.0.0.dist-info"


def write_wheel(folder: Path) -> dict[str, str]:
    """Write the wheel of an empty `mcp` into `folder` and return the variables by which pip takes it from there."""
    with zipfile.ZipFile(folder / "mcp-2.0.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("mcp/__init__.py", "")
        wheel.writestr(f"{_INFO}/METADATA", "Metadata-Version: 2.1\nName: mcp\nVersion: 2.0.0\n")
        wheel.writestr(f"{_INFO}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{_INFO}/RECORD", "")
    return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder)}

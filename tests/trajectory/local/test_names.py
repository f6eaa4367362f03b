"""The package's names are loaded when they are used, and no earlier."""

from __future__ import annotations

import subprocess
import sys

import pytest

import trajectory.local


def test_every_name_is_found_and_known_to_dir():
    assert [name for name in trajectory.local.__all__ if getattr(trajectory.local, name) is None] == []
    assert sorted(trajectory.local.__all__) == sorted(
        name for names in trajectory.local._HOME_OF.values() for name in names
    )


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        trajectory.local.Nothing  # noqa: B018


def test_import_of_the_package_loads_no_dataclass():
    code = "import trajectory.local, sys; print([m for m in ('dataclasses', 'inspect', 'typing') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"

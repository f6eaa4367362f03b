"""Versions of the client: unpacked, tried, used, and left alone when something is wrong."""

from __future__ import annotations

import io
import os
import sys
import zipfile
from pathlib import Path

import pytest

from memorycli.installation import versions
from memorycli.installation.layout import Layout
from memorycli.installation.versions import InstallationError

GOOD = "def main(words):\n    return 0\n"
BROKEN = "raise RuntimeError('made for another Python')\n"


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """A layout of which the Python is this one."""
    layout = Layout(tmp_path / "client")
    layout.python.parent.mkdir(parents=True)
    layout.python.symlink_to(sys.executable)
    return layout


def archive(main: str = GOOD, **more: str) -> bytes:
    """An archive of the client; the same content gives the same bytes, whatever the clock says."""
    contents = {"__main__.py": "", "memorycli/__init__.py": "", "memorycli/main.py": main, **more}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as opened:
        for name, content in contents.items():
            opened.writestr(zipfile.ZipInfo(name), content)
    return file.getvalue()


def used(layout: Layout) -> str:
    return (layout.current / "memorycli/main.py").read_text()


def test_version_is_used_and_recorded(layout: Layout) -> None:
    installed = versions.install(layout, archive(), "1.2.3", launcher="/bin/memory")

    assert layout.installed() == installed
    assert (installed.version, installed.name[:6], installed.previous, installed.launcher) == (
        "1.2.3", "1.2.3-", "", "/bin/memory",
    )  # fmt: skip
    assert os.readlink(layout.current) == f"versions/{installed.name}"
    assert not (layout.current / "__main__.py").exists()
    assert list((layout.current / "memorycli/__pycache__").iterdir()) != []


def test_next_version_keeps_the_one_before_and_no_older_one(layout: Layout) -> None:
    names = [versions.install(layout, archive(f"# {n}\n{GOOD}"), f"1.{n}").name for n in range(3)]

    installed = layout.installed()
    assert installed is not None
    assert (installed.name, installed.previous) == (names[2], names[1])
    assert {path.name for path in layout.versions.iterdir()} == set(names[1:])


def test_same_archive_again_changes_nothing(layout: Layout) -> None:
    versions.install(layout, archive(f"# 1\n{GOOD}"), "1.1")
    before = versions.install(layout, archive(), "1.2")

    assert versions.install(layout, archive(), "1.2") == before


def test_damaged_version_is_unpacked_again(layout: Layout) -> None:
    versions.install(layout, archive(), "1.2")
    (layout.current / "memorycli/main.py").write_text("(")
    versions.install(layout, archive(), "1.2")

    assert used(layout) == GOOD


REFUSED = {
    "broken": (archive(BROKEN), "does not start on this Python (RuntimeError: made for another Python)"),
    "no zip": (b"PK no archive", "is damaged"),
    "empty": (b"", "is damaged"),
    "outside": (archive(**{"../outside.py": ""}), "has a file outside of its folder"),
    "absolute": (archive(**{"/tmp/outside.py": ""}), "has a file outside of its folder"),
    "of windows": (archive(**{"c:\\outside.py": ""}), "has a file outside of its folder"),
    "torn": (archive()[:-40], "is damaged"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_archive_that_cannot_be_used_leaves_the_one_in_use(name: str, layout: Layout) -> None:
    content, reason = REFUSED[name]
    before = versions.install(layout, archive(), "1.1")

    with pytest.raises(InstallationError) as raised:
        versions.install(layout, content, "1.2")

    assert reason in str(raised.value)
    assert (layout.installed(), used(layout)) == (before, GOOD)
    assert not (layout.root.parent / "outside.py").exists()


def test_archive_that_unpacks_to_too_much_is_refused(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "_MAX_UNPACKED", 100)

    with pytest.raises(InstallationError, match="larger than any client"):
        versions.install(layout, archive(**{"big.py": "#" * 200}), "1.2")


def test_version_before_is_back_and_forth(layout: Layout) -> None:
    first = versions.install(layout, archive(f"# 1\n{GOOD}"), "1.1", launcher="/bin/memory")
    second = versions.install(layout, archive(f"# 2\n{GOOD}"), "1.2")

    back = versions.roll_back(layout)
    assert (back.version, back.name, back.previous, back.launcher) == ("1.1", first.name, second.name, "/bin/memory")
    assert used(layout) == f"# 1\n{GOOD}"
    assert versions.roll_back(layout).name == second.name
    assert used(layout) == f"# 2\n{GOOD}"


def test_there_is_nothing_to_go_back_to_after_the_first(layout: Layout) -> None:
    for _ in range(2):
        with pytest.raises(InstallationError, match="there is no version before this one"):
            versions.roll_back(layout)
        versions.install(layout, archive(), "1.1")


def test_version_of_strange_form_does_not_leave_its_folder(layout: Layout) -> None:
    installed = versions.install(layout, archive(), "../../x\n")

    assert installed.name.startswith(".._.._x_-")
    assert (layout.versions / installed.name).is_dir()

"""The client that the server ships."""

from __future__ import annotations

import io
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

from memoryserver import __version__
from memoryserver.joining.client_archive import CONTENTS, client_archive

ROOT = Path(__file__).parents[3]


def test_archive_has_what_the_clients_wheel_has() -> None:
    table = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]

    assert list(CONTENTS) == table["hooks"]["custom"]["packages"]


def test_archive_has_every_file_of_the_packages_and_no_other() -> None:
    names = set(zipfile.ZipFile(io.BytesIO(client_archive().content)).namelist())
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *CONTENTS],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert names == {"__main__.py", *tracked.stdout.split()}


def test_every_process_makes_the_same_archive() -> None:
    program = "from memoryserver.joining.client_archive import client_archive; print(client_archive().sha256)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)

    assert (done.stdout.strip(), client_archive().version) == (client_archive().sha256, __version__)


def test_archive_says_what_it_needs_on_a_python_that_is_too_old(tmp_path: Path) -> None:
    main = zipfile.ZipFile(io.BytesIO(client_archive().content)).read("__main__.py").decode()
    (tmp_path / "old.py").write_text("import sys\nsys.version_info = (3, 9, 18)\n" + main)
    done = subprocess.run([sys.executable, tmp_path / "old.py"], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (1, "memory needs Python 3.11 or later; this is 3.9\n")

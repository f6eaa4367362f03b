from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memoryserver.ops.backups import BackupError, programs
from memoryserver.ops.postgres import VERSION, binaries


def install(folder: Path, version: str) -> Path:
    """Programs that say they are of `version`."""
    folder.mkdir(parents=True)
    for name in programs.NAMES:
        (folder / name).write_text(f"#!/bin/sh\necho '{name} (PostgreSQL) {version}'\n")
        (folder / name).chmod(0o755)
    return folder


@pytest.fixture
def debian(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without the programs of any version, but the embedded one."""
    folder = tmp_path / "postgresql"
    monkeypatch.setattr(programs, "DEBIAN", folder)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return folder


def test_programs_of_the_embedded_postgres_are_found(debian: Path) -> None:
    (found,) = programs.installed()
    assert (found.folder, found.major) == (binaries(), int(VERSION))
    assert Path(found.path("psql")).exists()


def test_oldest_version_that_is_not_older_than_the_server_is_taken(debian: Path) -> None:
    for version in ("15.3", "17.1", "19.2"):
        install(debian / version.partition(".")[0] / "bin", version)

    assert [programs.suitable(major).version for major in (14, 16, 19)] == ["15.3", "17.1", "19.2"]


def test_folder_of_the_settings_is_looked_at_too(debian: Path, tmp_path: Path, settings: Any) -> None:
    settings.POSTGRES_BIN = str(install(tmp_path / "mine", "30.1"))

    assert programs.suitable(30).folder == tmp_path / "mine"


def test_server_newer_than_all_programs_is_an_error_that_says_what_to_install(debian: Path) -> None:
    with pytest.raises(BackupError, match=r"of PostgreSQL 90 or later are needed; found: .*postgresql-client-90"):
        programs.suitable(90)


def test_program_that_does_not_say_its_version_is_left_out(debian: Path) -> None:
    (install(debian / "20" / "bin", "20.1") / "pg_dump").write_text("#!/bin/sh\nexit 1\n")

    assert programs.version_of(debian / "20" / "bin" / "pg_dump") == ""
    assert [found.major for found in programs.installed()] == [int(VERSION)]

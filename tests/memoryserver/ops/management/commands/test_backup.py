"""The command as its operator calls it: against a server that does not run, and with nothing but its words."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from memoryserver.ops.backups import archive
from tests.support.database.restored_server import Target

pytestmark = pytest.mark.django_db(transaction=True)


def test_backup_is_written_and_checked(copied_server: Target, tmp_path: Path) -> None:
    path = tmp_path / "one.backup"

    written = copied_server.manage("backup", str(path))
    checked = copied_server.manage("backup", "--check", str(path))

    assert (written.stderr, checked.stderr) == ("", "")
    assert written.stdout.startswith(f"Wrote {path}: ")
    assert "with the secret key, made by memoryserver " in written.stdout
    assert checked.stdout == written.stdout.replace(f"Wrote {path}", f"{path} is whole")


def test_secret_key_is_left_out_on_demand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.backup"

    call_command("backup", path, without_secret_key=True)

    assert "without the secret key" in capsys.readouterr().out
    assert archive.read_manifest(path).secret_key is False


def test_damaged_file_is_an_error_of_one_line(copied_server: Target, tmp_path: Path) -> None:
    path = tmp_path / "one.backup"
    path.write_bytes(b"PK nothing")

    checked = copied_server.manage("backup", "--check", str(path))

    assert checked.returncode == 1
    assert checked.stderr == (
        f"CommandError: {path} is damaged, or not a backup of memoryserver (File is not a zip file); "
        "nothing was changed. Use another backup\n"
    )


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["backup"], "name a file, or set MEMORYSERVER_BACKUP_DIR to the folder of the nightly backups"),
        (["backup", "--check"], "name the file to check: manage.py backup --check FILE"),
    ],
)
def test_missing_file_is_asked_for(words: list[str], reason: str) -> None:
    with pytest.raises(CommandError) as error:
        call_command(*words)

    assert str(error.value) == reason

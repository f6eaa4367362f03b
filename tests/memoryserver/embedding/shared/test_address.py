"""Where the socket is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memoryserver import database
from memoryserver.embedding.base import EmbeddingModelError
from memoryserver.embedding.shared.address import default_socket, make_folder


def test_each_data_folder_has_a_socket_of_its_own_beside_that_of_its_postgres() -> None:
    sockets = [default_socket(Path(folder)) for folder in ("/a", "/b", "/" + "c" * 120, "/" + "d" * 120)]

    assert len(set(sockets)) == 4
    assert sockets[0] == Path("/a/socket/embedding.sock")
    assert sockets[2].parent == database.embedded_socket_dir(Path("/" + "c" * 120))
    assert max(len(os.fsencode(path)) for path in sockets) < 104


def test_folder_is_made_for_this_user_only_and_kept(tmp_path: Path) -> None:
    for _ in range(2):
        make_folder(tmp_path / "new" / "embedding.sock")

    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        (
            "no/such",
            r"embedding.sock cannot be created \(No such file or directory\); set MEMORYSERVER_EMBEDDING_SOCKET",
        ),
        ("x" * 120, "has more than 100 bytes; set MEMORYSERVER_EMBEDDING_SOCKET"),
    ],
)
def test_socket_that_cannot_be_made_is_an_error_that_names_the_setting(folder: str, message: str) -> None:
    with pytest.raises(EmbeddingModelError, match=message):
        make_folder(Path("/tmp", folder, "embedding.sock"))


def test_folder_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: user + 1)

    with pytest.raises(EmbeddingModelError, match="must be a folder of this user"):
        make_folder(tmp_path / "embedding.sock")

"""Variables of the environment that are misspelt."""

from __future__ import annotations

import re

import pytest

from memoryserver.ops.doctor import Finding, variables
from tests.support.processes.server_process import ROOT

CODE = ("memoryserver", "memorycli", "capture", "ghap", "obslog", "trajectory", "deploy")


@pytest.fixture(autouse=True)
def _only_known(monkeypatch: pytest.MonkeyPatch) -> None:
    for sentence in variables.unknown():
        monkeypatch.delenv(sentence.split()[0])


def test_known_are_the_variables_that_the_code_and_the_files_for_deploying_read_and_the_page_of_settings_has() -> None:
    own = ROOT / "memoryserver/ops/doctor/variables.py"
    files = [path for folder in CODE for path in (ROOT / folder).rglob("*") if path.is_file() and path != own]
    texts = [
        path.read_bytes().decode(errors="replace") for path in (*files, ROOT / "docs/settings.md") if _is_read(path)
    ]

    assert {name for text in texts for name in re.findall(r"\bMEMORYSERVER_[A-Z_]*[A-Z]\b", text)} == variables.KNOWN


def _is_read(path: object) -> bool:
    return not str(path).endswith((".pyc", ".onnx", ".safetensors"))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "MEMORYSERVER_BACKUPDIR",
            "MEMORYSERVER_BACKUPDIR is not a setting; did you mean MEMORYSERVER_BACKUP_DIR?",
        ),
        (
            "MEMORYSERVER_ALLOWED_HOST",
            "MEMORYSERVER_ALLOWED_HOST is not a setting; did you mean MEMORYSERVER_ALLOWED_HOSTS?",
        ),
        (
            "MEMORYSERVER_SECRETKEY_FILE",
            "MEMORYSERVER_SECRETKEY_FILE is not a setting; did you mean MEMORYSERVER_SECRET_KEY?",
        ),
        ("MEMORYSERVER_ZZZZ", "MEMORYSERVER_ZZZZ is not a setting"),
    ],
)
def test_misspelt_variable_is_named_with_the_nearest_setting_and_without_its_value(
    name: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "hunter2secret")

    assert list(variables.names()) == [Finding(said, "rename it, or remove it; docs/settings.md has all settings")]


@pytest.mark.parametrize(
    "name",
    ["MEMORYSERVER_BACKUP_DIR", "MEMORYSERVER_SECRET_KEY_FILE", "MEMORYSERVER_HOME", "MEMORYSERVER_TOKEN", "PATH"],
)
def test_settings_of_the_server_and_of_the_client_are_known(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "x")

    assert list(variables.unknown()) == []

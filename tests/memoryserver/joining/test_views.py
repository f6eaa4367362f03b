"""What a laptop fetches to join."""

from __future__ import annotations

import hashlib
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from memoryserver import __version__

PATHS = ("/join", "/join.ps1", "/join/client.json", "/join/client.pyz")


@pytest.fixture(autouse=True)
def no_public_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMORYSERVER_PUBLIC_URL", raising=False)


def test_facts_are_those_of_the_client() -> None:
    facts = Client().get("/join/client.json").json()
    content = Client().get(facts["path"]).content

    assert facts == {
        "version": __version__,
        "sha256": hashlib.sha256(content).hexdigest(),
        "size": len(content),
        "path": "/join/client.pyz",
        "python": [3, 11],
    }


@pytest.mark.parametrize("path", ["/join", "/join.ps1"])
def test_script_has_the_address_and_the_checksum_of_the_client(path: str) -> None:
    text = Client().get(path, headers={"host": "localhost:8123"}).content.decode()

    assert "http://localhost:8123" in text
    assert Client().get("/join/client.json").json()["sha256"] in text
    assert re.findall(r"@\w+@", text) == []


@pytest.mark.parametrize("path", PATHS)
def test_nothing_of_it_is_kept_by_a_cache_and_only_reading_is_allowed(path: str) -> None:
    assert Client().get(path).headers["Cache-Control"] == "no-store"
    assert Client().head(path).status_code == 200
    assert Client().post(path).status_code == 405


@pytest.mark.parametrize("path", ["/join", "/join.ps1"])
def test_configured_address_comes_before_that_of_the_request(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_PUBLIC_URL", "https://memory.example.org/")
    text = Client().get(path, headers={"host": "localhost:8123"}).content.decode()

    assert ("https://memory.example.org" in text, "localhost" in text, "example.org//" in text) == (True, False, False)


@pytest.mark.parametrize("host", ["evil.example", "localhost;id", "localhost$(id)", "localhost'"])
def test_host_that_is_not_allowed_gets_no_script(host: str, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["localhost"]

    answer = Client().get("/join", headers={"host": host})

    assert (answer.status_code, b"client.pyz" in answer.content) == (400, False)


def test_address_with_signs_of_the_shell_is_quoted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMORYSERVER_PUBLIC_URL", f"http://x/$(touch {tmp_path}/run)`touch {tmp_path}/run`';'\"")
    script = Client().get("/join").content.decode().removesuffix("main\n") + 'printf %s "$server"\n'
    said = subprocess.run(["sh"], input=script, capture_output=True, text=True, check=True).stdout

    assert said == f"http://x/$(touch {tmp_path}/run)`touch {tmp_path}/run`';'\""
    assert list(tmp_path.iterdir()) == []
    powershell = Client().get("/join.ps1").content.decode()
    assert f"`touch {tmp_path}/run`'';''\"'\n" in powershell


@pytest.mark.parametrize("shell", ["dash", "bash"])
def test_script_is_understood_by_shells(shell: str) -> None:
    script = Client().get("/join").content

    assert subprocess.run([shell, "-n"], input=script, check=False).returncode == 0


def test_powershell_script_has_balanced_brackets_and_quotes() -> None:
    text = Client().get("/join.ps1").content.decode()
    code = "\n".join(line.partition("  #")[0] for line in text.splitlines() if not line.startswith("#"))

    assert [code.count(left) - code.count(right) for left, right in ("{}", "()", "[]")] == [0, 0, 0]
    assert [line for line in code.splitlines() if line.count("'") % 2 or line.count('"') % 2] == []
    assert text.isascii()  # PowerShell 5 reads what has no encoding in the system's own

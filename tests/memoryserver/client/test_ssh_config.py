"""Which host an alias means, by the rules of ssh_config(5)."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryserver.client import ssh_config


def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, alias: str = "work") -> str:
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / ".ssh"
    folder.mkdir(exist_ok=True)
    (folder / "config").write_text(content)
    return ssh_config.host_name(alias)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("", "work"),
        ("Host work\n  HostName a.org\n", "a.org"),
        ("Host other\n  HostName a.org\n", "work"),
        ("host other work\n\thostname=a.org\n", "a.org"),
        ('Host "work"\n  HostName = "a.org"\n', "a.org"),
        ("Host w*k\n  HostName a.org\nHost work\n  HostName b.org\n", "a.org"),
        ("Host w?rk\n  HostName a.org\n", "a.org"),
        ("Host * !work\n  HostName a.org\n", "work"),
        ("HostName a.org\nHost work\n  HostName b.org\n", "a.org"),
        ("# Host work\nHost x\n  # HostName a.org\n", "work"),
        ("Host work\n  User git\n  HostName %h.example%%\n", "work.example%"),
        ("Match host work\n  HostName a.org\n", "a.org"),
        ("Match originalhost x,work\n  HostName a.org\n", "a.org"),
        ("Match all\n  HostName a.org\n", "a.org"),
        ("Match exec true\n  HostName a.org\n", "work"),
        ("Host WORK\n  HostName a.org\n", "a.org"),
        ("Host work\n  HostName\n", "work"),
    ],
)
def test_name_is_the_first_value_that_counts_for_the_alias(
    content: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert host(tmp_path, monkeypatch, content) == name


def test_included_files_are_read_where_their_block_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".ssh" / "config.d").mkdir(parents=True)
    (tmp_path / ".ssh" / "config.d" / "a").write_text("Host work\n  HostName a.org\n")
    assert host(tmp_path, monkeypatch, "Include config.d/*\n") == "a.org"
    assert host(tmp_path, monkeypatch, "Host other\n  Include config.d/*\n") == "work"
    assert host(tmp_path, monkeypatch, f"Include ~/.ssh/config.d/a {tmp_path}/missing\n") == "a.org"


def test_file_that_includes_itself_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert host(tmp_path, monkeypatch, "Include config\nHost work\n  HostName a.org\n") == "a.org"


def test_laptop_without_a_file_has_no_aliases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert ssh_config.host_name("work") == "work"

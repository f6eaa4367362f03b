"""The key of a remote: one for all ways of writing it, and nothing of the laptop or the password in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryserver.client import remote_key


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/acme/shop.git",
        "https://github.com/acme/shop",
        "HTTPS://GitHub.com/Acme/Shop.git/",
        "https://github.com//acme/./shop.git//",
        "https://github.com./acme/shop",
        "https://user:secret@github.com/acme/shop.git/",
        "https://user:t@ok@github.com/acme/shop.git",
        "https://user:pa/ss@github.com/acme/shop.git",
        "https://user:12/34@github.com/acme/shop.git",
        "https://ghp_token@github.com/acme/shop",
        "https://github.com:443/acme/shop.git",
        "https://github.com/acme/shop?access_token=secret#x",
        "git@github.com:acme/shop.git",
        "git@github.com:/acme/shop.git",
        "github.com:acme/shop",
        "[git@github.com:22]:acme/shop.git",
        "user:secret@github.com:acme/shop.git",
        "git@github.com-work:acme/shop.git",
        "git@ssh.github.com:acme/shop.git",
        "ssh://git@ssh.github.com:443/acme/shop.git",
        "ssh://git@github.com:22/acme/shop.git",
        "ssh://github.com/acme/shop",
        "git+ssh://git@github.com/acme/shop",
        "git://github.com/acme/shop",
        "persistent::https://github.com/acme/shop",
        " https://github.com/acme/shop ",
    ],
)
def test_every_spelling_of_a_remote_is_one_key(url: str) -> None:
    assert remote_key.of(url) == "github.com/acme/shop"


@pytest.mark.parametrize(
    "url",
    [
        "",
        ".",
        "..",
        "../shop.git",
        "/srv/git/shop.git",
        "/home/dev/a:b/shop",
        "./a:b",
        "~/shop",
        "file:///srv/git/shop.git",
        "file://host/srv/shop",
        "C:\\work\\shop",
        "C:/work/shop",
        "\\\\server\\share\\shop",
        "shop.bundle",
        "ext::sh -c 'secret' host:path",
        "https://github.com",
        "https://github.com/",
        "https:///acme/shop",
        "https://host:port/acme/shop",
        "[git@github.com",
        "://",
        ":",
    ],
)
def test_local_path_and_what_is_not_an_address_has_no_key(url: str) -> None:
    assert remote_key.of(url) == ""


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("ssh://git@[2001:db8::1]:22/acme/shop.git", "[2001:db8::1]/acme/shop"),
        ("git@[2001:db8::1]:acme/shop.git", "[2001:db8::1]/acme/shop"),
        ("https://forge.example:8443/@scope/shop", "forge.example/@scope/shop"),
        ("git@host:~/shop.git", "host/~/shop"),
        ("https://xn--bcher-kva.example/a/b", "xn--bcher-kva.example/a/b"),
        ("git@git.xn--p1-ai:a/b", "git.xn--p1-ai/a/b"),
        ("https://forge.my-lan/a/b", "forge.my-lan/a/b"),
        ("https://dev.azure.com/acme/My%20Shop/_git/shop", "dev.azure.com/acme/my%20shop/_git/shop"),
        ("https://host/cafe\u0301", "host/caf\u00e9"),
    ],
)
def test_key_of_unusual_addresses(url: str, key: str) -> None:
    assert remote_key.of(url) == key


@pytest.mark.parametrize(
    ("alias", "name", "key"),
    [
        ("work", "github.com", "github.com/a/b"),
        ("github.com-work", "github.com", "github.com/a/b"),
        ("work.github.com", "GitHub.com", "github.com/a/b"),
        ("github.com", "ssh.github.com", "github.com/a/b"),
        ("forge.example", "10.0.0.5", "forge.example/a/b"),
        ("forge.example", "localhost", "forge.example/a/b"),
        ("forge.example", "2001:db8::1", "forge.example/a/b"),
        ("forge", "%h.example", "forge.example/a/b"),
        ("other", "forge", "forge/a/b"),
    ],
)
def test_alias_of_ssh_is_the_host_that_it_means(alias: str, name: str, key: str, tmp_path: Path) -> None:
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "config").write_text(f"Host {alias}\n  HostName {name}\n")

    assert remote_key.of(f"git@{alias}:a/b.git") == key
    assert remote_key.of(f"ssh://git@{alias}/a/b") == key
    assert remote_key.of(f"https://{alias}/a/b") == (key if alias == key.partition("/")[0] else f"{alias}/a/b")

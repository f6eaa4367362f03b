"""Values from the environment: the data folder, the secret key, and web addresses."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from memoryserver import environment
from memoryserver.environment import (
    check_files,
    data_dir,
    flag,
    hosts,
    listening_port,
    local_address,
    log_level,
    mail_server,
    origins,
    redis_address,
    secret_key,
    web_address,
    whole_number,
)


def test_data_folder_is_created_for_its_owner_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_DATA", str(tmp_path / "a" / "b"))
    folder = data_dir()
    assert (folder, stat.S_IMODE(folder.stat().st_mode)) == (tmp_path / "a" / "b", 0o700)


def test_data_folder_that_is_a_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MEMORYSERVER_DATA", str(tmp_path / "file"))
    with pytest.raises(ImproperlyConfigured, match="file is not writable .*; set MEMORYSERVER_DATA"):
        data_dir()


def test_default_data_folder_is_in_the_checkout_or_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMORYSERVER_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setattr(environment, "BASE_DIR", tmp_path / "checkout")

    in_checkout = data_dir()
    monkeypatch.setattr(environment, "IN_CHECKOUT", False)

    assert (in_checkout, data_dir()) == (tmp_path / "checkout" / "var", tmp_path / "share" / "memoryserver")


def test_commands_of_an_installed_server_need_no_file_of_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    in_checkout = environment.manage_command("qcluster", "--run-once")
    monkeypatch.setattr(environment, "IN_CHECKOUT", False)

    assert in_checkout == [sys.executable, str(environment.BASE_DIR / "manage.py"), "qcluster", "--run-once"]
    assert environment.manage_command("up") == [sys.executable, "-P", "-m", "memoryserver.ops.management.program", "up"]


def test_key_is_created_once_and_readable_by_its_owner_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMORYSERVER_SECRET_KEY", raising=False)
    key = secret_key(tmp_path)
    assert len(key) > 50
    assert secret_key(tmp_path) == key
    assert stat.S_IMODE((tmp_path / "secret_key").stat().st_mode) == 0o600


def test_configured_key_comes_first_and_creates_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_SECRET_KEY", "configured")
    assert (secret_key(tmp_path), list(tmp_path.iterdir())) == ("configured", [])


def test_key_in_a_missing_folder_is_an_error_that_names_the_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MEMORYSERVER_SECRET_KEY", raising=False)
    with pytest.raises(ImproperlyConfigured, match="set MEMORYSERVER_DATA"):
        secret_key(tmp_path / "missing")


@pytest.mark.parametrize("address", ["", "http://hooks.example", "https://hooks.example/a"])
def test_web_address_is_returned_as_it_is(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_ADDRESS", address)
    assert web_address("SOME_ADDRESS") == address


@pytest.mark.parametrize("address", ["ftp://hooks.example", "hooks.example", "file:///etc/passwd"])
def test_other_schemes_are_refused_by_the_variables_name(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_ADDRESS", address)
    with pytest.raises(ImproperlyConfigured, match="^SOME_ADDRESS must"):
        web_address("SOME_ADDRESS")


def test_webhook_that_is_no_web_address_is_refused_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_ALERT_WEBHOOK", "file:///etc/passwd")

    with pytest.raises(ImproperlyConfigured, match="MEMORYSERVER_ALERT_WEBHOOK must be an address"):
        web_address("MEMORYSERVER_ALERT_WEBHOOK")


def test_hosts_are_names_without_scheme_and_port(monkeypatch: pytest.MonkeyPatch) -> None:
    assert hosts("SOME_HOSTS", default=["localhost", "[::1]"]) == ["localhost", "[::1]"]

    monkeypatch.setenv("SOME_HOSTS", "memory.example.org, 10.0.0.7,.example.org,*,[fe80::1]")
    assert hosts("SOME_HOSTS", default=[]) == ["memory.example.org", "10.0.0.7", ".example.org", "*", "[fe80::1]"]


@pytest.mark.parametrize(
    "word", ["https://memory.example.org", "memory.example.org:8000", "memory.example.org/", "::1"]
)
def test_host_that_no_request_can_have_is_refused(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_HOSTS", f"localhost,{word}")

    with pytest.raises(ImproperlyConfigured) as caught:
        hosts("SOME_HOSTS", default=[])

    named = f"SOME_HOSTS must be names such as memory.example.org, without https:// and port, not '{word}'"
    assert str(caught.value) == named


def test_origins_have_a_scheme_and_no_path(monkeypatch: pytest.MonkeyPatch) -> None:
    assert origins("SOME_ORIGINS") == []

    monkeypatch.setenv("SOME_ORIGINS", "https://memory.example.org/, http://10.0.0.7:8000,https://*.example.org")
    assert origins("SOME_ORIGINS") == ["https://memory.example.org", "http://10.0.0.7:8000", "https://*.example.org"]


@pytest.mark.parametrize("word", ["memory.example.org", "https://memory.example.org/pages", "ftp://a.org", "https://"])
def test_origin_that_no_form_can_have_is_refused(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_ORIGINS", word)

    with pytest.raises(
        ImproperlyConfigured, match="^SOME_ORIGINS must be origins such as https://memory.example.org, "
    ):
        origins("SOME_ORIGINS")


@pytest.mark.parametrize("address", ["", "redis://:password@host:6379/0", "rediss://host", "unix:///run/redis.sock"])
def test_redis_address_is_returned_as_it_is(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_REDIS", address)

    assert redis_address("SOME_REDIS") == address


@pytest.mark.parametrize("address", ["http://host", "host:6379", "/run/redis.sock"])
def test_redis_address_of_another_form_is_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_REDIS", address)

    with pytest.raises(
        ImproperlyConfigured, match="^SOME_REDIS must be an address like redis://:password@host:6379/0$"
    ):
        redis_address("SOME_REDIS")


@pytest.mark.parametrize(("text", "number"), [("3", 3), ("1", 1), (None, 2)], ids=["set", "least", "unset"])
def test_whole_number_is_read(text: str | None, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMORYSERVER_JOB_WORKERS", raising=False)
    if text is not None:
        monkeypatch.setenv("MEMORYSERVER_JOB_WORKERS", text)

    assert whole_number("MEMORYSERVER_JOB_WORKERS", default=2, at_least=1) == number


@pytest.mark.parametrize("text", ["many", "0", "-1", "1.5", ""])
def test_anything_else_is_refused_by_the_name_of_the_variable(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_JOB_WORKERS", text)

    with pytest.raises(ImproperlyConfigured) as caught:
        whole_number("MEMORYSERVER_JOB_WORKERS", default=2, at_least=1)

    assert str(caught.value) == f"MEMORYSERVER_JOB_WORKERS must be a whole number of at least 1, not {text!r}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", True),
        ("true", True),
        ("Yes", True),
        ("on", True),
        ("0", False),
        ("False", False),
        ("off", False),
        ("", False),
    ],
)
def test_flag_is_on_or_off(text: str, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    assert flag("SOME_FLAG") is False
    monkeypatch.setenv("SOME_FLAG", text)
    assert flag("SOME_FLAG") is expected


def test_flag_of_another_word_is_refused_instead_of_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_FLAG", "enabled")
    with pytest.raises(ImproperlyConfigured, match="^SOME_FLAG must be 1 or 0, not 'enabled'$"):
        flag("SOME_FLAG")


def test_log_level_is_one_of_those_of_logging(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMORYSERVER_LOG_LEVEL", raising=False)
    assert log_level() == "INFO"
    monkeypatch.setenv("MEMORYSERVER_LOG_LEVEL", "debug")
    assert log_level() == "DEBUG"
    monkeypatch.setenv("MEMORYSERVER_LOG_LEVEL", "loud")
    with pytest.raises(ImproperlyConfigured, match="^MEMORYSERVER_LOG_LEVEL must be one of DEBUG, .*, not 'LOUD'$"):
        log_level()


def test_port_is_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYSERVER_PORT", "8080")
    assert listening_port() == 8080
    monkeypatch.setenv("MEMORYSERVER_PORT", "abc")
    with pytest.raises(
        ImproperlyConfigured, match="^MEMORYSERVER_PORT must be a whole number of at least 0, not 'abc'$"
    ):
        listening_port()


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("::1", "http://[::1]:8080"),
        ("::", "http://[::1]:8080"),
        ("0.0.0.0", "http://127.0.0.1:8080"),
        ("10.0.0.5", "http://10.0.0.5:8080"),
    ],
)
def test_local_address_is_where_the_settings_have_it_listen(
    host: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYSERVER_HOST", host)
    monkeypatch.setenv("MEMORYSERVER_PORT", "8080")
    assert local_address() == address


def test_mail_server_is_read_from_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_SMTP", "smtp+tls://me:secret@mail.example.org:587")
    settings = mail_server("SOME_SMTP", default="smtp://localhost:25")
    assert (settings["EMAIL_HOST"], settings["EMAIL_PORT"], settings["EMAIL_USE_TLS"]) == (
        "mail.example.org",
        587,
        True,
    )
    monkeypatch.setenv("SOME_SMTP", "")
    assert mail_server("SOME_SMTP", default="smtp://localhost:25")["EMAIL_HOST"] == "localhost"


@pytest.mark.parametrize("address", ["mail.example.org", "http://mail.example.org", "smtp://host:port"])
def test_mail_server_of_another_form_is_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_SMTP", address)
    with pytest.raises(ImproperlyConfigured, match="^SOME_SMTP must be an address like smtp"):
        mail_server("SOME_SMTP", default="")


def test_file_of_a_setting_must_be_readable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "key").write_text("secret")
    monkeypatch.setenv("MEMORYSERVER_SOME_FILE", str(tmp_path / "key"))
    check_files()

    monkeypatch.setenv("MEMORYSERVER_SOME_FILE", str(tmp_path / "other"))
    with pytest.raises(ImproperlyConfigured, match="^MEMORYSERVER_SOME_FILE names .*/other, which cannot be read$"):
        check_files()

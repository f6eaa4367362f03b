"""The systemd user service of Linux."""

from __future__ import annotations

import pytest

from capture.local.service import systemd


def lines(*program: str, **environment: str) -> list[str]:
    return systemd.service(program, environment).splitlines()


def test_program_is_started_at_login_and_again_a_minute_after_it_ends() -> None:
    unit = lines("/opt/python", "-m", "memorycli")
    assert 'ExecStart="/opt/python" "-m" "memorycli"' in unit
    assert {"Restart=always", "RestartSec=60", "WantedBy=default.target", "UMask=0077"} <= set(unit)


def test_environment_has_a_line_for_each_variable() -> None:
    unit = lines("/p", A="1", B="two words")
    assert [line for line in unit if line.startswith("Environment")] == [
        'Environment="A=1"',
        'Environment="B=two words"',
    ]


@pytest.mark.parametrize(
    ("word", "written"),
    [("a b", '"a b"'), ('a"b', '"a\\"b"'), ("a\\b", '"a\\\\b"'), ("100%", '"100%%"'), ("é", '"é"')],
)
def test_argument_is_quoted_as_systemd_reads_it_back(word: str, written: str) -> None:
    assert f'ExecStart="/p" {written}' in lines("/p", word)


def test_dollar_sign_begins_no_variable() -> None:
    assert 'ExecStart=:"/p" "$HOME"' in lines("/p", "$HOME")


def test_program_with_a_quote_in_its_name_is_started_through_env() -> None:
    assert 'ExecStart="/usr/bin/env" "/it\'s"' in lines("/it's")


@pytest.mark.parametrize("program", ["/a'=b", "/a\nb", "/a\x7fb"])
def test_name_that_a_unit_cannot_contain_raises_value_error(program: str) -> None:
    with pytest.raises(ValueError, match="unit"):
        systemd.service([program], {})


def test_commands_start_stop_and_reload_the_unit() -> None:
    unit = "memoryserver-capture.service"
    assert systemd.start_commands() == [
        ["systemctl", "--user", "daemon-reload"],
        ["systemctl", "--user", "enable", unit],
        ["systemctl", "--user", "restart", unit],
    ]
    assert systemd.stop_commands() == [["systemctl", "--user", "disable", "--now", unit]]
    assert systemd.reload_commands() == [["systemctl", "--user", "daemon-reload"]]

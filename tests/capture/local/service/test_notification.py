"""Desktop notifications show their text and never run it."""

from __future__ import annotations

from pathlib import Path

import pytest

from capture.local.service.notification import command, is_enabled, show

EVIL = 'x" & (do shell script "touch /tmp/pwned") & "\n<b>$(id)</b> `id` \x1b[31m-e'


def test_notifications_are_disabled_by_default(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("MEMORYSERVER_NOTIFY", raising=False)
    assert not is_enabled()
    for value, expected in {"1": True, "true": True, "On": True, "0": False, "": False, "no": False}.items():
        monkeypatch.setenv("MEMORYSERVER_NOTIFY", value)
        assert is_enabled() is expected


def test_on_macos_the_text_is_an_argument_of_a_constant_script():
    words, plain = command(EVIL, platform="darwin"), command("plain", platform="darwin")
    assert words[:-1] == plain[:-1]
    assert words[-1] == 'x" & (do shell script "touch /tmp/pwned") & " <b>$(id)</b> `id` -e'
    assert words[-2] == "memoryserver"  # after it no word is read as an option


def test_on_linux_the_text_is_escaped_and_no_option():
    words = command(f"-e {EVIL}", platform="linux")
    assert words[:4] == ["notify-send", "--app-name=memoryserver", "--", "memoryserver"]
    assert words[4:] == ['-e x" &amp; (do shell script "touch /tmp/pwned") &amp; " &lt;b&gt;$(id)&lt;/b&gt; `id` -e']


def test_long_text_is_shortened():
    assert len(command("x" * 10_000, platform="darwin")[-1]) == 240


@pytest.fixture
def desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path


def test_program_is_called_with_the_text(desktop: Path):
    program = desktop / "notify-send"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {desktop}/shown\n')
    program.chmod(0o755)
    show("the queue is full", platform="linux")
    assert (desktop / "shown").read_text().split("\n")[-2] == "the queue is full"


@pytest.mark.parametrize("script", [None, "#!/bin/sh\necho no bus >&2; exit 1\n", "no program at all"])
def test_failure_to_show_is_no_error(desktop: Path, script: str | None, caplog: pytest.LogCaptureFixture):
    if script is not None:
        (desktop / "notify-send").write_text(script)
        (desktop / "notify-send").chmod(0o755)
    caplog.set_level("INFO")
    show("the queue is full", platform="linux")
    (record,) = caplog.records
    assert record.getMessage().startswith("no notification: ")

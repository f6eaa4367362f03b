"""How the command line reaches a command, and how each way to end is reported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memorycli.main import main
from memoryserver import __version__
from memoryserver.client import config
from memoryserver.common import files
from tests.support.laptops.laptop import Laptop


def test_package_runs_as_the_command_and_ends_with_its_status(memory: Laptop) -> None:
    root = str(Path(__file__).parents[2])
    for words, status, out in (
        (["--version"], 0, f"memory {__version__}\n"),
        (["sync"], 1, ""),
        (["nonsense"], 2, ""),
    ):
        process = subprocess.run(
            [sys.executable, "-m", "memorycli", *words],
            capture_output=True,
            check=False,
            text=True,
            env=os.environ | {"PYTHONPATH": root},
        )
        assert (process.returncode, process.stdout) == (status, out)


def test_arguments_of_the_process_are_the_default(
    memory: Laptop, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["memory", "sync"])

    assert main() == 1
    assert capsys.readouterr().err == "memory: not logged in; run: memory login URL\n"


def test_error_of_the_command_is_one_line_and_status_1(memory: Laptop) -> None:
    result = memory("sync")

    assert (result.status, result.out, result.err.startswith("memory: "), result.err.count("\n")) == (1, "", True, 1)


def test_error_of_the_system_is_one_line_and_status_1(memory: Laptop) -> None:
    memory.home.write_text("a file in place of the folder")

    result = memory("config", "set", "outbox_mb", "7")

    assert (result.status, result.err) == (1, f"memory: {memory.home}: File exists\n")


@pytest.mark.parametrize("setting", ["nonsense=1", "outbox_mb", "outbox_mb=many"])
def test_setting_that_cannot_be_used_is_an_error_before_the_command_runs(setting: str, memory: Laptop) -> None:
    result = memory("-c", setting, "status", "--offline")

    assert (result.status, result.out, result.err.startswith("memory: -c: ")) == (2, "", True)


def test_setting_is_for_one_run_and_is_not_taken_for_the_command(memory: Laptop) -> None:
    default = config.number("outbox_mb")

    assert memory("-c", "outbox_mb=7", "config", "get", "outbox_mb").out == "7\n"
    assert config.number("outbox_mb") == default


def test_setting_is_gone_after_a_command_that_failed(memory: Laptop) -> None:
    default = config.number("outbox_mb")

    assert memory("-c", "outbox_mb=7", "-c", "nonsense=1", "config").status == 2
    assert config.number("outbox_mb") == default


@pytest.mark.parametrize("words", [["hook"], ["-c", "outbox_mb=7", "hook"]])
def test_hook_is_silent_for_an_event_without_work(words: list[str], memory: Laptop) -> None:
    result = memory.process(*words, stdin=b'{"hook_event_name": "Notification"}')

    assert (result.status, result.out, result.err) == (0, "", "")


def test_hook_is_reached_without_argparse(memory: Laptop) -> None:
    program = "import atexit, sys; atexit.register(lambda: print('argparse' in sys.modules))"

    result = memory.process("hook", program=program, stdin=b'{"hook_event_name": "Notification"}')

    assert (result.status, result.out) == (0, "False\n")


@pytest.mark.parametrize(
    ("options", "buffered"),
    [(["-u"], ""), ([], "text")],
    ids=["found-by-the-command", "found-when-the-buffer-is-flushed"],
)
def test_reader_that_went_away_ends_the_command_without_a_traceback(
    memory: Laptop, options: list[str], buffered: str
) -> None:
    program = (
        f"import sys; sys.stdin.read(); sys.stdout.write({buffered!r});"
        "from memorycli.main import main; sys.exit(main(['completion', 'bash']))"
    )
    with subprocess.Popen(
        [sys.executable, *options, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONUNBUFFERED": ""},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.close()  # only now the command runs
        errors = process.stderr.read()

    assert (process.returncode, errors) == (1, b"")


def test_letters_that_the_terminal_lacks_are_escaped(memory: Laptop) -> None:
    result = memory.process("session", "show", PYTHONIOENCODING="ascii:strict")

    assert (result.status, result.err, "project \\xfc" in result.out) == (0, "", True)


def test_command_without_words_shows_the_help(memory: Laptop) -> None:
    result = memory()

    assert (result.status, result.err) == (0, "")
    assert result.out == memory("--help").out


COMMANDS = [
    ["search", "caf\udce9"],
    ["log", "query", "--type", "caf\udce9"],
    ["log", "recent", "--source", "caf\udce9", "--scope", "caf\udce9"],
    ["log", "append", "caf\udce9", "--type", "a.b", "--source", "agent:caf\udce9", "--data", '"caf\udce9"'],
    ["config"],
    ["config", "set", "journal_dir", "caf\udce9"],
    ["-c", "journal_dir=caf\udce9", "ghap", "list"],
    ["ghap", "show", "caf\udce9"],
    ["session", "start"],
    ["session", "show"],
    ["session", "end"],
    ["capture", "scan", "--root", "caf\udce9"],
    ["capture", "retry", "caf\udce9"],
    ["capture", "status"],
    ["trajectory", "show", "--session", "caf\udce9"],
    ["install", "claude-code", "--scope", "project"],
    ["uninstall", "claude-code", "--scope", "project"],
    ["login", "http://caf\udce9"],
    ["status"],
    ["doctor"],
    ["sync"],
    ["caf\udce9"],
    ["--caf\udce9"],
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words).replace("\udce9", "?"))
def test_command_in_a_folder_and_with_arguments_that_are_not_utf8_ends_without_a_traceback(
    memory: Laptop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    folder = tmp_path / "caf\udce9"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    files.make_folder(memory.home)
    files.write_atomic(memory.home / "credentials.json", '{"url": "http://127.0.0.1:9", "token": "msv_x"}')

    try:
        status = memory(*words).status
    except SystemExit as ended:  # argparse's way to refuse
        status = int(str(ended.code))

    assert status in (0, 1, 2)


def test_text_arguments_are_cleaned_and_files_keep_their_bytes(memory: Laptop, tmp_path: Path) -> None:
    transcripts = tmp_path / "caf\udce9"
    transcripts.mkdir()

    memory("config", "set", "journal_dir", "caf\udce9")

    assert memory("config", "get", "journal_dir").out == "caf\ufffd\n"
    assert "cannot" not in memory("capture", "scan", "--root", str(transcripts)).err


def test_output_shows_bytes_that_are_not_utf8_as_replacement_characters(memory: Laptop) -> None:
    memory("ghap", "list", "--journal", "caf\udce9")

    shown = memory.process("session", "show", "--journal", "caf\udce9")
    narrow = memory.process("session", "show", "--journal", "caf\udce9日", PYTHONIOENCODING="ascii")

    assert "  journal             caf\ufffd\n" in shown.out
    assert "  journal             caf\\ufffd\\u65e5\n" in narrow.out


def test_names_of_files_are_shown_composed(memory: Laptop) -> None:
    name = "Za\u0308hler"

    assert "  journal             Zähler\n" in memory("session", "show", "--journal", name).out
    (memory.project / name).write_text("")
    assert memory("session", "show", "--journal", name).err == (
        "memory: the journal Zähler cannot be used: it is not a folder\n"
    )

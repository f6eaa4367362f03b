"""The scripts of `memory completion`, in the real shells that there are."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from memorycli.commands.completion import places_of
from memorycli.parser import ALIASES, COMMANDS, parser_of
from tests.support.laptops.laptop import Laptop

ZSH = r"""
compdef() { :; }; _files() { print FILES; }
compadd() { shift; print -l -- "$@"; }
_describe() { for one in "${(@P)3}"; do print -r -- "${one%%:*}"; done; }
source $1; shift
words=("$@"); CURRENT=$#words; _memory
"""
BASH = r"""
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _memory
printf '%s\n' "${COMPREPLY[@]}"
"""
FISH = r"source $argv[1]; complete -C (string join ' ' -- $argv[2..-1])"


def _offered(shell: str, script: Path, line: str) -> list[str]:
    words = line.split(" ")
    commands = {
        "bash": ["bash", "-c", BASH, "bash", str(script), *words],
        "zsh": ["zsh", "-fc", ZSH, "zsh", str(script), *words],
        "fish": ["fish", "--no-config", "-c", FISH, str(script), *words],
    }
    done = subprocess.run(commands[shell], capture_output=True, text=True, check=True, cwd=script.parent)
    assert done.stderr == ""
    said = [word.split("\t")[0] for word in done.stdout.splitlines()]
    return [word for word in said if word.startswith(words[-1])]


# bash is everywhere; the other shells are tried where they are installed
@pytest.fixture(params=["bash", *(shell for shell in ("zsh", "fish") if shutil.which(shell))])
def offered(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], list[str]]:
    """What the shell offers for a line of which the last word is being typed."""
    monkeypatch.setenv("HOME", str(tmp_path))
    memory = Laptop(tmp_path, monkeypatch, capsys)
    script = tmp_path / "script ü"
    script.write_text(memory("completion", request.param).out)
    return lambda line: _offered(request.param, script, line)


def test_commands_are_offered(offered: Callable[[str], list[str]]) -> None:
    assert set(COMMANDS) <= set(offered("memory "))
    assert sorted(offered("memory s")) == ["search", "session", "show", "status", "sync"]


def test_commands_below_and_their_words_are_offered(offered: Callable[[str], list[str]]) -> None:
    assert sorted(offered("memory config un")) == ["unset"]
    assert sorted(offered("memory config set c")) == ["check_in_calls", "context_chars"]
    assert offered("memory install cl") == ["claude-code"]


def test_options_and_their_words_are_offered(offered: Callable[[str], list[str]]) -> None:
    assert sorted(offered("memory install --d")) == ["--dry-run"]
    assert sorted(offered("memory install --scope ")) == ["local", "project", "user"]
    assert offered("memory install --scope pr") == ["project"]
    assert offered("memory ghap start --domain de") == ["debugging"]
    assert sorted(offered("memory install claude-code --scope project --dr")) == ["--dry-run"]


def test_files_are_left_to_the_shell_where_a_word_may_be_anything(offered: Callable[[str], list[str]]) -> None:
    """bash and readline offer them by themselves where nothing else is."""
    assert offered("memory login --token-file FI") in ([], ["FILES"])
    assert offered("memory login --token-file in") == []


def test_every_option_of_every_command_is_known() -> None:
    places = list(places_of(parser_of(*COMMANDS), ("memory",)))

    chains = [place.chain for place in places]
    assert {chain[1] for chain in chains[1:]} == {*COMMANDS, *ALIASES}
    assert ("memory", "capture", "push") in chains
    assert ("memory", "config", "set") in chains
    assert all(place.options for place in places)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_no_help_text_breaks_out_of_its_quotes(shell: str, tmp_path, monkeypatch, capsys) -> None:
    script = Laptop(tmp_path, monkeypatch, capsys)("completion", shell).out

    quote = "'" if shell == "fish" else '"'
    lines = [line for line in script.splitlines() if "offered=" in line or line.startswith("complete -c memory -n")]
    assert len(lines) > len(COMMANDS)
    assert [line for line in lines if line.count(quote) % 2 or "`" in line or "$(" in line] == []

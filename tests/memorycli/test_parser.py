from __future__ import annotations

import argparse
import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest

from memorycli.commands import config, status
from memorycli.parser import ALIASES, COMMANDS, parser_of
from memoryserver import __version__


def listed(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    (action,) = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(action.choices)


def options(parser: argparse.ArgumentParser) -> set[str]:
    return {option for action in parser._actions for option in action.option_strings} - {"-h", "--help"}


def test_every_command_is_listed_with_its_line_of_help() -> None:
    shown = " ".join(parser_of().format_help().split())

    aliases = {of: f"{of} ({alias})" for alias, of in ALIASES.items()}
    assert set(listed(parser_of())) == {*COMMANDS, *ALIASES}
    assert [name for name, line in COMMANDS.items() if f"{aliases.get(name, name)} {line}" not in shown] == []


def test_only_the_named_commands_have_their_arguments() -> None:
    commands = listed(parser_of("status"))

    assert "--offline" in options(commands["status"])
    assert [name for name, command in commands.items() if name != "status" and options(command)] == []


def test_alias_is_the_command_itself() -> None:
    parsed = parser_of("journal").parse_args(["journal", "list"])

    assert parsed.module.__name__ == "memorycli.commands.ghap"


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"hook"}))
def test_named_command_has_the_module_of_its_name(name: str) -> None:
    module = listed(parser_of(name))[name].get_default("module")

    assert module.__name__.rpartition(".")[2] == ("import_data" if name == "import" else name)
    assert callable(module.run)


def test_module_of_the_chosen_command_is_in_the_namespace() -> None:
    parser = parser_of("status", "config")

    assert parser.parse_args(["status"]).module is status
    assert parser.parse_args(["config", "list"]).module is config


def test_settings_are_collected_in_their_order() -> None:
    parsed = parser_of("status").parse_args(["-c", "a=1", "-c", "b=2", "status"])

    assert parsed.settings == ["a=1", "b=2"]
    assert parser_of("status").parse_args(["status"]).settings == []


def test_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parser_of().parse_args(["--version"])

    assert (caught.value.code, capsys.readouterr().out) == (0, f"memory {__version__}\n")


@pytest.mark.parametrize("words", [[], ["nonsense"], ["status", "--nonsense"], ["-c"]])
def test_wrong_usage_ends_with_status_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parser_of("status").parse_args(words)

    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith("usage: memory")


def test_commands_that_are_not_named_are_not_imported() -> None:
    program = "import sys; from memorycli.parser import parser_of; parser_of('completion')\n"
    program += "print(sorted(name for name in sys.modules if name.startswith('memorycli.commands.')))"

    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout

    assert shown == "['memorycli.commands.completion']\n"


def parsers_below(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    choices = [action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return [parser, *(below for group in choices for sub in group.values() for below in parsers_below(sub))]


@functools.cache
def of_every_command() -> argparse.ArgumentParser:
    """The parser with the arguments of all commands; making it takes longer than most of these tests."""
    return parser_of(*COMMANDS)


OPTIONS_WITH_VALUE = sorted(
    (parser.prog, option)
    for parser in parsers_below(of_every_command())
    for action in parser._actions
    if action.nargs in (None, "+") and action.option_strings
    for option in action.option_strings
)


@pytest.mark.parametrize(("prog", "option"), OPTIONS_WITH_VALUE, ids=[" ".join(pair) for pair in OPTIONS_WITH_VALUE])
def test_value_that_begins_with_a_dash_gets_a_hint(prog: str, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        of_every_command().parse_args([*prog.split()[1:], option, "-x"])

    assert stopped.value.code == 2
    hint = f": expected one argument; a value that begins with a dash is given as {option}=VALUE"
    assert capsys.readouterr().err.splitlines()[-1].endswith(hint)


def test_option_without_any_value_gets_no_hint(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser_of("ghap").parse_args(["ghap", "update", "--note"])

    assert capsys.readouterr().err.splitlines()[-1].endswith("argument --note: expected one argument")


def test_value_after_an_equals_sign_may_begin_with_a_dash() -> None:
    parsed = parser_of("ghap").parse_args(["-c=-x=1", "ghap", "update", "--note=-x"])

    assert (parsed.settings, parsed.note) == (["-x=1"], "-x")


TEXTS = {
    "search": ["search", "-x"],
    "several words": ["search", "why", "-x"],
    "unknown option": ["search", "why", "--nonsense"],
    "message": ["log", "append", "--type", "t", "-x"],
    "value": ["config", "set", "journal_dir", "-x"],
    "entry": ["ghap", "show", "-x"],
    "amended entry": ["ghap", "amend", "--note", "n", "-x"],
    "names": ["capture", "retry", "-x"],
    "file": ["trajectory", "replay", "-x"],
    "address": ["login", "-x"],
}


@pytest.mark.parametrize("words", TEXTS.values(), ids=TEXTS)
def test_text_that_begins_with_a_dash_gets_a_hint_that_works(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    *before, last = words
    prog = " ".join(["memory", *words[: 1 if words[0] in ("search", "login") else 2]])
    with pytest.raises(SystemExit) as stopped:
        of_every_command().parse_args(words)

    hint = f'; a text that begins with a dash comes after "--": {prog} [OPTIONS] -- {last}'
    assert stopped.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1].endswith(hint)
    assert last in str(vars(of_every_command().parse_args([*before, "--", last])))


@pytest.mark.parametrize(
    "words",
    [["status", "--nonsense"], ["-x"], ["uninstall", "-x"], ["completion", "-x"], ["search"], ["search", "--limit"]],
)
def test_command_that_takes_no_such_text_gets_no_hint(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        of_every_command().parse_args(words)

    assert "begins with a dash" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["caf\udce9"],
        ["status", "--caf\udce9"],
        ["search", "x", "--caf\udce9"],
        ["search", "x", "--limit", "caf\udce9"],
        ["search", "x", "--mode", "caf\udce9"],
        ["ghap", "list", "--limit", "caf\udce9"],
        ["ghap", "resolve", "caf\udce9", "--result", "r"],
        ["log", "query", "--after", "caf\udce9"],
        ["completion", "caf\udce9"],
    ],
    ids=lambda words: "-".join(words).replace("\udce9", "?"),
)
def test_error_shows_bytes_that_are_not_utf8_as_replacement_characters(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        of_every_command().parse_args(words)

    message = capsys.readouterr().err
    assert ("caf\ufffd" in message, "udce9" in message) == (True, False)


GUESSES = {
    ("serach",): "argument COMMAND: 'serach' is unknown (did you mean search?); see: memory --help",
    ("--vresion",): "arguments are required: COMMAND; --vresion is unknown (did you mean --version?)",
    ("status", "--ofline"): "unrecognized arguments: --ofline (did you mean --offline?)",
    ("ghap", "strat"): "argument COMMAND: 'strat' is unknown (did you mean start?); choose one of start, update, "
    "resolve, amend, abandon, show, list, adopt, abandon-orphan",
    ("journal", "list", "--lmit=3"): "unrecognized arguments: --lmit=3 (did you mean --limit?)",
    ("search", "x", "--mode", "hybird"): "argument --mode: 'hybird' is unknown (did you mean hybrid?); choose one of "
    "hybrid, semantic, lexical",
    ("install", "claud-code"): "argument agent: 'claud-code' is unknown (did you mean claude-code?); choose one of "
    "claude-code, codex",
    ("status", "-c", "a=1"): "unrecognized arguments: -c a=1; -c comes before the command: memory -c ... status",
    ("log",): "arguments are required: ACTION; ACTION is one of append, query, recent, tail",
    ("completion",): "arguments are required: shell; shell is one of bash, zsh, fish",
    ("ghap", "resolve"): "arguments are required: STATUS, --result; STATUS is one of confirmed, falsified, abandoned",
    ("show",): "arguments are required: ID",
    ("qqqq",): "argument COMMAND: 'qqqq' is unknown; see: memory --help",
}  # fmt: skip


@pytest.mark.parametrize("words", GUESSES, ids=" ".join)
def test_mistyped_or_missing_word_gets_a_guess_or_the_choices_at_every_level(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        of_every_command().parse_args(list(words))

    assert stopped.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1].endswith(GUESSES[words])


def test_page_of_commands_names_every_command_and_no_other() -> None:
    page = (Path(__file__).parents[2] / "docs/commands.md").read_text()
    cells = [line.split("|")[1] for line in page.partition("A mistyped")[0].splitlines() if line.startswith("| `")]

    assert [name for cell in cells for name in re.findall("`([a-z]+)`", cell)] == sorted(
        {*COMMANDS, *ALIASES}, key=order
    )


def order(name: str) -> tuple[str, str]:
    """The order in the page: commands that belong together share a row, under the first of their names."""
    together = {"import": "export", "journal": "ghap", "logout": "login", "show": "open", "uninstall": "install"}
    return together.get(name, name), name
